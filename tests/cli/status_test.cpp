// What `koppla status` tells of a run from the files in its folder.

#include <chrono>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>

#include "koppla/core/descriptor.hpp"
#include "koppla/core/moment.hpp"

#include "command.hpp"
#include "support/matches.hpp"

namespace koppla::test::status_command_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

class StatusCommandTest : public ::testing::Test {
 protected:
  StatusCommandTest() {
    workspace_.write("r/project.toml",
                     "# Copy of /x/p.toml as it was run; relative paths start from there.\nformat = 1\n");
  }

  [[nodiscard]] std::string told() const {
    const Result result = workspace_.run({"status", "r"});
    EXPECT_EQ(result.exitCode, 0) << result.all();
    EXPECT_EQ(result.err, "");
    return result.out;
  }
  [[nodiscard]] Json json() const {
    const Result result = workspace_.run({"status", "r", "--json"});
    EXPECT_EQ(result.exitCode, 0) << result.all();
    EXPECT_TRUE(result.out.starts_with("{\n  \"state\": ")) << result.out;
    return Json::parse(result.out);
  }
  /// As a run does.
  [[nodiscard]] core::Descriptor held() const {
    core::Descriptor descriptor(::open(workspace_.path("r").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    EXPECT_EQ(::flock(descriptor.get(), LOCK_EX | LOCK_NB), 0);
    return descriptor;
  }

  Workspace workspace_;
};

const std::string kCall = R"("call": {"subsystem": "bad", "function": "fmi2DoStep", "since": "2026-01-31T12:00:05Z"})";

/// status.json of a run from 1 s to 4 s.
std::string progress(int iteration, const std::string& more, const std::string& started = "2026-01-31T12:00:00Z") {
  return R"({"format": 1, "process": 4711, "started": ")" + started +
         R"(", "updated": "2026-01-31T12:00:07Z", "start": 1.0, "end": 4.0, "time": 1.5, "step": 0.25, "accepted_steps": 7, )" +
         R"("iteration": )" + std::to_string(iteration) + R"(, "residual": 0.125)" + (more.empty() ? "" : ", " + more) +
         "}";
}

const std::string kHead = "\n  project /x/p.toml\n";
const std::string kGoOn = "\nGo on with: koppla resume r\n";

TEST_F(StatusCommandTest, OfAKilledRunTellsHowFarItWas) {
  EXPECT_EQ(told(), "r: killed" + kHead + kGoOn) << "before it told anything";
  workspace_.write("r/status.json", progress(3, kCall));
  EXPECT_EQ(told(), "r: killed" + kHead +
                        "  t = 1.5 s of 4 s, 7 steps; in the next one iteration 3, residual 0.125 (converged at 1)\n"
                        "  was in fmi2DoStep of bad since 2026-01-31T12:00:05Z\n"
                        "  started 2026-01-31T12:00:00Z, last seen 2026-01-31T12:00:07Z\n" +
                        kGoOn);
  workspace_.write("r/status.json", progress(1, "\"call\": 3"));
  EXPECT_EQ(told(), "r: killed" + kHead +
                        "  t = 1.5 s of 4 s, 7 steps; in the next one iteration 1, residual 0.125 (converged at 1)\n"
                        "  started 2026-01-31T12:00:00Z, last seen 2026-01-31T12:00:07Z\n" +
                        kGoOn);
  workspace_.write("r/status.json", progress(0, ""));
  EXPECT_EQ(told(), "r: killed" + kHead +
                        "  t = 1.5 s of 4 s, 7 steps\n"
                        "  started 2026-01-31T12:00:00Z, last seen 2026-01-31T12:00:07Z\n" +
                        kGoOn);
}

TEST_F(StatusCommandTest, OfARunThatGoesOnTellsSinceWhen) {
  const core::Descriptor lock = held();
  const std::string started = core::moment(std::chrono::system_clock::now() - std::chrono::seconds(100));
  workspace_.write("r/status.json", progress(0, kCall, started));
  workspace_.write("r/statistics.json", R"({"outcome": "completed", "message": "Of a run before."})");
  const std::string text = told();
  const std::string begin =
      "r: running" + kHead +
      "  t = 1.5 s of 4 s, 7 steps\n  is in fmi2DoStep of bad since 2026-01-31T12:00:05Z\n  started " + started +
      ", 1 min ";
  EXPECT_TRUE(text.starts_with(begin)) << text;
  // More only where the machine is very busy.
  EXPECT_FALSE(test::matches(text, ", 1 min (39|[45][0-9]) s ago, process 4711\n$").empty()) << text;
  workspace_.write("r/status.json", progress(0, "", "yesterday"));
  EXPECT_TRUE(told().ends_with("  started yesterday, 0 s ago, process 4711\n")) << told();
}

