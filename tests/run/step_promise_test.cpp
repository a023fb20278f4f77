// What the tolerances of step control promise, on problems with a closed form over ten periods of each.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/native/exact_solution.hpp"
#include "koppla/native/linear_state_space.hpp"
#include "koppla/solver/integrate.hpp"

#include "fmu_system.hpp"
#include "support/extremes.hpp"

namespace koppla::run::step_promise_test {
namespace {

using coupling::AlgorithmKind;
using native::LinearStateSpace;
using stepping::StepControlKind;
using Matrix = std::vector<std::vector<double>>;

/// Members, and the same system uncut: z' = A z, with a row of C for each watched output.
struct Problem {
  std::string name;
  std::vector<std::pair<std::string, LinearStateSpace>> members;
  std::vector<test::Link> links;
  Matrix A, C;
  std::vector<double> z0;
  std::vector<std::string> watched;
  double period;  ///< s
  bool damped;
};

LinearStateSpace integratorOf(double gain, double x0) {
  return {.inputs = {"u"}, .outputs = {"y"}, .A = {{0.0}}, .B = {{gain}}, .C = {{1.0}}, .x0 = {x0}};
}

/// L = 1 H, C = 2 F: u' = i / C, i' = -u / L.
Problem circuit() {
  return {.name = "Circuit",
          .members = {{"C", integratorOf(0.5, 1.0)}, {"L", integratorOf(-1.0, 0.0)}},
          .links = {{"C.y", "L.u"}, {"L.y", "C.u"}},
          .A = {{0.0, 0.5}, {-1.0, 0.0}},
          .C = {{1.0, 0.0}, {0.0, 1.0}},
          .z0 = {1.0, 0.0},
          .watched = {"C.y", "L.y"},
          .period = 2.0 * M_PI * std::sqrt(2.0),
          .damped = false};
}

/// A mass of 1 kg on a member that is its spring (1 N/m) and damper (0.2 N s/m), which has feed-through.
Problem dampedOscillator() {
  return {.name = "Damped",
          .members = {{"mass",
                       {.inputs = {"F"},
                        .outputs = {"x", "v"},
                        .A = {{0.0, 1.0}, {0.0, 0.0}},
                        .B = {{0.0}, {1.0}},
                        .C = {{1.0, 0.0}, {0.0, 1.0}},
                        .x0 = {1.0, 0.0}}},
                      {"spring", {.inputs = {"x", "v"}, .outputs = {"F"}, .D = {{-1.0, -0.2}}}}},
          .links = {{"mass.x", "spring.x"}, {"mass.v", "spring.v"}, {"spring.F", "mass.F"}},
          .A = {{0.0, 1.0}, {-1.0, -0.2}},
          .C = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, -0.2}},
          .z0 = {1.0, 0.0},
          .watched = {"mass.x", "mass.v", "spring.F"},
          .period = 2.0 * M_PI / std::sqrt(0.99),
          .damped = true};
}

/// Two masses of 1 kg on springs of 1 N/m, and a link of 4 N/m that the second one has in it: 1 and 3 rad/s.
Problem twoMasses() {
  return {.name = "TwoMasses",
          .members = {{"first",
                       {.inputs = {"F"},
                        .outputs = {"x"},
                        .A = {{0.0, 1.0}, {-1.0, 0.0}},
                        .B = {{0.0}, {1.0}},
                        .C = {{1.0, 0.0}},
                        .x0 = {1.0, 0.0}}},
                      {"second",
                       {.inputs = {"x"},
                        .outputs = {"F"},
                        .A = {{0.0, 1.0}, {-5.0, 0.0}},
                        .B = {{0.0}, {4.0}},
                        .C = {{4.0, 0.0}},
                        .D = {{-4.0}},
                        .x0 = {0.0, 0.0}}}},
          .links = {{"second.F", "first.F"}, {"first.x", "second.x"}},
          .A = {{0.0, 1.0, 0.0, 0.0}, {-5.0, 0.0, 4.0, 0.0}, {0.0, 0.0, 0.0, 1.0}, {4.0, 0.0, -5.0, 0.0}},
          .C = {{1.0, 0.0, 0.0, 0.0}, {-4.0, 0.0, 4.0, 0.0}},
          .z0 = {1.0, 0.0, 0.0, 0.0},
          .watched = {"first.x", "second.F"},
          .period = 2.0 * M_PI,
          .damped = false};
}

