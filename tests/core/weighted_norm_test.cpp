#include "koppla/core/weighted_norm.hpp"

#include <cmath>
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

TEST(WeightedNorm, NothingToCompareIsZeroAndAZeroWeightForgivesNothing) {
  EXPECT_EQ(weightedNorm(Norm::rms, {1e-5, 1e-6}, {}, {}), 0.0);
  const std::vector<double> reference{0.0};
  EXPECT_EQ(weightedNorm(Norm::rms, {1.0, 0.0}, reference, reference), 0.0);
  const std::vector<double> difference{1e-300};
  EXPECT_TRUE(std::isinf(weightedNorm(Norm::rms, {1.0, 0.0}, difference, reference)));
}

}  // namespace
}  // namespace koppla::core
