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

}  // namespace
}  // namespace koppla::core
