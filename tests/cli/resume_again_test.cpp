// Runs inside the process that are resumed: their subsystems are simulated again, and rows that are there stay.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"

namespace koppla::test::resume_again_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSignal = R"(format = 1
simulation = { end = 2.0, step = 1.0 }
[[subsystems]]
name = "s"
model = "signal"
file = "sig.csv"
)";

class ResumeAgainTest : public ::testing::Test {
 protected:
  /// Is refused with this text, and changes nothing.
  void expectRefusal(const std::vector<std::string>& command, const std::string& text) const {
    const Workspace::Snapshot before = workspace_.snapshot();
    const Result refused = workspace_.run(command);
    EXPECT_EQ(refused.exitCode, 2) << refused.all();
    EXPECT_THAT(refused.err, HasSubstr(text));
    EXPECT_TRUE(workspace_.snapshot() == before) << refused.all();
  }

  Workspace workspace_;
};

TEST_F(ResumeAgainTest, OtherSamplesAreRefused) {
  workspace_.write("sg.toml", kSignal);
  workspace_.write("sig.csv", "time,y\n0,0\n4,4\n");
  ASSERT_EQ(workspace_.run({"run", "sg.toml"}).exitCode, 0);
  workspace_.write("sig.csv", "time,y\n0,7\n4,7\n");
  expectRefusal({"resume", "sg.run", "--end", "4"}, "sig.csv has changed since the run began");
  expectRefusal({"resume", "sg.run", "--end", "4"}, "`koppla run --overwrite`");
  workspace_.write("sig.csv", "time,y\n0,0\n4,4\n");
  const Result resumed = workspace_.run({"resume", "sg.run", "--end", "4"});
  ASSERT_EQ(resumed.exitCode, 0) << resumed.all();
  EXPECT_EQ(workspace_.rows("sg.run/results.csv").back(), "4,4");
  EXPECT_EQ(resumed.err, "") << "a later end makes more rows and no others";
  EXPECT_EQ(resumed.out.find("With other settings"), std::string::npos) << resumed.out;
}

TEST_F(ResumeAgainTest, AnotherFmuOfTheSameNameIsRefused) {
  const std::string parts = "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n" + subsystem("a", "mine.fmu");
  workspace_.write("p.toml", parts);
  const std::string original = core::readWhole(workspace_.path("fmus/Gain.fmu"));
  workspace_.write("mine.fmu", original);
  ASSERT_EQ(workspace_.run({"run", "p.toml"}).exitCode, 0);
  workspace_.write("mine.fmu", core::readWhole(workspace_.path("fmus/CosineGain.fmu")));
  expectRefusal({"resume", "p.run", "--end", "2"}, "mine.fmu has changed since the run began");
  workspace_.write("mine.fmu", original);
  EXPECT_EQ(workspace_.run({"resume", "p.run", "--end", "2"}).exitCode, 0);
}

TEST_F(ResumeAgainTest, OtherFilesThanThoseOfTheRunAreRefused) {
  workspace_.write("sg.toml", kSignal);
  workspace_.write("sig.csv", "time,y\n0,0\n4,4\n");
  workspace_.write("other.csv", "time,y\n0,0\n4,8\n");
  ASSERT_EQ(workspace_.run({"run", "sg.toml"}).exitCode, 0);
  expectRefusal({"resume", "sg.run", "--end", "4", "--set", "s.file=other.csv"},
                "other.csv had no part in the run so far");
}

TEST_F(ResumeAgainTest, AFolderWithoutTheListOfFilesIsResumedWithAWarning) {
  workspace_.write("sg.toml", kSignal);
  workspace_.write("sig.csv", "time,y\n0,0\n4,4\n");
  ASSERT_EQ(workspace_.run({"run", "sg.toml"}).exitCode, 0);
  std::filesystem::remove(workspace_.path("sg.run/ingredients.txt"));  // as of an earlier Koppla
  const Result resumed = workspace_.run({"resume", "sg.run", "--end", "4"});
  EXPECT_EQ(resumed.exitCode, 0) << resumed.all();
  EXPECT_THAT(resumed.err, HasSubstr("whether they have changed cannot be checked"));
  EXPECT_TRUE(workspace_.has("sg.run/ingredients.txt"));
}

