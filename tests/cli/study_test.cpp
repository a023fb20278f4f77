// `koppla study`: predator and prey with varied steps, against a run with a short step.

#include <csignal>
#include <fstream>

#include <gtest/gtest.h>

#include "koppla/study/journal.hpp"

#include "command.hpp"
#include "support/matches.hpp"

namespace koppla::test {
namespace {

class StudyCommandTest : public ::testing::Test {
 protected:
  StudyCommandTest() {
    workspace_.write("project.toml", "format = 1\nsimulation = { end = 10.0, step = 0.1 }\n" +
                                         subsystem("prey", "LotkaVolterraPrey", "x0 = 2.0") +
                                         subsystem("predator", "LotkaVolterraPredator", "y0 = 1.0") +
                                         connection("prey.x", "predator.x") + connection("predator.y", "prey.y"));
  }

  /// A study over these steps.
  void write(const std::string& steps, const std::string& more = {}) const {
    workspace_.write(
        "s.toml", "format = 1\n[study]\nproject = \"project.toml\"\n[[vary]]\nname = \"simulation.step\"\nvalues = [" +
                      steps +
                      "]\n[reference]\nkind = \"run\"\nset = [\"simulation.step=1e-4\"]\n"
                      "check_set = [\"simulation.step=2e-4\"]\n[errors]\nvariables = [\"prey.x\", \"predator.y\"]\n" +
                      more);
  }

  /// study.csv without the columns that hold times, which are never the same.
  [[nodiscard]] std::vector<std::string> rowsWithoutTimes(const std::string& folder) const {
    std::vector<std::string> rows = workspace_.rows(folder + "/study.csv");
    const std::string times = ",[^,]*,[^,]*,\"[^\"]*\"$";  // wall_clock, cpu, message
    for (std::string& row : rows) row = test::replaced(row, times, "");
    return rows;
  }

  [[nodiscard]] bool journalHasRows(std::size_t count) const {
    return eventually([&] {
      return workspace_.has("s.study/study.journal") && workspace_.rows("s.study/study.journal").size() >= count;
    });
  }

