// A subsystem that asks to end ends the run in good order, and everybody is told.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace koppla::test::ending_test {
namespace {

std::string ends(const std::string& at) {
  return "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n" +
         subsystem("clock", "Odd", "way = \"ends\", at = " + at) + subsystem("g", "Gain") +
         connection("clock.y", "g.u");
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// x = 0.5 t.
TEST(EndingTest, ARunThatASubsystemEndsIsComplete) {
  const std::string message = "The subsystem 'clock' asked to end the simulation at 0.5 s of 1 s.";
  Workspace workspace;
  workspace.write("p.toml", ends("0.5"));
  const Result run = workspace.run({"run", "p.toml"});
  EXPECT_EQ(run.exitCode, 0) << run.all();
  EXPECT_TRUE(says(run.out, "p.toml: completed at t = 0.5 s")) << run.out;
  EXPECT_TRUE(says(run.out, message)) << run.out;
  EXPECT_TRUE(says(workspace.read("p.run/run.log"), message));
  EXPECT_FALSE(workspace.has("p.run/results.partial.csv"));
  const std::vector<std::string> rows = workspace.rows("p.run/results.csv");
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows.back().substr(0, 9), "0.5,0.25,") << rows.back();

  const auto statistics = nlohmann::json::parse(workspace.read("p.run/statistics.json"));
  EXPECT_EQ(statistics["outcome"], "completed");
  EXPECT_EQ(statistics["message"], message);
  EXPECT_EQ(statistics["reached"], 0.5);

  const Result status = workspace.run({"status", "p.run"});
  EXPECT_EQ(status.exitCode, 0) << status.all();
  EXPECT_TRUE(says(status.out, "completed") && says(status.out, message)) << status.out;
  EXPECT_FALSE(says(status.out, "Go on with")) << status.out;

  const Result resumed = workspace.run({"resume", "p.run"});
  EXPECT_EQ(resumed.exitCode, 0) << resumed.all();
  EXPECT_TRUE(says(resumed.out, "is complete. " + message)) << resumed.out;
  EXPECT_EQ(workspace.run({"resume", "p.run", "--json"}).out, workspace.read("p.run/statistics.json"));
}

/// No row can be right inside the step: the last one is that before it.
TEST(EndingTest, AnEndInsideAStepKeepsTheRowsBefore) {
  Workspace workspace;
  workspace.write("p.toml", ends("0.53"));
  const Result run = workspace.run({"run", "p.toml", "--quiet"});
  EXPECT_EQ(run.exitCode, 0) << run.all();
  const std::vector<std::string> rows = workspace.rows("p.run/results.csv");
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows.back().substr(0, 9), "0.5,0.25,") << rows.back();
  EXPECT_TRUE(says(workspace.read("p.run/run.log"), "asked to end the simulation at 0.53 s of 1 s, inside a step"));
}

}  // namespace
}  // namespace koppla::test::ending_test
