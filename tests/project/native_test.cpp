#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/project/project.hpp"
#include "koppla/project/reader.hpp"
#include "koppla/results/load.hpp"
#include "koppla/results/memory_recorder.hpp"

#include "problem_list.hpp"

namespace koppla::project::native_test {
namespace {

using test::mistakes;
using test::ProblemList;
using test::problemsOf;
using test::warnings;

/// A project whose subsystem 'a' has these lines, the first of them in line 5.
std::string withSubsystem(const std::string& lines) {
  return "format = 1\nsimulation = { end = 1.0, step = 0.01 }\n[[subsystems]]\nname = \"a\"\n" + lines;
}

Reading parseSubsystem(const std::string& lines, std::initializer_list<std::string_view> settings = {}) {
  std::vector<Override> overrides;
  for (const std::string_view setting : settings) overrides.push_back(parseOverride(setting));
  return parse(withSubsystem(lines), "loop.toml", overrides);
}

ProblemList problemsOfBuilding(const std::string& lines) {
  const Reading reading = parseSubsystem(lines);
  if (!reading.findings.mistakes.empty()) return mistakes(reading);
  core::Log log;
  return problemsOf([&] { build(reading.project, log); });
}

/// The value of a variable at the end of the run.
double valueAtEnd(const Reading& reading, std::string_view variable) {
  EXPECT_EQ(mistakes(reading), ProblemList{});
  core::Log log;
  run::Run run = makeRun(reading.project, log);
  EXPECT_TRUE(run.initialise().ok());
  EXPECT_TRUE(run.simulate().ok());
  return std::get<double>(run.value(variable));
}

TEST(NativeModels, AreBuiltInWithChoicesAndParameters) {
  const Reading reading = parseSubsystem(
      "model = \"rod\"\nelements = 3\nboundary = \"penalty\"\nintegrator = \"newmark\"\nmicro_step = 1e-3\n"
      "rtol = 1e-7\natol = 1e-8\nalpha = -0.1\nbeta = 0.3\ngamma = 0.6\ncorrected = false\n");
  ASSERT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(warnings(reading), ProblemList{});
  const NativeModel& model = *reading.project.subsystems.at(0).model;
  const auto& choices = std::get<native::Choices>(model.settings);
  EXPECT_EQ(choices.at("elements"), core::Value(3));
  EXPECT_EQ(choices.at("boundary"), core::Value(std::string("penalty")));
  EXPECT_EQ(model.integrator.kind, solver::Kind::newmark);
  EXPECT_EQ(model.integrator.microStep, 1e-3);
  EXPECT_EQ(model.integrator.rtol, 1e-7);
  EXPECT_EQ(model.integrator.atol, 1e-8);
  EXPECT_EQ(model.integrator.alpha, -0.1);
  EXPECT_EQ(model.integrator.beta, 0.3);
  EXPECT_EQ(model.integrator.gamma, 0.6);
  EXPECT_FALSE(model.integrator.corrected);
  EXPECT_FALSE(restarts(model.integrator)) << "there is nothing to begin anew";
}

TEST(NativeModels, AreWrittenAsFormulas) {
  const std::string lines = R"(model = "expressions"
integrator = "cvode-adams"
rtol = 1e-10
inputs = {u = 0.0}
states = {x = 1.0}
derivatives = {x = "-k*x + u"}
outputs = {y = "x"}
parameters = {k = 2.0}
)";
  // x' = -k x + u from x(0) to t = 1.
  EXPECT_NEAR(valueAtEnd(parseSubsystem(lines), "a.y"), std::exp(-2.0), 1e-7);
  EXPECT_NEAR(valueAtEnd(parseSubsystem(lines, {"a.k=1"}), "a.y"), std::exp(-1.0), 1e-7);
  EXPECT_NEAR(valueAtEnd(parseSubsystem(lines, {"a.x.start=0", "a.u=2"}), "a.y"), 1.0 - std::exp(-2.0), 1e-7);
}

TEST(NativeModels, ToleranceAndStepSteerRadau) {
  for (const std::string kind : {"radau", "radau-fixed"}) {
    const Reading reading = parseSubsystem("model = \"expressions\"\nintegrator = \"" + kind +
                                           "\"\nrtol = 1e-9\natol = 1e-10\nmicro_step = 0.02\n"
                                           "states = {x = 1.0}\nderivatives = {x = \"-x*x\"}\noutputs = {y = \"x\"}\n");
    ASSERT_EQ(mistakes(reading), ProblemList{});
    const solver::IntegratorSettings& settings = reading.project.subsystems.at(0).model->integrator;
    EXPECT_EQ(solver::word(settings.kind), kind);
    EXPECT_EQ(settings.rtol, 1e-9);
    EXPECT_EQ(settings.atol, 1e-10);
    EXPECT_EQ(settings.microStep, 0.02);
    EXPECT_NEAR(valueAtEnd(reading, "a.y"), 0.5, 1e-9);  // 1 / (1 + t)
  }
}

TEST(NativeModels, AreWrittenAsFormulasWithUnknowns) {
  const std::string lines = R"(model = "expressions"
integrator = "radau"
rtol = 1e-9
atol = 1e-9
inputs = {u = 0.0}
states = {x = 2.0}
derivatives = {x = "-F"}
unknowns = {F = 0.3}
residuals = {F = "F + b*F^3 - x - u"}
outputs = {F = "F"}
parameters = {b = 1.0}
)";
  // With b = 1: ln F + 3/2 F^2 = 3/2 - t; with b = 0: F = 2 exp(-t).
  const double F = valueAtEnd(parseSubsystem(lines), "a.F");
  EXPECT_NEAR(std::log(F) + 1.5 * F * F, 0.5, 1e-6);
  EXPECT_NEAR(valueAtEnd(parseSubsystem(lines, {"a.b=0", "a.F.start=-5"}), "a.F"), 2.0 * std::exp(-1.0), 1e-6);
}