TEST_F(ResumeAgainTest, RowsOnTheDiskCountWhateverTheStatusTells) {
  workspace_.write("sg.toml", kSignal);
  workspace_.write("sig.csv", "time,y\n0,0\n4,4\n");
  ASSERT_EQ(workspace_.run({"run", "sg.toml"}).exitCode, 0);
  // As `kill -9` leaves it: no statistics, rows in the partial file, a status that is behind them.
  std::filesystem::remove(workspace_.path("sg.run/statistics.json"));
  std::filesystem::rename(workspace_.path("sg.run/results.csv"), workspace_.path("sg.run/results.partial.csv"));
  workspace_.write("sg.run/status.json", R"({"format": 1, "time": 1.0, "start": 0.0, "end": 2.0})");
  expectRefusal({"resume", "sg.run", "--end", "1"}, "The run in sg.run has come to 2 s; an end at 1 s would cut off");
}

TEST_F(ResumeAgainTest, ARunHasComeAsFarAsAnyOfItsFilesTells) {
  workspace_.write("sg.toml", kSignal);
  workspace_.write("sig.csv", "time,y\n0,0\n4,4\n");
  ASSERT_EQ(workspace_.run({"run", "sg.toml"}).exitCode, 0);
  for (const char* file : {"results.csv", "results.units.csv", "statistics.json"})
    std::filesystem::remove(workspace_.path(std::string("sg.run/") + file));
  workspace_.write("sg.run/status.json", R"({"format": 1, "time": 1.5})");
  expectRefusal({"resume", "sg.run", "--end", "1"}, "The run in sg.run has come to 1.5 s; an end at 1 s would cut off");
  workspace_.write("sg.run/statistics.json", R"({"outcome": "interrupted", "reached": 1.75})");
  expectRefusal({"resume", "sg.run", "--end", "1"},
                "The run in sg.run has come to 1.75 s; an end at 1 s would cut off");
  const Result resumed =
      workspace_.run({"resume", "sg.run", "--end", "1.75", "--set", "simulation.step=0.25", "--quiet"});
  EXPECT_EQ(resumed.exitCode, 0) << resumed.all();  // an end there cuts nothing off
  EXPECT_EQ(workspace_.rows("sg.run/results.csv").back(), "1.75,1.75");
}

/// Bytes of the longest record of results; rows of a run repeated are the same, byte by byte.
std::uintmax_t longest(const Workspace& workspace) {
  std::uintmax_t most = 0;
  for (const char* name : {"results.partial.csv", "results.before.partial.csv"}) {
    std::error_code none;  // it may go while we look
    const std::uintmax_t bytes = std::filesystem::file_size(workspace.path(std::string("sg.run/") + name), none);
    if (!none) most = std::max(most, bytes);
  }
  return most;
}

TEST_F(ResumeAgainTest, KilledAgainItLosesNoRow) {
  workspace_.write("sg.toml", kSignal);
  workspace_.write("sig.csv", "time,y\n0,0\n4,4\n");
  std::uintmax_t bytes = 5'000'000;  // repeated in about a tenth of a second
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", "sg.toml", "--end", "1e9"}, std::vector<std::string>{"resume", "sg.run"},
        std::vector<std::string>{"resume", "sg.run"}}) {
    const auto there = [this] {
      std::error_code none;
      return std::pair(workspace_.has("sg.run/results.before.partial.csv"),
                       std::filesystem::file_size(workspace_.path("sg.run/results.partial.csv"), none));
    };
    const auto before = there();
    const bool first = command.front() == "run";
    Process process = workspace_.start(command);
    // As soon as a resumed run has begun its own record.
    ASSERT_TRUE(eventually([&] { return first ? longest(workspace_) > bytes : there() != before; }));
    process.send(SIGKILL);
    process.wait();
    EXPECT_GE(longest(workspace_), bytes) << command.front();
    bytes = longest(workspace_);
  }
  Process process = workspace_.start({"resume", "sg.run"});
  ASSERT_TRUE(eventually([&] { return longest(workspace_) > bytes; }));
  process.send(SIGINT);
  EXPECT_EQ(process.wait().exitCode, 130);
  EXPECT_GT(std::filesystem::file_size(workspace_.path("sg.run/results.partial.csv")), bytes);
  EXPECT_FALSE(workspace_.has("sg.run/results.before.partial.csv"));
}

