// Runs with programs behind files that end early, and what becomes of them.

#include <algorithm>
#include <cmath>
#include <csignal>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "support/figure.hpp"

namespace koppla::test::resume_test {
namespace {

using ::testing::HasSubstr;

/// A tank, ds/dt = y, that takes one implicit step a call and goes on from a restart file, and a valve, y = -0.9 s. The
/// valve writes a line for each of its calls, and waits in one of them if it is told to.
constexpr const char* kProject = R"(format = 1
[simulation]
end = 3.0
step = 1.0
[algorithm]
kind = "iterated-gauss-seidel"
order = ["tank", "valve"]
rtol = 1e-7
[acceleration]
kind = "none"
[results]
iterations = ["*"]

[[subsystems]]
name = "tank"
program = "cat old.txt in.txt | awk '{ s = NR == 1 ? $1 : s + 0.5 * $1 } END { printf \"%.17g\\n\", s }' > new.txt"
transient = true
deck = { "in.txt" = "tank.template" }
[[subsystems.restart_files]]
write = "new.txt"
read = "old.txt"
start = "begin.txt"
[subsystems.inputs]
y = {}
[subsystems.outputs]
s = { start = 1.0, file = "new.txt", reader = "columns", columns = [1] }

[[subsystems]]
name = "valve"
program = "sh $KOPPLA_PROJECT/valve.sh"
deck = { "in.txt" = "valve.template" }
[subsystems.inputs]
s = {}
[subsystems.outputs]
y = { file = "out.txt", reader = "columns", columns = [1] }

[[connections]]
from = "tank.s"
to = "valve.s"
[[connections]]
from = "valve.y"
to = "tank.y"
)";

constexpr const char* kValve = R"sh(echo "$KOPPLA_STEP $KOPPLA_ITERATION" >> $KOPPLA_PROJECT/asked
if [ -e $KOPPLA_PROJECT/wait-at ] && [ "$(cat $KOPPLA_PROJECT/wait-at)" = "$(wc -l < $KOPPLA_PROJECT/asked)" ]; then
  touch $KOPPLA_PROJECT/waiting; exec sleep 60
fi
if [ -e $KOPPLA_PROJECT/pause ]; then
  touch $KOPPLA_PROJECT/paused; while [ -e $KOPPLA_PROJECT/pause ]; do sleep 0.05; done
fi
if [ -e $KOPPLA_PROJECT/broken ]; then echo 'no licence' >&2; exit 7; fi
awk '{ printf "%.17g\n", -0.9 * $1 }' in.txt > out.txt
)sh";

class ResumeTest : public ::testing::Test {
 protected:
  ResumeTest() {
    workspace_.write("loop.toml", kProject);
    workspace_.write("tank.template", "{{y}}\n");
    workspace_.write("valve.template", "{{s}}\n");
    workspace_.write("begin.txt", "1\n");
    workspace_.write("valve.sh", kValve);
  }

  /// What a run says that nobody disturbs.
  void runUndisturbed() {
    const Result whole = workspace_.run({"run", "loop.toml", "--folder", "whole.run"});
    ASSERT_EQ(whole.exitCode, 0) << whole.all();
    calls_ = linesOf("asked");
    ASSERT_GT(calls_, 30U);
    std::filesystem::remove(workspace_.path("asked"));
  }

  [[nodiscard]] bool hasTheSameHistory(const std::string& folder = "loop.run") const {
    return workspace_.read(folder + "/results.csv") == workspace_.read("whole.run/results.csv") &&
           workspace_.read(folder + "/iterations.csv") == workspace_.read("whole.run/iterations.csv");
  }

  /// What the report tells of a run's course.
  [[nodiscard]] std::string report(const std::string& folder) const {
    const auto json = nlohmann::json::parse(workspace_.read(folder + "/statistics.json"));
    std::string text =
        fmt::format("{} to {} s, {} evaluations", json.at("outcome").get<std::string>(),
                    json.at("reached").get<double>(), json.at("cycles").at(0).at("evaluations").get<int>());
    for (const nlohmann::json& subsystem : json.at("subsystems"))
      text += fmt::format(", {} {} calls", subsystem.at("name").get<std::string>(),
                          subsystem.at("step").at("count").get<int>());
    return text;
  }

