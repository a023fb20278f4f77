// What calls leave behind of themselves, and what is said of them.

#include "koppla/program/call_summary.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/program/detail/call_book.hpp"

#include "toy_program.hpp"

namespace koppla::program::call_summary_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader = "step,call,t0,t1,began,seconds,processor_seconds,status\n";

class CallSummaryTest : public ::testing::Test {
 protected:
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((folder_.path() / file).parent_path());
    core::writeWhole(folder_.path() / file, text);
  }
  [[nodiscard]] std::vector<CallSummary> all() const { return summariseCalls(folder_.path()); }

  core::TemporaryFolder folder_{"calls"};
};

TEST_F(CallSummaryTest, AddsUpTheCallsOfEveryProgram) {
  write("wall/calls.csv", std::string(kHeader) + "1,1,0,1,2026-01-31T12:00:00Z,2.5,0.25,ok\n" +
                              "1,2,0,1,2026-01-31T12:00:03Z,4,8,failed\n" +
                              "2,1,1,2,2026-01-31T12:00:09Z,1.5,0.5,ok\n" +
                              "2,2,1,2,2026-01-31T12:00:11Z,100,100,o");  // being written
  write("wall/under-way", "12,3,2026-01-31T12:00:12Z\n");
  write("air/calls.csv", kHeader);
  write("a-file", "is no program");
  const std::vector<CallSummary> found = all();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].program, "air");
  EXPECT_EQ(found[0].calls, 0U);
  EXPECT_FALSE(found[0].underWay);
  const CallSummary& wall = found[1];
  EXPECT_EQ(wall.program, "wall");
  EXPECT_EQ(wall.calls, 3U);
  EXPECT_EQ(wall.failed, 1U);
  EXPECT_DOUBLE_EQ(wall.seconds, 8.0);
  EXPECT_DOUBLE_EQ(wall.longest, 4.0);
  EXPECT_DOUBLE_EQ(wall.processorSeconds, 8.75);
  ASSERT_TRUE(wall.underWay);
  EXPECT_EQ(wall.underWay->step, 12U);
  EXPECT_EQ(wall.underWay->iteration, 3U);
  EXPECT_EQ(wall.underWay->began, "2026-01-31T12:00:12Z");
}

TEST_F(CallSummaryTest, LinesOfAnotherFormAreLeftOut) {
  write("wall/calls.csv",
        std::string(kHeader) + "1,1,0,1,began,2.5,0.25\n\n1,1,0,1,began,2.5,0.25,ok,more\n1,1,0,1,began,1,2,ok\n");
  write("wall/under-way", "12,3\n");
  const std::vector<CallSummary> found = all();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].calls, 1U);
  EXPECT_EQ(found[0].seconds, 1.0);
  EXPECT_FALSE(found[0].underWay);
}

TEST_F(CallSummaryTest, WhereNothingWasWrittenThereIsNothingToTell) {
  EXPECT_TRUE(summariseCalls(folder_.path() / "nowhere").empty());
  fs::create_directory(folder_.path() / "wall");
  fs::create_directory(folder_.path() / "wall/calls.csv");
  const std::vector<CallSummary> found = all();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].calls, 0U);
}

TEST_F(CallSummaryTest, TellsWhatACallBookHasWritten) {
  const fs::path wall = folder_.path() / "wall";
  fs::create_directory(wall);
  detail::CallBook book(wall, "abc", false);
  EXPECT_EQ(core::readWhole(wall / "calls.csv"), kHeader);
  book.begin({wall / "s000002/i003", 2, 3});
  ASSERT_TRUE(all().front().underWay);
  EXPECT_EQ(all().front().underWay->step, 2U);
  EXPECT_EQ(all().front().underWay->iteration, 3U);
  book.end({wall / "s000002/i003", 2, 3}, {0.5, 0.75, 0.125, true});
  book.begin({wall / "s000002/i004", 2, 4});
  book.end({wall / "s000002/i004", 2, 4}, {0.5, 0.75, 0.25, false});
  const CallSummary summary = all().front();
  EXPECT_FALSE(summary.underWay);
  EXPECT_EQ(summary.calls, 2U);
  EXPECT_EQ(summary.failed, 1U);
  EXPECT_DOUBLE_EQ(summary.processorSeconds, 0.375);
  EXPECT_GE(summary.seconds, 0.0);
  EXPECT_LT(summary.seconds, 60.0) << "since it began";
  const std::string lines = core::readWhole(wall / "calls.csv");
  EXPECT_NE(lines.find("\n2,3,0.5,0.75,2"), std::string::npos) << "began in this millennium: " << lines;
}

TEST_F(CallSummaryTest, ABookThatGoesOnForgetsTheCallThatWasUnderWay) {
  const fs::path wall = folder_.path() / "wall";
  fs::create_directory(wall);
  {
    detail::CallBook book(wall, "abc", false);
    book.begin({wall / "s000001/i001", 1, 1});
    book.end({wall / "s000001/i001", 1, 1}, {0.0, 1.0, 0.0, true});
    book.begin({wall / "s000001/i002", 1, 2});
  }
  const detail::CallBook book(wall, "abc", true);
  EXPECT_FALSE(all().front().underWay);
  EXPECT_EQ(all().front().calls, 1U) << "with one header";
}

}  // namespace
}  // namespace koppla::program::call_summary_test
