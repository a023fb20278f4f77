// What a run leaves in its folder, and what it leaves alone there.

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "command.hpp"

namespace koppla::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> filesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

const std::vector<std::string> kFiles{"ingredients.txt",   "project.toml", "results.csv",
                                      "results.units.csv", "run.log",      "statistics.json"};

class RunFolderTest : public ::testing::Test {
 protected:
  RunFolderTest() { workspace_.write("p.toml", project()); }

  [[nodiscard]] Result run(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"run", "p.toml"});
    return workspace_.run(more);
  }

  Workspace workspace_;
};

TEST_F(RunFolderTest, HoldsResultsUnitsStatisticsLogAndProject) {
  const Result result = run();
  ASSERT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(filesIn(workspace_.path("p.run")), kFiles);
  EXPECT_EQ(workspace_.read("p.run/results.csv").substr(0, 22), "\"time\",\"a.y\"\n0,0\n0.1,0");
  EXPECT_EQ(workspace_.rows("p.run/results.csv").size(), 11U);
  EXPECT_EQ(workspace_.rows("p.run/results.csv").back(), "1,0");
  EXPECT_NE(workspace_.read("p.run/results.units.csv").find("\"a.y\",\"real\""), std::string::npos)
      << workspace_.read("p.run/results.units.csv");
  EXPECT_TRUE(workspace_.read("p.run/project.toml").ends_with(project())) << workspace_.read("p.run/project.toml");
  const std::string log = workspace_.read("p.run/run.log");
  EXPECT_NE(log.find(" runs p.toml"), std::string::npos) << log;
  EXPECT_NE(log.find("Inputs that are not connected and keep their start values: a.u."), std::string::npos) << log;
  EXPECT_NE(log.find("completed"), std::string::npos) << log;
  EXPECT_NE(log.find("master algorithm"), std::string::npos) << log;
  EXPECT_NE(result.out.find("results in p.run"), std::string::npos) << result.out;
  EXPECT_EQ(workspace_.leftovers(), std::vector<std::string>{});
}

TEST_F(RunFolderTest, StatisticsAreJsonWithExactCounts) {
  ASSERT_EQ(run({"--quiet"}).exitCode, 0);
  const auto statistics = nlohmann::json::parse(workspace_.read("p.run/statistics.json"));
  EXPECT_EQ(statistics["outcome"], "completed");
  EXPECT_EQ(statistics["project"], "p.toml");
  EXPECT_EQ(statistics["message"], "");
  EXPECT_EQ(statistics["start"], 0.0);
  EXPECT_EQ(statistics["end"], 1.0);
  EXPECT_EQ(statistics["reached"], 1.0);
  EXPECT_EQ(statistics["accepted_steps"], 10);
  EXPECT_EQ(statistics["algorithm"]["count"], 10);
  EXPECT_EQ(statistics["output"]["count"], 11);
  EXPECT_EQ(statistics["subsystems"][0]["name"], "a");
  EXPECT_EQ(statistics["subsystems"][0]["step"]["count"], 10);
  EXPECT_EQ(statistics["subsystems"][0]["save"]["count"], 0);
  EXPECT_GE(statistics["wall_clock"], statistics["initialisation"]);
}

