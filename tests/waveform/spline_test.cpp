#include "koppla/coupling/spline.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/coupling/waveform.hpp"

namespace koppla::coupling {
namespace {

/// Coefficients of a piece of one value.
std::vector<double> pieceOf(const Waveform& waveform, unsigned piece) {
  const Courses courses = waveform.piece(piece);
  return {courses.powers, courses.powers + courses.degree + 1};
}

double valueOf(const std::vector<double>& coefficients, double s) {
  double sum = 0.0;
  for (std::size_t k = coefficients.size(); k-- > 0;) sum = sum * s + coefficients[k];
  return sum;
}

/// The derivative of that order, by s.
double derivativeOf(std::vector<double> coefficients, unsigned order, double s) {
  for (unsigned i = 0; i < order; ++i) {
    for (std::size_t k = 1; k < coefficients.size(); ++k)
      coefficients[k - 1] = static_cast<double>(k) * coefficients[k];
    coefficients.back() = 0.0;
  }
  return valueOf(coefficients, s);
}

Waveform through(const std::vector<double>& samples, unsigned degree) {
  const auto points = static_cast<unsigned>(samples.size() - 1);
  Waveform waveform(1, points, degree, {});
  waveform.begin(std::span(samples).first(1));
  for (unsigned j = 1; j <= points; ++j) waveform.at(j)[0] = samples[j];
  waveform.fit({0, 1});
  return waveform;
}

std::vector<double> anySamples(unsigned points) {
  std::vector<double> samples;
  for (unsigned j = 0; j <= points; ++j)
    samples.push_back(static_cast<double>(*rc::gen::inRange(-1000, 1001)) / 1000.0);
  return samples;
}

RC_GTEST_PROP(Spline, PolynomialsUpToItsDegreePassUnchanged, ()) {
  const unsigned points = *rc::gen::inRange(1U, 17U);
  const unsigned degree = *rc::gen::inRange(1U, 6U);
  std::vector<double> polynomial;
  for (unsigned k = 0; k <= std::min(points, degree); ++k)
    polynomial.push_back(static_cast<double>(*rc::gen::inRange(-1000, 1001)) / 1000.0);
  std::vector<double> samples;
  for (unsigned j = 0; j <= points; ++j) samples.push_back(valueOf(polynomial, static_cast<double>(j) / points));
  const Waveform waveform = through(samples, degree);
  for (unsigned j = 0; j < points; ++j)
    for (const double s : {0.0, 0.3, 0.8, 1.0})
      RC_ASSERT(std::fabs(valueOf(pieceOf(waveform, j), s) - valueOf(polynomial, (j + s) / points)) < 1e-12);
}

RC_GTEST_PROP(Spline, GoesThroughItsSamplesWithAllDerivativesButTheHighestContinuous, ()) {
  const unsigned degree = *rc::gen::inRange(1U, 6U);
  const unsigned points = *rc::gen::inRange(degree, 13U);
  const std::vector<double> samples = anySamples(points);
  const Waveform waveform = through(samples, degree);
  for (unsigned j = 0; j < points; ++j) {
    RC_ASSERT(pieceOf(waveform, j)[0] == samples[j]);
    RC_ASSERT(std::fabs(valueOf(pieceOf(waveform, j), 1.0) - samples[j + 1]) < 1e-9);
    for (unsigned order = 0; j > 0 && order < degree; ++order)
      RC_ASSERT(std::fabs(derivativeOf(pieceOf(waveform, j - 1), order, 1.0) -
                          derivativeOf(pieceOf(waveform, j), order, 0.0)) < 1e-9);
  }
}

RC_GTEST_PROP(Spline, APointNextToAnEndOfACubicIsNoKnot, ()) {
  const unsigned points = *rc::gen::inRange(3U, 13U);
  const Waveform waveform = through(anySamples(points), 3);
  RC_ASSERT(std::fabs(pieceOf(waveform, 0)[3] - pieceOf(waveform, 1)[3]) < 1e-12);
  RC_ASSERT(std::fabs(pieceOf(waveform, points - 2)[3] - pieceOf(waveform, points - 1)[3]) < 1e-12);
}

TEST(Spline, TheCubicThroughFivePointsIsTheClassicalOne) {
  // Not-a-knot through 0, 0, 1, 0, 0: even about the middle, one cubic over each half, s = 1 + a x^2 + b |x|^3 there
  // with s(1) = s(2) = 0, so b = 3/4 and a = -7/4.
  const Waveform waveform = through({0.0, 0.0, 1.0, 0.0, 0.0}, 3);
  const std::vector<double> expected{1.0, 0.0, -1.75, 0.75};
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(pieceOf(waveform, 2)[k], expected[k], 1e-14) << k;
}

TEST(Spline, DegreeZeroIsTheValueAtTheEndOfEachPiece) {
  const Waveform waveform = through({5.0, 1.0, 2.0, 3.0}, 0);
  for (unsigned j = 0; j < 3; ++j) EXPECT_EQ(pieceOf(waveform, j), (std::vector<double>{j + 1.0}));
}

TEST(Spline, WithFewPointsTheDegreeIsLower) {
  EXPECT_EQ(Spline(2, 5).degree(), 2U);
  EXPECT_EQ(Spline(1, 3).degree(), 1U);
  EXPECT_EQ(Spline(7, 5).degree(), 5U);
}

TEST(Waveform, ValuesThatAreHeldChangeAtPointsOnly) {
  Waveform waveform(2, 2, 2, {1});
  waveform.begin(std::vector<double>{0.0, 0.0});
  for (unsigned j = 1; j <= 2; ++j) waveform.at(j)[0] = waveform.at(j)[1] = j;
  waveform.fit({0, 2});
  for (unsigned j = 0; j < 2; ++j) {
    const Courses courses = waveform.piece(j);
    EXPECT_NEAR(courses.powers[courses.values], 1.0, 1e-14);
    EXPECT_EQ(courses.powers[1], j + 1.0);
    for (unsigned k = 1; k <= courses.degree; ++k) EXPECT_EQ(courses.powers[k * courses.values + 1], 0.0);
  }
}

TEST(Waveform, ItsLastPointIsExactlyTheEndOfTheStep) {
  const Waveform waveform(1, 3, 1, {});
  const subsystem::Step step{0.1, 0.7, false};
  EXPECT_EQ(waveform.time(step, 0), 0.1);
  EXPECT_NEAR(waveform.time(step, 1), 0.3, 1e-15);
  EXPECT_EQ(waveform.time(step, 3), 0.7);
}

}  // namespace
}  // namespace koppla::coupling