/// y' = -50 (y - s - w / 2), w' = -(w - y / 2), and s' = c, c' = -s drives it. What was not in balance at the start is
/// forgotten within 0.1 s.
Problem relaxation() {
  return {
      .name = "Relaxation",
      .members =
          {{"drive", {.outputs = {"s"}, .A = {{0.0, 1.0}, {-1.0, 0.0}}, .C = {{1.0, 0.0}}, .x0 = {0.0, 1.0}}},
           {"fast",
            {.inputs = {"s", "w"}, .outputs = {"y"}, .A = {{-50.0}}, .B = {{50.0, 25.0}}, .C = {{1.0}}, .x0 = {1.0}}},
           {"slow", {.inputs = {"y"}, .outputs = {"w"}, .A = {{-1.0}}, .B = {{0.5}}, .C = {{1.0}}, .x0 = {0.0}}}},
      .links = {{"drive.s", "fast.s"}, {"slow.w", "fast.w"}, {"fast.y", "slow.y"}},
      .A = {{0.0, 1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0, 0.0}, {50.0, 0.0, -50.0, 25.0}, {0.0, 0.0, 0.5, -1.0}},
      .C = {{0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}},
      .z0 = {0.0, 1.0, 1.0, 0.0},
      .watched = {"fast.y", "slow.w"},
      .period = 2.0 * M_PI,
      .damped = true};
}

/// a = x - b / 2, b = w + 0.4 a: a loop of outputs with the gain -0.2, so a = (x - w / 2) / 1.2, b = (w + 0.4 x) / 1.2;
/// x' = x / 4 - b and w' = w / 4 + a.
Problem feedThrough() {
  constexpr double s = 1.0 / 1.2;
  return {
      .name = "FeedThrough",
      .members =
          {{"first",
            {.inputs = {"b"},
             .outputs = {"a"},
             .A = {{0.25}},
             .B = {{-1.0}},
             .C = {{1.0}},
             .D = {{-0.5}},
             .x0 = {1.0}}},
           {"second",
            {.inputs = {"a"}, .outputs = {"b"}, .A = {{0.25}}, .B = {{1.0}}, .C = {{1.0}}, .D = {{0.4}}, .x0 = {0.0}}}},
      .links = {{"first.a", "second.a"}, {"second.b", "first.b"}},
      .A = {{0.25 - 0.4 * s, -s}, {s, 0.25 - 0.5 * s}},
      .C = {{s, -0.5 * s}, {0.4 * s, s}},
      .z0 = {1.0, 0.0},
      .watched = {"first.a", "second.b"},
      .period = 2.0 * M_PI / std::sqrt(s * s - 0.25 * 0.01 * s * s),
      .damped = true};
}

struct Result {
  double error = 0.0;  ///< the largest of all watched values and rows, of the range of the value
  Statistics statistics;
};

Result errorOf(const Problem& problem, Settings settings, double periods) {
  coupling::System system;
  for (const auto& [name, model] : problem.members)
    system.members.push_back(
        {name,
         solver::integrate(native::linearStateSpace(model), {.kind = solver::Kind::ode5, .microStep = 0.005}),
         {}});
  test::connect(system, problem.links);
  settings.end = periods * problem.period;
  settings.outputInterval = problem.period / 20.0;
  core::Log log;
  test::MemoryRecorder rows;
  Run run(std::move(system), settings, log, {&rows});
  Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  run.close();
  const auto exact = native::linearSolution(problem.A, problem.C, problem.z0, problem.watched);
  test::Largest worst;
  for (std::size_t i = 0; i < problem.watched.size(); ++i) {
    test::Largest error, upper;
    test::Smallest lower;
    for (std::size_t k = 0; k < rows.times.size(); ++k) {
      std::vector<double> y(problem.watched.size());
      exact->values(rows.times[k], y);
      upper.see(y[i]);
      lower.see(y[i]);
      error.see(std::fabs(rows.of(problem.watched[i])[k] - y[i]));
    }
    worst.see(error / (upper - lower));
  }
  return {worst, run.statistics()};
}