TEST(NativeModels, OfUnknownsAloneTakeAnyIntegrator) {
  const std::string lines =
      "model = \"expressions\"\nunknowns = {F = 0.0}\nresiduals = {F = \"F + F^3 - 10*t\"}\noutputs = {y = \"F\"}\n"
      "rtol = 1e-9\natol = 1e-9\n";
  for (const std::string kind : {"", "integrator = \"exact\"\n", "integrator = \"newmark\"\n"}) {
    const Reading reading = parseSubsystem(lines + kind);
    EXPECT_EQ(warnings(reading), ProblemList{});
    EXPECT_NEAR(valueAtEnd(reading, "a.y"), 2.0, 1e-9);
  }
}

TEST(NativeModels, OfUnknownsAloneAreStaticMembersOfACoupling) {
  // x' = -F with F + F^3 = x, apart: ln F + 3/2 F^2 = 3/2 - t.
  const std::string lines = R"(
format = 1
simulation = {end = 1.0, step = 0.01}
connections = [{from = "tank.x", to = "valve.x"}, {from = "valve.F", to = "tank.F"}]
[[subsystems]]
name = "tank"
model = "expressions"
integrator = "ode5"
inputs = {F = 0.0}
states = {x = 2.0}
derivatives = {x = "-F"}
outputs = {x = "x"}
[[subsystems]]
name = "valve"
model = "expressions"
inputs = {x = 0.0}
unknowns = {F = 0.0}
residuals = {F = "F + F^3 - x"}
outputs = {F = "F"}
)";
  for (const std::string algorithm : {"newton", "iterated-gauss-seidel", "iterated-jacobi"}) {
    const Reading reading =
        parse(lines + "[algorithm]\nkind = \"" + algorithm + "\"\ndegree = 1\nrtol = 1e-8\n", "loop.toml");
    const double F = valueAtEnd(reading, "valve.F");
    EXPECT_NEAR(std::log(F) + 1.5 * F * F, 0.5, 1e-5) << algorithm;  // of second order in the step
  }
}

TEST(NativeModels, TellWhereUnknownsHaveNoSolution) {
  const Reading reading = parseSubsystem(
      "model = \"expressions\"\nunknowns = {F = 1.0}\nresiduals = {F = \"F^2 - 0.25 + t\"}\noutputs = {y = \"F\"}\n");
  core::Log log;
  run::Run run = makeRun(reading.project, log);
  ASSERT_TRUE(run.initialise().ok());
  const run::Outcome outcome = run.simulate();
  EXPECT_EQ(outcome.kind, run::OutcomeKind::subsystemFailed);
  EXPECT_NE(outcome.message.find("expressions: no solution was found"), std::string::npos) << outcome.message;
  EXPECT_NE(outcome.message.find("of the unknown 'F'"), std::string::npos);
}

