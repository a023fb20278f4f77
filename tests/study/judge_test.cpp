// The row of a run: status, error and cost.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/study/measured_run.hpp"

namespace koppla::study::judge_test {
namespace {

results::Table table(std::vector<double> time, std::vector<double> x) {
  results::Table result;
  result.time = std::move(time);
  result.series.push_back({"a.x", "", "", core::Type::real, std::move(x), {}});
  return result;
}

ErrorSettings settings(Measure measure) {
  ErrorSettings result;
  result.measure = measure;
  return result;
}

/// A run that completed with errors 9, 0, 0.3, 0.4 at t = 0, 1, 2, 3 against the reference.
const std::vector<double> kTimes{0, 1, 2, 3};
const std::vector<double> kComputed{9.0, 1.0, 2.3, 2.6};

TableReference reference() {
  return {table(kTimes, {0.0, 1.0, 2.0, 3.0}), BetweenRows::cubic};
}

FinishedRun run(run::OutcomeKind kind, std::uint64_t steps) {
  FinishedRun result;
  result.outcome = {kind, kind == run::OutcomeKind::ok ? "" : "why"};
  result.statistics.acceptedSteps = steps;
  result.statistics.smallestStep = result.statistics.largestStep = 1.0;
  result.reached = 3.0;
  result.table = table(kTimes, kComputed);
  return result;
}

Status statusOf(const FinishedRun& finished, double referenceError = kNone, double unstableAbove = 10.0) {
  ErrorSettings how = settings(Measure::nrmse);
  how.unstableAbove = unstableAbove;
  return judge(finished, 0.0, reference(), referenceError, how).status;
}

TEST(Judge, TellsHowARunWent) {
  using run::OutcomeKind;
  EXPECT_EQ(statusOf(run(OutcomeKind::ok, 3)), Status::ok);
  EXPECT_EQ(statusOf(run(OutcomeKind::exploded, 2)), Status::unstable);
  EXPECT_EQ(statusOf(run(OutcomeKind::notConverged, 2)), Status::notConverged);
  EXPECT_EQ(statusOf(run(OutcomeKind::subsystemFailed, 2)), Status::unstable);
  EXPECT_EQ(statusOf(run(OutcomeKind::subsystemFailed, 0)), Status::failed);
}

/// Its error would be one of a shorter interval.
TEST(Judge, ARunThatEndedEarlyHasAStatusOfItsOwnAndNoError) {
  FinishedRun early = run(run::OutcomeKind::ok, 3);
  early.endedEarly = true;
  early.outcome.message = "'clock' asked to end";
  const Row row = judge(early, 0.0, reference(), kNone, settings(Measure::nrmse));
  EXPECT_EQ(row.status, Status::endedEarly);
  EXPECT_TRUE(std::isnan(row.error) && row.errors.empty());
  EXPECT_EQ(row.message, "'clock' asked to end");
  EXPECT_EQ(rowFrom(toLine(row)).status, Status::endedEarly);
}

TEST(Judge, AnErrorAboveTheLimitIsUnstable) {
  const double error = std::sqrt(0.125);
  EXPECT_EQ(statusOf(run(run::OutcomeKind::ok, 3), kNone, 1.01 * error), Status::ok);
  EXPECT_EQ(statusOf(run(run::OutcomeKind::ok, 3), kNone, 0.99 * error), Status::unstable);
  FinishedRun wild = run(run::OutcomeKind::ok, 3);
  wild.table.series.front().numbers.back() = std::nan("");
  EXPECT_EQ(statusOf(wild), Status::unstable);
}

TEST(Judge, AnErrorBelowTenTimesTheReferencesOwnIsLimitedByIt) {
  const double error = std::sqrt(0.125);
  EXPECT_EQ(statusOf(run(run::OutcomeKind::ok, 3), 0.099 * error), Status::ok);
  EXPECT_EQ(statusOf(run(run::OutcomeKind::ok, 3), 0.101 * error), Status::limitedByReference);
}

TEST(Judge, TellsTheStepsThatWereTaken) {
  const Row row = judge(run(run::OutcomeKind::ok, 4), -1.0, reference(), kNone, settings(Measure::nrmse));
  EXPECT_EQ(row.meanStep, 1.0) << "from -1 s to 3 s in 4 steps";
  EXPECT_EQ(row.acceptedSteps, 4U);
  EXPECT_TRUE(std::isnan(judge(run(run::OutcomeKind::subsystemFailed, 0), 0.0, reference(), kNone, {}).meanStep));
}

TEST(Judge, TellsWhatARunCostAndHowItEnded) {
  FinishedRun finished = run(run::OutcomeKind::ok, 4);
  finished.outcome.message = "all well";
  finished.cpu = 0.25;
  finished.statistics.wallClock = 0.5;
  finished.statistics.smallestStep = 0.125;
  finished.statistics.largestStep = 2.5;
  finished.statistics.members.resize(2);
  finished.statistics.members[0].effort = {1, 2, 3, 4, 5, 6};
  finished.statistics.members[1].effort = {10, 20, 30, 40, 50, 60};
  const Row row = judge(finished, 1.0, reference(), 1e-5, settings(Measure::nrmse));
  EXPECT_EQ(row.status, Status::ok);
  EXPECT_EQ(row.message, "all well");
  EXPECT_DOUBLE_EQ(row.error, std::sqrt(0.125));
  ASSERT_EQ(row.errors.size(), 1U);
  EXPECT_DOUBLE_EQ(row.errors[0], std::sqrt(0.125));
  EXPECT_EQ(row.referenceError, 1e-5);
  EXPECT_EQ(row.cpu, 0.25);
  EXPECT_EQ(row.wallClock, 0.5);
  EXPECT_EQ(row.meanStep, 0.5) << "from 1 s to 3 s in 4 steps";
  EXPECT_EQ(row.smallestStep, 0.125);
  EXPECT_EQ(row.largestStep, 2.5);
  EXPECT_EQ(row.effort.microSteps, 11U);
  EXPECT_EQ(row.effort.rejectedMicroSteps, 22U);
  EXPECT_EQ(row.effort.rightHandSides, 33U);
  EXPECT_EQ(row.effort.jacobians, 44U);
  EXPECT_EQ(row.effort.correctorIterations, 55U);
  EXPECT_EQ(row.effort.staticCalls, 66U);
}

TEST(Judge, OneStepIsEnoughToTellItsLength) {
  const Row row = judge(run(run::OutcomeKind::subsystemFailed, 1), 1.0, reference(), kNone, {});
  EXPECT_EQ(row.status, Status::unstable) << "it stepped and then gave up";
  EXPECT_EQ(row.meanStep, 2.0);
  EXPECT_EQ(row.smallestStep, 1.0);
  const Row none = judge(run(run::OutcomeKind::subsystemFailed, 0), 1.0, reference(), kNone, {});
  EXPECT_TRUE(std::isnan(none.smallestStep) && std::isnan(none.largestStep));
}

TEST(Judge, ARunThatDidNotEndWellHasNoError) {
  using enum run::OutcomeKind;
  for (const auto& [kind, status] :
       {std::pair(notFinite, Status::unstable), std::pair(exploded, Status::unstable),
        std::pair(stagnated, Status::notConverged), std::pair(notConverged, Status::notConverged),
        std::pair(interrupted, Status::failed), std::pair(outputFailed, Status::failed)}) {
    const Row row = judge(run(kind, 3), 0.0, reference(), 1e-9, settings(Measure::nrmse));
    EXPECT_EQ(row.status, status) << run::word(kind);
    EXPECT_EQ(row.message, "why");
    EXPECT_TRUE(std::isnan(row.error) && row.errors.empty()) << run::word(kind);
    EXPECT_EQ(row.referenceError, 1e-9);
  }
}

TEST(Judge, ARunThatCannotBeMeasuredHasFailedAndSaysWhy) {
  FinishedRun finished = run(run::OutcomeKind::ok, 3);
  finished.table.series.front().name = "a.y";
  const Row row = judge(finished, 0.0, reference(), kNone, settings(Measure::nrmse));
  EXPECT_EQ(row.status, Status::failed);
  EXPECT_EQ(row.message, "The reference has no 'a.y'.");
  EXPECT_TRUE(std::isnan(row.error) && row.errors.empty());
}

/// Squares of differences 12.25 + 0.25 by the spread 2 of 1, 2, 3: an error of 2.5, exactly.
TEST(Judge, ErrorsAtALimitAreWithinIt) {
  FinishedRun finished = run(run::OutcomeKind::ok, 3);
  finished.table = table(kTimes, {0.0, 4.5, 2.5, 3.0});
  EXPECT_EQ(statusOf(finished, kNone, 2.5), Status::ok);
  EXPECT_EQ(statusOf(finished, kNone, 2.4999), Status::unstable);
  EXPECT_EQ(statusOf(finished, 0.25), Status::ok);
  EXPECT_EQ(statusOf(finished, 0.2501), Status::limitedByReference);
}

}  // namespace
}  // namespace koppla::study::judge_test