  [[nodiscard]] std::size_t linesOf(const std::string& file) const {
    const std::string text = workspace_.read(file);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  [[nodiscard]] nlohmann::json status() const {
    return nlohmann::json::parse(workspace_.run({"status", "loop.run", "--json"}, "status").out);
  }

  Workspace workspace_;
  std::size_t calls_ = 0;  ///< of the valve in a whole run
};

TEST_F(ResumeTest, AKilledRunGoesOnAndLosesOnlyTheCallUnderWay) {
  runUndisturbed();
  constexpr std::size_t kCall = 20;
  {
    workspace_.write("wait-at", std::to_string(kCall) + "\n");
    Process process = workspace_.start({"run", "loop.toml"});
    ASSERT_TRUE(eventually([this] { return workspace_.has("waiting"); }));
    process.send(SIGKILL);
    EXPECT_EQ(process.wait().exitCode, 128 + SIGKILL);
  }
  EXPECT_FALSE(workspace_.has("loop.run/results.csv"));
  EXPECT_EQ(status()["state"], "killed");
  const Result resumed = workspace_.run({"resume", "loop.run"});
  ASSERT_EQ(resumed.exitCode, 0) << resumed.all();
  const bool same = hasTheSameHistory();
  showFigure(
      {"jung 10", "killed-and-resumed", "results and iterations equal those of a run that nobody killed, byte by byte"},
      same ? "equal" : "different", same);
  showEqual({"jung 10", "calls-repeated", "1 call, which was under way"},
            static_cast<double>(linesOf("asked") - calls_), 1.0);
  const std::string told = report("loop.run");
  showFigure({"jung 10", "report", "tells outcome, evaluations and calls, as after a run that nobody killed"}, told,
             told == report("whole.run"));
  EXPECT_THAT(workspace_.read("loop.run/run.log"), HasSubstr("19 answers came from the record of the run before"));
}

TEST_F(ResumeTest, AnotherRunOfTheSameProjectMayBeUnderWay) {
  runUndisturbed();
  workspace_.write("pause", "");
  Process first = workspace_.start({"run", "loop.toml"});
  ASSERT_TRUE(eventually([this] { return workspace_.has("paused"); }));
  Process second = workspace_.start({"run", "loop.toml", "--folder", "second.run"}, "second");
  ASSERT_TRUE(eventually([this] { return linesOf("asked") == 2; }));
  const bool together = status()["state"] == "running";
  std::filesystem::remove(workspace_.path("pause"));
  EXPECT_EQ(first.wait().exitCode, 0);
  EXPECT_EQ(second.wait().exitCode, 0);
  const bool same = hasTheSameHistory() && hasTheSameHistory("second.run");
  showFigure({"jung 10", "parallel", "two runs at once, histories equal those of a run alone, byte by byte"},
             fmt::format("{}, {}", together ? "at once" : "one after the other", same ? "equal" : "different"),
             together && same);
  showFigure({"jung 10", "files", "a folder with results is not overwritten unless asked to"},
             fmt::format("exit code {}", workspace_.run({"run", "loop.toml"}, "again").exitCode),
             workspace_.run({"run", "loop.toml"}, "again").exitCode == 2 && hasTheSameHistory());
}

TEST_F(ResumeTest, ItCanBeKilledAgainAndAgain) {
  runUndisturbed();
  std::vector<std::string> command{"run", "loop.toml"};
  std::size_t kills = 0;
  for (const std::size_t call : {std::size_t{1}, std::size_t{3}, std::size_t{26}}) {
    workspace_.write("wait-at", std::to_string(call) + "\n");
    std::filesystem::remove(workspace_.path("waiting"));
    Process process = workspace_.start(command);
    ASSERT_TRUE(eventually([this] { return workspace_.has("waiting"); }));
    process.send(SIGKILL);
    process.wait();
    ++kills;
    command = {"resume", "loop.run"};
  }
  const Result resumed = workspace_.run(command);
  ASSERT_EQ(resumed.exitCode, 0) << resumed.all();
  EXPECT_TRUE(hasTheSameHistory());
  EXPECT_EQ(linesOf("asked"), calls_ + kills);
}

TEST_F(ResumeTest, CtrlCEndsACallAtOnceAndTheRunGoesOn) {
  runUndisturbed();
  {
    workspace_.write("wait-at", "12\n");
    Process process = workspace_.start({"run", "loop.toml"});
    ASSERT_TRUE(eventually([this] { return workspace_.has("waiting"); }));
    process.send(SIGINT);
    const Result result = process.wait();
    EXPECT_EQ(result.exitCode, 130) << result.all();
    EXPECT_THAT(result.err, HasSubstr("koppla resume loop.run"));
  }
  EXPECT_EQ(status()["state"], "interrupted");
  const Result resumed = workspace_.run({"resume", "loop.run"});
  ASSERT_EQ(resumed.exitCode, 0) << resumed.all();
  EXPECT_TRUE(hasTheSameHistory());
}

TEST_F(ResumeTest, WhatFailedIsAskedAgain) {
  runUndisturbed();
  workspace_.write("broken", "");
  const Result failed = workspace_.run({"run", "loop.toml"});
  EXPECT_EQ(failed.exitCode, 3) << failed.all();
  EXPECT_THAT(failed.err, HasSubstr("no licence"));
  EXPECT_THAT(failed.err, HasSubstr("koppla resume loop.run"));
  std::filesystem::remove(workspace_.path("broken"));
  const Result resumed = workspace_.run({"resume", "loop.run"});
  ASSERT_EQ(resumed.exitCode, 0) << resumed.all();
  EXPECT_TRUE(hasTheSameHistory());
}

TEST_F(ResumeTest, AStatusTellsWhoIsWaitedFor) {
  workspace_.write("wait-at", "8\n");
  Process process = workspace_.start({"run", "loop.toml"});
  ASSERT_TRUE(eventually([this] { return workspace_.has("waiting"); }));
  const nlohmann::json now = status();
  EXPECT_EQ(now["state"], "running");
  ASSERT_EQ(now["programs"].size(), 2U);
  EXPECT_EQ(now["programs"][1]["name"], "valve");
  EXPECT_EQ(now["programs"][1]["calls"], 7);
  EXPECT_TRUE(now["programs"][1].contains("under_way")) << now;
  EXPECT_FALSE(now["programs"][0].contains("under_way")) << now;
  EXPECT_THAT(workspace_.run({"status", "loop.run"}, "status").out, HasSubstr("running"));
  const Result busy = workspace_.run({"resume", "loop.run"}, "busy");
  EXPECT_EQ(busy.exitCode, 2);
  EXPECT_THAT(busy.err, HasSubstr("The run in loop.run goes on."));
  process.send(SIGKILL);
  process.wait();
  EXPECT_THAT(workspace_.run({"status", "loop.run"}, "status").out, HasSubstr("Go on with: koppla resume loop.run"));
}

TEST_F(ResumeTest, ACompleteRunCanGoOnBeyondItsEnd) {
  runUndisturbed();
  ASSERT_EQ(workspace_.run({"run", "loop.toml", "--end", "1"}).exitCode, 0);
  const std::size_t before = linesOf("asked");
  const Result nothing = workspace_.run({"resume", "loop.run"});
  EXPECT_EQ(nothing.exitCode, 0) << nothing.all();
  EXPECT_THAT(nothing.out, HasSubstr("is complete"));
  EXPECT_EQ(linesOf("asked"), before);
  EXPECT_EQ(status()["state"], "completed");
  const Result resumed = workspace_.run({"resume", "loop.run", "--end", "3"});
  ASSERT_EQ(resumed.exitCode, 0) << resumed.all();
  EXPECT_TRUE(hasTheSameHistory());
  EXPECT_EQ(linesOf("asked"), calls_);
}

TEST_F(ResumeTest, AnEndBeforeWhatIsThereIsRefusedAndLeavesIt) {
  runUndisturbed();
  ASSERT_EQ(workspace_.run({"run", "loop.toml"}).exitCode, 0);
  const Workspace::Snapshot before = workspace_.snapshot();
  for (const std::vector<std::string>& change :
       {std::vector<std::string>{"--end", "1"}, std::vector<std::string>{"--set", "simulation.end=2.0"}}) {
    const Result refused = workspace_.run({"resume", "loop.run", change[0], change[1]});
    EXPECT_EQ(refused.exitCode, 2) << refused.all();
    EXPECT_THAT(refused.err, HasSubstr("The run in loop.run has come to 3 s; an end at"));
    EXPECT_THAT(refused.err, HasSubstr("would cut off its rows"));
    EXPECT_TRUE(workspace_.snapshot() == before);
  }
}

TEST_F(ResumeTest, TheProjectIsThatOfTheRunWhateverBecameOfTheFile) {
  runUndisturbed();
  workspace_.write("broken", "");
  EXPECT_EQ(workspace_.run({"run", "loop.toml"}).exitCode, 3);
  std::filesystem::remove(workspace_.path("broken"));
  workspace_.write("loop.toml", "format = 1\n");
  const Result resumed = workspace_.run({"resume", "loop.run"});
  ASSERT_EQ(resumed.exitCode, 0) << resumed.all();
  EXPECT_TRUE(hasTheSameHistory());
}

TEST_F(ResumeTest, AnswersOfAnotherTemplateAreRefused) {
  workspace_.write("broken", "");
  EXPECT_EQ(workspace_.run({"run", "loop.toml"}).exitCode, 3);
  std::filesystem::remove(workspace_.path("broken"));
  workspace_.write("valve.template", "{{s}} \n");
  const Workspace::Snapshot before = workspace_.snapshot();
  const Result refused = workspace_.run({"resume", "loop.run"});
  EXPECT_EQ(refused.exitCode, 2) << refused.all();
  EXPECT_THAT(refused.err, HasSubstr("The program 'valve' has changed since"));
  EXPECT_THAT(refused.err, HasSubstr("koppla run --overwrite"));
  EXPECT_TRUE(workspace_.snapshot() == before);
}

TEST_F(ResumeTest, AnswersOfAnotherScriptAreRefused) {
  workspace_.write("broken", "");
  EXPECT_EQ(workspace_.run({"run", "loop.toml"}).exitCode, 3);
  std::filesystem::remove(workspace_.path("broken"));
  workspace_.write("valve.sh", std::string(kValve) + "# changed\n");
  const Result refused = workspace_.run({"resume", "loop.run"});
  EXPECT_EQ(refused.exitCode, 2) << refused.all();
  EXPECT_THAT(refused.err, HasSubstr("The program 'valve' has changed since"));
}

TEST_F(ResumeTest, StatisticsThatCannotTakeTheirPlaceAreFailedOutputAndTheRunIsToldOf) {
  workspace_.write("valve.sh", "mkdir -p $KOPPLA_PROJECT/loop.run/statistics.json/in-the-way\n" + std::string(kValve));
  const Result result = workspace_.run({"run", "loop.toml"});
  EXPECT_EQ(result.exitCode, 6) << result.all();
  EXPECT_THAT(result.out, HasSubstr("output failed at t = 3 s"));
  EXPECT_THAT(result.err, HasSubstr("loop.run/statistics.json cannot be written: Is a directory."));
  EXPECT_THAT(workspace_.read("loop.run/run.log"), HasSubstr("output failed"));
  EXPECT_TRUE(workspace_.has("loop.run/results.csv"));
}

/// What comes of it is not told as well.
TEST_F(ResumeTest, OfTwoFailuresTheFirstOneCounts) {
  workspace_.write("broken", "");
  workspace_.write("valve.sh", "mkdir -p $KOPPLA_PROJECT/loop.run/statistics.json/in-the-way\n" + std::string(kValve));
  const Result result = workspace_.run({"run", "loop.toml"});
  EXPECT_EQ(result.exitCode, 3) << result.all();
  EXPECT_THAT(result.err, HasSubstr("no licence"));
  EXPECT_THAT(result.err, ::testing::Not(HasSubstr("statistics.json cannot be written")));
}

TEST_F(ResumeTest, RestartFilesThatAreNotWhatTheyWereAreRefused) {
  ASSERT_EQ(workspace_.run({"run", "loop.toml", "--end", "1"}).exitCode, 0);
  std::size_t damaged = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(workspace_.path("loop.run/programs/tank/restart"))) {
    if (!entry.is_regular_file()) continue;
    core::writeWhole(entry.path(), "0.5\n");
    ++damaged;
  }
  ASSERT_GT(damaged, 0U);
  const Result refused = workspace_.run({"resume", "loop.run", "--end", "2"});
  EXPECT_EQ(refused.exitCode, 3) << refused.all();
  EXPECT_THAT(refused.err, HasSubstr("are not what the program has left there"));
}