TEST(NativeModels, PhasesGoOnBeyondATurn) {
  // A hand that turns by 20 rad in 1 s, told by its arc tangent, in 100 steps.
  const std::string hand =
      "model = \"expressions\"\nstates = {x = 0.0}\nderivatives = {x = \"20\"}\noutputs = {phi = \"atan2(sin(x), "
      "cos(x))\"}\n";
  const std::string listener =
      "[[subsystems]]\nname = \"b\"\nmodel = \"expressions\"\ninputs = {u = 0.0}\noutputs = "
      "{y = \"u\"}\n[[connections]]\nfrom = \"a.phi\"\nto = \"b.u\"\n";
  const Reading wrapped = parseSubsystem(hand + listener);
  EXPECT_NEAR(valueAtEnd(wrapped, "b.y"), 20.0 - 6.0 * std::numbers::pi, 1e-9);
  const Reading unwrapped = parseSubsystem(hand + "phases = [\"phi\"]\n" + listener);
  EXPECT_NEAR(valueAtEnd(unwrapped, "b.y"), 20.0, 1e-9);
  EXPECT_NEAR(valueAtEnd(unwrapped, "a.phi"), 20.0, 1e-9) << "as recorded";
}

TEST(NativeModels, AreWrittenAsMatrices) {
  // A double integrator: x = t^2 / 2 with u = 1.
  const Reading reading = parseSubsystem(R"(model = "linear-state-space"
integrator = "exact"
inputs = ["u"]
outputs = ["x"]
A = [[0, 1], [0, 0]]
B = [[0], [1]]
C = [[1, 0]]
x0 = [0, 0]
parameters = {u = 1.0}
)");
  EXPECT_NEAR(valueAtEnd(reading, "a.x"), 0.5, 1e-12);
}

TEST(NativeModels, AreSamplesAndCurves) {
  EXPECT_NEAR(valueAtEnd(parseSubsystem("model = \"signal\"\ntimes = [0, 2]\nvalues = {s = [0.0, 3.0]}\n"), "a.s"), 1.5,
              1e-12);
  EXPECT_NEAR(valueAtEnd(parseSubsystem("model = \"curve\"\nu = [0, 1]\ny = [5, 7]\nextrapolation = \"linear\"\n"
                                        "parameters = {u = 2.0}\n"),
                         "a.y"),
              9.0, 1e-12);
}

TEST(NativeModels, ReadSamplesFromFiles) {
  const core::TemporaryFolder folder("signal");
  core::writeWhole(folder.path() / "s.csv", "time,a,b\n0,0,1\n2,4,3\n");
  const std::string text = withSubsystem("model = \"signal\"\nfile = \"s.csv\"\ncolumns = [\"b\"]\n");
  const Reading reading = parse(text, folder.path() / "loop.toml");
  EXPECT_NEAR(valueAtEnd(reading, "a.b"), 2.0, 1e-12);
  EXPECT_EQ(reading.project.subsystems.at(0).model->file, folder.path() / "s.csv");
}

TEST(NativeModels, KeepTheirOwnGridWithOvershoot) {
  const Reading reading = parseSubsystem("model = \"oscillator-body\"\nmicro_step = 0.003\novershoot = true\n");
  ASSERT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(reading.project.subsystems.at(0).microStep, 0.003);
  EXPECT_EQ(reading.project.subsystems.at(0).model->integrator.microStep, 0.0);
  core::Log log;
  const coupling::System system = build(reading.project, log).system;
  const subsystem::Capabilities& capabilities = system.members.at(0).subsystem->describe().capabilities;
  EXPECT_EQ(capabilities.microStep, 0.003);
  EXPECT_FALSE(capabilities.ownSteps);
}

/// Between its own points the outer solver goes by polynomials of the degree that the coupling has, chosen or not.
TEST(NativeModels, WithOvershootHaveTheDegreeInUse) {
  const auto massAtEnd = [](const std::string& algorithm) {
    return valueAtEnd(parse("format = 1\nsimulation = { end = 1.0, step = 0.1 }\n" + algorithm + R"(
step_control = { kind = "double-step", rtol = 1e-3 }
[[subsystems]]
name = "mass"
model = "expressions"
inputs = { F = 0.0 }
derivatives = { v = "F" }
states = { v = 1.0 }
outputs = { w = "v" }
micro_step = 0.003
overshoot = true
[[subsystems]]
name = "spring"
model = "expressions"
inputs = { w = 0.0 }
derivatives = { x = "w" }
states = { x = 0.0 }
outputs = { F = "-x" }
[[connections]]
from = "mass.w"
to = "spring.w"
[[connections]]
from = "spring.F"
to = "mass.F"
)",
                            "loop.toml"),
                      "mass.w");
  };
  EXPECT_EQ(massAtEnd("algorithm = { kind = \"jacobi\" }"), massAtEnd("algorithm = { kind = \"jacobi\", degree = 1 }"));
}

