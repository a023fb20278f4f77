#include "koppla/coupling/error_estimate.hpp"

#include <array>
#include <limits>

#include <gtest/gtest.h>

namespace koppla::coupling::error_estimate_test {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Steps that begin at the first value and end at the others, in turn with what the last two of them promise.
ErrorEstimate estimateOf(std::initializer_list<double> values) {
  ErrorEstimate estimate(1);
  const double* const all = values.begin();
  for (std::size_t i = 1; i < values.size(); ++i) {
    const std::array promised{i < 2 ? all[0] : 2.0 * all[i - 1] - all[i - 2]};
    estimate.add({.t1 = static_cast<double>(i), .begin = {}, .predicted = promised, .accepted = {all + i, 1}});
  }
  return estimate;
}

/// Extrapolation makes errors of rounding that are larger than its range: 3 of the last bit here, of a range of 2.
TEST(ErrorEstimate, AConstantHasNoRange) {
  const double bit = 3.0 * kEpsilon;
  const ErrorEstimate noisy = estimateOf({3.0, 3.0 + bit, 3.0 - bit, 3.0 + bit, 3.0});
  EXPECT_EQ(noisy.range(0), 0.0);
  EXPECT_GT(noisy.ofExtrapolation(0).largest(), 0.0);
  EXPECT_EQ(noisy.upper(0), 3.0 + bit);
  EXPECT_EQ(estimateOf({0.0, 0.0, 0.0}).range(0), 0.0);
}

TEST(ErrorEstimate, WhatMovesHasARangeHoweverSmall) {
  EXPECT_DOUBLE_EQ(estimateOf({1e-30, 2e-30, 4e-30}).range(0), 2e-30);
  EXPECT_NEAR(estimateOf({1.0, 1.0 + 1e-9, 1.0 - 1e-9}).range(0), 2e-9, 1e-15);
}

TEST(ErrorEstimate, WhatJumpsInItsFirstStepIsNoConstant) {
  EXPECT_EQ(estimateOf({0.0, 5.0, 5.0, 5.0}).range(0), 5.0);
}

}  // namespace
}  // namespace koppla::coupling::error_estimate_test
