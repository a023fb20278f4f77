#include "koppla/run/clock.hpp"

#include <gtest/gtest.h>

namespace koppla::run {
namespace {

TEST(Clock, AFixedClockTakesNoStepTooMany) {
  Clock clock(0.0, 10.0, 0.1, true);
  int steps = 0;
  for (; !clock.finished(); ++steps) clock.advance(clock.next(0.1), 0.1);
  EXPECT_EQ(steps, 100);
  EXPECT_EQ(clock.now(), 10.0);
}

TEST(Clock, AShortenedStepReturnsToTheGrid) {
  Clock clock(0.0, 1.0, 0.25, true);
  clock.advance(0.1, 0.25);
  EXPECT_EQ(clock.next(0.25), 0.25);
  clock.advance(0.25, 0.25);
  EXPECT_EQ(clock.next(0.25), 0.5);
}

/// 0.08 - 0.07 is not 0.01 in doubles.
TEST(Clock, StepsOnTheGridHaveTheLengthThatIsMeant) {
  Clock clock(0.0, 1.0, 0.01, true);
  int differences = 0;
  for (; !clock.finished(); clock.advance(clock.next(0.01), 0.01)) {
    EXPECT_EQ(clock.length(0.01), 0.01);
    if (clock.next(0.01) - clock.now() != 0.01) ++differences;
  }
  EXPECT_GT(differences, 50);
}

TEST(Clock, OtherStepsHaveTheDifferenceOfTheirPoints) {
  Clock rest(0.0, 1.0, 0.3, true);
  for (int i = 0; i < 3; ++i) rest.advance(rest.next(0.3), 0.3);
  EXPECT_EQ(rest.length(0.3), 1.0 - 0.3 * 3);
  Clock shortened(0.0, 1.0, 0.25, true);
  shortened.advance(0.1, 0.25);
  EXPECT_EQ(shortened.length(0.25), 0.25 - 0.1);
  shortened.advance(0.25, 0.25);
  EXPECT_EQ(shortened.length(0.25), 0.25);
  Clock longer(0.0, 0.05, 0.1, true);
  EXPECT_EQ(longer.length(0.1), 0.05);
  Clock adapted(0.0, 1.0, 0.01, false);
  for (int i = 0; i < 7; ++i) adapted.advance(adapted.next(0.01), 0.01);
  EXPECT_EQ(adapted.length(0.01), adapted.next(0.01) - adapted.now());
}

TEST(Clock, AdaptedStepsEndExactlyAtTheEndWithoutACrumb) {
  Clock clock(0.0, 1.0, 0.1, false);
  int steps = 0;
  for (; !clock.finished(); ++steps) clock.advance(clock.next(0.1), 0.1);
  EXPECT_EQ(steps, 10);
  EXPECT_EQ(clock.now(), 1.0);
}

}  // namespace
}  // namespace koppla::run
