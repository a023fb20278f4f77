#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "two_mass.hpp"

/// Schmoll, sec. 7 and 11.2: how polynomials of higher degree begin.
namespace koppla::test {
namespace {

using coupling::AlgorithmKind;
using coupling::StartUp;

TwoMassCase started(StartUp startUp, double H, unsigned degree) {
  TwoMassCase c;
  c.startUp = startUp;
  c.H = H;
  c.degree = degree;
  return c;
}

TEST(StartUp, AnalyticSamplesGiveFullOrderFromTheFirstStep) {
  // Over the first 2 ms, where a trivial start would rule, and without leaving any step out.
  test::Largest worst;
  for (unsigned p = 1; p <= 4; ++p) {
    std::vector<double> errors;
    for (const double H : {1e-4, 1e-5}) {
      TwoMassCase c = started(StartUp::analytic, H, p);
      c.end = 2e-3;
      c.skipLocal = 0;
      errors.push_back(errorsOf(c).local);
    }
    worst.see(std::fabs(slope({1e-4, 1e-5}, errors) - (p + 1.0)));
  }
  showAtMost({"schmoll R19", "order", "local order p + 1 over the first 2 ms, within 0.2"}, worst, 0.2);
}

TEST(StartUp, ShortStepsGiveFullOrderWithoutAnyPast) {
  for (const AlgorithmKind algorithm : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel})
    for (unsigned p = 1; p <= 5; ++p) {
      std::vector<double> errors;
      for (const double H : {4e-5, 2e-5}) {
        TwoMassCase c = started(StartUp::fullOrder, H, p);
        c.algorithm = algorithm;
        c.end = 0.05;
        errors.push_back(errorsOf(c).global);
      }
      EXPECT_NEAR(slope({4e-5, 2e-5}, errors), p + 1.0, 0.2);
      TwoMassCase known = started(StartUp::analytic, 2e-5, p);
      known.algorithm = algorithm;
      known.end = 0.05;
      EXPECT_NEAR(errors.back() / errorsOf(known).global, 1.0, 0.15) << "as if the past were known";
    }
}

TEST(StartUp, ATrivialStartIsHarmlessUpToDegreeTwo) {
  test::Largest worst;
  for (unsigned p = 0; p <= 2; ++p)
    for (int k = 14; k <= 22; k += 2) {
      const double H = std::pow(10.0, -0.25 * k);
      const TwoMassErrors analytic = errorsOf(started(StartUp::analytic, H, p));
      if (analytic.unstable()) continue;
      const double change = errorsOf(started(StartUp::trivial, H, p)).global / analytic.global - 1.0;
      worst.see(std::fabs(change));
    }
  showAtMost({"schmoll R20", "low-degrees", "global error changed by less than 15 %, p <= 2"}, worst, 0.15);
}

TEST(StartUp, ATrivialStartReducesTheOrderToTwo) {
  test::Largest worst;
  // Table of sec. 11.2, p = 3, 4, 5.
  const std::vector<std::pair<double, std::array<double, 3>>> table{{1e-4, {7.3e-3, 5.8e-3, 3.6e-3}},
                                                                    {1e-5, {1.1e-5, 1.0e-5, 1.1e-5}}};
  for (const auto& [H, expected] : table)
    for (unsigned p = 3; p <= 5; ++p) {
      const double error = errorsOf(started(StartUp::trivial, H, p)).global;
      EXPECT_NEAR(error / expected[p - 3], 1.0, 0.2) << p << ' ' << H << ": " << error;
      worst.see(std::fabs(error / expected[p - 3] - 1.0));
    }
  showAtMost({"schmoll R20", "table", "p >= 3 as in the note within 20 %: order 2"}, worst, 0.2);
}

TwoMassCase masterSlave(StartUp startUp, unsigned degree) {
  TwoMassCase c = started(startUp, 1e-3, degree);
  c.algorithm = AlgorithmKind::masterSlave;
  for (solver::IntegratorSettings* settings : {&c.first, &c.second}) {
    settings->kind = solver::Kind::ode5;
    settings->microStep = 1e-6;
  }
  return c;
}

TEST(MasterSlave, EqualsGaussSeidelWithTheMastersStep) {
  const double p1 = errorsOf(masterSlave(StartUp::analytic, 1)).global;
  const double p2 = errorsOf(masterSlave(StartUp::analytic, 2)).global;
  const double p3 = errorsOf(masterSlave(StartUp::analytic, 3)).global;
  showWithin({"schmoll R12", "p1", "1.3e-5 +-20 %"}, p1, 1.3e-5, 0.2 * 1.3e-5);
  showWithin({"schmoll R12", "p2", "1.8e-8 +-20 %"}, p2, 1.8e-8, 0.2 * 1.8e-8);
  showAtMost({"schmoll R12", "p3", "at most 1e-9"}, p3, 1e-9);
}

TEST(MasterSlave, TheMacroStepIsTheMastersAcceptedStep) {
  TwoMassCase c = masterSlave(StartUp::trivial, 1);
  c.first.microStep = 7e-5;
  c.second.microStep = 1e-5;
  c.end = 0.01;
  const TwoMassErrors errors = errorsOf(c);
  ASSERT_TRUE(errors.finished);
  EXPECT_EQ(errors.statistics.acceptedSteps, 143U);  // 142 full ones and the rest to 0.01 s
  for (std::size_t i = 0; i + 1 < errors.steps.size(); ++i) EXPECT_NEAR(errors.steps[i], 7e-5, 1e-15);
}

TEST(MasterSlave, ATrivialStartLeavesAFloor) {
  test::Smallest least;
  test::Largest most;
  for (unsigned p = 2; p <= 5; ++p) {
    const double error = errorsOf(masterSlave(StartUp::trivial, p)).global;
    least.see(error);
    most.see(error);
  }
  showFigure({"schmoll R20", "master-slave", "3.4e-8 to 3.7e-8, p >= 2"},
             fmt::format("{:.3g} to {:.3g}", double(least), double(most)), least > 3.3e-8 && most < 3.8e-8);
}

TEST(StartUp, MasterSlaveStartReachesAFloorOfTheMastersStep) {
  // Jacobi, sec. 11.2: as an analytic start down to a floor that goes with the square of the master's step.
  test::Largest worst;
  const auto error = [](double H, double h, unsigned p) {
    TwoMassCase c = started(StartUp::masterSlave, H, p);
    for (solver::IntegratorSettings* settings : {&c.first, &c.second}) {
      settings->kind = solver::Kind::ode5;
      settings->microStep = h;
    }
    return errorsOf(c).global;
  };
  const std::vector<std::tuple<double, double, unsigned, double>> table{
      {1e-5, 1e-6, 2, 5.4e-5}, {1e-5, 1e-6, 3, 7.3e-7}, {1e-5, 1e-6, 4, 3.6e-8},
      {1e-5, 1e-6, 5, 3.4e-8}, {1e-4, 1e-6, 5, 1.4e-4}, {3.1622776601683795e-6, 7.905694150420949e-7, 5, 2.1e-8}};
  for (const auto& [H, h, p, expected] : table) {
    const double obtained = error(H, h, p);
    EXPECT_NEAR(obtained / expected, 1.0, 0.2) << H << ' ' << p << ": " << obtained;
    worst.see(std::fabs(obtained / expected - 1.0));
  }
  showAtMost({"schmoll R21", "table", "errors of the note within 20 %"}, worst, 0.2);
  showAtMost({"schmoll R21", "floor", "at most 5e-8 for p = 4, 5"},
             largestOf(error(1e-5, 1e-6, 4), error(1e-5, 1e-6, 5)), 5e-8);
}

}  // namespace
}  // namespace koppla::test
