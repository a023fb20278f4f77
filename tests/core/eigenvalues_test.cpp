#include "koppla/core/eigenvalues.hpp"

#include <cmath>
#include <limits>

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
