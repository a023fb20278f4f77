// One run of a study, in this process.

#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/study/measured_run.hpp"

#include "support/full_disk.hpp"
#include "support/message_of.hpp"

namespace koppla::study::run_to_end_test {
namespace {

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

project::Project planOf(const std::string& text, const core::TemporaryFolder& folder) {
  core::Log log;
  project::Project plan = project::readText("format = 1\n" + text, folder.path() / "p.toml", log);
  plan.programsFolder = folder.path() / "programs";
  return plan;
}

/// Of this process, s.
struct ProcessorTime {
  double user;
  double system;
};

ProcessorTime processorTime() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return {seconds(usage.ru_utime), seconds(usage.ru_stime)};
}

struct TimedRun {
  FinishedRun finished;
  ProcessorTime spent;  ///< in all, with what comes before the start and behind the end
};

TimedRun timedRun(const project::Project& plan) {
  const ProcessorTime before = processorTime();
  FinishedRun finished = runToEnd(plan);
  const ProcessorTime after = processorTime();
  EXPECT_TRUE(finished.outcome.ok()) << finished.outcome.message;
  return {std::move(finished), {after.user - before.user, after.system - before.system}};
}

/// The program itself is another process; for its calls, each with a copy of a large file, the system works.
TEST(RunToEnd, TellsTheProcessorTimeOfTheSystem) {
  const core::TemporaryFolder folder("measured-run");
  core::writeWhole(folder.path() / "large", std::string(20'000'000, 'x'));
  const auto [finished, spent] = timedRun(
      planOf("simulation = { end = 20.0, step = 1.0 }\n[[subsystems]]\nname = \"a\"\nprogram = \"echo 1 > y.csv\"\n"
             "include = [\"large\"]\noutputs.y = { file = \"y.csv\", reader = \"columns\", columns = [1] }\n",
             folder));
  EXPECT_LE(finished.cpu, spent.user + spent.system + 1e-6);
  EXPECT_GT(finished.cpu, spent.user + 0.5 * spent.system);
}

TEST(RunToEnd, TellsTheProcessorTimeOfItsSteps) {
  const core::TemporaryFolder folder("measured-run");
  const auto [finished, spent] =
      timedRun(planOf("simulation = { end = 10.0, step = 1.0 }\n[[subsystems]]\nname = \"b\"\nmodel = \"expressions\"\n"
                      "states = { x = 1.0 }\nderivatives = { x = \"-x\" }\noutputs = { x = \"x\" }\n"
                      "integrator = \"ode4\"\nmicro_step = 1e-5\n",
                      folder));
  EXPECT_LE(finished.cpu, spent.user + spent.system + 1e-6);
  EXPECT_GT(finished.cpu, 0.5 * spent.user + spent.system);
}

TEST(RunToEnd, HasTheRowsAndCountsOfTheRun) {
  const core::TemporaryFolder folder("measured-run");
  const FinishedRun finished = runToEnd(planOf(
      "simulation = { start = 1.0, end = 3.0, step = 0.5 }\n[[subsystems]]\nname = \"a\"\nmodel = \"expressions\"\n"
      "outputs = { y = \"2*t\" }\n",
      folder));
  EXPECT_TRUE(finished.outcome.ok()) << finished.outcome.message;
  EXPECT_EQ(finished.reached, 3.0);
  EXPECT_FALSE(finished.endedEarly);
  EXPECT_EQ(finished.statistics.acceptedSteps, 4U);
  EXPECT_EQ(finished.table.time, (std::vector<double>{1.0, 1.5, 2.0, 2.5, 3.0}));
  ASSERT_NE(finished.table.find("a.y"), nullptr);
  EXPECT_EQ(finished.table.find("a.y")->numbers, (std::vector<double>{2, 3, 4, 5, 6}));
}

/// 1/(2 - t) is infinite at 2 s.
TEST(RunToEnd, ARunThatFailsHasNotEndedEarlyAsASubsystemAsked) {
  const core::TemporaryFolder folder("measured-run");
  const FinishedRun finished =
      runToEnd(planOf("simulation = { end = 5.0, step = 0.5 }\n[[subsystems]]\nname = \"a\"\nmodel = \"expressions\"\n"
                      "outputs = { y = \"1/(2 - t)\" }\n",
                      folder));
  EXPECT_EQ(finished.outcome.kind, run::OutcomeKind::notFinite);
  EXPECT_FALSE(finished.endedEarly);
  EXPECT_LT(finished.reached, 5.0);
}

TEST(RunToEnd, ARunThatCannotBeginHasNoSteps) {
  const core::TemporaryFolder folder("measured-run");
  const FinishedRun finished =
      runToEnd(planOf("simulation = { end = 5.0, step = 0.5 }\n[[subsystems]]\nname = \"a\"\nmodel = \"expressions\"\n"
                      "outputs = { y = \"1/t\" }\n",
                      folder));
  EXPECT_EQ(finished.outcome.kind, run::OutcomeKind::notFinite);
  EXPECT_EQ(finished.statistics.acceptedSteps, 0U);
}

}  // namespace
}  // namespace koppla::study::run_to_end_test
