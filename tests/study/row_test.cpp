#include "koppla/study/row.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/core/error.hpp"

namespace koppla::study {
namespace {

/// NaN equals NaN here: there is none in either.
bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

TEST(Row, ReadsBackWithoutItsNumbers) {
  Row row;
  row.message = "The process of this run was killed.";
  const Row back = rowFrom(toLine(row));
  EXPECT_EQ(back.status, Status::failed);
  EXPECT_TRUE(std::isnan(back.error));
  EXPECT_TRUE(back.errors.empty());
  EXPECT_EQ(back.message, row.message);
}

TEST(Row, MessagesStayOnTheirLine) {
  Row row;
  row.message = "first\nsecond\tthird";
  EXPECT_EQ(toLine(row).find('\n'), std::string::npos);
  EXPECT_EQ(rowFrom(toLine(row)).message, "first second third");
}

RC_GTEST_PROP(Row, ReadsBackToTheSameNumbers, ()) {
  Row row;
  row.status = static_cast<Status>(*rc::gen::inRange(0, 5));
  row.error = *rc::gen::arbitrary<double>();
  row.errors = *rc::gen::arbitrary<std::vector<double>>();
  row.meanStep = *rc::gen::arbitrary<double>();
  row.acceptedSteps = *rc::gen::arbitrary<std::uint64_t>();
  row.effort.microSteps = *rc::gen::arbitrary<std::uint64_t>();
  row.effort.staticCalls = *rc::gen::arbitrary<std::uint64_t>();
  const Row back = rowFrom(toLine(row));
  RC_ASSERT(back.status == row.status);
  RC_ASSERT(same(back.error, row.error));
  RC_ASSERT(back.errors == row.errors);
  RC_ASSERT(same(back.meanStep, row.meanStep));
  RC_ASSERT(same(back.wallClock, row.wallClock));
  RC_ASSERT(back.acceptedSteps == row.acceptedSteps);
  RC_ASSERT(back.effort.microSteps == row.effort.microSteps);
  RC_ASSERT(back.effort.staticCalls == row.effort.staticCalls);
}

TEST(Row, RefusesOtherLines) {
  const std::string good = toLine(Row{});
  for (const std::string& line :
       {std::string(), std::string("ok"), "x" + good, good + "\t", std::string("fine") + good.substr(6)})
    EXPECT_THROW(rowFrom(line), core::InputError) << line;
}

TEST(Row, KeepsEachOfItsFields) {
  Row row;
  row.status = Status::limitedByReference;
  row.error = 0.5;
  row.errors = {1.5, -2.5, 3.5};
  row.referenceError = 4.5;
  row.meanStep = 5.5;
  row.smallestStep = 6.5;
  row.largestStep = 7.5;
  row.acceptedSteps = 8;
  row.wallClock = 9.5;
  row.cpu = 10.5;
  row.effort = {11, 12, 13, 14, 15, 16};
  row.message = "17 things, well";
  const std::string line =
      "limited-by-reference\t0.5\t1.5 -2.5 3.5\t4.5\t5.5\t6.5\t7.5\t8\t9.5\t10.5\t11\t12\t13\t14\t15\t16\t"
      "17 things, well";
  EXPECT_EQ(toLine(row), line);
  const Row back = rowFrom(line);
  EXPECT_EQ(back.status, row.status);
  EXPECT_EQ(back.errors, row.errors);
  EXPECT_EQ(toLine(back), line);
}

TEST(Row, HasAWordForEachStatus) {
  using enum Status;
  for (const auto& [status, text] :
       {std::pair(ok, "ok"), std::pair(unstable, "unstable"), std::pair(notConverged, "not-converged"),
        std::pair(failed, "failed"), std::pair(limitedByReference, "limited-by-reference"),
        std::pair(endedEarly, "ended-early")}) {
    EXPECT_EQ(word(status), text);
    Row row;
    row.status = status;
    EXPECT_EQ(rowFrom(toLine(row)).status, status);
  }
}

TEST(Row, MessagesKeepAllButControls) {
  Row row;
  row.message =
      "a b\x01"
      "c\x1f"
      "d~\xc3\xa4";
  EXPECT_EQ(rowFrom(toLine(row)).message, "a b c d~\xc3\xa4");
}

TEST(Row, RefusesLinesWithAWrongNumber) {
  const std::string good = toLine(Row{});  // failed, nan, no errors, nan, ...
  for (const auto& [from, to] : {std::pair("\tnan", "\tnan?"), std::pair("\tnan", "\t"), std::pair("\tnan", "\tx"),
                                 std::pair("\t0\t", "\t0.5\t"), std::pair("\t0\t", "\t-1\t"),
                                 std::pair("\t\t", "\t1 \t"), std::pair("\t\t", "\t1,2\t"), std::pair("failed", "")}) {
    std::string bad = good;
    bad.replace(bad.find(from), std::string(from).size(), to);
    EXPECT_THROW(rowFrom(bad), core::InputError) << bad;
  }
}

}  // namespace
}  // namespace koppla::study
