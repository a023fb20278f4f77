#include "koppla/results/csv_recorder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "recorded_rows.hpp"

namespace koppla::results::csv_recorder_test {
namespace {

using recorded::kTwoReals;
using recorded::reals;

namespace fs = std::filesystem;
using core::Type;

class CsvRecorderTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path file(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] std::string content(const std::string& name) const { return core::readWhole(file(name)); }
  [[nodiscard]] bool exists(const std::string& name) const { return fs::exists(file(name)); }

  core::TemporaryFolder folder_{"recorder-test"};
};

TEST_F(CsvRecorderTest, WritesTheCrossCheckFormat) {
  CsvRecorder recorder(folder_.path());
  recorder.begin({{"a.on", Type::boolean, "", ""},
                  {"a.x", Type::real, "m", ""},
                  {"a.mode", Type::enumeration, "", ""},
                  {"a.name", Type::string, "", ""},
                  {"b.n", Type::integer, "", ""},
                  {"b.y", Type::real, "", ""}});
  recorder.row(0.0, {{0.1, -2.5}, {3, -7}, {1}, {"idle"}});
  recorder.row(1e-3, {{1e300, -0.0}, {4, 2147483647}, {0}, {""}});
  recorder.complete();
  EXPECT_EQ(content("results.csv"),
            "\"time\",\"a.on\",\"a.x\",\"a.mode\",\"a.name\",\"b.n\",\"b.y\"\n"
            "0,1,0.1,3,\"idle\",-7,-2.5\n"
            "0.001,0,1e+300,4,\"\",2147483647,-0\n");
}

TEST_F(CsvRecorderTest, DoublesQuotesAndKeepsLineBreaks) {
  CsvRecorder recorder(folder_.path());
  recorder.begin({{"a.\"x\"", Type::string, "", ""}});
  recorder.row(0.0, {{}, {}, {}, {"say \"no\",\nplease"}});
  recorder.complete();
  EXPECT_EQ(content("results.csv"), "\"time\",\"a.\"\"x\"\"\"\n0,\"say \"\"no\"\",\nplease\"\n");
}

TEST_F(CsvRecorderTest, WritesNotANumberWithoutSign) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CsvRecorder recorder(folder_.path());
  recorder.begin(kTwoReals);
  recorder.row(0.0, reals({nan, -nan}));
  recorder.complete();
  EXPECT_EQ(content("results.csv"), "\"time\",\"a.x\",\"b.y\"\n0,nan,nan\n");
}

TEST_F(CsvRecorderTest, TellsTypesAndUnitsFromTheBeginning) {
  CsvRecorder recorder(folder_.path());
  recorder.begin({{"a.x", Type::real, "m/s", "the \"fast\" one"}, {"a.n", Type::integer, "", ""}});
  EXPECT_EQ(content("results.units.csv"),
            "\"name\",\"type\",\"unit\",\"description\"\n"
            "\"a.x\",\"real\",\"m/s\",\"the \"\"fast\"\" one\"\n"
            "\"a.n\",\"integer\",\"\",\"\"\n");
}

TEST_F(CsvRecorderTest, TakesItsFinalNameOnlyWhenComplete) {
  CsvRecorder recorder(folder_.path());
  recorder.begin(kTwoReals);
  EXPECT_TRUE(exists("results.partial.csv"));
  recorder.row(0.0, reals({1.0, 2.0}));
  recorder.flush();
  EXPECT_FALSE(exists("results.csv"));
  recorder.complete();
  EXPECT_TRUE(exists("results.csv"));
  EXPECT_FALSE(exists("results.partial.csv"));
}

TEST_F(CsvRecorderTest, KeepsTheRowsOfARunThatEndedEarlyUnderThePartialName) {
  CsvRecorder recorder(folder_.path());
  recorder.begin(kTwoReals);
  recorder.row(0.0, reals({1.0, 2.0}));
  recorder.abandon();
  EXPECT_EQ(content("results.partial.csv"), "\"time\",\"a.x\",\"b.y\"\n0,1,2\n");
  EXPECT_FALSE(exists("results.csv"));
}

TEST_F(CsvRecorderTest, KeepsTheRowsWhenItGoesOutOfScope) {
  {
    CsvRecorder recorder(folder_.path());
    recorder.begin(kTwoReals);
    recorder.row(0.0, reals({1.0, 2.0}));
  }
  EXPECT_EQ(content("results.partial.csv"), "\"time\",\"a.x\",\"b.y\"\n0,1,2\n");
}

TEST_F(CsvRecorderTest, EarlierResultsDoNotPassForThoseOfANewRun) {
  core::writeWhole(file("results.csv"), "\"time\"\n0\n");
  CsvRecorder recorder(folder_.path());
  recorder.begin(kTwoReals);
  EXPECT_FALSE(exists("results.csv"));
}

TEST_F(CsvRecorderTest, MakesItsFolder) {
  CsvRecorder recorder(file("study/17"));
  recorder.begin(kTwoReals);
  recorder.complete();
  EXPECT_TRUE(exists("study/17/results.csv"));
}

