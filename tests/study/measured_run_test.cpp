#include "koppla/study/measured_run.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "support/figure.hpp"
#include "support/full_disk.hpp"
#include "support/message_of.hpp"

namespace koppla::study {
namespace {

results::Table table(std::vector<double> time, std::vector<double> x) {
  results::Table result;
  result.time = std::move(time);
  result.series.push_back({"a.x", "", "", core::Type::real, std::move(x), {}});
  return result;
}

ErrorSettings settings(Measure measure, unsigned skip = 0) {
  ErrorSettings result;
  result.measure = measure;
  result.skip = skip;
  return result;
}

/// A run that completed with errors 9, 0, 0.3, 0.4 at t = 0, 1, 2, 3 against kReference.
const std::vector<double> kTimes{0, 1, 2, 3};
const std::vector<double> kComputed{9.0, 1.0, 2.3, 2.6};

TableReference reference() {
  return {table(kTimes, {0.0, 1.0, 2.0, 3.0}), BetweenRows::cubic};
}

TEST(Measure, TheStartIsNoMacroTime) {
  const MeasuredError error = measure(table(kTimes, kComputed), reference(), settings(Measure::nrmse));
  EXPECT_EQ(error.problem, "");
  EXPECT_DOUBLE_EQ(error.total, std::sqrt(0.125)) << "0.25 by the spread 2 of 1, 2, 3";
}

TEST(Measure, FirstMacroStepsCanBeSkipped) {
  // Left are 2, 3 with mean 2.5 and spread 0.5.
  const MeasuredError error = measure(table(kTimes, kComputed), reference(), settings(Measure::nrmse, 1));
  test::showWithin({"schmoll R35", "skipped-steps", "sqrt(0.25/0.5) without the first of three macro steps"},
                   error.total, std::sqrt(0.5), 1e-15);
  EXPECT_EQ(measure(table(kTimes, kComputed), reference(), settings(Measure::nrmse, 3)).problem,
            "All 3 macro steps are skipped.");
}

TEST(Measure, WeightedErrorsAreThoseOfTheirDefinition) {
  const double sum = std::pow(0.3 / 3.3, 2) + std::pow(0.4 / 4.0, 2);
  EXPECT_NEAR(measure(table(kTimes, kComputed), reference(), settings(Measure::wrmse)).total, std::sqrt(sum / 3.0),
              1e-15);
  EXPECT_NEAR(measure(table(kTimes, kComputed), reference(), settings(Measure::wrmseSum)).total, std::sqrt(sum), 1e-15);
}

TEST(Measure, SaysWhyThereIsNoError) {
  const TableReference constant(table(kTimes, {5, 5, 5, 5}), BetweenRows::cubic);
  EXPECT_EQ(
      measure(table(kTimes, kComputed), constant, settings(Measure::nrmse)).problem,
      "The reference of 'a.x' is constant at the 3 compared times, so its NRMSE has no denominator. Leave it out, or "
      "choose measure = \"wrmse\".");
  EXPECT_EQ(measure(table(kTimes, kComputed), constant, settings(Measure::wrmse)).problem, "");
  const TableReference tooShort(table({0, 1, 2}, {0, 1, 2}), BetweenRows::cubic);
  EXPECT_EQ(measure(table(kTimes, kComputed), tooShort, settings(Measure::nrmse)).problem,
            "The reference has no values at the last time, 3 s.");
  results::Table other = table(kTimes, kComputed);
  other.series.front().name = "a.y";
  EXPECT_EQ(measure(other, reference(), settings(Measure::nrmse)).problem, "The reference has no 'a.y'.");
}

TEST(Measure, OnlyTimesInsideTheWindowCount) {
  ErrorSettings how = settings(Measure::wrmseSum);
  const double whole = measure(table(kTimes, kComputed), reference(), how).total;
  double parts = 0.0;
  for (const auto& [from, to] : {std::pair(0.5, 1.0), std::pair(1.5, 2.5), std::pair(2.5, 9.0)}) {
    how.from = from;
    how.to = to;
    parts += std::pow(measure(table(kTimes, kComputed), reference(), how).total, 2);
  }
  koppla::test::showWithin(
      {"schmoll R57", "window", "the squares of the windows' sums make up that of the whole, 1e-12"},
      parts / (whole * whole), 1.0, 1e-12);
  how.from = 7.0;
  EXPECT_EQ(measure(table(kTimes, kComputed), reference(), how).problem,
            "No macro step lies between from = 7 s and to = 9 s.");
}

TEST(Measure, ALimitOfTheWindowIsMetInSpiteOfRounding) {
  const auto rising = [](double scale) {
    std::vector<double> times, values;
    for (int n = 0; n <= 10; ++n) {
      times.push_back(n * 0.1);
      values.push_back(scale * n);
    }
    return table(times, values);
  };
  ErrorSettings how = settings(Measure::wrmseSum);
  how.from = 0.3;  // 3 * 0.1 and 7 * 0.1 are a little more
  how.to = 0.7;
  double sum = 0.0;
  for (int n = 3; n <= 7; ++n) sum += std::pow(0.1 * n / (1.0 + 1.1 * n), 2);
  EXPECT_NEAR(measure(rising(1.1), TableReference(rising(1.0), BetweenRows::cubic), how).total, std::sqrt(sum), 1e-12);
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

TEST(RunToEnd, ThrowsWhereTheSystemFailsAndNotTheProject) {
  const core::TemporaryFolder folder("measured-run");
  core::Log log;
  project::Project plan = project::readText(
      "format = 1\nsimulation = { end = 1.0, step = 1.0 }\n[[subsystems]]\nname = \"a\"\n"
      "program = \"cp start y.csv\"\noutputs.y = { file = \"y.csv\" }\n",
      folder.path() / "p.toml", log);
  plan.programsFolder = folder.path() / "programs";
  const test::FullDisk full(4);  // smaller than the record of its answers
  const std::string said = test::messageOf<core::FileError>([&] { runToEnd(plan); });
  EXPECT_TRUE(said.starts_with("The run ended at 0 s. The program 'a' cannot be called. ")) << said;
}

/// The disk is full when the program has answered some steps: no matter of stability.
TEST(RunToEnd, ThrowsWhereTheSystemFailsInAStepOfAProgram) {
  const core::TemporaryFolder folder("measured-run");
  core::Log log;
  project::Project plan = project::readText(
      "format = 1\nsimulation = { end = 50.0, step = 1.0 }\n[[subsystems]]\nname = \"a\"\n"
      "program = \"echo 1 , 1 > y.csv\"\noutputs.y = { file = \"y.csv\" }\n",
      folder.path() / "p.toml", log);
  plan.programsFolder = folder.path() / "programs";
  const test::FullDisk full(1000);  // for the record of its answers, and enough for some
  const std::string said = test::messageOf<core::FileError>([&] { runToEnd(plan); });
  EXPECT_TRUE(said.starts_with("The run ended at ")) << said;
  EXPECT_FALSE(said.starts_with("The run ended at 0 s")) << said;
  EXPECT_NE(said.find("The subsystem 'a' could not go on at "), std::string::npos) << said;
  EXPECT_NE(said.find("File too large"), std::string::npos) << said;
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

}  // namespace
}  // namespace koppla::study
