#include "koppla/core/eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace koppla::core {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Eigenvalues, OfARotationAreCosineAndSine) {
  const double angle = 0.3;
  const std::vector<double> rotation{std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle)};
  const auto values = eigenvalues(rotation);
  ASSERT_TRUE(values);
  ASSERT_EQ(values->size(), 2U);
  for (const std::complex<double>& value : *values) {
    EXPECT_NEAR(value.real(), std::cos(angle), 1e-15);
    EXPECT_NEAR(std::fabs(value.imag()), std::sin(angle), 1e-15);
  }
  EXPECT_EQ(values->at(0), std::conj(values->at(1)));
}

TEST(Modes, AreTheDirectionsThatTheMatrixOnlyStretches) {
  // Row by row: its transpose has other eigenvectors. (x - 1)(x - 2)(x - 3) as the companion matrix.
  const std::vector<double> matrix{6.0, -11.0, 6.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
  const auto found = modes(matrix);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->values.size(), 3U);
  ASSERT_EQ(found->vectors.size(), 9U);
  double sum = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double root = found->values[k].real();
    sum += root;
    EXPECT_NEAR((root - 1.0) * (root - 2.0) * (root - 3.0), 0.0, 1e-12);
    // (L^2, L, 1) of length 1.
    const double length = std::sqrt(root * root * root * root + root * root + 1.0);
    const std::complex<double> last = found->vectors[3 * k + 2];
    EXPECT_NEAR(std::abs(last), 1.0 / length, 1e-12);
    EXPECT_NEAR(std::abs(found->vectors[3 * k] - root * root * last), 0.0, 1e-12);
    EXPECT_NEAR(std::abs(found->vectors[3 * k + 1] - root * last), 0.0, 1e-12);
  }
  EXPECT_NEAR(sum, 6.0, 1e-12);
}

TEST(SpectralRadius, KeepsItsDigitsWhereQuantitiesDifferByManyPowersOfTen) {
  // An oscillator of 1 rad/s, decaying by 0.5, in units of 1e-8 and 1e8: the eigenvalues are those of (-0.5, 1; -1,
  // -0.5).
  const std::vector<double> matrix{-0.5, 1e16, -1e-16, -0.5};
  EXPECT_NEAR(spectralRadius(matrix), std::hypot(0.5, 1.0), 1e-15);
}

/// What is symmetric in equal units, each of its numbers in a unit of its own: powers of two with so many digits.
std::vector<double> inUnits(const std::vector<double>& matrix, std::size_t n, unsigned digits) {
  static std::minstd_rand dice;
  std::vector<double> unit;
  for (std::size_t i = 0; i < n; ++i)
    unit.push_back(std::ldexp(1.0, static_cast<int>(dice() / 7 % (2 * digits + 1)) - static_cast<int>(digits)));
  std::vector<double> result = matrix;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) result[i * n + k] *= unit[k] / unit[i];
  return result;
}

/// x_i' = c x_i + x_{i-1} + x_{i+1} has the eigenvalues c + 2 cos(k pi / (n + 1)).
TEST(SpectralRadius, OfAChainDoesNotDependOnTheUnits) {
  for (const std::size_t n : {2U, 3U, 4U, 5U})
    for (const double c : {0.0, -0.25, 3.0}) {
      std::vector<double> matrix(n * n, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        matrix[i * n + i] = c;
        if (i > 0) matrix[i * n + i - 1] = 1.0;
        if (i + 1 < n) matrix[i * n + i + 1] = 1.0;
      }
      const double expected = std::fabs(c) + 2.0 * std::cos(std::numbers::pi / static_cast<double>(n + 1));
      for (const unsigned digits : {1U, 3U, 12U, 20U, 40U})
        EXPECT_NEAR(spectralRadius(inUnits(matrix, n, digits)), expected, 1e-13) << n << " " << c << " " << digits;
    }
}

/// As above with c = 0, each number in a unit so many times as large as that of the one before it: the first as well as
/// the last must be brought to the units of the others, or digits are lost.
TEST(SpectralRadius, OfAChainWhoseUnitsGrowAllAlong) {
  for (const std::size_t n : {12U, 20U, 40U})
    for (const double ratio : {2.0, 16.0, 256.0, 65536.0, 1.0 / 256.0}) {
      std::vector<double> matrix(n * n, 0.0);
      for (std::size_t i = 0; i + 1 < n; ++i) {
        matrix[i * n + i + 1] = 1.0 / ratio;
        matrix[(i + 1) * n + i] = ratio;
      }
      const double expected = 2.0 * std::cos(std::numbers::pi / static_cast<double>(n + 1));
      EXPECT_NEAR(spectralRadius(matrix), expected, 1e-13) << n << " " << ratio;
    }
}

