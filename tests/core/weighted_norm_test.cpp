#include "koppla/core/weighted_norm.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace koppla::core {
namespace {

TEST(WeightedNorm, ThreeAndFourWithUnitWeights) {
  const std::vector<double> difference{3.0, 4.0};
  const std::vector<double> reference{0.0, 0.0};
  EXPECT_DOUBLE_EQ(weightedNorm(Norm::nicolai, {0.0, 1.0}, difference, reference), 5.0 / 2.0);
  EXPECT_DOUBLE_EQ(weightedNorm(Norm::rms, {0.0, 1.0}, difference, reference), 5.0 / std::sqrt(2.0));
}

TEST(WeightedNorm, WeightsMixRelativeAndAbsolute) {
  const std::vector<double> difference{0.5};
  const std::vector<double> reference{-2.0};
  EXPECT_DOUBLE_EQ(weightedNorm(Norm::rms, {0.1, 0.3}, difference, reference), 0.5 / (0.1 * 2.0 + 0.3));
}

TEST(WeightedNorm, TheLargestDifferenceInUnitsOfItsOwnTolerance) {
  // 0.3 / (0.1 * 2 + 0.1), 0.1 / (0.1 * 0 + 0.1), 1 / (0.1 * 5 + 0.1)
  const std::vector<double> difference{0.3, -0.1, -1.0};
  const std::vector<double> reference{-2.0, 0.0, 5.0};
  EXPECT_DOUBLE_EQ(weightedNorm(Norm::max, {0.1, 0.1}, difference, reference), 1.0 / 0.6);
}

TEST(WeightedNorm, AFieldIsMeasuredAsAWhole) {
  const std::vector<double> difference{3.0, 0.0, 0.0, -4.0};
  const std::vector<double> reference{6.0, 8.0, 0.0, 0.0};
  // RMS: 5 / 2 and 10 / 2; largest: 4 and 8.
  EXPECT_DOUBLE_EQ(weightedNorm(Norm::fieldRms, {0.1, 0.0}, difference, reference), 5.0);
  EXPECT_DOUBLE_EQ(weightedNorm(Norm::fieldRms, {0.1, 0.5}, difference, reference), 2.5);
  EXPECT_DOUBLE_EQ(weightedNorm(Norm::fieldMax, {0.1, 0.0}, difference, reference), 5.0);
  EXPECT_DOUBLE_EQ(weightedNorm(Norm::fieldMax, {0.1, 0.2}, difference, reference), 4.0);
}

TEST(WeightedNorm, AFieldOfAnySizeIsMeasuredBySize) {
  // RMS of 3 s, 0, 0, 4 s is 2.5 s, of 6 s, 8 s, 0, 0 it is 5 s; also where squares overflow or vanish.
  for (const double s : {1e-200, 0.01, 0.25, 1.0 / 3.0, 0.125, 1.0, 7.0, 1e200}) {
    const std::vector<double> difference{3.0 * s, 0.0, 0.0, -4.0 * s};
    const std::vector<double> reference{-6.0 * s, 8.0 * s, 0.0, 0.0};
    EXPECT_DOUBLE_EQ(weightedNorm(Norm::fieldRms, {0.1, 0.5 * s}, difference, reference), 2.5) << s;
    EXPECT_DOUBLE_EQ(weightedNorm(Norm::fieldMax, {0.1, 0.2 * s}, difference, reference), 4.0) << s;
  }
}

TEST(WeightedNorm, AFieldOfZerosHasTheMagnitudeZero) {
  const std::vector<double> zero{0.0, 0.0};
  const std::vector<double> ones{1.0, 0.0};
  for (const Norm norm : {Norm::fieldRms, Norm::fieldMax}) {
    EXPECT_EQ(weightedNorm(norm, {0.5, 0.0}, zero, zero), 0.0) << "also where nothing is allowed";
    EXPECT_EQ(weightedNorm(norm, {0.5, 2.0}, zero, ones), 0.0);
  }
  EXPECT_DOUBLE_EQ(weightedNorm(Norm::fieldMax, {0.5, 2.0}, ones, zero), 0.5);
  EXPECT_DOUBLE_EQ(weightedNorm(Norm::fieldRms, {0.5, 2.0}, ones, zero), std::sqrt(0.5) / 2.0);
  EXPECT_TRUE(std::isinf(weightedNorm(Norm::fieldMax, {0.5, 0.0}, ones, zero)));
}

TEST(WeightedNorm, TheLargestNumberIsFinite) {
  const std::vector<double> largest{std::numeric_limits<double>::max()};
  for (const Norm norm : {Norm::max, Norm::fieldRms, Norm::fieldMax}) {
    EXPECT_DOUBLE_EQ(weightedNorm(norm, {0.5, 0.0}, largest, largest), 2.0);
    EXPECT_EQ(weightedNorm(norm, {0.5, 1.0}, std::vector{0.0}, largest), 0.0);
  }
}

TEST(WeightedNorm, WhatIsNotFiniteIsInfinitelyFarOff) {
  const std::vector<double> bad{1.0, std::nan("")};
  const std::vector<double> good{1.0, 1.0};
  for (const Norm norm : {Norm::rms, Norm::nicolai, Norm::max, Norm::fieldRms, Norm::fieldMax}) {
    EXPECT_TRUE(std::isinf(weightedNorm(norm, {1.0, 1.0}, bad, good)));
    EXPECT_TRUE(std::isinf(weightedNorm(norm, {1.0, 1.0}, good, bad)));
    EXPECT_TRUE(std::isinf(weightedNorm(norm, {1.0, 1.0}, good, std::vector{-HUGE_VAL, 1.0})));
    EXPECT_TRUE(std::isinf(weightedNorm(norm, {1.0, 1.0}, std::vector{HUGE_VAL, 1.0}, good)));
  }
}

TEST(WeightedNorm, NothingToCompareIsZeroAndAZeroWeightForgivesNothing) {
  EXPECT_EQ(weightedNorm(Norm::rms, {1e-5, 1e-6}, {}, {}), 0.0);
  const std::vector<double> reference{0.0};
  EXPECT_EQ(weightedNorm(Norm::rms, {1.0, 0.0}, reference, reference), 0.0);
  const std::vector<double> difference{1e-300};
  EXPECT_TRUE(std::isinf(weightedNorm(Norm::rms, {1.0, 0.0}, difference, reference)));
}

}  // namespace
}  // namespace koppla::core
