#include <gtest/gtest.h>

#include "koppla/project/project.hpp"
#include "koppla/project/reader.hpp"

#include "problem_list.hpp"

namespace koppla::project {
namespace {

using test::mistakes;
using test::ProblemList;
using test::problemsOf;
using test::warnings;

/// Two masses with micro steps of their own; the algorithm stands in line 3.
Reading masses(const std::string& algorithm, const std::string& simulation = "end = 0.1, step = 0.01") {
  return parse("format = 1\nsimulation = { " + simulation + " }\nalgorithm = { " + algorithm + R"( }
[[subsystems]]
name = "slow"
model = "oscillator-body"
micro_step = 1e-3
[[subsystems]]
name = "fast"
model = "oscillator-body"
micro_step = 1e-4
[[subsystems]]
name = "other"
model = "oscillator-body"
)",
               "loop.toml");
}

std::vector<coupling::MemberIndex> orderOf(const Reading& reading) {
  EXPECT_EQ(mistakes(reading), ProblemList{});
  core::Log log;
  return build(reading.project, log).system.order;
}

ProblemList refusalOf(const Reading& reading) {
  if (!reading.findings.mistakes.empty()) return mistakes(reading);
  core::Log log;
  return problemsOf([&] { build(reading.project, log); });
}

TEST(Arrangement, TheMasterComesFirst) {
  const Reading reading = masses("kind = \"master-slave\", master = \"fast\"", "end = 0.1");
  EXPECT_EQ(orderOf(reading), (std::vector<coupling::MemberIndex>{1, 0, 2}));
  EXPECT_EQ(reading.project.settings.step, 0.1);  // the whole interval
  EXPECT_EQ(orderOf(masses("kind = \"master-slave\"")).front(), 0U);
}

TEST(Arrangement, AMasterNeedsStepsOfItsOwn) {
  EXPECT_EQ(refusalOf(masses("kind = \"master-slave\", master = \"other\"")),
            ProblemList{"3:47 The master 'other' cannot take steps of its own choice. Give it a micro_step (without "
                        "overshoot; CVODE and bdf: restart = false), let another subsystem be the master, or choose "
                        "another algorithm."});
  EXPECT_EQ(refusalOf(masses("kind = \"master-slave\", master = \"quick\"")).front().substr(0, 53),
            "3:47 There is no subsystem 'quick' to be the master. ");
  EXPECT_EQ(refusalOf(masses("kind = \"master-slave\", master = \"fast\", order = [\"slow\", \"fast\", \"other\"]")),
            ProblemList{"3:47 The master 'fast' is not the first in order; 'slow' is. Put it first, or leave 'order' "
                        "out."});
}

TEST(Arrangement, TheOrderFollowsMicroSteps) {
  const auto ordered = [](const std::string& rule) {
    Reading reading = masses("order = \"" + rule + "\"");
    reading.project.subsystems.back().model->integrator.microStep = 5e-4;
    return orderOf(reading);
  };
  EXPECT_EQ(ordered("fastest-first"), (std::vector<coupling::MemberIndex>{1, 2, 0}));
  EXPECT_EQ(ordered("slowest-first"), (std::vector<coupling::MemberIndex>{0, 2, 1}));
  EXPECT_EQ(refusalOf(masses("order = \"fastest-first\"")),
            ProblemList{"3:23 The order follows the micro steps, but 'other' tells none. Give it a micro_step, or list "
                        "the names in order."});
  EXPECT_EQ(refusalOf(masses("order = \"fast-first\"")),
            ProblemList{"3:23 'fast-first' is no value of 'order' in [algorithm]. Did you mean 'fastest-first'?"});
}

TEST(Arrangement, ReadsTheApproximation) {
  const Reading reading = masses("kind = \"jacobi\", degree = 3, start_up = \"master-slave\", reevaluate = true",
                                 "end = 0.1, step = 0.01, threads = 2");
  ASSERT_EQ(mistakes(reading), ProblemList{});
  const coupling::AlgorithmSettings& algorithm = reading.project.settings.algorithm;
  EXPECT_EQ(algorithm.degree, 3U);
  EXPECT_EQ(algorithm.startUp, coupling::StartUp::masterSlave);
  EXPECT_TRUE(algorithm.reevaluate);
  EXPECT_EQ(reading.project.settings.threads, 2U);
  EXPECT_EQ(mistakes(masses("degree = 6")), ProblemList{"3:24 'degree' in [algorithm] is 6; it must be at most 5."});
  EXPECT_EQ(warnings(masses("start_up = \"trivial\"")),
            ProblemList{"3:15 'start_up' in [algorithm] has no effect: polynomials of degree 0 need no past."});
  EXPECT_EQ(
      warnings(masses("kind = \"gauss-seidel\"", "end = 0.1, step = 0.01, threads = 2")),
      ProblemList{"2:40 'threads' in [simulation] has no effect: the algorithm 'gauss-seidel' steps one subsystem "
                  "after the other."});
  EXPECT_EQ(mistakes(masses("kind = \"jacobi\"", "end = 0.1")).size(), 1U);  // only a master needs no step
}

TEST(Arrangement, ReadsPredictorCorrectorControl) {
  const auto control = [](const std::string& lines) {
    return parse(
        "format = 1\nsimulation = { end = 0.1, step = 0.01 }\n[step_control]\nkind = \"predictor-corrector\"\n" +
            lines + "[[subsystems]]\nname = \"a\"\nmodel = \"oscillator-body\"\n",
        "loop.toml");
  };
  const Reading standard = control("");
  ASSERT_EQ(mistakes(standard), ProblemList{});
  EXPECT_EQ(standard.project.settings.stepControl.grow, 4.0);
  EXPECT_EQ(standard.project.settings.stepControl.shrink, 4.0);
  EXPECT_EQ(standard.project.settings.stepControl.safety, 0.9);
  EXPECT_EQ(standard.project.settings.stepControl.controller, stepping::Controller::proportionalIntegral);
  const Reading chosen = control("controller = \"i\"\nsafety = 0.8\ngrow = 2\nshrink = 3\nrtol = 1e-3\natol = 1e-4\n");
  EXPECT_EQ(chosen.project.settings.stepControl.controller, stepping::Controller::integral);
  EXPECT_EQ(chosen.project.settings.stepControl.safety, 0.8);
  EXPECT_EQ(chosen.project.settings.stepControl.rtol, 1e-3);
  EXPECT_EQ(warnings(chosen), ProblemList{});
  EXPECT_EQ(mistakes(control("safety = 1.5\n")), ProblemList{"5:10 'safety' is 1.5; it must be at most 1."});
  EXPECT_EQ(warnings(control("untested_below = 1e-3\n")),
            ProblemList{"5:1 'untested_below' in [step_control] has no effect: the step control 'predictor-corrector' "
                        "keeps what fails at min_step."});
}

}  // namespace
}  // namespace koppla::project
