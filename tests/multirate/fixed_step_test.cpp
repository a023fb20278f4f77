#include <cmath>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "two_mass.hpp"

/// Schmoll, sec. 11.2 and 11.5: errors of explicit coupling with fixed macro steps on the two-mass oscillator. All
/// numbers are those of the note.
namespace koppla::test::fixed_step_test {
namespace {

using coupling::AlgorithmKind;

/// The macro step 10^(-k/4) s.
double quarterDecade(int k) {
  return std::pow(10.0, -0.25 * k);
}

TwoMassErrors errorsAt(TwoMassCase c, double H, unsigned degree) {
  c.H = H;
  c.degree = degree;
  return errorsOf(c);
}

/// One row of a table: the step and the errors of p = 0..5; infinite: unstable.
struct Row {
  int k;
  std::array<double, 6> errors;
};

constexpr double kUnstable = HUGE_VAL;

const std::vector<Row> kJacobi{{13, {kUnstable, kUnstable, 1.5e0, kUnstable, kUnstable, kUnstable}},
                               {14, {kUnstable, kUnstable, 7.3e-1, 4.8e-1, kUnstable, kUnstable}},
                               {15, {kUnstable, 1.4e0, 2.4e-1, 7.1e-2, 1.8e-2, kUnstable}},
                               {16, {kUnstable, 4.3e-1, 5.1e-2, 7.4e-3, 1.0e-3, 1.4e-4}},
                               {18, {kUnstable, 4.2e-2, 1.7e-3, 7.4e-5, 3.3e-6, 1.4e-7}},
                               {20, {9.9e-1, 4.2e-3, 5.4e-5, 7.4e-7, 1.0e-8, 1.4e-10}},
                               {22, {2.3e-1, 4.2e-4, 1.7e-6, 7.4e-9, 3.3e-11, 7.5e-13}}};

const std::vector<Row> kGaussSeidel{{13, {kUnstable, kUnstable, 1.0e0, 8.0e-1, 9.8e-1, kUnstable}},
                                    {14, {kUnstable, 1.8e0, 3.9e-1, 2.1e-1, 1.1e-1, 4.7e-2}},
                                    {16, {kUnstable, 1.4e-1, 1.8e-2, 2.4e-3, 3.3e-4, 4.6e-5}},
                                    {18, {9.7e0, 1.3e-2, 5.7e-4, 2.4e-5, 1.1e-6, 4.6e-8}},
                                    {20, {7.9e-1, 1.3e-3, 1.8e-5, 2.4e-7, 3.4e-9, 4.6e-11}},
                                    {22, {1.8e-1, 1.3e-4, 5.7e-7, 2.4e-9, 1.1e-11, 8.6e-13}}};

/// How far a table is from the note: the largest relative deviation, with unstable entries and those below 1e-11 told
/// apart as the requirement says.
double worstDeviation(const std::vector<Row>& rows, const TwoMassCase& c) {
  test::Largest worst;
  for (const Row& row : rows)
    for (unsigned p = 0; p <= 5; ++p) {
      const TwoMassErrors errors = errorsAt(c, quarterDecade(row.k), p);
      const double expected = row.errors[p];
      SCOPED_TRACE(fmt::format("p = {}, H = {:.3g} s: {:.3g}, expected {:.3g}", p, quarterDecade(row.k), errors.global,
                               expected));
      if (expected == kUnstable) {
        EXPECT_TRUE(errors.unstable());
      } else if (expected < 1e-11) {
        EXPECT_LE(errors.global, 1e-11);
      } else {
        const double deviation = std::fabs(errors.global / expected - 1.0);
        EXPECT_LE(deviation, 0.2);
        worst.see(deviation);
      }
    }
  return worst;
}

TEST(FixedStep, JacobiHasTheErrorsOfTheNote) {
  showAtMost({"schmoll R10", "table-11.2", "every entry within 20 %"}, worstDeviation(kJacobi, {}), 0.2);
}

TEST(FixedStep, GaussSeidelHasTheErrorsOfTheNote) {
  TwoMassCase c;
  c.algorithm = AlgorithmKind::gaussSeidel;
  showAtMost({"schmoll R11", "table-11.2", "every entry within 20 %"}, worstDeviation(kGaussSeidel, c), 0.2);
}

/// Global and local order over 1e-5 <= H <= 1e-4; for p = 0 over 1e-6 <= H <= 3.16e-6, where its slope is clean.
struct Orders {
  double global;
  double local;
};

Orders ordersOf(const TwoMassCase& c, unsigned degree) {
  std::vector<double> steps;
  std::vector<double> global;
  std::vector<double> local;
  for (const int k : degree == 0 ? std::vector{22, 23, 24} : std::vector{16, 17, 18, 19, 20}) {
    const TwoMassErrors errors = errorsAt(c, quarterDecade(k), degree);
    // Close to rounding, and with p = 5 local errors are there at once, a slope says nothing.
    if (errors.local < 1e-11) break;
    steps.push_back(quarterDecade(k));
    global.push_back(errors.global);
    local.push_back(errors.local);
  }
  return {slope(steps, global), slope(steps, local)};
}

TEST(FixedStep, JacobiHasOrderOneMoreThanItsDegree) {
  test::Largest worst;
  for (unsigned p = 0; p <= 5; ++p) {
    const Orders orders = ordersOf({}, p);
    EXPECT_NEAR(orders.global, p + 1.0, 0.2) << p;
    EXPECT_NEAR(orders.local, p + 1.0, 0.2) << p;
    worst.see(std::fabs(orders.global - p - 1.0), std::fabs(orders.local - p - 1.0));
  }
  showAtMost({"schmoll R10", "orders", "global and local p + 1 within 0.2, p = 0..5"}, worst, 0.2);
}

TEST(FixedStep, GaussSeidelHasOneOrderMoreLocallyWithTheForceInputFirst) {
  test::Largest worst;
  for (const bool secondFirst : {false, true})
    for (unsigned p = 1; p <= 4; ++p) {
      TwoMassCase c;
      c.algorithm = AlgorithmKind::gaussSeidel;
      c.secondFirst = secondFirst;
      const Orders orders = ordersOf(c, p);
      const double expectedLocal = secondFirst ? p + 1.0 : p + 2.0;
      EXPECT_NEAR(orders.global, p + 1.0, 0.2) << p;
      EXPECT_NEAR(orders.local, expectedLocal, 0.2) << p << secondFirst;
      worst.see(std::fabs(orders.global - p - 1.0), std::fabs(orders.local - expectedLocal));
    }
  showAtMost({"schmoll R11", "orders", "global p + 1; local p + 2 (1 first), p + 1 (2 first); within 0.2"}, worst, 0.2);
}

TEST(FixedStep, GaussSeidelIsThreeTimesAsAccurateAsJacobi) {
  test::Smallest least;
  test::Largest most;
  for (unsigned p = 1; p <= 4; ++p)
    for (const int k : {16, 18, 20}) {
      TwoMassCase c;
      const double jacobi = errorsAt(c, quarterDecade(k), p).global;
      c.algorithm = AlgorithmKind::gaussSeidel;
      const double ratio = jacobi / errorsAt(c, quarterDecade(k), p).global;
      least.see(ratio);
      most.see(ratio);
    }
  showFigure({"schmoll R11", "ratio", "3.1 +-0.3, p >= 1, H <= 1e-4 s"},
             fmt::format("{:.2f} to {:.2f}", double(least), double(most)), least >= 2.8 && most <= 3.4);
}

TEST(FixedStep, ForceDisplacementHasTheFigureOfTheNote) {
  showWithin({"schmoll R3", "jacobi-p2", "5.4e-5 +-20 % at H = 1e-5 s"}, errorsAt({}, 1e-5, 2).global, 5.4e-5,
             0.2 * 5.4e-5);
}

TEST(FixedStep, OutputsWithFeedThroughKeepTheExtrapolatedInput) {
  TwoMassCase c;
  showWithin({"schmoll R15", "extrapolated", "local 1.0e-2 +-20 %, p = 1, H = 1e-4 s"}, errorsAt(c, 1e-4, 1).local,
             1.0e-2, 0.2e-2);
  c.reevaluate = true;  // a different method: local order p + 2
  showWithin({"schmoll R15", "reevaluated", "local 7.5e-4 +-20 %, p = 1, H = 1e-4 s"}, errorsAt(c, 1e-4, 1).local,
             7.5e-4, 0.2 * 7.5e-4);
  EXPECT_NEAR(errorsAt(c, 1e-5, 1).local, 7.4e-7, 0.2 * 7.4e-7);
}

/// Sec. 11.5: steps 1e-4, 5e-5, 2.5e-5, 1.25e-5 s.
double worstOfSplit(const TwoMassCase& c, const std::map<unsigned, std::array<double, 4>>& table) {
  test::Largest worst;
  for (const auto& [p, expected] : table) {
    std::vector<double> steps;
    std::vector<double> errors;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      steps.push_back(1e-4 / static_cast<double>(1U << i));
      errors.push_back(errorsAt(c, steps.back(), p).global);
      const double deviation = std::fabs(errors.back() / expected[i] - 1.0);
      EXPECT_LE(deviation, 0.2) << "p = " << p << ", H = " << steps.back() << ": " << errors.back();
      worst.see(deviation);
    }
    if (p > 0) {
      EXPECT_NEAR(slope(steps, errors), p + 1.0, 0.05);
    }
  }
  return worst;
}

TEST(FixedStep, DisplacementDisplacementHasTheErrorsOfTheNote) {
  TwoMassCase c;
  c.split = Split::displacementDisplacement;
  const double jacobi = worstOfSplit(c, {{1, {2.43e-1, 6.09e-2, 1.52e-2, 3.80e-3}},
                                         {2, {1.95e-2, 2.48e-3, 3.10e-4, 3.88e-5}},
                                         {3, {2.60e-3, 1.62e-4, 1.01e-5, 6.33e-7}}});
  c.algorithm = AlgorithmKind::gaussSeidel;
  const double gaussSeidel = worstOfSplit(c, {{0, {1.16e-1, 5.99e-2, 3.06e-2, 1.55e-2}},
                                              {1, {9.78e-2, 2.44e-2, 6.09e-3, 1.52e-3}},
                                              {2, {8.81e-3, 1.11e-3, 1.39e-4, 1.73e-5}},
                                              {3, {1.20e-3, 7.51e-5, 4.69e-6, 2.93e-7}}});
  showAtMost({"schmoll R4", "errors", "sec. 11.5 within 20 %, order p + 1"}, largestOf(jacobi, gaussSeidel), 0.2);
}

TEST(FixedStep, ForceForceHasTheErrorsOfTheNote) {
  TwoMassCase c;
  c.split = Split::forceForce;
  showAtMost({"schmoll R5", "errors", "sec. 11.5 within 20 %, order p + 1"},
             worstOfSplit(c, {{1, {3.05e-1, 7.55e-2, 1.89e-2, 4.71e-3}},
                              {2, {3.76e-2, 4.84e-3, 6.08e-4, 7.60e-5}},
                              {3, {5.19e-3, 3.25e-4, 2.03e-5, 1.27e-6}}}),
             0.2);
}

TEST(FixedStep, SlopesMakeExtrapolationAsMuchBetterAsItsConditionsAreNearer) {
  // The error at the end of a step goes with the product of distances: (p + 1)! for values, 1 1 2 2 3 3 ... with
  // slopes.
  for (const auto& [p, ratio] : std::vector<std::pair<unsigned, double>>{{1, 2.0}, {3, 6.0}}) {
    TwoMassCase values;
    TwoMassCase slopes;
    slopes.samples = coupling::Samples::valuesAndSlopes;
    slopes.startUp = coupling::StartUp::trivial;  // half the history is enough, and p = 1 needs none at all
    std::vector<double> errors;
    for (const double step : {4e-5, 2e-5, 1e-5}) errors.push_back(errorsAt(slopes, step, p).local);
    EXPECT_NEAR(slope({4e-5, 2e-5, 1e-5}, errors), p + 1.0, 0.2) << p;
    const double found = errorsAt(values, 1e-5, p).local / errors.back();
    EXPECT_NEAR(found / ratio, 1.0, 0.1) << p;
    if (p == 3)
      showWithin({"schmoll R65", "hermite", "values and slopes: 6 times as accurate as values, p = 3, within 10 %"},
                 found, 6.0, 0.6);
  }
}

TEST(FixedStep, ImplicitMethodsAreStableWhereExplicitOnesAreNot) {
  TwoMassCase c;
  c.startUp = coupling::StartUp::trivial;
  c.H = 5e-4;  // twice the limit of Jacobi
  c.end = 0.2;
  c.degree = 1;
  EXPECT_TRUE(errorsOf(c).unstable());
  std::string unstable;
  for (const AlgorithmKind kind : {AlgorithmKind::newton, AlgorithmKind::iteratedGaussSeidel}) {
    c.algorithm = kind;
    const TwoMassErrors errors = errorsOf(c);
    if (errors.unstable()) unstable += kind == AlgorithmKind::newton ? " newton" : " iterated";
    EXPECT_GT(errors.statistics.members[0].restore.count, 0U);
  }
  showFigure({"schmoll R65", "implicit", "Newton and iterated Gauss-Seidel stable at twice the limit of Jacobi, p = 1"},
             unstable.empty() ? "both" : "unstable:" + unstable, unstable.empty());
}

TEST(FixedStep, SlopesKeepTheOrderOfGaussSeidel) {
  for (unsigned p = 1; p <= 3; ++p) {
    TwoMassCase c;
    c.algorithm = AlgorithmKind::gaussSeidel;
    c.samples = coupling::Samples::valuesAndSlopes;
    std::vector<double> errors;
    for (const double step : {4e-5, 2e-5, 1e-5}) errors.push_back(errorsAt(c, step, p).local);
    EXPECT_NEAR(slope({4e-5, 2e-5, 1e-5}, errors), p + 2.0, 0.25) << p;
  }
}

TEST(FixedStep, RunsDecayBelowTheLimitAndGrowBeyondIt) {
  // Critical steps of table 10.3.
  const std::array<double, 6> jacobi{1.4353e-5, 2.4630e-4, 5.6650e-4, 3.8222e-4, 2.0163e-4, 1.1849e-4};
  const std::array<double, 6> gaussSeidel{1.5616e-5, 3.7083e-4, 7.6626e-4, 8.7161e-4, 7.7857e-4, 5.4276e-4};
  test::Largest mostBelow;
  test::Smallest leastBeyond;
  for (const bool serial : {false, true})
    for (unsigned p = 0; p <= 5; ++p) {
      TwoMassCase c;
      c.algorithm = serial ? AlgorithmKind::gaussSeidel : AlgorithmKind::jacobi;
      const double critical = (serial ? gaussSeidel : jacobi)[p];
      const TwoMassErrors below = errorsAt(c, 0.9 * critical, p);
      EXPECT_TRUE(below.finished) << p;
      mostBelow.see(below.finished ? below.growth : HUGE_VAL);
      if (p == 0) continue;
      const TwoMassErrors beyond = errorsAt(c, 1.1 * critical, p);
      leastBeyond.see(beyond.finished ? beyond.growth : HUGE_VAL);  // who does not finish has grown by 1e60
    }
  showAtMost({"schmoll R18", "below", "growth at 0.9 H_crit <= 0.7"}, mostBelow, 0.7);
  showFigure({"schmoll R18", "beyond", "growth at 1.1 H_crit >= 50, p >= 1"},
             fmt::format("{:.4g}", double(leastBeyond)), leastBeyond >= 50.0);
}

}  // namespace
}  // namespace koppla::test::fixed_step_test