TEST_F(CsvRecorderTest, AKilledProcessLeavesWhatWasFlushed) {
  const pid_t child = ::fork();
  if (child == 0) {
    CsvRecorder recorder(folder_.path());
    recorder.begin(kTwoReals);
    recorder.row(0.0, reals({1.0, 2.0}));
    recorder.flush();
    recorder.row(1.0, reals({3.0, 4.0}));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(content("results.partial.csv"), "\"time\",\"a.x\",\"b.y\"\n0,1,2\n");
}

TEST_F(CsvRecorderTest, RowsLongerThanABlockAreWritten) {
  constexpr std::size_t kColumns = 100'000;
  std::vector<Column> columns;
  std::string expected = "\"time\"";
  for (std::size_t i = 1; i <= kColumns; ++i) {
    columns.push_back({"field.T[" + std::to_string(i) + "]", Type::real, "K", ""});
    expected += ",\"" + columns.back().name + "\"";
  }
  CsvRecorder recorder(folder_.path());
  recorder.begin(columns);
  for (int row = 0; row < 3; ++row) {
    recorder.row(row, reals(std::vector<double>(kColumns, 273.15)));
    expected += "\n" + std::to_string(row);
    for (std::size_t i = 0; i < kColumns; ++i) expected += ",273.15";
  }
  recorder.complete();
  EXPECT_TRUE(content("results.csv") == expected + "\n");
}

TEST_F(CsvRecorderTest, LongTextsAreWritten) {
  const std::string text(1'000'000, '"');
  CsvRecorder recorder(folder_.path());
  recorder.begin({{"a.s", Type::string, "", ""}});
  recorder.row(0.0, {{}, {}, {}, {text}});
  recorder.complete();
  EXPECT_TRUE(content("results.csv") == "\"time\",\"a.s\"\n0,\"" + text + text + "\"\n");
}

TEST_F(CsvRecorderTest, AFullDiskIsAnErrorThatNamesFileAndRemedy) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "This system has no /dev/full.";
  fs::create_symlink("/dev/full", file("results.partial.csv"));
  CsvRecorder recorder(folder_.path());
  try {
    recorder.begin(kTwoReals);
    FAIL() << "no error";
  } catch (const core::FileError& error) {
    EXPECT_NE(std::string(error.what()).find("results.partial.csv"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("Free space"), std::string::npos);
  }
}

TEST_F(CsvRecorderTest, WhatStandsInTheWayOfACompleteFileIsTheSystemsFailureAndTheRowsStay) {
  CsvRecorder recorder(folder_.path());
  recorder.begin(kTwoReals);
  recorder.row(0.0, reals({1.0, 2.0}));
  fs::create_directories(file("results.csv") / "somebody's");
  try {
    recorder.complete();
    FAIL() << "no error";
  } catch (const core::FileError& error) {
    EXPECT_EQ(error.what(),
              file("results.csv").string() + " cannot take the place of " + file("results.partial.csv").string() +
                  ": Is a directory. All rows are in the partial file; rename it once the place is free.");
  }
  EXPECT_NE(content("results.partial.csv").find("\n0,1,2\n"), std::string::npos) << content("results.partial.csv");
}

TEST_F(CsvRecorderTest, WritingFailsLoudlyAlsoInTheMiddleOfARun) {
  // A pipe without reader takes nothing; the rows before stay where they are.
  ::signal(SIGPIPE, SIG_IGN);
  ASSERT_EQ(::mkfifo(file("results.partial.csv").c_str(), 0600), 0);
  const int reader = ::open(file("results.partial.csv").c_str(), O_RDONLY | O_NONBLOCK);
  CsvRecorder recorder(folder_.path());
  recorder.begin(kTwoReals);
  ::close(reader);
  recorder.row(0.0, reals({1.0, 2.0}));
  EXPECT_THROW(recorder.flush(), core::FileError);
  EXPECT_THROW(recorder.flush(), core::FileError) << "the row is still there to be written";
  EXPECT_THROW(recorder.abandon(), core::FileError);
}

TEST_F(CsvRecorderTest, RowsReachTheFileWhileTheCallerIsBusyElsewhere) {
  CsvRecorder recorder(folder_.path());
  recorder.begin(kTwoReals);
  recorder.row(0.0, reals({1.0, 2.0}));
  recorder.row(0.5, reals({3.0, 4.0}));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (content("results.partial.csv").find("0.5,3,4\n") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << content("results.partial.csv");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  recorder.row(1.0, reals({5.0, 6.0}));
  recorder.complete();
  EXPECT_EQ(content("results.csv"), "\"time\",\"a.x\",\"b.y\"\n0,1,2\n0.5,3,4\n1,5,6\n");
}

TEST_F(CsvRecorderTest, RowsAreWholeAndInOrderWhoeverWritesThem) {
  constexpr int kRows = 100'000;
  CsvRecorder recorder(folder_.path());
  recorder.begin(kTwoReals);
  std::atomic<bool> ended = false;
  std::thread beside([&] {
    while (!ended) recorder.rescue();
  });
  std::string expected = "\"time\",\"a.x\",\"b.y\"\n";
  for (int row = 0; row < kRows; ++row) {
    recorder.row(row, reals({1.0, static_cast<double>(-row)}));
    if (row % 1000 == 0) recorder.flush();
    expected += std::to_string(row) + ",1," + (row == 0 ? "0" : std::to_string(-row)) + "\n";
  }
  ended = true;
  beside.join();
  recorder.complete();
  // Short integers are what to_chars gives for these doubles, up to 99999 in full.
  EXPECT_TRUE(content("results.csv") == expected);
}

CsvRecorder* rescued = nullptr;

TEST_F(CsvRecorderTest, ASignalHandlerCanRescueFinishedRows) {
  const pid_t child = ::fork();
  if (child == 0) {
    CsvRecorder recorder(folder_.path());
    recorder.begin(kTwoReals);
    for (int row = 0; row < 700; ++row) recorder.row(row, reals({1.0, 2.0}));
    rescued = &recorder;
    std::signal(SIGSEGV, [](int) {
      rescued->rescue();
      ::_exit(3);
    });
    std::raise(SIGSEGV);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  const std::string text = content("results.partial.csv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 701);
  EXPECT_TRUE(text.ends_with("\n699,1,2\n"));
}

}  // namespace
}  // namespace koppla::results::csv_recorder_test
