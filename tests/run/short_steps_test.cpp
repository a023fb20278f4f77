// The lengths of steps behind a start, and how a clock takes them.

#include "koppla/run/short_steps.hpp"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/run/clock.hpp"

namespace koppla::run::short_steps_test {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pointwise;

std::vector<double> ends(ShortSteps steps) {
  std::vector<double> result;
  for (; !steps.done(); steps.take()) result.push_back(steps.next());
  return result;
}

/// Degree 2: four of H/8, then two of H/4 and two of H/2.
TEST(ShortSteps, DoubleAsSoonAsTheHistoryOfTheLongerOnesIsThere) {
  EXPECT_THAT(ends({0.0, 8.0, 2, 3}), ElementsAre(1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0));
  EXPECT_THAT(ends({1.0, 1.0, 1, 1}), ElementsAre(1.5, 2.0));
  EXPECT_THAT(ends({0.0, 1.0, 3, 0}), IsEmpty());
  EXPECT_THAT(ends({}), IsEmpty());
}

TEST(ShortSteps, MeetAllCommunicationPointsUpToTheDegree) {
  for (unsigned degree = 1; degree <= 5; ++degree)
    for (const unsigned halved : {1U, 2U, 5U, 18U}) {
      std::vector<double> met;
      ShortSteps steps(0.0, 0.25, degree, halved);
      std::size_t count = 0;
      for (; !steps.done(); steps.take(), ++count)
        if (steps.endsMacroStep()) met.push_back(steps.next());
      EXPECT_EQ(count, degree * (halved + 1)) << degree << ' ' << halved;
      ASSERT_EQ(met.size(), degree);
      for (unsigned k = 0; k < degree; ++k) EXPECT_EQ(met[k], 0.25 * (k + 1));
    }
}

/// (H/2^m)^2 at most 1e-12 where H^(p+1) is that, but for the factor 2^8 of the room that is left, and not much less.
TEST(ShortSteps, AreAsShortAsTheOrderNeeds) {
  for (unsigned p = 1; p <= 5; ++p) {
    const double H = std::pow(1e-12, 1.0 / (p + 1.0));
    const double first = std::ldexp(H, -static_cast<int>(halvings(p, 1.0, 0.0)));
    EXPECT_LE(256.0 * first * first, 1e-12 * (1.0 + 1e-3)) << p;
    EXPECT_GE(4.0 * 256.0 * first * first, 1e-12) << p;
  }
}

/// Not so short that the distance of instants is a part of them that counts.
TEST(ShortSteps, AreLongEnoughToBeToldFromRounding) {
  const double late = 1e6;  // s; instants are 1.2e-10 s apart
  EXPECT_GE(std::ldexp(1e-3, -static_cast<int>(halvings(5, 1e-3, late))), 1e-6);
  EXPECT_EQ(halvings(5, 1e-7, late), 0U);
}

TEST(Clock, TakesShortStepsToItsGrid) {
  Clock clock(0.0, 0.7, 0.1, true);
  clock.takeShortSteps({0.0, 0.1, 3, 2});
  std::vector<double> inside;
  std::vector<double> grid;
  while (!clock.finished()) {
    const double t1 = clock.next(0.1);
    EXPECT_DOUBLE_EQ(clock.length(0.1), clock.takesShortSteps() ? t1 - clock.now() : 0.1);
    const bool leads = clock.leadsInside(t1);
    clock.advance(t1, 0.1);
    EXPECT_EQ(clock.isInside(), leads) << t1;
    (clock.isInside() ? inside : grid).push_back(t1);
  }
  EXPECT_THAT(inside, Pointwise(DoubleEq(), {0.025, 0.05, 0.075, 0.125, 0.15, 0.25}));
  ASSERT_EQ(grid.size(), 7U);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(grid[k], 0.1 * static_cast<double>(k + 1));
  EXPECT_EQ(grid[6], 0.7);
}

/// A member may discard a short step as well; the end may come before they are all taken.
TEST(Clock, ShortStepsMayBeShortenedAndCutByTheEnd) {
  Clock clock(0.0, 0.3, 0.25, true);
  clock.takeShortSteps({0.0, 0.25, 2, 1});
  EXPECT_EQ(clock.next(0.25), 0.125);
  clock.advance(0.1, 0.25);
  EXPECT_TRUE(clock.isInside());
  EXPECT_EQ(clock.next(0.25), 0.125);
  clock.advance(0.125, 0.25);
  clock.advance(clock.next(0.25), 0.25);
  EXPECT_EQ(clock.now(), 0.25);
  EXPECT_FALSE(clock.isInside());
  EXPECT_EQ(clock.next(0.25), 0.3);
  EXPECT_FALSE(clock.leadsInside(0.3));
  clock.advance(0.3, 0.25);
  EXPECT_TRUE(clock.finished());
}

}  // namespace
}  // namespace koppla::run::short_steps_test
