#include <cmath>

#include <gtest/gtest.h>

#include "koppla/run/clock.hpp"

namespace koppla::run::adapted_clock_test {
namespace {

TEST(Clock, ARestThatIsRoundingBelongsToTheLastAdaptedStep) {
  // Four steps miss the end by 1e-12 s, which is less than a billionth of a step: there is no fifth.
  constexpr double kStep = (1.0 - 1e-12) / 4.0;
  Clock clock(0.0, 1.0, kStep, false);
  int steps = 0;
  for (; !clock.finished(); ++steps) clock.advance(clock.next(kStep), kStep);
  EXPECT_EQ(steps, 4);
  EXPECT_EQ(clock.now(), 1.0);
}

TEST(Clock, ARestThatIsMoreThanRoundingIsAStepOfItsOwn) {
  constexpr double kStep = (1.0 - 1e-8) / 4.0;
  Clock clock(0.0, 1.0, kStep, false);
  int steps = 0;
  for (; !clock.finished(); ++steps) clock.advance(clock.next(kStep), kStep);
  EXPECT_EQ(steps, 5);
}

/// 0.3 in a table and 0.1 * 3 are one instant.
TEST(Clock, APointWithinRoundingOfTheEndIsTheEnd) {
  Clock clock(0.0, 0.1 * 3.0, 0.1, false);
  clock.stopAt(0.3);
  int steps = 0;
  for (; !clock.finished(); ++steps) clock.advance(clock.next(0.1), 0.1);
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(clock.now(), 0.1 * 3.0);
}

TEST(Clock, NoAdaptedStepLeadsAcrossAPoint) {
  Clock clock(0.0, 10.0, 1.0, false);
  clock.stopAt(2.25);
  EXPECT_EQ(clock.next(1.0), 1.0) << "far from it";
  EXPECT_FALSE(clock.cuts(1.0));
  clock.advance(1.0, 1.0);
  EXPECT_EQ(clock.next(1.0), 1.625) << "half of what is left, so that no rest is very short";
  EXPECT_TRUE(clock.cuts(1.0));
  clock.advance(1.625, 1.0);
  EXPECT_EQ(clock.next(1.0), 2.25);
  clock.advance(2.25, 1.0);
  clock.stopAt(HUGE_VAL);
  EXPECT_EQ(clock.next(1.0), 3.25);
  EXPECT_FALSE(clock.cuts(1.0));
  clock.stopAt(11.0);
  clock.advance(9.5, 7.25);
  EXPECT_EQ(clock.next(1.0), 10.0) << "the end comes first";
}

}  // namespace
}  // namespace koppla::run::adapted_clock_test
