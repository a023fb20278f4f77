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

}  // namespace
}  // namespace koppla::run::adapted_clock_test