/// The program fails where a file tells it to: a resumed run that ends earlier than the one before.
TEST_F(ResumeAgainTest, FailingEarlierItLeavesTheRowsOfBefore) {
  workspace_.write("sg.toml", kSignal + std::string(R"([[subsystems]]
name = "p"
program = "sh $KOPPLA_PROJECT/p.sh"
[subsystems.outputs]
y = { file = "out.txt", reader = "columns", columns = [1] }
)"));
  workspace_.write("sig.csv", "time,y\n0,0\n4,4\n");
  workspace_.write("p.sh", "test ! -e $KOPPLA_PROJECT/broken && echo 1 > out.txt\n");
  const Result whole = workspace_.run({"run", "sg.toml"});
  ASSERT_EQ(whole.exitCode, 0) << whole.all();
  const std::string rows = workspace_.read("sg.run/results.csv");
  std::filesystem::remove_all(workspace_.path("sg.run/programs"));  // so that it is asked again
  workspace_.write("broken", "");
  const Result failed = workspace_.run({"resume", "sg.run", "--end", "4"});
  EXPECT_EQ(failed.exitCode, 3) << failed.all();
  EXPECT_EQ(workspace_.read("sg.run/results.csv"), rows);
  EXPECT_THAT(workspace_.run({"status", "sg.run"}).out,
              HasSubstr("The rows of the run before are still there; they go to 2 s."));
  expectRefusal({"resume", "sg.run", "--end", "1"}, "The run in sg.run has come to 2 s");
}

/// ln(k - t), which ends where t comes to k.
constexpr const char* kLogarithm = R"toml(format = 1
simulation = { end = 2.0, step = 0.5 }
[[subsystems]]
name = "e"
model = "expressions"
parameters = { k = 5.0 }
outputs = { y = "log(k - t)" }
)toml";

TEST_F(ResumeAgainTest, RowsOfOtherSettingsAreNeverPutBack) {
  workspace_.write("e.toml", kLogarithm);
  ASSERT_EQ(workspace_.run({"run", "e.toml"}).exitCode, 0);
  const std::string rows = workspace_.read("e.run/results.csv");
  const std::string project = workspace_.read("e.run/project.toml");
  // The same again, without a further change: the rows are still those of the first settings.
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"resume", "e.run", "--end", "3", "--set", "e.k=1.2"},
        std::vector<std::string>{"resume", "e.run"}}) {
    const Result failed = workspace_.run(command);
    EXPECT_EQ(failed.exitCode, 5) << failed.all();
    const bool changed = command.size() > 2;
    EXPECT_EQ(failed.err.find("With other settings the run is simulated again from its start. Its rows so far, to 2 s, "
                              "stay as e.run/results.before.* until it has come further.") != std::string::npos,
              changed)
        << failed.all();
    EXPECT_THAT(failed.err, HasSubstr("The rows of the settings before go to 2 s and stay as results.before.*"));
    EXPECT_EQ(workspace_.read("e.run/results.before.csv"), rows);
    EXPECT_EQ(workspace_.read("e.run/results.before.project.toml"), project);
    EXPECT_FALSE(workspace_.has("e.run/results.csv"));
    const std::vector<std::string> present = workspace_.rows("e.run/results.partial.csv");
    ASSERT_FALSE(present.empty());
    EXPECT_TRUE(present.front().starts_with("0,0.18232155")) << present.front();  // ln 1.2
    EXPECT_THAT(workspace_.run({"status", "e.run"}).out, HasSubstr("go to 2 s and stay as results.before.*"));
  }
  const Result whole = workspace_.run({"resume", "e.run", "--set", "e.k=6"});
  ASSERT_EQ(whole.exitCode, 0) << whole.all();
  EXPECT_TRUE(workspace_.rows("e.run/results.csv").front().starts_with("0,1.79175946"));  // ln 6
  for (const char* const file : {"results.before.csv", "results.before.units.csv", "results.before.project.toml"})
    EXPECT_FALSE(workspace_.has(std::string("e.run/") + file)) << file;
}