Settings controlled(AlgorithmKind algorithm, StepControlKind kind, double tolerance) {
  Settings settings;
  settings.step = 0.1;
  settings.algorithm.kind = algorithm;
  settings.algorithm.rtol = settings.stepControl.rtol = tolerance;
  settings.stepControl.kind = kind;
  if (kind == StepControlKind::predictorCorrector) settings.stepControl.shrink = settings.stepControl.grow = 4.0;
  return settings;
}

/// Slope of log(error) over log(tolerance), least squares.
double slopeOf(const std::vector<double>& tolerances, const std::vector<double>& errors) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  const auto n = static_cast<double>(errors.size());
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double x = std::log(tolerances[i]), y = std::log(errors[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

using Case = std::tuple<Problem (*)(), StepControlKind, AlgorithmKind>;

class StepPromise : public ::testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] Problem problem() const { return std::get<0>(GetParam())(); }
  [[nodiscard]] double error(double tolerance, double periods = 10.0) const {
    return errorOf(problem(), controlled(std::get<2>(GetParam()), std::get<1>(GetParam()), tolerance), periods).error;
  }
};

/// What is damped is right to ten times the tolerance. Errors over tolerances are in the test's report
/// (--gtest_output=json), for docs/step-control.md.
TEST_P(StepPromise, ErrorsFollowTheTolerance) {
  const std::vector<double> tolerances{1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
  std::vector<double> errors;
  for (const double tolerance : tolerances) {
    errors.push_back(error(tolerance));
    RecordProperty(fmt::format("factor_{:g}", tolerance), fmt::format("{:.3g}", errors.back() / tolerance));
  }
  EXPECT_NEAR(slopeOf(tolerances, errors), 1.0, 0.2);
  if (!problem().damped) return;
  for (std::size_t i = 0; i < errors.size(); ++i) EXPECT_LE(errors[i], 10.0 * tolerances[i]);
  EXPECT_LE(error(1e-2), 10.0 * 1e-2);
}

/// Nothing takes errors back where nothing is damped: each period adds as much as the one before, and no more.
TEST_P(StepPromise, ErrorsGrowNoFasterThanTheRun) {
  if (problem().damped) return;
  constexpr double kTolerance = 1e-3;
  const double ten = error(kTolerance, 10.0);
  EXPECT_LE(error(kTolerance, 20.0), 2.2 * ten);
  EXPECT_LE(ten, 10.0 * 10.0 * kTolerance);
}

std::string nameOf(const ::testing::TestParamInfo<Case>& info) {
  const auto& [problem, kind, algorithm] = info.param;
  const std::string control = kind == StepControlKind::doubleStep ? "DoubleStep" : "PredictorCorrector";
  const std::string solved = algorithm == AlgorithmKind::gaussSeidel ? "GaussSeidel"
                             : algorithm == AlgorithmKind::newton    ? "Newton"
                                                                     : "IteratedGaussSeidel";
  return problem().name + control + solved;
}

INSTANTIATE_TEST_SUITE_P(
    Problems, StepPromise,
    ::testing::Combine(::testing::Values(&circuit, &dampedOscillator, &twoMasses, &relaxation, &feedThrough),
                       ::testing::Values(StepControlKind::doubleStep, StepControlKind::predictorCorrector),
                       ::testing::Values(AlgorithmKind::gaussSeidel, AlgorithmKind::iteratedGaussSeidel,
                                         AlgorithmKind::newton)),
    nameOf);

}  // namespace
}  // namespace koppla::run::step_promise_test