TEST_F(ResumeTest, ADamagedStatusIsNoObstacle) {
  runUndisturbed();
  workspace_.write("wait-at", "12\n");
  {
    Process process = workspace_.start({"run", "loop.toml"});
    ASSERT_TRUE(eventually([this] { return workspace_.has("waiting"); }));
    process.send(SIGKILL);
    process.wait();
  }
  for (const char* content : {"", "{\"time\": [1], \"started\": 3, \"process\": \"abc\"}", "[]", "{\"ti"}) {
    workspace_.write("loop.run/status.json", content);
    EXPECT_EQ(workspace_.run({"status", "loop.run"}).exitCode, 0) << content;
    EXPECT_EQ(status()["state"], "killed") << content;
  }
  const Result resumed = workspace_.run({"resume", "loop.run"});
  ASSERT_EQ(resumed.exitCode, 0) << resumed.all();
  EXPECT_TRUE(hasTheSameHistory());
}

TEST_F(ResumeTest, MistakesInTheCopyOfTheProjectAreToldWithItsPlace) {
  workspace_.write("broken", "");
  EXPECT_EQ(workspace_.run({"run", "loop.toml"}).exitCode, 3);
  const std::string copy = workspace_.read("loop.run/project.toml");
  workspace_.write("loop.run/project.toml", copy.substr(0, copy.find("[results]")) + "nonsense\n");
  const Result refused = workspace_.run({"resume", "loop.run"});
  EXPECT_EQ(refused.exitCode, 2) << refused.all();
  EXPECT_THAT(refused.err, HasSubstr("loop.run/project.toml"));
}