  Workspace workspace_;
};

/// Two runs that are over at once, and two that take a second or so: two million steps each.
const std::string kLong = "0.1, 0.05, 5e-6, 5.1e-6";

TEST_F(StudyCommandTest, TellsErrorsAndTheirOrderAndWritesThem) {
  write("0.04, 0.02, 0.01", "[fit]\nover = \"simulation.step\"\n");
  const Result result = workspace_.run({"study", "s.toml"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(result.err, "");
  EXPECT_FALSE(test::matches(result.out, "slope +(0\\.9|1\\.0)").empty()) << result.out;
  EXPECT_NE(result.out.find("results in s.study\n"), std::string::npos) << result.out;
  const std::string csv = workspace_.read("s.study/study.csv");
  EXPECT_TRUE(csv.starts_with(
      "\"simulation.step\",\"status\",\"error\",\"error(prey.x)\",\"error(predator.y)\",\"reference_error\","
      "\"mean_step\",\"min_step\",\"max_step\",\"accepted_steps\",\"micro_steps\",\"rejected_micro_steps\","
      "\"right_hand_sides\",\"jacobians\",\"corrector_iterations\",\"static_calls\",\"wall_clock\",\"cpu\","
      "\"message\"\n0.04,\"ok\","))
      << csv;
  EXPECT_EQ(workspace_.rows("s.study/study.csv").size(), 3U);
  EXPECT_EQ(workspace_.rows("s.study/fits.csv").size(), 1U);
  EXPECT_TRUE(workspace_.read("s.study/study.svg").starts_with("<svg "));
  EXPECT_EQ(workspace_.leftovers(), std::vector<std::string>{});
}

TEST_F(StudyCommandTest, SettingsOfTheCommandLineHoldForAllRuns) {
  write("0.04, 0.02");
  ASSERT_EQ(workspace_.run({"study", "s.toml", "--set", "simulation.end=2"}).exitCode, 0);
  const std::vector<std::string> rows = rowsWithoutTimes("s.study");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0].ends_with(",50,0,0,0,0,0,0")) << rows[0] << ": FMUs do not tell what their solvers do";
  EXPECT_TRUE(rows[1].ends_with(",100,0,0,0,0,0,0")) << rows[1];
}

TEST_F(StudyCommandTest, UnstableRunsAreNoFailureOfTheStudy) {
  write("2.5, 0.01", "unstable_above = 0.5\n[fit]\nover = \"simulation.step\"\n");
  const Result result = workspace_.run({"study", "s.toml"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_FALSE(test::matches(result.out, " 2\\.5 +--\n").empty()) << result.out;
  EXPECT_NE(workspace_.rows("s.study/study.csv").at(0).find("2.5,\"unstable\","), std::string::npos);
}

TEST_F(StudyCommandTest, AKilledStudyContinuesToTheSameResults) {
  write(kLong);
  {
    Process process = workspace_.start({"study", "s.toml", "--jobs", "1"});
    ASSERT_TRUE(journalHasRows(2));
    process.send(SIGKILL);
    ASSERT_EQ(process.wait().exitCode, 128 + SIGKILL);
  }
  ASSERT_FALSE(workspace_.has("s.study/study.csv"));
  const Result continued = workspace_.run({"study", "s.toml"});
  EXPECT_EQ(continued.exitCode, 0) << continued.all();
  EXPECT_FALSE(test::matches(continued.out, "[23] of 4 runs were done before").empty()) << continued.out;
  ASSERT_EQ(workspace_.run({"study", "s.toml", "--folder", "whole"}).exitCode, 0);
  EXPECT_EQ(rowsWithoutTimes("s.study"), rowsWithoutTimes("whole"));
}

TEST_F(StudyCommandTest, CtrlCKeepsFinishedRuns) {
  write(kLong);
  Process process = workspace_.start({"study", "s.toml", "--jobs", "2"});
  ASSERT_TRUE(journalHasRows(2));
  process.send(SIGINT);
  const Result result = process.wait();
  EXPECT_EQ(result.exitCode, 130) << result.all();
  EXPECT_FALSE(
      test::matches(result.err, "Interrupted: [23] of 4 runs are done and kept. The same command continues.").empty())
      << result.err;
  EXPECT_FALSE(workspace_.has("s.study/study.csv"));
  EXPECT_EQ(workspace_.leftovers(), std::vector<std::string>{});
}

/// The first of the runs waits until another one has begun.
TEST_F(StudyCommandTest, AsManyRunsGoOnAtOnceAsAllowed) {
  workspace_.write("meet.sh",
                   "cd $KOPPLA_PROJECT\nmkdir first 2>/dev/null || mkdir second 2>/dev/null\n"
                   "for i in $(seq 300); do [ -e second ] && exit 0; sleep 0.01; done\nexit 7\n");
  workspace_.write(
      "project.toml",
      "format = 1\nsimulation = { end = 1.0, step = 1.0 }\n[[subsystems]]\nname = \"a\"\nprogram = \"echo 1 > "
      "out.txt; sh $KOPPLA_PROJECT/meet.sh\"\n[subsystems.outputs]\ny = { file = \"out.txt\", reader = "
      "\"columns\", columns = [1] }\n");
  workspace_.write("r.csv", "time,a.y\n0,1\n0.5,1\n1,1\n");
  workspace_.write(
      "s.toml",
      "format = 1\n[study]\nproject = \"project.toml\"\n[[vary]]\nname = \"simulation.step\"\nvalues = [1.0, "
      "0.5]\n[reference]\nkind = \"file\"\nfile = \"r.csv\"\n[errors]\nmeasure = \"wrmse\"\nvariables = "
      "[\"a.y\"]\n");
  const Result result = workspace_.run({"study", "s.toml", "--jobs", "2"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  for (const std::string& row : workspace_.rows("s.study/study.csv"))
    EXPECT_NE(row.find("\"ok\""), std::string::npos) << row;
}

TEST_F(StudyCommandTest, NoSecondStudyTakesTheFolderOfOneThatGoesOn) {
  write(kLong);
  const Process process = workspace_.start({"study", "s.toml", "--jobs", "1"});
  ASSERT_TRUE(journalHasRows(2));
  const Result second = workspace_.run({"study", "s.toml"}, "second");
  EXPECT_EQ(second.exitCode, 2) << second.all();
  EXPECT_NE(second.err.find("Another study is writing to s.study."), std::string::npos) << second.err;
}

TEST_F(StudyCommandTest, AChangedProjectNeedsARestart) {
  write("0.1");
  ASSERT_EQ(workspace_.run({"study", "s.toml"}).exitCode, 0);
  std::ofstream(workspace_.path("project.toml"), std::ios::app) << "# changed\n";
  const Result refused = workspace_.run({"study", "s.toml"});
  EXPECT_EQ(refused.exitCode, 2) << refused.all();
  EXPECT_NE(refused.err.find("s.study holds rows of another study"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("--restart"), std::string::npos) << refused.err;
  EXPECT_EQ(workspace_.run({"study", "s.toml", "--restart"}).exitCode, 0);
}

/// Another version of Koppla may give other rows.
TEST_F(StudyCommandTest, RowsAreThoseOfOneVersion) {
  write("0.1");
  ASSERT_EQ(workspace_.run({"study", "s.toml", "--quiet"}).exitCode, 0);
  const std::string version = test::replaced(workspace_.run({"version"}).out, "koppla |\n", "");
  core::Log log;
  const study::Study study = study::read(workspace_.path("s.toml"), log);
  const std::string head = workspace_.read("s.study/study.journal");
  EXPECT_EQ(head.substr(0, head.find('\n')), "koppla-study 1 " + study::fingerprint(study, version));
  EXPECT_NE(study::fingerprint(study, version), study::fingerprint(study, ""));
}

TEST_F(StudyCommandTest, AChangedScriptOrFolderOfAProgramNeedsARestart) {
  workspace_.write("valve.sh", "awk '{ print -0.9 * $1 }' in.txt > out.txt\n");
  workspace_.write("valve.template", "{{s}}\n");
  workspace_.write("model/data.txt", "1\n");
  workspace_.write("project.toml",
                   "format = 1\nsimulation = { end = 1.0, step = 0.5 }\n" + subsystem("a", "Gain") +
                       "[[subsystems]]\nname = \"valve\"\nprogram = \"sh $KOPPLA_PROJECT/valve.sh\"\n"
                       "folder = \"model\"\ndeck = { \"in.txt\" = \"valve.template\" }\n[subsystems.inputs]\ns = {}\n"
                       "[subsystems.outputs]\ny = { file = \"out.txt\", reader = \"columns\", columns = [1] }\n" +
                       connection("a.y", "valve.s"));
  workspace_.write("s.toml",
                   "format = 1\n[study]\nproject = \"project.toml\"\n[[vary]]\nname = \"simulation.step\"\nvalues = "
                   "[0.5, 0.25]\n[reference]\nkind = \"run\"\nset = [\"simulation.step=0.25\"]\ncheck_set = "
                   "[\"simulation.step=0.5\"]\n[errors]\nmeasure = \"wrmse\"\nvariables = [\"valve.y\"]\n");
  const auto rowsAreTakenOver = [&] {
    const Result again = workspace_.run({"study", "s.toml"});
    if (again.exitCode == 0) return again.out.find("2 of 2 runs were done before") != std::string::npos;
    EXPECT_EQ(again.exitCode, 2) << again.all();
    EXPECT_NE(again.err.find("holds rows of another study"), std::string::npos) << again.err;
    EXPECT_NE(again.err.find("a program's script or folder"), std::string::npos) << again.err;
    return false;
  };
  const Result first = workspace_.run({"study", "s.toml"});
  ASSERT_EQ(first.exitCode, 0) << first.all();
  EXPECT_TRUE(rowsAreTakenOver());
  workspace_.write("valve.sh", "awk '{ print -0.8 * $1 }' in.txt > out.txt\n");
  EXPECT_FALSE(rowsAreTakenOver());
  EXPECT_EQ(workspace_.run({"study", "s.toml", "--restart"}).exitCode, 0);
  EXPECT_TRUE(rowsAreTakenOver());
  workspace_.write("model/data.txt", "2\n");
  EXPECT_FALSE(rowsAreTakenOver());
}

TEST_F(StudyCommandTest, ErrorsNearTheReferencesOwnAreMarked) {
  write("0.1, 2e-4");
  const Result result = workspace_.run({"study", "s.toml"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_NE(result.err.find("warning: study: 1 of 2 errors are less than 10 times the reference's own error"),
            std::string::npos)
      << result.err;
  EXPECT_NE(workspace_.rows("s.study/study.csv").at(1).find("\"limited-by-reference\""), std::string::npos);
}

/// An FMU that asks to end at 'at', which is varied: 2 s is beyond the end of the run, 0.5 s is not.
TEST_F(StudyCommandTest, RunsThatASubsystemEndsEarlyAreToldAndLeftOutOfFits) {
  workspace_.write("early.toml", "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n" +
                                     subsystem("clock", "Odd", "way = \"ends\", at = 2.0") +
                                     subsystem("lag", "FirstOrderLag") +
                                     "[[connections]]\nfrom = \"clock.y\"\nto = \"lag.u\"\n");
  workspace_.write("s.toml",
                   "format = 1\n[study]\nproject = \"early.toml\"\nset = [\"algorithm.kind=gauss-seidel\"]\n"
                   "[[vary]]\nname = \"clock.at\"\nvalues = [2.0, 0.5]\n"
                   "[[vary]]\nname = \"simulation.step\"\nvalues = [0.25, 0.125, 0.0625]\n"
                   "[reference]\nkind = \"run\"\nset = [\"simulation.step=0.0009765625\"]\n"
                   "check_set = [\"simulation.step=0.001953125\"]\n"
                   "[errors]\nvariables = [\"lag.y\"]\n[fit]\nover = \"simulation.step\"\n");
  const Result result = workspace_.run({"study", "s.toml"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  EXPECT_NE(result.err.find("warning: study: 3 of 6 runs ended before their end"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("'clock' asked to end the simulation at 0.5 s of 1 s"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("ended-early: 3 of 6 runs"), std::string::npos) << result.out;
  const std::vector<std::string> rows = workspace_.rows("s.study/study.csv");
  ASSERT_EQ(rows.size(), 6U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NE(rows[i].find("\"ok\""), std::string::npos) << rows[i];
  for (std::size_t i = 3; i < 6; ++i) EXPECT_NE(rows[i].find("\"ended-early\",,,"), std::string::npos) << rows[i];
  const std::vector<std::string> fits = workspace_.rows("s.study/fits.csv");
  ASSERT_EQ(fits.size(), 2U);
  EXPECT_TRUE(fits[0].ends_with(",3")) << fits[0];
  EXPECT_TRUE(fits[1].ends_with(",0")) << fits[1];
}

TEST_F(StudyCommandTest, SubsystemsThatExistOncePerProcessRunSideBySide) {
  workspace_.write("once.toml",
                   "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n" + subsystem("a", "OncePerProcess"));
  workspace_.write(
      "s.toml",
      "format = 1\n[study]\nproject = \"once.toml\"\n[[vary]]\nname = \"simulation.step\"\nvalues = [0.1, 0.05, "
      "0.02]\n[reference]\nkind = \"run\"\nset = [\"simulation.step=0.01\"]\ncheck_set = [\"simulation.step=0.02\"]\n"
      "[errors]\nvariables = [\"a.y\"]\nmeasure = \"wrmse\"\n");
  const Result result = workspace_.run({"study", "s.toml", "--jobs", "3"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  for (const std::string& row : workspace_.rows("s.study/study.csv"))
    EXPECT_NE(row.find("\"ok\""), std::string::npos) << row;
}

}  // namespace
}  // namespace koppla::test
