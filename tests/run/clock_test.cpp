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

TEST(Clock, AdaptedStepsEndExactlyAtTheEndWithoutACrumb) {
  Clock clock(0.0, 1.0, 0.1, false);
  int steps = 0;
  for (; !clock.finished(); ++steps) clock.advance(clock.next(0.1), 0.1);
  EXPECT_EQ(steps, 10);
  EXPECT_EQ(clock.now(), 1.0);
}

}  // namespace
}  // namespace koppla::run
