// The control loop with events of the MASTERSIM report (Nicolai, sec. 4 and 5) on our FMUs, against the figures of the
// report and of its recalculation on an exact time grid.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fmu_system.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::run::math003_test {
namespace {

using coupling::AlgorithmKind;
using coupling::WithoutConvergence;
using stepping::StepControlKind;
using test::MemoryRecorder;

struct Result {
  Outcome outcome;
  Statistics statistics;
  MemoryRecorder recorder;
};

Settings settings(AlgorithmKind kind, double step = 0.1) {
  Settings result;
  result.end = 10.0;
  result.step = step;
  result.algorithm.kind = kind;
  result.algorithm.norm = coupling::Norm::nicolai;
  result.algorithm.acceleration.kind = coupling::AcceleratorKind::none;
  return result;
}

std::unique_ptr<Result> simulate(const Settings& chosen, std::vector<coupling::MemberIndex> order = {}) {
  core::Log log;
  auto result = std::make_unique<Result>();
  coupling::System system = test::math003(log);
  system.order = std::move(order);
  Run run(std::move(system), chosen, log, &result->recorder);
  result->outcome = run.initialise();
  if (result->outcome.ok()) result->outcome = run.simulate();
  run.end();
  result->statistics = run.statistics();
  return result;
}

std::string stepCalls(const Statistics& statistics) {
  std::string text;
  for (const MemberStatistics& member : statistics.members)
    text += (text.empty() ? "" : "/") + std::to_string(member.step.count);
  return text;
}

void showCalls(std::string_view requirement, std::string_view figure, const Statistics& statistics,
               const std::string& calls) {
  test::showFigure({requirement, figure, "doStep calls " + calls}, stepCalls(statistics),
                   stepCalls(statistics) == calls);
}

/// Exact x4: rises by 6 a second on [1, 1.41667), falls on [3, 3.83333), rises on [5, 5.83333).
double exactX4(double t) {
  const auto ramp = [t](double from, double to) { return std::clamp(t, from, to) - from; };
  return 6.0 * (ramp(1.0, 1.0 + 2.5 / 6.0) - ramp(3.0, 3.0 + 5.0 / 6.0) + ramp(5.0, 5.0 + 5.0 / 6.0));
}

TEST(Math003, JacobiTakesExactlyAHundredStepsAndDelaysTwice) {
  const auto result = simulate(settings(AlgorithmKind::jacobi));
  ASSERT_TRUE(result->outcome.ok());
  showCalls("nicolai N2", "jacobi-calls", result->statistics, "100/100/100");
  const MemoryRecorder& r = result->recorder;
  EXPECT_EQ(r.at("part1.x1", 0.9), 0.0);
  EXPECT_EQ(r.at("part1.x1", 1.0), 1.0);
  EXPECT_EQ(r.at("part2.x3", 1.0), 0.0);  // one interval late
  EXPECT_EQ(r.at("part2.x3", 1.1), 3.0);
  EXPECT_EQ(r.at("part3.x4", 1.1), 0.0);  // two intervals late
  EXPECT_GT(r.at("part3.x4", 1.2), 0.0);
}

TEST(Math003, GaussSeidelFollowsTheExactSolutionUntilTheStateEvent) {
  const auto result = simulate(settings(AlgorithmKind::gaussSeidel));
  ASSERT_TRUE(result->outcome.ok());
  showCalls("nicolai N2", "gauss-seidel-calls", result->statistics, "100/100/100");
  const MemoryRecorder& r = result->recorder;
  EXPECT_EQ(r.at("part1.x1", 0.9), 0.0);
  EXPECT_EQ(r.at("part1.x1", 1.0), 1.0);
  // The x3 of a step's end acts over the whole step, so from the first switch on x4 is exactly one interval ahead of
  // the exact solution, until it would have to stop inside the step to 1.4 (docs/decisions/0002).
  test::Largest worst;
  for (std::size_t i = 0; i < r.times.size() && r.times[i] < 1.35; ++i) {
    const double interval = r.times[i] < 0.95 ? 0.0 : 0.1;
    worst.see(std::fabs(r.of("part3.x4")[i] - exactX4(r.times[i] + interval)));
  }
  test::showAtMost({"nicolai N2", "gauss-seidel-x4", "exact up to one interval until the state event"}, worst, 1e-12);
}

TEST(Math003, EvaluatingX4BeforeX3ShiftsX4ByOneInterval) {
  const auto given = simulate(settings(AlgorithmKind::gaussSeidel));
  const auto swapped = simulate(settings(AlgorithmKind::gaussSeidel), {0, 2, 1});
  const auto& x4 = given->recorder.of("part3.x4");
  const auto& late = swapped->recorder.of("part3.x4");
  test::Largest worst;
  for (std::size_t i = 0; given->recorder.times[i] < 1.4; ++i) worst.see(std::fabs(late[i + 1] - x4[i]));
  test::showAtMost({"nicolai N2", "given-order", "x4 shifted by one interval"}, worst, 1e-12);
}

TEST(Math003, IteratedGaussSeidelFailsOnlyWhereTheSolutionAlternates) {
  Settings chosen = settings(AlgorithmKind::iteratedGaussSeidel);
  chosen.algorithm.maxIterations = 2;
  chosen.algorithm.withoutConvergence = WithoutConvergence::accept;
  const auto result = simulate(chosen);
  ASSERT_TRUE(result->outcome.ok());
  showCalls("nicolai N2", "iterated-calls", result->statistics, "100/130/130");
  test::showEqual({"nicolai N2", "iterated-failures", "10 steps without convergence"},
                  static_cast<double>(result->statistics.convergenceFailures), 10.0);
  // At [1.4, 1.5] the values alternate 3 / 0: two iterations end with 0 and leave x4 where it was.
  EXPECT_EQ(result->recorder.at("part2.x3", 1.5), 0.0);
  EXPECT_NEAR(result->recorder.at("part3.x4", 1.5), 2.4, 1e-12);
  EXPECT_EQ(result->statistics.members[0].restore.count, 0U);
  EXPECT_EQ(result->statistics.members[1].restore.count, 30U);
}

TEST(Math003, StepsAtTheLimitAreTakenUntestedSoEachPartStepsOnce) {
  Settings chosen = settings(AlgorithmKind::iteratedGaussSeidel, 0.005);
  chosen.algorithm.maxIterations = 2;
  chosen.stepControl = {.kind = StepControlKind::convergence, .maxStep = 0.005, .untestedBelow = 0.005};
  const auto result = simulate(chosen);
  ASSERT_TRUE(result->outcome.ok());
  showCalls("nicolai N2", "untested-calls", result->statistics, "2000/2000/2000");
  EXPECT_EQ(result->statistics.convergenceFailures, 0U);
}

TEST(Math003, WithoutConvergenceTheDefaultIsToStopWithWhereAndWhy) {
  Settings chosen = settings(AlgorithmKind::iteratedGaussSeidel);
  const auto result = simulate(chosen);
  EXPECT_EQ(result->outcome.kind, OutcomeKind::notConverged);
  EXPECT_NE(result->outcome.message.find("part2, part3"), std::string::npos) << result->outcome.message;
  EXPECT_NE(result->outcome.message.find("from 1.3 s to 1.4 s"), std::string::npos) << result->outcome.message;
  EXPECT_TRUE(result->recorder.abandoned);
  EXPECT_DOUBLE_EQ(result->recorder.times.back(), 1.3);
}

TEST(Math003, VariableStepByConvergence) {
  Settings chosen = settings(AlgorithmKind::iteratedGaussSeidel, 0.14);
  chosen.algorithm.maxIterations = 2;
  chosen.stepControl = {.kind = StepControlKind::convergence, .maxStep = 0.14, .untestedBelow = 0.005};
  const auto result = simulate(chosen);
  ASSERT_TRUE(result->outcome.ok());
  showCalls("nicolai N4", "calls", result->statistics, "116/159/159");
  test::showEqual({"nicolai N4", "steps", "101 steps"}, static_cast<double>(result->statistics.acceptedSteps), 101.0);
  test::showEqual({"nicolai N4", "failures", "15 failures"},
                  static_cast<double>(result->statistics.convergenceFailures), 15.0);
  test::showEqual({"schmoll R33", "repeated-steps", "15, each failure of Math_003 repeats one (Nicolai)"},
                  static_cast<double>(result->statistics.repeatedSteps), 15.0);
  test::showEqual({"nicolai N4", "end", "exactly 10 s"}, result->recorder.times.back(), 10.0);
  test::showWithin({"nicolai N4", "first-plateau", "2.5054848"}, result->recorder.at("part3.x4", 2.5), 2.5054848, 1e-9);
}

TEST(Math003, DoubleStepEstimatorFindsAllSwitches) {
  Settings chosen = settings(AlgorithmKind::iteratedGaussSeidel, 0.14);
  chosen.algorithm.maxIterations = 2;
  chosen.algorithm.atol = chosen.algorithm.rtol = 1e-5;
  chosen.stepControl = {.kind = StepControlKind::doubleStep,
                        .estimate = stepping::Estimate::nicolai,
                        .minStep = 1e-5,
                        .maxStep = 0.14,
                        .untestedBelow = 1e-5,
                        .rtol = 1e-5,
                        .atol = 1e-5};
  const auto result = simulate(chosen);
  ASSERT_TRUE(result->outcome.ok()) << result->outcome.message;
  const MemoryRecorder& r = result->recorder;
  // Every switch of x1, x2 and x3: the first row that has the new value.
  const std::vector<std::pair<std::string, std::vector<double>>> switches{
      {"part1.x1", {1.0, 2.0, 5.0}},
      {"part1.x2", {3.0, 4.0, 6.0}},
      {"part2.x3", {1.0, 1.0 + 2.5 / 6.0, 3.0, 3.0 + 5.0 / 6.0, 5.0, 5.0 + 5.0 / 6.0}}};
  test::Largest worst;
  for (const auto& [name, times] : switches) {
    std::vector<double> found;
    for (std::size_t i = 1; i < r.times.size(); ++i)
      if (r.of(name)[i] != r.of(name)[i - 1]) found.push_back(r.times[i]);
    ASSERT_EQ(found.size(), times.size()) << name;
    for (std::size_t i = 0; i < times.size(); ++i) worst.see(std::fabs(found[i] - times[i]));
  }
  test::showAtMost({"nicolai N5", "switching-times", "within 3e-5 s"}, worst, 3e-5);
  const double plateaus =
      test::largestOf(std::fabs(r.at("part3.x4", 2.5) - 2.5), std::fabs(r.at("part3.x4", 4.5) + 2.5),
                      std::fabs(r.at("part3.x4", 9.0) - 2.5));
  test::showAtMost({"nicolai N5", "plateaus", "within 1e-4"}, plateaus, 1e-4);
  const auto& members = result->statistics.members;
  test::showFigure({"nicolai N5", "calls", "at most 1244/1511/1511"}, stepCalls(result->statistics),
                   members[0].step.count <= 1244 && members[1].step.count <= 1511 && members[2].step.count <= 1511);
}

TEST(Math003, NewtonStopsAtTheStepThatHasNoSolution) {
  const auto result = simulate(settings(AlgorithmKind::newton));
  EXPECT_EQ(result->outcome.kind, OutcomeKind::notConverged);
  EXPECT_NE(result->outcome.message.find("from 1.3 s to 1.4 s"), std::string::npos) << result->outcome.message;
}

TEST(Math003, NewtonWithVariableStepsKeepsToTheControlLaw) {
  Settings chosen = settings(AlgorithmKind::newton, 0.14);
  chosen.stepControl = {.kind = StepControlKind::convergence, .maxStep = 0.14, .untestedBelow = 0.005};
  const auto result = simulate(chosen);
  ASSERT_TRUE(result->outcome.ok());
  // x3 of a row follows from x1, x2 of that row and the x4 of the step's start or end, whatever was extrapolated.
  const MemoryRecorder& r = result->recorder;
  const auto law = [&](std::size_t i, double x4) {
    if (r.of("part1.x1")[i] == 1.0 && r.of("part1.x2")[i] == 0.0 && x4 < 2.5) return 3.0;
    return r.of("part1.x1")[i] == 0.0 && r.of("part1.x2")[i] == 1.0 && x4 > -2.5 ? -3.0 : 0.0;
  };
  for (std::size_t i = 1; i < r.times.size(); ++i) {
    const double x3 = r.of("part2.x3")[i];
    EXPECT_TRUE(x3 == law(i, r.of("part3.x4")[i - 1]) || x3 == law(i, r.of("part3.x4")[i])) << r.times[i];
  }
}

}  // namespace
}  // namespace koppla::run::math003_test