TEST_F(ResumeAgainTest, QuietlyItSaysNothingOfOtherSettings) {
  workspace_.write("e.toml", kLogarithm);
  ASSERT_EQ(workspace_.run({"run", "e.toml"}).exitCode, 0);
  const Result resumed = workspace_.run({"resume", "e.run", "--set", "e.k=6", "--quiet"});
  EXPECT_EQ(resumed.exitCode, 0) << resumed.all();
  EXPECT_EQ(resumed.out + resumed.err, "");
  EXPECT_THAT(workspace_.read("e.run/run.log"), HasSubstr("With other settings the run is simulated again"));
  const Result json = workspace_.run({"resume", "e.run", "--end", "3", "--json"});
  EXPECT_EQ(json.exitCode, 0) << json.all();
  EXPECT_TRUE(json.out.starts_with("{")) << json.out;
}

/// Two halves of a loop, y = k t (z + 1) and z = y / 2, so y = k t / (1 - k t/2): beyond the limit of 50 at 0.5 s for k
/// = 3.9.
TEST_F(ResumeAgainTest, AHistoryOfIterationsOfOtherSettingsIsSetAsideToo) {
  workspace_.write("loop.toml", R"toml(format = 1
simulation = { end = 1.0, step = 0.5, explosion_limit = 50.0 }
algorithm = { kind = "iterated-gauss-seidel" }
results = { iterations = ["*"] }
[[subsystems]]
name = "a"
model = "expressions"
inputs = { z = 0.0 }
parameters = { k = 1.0 }
outputs = { y = "t*k*(z + 1)" }
[[subsystems]]
name = "b"
model = "expressions"
inputs = { y = 0.0 }
outputs = { z = "y/2" }
[[connections]]
from = "a.y"
to = "b.y"
[[connections]]
from = "b.z"
to = "a.z"
)toml");
  const Result whole = workspace_.run({"run", "loop.toml"});
  ASSERT_EQ(whole.exitCode, 0) << whole.all();
  const std::string history = workspace_.read("loop.run/iterations.csv");
  const Result failed = workspace_.run({"resume", "loop.run", "--set", "a.k=3.9"});
  ASSERT_EQ(failed.exitCode, 5) << failed.all();
  EXPECT_EQ(workspace_.read("loop.run/iterations.before.csv"), history);
  EXPECT_TRUE(workspace_.has("loop.run/iterations.before.project.toml"));
}

TEST_F(ResumeAgainTest, AnotherProgramInPathIsRefused) {
  workspace_.write("p.toml", R"(format = 1
simulation = { end = 1.0, step = 1.0 }
[[subsystems]]
name = "p"
program = ["mycalc"]
[subsystems.outputs]
y = { file = "out.txt", reader = "columns", columns = [1] }
)");
  std::filesystem::create_directory(workspace_.path("bin"));
  const char* const path = std::getenv("PATH");
  workspace_.setVariable("PATH", workspace_.path("bin").string() + ":" + (path == nullptr ? "/usr/bin:/bin" : path));
  const auto install = [this](const std::string& text) {
    workspace_.write("bin/mycalc", text);
    std::filesystem::permissions(workspace_.path("bin/mycalc"), std::filesystem::perms::owner_all);
  };
  install("#!/bin/sh\necho 2 > out.txt\n");
  const Result first = workspace_.run({"run", "p.toml"});
  ASSERT_EQ(first.exitCode, 0) << first.all();
  install("#!/bin/sh\necho 7 > out.txt\n");
  expectRefusal({"resume", "p.run", "--end", "2"}, "The program 'p' has changed since the run began");
  install("#!/bin/sh\necho 2 > out.txt\n");
  EXPECT_EQ(workspace_.run({"resume", "p.run", "--end", "2"}).exitCode, 0);
}

}  // namespace
}  // namespace koppla::test::resume_again_test
