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

}  // namespace
}  // namespace koppla::study
