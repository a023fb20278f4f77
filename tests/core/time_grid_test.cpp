#include "koppla/core/time_grid.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/figure.hpp"

namespace koppla::core {
namespace {

TEST(TimeGrid, TenSecondsInTenthsAreAHundredSteps) {
  const TimeGrid grid(0.0, 10.0, 0.1);
  test::showEqual({"nicolai N9", "steps", "100 steps, not 101"}, static_cast<double>(grid.steps()), 100.0);
  EXPECT_EQ(grid.point(10), 1.0);
}

TEST(TimeGrid, AMillionStepsEndExactlyAtTheEnd) {
  const TimeGrid grid(0.0, 10.0, 1e-5);
  EXPECT_EQ(grid.steps(), 1'000'000);
  test::showEqual({"nicolai N9", "last-time", "exactly 10 s after 1e6 steps"}, grid.point(grid.steps()), 10.0);
}

TEST(TimeGrid, AStepThatDoesNotDivideLeavesAShorterLastOne) {
  const TimeGrid grid(1.0, 2.0, 0.3);
  EXPECT_EQ(grid.steps(), 4);
  EXPECT_EQ(grid.point(4), 2.0);
  EXPECT_LT(grid.point(3), 2.0);
}

TEST(TimeGrid, ARestThatIsMoreThanRoundingIsAStepOfItsOwn) {
  const TimeGrid grid(0.0, 100000.00009, 1e-3);
  EXPECT_EQ(grid.steps(), 100'000'001);
  EXPECT_LE(grid.point(grid.steps()) - grid.point(grid.steps() - 1), 1e-3);
}

TEST(TimeGrid, StepsHaveTheLengthThatIsMeantAndTheLastOneLeadsToTheEnd) {
  for (int n = 1; n <= 1000; ++n) {
    const TimeGrid grid(0.0, 0.1 * n, 0.1);
    ASSERT_EQ(grid.steps(), n);
    ASSERT_EQ(grid.length(n - 1), 0.1);
  }
  for (const double rest : {5e-11, -5e-11}) {  // s, half a billionth of a step: no step, and no rounding
    const TimeGrid grid(0.0, 1.0 + rest, 0.1);
    ASSERT_EQ(grid.steps(), 10);
    EXPECT_EQ(grid.length(8), 0.1);
    EXPECT_EQ(grid.length(9), 1.0 + rest - grid.point(9));
  }
}

/// The tie of the note: a billionth of a step, and four roundings of their number.
TEST(TimeGrid, ARestWithinTheTieIsNoStepAndOneBeyondItIs) {
  EXPECT_EQ(TimeGrid(0.0, 10.0 + 0.9e-9, 1.0).steps(), 10);
  EXPECT_EQ(TimeGrid(0.0, 10.0 - 0.9e-9, 1.0).steps(), 10);
  EXPECT_EQ(TimeGrid(0.0, 10.0 + 1.5e-9, 1.0).steps(), 11);
  EXPECT_EQ(TimeGrid(0.0, 1.0 + 0.9e-9, 1.0).steps(), 1) << "also of a single step";
  EXPECT_EQ(TimeGrid(0.0, 1.0 + 1.5e-9, 1.0).steps(), 2);
  // Four roundings of 1e9 steps are 8.9e-7 of a step.
  EXPECT_EQ(TimeGrid(0.0, 1e9 + 6e-7, 1.0).steps(), 1'000'000'000);
  EXPECT_EQ(TimeGrid(0.0, 1e9 + 1.3e-6, 1.0).steps(), 1'000'000'001);
}

TEST(TimeGrid, ThereIsAlwaysAStep) {
  for (const double end : {0.25, 1e-12, 1e-300}) {
    const TimeGrid grid(0.0, end, 1e300);  // the last quotient is below all numbers
    EXPECT_EQ(grid.steps(), 1);
    EXPECT_EQ(grid.point(0), 0.0);
    EXPECT_EQ(grid.point(1), end);
    EXPECT_EQ(grid.length(0), end);
  }
}

TEST(TimeGrid, ALastStepThatRoundingShortensIsAsLongAsTheOthers) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const double h = 1.0 + 4.0 * kEpsilon;
  EXPECT_EQ(TimeGrid(0.0, 1.0, h).length(0), h);
  EXPECT_EQ(TimeGrid(0.0, 1.0, h + kEpsilon).length(0), 1.0) << "more than four roundings";
  EXPECT_EQ(TimeGrid(-1.0, 0.0, h).length(0), h) << "of the larger end";
  EXPECT_EQ(TimeGrid(-1.0, 0.0, h + kEpsilon).length(0), 1.0);
}

TEST(TimeGrid, PointsCountFromTheStart) {
  const TimeGrid grid(-2.0, 1.0, 0.75);
  ASSERT_EQ(grid.steps(), 4);
  for (int k = 0; k <= 4; ++k) EXPECT_EQ(grid.point(k), -2.0 + 0.75 * k);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(grid.length(k), 0.75);
}

RC_GTEST_PROP(TimeGrid, PointsIncreaseAndNoStepIsLongerThanAskedFor, ()) {
  const double start = *rc::gen::inRange(-1000, 1000) / 7.0;
  const double length = *rc::gen::inRange(1, 100000) / 13.0;
  const double step = length / *rc::gen::inRange(1, 500) * 1.003;
  const TimeGrid grid(start, start + length, std::fmin(step, length));
  for (std::int64_t k = 0; k < grid.steps(); ++k) {
    const double h = grid.point(k + 1) - grid.point(k);
    RC_ASSERT(h > 0.0);
    RC_ASSERT(h <= step * (1.0 + 1e-6));
  }
  RC_ASSERT(grid.point(grid.steps()) == start + length);
}

TEST(AcceptedTime, AMillionTenthsStayWithinOneRoundingOfTheExactSum) {
  AcceptedTime time(0.0);
  for (int i = 0; i < 1'000'000; ++i) time.advance(0.1);
  // The exact sum of a million doubles next to 0.1 is 1e6 times that double.
  EXPECT_LE(std::fabs(time.now() - 1e6 * 0.1), std::nextafter(1e5, 2e5) - 1e5);
}

}  // namespace
}  // namespace koppla::core