TEST_F(StatusCommandTest, OfARunThatHasEndedTellsHow) {
  workspace_.write("r/status.json", progress(3, kCall));
  workspace_.write(
      "r/statistics.json",
      R"({"outcome": "interrupted", "message": "It was stopped.", "start": 1.0, "end": 4.0, "reached": 2.5, )"
      R"("wall_clock": 1.5, "accepted_steps": 8})");
  EXPECT_EQ(told(), "r: interrupted" + kHead + "  t = 2.5 s of 4 s, 8 steps in 1.5 s\n  It was stopped.\n" + kGoOn);
  EXPECT_EQ(json().dump(),
            R"({"state":"interrupted","project":"/x/p.toml","message":"It was stopped.","start":1.0,"end":4.0,)"
            R"("reached":2.5,"wall_clock":1.5,"accepted_steps":8,"programs":[]})");
  workspace_.write(
      "r/statistics.json",
      R"({"outcome": "completed", "message": "", "start": 1.0, "end": 4.0, "reached": 4.0, "wall_clock": 1.5, )"
      R"("accepted_steps": 12})");
  EXPECT_EQ(told(), "r: completed" + kHead + "  t = 4 s of 4 s, 12 steps in 1.5 s\n");
}

TEST_F(StatusCommandTest, IsTheSameInJson) {
  EXPECT_EQ(json().dump(), R"({"state":"killed","project":"/x/p.toml","programs":[]})");
  const std::string numbers =
      R"("process":4711,"started":"2026-01-31T12:00:00Z","updated":"2026-01-31T12:00:07Z",)"
      R"("start":1.0,"end":4.0,"time":1.5,"step":0.25,"accepted_steps":7,"iteration":3,"residual":0.125,)";
  workspace_.write("r/status.json", progress(3, ""));
  EXPECT_EQ(json().dump(), R"({"state":"killed","project":"/x/p.toml",)" + numbers + R"("programs":[]})");
  const core::Descriptor lock = held();
  workspace_.write("r/status.json", progress(3, kCall));
  workspace_.write("r/statistics.json", R"({"outcome": "completed"})");
  EXPECT_EQ(json().dump(),
            R"({"state":"running","project":"/x/p.toml",)" + numbers +
                R"("call":{"function":"fmi2DoStep","since":"2026-01-31T12:00:05Z","subsystem":"bad"},"programs":[]})");
}

TEST_F(StatusCommandTest, NamesKeepTheirLettersInJson) {
  workspace_.write("r/project.toml",
                   "# Copy of /x/mühle.toml as it was run; relative paths start from there.\nformat = 1\n");
  EXPECT_THAT(workspace_.run({"status", "r", "--json"}).out, HasSubstr("/x/mühle.toml"));
}

TEST_F(StatusCommandTest, TellsTheCallsOfPrograms) {
  const std::string head = "step,call,t0,t1,began,seconds,processor_seconds,status\n";
  workspace_.write("r/programs/none/calls.csv", head);
  workspace_.write("r/programs/one/calls.csv", head + "1,1,0,1,2026-01-31T12:00:00Z,2.5,0.5,ok\n");
  workspace_.write("r/programs/two/calls.csv", head +
                                                   "1,1,0,1,2026-01-31T12:00:00Z,1,0.25,ok\n"
                                                   "1,2,0,1,2026-01-31T12:00:01Z,4,0.5,exit code 7\n");
  workspace_.write("r/programs/two/under-way", "2,3,2026-01-31T12:00:05Z\n");
  workspace_.write("r/statistics.json", R"({"outcome": "interrupted", "end": 4.0})");
  const std::string text = told();
  EXPECT_THAT(text, HasSubstr("\nprogram                 calls   failed         mean      longest processor time  \n"));
  EXPECT_THAT(text, HasSubstr("\nnone                        0        0          0 s          0 s            0 s  \n"));
  EXPECT_THAT(text, HasSubstr("\none                         1        0        2.5 s        2.5 s         500 ms  \n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "\ntwo                         2        1        2.5 s          4 s         750 ms  was in step 2, call "
          "3\n"));
  const Json two = json()["programs"][2];
  EXPECT_EQ(two.dump(), R"({"name":"two","calls":2,"failed":1,"seconds":5.0,"longest":4.0,"processor_time":0.75,)"
                        R"("under_way":{"step":2,"call":3,"began":"2026-01-31T12:00:05Z"}})");
  EXPECT_FALSE(json()["programs"][1].contains("under_way"));
  const core::Descriptor lock = held();
  EXPECT_THAT(told(), HasSubstr("under way\n"));
  EXPECT_THAT(told(), HasSubstr("750 ms  step 2, call 3, for "));
  EXPECT_THAT(told(), Not(HasSubstr("Go on with")));
}

}  // namespace
}  // namespace koppla::test::status_command_test
