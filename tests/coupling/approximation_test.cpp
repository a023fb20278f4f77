#include "koppla/coupling/approximation.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/coupling/zero_stability.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::coupling {
namespace {

double polynomial(const std::vector<double>& coefficients, double t) {
  double sum = 0.0;
  for (std::size_t k = coefficients.size(); k-- > 0;) sum = sum * t + coefficients[k];
  return sum;
}

double magnitude(const std::vector<double>& coefficients, double t) {
  double sum = 0.0;
  for (std::size_t k = coefficients.size(); k-- > 0;) sum = sum * std::fabs(t) + std::fabs(coefficients[k]);
  return sum;
}

double valueAt(const Approximation& approximation, double s) {
  double sum = 0.0;
  for (unsigned k = approximation.degreeInUse() + 1; k-- > 0;) sum = sum * s + approximation.power(k)[0];
  return sum;
}

RC_GTEST_PROP(Approximation, ReproducesPolynomialsOfItsDegreeOnAnyPoints, ()) {
  const unsigned degree = *rc::gen::inRange(0U, 6U);
  std::vector<double> coefficients;
  for (unsigned k = 0; k <= degree; ++k)
    coefficients.push_back(static_cast<double>(*rc::gen::inRange(-1000, 1001)) / 100.0);
  // Steps whose lengths differ up to fourfold, as step control makes them.
  std::vector<double> times{0.0};
  for (unsigned i = 0; i <= degree + 1; ++i)
    times.push_back(times.back() + static_cast<double>(*rc::gen::inRange(25, 101)) / 100.0);
  Approximation approximation(1, degree, {});
  for (std::size_t i = 0; i + 1 < times.size(); ++i)
    approximation.add(times[i], std::vector<double>{polynomial(coefficients, times[i])});
  const double t0 = times[times.size() - 2];
  const double t1 = times.back();
  // Rounding grows with the extrapolation weights, which are below 1e4 here.
  const double tolerance = 1e-11 * (1.0 + magnitude(coefficients, t1));
  approximation.begin(t0, t1);
  for (const double s : {0.0, 0.3, 1.0, 1.5})
    RC_ASSERT(std::fabs(valueAt(approximation, s) - polynomial(coefficients, t0 + s * (t1 - t0))) < tolerance);
  RC_ASSERT(std::fabs(approximation.predicted()[0] - polynomial(coefficients, t1)) < tolerance);
  approximation.interpolate({0, 1}, std::vector<double>{polynomial(coefficients, t1)});
  if (degree > 0)
    for (const double s : {0.0, 0.3, 1.0})
      RC_ASSERT(std::fabs(valueAt(approximation, s) - polynomial(coefficients, t0 + s * (t1 - t0))) < tolerance);
}

TEST(Approximation, ReproducesPolynomialsToTwelveDigits) {
  // Schmoll R16: degree 0..5 on non-uniform points, relative to the size of the values.
  test::Largest worst;
  const std::vector<double> times{0.0, 0.1, 0.35, 0.5, 0.9, 1.1};
  for (unsigned degree = 0; degree <= 5; ++degree) {
    std::vector<double> coefficients(degree + 1);
    std::iota(coefficients.begin(), coefficients.end(), 1.0);
    Approximation approximation(1, degree, {});
    for (const double t : times) approximation.add(t, std::vector<double>{polynomial(coefficients, t)});
    approximation.begin(1.1, 1.3);
    for (const double s : {0.25, 0.5, 1.0}) {
      const double exact = polynomial(coefficients, 1.1 + 0.2 * s);
      worst.see(std::fabs(valueAt(approximation, s) / exact - 1.0));
    }
    approximation.interpolate({0, 1}, std::vector<double>{polynomial(coefficients, 1.3)});
    for (const double s : {0.25, 0.5, 1.0}) {
      if (degree == 0) continue;
      const double exact = polynomial(coefficients, 1.1 + 0.2 * s);
      worst.see(std::fabs(valueAt(approximation, s) / exact - 1.0));
    }
  }
  test::showAtMost({"schmoll R16", "polynomials", "degree 0..5 on non-uniform points to 1e-12"}, worst, 1e-12);
}

TEST(Approximation, ExtrapolatesWithBinomialWeightsOnAnEquidistantGrid) {
  // Sec. 6: (-1)^i C(p + 1, i + 1); a unit sample at T_n-i shows its weight.
  const std::vector<std::vector<double>> weights{
      {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}, {5, -10, 10, -5, 1}, {6, -15, 20, -15, 6, -1}};
  for (unsigned p = 0; p <= 5; ++p)
    for (unsigned i = 0; i <= p; ++i) {
      Approximation approximation(1, p, {});
      for (unsigned back = p + 1; back-- > 0;)
        approximation.add(0.3 - 0.1 * back, std::vector<double>{back == i ? 1.0 : 0.0});
      approximation.begin(0.3, 0.4);
      EXPECT_NEAR(approximation.predicted()[0], weights[p][i], 1e-12) << p << ' ' << i;
    }
}

TEST(Approximation, ItsDegreeRisesWithTheSamples) {
  Approximation approximation(1, 3, {});
  for (unsigned n = 0; n < 5; ++n) {
    approximation.add(n, std::vector<double>{1.0});
    approximation.begin(n, n + 1.0);
    EXPECT_EQ(approximation.predictedDegree(), std::min(3U, n));
    EXPECT_EQ(approximation.degreeInUse(), std::min(3U, n + 1));  // whoever comes later has one sample more
  }
}

TEST(Approximation, DegreeZeroInterpolatesTheValueAtTheEnd) {
  Approximation approximation(2, 0, {});
  approximation.add(0.0, std::vector<double>{1.0, 2.0});
  approximation.begin(0.0, 1.0);
  EXPECT_EQ(approximation.power(0)[1], 2.0);
  approximation.interpolate({1, 2}, std::vector<double>{7.0, 8.0});
  EXPECT_EQ(approximation.power(0)[0], 1.0);
  EXPECT_EQ(approximation.power(0)[1], 8.0);
}

TEST(Approximation, ValuesThatJumpAtCommunicationPointsAreHeld) {
  Approximation approximation(2, 2, {1});
  for (const double t : {0.0, 1.0, 2.0}) approximation.add(t, std::vector<double>{t, t});
  approximation.begin(2.0, 3.0);
  EXPECT_EQ(approximation.predicted()[0], 3.0);
  EXPECT_EQ(approximation.predicted()[1], 2.0);
  EXPECT_EQ(approximation.power(1)[1], 0.0);
  approximation.interpolate({0, 2}, std::vector<double>{3.0, 5.0});
  EXPECT_EQ(approximation.power(0)[1], 5.0);
  EXPECT_EQ(approximation.power(1)[1], 0.0);
}

TEST(Approximation, ASampleThatIsTakenBackLeavesNoTrace) {
  Approximation approximation(1, 2, {});
  for (const double t : {0.0, 1.0, 2.0, 3.0}) approximation.add(t, std::vector<double>{t * t});
  approximation.add(3.5, std::vector<double>{1e9});
  approximation.takeBack();
  approximation.begin(3.0, 4.0);
  EXPECT_NEAR(approximation.predicted()[0], 16.0, 1e-12);
}

TEST(Approximation, TheShareOfInterpolationIsThatOfTheNextDegree) {
  // The error of the polynomial of degree p for t^(p+1) is a product of distances: Milne's device in closed form.
  for (unsigned p = 1; p <= 5; ++p) {
    Approximation approximation(1, p, {});
    const auto power = [p](double t) { return std::pow(t, p + 1.0); };
    for (unsigned n = 0; n <= p; ++n) approximation.add(n, std::vector<double>{power(n)});
    approximation.begin(p, p + 1.0);
    const double extrapolated = std::fabs(approximation.predicted()[0] - power(p + 1.0));
    approximation.interpolate({0, 1}, std::vector<double>{power(p + 1.0)});
    test::Largest interpolated;
    for (int k = 0; k <= 1000; ++k)
      interpolated.see(std::fabs(valueAt(approximation, k / 1000.0) - power(p + k / 1000.0)));
    EXPECT_NEAR(approximation.interpolationError().largest / (interpolated / extrapolated), 1.0, 0.01) << p;
  }
}

TEST(PolynomialBasis, SlopesMakeItHermites) {
  // t^3 from values and slopes at 0 and -1.
  const std::vector<Knot> knots{{0.0}, {0.0, true}, {-1.0}, {-1.0, true}};
  const PolynomialBasis basis(knots);
  const std::vector<double> samples{0.0, 0.0, -1.0, 3.0};
  for (const double s : {-1.0, 0.5, 1.0}) {
    double value = 0.0;
    for (std::size_t i = 0; i < knots.size(); ++i) value += samples[i] * basis.value(i, s);
    EXPECT_NEAR(value, s * s * s, 1e-14);
  }
}

TEST(ZeroStability, TheGainALoopMayHaveFallsWithTheDegree) {
  // Sec. 4.5. Gauss-Seidel carries values round with gain -mu; in Jacobi each of two members has a half of it.
  const std::vector<double> gaussSeidel{1.0, 1.0 / 3.0, 1.0 / 7.0, 1.0 / 15.0, 1.0 / 31.0, 1.0 / 63.0};
  const std::vector<double> jacobi{1.0, 0.154701, 0.0316057, 0.00693147, 0.00157499, 0.000366478};
  test::Largest worst;
  for (unsigned p = 0; p <= 5; ++p) {
    const auto serial = [p](double mu) { return growthPerStep(std::vector<double>{-mu}, p); };
    const auto parallel = [p](double mu) { return growthPerStep(std::vector<double>{0.0, -mu, 1.0, 0.0}, p); };
    EXPECT_NEAR(serial(gaussSeidel[p]), 1.0, 1e-9) << p;
    EXPECT_NEAR(parallel(jacobi[p]), 1.0, 1e-5) << p;
    worst.see(std::fabs(serial(gaussSeidel[p]) - 1.0), std::fabs(parallel(jacobi[p]) - 1.0));
    if (p > 0) {
      EXPECT_GT(serial(0.5), 1.0);
      EXPECT_GT(parallel(0.5), 1.0);
    }
  }
  test::showAtMost({"schmoll R6", "thresholds", "growth 1 at the gains of sec. 4.5 within 1e-5"}, worst, 1e-5);
}

}  // namespace
}  // namespace koppla::coupling