/// A chain with c = 0 in equal units, whose last also takes 1e-30 of the first: nothing beside 1, and no reason for
/// other units.
TEST(SpectralRadius, MindsNoTraces) {
  constexpr std::size_t kLength = 20;
  std::vector<double> matrix(kLength * kLength, 0.0);
  for (std::size_t i = 0; i + 1 < kLength; ++i) matrix[i * kLength + i + 1] = matrix[(i + 1) * kLength + i] = 1.0;
  matrix[(kLength - 1) * kLength] = 1e-30;
  EXPECT_NEAR(spectralRadius(matrix), 2.0 * std::cos(std::numbers::pi / (kLength + 1)), 1e-13);
}

/// x_i' = c x_i + the sum of all others has the eigenvalues c + n - 1 and c - 1.
TEST(SpectralRadius, OfWhatIsAllConnectedDoesNotDependOnTheUnits) {
  for (const std::size_t n : {3U, 6U, 12U})
    for (const double c : {0.0, -20.0, 3.0}) {
      std::vector<double> matrix(n * n, 1.0);
      for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] = c;
      const double expected = std::max(std::fabs(c + static_cast<double>(n) - 1.0), std::fabs(c - 1.0));
      for (const unsigned digits : {1U, 3U, 12U, 20U, 40U})
        EXPECT_NEAR(spectralRadius(inUnits(matrix, n, digits)), expected, 1e-12) << n << " " << c << " " << digits;
    }
}

/// (c, .9, 0; 0, c, .9; e, 0, c) has the eigenvalues c + w (.81 e)^(1/3), w^3 = 1, to which e contributes however small
/// it is beside c.
TEST(SpectralRadius, KeepsWhatALoopOfSmallAndLargeNumbersGives) {
  for (const double c : {0.0, 1.0})
    for (const double e : {1e-18, 1e-30})
      EXPECT_NEAR(spectralRadius(std::vector{c, 0.9, 0.0, 0.0, c, 0.9, e, 0.0, c}), c + std::cbrt(0.81 * e), 1e-15)
          << c << e;
  // Two steps of 1e9 and 1e3 and one of 1e-30.
  EXPECT_NEAR(spectralRadius(std::vector{0.0, 1e9, 0.0, 0.0, 0.0, 1e3, 1e-30, 0.0, 0.0}), std::cbrt(1e-18), 1e-18);
}

TEST(SpectralRadius, MayBeSmall) {
  EXPECT_EQ(spectralRadius(std::vector{-0.25}), 0.25);
  EXPECT_EQ(spectralRadius(std::vector{0.0}), 0.0);
  EXPECT_NEAR(spectralRadius(std::vector{0.5, 0.0, 0.125, 0.25}), 0.5, 1e-15);
}

TEST(Eigenvalues, OfOneNumberAreThatNumber) {
  const auto found = modes(std::vector{-3.0});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->values, std::vector<std::complex<double>>{-3.0});
  ASSERT_EQ(found->vectors.size(), 1U);
  EXPECT_EQ(std::abs(found->vectors[0]), 1.0);
}

TEST(Eigenvalues, OfNothingAreNone) {
  ASSERT_TRUE(eigenvalues({}));
  EXPECT_TRUE(eigenvalues({})->empty());
  ASSERT_TRUE(modes({}));
  EXPECT_TRUE(modes({})->vectors.empty());
}

TEST(SpectralRadius, IsInfiniteWhereAnEntryIsNotFinite) {
  for (const double entry : {kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> matrix{1.0, entry, 2.0, 3.0};
    EXPECT_EQ(spectralRadius(matrix), kInfinity);
    EXPECT_FALSE(eigenvalues(matrix));
    EXPECT_FALSE(modes(matrix));
  }
}

TEST(SpectralRadius, OfNothingIsZero) {
  EXPECT_EQ(spectralRadius({}), 0.0);
}

}  // namespace
}  // namespace koppla::core