TEST(NativeModels, OptionsAndParametersOfOneNameAreToldApart) {
  const std::string lines = "model = \"expressions\"\noutputs = {y = \"alpha\"}\nparameters = {alpha = 2.0}\n";
  const Reading option = parseSubsystem(lines, {"a.alpha=-0.2", "a.integrator=ode1", "a.micro_step=1e-4"});
  EXPECT_EQ(option.project.subsystems.at(0).model->integrator.alpha, -0.2);
  EXPECT_EQ(option.project.subsystems.at(0).model->integrator.kind, solver::Kind::ode1);
  EXPECT_EQ(option.project.subsystems.at(0).model->integrator.microStep, 1e-4);
  EXPECT_EQ(valueAtEnd(parseSubsystem(lines, {"a.parameters.alpha=5"}), "a.y"), 5.0);
}

TEST(NativeModels, WarnOfOptionsThatTheIntegratorDoesNotUse) {
  EXPECT_EQ(warnings(parseSubsystem("model = \"oscillator-body\"\nrtol = 1e-3\nrestart = false\n")),
            (ProblemList{"6:1 'rtol' in [[subsystems]] has no effect: the integrator 'ode4' does not use it.",
                         "7:1 'restart' in [[subsystems]] has no effect: the integrator 'ode4' does not use it."}));
}

TEST(NativeModels, BringTheirOwnSolver) {
  const Reading reading = parseSubsystem("model = \"tube-flow\"\nnodes = 11\n");
  ASSERT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(warnings(reading), ProblemList{});
  core::Log log;
  const coupling::System system = build(reading.project, log).system;
  const subsystem::Description& description = system.members.at(0).subsystem->describe();
  EXPECT_EQ(description.ports.at(*description.find("a")).size, 11U);
  EXPECT_EQ(description.capabilities.microStep, 0.0);

  const Reading divided = parseSubsystem("model = \"tube-flow\"\nmicro_step = 0.005\n");
  EXPECT_EQ(build(divided.project, log).system.members.at(0).subsystem->describe().capabilities.microStep, 0.005);
}

TEST(NativeModels, ThatBringTheirOwnSolverTakeNoIntegrator) {
  EXPECT_EQ(mistakes(parseSubsystem("model = \"tube-flow\"\nintegrator = \"ode4\"\nrtol = 1e-6\n")),
            (ProblemList{"6:14 'integrator' in [[subsystems]] has no sense here: the model 'tube-flow' brings its own "
                         "solver. Remove it.",
                         "7:8 'rtol' in [[subsystems]] has no sense here: the model 'tube-flow' brings its own solver. "
                         "Remove it."}));
}

TEST(NativeModels, AreConnectedByVectors) {
  // A wall so stiff that the tube is a rigid pipe: what runs in runs out.
  const Reading reading = parse(R"(format = 1
simulation = { end = 0.05, step = 0.01 }
algorithm = { kind = "iterated-gauss-seidel", reevaluate = true }
[[subsystems]]
name = "flow"
model = "tube-flow"
nodes = 5
parameters = { E = 1e12, a = [1.0, 1.0, 1.0, 1.0, 1.0] }
[[subsystems]]
name = "wall"
model = "tube-wall"
nodes = 5
parameters = { E = 1e12 }
[[connections]]
from = "flow.p"
to = "wall.p"
[[connections]]
from = "wall.a"
to = "flow.a"
)",
                                "tube.toml");
  ASSERT_EQ(mistakes(reading), ProblemList{});
  core::Log log;
  results::MemoryRecorder recorder;
  run::Run run = makeRun(reading.project, log, &recorder);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  const std::vector<std::string> nodes{"flow.v[1]", "flow.v[3]", "flow.v[5]"};
  const std::vector<const results::Series*> velocities = results::select(recorder.table(), nodes);
  ASSERT_EQ(velocities.size(), 3U);
  for (const results::Series* velocity : velocities)
    EXPECT_NEAR(velocity->numbers.back(), 13.0, 1e-2) << velocity->name;  // 10 + 3 sin(10 pi 0.05)
}

struct Bad {
  std::string lines;
  ProblemList problems;
};

