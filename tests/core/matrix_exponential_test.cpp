#include "koppla/core/matrix_exponential.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace koppla::core {
namespace {

/// Below the rounding of double.
constexpr long double kTolerance = 1e-16L;

void expectEntries(const std::vector<long double>& found, const std::vector<long double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_LE(std::fabs(found[i] - expected[i]), kTolerance) << i;
}

TEST(MatrixExponential, OfAnOscillatorIsItsMotion) {
  // x' = v, v' = -w^2 x: cosine and sine; row by row, as x(t) depends on v(0).
  const long double w = 2.0L;
  const long double t = 0.7L;
  const long double c = std::cos(w * t);
  const long double s = std::sin(w * t);
  expectEntries(exponential(std::vector<long double>{0.0L, t, -w * w * t, 0.0L}), {c, s / w, -w * s, c});
}

TEST(MatrixExponential, OfAShiftHasTheInversesOfTheFactorials) {
  const std::vector<long double> shift{0.0L, 1.0L, 0.0L, 0.0L, 0.0L, 1.0L, 0.0L, 0.0L, 0.0L};
  expectEntries(exponential(shift), {1.0L, 1.0L, 0.5L, 0.0L, 1.0L, 1.0L, 0.0L, 0.0L, 1.0L});
}

TEST(MatrixExponential, OfTwoMassesIsTheMotionOfTheirModes) {
  // Equal masses of 1 kg, each on a spring of 4 N/m, and one of 5e4 N/m between them: they move together at w = 2 rad/s
  // and against each other at W = sqrt(100004) rad/s. The states are x1, v1, x2, v2.
  const long double t = 0.3L;
  const std::vector<long double> A{0, 1, 0, 0, -50004, 0, 50000, 0, 0, 0, 0, 1, 50000, 0, -50004, 0};
  std::vector<long double> scaled;
  for (const long double entry : A) scaled.push_back(entry * t);
  const std::vector<long double> found = exponential(scaled);
  ASSERT_EQ(found.size(), 16U);
  const long double w = 2.0L;
  const long double W = std::sqrt(100004.0L);
  const long double together[2][2] = {{std::cos(w * t), std::sin(w * t) / w}, {-w * std::sin(w * t), std::cos(w * t)}};
  const long double against[2][2] = {{std::cos(W * t), std::sin(W * t) / W}, {-W * std::sin(W * t), std::cos(W * t)}};
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t column = 0; column < 4; ++column) {
      const long double sign = row / 2 == column / 2 ? 1.0L : -1.0L;
      const std::size_t i = row % 2;
      const std::size_t k = column % 2;
      const long double expected = (together[i][k] + sign * against[i][k]) / 2.0L;
      // Velocities are W times positions.
      const long double size = i == k ? 1.0L : i == 1 ? W : 1.0L / w;
      EXPECT_LE(std::fabs(found[row * 4 + column] - expected) / size, 1e-14L) << row << " " << column;
    }
}

}  // namespace
}  // namespace koppla::core
