#include "koppla/stepping/double_step.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace koppla::stepping {
namespace {

constexpr core::Tolerance kUnit{0.0, 1.0};

TEST(DoubleStep, EqualStraightLinesHaveNoError) {
  const std::vector<double> start{1.0}, full{3.0}, middle{2.0}, halves{3.0};
  EXPECT_EQ(doubleStepError({0.5, start, full, middle, halves}, core::Norm::rms, kUnit), 0.0);
}

TEST(DoubleStep, RichardsonDifferenceIsSeen) {
  // h = 2, slopes 2 and 2: halves 4.5 differ from full 5 by 0.5; slope test: 1 * (5 - 1)/2 - (4.5 - 2.75)/1 = 0.25.
  const std::vector<double> start{1.0}, full{5.0}, middle{2.75}, halves{4.5};
  EXPECT_DOUBLE_EQ(doubleStepError({2.0, start, full, middle, halves}, core::Norm::rms, kUnit), 0.5);
}

TEST(DoubleStep, AJumpInsideThatLeavesTheEndsEqualIsSeenByTheSlopes) {
  // Nicolai, fig. 16: the value jumps early and stays, so both ends agree while the last slope is zero.
  const std::vector<double> start{0.0}, full{1.0}, middle{1.0}, halves{1.0};
  EXPECT_DOUBLE_EQ(doubleStepError({0.1, start, full, middle, halves}, core::Norm::rms, kUnit), 0.5);
}

TEST(DoubleStep, EveryValueCounts) {
  // Root mean square of differences 3 and 4: sqrt(25 / 2). Slopes agree where the middle lies between.
  const std::vector<double> start{0.0, 0.0}, full{2.0, 2.0}, halves{5.0, 6.0}, middle{4.0, 5.0};
  EXPECT_DOUBLE_EQ(doubleStepError({2.0, start, full, middle, halves}, core::Norm::rms, kUnit), std::sqrt(12.5));
  // And of slopes alone: 1 * (full slope 1 - last slope -2), 1 * (1 - -3).
  const std::vector<double> same{2.0, 2.0}, above{4.0, 5.0};
  EXPECT_DOUBLE_EQ(doubleStepError({2.0, start, same, above, same}, core::Norm::rms, kUnit), std::sqrt(12.5));
}

}  // namespace
}  // namespace koppla::stepping
