// The exhaust tract against the note, sec. 12.4: its figures, and its equations with displacements of points written as
// u + theta x r, frequency by frequency.

#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "koppla/native/exhaust_tract.hpp"

#include "model_access.hpp"
#include "support/elimination.hpp"

namespace koppla::native::exhaust_structure_test {
namespace {

using Complex = std::complex<double>;
using Vector = std::vector<double>;
using Point = std::array<double, 3>;

Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

struct Body {
  double mass;
  Point inertia, link;
  std::array<Point, 3> mounts;
  double phase;
};

const std::array<Body, 2> kBodies{Body{8.0,
                                       {0.08, 0.06, 0.10},
                                       {0.0, -0.25, 0.0},
                                       {{{0.12, 0.05, -0.08}, {-0.12, 0.05, -0.08}, {0.0, -0.06, 0.10}}},
                                       0.0},
                                  Body{7.0,
                                       {0.075, 0.055, 0.09},
                                       {0.0, 0.25, 0.0},
                                       {{{0.11, -0.05, -0.08}, {-0.13, -0.05, -0.08}, {0.0, 0.06, 0.11}}},
                                       0.6}};
constexpr Point kShaking{1.0, 0.4, 0.8};

/// Displacement of a point of a body where its coordinate c (displacements, then rotations) is 1.
Point moved(std::size_t c, const Point& r) {
  Point unit{};
  unit.at(c % 3) = 1.0;
  return c < 3 ? unit : cross(unit, r);
}

double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Of the mounts and the link, for coordinates i and j of both bodies.
double stiffness(std::size_t i, std::size_t j) {
  const std::size_t b = i / 6, other = j / 6;
  double sum = 0.0;
  if (b == other)
    for (const Point& mount : kBodies.at(b).mounts) sum += 5e5 * dot(moved(i % 6, mount), moved(j % 6, mount));
  const double sign = b == other ? 1.0 : -1.0;
  sum += sign * 4e5 * dot(moved(i % 6, kBodies.at(b).link), moved(j % 6, kBodies.at(other).link));
  if (i % 6 >= 3 && i % 6 == j % 6) sum += sign * 2e3;
  return sum;
}

/// The amplitude at a frequency among reals.
Complex amplitude(const Vector& values, std::size_t n, std::size_t k) {
  return {values[12 * n + 2 * k], values[12 * n + 2 * k + 1]};
}

TEST(ExhaustStructureEquations, HoldAtEveryFrequency) {
  const auto model = exhaustStructure({.lossFactor = 0.05, .excitation = 2e-4});
  Vector moments(1200);
  for (std::size_t i = 0; i < moments.size(); ++i) moments[i] = std::sin(1.0 + 0.37 * static_cast<double>(i));
  const Vector y = test::outputsOf(*model, {}, moments);
  for (std::size_t n = 0; n < 100; ++n) {
    const double omega = 2.0 * std::numbers::pi * (50.0 + 1.5 * static_cast<double>(n));
    std::vector<std::vector<Complex>> matrix(12, std::vector<Complex>(12));
    std::vector<Complex> load(12);
    for (std::size_t i = 0; i < 12; ++i) {
      const Body& body = kBodies.at(i / 6);
      for (std::size_t j = 0; j < 12; ++j) matrix[i][j] = stiffness(i, j) * Complex(1.0, 0.05);
      matrix[i][i] -= omega * omega * (i % 6 < 3 ? body.mass : body.inertia.at(i % 3));
      for (std::size_t m = 0; m < 2; ++m)
        load[i] += 2e-4 * 5e5 * dot(moved(i % 6, body.mounts.at(m)), kShaking) * std::polar(1.0, body.phase);
      if (i % 6 >= 3) load[i] += amplitude(moments, n, 3 * (i / 6) + i % 3);
    }
    const std::vector<Complex> motion = koppla::test::solved(matrix, load);
    for (std::size_t k = 0; k < 6; ++k) {
      const Complex expected = motion[6 * (k / 3) + 3 + k % 3];
      ASSERT_LT(std::abs(amplitude(y, n, k) - expected), 1e-9 * std::abs(expected) + 1e-14) << n << " " << k;
    }
  }
}

TEST(ExhaustStructureEquations, HaveTheEigenfrequenciesOfTheNote) {
  const Vector expected{67.93, 68.66, 69.28, 70.54, 73.63, 76.18, 80.43, 91.55, 110.95, 117.78, 145.51, 154.83};
  const Vector obtained = exhaustEigenfrequencies();
  ASSERT_EQ(obtained.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(obtained[i], expected[i], 0.0051) << i;
}

/// M = i omega (H a x theta - d (theta - a (a theta))).
TEST(ExhaustRotorsEquations, HoldAtEveryFrequency) {
  const auto model = exhaustRotors({.inertia = 3e-4, .speed = 1.5e5, .damping = 0.2});
  Vector theta(1200);
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = std::cos(2.0 + 0.53 * static_cast<double>(i));
  const Vector y = test::outputsOf(*model, {}, theta);
  const double H = 3e-4 * 1.5e5 * 2.0 * std::numbers::pi / 60.0;
  const std::array<Point, 2> axes{{{1.0, 0.0, 0.0}, {std::cos(0.5), std::sin(0.5), 0.0}}};
  for (std::size_t n = 0; n < 100; ++n) {
    const double omega = 2.0 * std::numbers::pi * (50.0 + 1.5 * static_cast<double>(n));
    for (std::size_t b = 0; b < 2; ++b) {
      const Point& a = axes.at(b);
      std::array<Complex, 3> t;
      for (std::size_t k = 0; k < 3; ++k) t.at(k) = amplitude(theta, n, 3 * b + k);
      const Complex along = a[0] * t[0] + a[1] * t[1] + a[2] * t[2];
      const std::array<Complex, 3> turned{a[1] * t[2] - a[2] * t[1], a[2] * t[0] - a[0] * t[2],
                                          a[0] * t[1] - a[1] * t[0]};
      for (std::size_t k = 0; k < 3; ++k) {
        const Complex expected = Complex(0.0, omega) * (H * turned.at(k) - 0.2 * (t.at(k) - a.at(k) * along));
        ASSERT_LT(std::abs(amplitude(y, n, 3 * b + k) - expected), 1e-10 * omega) << n << " " << b << " " << k;
      }
    }
  }
}

/// Parameters that are set later count as well.
TEST(ExhaustStructureEquations, FollowTheirParameters) {
  const auto model = exhaustStructure();
  const Vector none(1200, 0.0);
  const Vector before = test::outputsOf(*model, {}, none);
  test::setPort(*model, "loss_factor", 0.5);
  const Vector damped = test::outputsOf(*model, {}, none);
  EXPECT_EQ(damped, test::outputsOf(*exhaustStructure({.lossFactor = 0.5}), {}, none));
  EXPECT_NE(damped, before);
  test::setPort(*model, "loss_factor", 0.0);
  EXPECT_EQ(test::outputsOf(*model, {}, none), test::outputsOf(*exhaustStructure({.lossFactor = 0.0}), {}, none));
  test::setPort(*model, "loss_factor", 0.02);
  EXPECT_EQ(test::outputsOf(*model, {}, none), before);
}

}  // namespace
}  // namespace koppla::native::exhaust_structure_test
