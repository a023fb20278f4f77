// Polynomials between communication points against a plain solution of their conditions, values and slopes, for several
// values at once of which some jump and some have no slope.

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "koppla/core/detail/dense.hpp"
#include "koppla/coupling/approximation.hpp"
#include "koppla/coupling/zero_stability.hpp"

namespace koppla::coupling::hermite_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Reals = std::vector<double>;

/// What a polynomial of s is to be at s, or its derivative.
struct Wanted {
  double s;
  bool slope;
  double value;
};

/// Its powers, by Gaussian elimination.
Reals through(const std::vector<Wanted>& conditions) {
  const auto n = static_cast<Eigen::Index>(conditions.size());
  MatrixXd matrix(n, n);
  VectorXd right(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Wanted& c = conditions[static_cast<std::size_t>(i)];
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto power = static_cast<double>(k);
      matrix(i, k) = c.slope ? (k == 0 ? 0.0 : power * std::pow(c.s, power - 1.0)) : std::pow(c.s, power);
    }
    right[i] = c.value;
  }
  const VectorXd x = core::detail::solve(matrix, right);
  return {x.begin(), x.end()};
}

double at(const Reals& powers, double s) {
  double sum = 0.0;
  for (std::size_t k = powers.size(); k-- > 0;) sum = sum * s + powers[k];
  return sum;
}

/// Four values: without slopes, with, held, with.
constexpr std::size_t kValues = 4;
const std::vector<Block> kSloped{{1, 2}, {3, 4}};

Reals valuesAt(double t) {
  return {std::sin(3.0 * t), std::exp(0.7 * t), std::cos(5.0 * t), 1.0 / (2.0 + t)};
}
Reals slopesAt(double t) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {nan, 0.7 * std::exp(0.7 * t), nan, -1.0 / ((2.0 + t) * (2.0 + t))};
}

struct Sample {
  double t;
  bool sloped;
};

/// The first so many conditions of the newest samples, value before slope; samples oldest first.
std::vector<Wanted> conditionsOf(const std::vector<Sample>& samples, std::size_t value, bool slopes, double t0,
                                 double h, std::size_t most) {
  std::vector<Wanted> result;
  for (std::size_t i = samples.size(); i-- > 0;) {
    const Sample& sample = samples[i];
    const double s = (sample.t - t0) / h;
    if (result.size() < most) result.push_back({s, false, valuesAt(sample.t)[value]});
    if (slopes && sample.sloped && result.size() < most) result.push_back({s, true, h * slopesAt(sample.t)[value]});
  }
  return result;
}

struct Bench {
  Approximation approximation;
  std::vector<Sample> samples{};

  explicit Bench(unsigned degree) : approximation(kValues, degree, {2}, kSloped) {}
  void add(double t, bool sloped) {
    samples.push_back({t, sloped});
    if (sloped)
      approximation.add(t, valuesAt(t), slopesAt(t));
    else
      approximation.add(t, valuesAt(t));
    if (samples.size() > approximation.degree() + 3) samples.erase(samples.begin());
  }
  Reals powers(std::size_t value) const {
    Reals result;
    for (unsigned k = 0; k <= approximation.degreeInUse(); ++k) result.push_back(approximation.power(k)[value]);
    return result;
  }
  void expectThrough(std::size_t value, const std::vector<Wanted>& conditions, const std::string& what) const {
    const Reals expected = through(conditions);
    const Reals obtained = powers(value);
    for (const double s : {0.0, 0.4, 1.0, 1.3})
      EXPECT_NEAR(at(obtained, s), at(expected, s), 1e-7) << what << " value " << value << " at " << s;
    EXPECT_NEAR(approximation.value(value, 0.7), at(expected, 0.7), 1e-7) << what;
  }
};

