// What answers to disturbances show of a recursion, against recursions with known eigenvalues.

#include "koppla/core/response_modes.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace koppla::core::response_modes_test {
namespace {

/// y_i(n) = sum of modulus_m^n cos(angle_m n + phase): two disturbances of two values.
Responses decaying(const std::vector<std::pair<double, double>>& modes, std::size_t samples, double unit = 1.0) {
  Responses result{2, 2};
  for (std::size_t n = 0; n < samples; ++n)
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < 2; ++i) {
        double sum = 0.0;
        double phase = 0.3 + 1.1 * k + 0.7 * i;
        for (const auto& [modulus, angle] : modes) {
          const double at = static_cast<double>(n);
          sum += std::pow(modulus, at) * std::cos(angle * at + phase);
          phase *= 1.9;
        }
        result.numbers.push_back(sum * (i == 0 ? unit : 1.0 / unit));
      }
  return result;
}

TEST(ResponseModes, AreNoneWhereNothingWasTried) {
  EXPECT_EQ(Responses{}.samples(), 0U);
  EXPECT_EQ((Responses{2, 2}).samples(), 0U);
  EXPECT_FALSE(largestModulus(Responses{}));
  EXPECT_EQ(partBetween(Responses{}, Responses{}), 0.0);
}

TEST(ResponseModes, ShowTheLargestModulus) {
  for (const double modulus : {0.2, 0.99, 1.0, 1.0001, 3.0}) {
    const auto found = largestModulus(decaying({{modulus, 0.8}, {0.5 * modulus, 2.0}, {0.1, 0.0}}, 16));
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->value, modulus, 1e-8 * modulus);
  }
}

TEST(ResponseModes, OfSlowMotionsAreToldApart) {
  EXPECT_NEAR(largestModulus(decaying({{1.001, 0.1}, {0.999, 0.15}}, 24)).value().value, 1.001, 1e-8);
}

/// Beginnings of slow motions are alike, so that 24 samples leave open where 1 is.
TEST(ResponseModes, AreOpenUntilTheyHaveTurned) {
  const LargestModulus brief = largestModulus(decaying({{0.9999, 0.01}, {0.9998, 0.015}}, 24)).value();
  EXPECT_GT(brief.most, 1.0);
  EXPECT_LT(brief.least, 0.9999);
  const LargestModulus longer = largestModulus(decaying({{0.9999, 0.2}, {0.9998, 0.3}}, 24)).value();
  EXPECT_EQ(longer.most, longer.value);
  EXPECT_EQ(longer.least, longer.value);
}

/// What has grown is known, whatever slow ones there are beside it; these may be larger only.
TEST(ResponseModes, ThatHaveGrownAreKnownBesideSlowOnes) {
  const LargestModulus found = largestModulus(decaying({{1.2, 0.0}, {0.999, 0.0}}, 24)).value();
  EXPECT_NEAR(found.least, 1.2, 1e-6);
  EXPECT_EQ(found.most, found.value);
}

TEST(ResponseModes, DoNotDependOnUnits) {
  EXPECT_NEAR(largestModulus(decaying({{1.2, 0.8}, {0.7, 2.0}}, 16, 1e6)).value().value, 1.2, 1e-8);
}

/// A value that shows nothing but rounding is no mode.
TEST(ResponseModes, AreNotSoughtInNoise) {
  Responses responses = decaying({{0.9, 0.8}}, 16);
  for (std::size_t n = 0; n < 16; ++n) responses.numbers[4 * n + 1] = responses.numbers[4 * n + 3] = 0.0;
  unsigned random = 1;
  for (std::size_t n = 0; n < 16; ++n)
    for (const std::size_t k : {1U, 3U}) {
      random = 1664525U * random + 1013904223U;
      responses.numbers[4 * n + k] = 1e-16 * (static_cast<double>(random) / 4294967296.0 - 0.5);
    }
  responses.noise = {1e-16, 1e-16};
  EXPECT_NEAR(largestModulus(responses).value().value, 0.9, 1e-6);
}

TEST(ResponseModes, NeedSamplesThatAreNumbers) {
  EXPECT_FALSE(largestModulus(decaying({{0.9, 0.8}}, 3)));
  Responses responses = decaying({{0.9, 0.8}}, 8);
  responses.numbers.back() = HUGE_VAL;
  EXPECT_FALSE(largestModulus(responses));
  EXPECT_TRUE(largestModulus(responses.first(7)));
}

TEST(ResponseModes, ThatAreNotShownEnoughAreLeftOut) {
  Responses responses = decaying({{0.9, 0.8}}, 16);
  for (std::size_t n = 0; n < 16; ++n) responses.numbers[4 * n] += 1e-3 * std::pow(1.05, static_cast<double>(n));
  EXPECT_NEAR(largestModulus(responses).value().value, 1.05, 1e-6);
  EXPECT_NEAR(largestModulus(responses, 0.05).value().value, 0.9, 0.01);
}

TEST(ResponseModes, OfTwoSetsDifferByAPart) {
  const Responses responses = decaying({{0.9, 0.8}}, 16);
  Responses others = decaying({{0.9, 0.8}}, 12);
  EXPECT_EQ(partBetween(responses, others), 0.0);
  for (double& number : others.numbers) number *= 1.25;
  EXPECT_NEAR(partBetween(responses, others), 0.25, 1e-12);
}

TEST(ResponseModes, OfNoResponseAreNone) {
  Responses responses{1, 1, std::vector<double>(8, 0.0)};
  EXPECT_EQ(largestModulus(responses).value().value, 0.0);
}

}  // namespace
}  // namespace koppla::core::response_modes_test
