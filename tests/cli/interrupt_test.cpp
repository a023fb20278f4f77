// Runs that are ended from outside.

#include <csignal>
#include <fstream>
#include <initializer_list>
#include <system_error>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace koppla::test {
namespace {

/// A billion steps, each with its row: far more than a test lasts.
class InterruptTest : public ::testing::Test {
 protected:
  InterruptTest() {
    workspace_.write("long.toml", "format = 1\nsimulation = { end = 1.0, step = 1e-9 }\n" + subsystem("a", "Gain"));
  }

  [[nodiscard]] Process start(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"run", "long.toml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return workspace_.start(arguments);
  }
  /// Waits until rows have reached the disk.
  [[nodiscard]] bool rowsAppear() const {
    return eventually([this] {
      std::error_code none;
      return std::filesystem::file_size(workspace_.path("long.run/results.partial.csv"), none) > 1000U && !none;
    });
  }
  void expectWholeRows() const {
    const std::string text = workspace_.read("long.run/results.partial.csv");
    EXPECT_TRUE(text.starts_with("\"time\",\"a.y\"\n0,0\n1e-09,0\n")) << text.substr(0, 100);
    EXPECT_TRUE(text.ends_with(",0\n")) << text.substr(text.size() - 50);
  }

  Workspace workspace_;
};

class SignalTest : public InterruptTest, public ::testing::WithParamInterface<int> {};

TEST_P(SignalTest, EndsTheRunAfterItsStepWithAllRows) {
  Process process = start();
  ASSERT_TRUE(rowsAppear());
  process.send(GetParam());
  const Result result = process.wait();
  EXPECT_EQ(result.exitCode, 130) << result.all();
  EXPECT_NE(result.err.find("Interrupted at "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("long.run/results.partial.csv"), std::string::npos) << result.err;
  expectWholeRows();
  EXPECT_FALSE(workspace_.has("long.run/results.csv"));
  const auto statistics = nlohmann::json::parse(workspace_.read("long.run/statistics.json"));
  EXPECT_EQ(statistics["outcome"], "interrupted");
  EXPECT_EQ(statistics["output"]["count"], workspace_.rows("long.run/results.partial.csv").size());
  EXPECT_EQ(statistics["accepted_steps"].get<std::size_t>() + 1, statistics["output"]["count"]);
  EXPECT_EQ(workspace_.leftovers(), std::vector<std::string>{});
}

std::string signalName(const ::testing::TestParamInfo<int>& info) {
  return info.param == SIGINT ? "CtrlC" : info.param == SIGTERM ? "TerminationRequest" : "Hangup";
}

INSTANTIATE_TEST_SUITE_P(From, SignalTest, ::testing::Values(SIGINT, SIGTERM, SIGHUP), signalName);

TEST_F(InterruptTest, AnInterruptedRunCanBePlottedAndCompared) {
  {
    Process process = start({"--set", "results.interval=1e-6"});
    ASSERT_TRUE(rowsAppear());
    process.send(SIGINT);
    EXPECT_EQ(process.wait().exitCode, 130);
  }
  EXPECT_EQ(workspace_.run({"plot", "long.run"}).exitCode, 0);
  EXPECT_EQ(workspace_.run({"compare", "long.run", "long.run"}).exitCode, 0);
}

TEST_F(InterruptTest, NoSecondRunTakesTheFolderOfOneThatGoesOn) {
  Process process = start({"--quiet", "--set", "results.interval=1e-6"});
  ASSERT_TRUE(rowsAppear());
  const Result second = workspace_.run({"run", "long.toml", "--overwrite"}, "second");
  EXPECT_EQ(second.exitCode, 2) << second.all();
  EXPECT_NE(second.err.find("Another run is writing to the run folder long.run."), std::string::npos) << second.err;
  EXPECT_NE(second.err.find("choose another with --folder"), std::string::npos) << second.err;
  process.send(SIGINT);
  EXPECT_EQ(process.wait().exitCode, 130);
  const std::string text = workspace_.read("long.run/results.partial.csv");
  EXPECT_TRUE(text.starts_with("\"time\",\"a.y\"\n0,0\n1.0000000000000002e-06,0\n")) << text.substr(0, 100);
}

TEST_F(InterruptTest, AKilledRunLeavesItsRowsAndNoResults) {
  Process process = start();
  ASSERT_TRUE(rowsAppear());
  process.send(SIGKILL);
  EXPECT_EQ(process.wait().exitCode, 128 + SIGKILL);
  EXPECT_FALSE(workspace_.has("long.run/results.csv"));
  EXPECT_GT(workspace_.rows("long.run/results.partial.csv").size(), 50U);
  const std::string text = workspace_.read("long.run/results.partial.csv");
  EXPECT_TRUE(text.starts_with("\"time\",\"a.y\"\n0,0\n1e-09,0\n")) << text.substr(0, 100);
}

TEST_F(InterruptTest, WhatAKilledRunHasUnpackedGoesAtTheNextStart) {
  {
    Process process = start();
    ASSERT_TRUE(rowsAppear());
    process.send(SIGKILL);
    EXPECT_EQ(process.wait().exitCode, 128 + SIGKILL);
  }
  ASSERT_EQ(workspace_.leftovers().size(), 1U);
  EXPECT_EQ(workspace_.run({"inspect", "fmus/Gain.fmu"}).exitCode, 0);
  EXPECT_EQ(workspace_.leftovers(), std::vector<std::string>{});
}

TEST_F(InterruptTest, WhatALivingRunHasUnpackedStaysAtTheNextStart) {
  Process process = start({"--quiet", "--set", "results.interval=1e-6"});
  ASSERT_TRUE(rowsAppear());
  const std::vector<std::string> before = workspace_.leftovers();
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(workspace_.run({"inspect", "fmus/Gain.fmu"}, "second").exitCode, 0);
  EXPECT_EQ(workspace_.leftovers(), before);
  process.send(SIGINT);
  EXPECT_EQ(process.wait().exitCode, 130);
  EXPECT_EQ(workspace_.leftovers(), std::vector<std::string>{});
}

/// An archive with one entry of zeros that are not compressed and, in a file system with holes, take no room.
void writeHugeArchive(const std::filesystem::path& file, std::uint32_t size) {
  const auto record = [](std::uint32_t signature, std::initializer_list<std::pair<std::uint32_t, int>> fields) {
    std::string bytes;
    const auto add = [&bytes](std::uint32_t value, int count) {
      for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFFU);
    };
    add(signature, 4);
    for (const auto& [value, count] : fields) add(value, count);
    return bytes;
  };
  const std::string name = "resources/zeros";
  const auto length = static_cast<std::uint32_t>(name.size());
  // APPNOTE 4.3.7: version, flags, method, time and date, checksum, sizes, lengths of name and extra field.
  const std::string local =
      record(0x04034b50U, {{20, 2}, {0, 2}, {0, 2}, {0, 4}, {0, 4}, {size, 4}, {size, 4}, {length, 2}, {0, 2}}) + name;
  // 4.3.12 and 4.3.16.
  const std::string central = record(0x02014b50U, {{20, 2},
                                                   {20, 2},
                                                   {0, 2},
                                                   {0, 2},
                                                   {0, 4},
                                                   {0, 4},
                                                   {size, 4},
                                                   {size, 4},
                                                   {length, 2},
                                                   {0, 2},
                                                   {0, 2},
                                                   {0, 2},
                                                   {0, 2},
                                                   {0, 4},
                                                   {0, 4}}) +
                              name;
  std::ofstream out(file, std::ios::binary);
  out << local;
  const std::string description = "<fmiModelDescription/>";
  const std::string second = "modelDescription.xml";
  const auto secondLength = static_cast<std::uint32_t>(second.size());
  const auto secondSize = static_cast<std::uint32_t>(description.size());
  const auto at = static_cast<std::uint32_t>(local.size()) + size;
  out.seekp(at);
  out << record(0x04034b50U,
                {{20, 2}, {0, 2}, {0, 2}, {0, 4}, {0, 4}, {secondSize, 4}, {secondSize, 4}, {secondLength, 2}, {0, 2}})
      << second << description;
  const auto directory = static_cast<std::uint32_t>(out.tellp());
  out << central
      << record(0x02014b50U, {{20, 2},
                              {20, 2},
                              {0, 2},
                              {0, 2},
                              {0, 4},
                              {0, 4},
                              {secondSize, 4},
                              {secondSize, 4},
                              {secondLength, 2},
                              {0, 2},
                              {0, 2},
                              {0, 2},
                              {0, 2},
                              {0, 4},
                              {at, 4}})
      << second;
  const auto directorySize = static_cast<std::uint32_t>(out.tellp()) - directory;
  out << record(0x06054b50U, {{0, 2}, {0, 2}, {2, 2}, {2, 2}, {directorySize, 4}, {directory, 4}, {0, 2}});
}

class UnpackingTest : public InterruptTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(UnpackingTest, EndsSoonAndLeavesNothing) {
  writeHugeArchive(workspace_.path("huge.fmu"), 900U << 20U);
  workspace_.write(
      "huge.toml",
      "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n[[subsystems]]\nname = \"a\"\nfmu = \"huge.fmu\"\n");
  std::vector<std::string> arguments{GetParam(),
                                     GetParam() == "run" || GetParam() == "check" ? "huge.toml" : "huge.fmu"};
  if (GetParam() == "new") arguments.insert(arguments.end(), {"-o", "new.toml"});
  Process process = workspace_.start(arguments);
  ASSERT_TRUE(eventually([this] { return !workspace_.leftovers().empty(); }));
  process.send(SIGINT);
  const Result result = process.wait();
  EXPECT_EQ(result.exitCode, 130) << result.all();
  EXPECT_NE(result.err.find("Interrupted while"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("huge.fmu was unpacked."), std::string::npos) << result.err;
  EXPECT_EQ(workspace_.leftovers(), std::vector<std::string>{});
  EXPECT_FALSE(workspace_.has("huge.run/results.partial.csv"));
  EXPECT_FALSE(workspace_.has("new.toml"));
}

INSTANTIATE_TEST_SUITE_P(By, UnpackingTest, ::testing::Values("run", "check", "inspect", "new"),
                         [](const auto& parameter) { return parameter.param; });

TEST_F(InterruptTest, AFileThatMayNotGrowEndsTheRunWithItsRowsKept) {
  Process process = start({"--quiet"});
  ASSERT_TRUE(rowsAppear());
  process.limitFiles(std::size_t{1} << 20U);
  const Result result = process.wait();
  EXPECT_EQ(result.exitCode, 6) << result.all();
  const std::string message = "results.partial.csv cannot be written: File too large.";
  EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(message), result.err.rfind(message)) << result.err;
  const std::string statistics = workspace_.read("long.run/statistics.json");
  EXPECT_NE(statistics.find("\"outcome\": \"output failed\""), std::string::npos) << statistics;
  EXPECT_NE(result.err.find("rows written so far are kept"), std::string::npos) << result.err;
  EXPECT_GT(workspace_.rows("long.run/results.partial.csv").size(), 50U);
  EXPECT_FALSE(workspace_.has("long.run/results.csv"));
  EXPECT_EQ(workspace_.leftovers(), std::vector<std::string>{});
}

TEST_F(InterruptTest, ProgressIsPlainWhereThereIsNoTerminal) {
  Process process = start({"--set", "results.interval=1e-5"});
  ASSERT_TRUE(eventually([&] { return process.errors().find(" s of 1 s") != std::string::npos; }));
  process.send(SIGINT);
  const Result result = process.wait();
  EXPECT_EQ(result.err.find('\033'), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find('\r'), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(" elapsed"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(" left\n"), std::string::npos) << result.err;
}

/// Koppla itself makes these ten thousand million micro steps of one macro step, so it looks up between them.
TEST(Interruption, EndsAmidMicroSteps) {
  const Workspace workspace;
  workspace.write("p.toml", "format = 1\nsimulation = { end = 1.0, step = 0.5 }\n" + subsystem("a", "Gain") +
                                "micro_step = 5e-11\n");
  Process process = workspace.start({"run", "p.toml", "--quiet"});
  ASSERT_TRUE(eventually([&] { return workspace.has("p.run/results.partial.csv"); }));
  process.send(SIGTERM);
  EXPECT_EQ(process.wait().exitCode, 130);
}

}  // namespace
}  // namespace koppla::test