TEST(Hermite, ExtrapolationGoesThroughValuesAndSlopesAsManyAsTheDegreeTakes) {
  const std::vector<double> times{0.0, 0.1, 0.25, 0.45, 0.6, 0.8, 1.0};
  for (unsigned degree = 0; degree <= 5; ++degree)
    for (const unsigned pattern : {0U, 0x7fU, 0x2aU, 0x55U, 0x40U, 0x3fU}) {
      Bench bench(degree);
      for (std::size_t n = 0; n < times.size(); ++n) {
        bench.add(times[n], ((pattern >> n) & 1U) != 0);
        const double t0 = times[n];
        const double h = 0.17;
        bench.approximation.begin(t0, t0 + h);
        const std::string what = "degree " + std::to_string(degree) + " samples " + std::to_string(n + 1);
        const std::size_t most = degree + 1;
        bench.expectThrough(0, conditionsOf(bench.samples, 0, false, t0, h, most), what);
        EXPECT_EQ(bench.approximation.value(2, 0.4), valuesAt(t0)[2]) << "held";
        EXPECT_EQ(bench.approximation.predicted()[2], valuesAt(t0)[2]) << "held";
        unsigned highest = static_cast<unsigned>(conditionsOf(bench.samples, 0, false, t0, h, most).size() - 1);
        for (const std::size_t value : {1U, 3U}) {
          const auto conditions = conditionsOf(bench.samples, value, true, t0, h, most);
          bench.expectThrough(value, conditions, what);
          EXPECT_NEAR(bench.approximation.predicted()[value], at(through(conditions), 1.0), 1e-7) << what;
          highest = std::max(highest, static_cast<unsigned>(conditions.size() - 1));
        }
        EXPECT_EQ(bench.approximation.predictedDegree(), highest) << what;
        EXPECT_LE(bench.approximation.degreeInUse(), degree) << what;

        // The end of the step is known: of one value first, then of all.
        const double t1 = t0 + h;
        for (const bool endSloped : {true, false}) {
          const std::vector<Sample> newest{bench.samples.back()};
          const auto interpolated = [&](std::size_t value, bool slopes) {
            if (degree == 0) return std::vector<Wanted>{{1.0, false, valuesAt(t1)[value]}};
            std::vector<Wanted> conditions{{0.0, false, valuesAt(t0)[value]}};
            if (slopes && degree >= 2 && newest[0].sloped) conditions.push_back({0.0, true, h * slopesAt(t0)[value]});
            conditions.push_back({1.0, false, valuesAt(t1)[value]});
            if (slopes && endSloped && conditions.size() <= degree)
              conditions.push_back({1.0, true, h * slopesAt(t1)[value]});
            std::vector<Sample> older(bench.samples.begin(), bench.samples.end() - 1);
            for (const Wanted& c : conditionsOf(older, value, slopes, t0, h, degree + 1))
              if (conditions.size() <= degree) conditions.push_back(c);
            return conditions;
          };
          const Reals slopes = endSloped ? slopesAt(t1) : Reals{};
          const Reals before0 = bench.powers(0);
          bench.approximation.interpolate({3, 4}, valuesAt(t1), slopes);
          for (std::size_t k = 0; k < before0.size(); ++k) EXPECT_EQ(bench.powers(0)[k], before0[k]) << "another block";
          bench.expectThrough(3, interpolated(3, true), what + " interpolated");
          bench.approximation.interpolate({0, 3}, valuesAt(t1), slopes);
          bench.expectThrough(1, interpolated(1, true), what + " interpolated");
          bench.expectThrough(0, interpolated(0, false), what + " interpolated");
          EXPECT_EQ(bench.approximation.value(2, 0.4), valuesAt(t1)[2]) << "held";
          bench.approximation.begin(t0, t1);
        }
      }
    }
}

TEST(Hermite, SlopesThatAreNotFiniteAreUnknown) {
  for (const std::size_t bad : {0U, 1U}) {
    Approximation approximation(2, 1, {}, {{1, 2}});
    Reals slopes{2.0, 3.0};
    slopes[bad] = std::numeric_limits<double>::infinity();
    approximation.add(0.0, Reals{1.0, 1.0}, slopes);
    approximation.begin(0.0, 0.5);
    EXPECT_EQ(approximation.predicted()[1], bad == 0 ? 2.5 : 1.0) << "of the first value nobody wants one";
    EXPECT_EQ(approximation.predicted()[0], 1.0);
    EXPECT_EQ(approximation.predictedDegree(), bad == 0 ? 1U : 0U);
  }
}

/// Equidistant grids and others, their ends in rounding: the weights of a grid serve the next step of the same kind.
TEST(Approximation, KnowsAGridByItsTimes) {
  Approximation approximation(1, 2, {});
  const auto f = [](double t) { return 3.0 + 2.0 * t - 5.0 * t * t; };
  double h = 0.1;
  double t = 0.0;
  for (int n = 0; n < 40; ++n) {
    approximation.add(t, Reals{f(t)});
    if (n == 15) h = 0.25;
    if (n == 25) h = 0.0625;
    approximation.begin(t, t + h);
    if (n >= 2) {
      EXPECT_NEAR(approximation.predicted()[0], f(t + h), 1e-10) << n;
      EXPECT_NEAR(approximation.value(0, 0.5), f(t + 0.5 * h), 1e-10) << n;
      approximation.interpolate({0, 1}, Reals{f(t + h)});
      EXPECT_NEAR(approximation.value(0, 0.5), f(t + 0.5 * h), 1e-10) << n;
    }
    t += h;
  }
}

/// A sample that differs from the grid by far more than rounding makes other weights.
TEST(Approximation, SeesSmallDifferencesOfTimes) {
  Approximation approximation(1, 1, {});
  approximation.add(1.0, Reals{0.0});
  approximation.add(2.0, Reals{1.0});
  approximation.begin(2.0, 3.0);
  EXPECT_EQ(approximation.predicted()[0], 2.0);
  Approximation other(1, 1, {});
  other.add(1.0, Reals{0.0});
  other.add(2.0, Reals{1.0});
  other.begin(2.0, 3.0);
  other.add(3.0, Reals{2.0});
  const double end = 4.0 + 1e-6;
  other.begin(3.0, end);
  EXPECT_NEAR(other.predicted()[0], 3.0 + 1e-6, 1e-12);
}

