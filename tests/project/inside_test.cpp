// Subsystems that one integrator solves: all of them under model coupling, or those that are 'inside' another.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "koppla/project/project.hpp"
#include "koppla/project/reader.hpp"
#include "koppla/results/memory_recorder.hpp"

#include "problem_list.hpp"

namespace koppla::project {
namespace {

using test::mistakes;
using test::ProblemList;
using test::problemsOf;
using test::warnings;

const std::string kHead = "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n";

std::string formulas(const std::string& name, const std::string& lines) {
  return "[[subsystems]]\nname = \"" + name + "\"\nmodel = \"expressions\"\n" + lines;
}

std::string connection(const std::string& from, const std::string& to, const std::string& more = {}) {
  return "[[connections]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\n" + more;
}

/// x' = -y, y' = x from (1, 0): (cos t, sin t).
std::string rotation(const std::string& ofFirst = {}, const std::string& ofSecond = {}) {
  return formulas("a",
                  "inputs = {y = 0.0}\nstates = {x = 1.0}\nderivatives = {x = \"-y\"}\noutputs = {x = \"x\"}\n"
                  "integrator = \"ode5\"\nmicro_step = 0.01\n" +
                      ofFirst) +
         formulas("b", "inputs = {x = 0.0}\nstates = {y = 0.0}\nderivatives = {y = \"x\"}\noutputs = {y = \"y\"}\n" +
                           ofSecond) +
         connection("a.x", "b.x") + connection("b.y", "a.y");
}

/// The whole course of a run.
results::Table ranOf(const std::string& text, std::initializer_list<std::string_view> settings = {}) {
  std::vector<Override> overrides;
  for (const std::string_view setting : settings) overrides.push_back(parseOverride(setting));
  const Reading reading = parse(text, "loop.toml", overrides);
  EXPECT_EQ(mistakes(reading), ProblemList{});
  core::Log log;
  results::MemoryRecorder recorder;
  run::Run run = makeRun(reading.project, log, &recorder);
  const run::Outcome started = run.initialise();
  EXPECT_TRUE(started.ok()) << started.message;
  const run::Outcome outcome = run.simulate();
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  run.end();
  return recorder.table();
}

double last(const results::Table& table, const std::string& name) {
  const auto found = std::ranges::find(table.series, name, &results::Series::name);
  EXPECT_NE(found, table.series.end()) << name;
  return found == table.series.end() ? std::nan("") : found->numbers.back();
}

ProblemList problemsOfBuilding(const std::string& text) {
  const Reading reading = parse(text, "loop.toml", {});
  if (!reading.findings.mistakes.empty()) return mistakes(reading);
  core::Log log;
  return problemsOf([&] { build(reading.project, log); });
}

TEST(ModelCoupling, SolvesTwoModelsAsOneUnderTheirOwnNames) {
  const results::Table joint = ranOf(kHead + "algorithm = { kind = \"model-coupling\" }\n" + rotation());
  EXPECT_EQ(joint.time.size(), 11U);
  EXPECT_NEAR(last(joint, "a.x"), std::cos(1.0), 1e-12);
  EXPECT_NEAR(last(joint, "b.y"), std::sin(1.0), 1e-12);
  const results::Table all =
      ranOf(kHead + "algorithm = { kind = \"model-coupling\" }\nresults = { variables = [\"*\"] }\n" + rotation());
  EXPECT_NEAR(last(all, "b.x"), std::cos(1.0), 1e-12) << "an input that is fed inside is recorded on request";
  const results::Table coupled = ranOf(kHead + "algorithm = { kind = \"jacobi\" }\n" + rotation());
  EXPECT_GT(std::fabs(last(coupled, "a.x") - std::cos(1.0)), 1e-2) << "one word apart";
}

TEST(ModelCoupling, TakesTheIntegratorOfTheMaster) {
  const std::string text = kHead + "algorithm = { kind = \"model-coupling\", master = \"b\" }\n" + rotation();
  // b has one step of Heun's method over 0.1 s: errors of order h^3 / 6 a step.
  const double error = last(ranOf(text, {"b.integrator=ode2"}), "a.x") - std::cos(1.0);
  EXPECT_GT(std::fabs(error), 1e-4);
  EXPECT_LT(std::fabs(error), 1e-2);
}

TEST(ModelCoupling, StartValuesAndParametersReachTheirModels) {
  const std::string text = kHead + "algorithm = { kind = \"model-coupling\" }\n" + rotation();
  EXPECT_NEAR(last(ranOf(text, {"a.x.start=0.0", "b.y.start=1.0"}), "a.x"), -std::sin(1.0), 1e-12);
}

TEST(ModelCoupling, JoinsForceLawsInEveryDecomposition) {
  // Two unit masses with a spring of 2 N/m between them and none to the ground: (1 + cos(2 t)) / 2.
  const std::string text = kHead + R"(algorithm = { kind = "model-coupling" }
[[subsystems]]
name = "s1"
model = "oscillator-body"
integrator = "radau"
rtol = 1e-10
atol = 1e-10
parameters = { c = 0.0, d = 0.0 }
[[subsystems]]
name = "s2"
model = "oscillator-body"
parameters = { c = 0.0, d = 0.0, x0 = 0.0 }
[[conditions]]
name = "link"
kind = "spring-damper"
stiffness = 2.0
damping = 0.0
between = ["s1.point", "s2.point"]
)";
  for (const std::string decomposition :
       {"force-displacement", "displacement-force", "force-force", "displacement-displacement"}) {
    const results::Table ran = ranOf(text + "decomposition = \"" + decomposition + "\"\n");
    EXPECT_NEAR(last(ran, "s1.x"), 0.5 * (1.0 + std::cos(2.0)), 1e-8) << decomposition;
    if (decomposition == "force-force") {
      EXPECT_NEAR(last(ran, "link.force"), -2.0 * std::cos(2.0), 1e-7);
    }
  }
}

TEST(Inside, SomeAreJoinedAndTheRestIsCoupled) {
  // c integrates a.x, which is cos t: its integral is sin t, late by the coupling.
  const std::string third = formulas("c",
                                     "inputs = {u = 0.0}\nstates = {s = 0.0}\nderivatives = {s = \"u\"}\n"
                                     "outputs = {s = \"s\"}\n") +
                            connection("a.x", "c.u");
  const std::string text =
      kHead + "algorithm = { kind = \"gauss-seidel\", degree = 3 }\n" + rotation("", "inside = \"a\"\n") + third;
  const results::Table ran = ranOf(text);
  EXPECT_NEAR(last(ran, "a.x"), std::cos(1.0), 1e-12) << "what is joined does not feel the coupling";
  EXPECT_NEAR(last(ran, "b.y"), std::sin(1.0), 1e-12);
  EXPECT_NEAR(last(ran, "c.s"), std::sin(1.0), 1e-4);
}

TEST(Inside, InputsOfWhatIsInsideComeFromOutsideAsWell) {
  // b' = x + w with w from outside.
  const std::string text = kHead + "algorithm = { kind = \"gauss-seidel\", order = [\"w\", \"a\", \"b\"] }\n" +
                           formulas("a", "states = {x = 0.0}\nderivatives = {x = \"0\"}\noutputs = {x = \"x\"}\n") +
                           formulas("b",
                                    "inputs = {x = 0.0, w = 0.0}\nstates = {y = 0.0}\nderivatives = {y = \"x + w\"}\n"
                                    "outputs = {y = \"y\"}\ninside = \"a\"\n") +
                           formulas("w", "outputs = {w = \"2.5\"}\n") + connection("a.x", "b.x") +
                           connection("w.w", "b.w");
  EXPECT_NEAR(last(ranOf(text), "b.y"), 2.5, 1e-12);
}

/// x' = f with f = -x from a static model inside.
std::string decay(const std::string& ofStatic) {
  return formulas("a",
                  "inputs = {f = 0.0}\nstates = {x = 1.0}\nderivatives = {x = \"f\"}\noutputs = {x = \"x\"}\n"
                  "integrator = \"bdf\"\nrtol = 1e-8\natol = 1e-8\n") +
         formulas("law",
                  "inputs = {x = 0.0}\noutputs = {f = \"-k*x\"}\nparameters = {k = 1.0}\ninside = \"a\"\n" + ofStatic) +
         connection("a.x", "law.x") + connection("law.f", "a.f");
}

TEST(Inside, StaticModelsAreCalledInEveryWay) {
  for (const std::string way :
       {"", "static_coupling = \"full\"\n", "static_coupling = \"predictor\"\n",
        "static_coupling = \"last-corrector\"\n", "static_coupling = \"predictor\"\ninstances = 1\n"}) {
    const results::Table ran = ranOf(kHead + decay(way));
    EXPECT_NEAR(last(ran, "a.x"), std::exp(-1.0), 1e-6) << way;
    EXPECT_NEAR(last(ran, "law.f"), -std::exp(-1.0), 1e-6) << way;
    EXPECT_NEAR(last(ranOf(kHead + decay(way), {"law.k=3"}), "a.x"), std::exp(-3.0), 1e-6) << way;
  }
}

TEST(Inside, TheWholeCanBeIteratedByAnAlgorithmOutside) {
  // The joint model's steps are repeated; what is inside is repeated with it. u' = x, x' = -x - u.
  const std::string text =
      kHead + "algorithm = { kind = \"newton\", rtol = 1e-10, atol = 1e-12 }\n" +
      formulas("a",
               "inputs = {f = 0.0, u = 0.0}\nstates = {x = 1.0}\nderivatives = {x = \"f - u\"}\n"
               "outputs = {x = \"x\"}\nintegrator = \"bdf\"\n") +
      formulas("law", "inputs = {x = 0.0}\noutputs = {f = \"-x\"}\ninside = \"a\"\nstatic_coupling = \"predictor\"\n") +
      formulas("c", "inputs = {x = 0.0}\nstates = {u = 0.0}\nderivatives = {u = \"x\"}\noutputs = {u = \"u\"}\n") +
      connection("a.x", "law.x") + connection("law.f", "a.f") + connection("a.x", "c.x") + connection("c.u", "a.u");
  const auto endWith = [&](const char* step) {
    return last(ranOf(text, {std::string("simulation.step=") + step}), "a.x");
  };
  // x'' + x' + x = 0, x(0) = 1, x'(0) = -1.
  const double w = std::sqrt(0.75);
  const double right = std::exp(-0.5) * (std::cos(w) - 0.5 / w * std::sin(w));
  EXPECT_NEAR(endWith("0.1") - right, 0.0, 0.05);
  EXPECT_NEAR((endWith("0.1") - right) / (endWith("0.05") - right), 2.0, 0.3) << "held values are of first order";
}

TEST(Inside, MistakesAreNamedWithTheirPlace) {
  struct Bad {
    std::string text;
    std::string problem;
  };
  const std::vector<Bad> all{
      {rotation("", "inside = \"c\"\n"), "19:10 There is no subsystem 'c' for 'b' to be inside. Did you mean 'a'?"},
      {rotation("", "inside = \"b\"\n"),
       "19:10 'b' cannot be inside itself. Name the subsystem whose integrator solves it."},
      {rotation("", "inside = \"a\"\nstatic_coupling = \"predictor\"\n"),
       "19:10 'b' cannot be solved by the integrator of 'a': it has states, so it is not static. Remove "
       "static_coupling: its equations are joined."},
      {rotation("", "inside = \"\"\n"),
       "19:10 'inside' names no subsystem. Name the one whose integrator solves it, or remove it."},
      {"algorithm = { kind = \"model-coupling\" }\nstep_control = { kind = \"double-step\" }\n" + rotation(),
       "4:25 Under model coupling nothing is exchanged, so a step control has nothing to look at. Remove it; the "
       "tolerances of the integrator control the error."},
      {"algorithm = { kind = \"master-slave\", master = \"b\" }\n" + rotation("", "inside = \"a\"\n"),
       "3:47 The master 'b' is inside 'a', whose integrator solves it. Write master = \"a\"."},
      {decay("static_coupling = \"predicted\"\n"),
       "20:19 'predicted' is no value of 'static_coupling' in [[subsystems]]. Did you mean 'predictor'?"}};
  for (const Bad& bad : all) {
    const ProblemList problems = problemsOfBuilding(kHead + bad.text);
    ASSERT_EQ(problems.size(), 1U) << bad.problem;
    EXPECT_EQ(problems.front(), bad.problem);
  }
}

TEST(Inside, WhatCannotBeJoinedIsRefused) {
  const auto saysOf = [](const std::string& text) {
    std::string all;
    for (const std::string& problem : problemsOfBuilding(kHead + text)) all += problem + "\n";
    return all;
  };
  // A circle of feed-through.
  EXPECT_NE(saysOf("algorithm = { kind = \"model-coupling\" }\n" + rotation() +
                   formulas("c", "inputs = {u = 0.0}\noutputs = {y = \"0.5*u\"}\n") +
                   formulas("d", "inputs = {u = 0.0}\noutputs = {y = \"0.5*u\"}\n") + connection("c.y", "d.u") +
                   connection("d.y", "c.u"))
                .find("Outputs depend on each other in a circle at one instant"),
            std::string::npos);
  // A model with its own solver.
  EXPECT_NE(saysOf("algorithm = { kind = \"model-coupling\" }\n" + rotation() +
                   "[[subsystems]]\nname = \"t\"\nmodel = \"tube-flow\"\n")
                .find("the model 'tube-flow' brings its own solver"),
            std::string::npos);
  // P with an integrator that does not predict.
  EXPECT_NE(saysOf(formulas("a",
                            "inputs = {f = 0.0}\nstates = {x = 1.0}\nderivatives = {x = \"f\"}\n"
                            "outputs = {x = \"x\"}\nintegrator = \"radau\"\n") +
                   formulas("law",
                            "inputs = {x = 0.0}\noutputs = {f = \"-x\"}\ninside = \"a\"\n"
                            "static_coupling = \"predictor\"\n") +
                   connection("a.x", "law.x") + connection("law.f", "a.f"))
                .find("Take bdf or bdf-fixed, or static_coupling = \"full\"."),
            std::string::npos);
}

TEST(Inside, FormulasOfUnknownsAreStaticSolvers) {
  // f + f^3 = x, which no formula solves: x' = -f.
  const std::string text =
      kHead +
      formulas("a",
               "inputs = {f = 0.0}\nstates = {x = 2.0}\nderivatives = {x = \"-f\"}\noutputs = {x = \"x\"}\n"
               "integrator = \"bdf\"\nrtol = 1e-8\natol = 1e-8\n") +
      formulas("law",
               "inputs = {x = 2.0}\nunknowns = {f = 1.0}\nresiduals = {f = \"f + f^3 - x\"}\noutputs = {f = \"f\"}\n"
               "inside = \"a\"\n");
  const std::string wires = connection("a.x", "law.x") + connection("law.f", "a.f");
  for (const std::string way : {"", "static_coupling = \"predictor\"\n", "static_coupling = \"last-corrector\"\n"}) {
    const results::Table ran = ranOf(text + way + wires);
    // dx = (1 + 3 f^2) df = -f dt: ln f + 3/2 f^2 falls by t.
    const double f = last(ran, "law.f");
    EXPECT_NEAR(std::log(f) + 1.5 * f * f, 1.5 - 1.0, 1e-5) << way;
    EXPECT_NEAR(f + f * f * f, last(ran, "a.x"), 1e-6) << way;
  }
}

TEST(Inside, WarnsOfOptionsForStaticSolversThatNobodyCalls) {
  core::Log log;
  std::string said;
  log.addSink([&said](core::Severity severity, std::string_view, std::string_view message) {
    if (severity == core::Severity::warning) said += std::string(message) + "\n";
  });
  const Reading reading = parse(kHead + rotation("", "static_coupling = \"full\"\ninstances = 3\n"), "loop.toml", {});
  ASSERT_EQ(mistakes(reading), ProblemList{});
  build(reading.project, log);
  EXPECT_NE(said.find("'static_coupling' of 'b' has no effect"), std::string::npos) << said;
  EXPECT_NE(said.find("'instances' and 'increment' of 'b' have no effect"), std::string::npos) << said;
}

TEST(Inside, AStaticModelThatFailsEndsTheRunWithItsOwnWords) {
  const std::string text =
      kHead +
      formulas("a",
               "inputs = {f = 0.0}\nstates = {x = 0.5}\nderivatives = {x = \"1 + 0*f\"}\noutputs = {x = \"x\"}\n"
               "integrator = \"bdf\"\n") +
      formulas(
          "law",
          "inputs = {x = 0.0}\noutputs = {f = \"sqrt(1 - x)\"}\ninside = \"a\"\nstatic_coupling = \"predictor\"\n") +
      connection("a.x", "law.x") + connection("law.f", "a.f");
  const Reading reading = parse(text, "loop.toml", {});
  ASSERT_EQ(mistakes(reading), ProblemList{});
  core::Log log;
  run::Run run = makeRun(reading.project, log);
  ASSERT_TRUE(run.initialise().ok());
  const run::Outcome outcome = run.simulate();
  EXPECT_EQ(outcome.kind, run::OutcomeKind::subsystemFailed);
  EXPECT_NE(outcome.message.find("'law' gave a value that is not a finite number"), std::string::npos)
      << outcome.message;
  EXPECT_NEAR(run.time(), 0.5, 0.11) << "it went as far as it could";
}

TEST(Inside, IntegratorsOfWhatIsInsideHaveNoEffect) {
  const Reading reading = parse(kHead + rotation("", "inside = \"a\"\nintegrator = \"ode1\"\n"), "loop.toml", {});
  EXPECT_EQ(warnings(reading), ProblemList{"20:1 'integrator' in [[subsystems]] has no effect: the integrator of the "
                                           "subsystem that it is inside solves it."});
}

}  // namespace
}  // namespace koppla::project