/// What is not there has no line to be told.
TEST_F(ResumeTest, WhatTheCopyOfTheProjectLacksIsToldWithItsPlace) {
  workspace_.write("broken", "");
  EXPECT_EQ(workspace_.run({"run", "loop.toml"}).exitCode, 3);
  std::string copy = workspace_.read("loop.run/project.toml");
  const std::string format = "format = 1\n";
  ASSERT_NE(copy.find(format), std::string::npos);
  workspace_.write("loop.run/project.toml", copy.erase(copy.find(format), format.size()));
  const Result refused = workspace_.run({"resume", "loop.run"});
  EXPECT_EQ(refused.exitCode, 2) << refused.all();
  EXPECT_THAT(refused.err, HasSubstr("There is no 'format' in "));
  EXPECT_THAT(refused.err, HasSubstr("loop.run/project.toml: This copy of the project was read"));
}

TEST_F(ResumeTest, MistakesOfTheCommandLineAreNotBlamedOnTheCopy) {
  workspace_.write("broken", "");
  EXPECT_EQ(workspace_.run({"run", "loop.toml"}).exitCode, 3);
  const Result result = workspace_.run({"resume", "loop.run", "--end", "nan"});
  EXPECT_EQ(result.exitCode, 2) << result.all();
  EXPECT_EQ(result.err, "error: command line: 'end' in [simulation] is nan; it must be finite.\n");
}