/// Two samples can be taken back, and the ring remembers as many as its degree needs.
TEST(Approximation, TwoSamplesTakenBackLeaveTheOldOnes) {
  for (unsigned degree = 0; degree <= 3; ++degree) {
    Approximation approximation(1, degree, {});
    for (int n = 0; n <= 6; ++n) approximation.add(n, Reals{std::pow(n, degree)});
    EXPECT_EQ(approximation.samples(), degree + 3);
    approximation.add(6.5, Reals{1e9});
    approximation.add(6.75, Reals{-1e9});
    approximation.takeBack();
    approximation.takeBack();
    EXPECT_EQ(approximation.time(0), 6.0);
    EXPECT_EQ(approximation.sample(0)[0], std::pow(6.0, degree));
    approximation.begin(6.0, 7.0);
    EXPECT_NEAR(approximation.predicted()[0], std::pow(7.0, degree), 1e-9);
  }
  Approximation empty(1, 1, {});
  empty.takeBack();
  EXPECT_EQ(empty.samples(), 0U);
}

/// A change of the value at the end changes the powers by those of the basis polynomial of s = 1.
TEST(Approximation, TellsWhatTheEndWeighs) {
  for (unsigned degree = 0; degree <= 4; ++degree) {
    Approximation approximation(2, degree, {});
    for (const double t : {0.0, 0.2, 0.5, 0.6, 1.0}) approximation.add(t, Reals{std::sin(t), 0.0});
    approximation.begin(1.0, 1.4);
    approximation.interpolate({0, 2}, Reals{0.3, 0.0});
    Reals before;
    for (unsigned k = 0; k <= degree; ++k) before.push_back(approximation.power(k)[0]);
    approximation.interpolate({0, 1}, Reals{1.3, 7.0});
    for (unsigned k = 0; k <= degree; ++k) {
      EXPECT_NEAR(approximation.power(k)[0] - before[k], approximation.weightOfEnd(k), 1e-11) << degree << k;
      EXPECT_EQ(approximation.power(k)[1], 0.0) << "another block";
    }
  }
}

/// Held at the value at the end, a line is off by as much at the beginning as the constant before is at the end.
TEST(Approximation, OfDegreeZeroIsOffByAsMuchEitherWay) {
  Approximation approximation(1, 0, {});
  approximation.add(1.0, Reals{3.0});
  approximation.begin(1.0, 1.5);
  EXPECT_EQ(approximation.interpolationError().largest, 1.0);
}

/// The largest root of L^(p+1) = gamma sum_i (-1)^i C(p+1, i+1) L^(p-i): y(n+1) = gamma Ext_p, simulated.
TEST(ZeroStability, IsTheGrowthOfASimulatedRecursion) {
  const std::vector<std::vector<double>> binomial{{1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}};
  for (unsigned p = 0; p <= 3; ++p)
    for (const double gain : {-2.0, -0.7, 0.9, 3.0}) {
      Reals y(p + 1, 0.0);  // newest first
      y[0] = 1.0;
      double logarithm = 0.0;
      constexpr int kSteps = 4000;
      constexpr int kCounted = 2000;
      for (int n = 0; n < kSteps; ++n) {
        double sum = 0.0;
        for (std::size_t i = 0; i <= p; ++i) sum += binomial[p][i] * y[i];
        y.insert(y.begin(), gain * sum);
        y.pop_back();
        double size = 0.0;
        for (const double value : y) size += value * value;
        size = std::sqrt(size);
        if (n >= kSteps - kCounted) logarithm += std::log(size);
        for (double& value : y) value /= size;
      }
      EXPECT_NEAR(growthPerStep(Reals{gain}, p), std::exp(logarithm / kCounted), 2e-2 * std::fabs(gain))
          << p << ' ' << gain;
    }
}

TEST(ZeroStability, OfSeveralValuesIsThatOfTheLargestOne) {
  // Independent loops of 0.5 and -3.
  EXPECT_NEAR(growthPerStep(Reals{0.5, 0.0, 0.0, -3.0}, 0), 3.0, 1e-9);
  // A rotation by 90 degrees with gain 2: |L|^2 = |gamma (2 L - 1)| for complex gamma = 2 i.
  const double growth = growthPerStep(Reals{0.0, -2.0, 2.0, 0.0}, 1);
  // L^2 - 4 i L + 2 i = 0: L = 2 i +- sqrt(-4 - 2 i).
  const std::complex<double> root = std::sqrt(std::complex<double>(-4.0, -2.0));
  const std::complex<double> twoI(0.0, 2.0);
  EXPECT_NEAR(growth, std::max(std::abs(twoI + root), std::abs(twoI - root)), 1e-9);
  EXPECT_EQ(growthPerStep(Reals{}, 2), 0.0);
}

}  // namespace
}  // namespace koppla::coupling::hermite_test
