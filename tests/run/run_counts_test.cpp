// What a run counts, and what it tells of itself while it goes on.

#include <chrono>
#include <cmath>
#include <ctime>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmu_system.hpp"

namespace koppla::run::run_counts_test {
namespace {

using coupling::AlgorithmKind;
using test::Formula;
using test::gain;
using test::integrator;
using test::makeSystem;
using test::MemoryRecorder;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;

Settings steps(double step, double end = 1.0, AlgorithmKind kind = AlgorithmKind::jacobi) {
  Settings settings;
  settings.step = step;
  settings.end = end;
  settings.algorithm.kind = kind;
  return settings;
}

// --- Statistics ------------------------------------------------------------------------------------------------------

/// Times are those that pass outside.
TEST(RunCounts, TimesAreThoseOfInitialisationAndSimulation) {
  for (const std::clock_t begin = std::clock(); std::clock() - begin < CLOCKS_PER_SEC / 50;) {
  }  // so that what was used before would show
  core::Log log;
  run::Run run(makeSystem({{"x", integrator()}, {"g", gain(1.0)}}, {{"x.y", "g.u"}}), steps(1e-5), log);
  const auto wall = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  const Statistics nothing = run.statistics();
  EXPECT_EQ(nothing.wallClock, 0.0);
  EXPECT_EQ(nothing.cpu, 0.0);
  EXPECT_EQ(nothing.initialisation, 0.0);
  EXPECT_EQ(nothing.smallestStep, 0.0);
  EXPECT_EQ(nothing.largestStep, 0.0);
  EXPECT_EQ(nothing.output.seconds, 0.0);
  ASSERT_TRUE(run.initialise().ok());
  const Statistics initialised = run.statistics();
  EXPECT_GT(initialised.initialisation, 0.0);
  EXPECT_EQ(initialised.wallClock, initialised.initialisation);
  ASSERT_TRUE(run.simulate(0.5).ok());
  const Statistics half = run.statistics();
  EXPECT_GT(half.wallClock, initialised.wallClock);
  ASSERT_TRUE(run.simulate().ok());
  const Statistics whole = run.statistics();
  EXPECT_GT(whole.wallClock, half.wallClock);
  EXPECT_EQ(whole.initialisation, initialised.initialisation);
  EXPECT_LE(whole.wallClock, std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count());
  EXPECT_GE(initialised.cpu, 0.0);
  EXPECT_GE(half.cpu, initialised.cpu);
  EXPECT_GT(whole.cpu, 0.0);
  EXPECT_LE(whole.cpu, static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC + 1e-9);
}

/// Members stand as the user gave them, whatever the order of their evaluation.
TEST(RunCounts, StatisticsOfMembersStandInTheirOrder) {
  core::Log log;
  MemoryRecorder recorder;
  run::Run run(
      makeSystem({{"c", gain(1.0)}, {"b", gain(1.0)}, {"a", test::clockSignal()}}, {{"a.y", "b.u"}, {"b.y", "c.u"}}),
      steps(0.25, 2.0, AlgorithmKind::gaussSeidel), log, &recorder);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  const Statistics statistics = run.statistics();
  ASSERT_EQ(statistics.members.size(), 3U);
  EXPECT_EQ(statistics.members[0].name, "c");
  EXPECT_EQ(statistics.members[1].name, "b");
  EXPECT_EQ(statistics.members[2].name, "a");
  for (const MemberStatistics& member : statistics.members) {
    EXPECT_EQ(member.step.count, 8U);
    EXPECT_EQ(member.save.count, 0U);
    EXPECT_EQ(member.restore.count, 0U);
  }
  EXPECT_EQ(statistics.acceptedSteps, 8U);
  EXPECT_EQ(statistics.algorithm.count, 8U);
  EXPECT_EQ(statistics.output.count, 9U);
  EXPECT_EQ(statistics.smallestStep, 0.25);
  EXPECT_EQ(statistics.largestStep, 0.25);
  EXPECT_EQ(statistics.discardedSteps, 0U);
  EXPECT_EQ(statistics.repeatedSteps, 0U);
  EXPECT_EQ(statistics.convergenceFailures, 0U);
  EXPECT_EQ(statistics.errorTestFailures, 0U);
  EXPECT_EQ(statistics.errorTest.count, 0U);
  EXPECT_THAT(statistics.cycles, IsEmpty());
}

/// Of a cycle: its members, its sweeps, and whether it failed.
TEST(RunCounts, StatisticsOfCyclesAreTheirs) {
  core::Log log;
  Settings settings = steps(0.25, 1.0, AlgorithmKind::iteratedGaussSeidel);
  settings.algorithm.acceleration.kind = coupling::AcceleratorKind::none;
  settings.algorithm.withoutConvergence = coupling::WithoutConvergence::accept;
  settings.algorithm.initialisation = coupling::Initialisation::startValues;
  settings.algorithm.maxIterations = 5;
  settings.algorithm.atol = settings.algorithm.rtol = 1e-12;
  run::Run run(
      makeSystem({{"before", test::clockSignal()},
                  {"a", gain(0.9, 1.0)},
                  {"b", gain(1.0)},
                  {"p", gain(0.0, 1.0)},
                  {"q", gain(1.0)}},
                 {{"before.y", "a.u", 0.5}, {"b.y", "a.u", 0.5}, {"a.y", "b.u"}, {"p.y", "q.u"}, {"q.y", "p.u"}}),
      settings, log);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  const Statistics statistics = run.statistics();
  ASSERT_EQ(statistics.cycles.size(), 2U);
  const bool first = statistics.cycles[0].members == std::vector<std::string>{"a", "b"};
  const CycleStatistics& slow = statistics.cycles[first ? 0 : 1];
  const CycleStatistics& quick = statistics.cycles[first ? 1 : 0];
  EXPECT_THAT(slow.members, ElementsAre("a", "b"));
  EXPECT_THAT(quick.members, ElementsAre("p", "q"));
  EXPECT_EQ(slow.evaluations, 4U * 5U);
  EXPECT_EQ(slow.convergenceFailures, 4U);
  EXPECT_EQ(slow.jacobians, 0U);
  EXPECT_EQ(slow.suspicious, 0U);
  EXPECT_EQ(quick.convergenceFailures, 0U);
  EXPECT_LT(quick.evaluations, 4U * 5U);
  EXPECT_EQ(statistics.convergenceFailures, 4U);
}

TEST(RunCounts, StatisticsOfNewtonsMethodCountJacobians) {
  core::Log log;
  run::Run run(makeSystem({{"x", integrator(-1.0, 1.0)}, {"g", gain(1.0)}}, {{"x.y", "g.u"}, {"g.y", "x.u"}}),
               steps(0.25, 1.0, AlgorithmKind::newton), log);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  EXPECT_GE(run.statistics().cycles.at(0).jacobians, 1U);
}

// --- Progress --------------------------------------------------------------------------------------------------------

/// Between steps: the time, the steps, what failed, and the step to come.
TEST(RunCounts, ProgressTellsOfTheRun) {
  // y = t^2 in double steps: see DoubleStep.FailuresOfTheErrorTestAreCounted. The first step fails once.
  Formula square = test::clockSignal();
  square.output = [](const auto&, double t, const auto&) { return std::vector<double>{t * t}; };
  Settings settings = steps(0.1, 0.45);
  settings.stepControl.kind = stepping::StepControlKind::doubleStep;
  settings.stepControl.estimate = stepping::Estimate::nicolai;
  settings.stepControl.rtol = 0.0;
  settings.stepControl.atol = 0.0025 / 4.0;
  core::Log log;
  run::Run run(makeSystem({{"square", square}, {"x", integrator()}}, {{"square.y", "x.u"}}), settings, log);
  std::vector<Progress> told;
  run.onProgress([&](const Progress& progress) { told.push_back(progress); });
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  ASSERT_THAT(told.size(), Ge(3U));
  EXPECT_EQ(told[0].steps, 1U);
  EXPECT_GT(told[1].steps, 1U);
  for (const Progress& progress : told) {
    EXPECT_EQ(progress.failures, 1U);
    EXPECT_EQ(progress.iteration, 0U);
    EXPECT_EQ(progress.residual, 0.0);
    EXPECT_NEAR(progress.time, 0.045 * static_cast<double>(progress.steps), 1e-12);
    EXPECT_NEAR(progress.step, 0.045, 1e-12);
    EXPECT_GE(progress.elapsed, 0.0);
    EXPECT_LT(progress.elapsed, 60.0);
  }
}

/// Inside an iteration its number and its residual: u = 1 - u / 2 from 0 is off by 1 / 2^(n-1), in thousandths.
TEST(RunCounts, ProgressTellsOfIterations) {
  Settings settings = steps(0.5, 1.0, AlgorithmKind::iteratedGaussSeidel);
  settings.algorithm.acceleration.kind = coupling::AcceleratorKind::none;
  settings.algorithm.initialisation = coupling::Initialisation::startValues;
  settings.algorithm.predictor = 0;
  settings.algorithm.norm = coupling::Norm::max;
  settings.algorithm.rtol = 0.0;
  settings.algorithm.atol = 1e-3;
  core::Log log;
  run::Run run(makeSystem({{"a", gain(-0.5, 1.0)}, {"b", gain(1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}), settings, log);
  int told = 0;
  run.onProgress([&](const Progress& progress) {
    if (progress.iteration == 0 || progress.time > 0.0) return;
    ++told;
    EXPECT_NEAR(progress.residual, 1e3 * std::pow(0.5, static_cast<double>(progress.iteration) - 1.0), 1e-9);
    EXPECT_EQ(progress.steps, 0U);
    EXPECT_EQ(progress.failures, 0U);
  });
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  EXPECT_GE(told, 3);
}

/// Records are brought to their files whenever somebody looks up.
TEST(RunCounts, RecordsAreFlushedWithProgress) {
  class Flushed final : public results::Recorder {
   public:
    void begin(const std::vector<results::Column>& /*columns*/) override {}
    void row(double /*time*/, const core::Values& /*values*/) override {}
    void flush() override { ++flushes; }
    void complete() override {}
    void abandon() override {}
    int flushes = 0;
  };
  Flushed rows;
  Flushed history;
  core::Log log;
  Settings settings = steps(0.25, 8.0, AlgorithmKind::iteratedGaussSeidel);
  settings.algorithm.predictor = 0;
  run::Run run(makeSystem({{"x", integrator(-1.0, 1.0)}, {"g", gain(1.0)}}, {{"x.y", "g.u"}, {"g.y", "x.u"}}), settings,
               log, Recorders(&rows, &history));
  ASSERT_TRUE(run.initialise().ok());
  EXPECT_EQ(rows.flushes + history.flushes, 0);
  ASSERT_TRUE(run.simulate().ok());
  EXPECT_GE(rows.flushes, 3);
  EXPECT_EQ(history.flushes, rows.flushes);
}

}  // namespace
}  // namespace koppla::run::run_counts_test