TEST(NativeModels, MistakesAreNamedWithTheirPlace) {
  const std::vector<Bad> all{
      {"model = \"oscilator-body\"\n", {"5:9 There is no model 'oscilator-body'. Did you mean 'oscillator-body'?"}},
      {"model = \"rod\"\nfmu = \"a.fmu\"\n",
       {"5:9 A subsystem is either an FMU or a native model or a program. Remove 'fmu' or 'model'."}},
      {"model = \"rod\"\nlogging = true\nelement = 2\n",
       {"6:1 'logging' is not an option of [[subsystems]]. Known here: name, fmu, model, parameters, markers, "
        "phases, inside, static_coupling, instances, increment, micro_step, overshoot, ... (28 in all).",
        "7:1 'element' is not an option of [[subsystems]]. Did you mean 'elements'?"}},
      {"model = \"rod\"\nboundary = \"fixed\"\n",
       {"5:9 The model of 'a' cannot be used: rod: the choice 'boundary' is 'fixed'. Known here: prescribed, "
        "penalty."}},
      {"model = \"rod\"\nintegrator = \"od4\"\n", {"6:14 There is no integrator 'od4'. Did you mean 'ode4'?"}},
      {"model = \"oscillator-body\"\novershoot = true\n",
       {"6:13 'overshoot' needs the micro step of the solver that cannot be steered. Write micro_step = ..., in s."}},
      {"model = \"oscillator-body\"\nmicro_step = 0\n",
       {"6:14 'micro_step' in [[subsystems]] is 0; it must be above 0."}},
      {"model = \"oscillator-body\"\nparameters = {m = -1.0, mass = 1}\n",
       {"6:25 'a' has no parameter or start value 'mass'. Known here: f, m, c, d, x0, v0."}},
      {"model = \"oscillator-body\"\nparameters = {m = -1.0}\n",
       {"6:15 'a': oscillator-body: parameter 'm' is -1 kg. It must be greater than zero."}},
      {"model = \"expressions\"\nstates = {x = 1.0}\nderivatives = {z = \"x\"}\n",
       {"6:10 The state 'x' has no derivative. Write derivatives = {x = \"...\"}, a formula.",
        "7:15 There is a derivative of 'z', which is no state. Write states = {z = 0.0}, its start value."}},
      {"model = \"expressions\"\nunknowns = {F = 1.0}\nresiduals = {G = \"F\"}\n",
       {"6:12 The unknown 'F' has no residual. Write residuals = {F = \"...\"}, a formula.",
        "7:13 There is a residual of 'G', which is no unknown. Write unknowns = {G = 0.0}, its start value."}},
      {"model = \"expressions\"\nstates = {F = 1.0}\nderivatives = {F = \"1\"}\nunknowns = {F = 1.0}\n"
       "residuals = {F = \"F\"}\n",
       {"5:9 The model of 'a' cannot be used: expressions: the name 'F' is used twice. Rename one of the two."}},
      {"model = \"expressions\"\nstates = {x = 1.0}\nderivatives = {x = \"F\"}\nunknowns = {F = 1.0}\n"
       "residuals = {F = \"F - x\"}\n",
       {"5:9 The model of 'a' cannot be used: The integrator ode4 does not fit the model expressions, which has "
        "algebraic equations. Take radau or radau-fixed."}},
      {"model = \"linear-state-space\"\nA = [1, 2]\n",
       {"6:6 'A' in [[subsystems]] is the integer 1; expected is an array of numbers. Write [..., ...]."}},
      {"model = \"signal\"\n",
       {"3:1 There is no 'times' in [[subsystems]]. Write file = \"samples.csv\", or times and values."}},
      {"model = \"curve\"\nu = [0, 1]\n",
       {"3:1 There is no 'y' in [[subsystems]]. Write y = [...], a number for each of u."}},
      {"fmu = \"a.fmu\"\ninput_derivatives = 6\n",
       {"6:21 'input_derivatives' in [[subsystems]] is 6; it must be at most 5."}}};
  for (const Bad& bad : all) EXPECT_EQ(problemsOfBuilding(bad.lines), bad.problems) << bad.lines;
}

TEST(NativeModels, TellsOfSamplesThatCannotBeRead) {
  const ProblemList problems = mistakes(parseSubsystem("model = \"signal\"\nfile = \"none.csv\"\n"));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems.front().substr(0, 32), "6:8 The samples cannot be read: ");
}

}  // namespace
}  // namespace koppla::project::native_test