TEST_F(RunFolderTest, JsonOnStandardOutputIsThatOfTheFile) {
  const Result result = run({"--json"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(nlohmann::json::parse(result.out), nlohmann::json::parse(workspace_.read("p.run/statistics.json")));
  EXPECT_EQ(result.err, "");
}

TEST_F(RunFolderTest, QuietMeansSilent) {
  const Result result = run({"--quiet"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.out + result.err, "");
}

TEST_F(RunFolderTest, OverridesActAndAreNotedInTheCopyOfTheProject) {
  const Result result =
      run({"--quiet", "--set", "a.b=2.5", "--end", "0.4", "--step=0.2", "--set", "results.folder=other"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(workspace_.rows("other/results.csv"), (std::vector<std::string>{"0,2.5", "0.2,2.5", "0.4,2.5"}));
  const std::string copy = workspace_.read("other/project.toml");
  EXPECT_NE(copy.find(project()), std::string::npos) << copy;
  for (const char* note : {"# --set a.b=2.5\n", "# --set simulation.end=0.4\n", "# --set simulation.step=0.2\n"})
    EXPECT_NE(copy.find(note), std::string::npos) << copy;
  EXPECT_FALSE(workspace_.has("p.run"));
}

TEST_F(RunFolderTest, OverwritingReplacesFilesOfTheRunAndNoOthers) {
  ASSERT_EQ(run({"--quiet", "--set", "a.b=7"}).exitCode, 0);
  workspace_.write("p.run/notes.txt", "mine");
  workspace_.write("p.run/results.partial.csv", "of an earlier run");
  ASSERT_EQ(run({"--quiet"}).exitCode, 2);
  EXPECT_EQ(workspace_.rows("p.run/results.csv").back(), "1,7");
  ASSERT_EQ(run({"--quiet", "--overwrite"}).exitCode, 0);
  EXPECT_EQ(workspace_.rows("p.run/results.csv").back(), "1,0");
  EXPECT_EQ(workspace_.read("p.run/notes.txt"), "mine");
  EXPECT_FALSE(workspace_.has("p.run/results.partial.csv"));
  EXPECT_EQ(filesIn(workspace_.path("p.run")).size(), kFiles.size() + 1);
}

TEST_F(RunFolderTest, AFailedRunDoesNotKeepTheResultsOfTheOneBefore) {
  workspace_.write("p.toml", project(subsystem("bad", "Failing")));
  ASSERT_EQ(run({"--quiet"}).exitCode, 0);
  ASSERT_EQ(run({"--quiet", "--overwrite", "--set", "bad.call=doStep", "--set", "bad.at=0.5"}).exitCode, 3);
  EXPECT_FALSE(workspace_.has("p.run/results.csv"));
  EXPECT_TRUE(workspace_.has("p.run/results.partial.csv"));
}

TEST_F(RunFolderTest, BadInputLeavesTheResultsOfTheRunBefore) {
  ASSERT_EQ(run({"--quiet"}).exitCode, 0);
  const Workspace::Snapshot before = workspace_.snapshot();
  ASSERT_EQ(run({"--quiet", "--overwrite", "--set", "a.kk=1"}).exitCode, 2);
  EXPECT_TRUE(workspace_.snapshot() == before);
}

TEST_F(RunFolderTest, NoMessageGetsIntoTheResultsWhereStreamsAreClosed) {
  workspace_.write("p.toml", project(subsystem("bad", "Failing")));
  EXPECT_EQ(workspace_.runWithoutStreams({"run", "p.toml", "--set", "bad.call=doStep", "--set", "bad.at=0.15"}), 3);
  EXPECT_EQ(workspace_.read("p.run/results.partial.csv"), "\"time\",\"a.y\",\"bad.y\"\n0,0,0\n0.1,0,0\n0.2,0,0\n");
}

TEST_F(RunFolderTest, AnEmptyFolderIsTaken) {
  fs::create_directories(workspace_.path("deep/er"));
  ASSERT_EQ(run({"--quiet", "--folder", "deep/er"}).exitCode, 0);
  ASSERT_EQ(run({"--quiet", "--folder", "deeper/still"}).exitCode, 0);
  EXPECT_EQ(filesIn(workspace_.path("deep/er")), kFiles);
  EXPECT_EQ(filesIn(workspace_.path("deeper/still")), kFiles);
}

TEST_F(RunFolderTest, AFolderThatMayNotBeWrittenToIsBadInput) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::create_directory(workspace_.path("p.run"));
  fs::permissions(workspace_.path("p.run"), fs::perms::owner_read | fs::perms::owner_exec);
  const Result result = run();
  EXPECT_EQ(result.exitCode, 2) << result.all();
  EXPECT_NE(result.err.find("p.run"), std::string::npos) << result.err;
  EXPECT_EQ(workspace_.leftovers(), std::vector<std::string>{});
  fs::permissions(workspace_.path("p.run"), fs::perms::owner_all);
}

TEST_F(RunFolderTest, HoldsHdf5WhereItIsAskedFor) {
  ASSERT_EQ(run({"--quiet"}).exitCode, 0);
  ASSERT_EQ(run({"--quiet", "--overwrite", "--set", "results.format=hdf5"}).exitCode, 0);
  EXPECT_EQ(filesIn(workspace_.path("p.run")),
            (std::vector<std::string>{"ingredients.txt", "project.toml", "results.h5", "run.log", "statistics.json"}));
  ASSERT_EQ(run({"--quiet", "--folder", "both", "--set", "results.format=[\"csv\", \"hdf5\"]"}).exitCode, 0);
  EXPECT_TRUE(workspace_.has("both/results.csv"));
  EXPECT_TRUE(workspace_.has("both/results.h5"));
  const Result same = workspace_.run({"compare", "p.run", "both/results.csv", "--rtol", "0", "--atol", "0"});
  EXPECT_EQ(same.exitCode, 0) << same.all();
  ASSERT_EQ(run({"--quiet", "--folder", "both", "--overwrite"}).exitCode, 0);
  EXPECT_EQ(filesIn(workspace_.path("both")), kFiles) << "nothing of the run before";
}

TEST_F(RunFolderTest, AFailedRunLeavesItsRowsInHdf5) {
  workspace_.write("p.toml", project(subsystem("bad", "Failing") + "[results]\nformat = \"hdf5\"\n"));
  const Result result = run({"--quiet", "--set", "bad.call=doStep", "--set", "bad.at=0.15"});
  ASSERT_EQ(result.exitCode, 3) << result.all();
  EXPECT_NE(result.err.find("p.run/results.partial.h5"), std::string::npos) << result.err;
  const Result picture = workspace_.run({"plot", "p.run/results.partial.h5", "a.y"});
  EXPECT_EQ(picture.exitCode, 0) << picture.all();
}

}  // namespace
}  // namespace koppla::test