TEST_F(ResumeTest, WhatIsNoRunFolderIsRefused) {
  for (const char* command : {"status", "resume"}) {
    const Result refused = workspace_.run({command, "nowhere.run"});
    EXPECT_EQ(refused.exitCode, 2) << refused.all();
    EXPECT_THAT(refused.err, HasSubstr("nowhere.run is not the folder of a run."));
  }
}

TEST_F(ResumeTest, TheProcessorTimeOfEachProgramIsTold) {
  ASSERT_EQ(workspace_.run({"run", "loop.toml", "--end", "1"}).exitCode, 0);
  double sum = 0.0;
  for (const std::string& row : workspace_.rows("loop.run/programs/valve/calls.csv")) {
    std::vector<std::string> cells;
    std::istringstream in(row);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 8U) << row;
    EXPECT_GT(std::stod(cells[6]), 0.0) << "a process takes time: " << row;
    sum += std::stod(cells[6]);
  }
  const nlohmann::json status = nlohmann::json::parse(workspace_.run({"status", "loop.run", "--json"}).out);
  const nlohmann::json statistics = nlohmann::json::parse(workspace_.read("loop.run/statistics.json"));
  const nlohmann::json& programs = status["programs"];
  const auto valve =
      std::ranges::find(programs, "valve", [](const nlohmann::json& program) { return program["name"]; });
  ASSERT_NE(valve, programs.end());
  const double ofProgram = (*valve)["processor_time"].get<double>();
  const double own = statistics["processor_time"].get<double>();
  showFigure({"schmoll R33", "processes", "processor time of Koppla and of each program's processes"},
             fmt::format("{} s, {} s", own > 0.0 ? "> 0" : "0", ofProgram > 0.0 ? "> 0" : "0"),
             own > 0.0 && ofProgram > 0.0 && std::fabs(ofProgram - sum) < 1e-9);
}

TEST_F(ResumeTest, EveryCallHasItsLine) {
  ASSERT_EQ(workspace_.run({"run", "loop.toml", "--end", "1"}).exitCode, 0);
  const std::vector<std::string> rows = workspace_.rows("loop.run/programs/valve/calls.csv");
  ASSERT_EQ(rows.size(), linesOf("asked"));
  std::istringstream asked(workspace_.read("asked"));
  for (const std::string& row : rows) {
    std::string step, call;
    asked >> step >> call;
    EXPECT_TRUE(row.starts_with(step + "," + call + ",")) << row;
    EXPECT_TRUE(row.ends_with(",ok")) << row;
  }
}

}  // namespace
}  // namespace koppla::test::resume_test
