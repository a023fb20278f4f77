#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "two_mass.hpp"

/// Schmoll, sec. 8 and 11.3: solvers that have their own idea of time.
namespace koppla::test::real_solver_test {
namespace {

double quarterDecade(int k) {
  return std::pow(10.0, -0.25 * k);
}

TwoMassCase onOwnGrids(double h1, double h2, double H, unsigned degree) {
  TwoMassCase c;
  c.degree = degree;
  c.H = H;
  c.first.kind = solver::Kind::ode5;
  c.first.microStep = h1;
  c.second.kind = solver::Kind::ode5;
  c.second.microStep = h2;
  c.overshootFirst = h1;
  c.overshootSecond = h2;
  return c;
}

TEST(Overshoot, CostsLittleAndKeepsTheOrder) {
  double far = 0.0;   // H >= 7 h
  double near = 0.0;  // H = 2..4 h
  test::Largest order;
  for (unsigned p = 1; p <= 4; ++p) {
    std::vector<double> steps;
    std::vector<double> errors;
    for (const int k : {17, 18, 20, 22}) {
      const double H = quarterDecade(k);
      TwoMassCase aligned;
      aligned.H = H;
      aligned.degree = p;
      const double overshot = errorsOf(onOwnGrids(1.37e-6, 0.93e-6, H, p)).global;
      const double excess = overshot / errorsOf(aligned).global - 1.0;
      double& worst = k == 22 ? near : far;
      if (overshot > 5e-9) worst = std::fmax(worst, excess);  // below is the floor of rounded times
      if (k >= 22 || overshot < 5e-9) continue;
      steps.push_back(H);
      errors.push_back(overshot);
    }
    order.see(std::fabs(slope(steps, errors) - (p + 1.0)));
  }
  showAtMost({"schmoll R22", "far", "error at most 15 % above the aligned run, H >= 7 h"}, far, 0.15);
  showAtMost({"schmoll R22", "near", "error at most 60 % above the aligned run, H = 2..4 h"}, near, 0.6);
  showAtMost({"schmoll R22", "order", "p + 1 within 0.2"}, order, 0.2);
}

TEST(Overshoot, MicroStepsLongerThanMacroStepsCatchUp) {
  const std::vector<std::pair<int, std::array<double, 6>>> table{
      {19, {2.5e0, 1.8e-2, 4.5e-4, 1.2e-5, 3.4e-7, 1.2e-8}},
      {20, {9.9e-1, 4.2e-3, 5.4e-5, 7.4e-7, 1.0e-8, 1.5e-10}},
      {21, {9.9e-1, 4.4e-3, 3.3e-5, 6.2e-8, 4.7e-9, HUGE_VAL}},
      {22, {9.9e-1, 4.2e-3, 5.4e-5, 1.1e-6, 2.8e-8, 5.3e-9}}};
  test::Largest worst;
  for (const auto& [k, expected] : table)
    for (unsigned p = 0; p <= 5; ++p) {
      const TwoMassErrors errors = errorsOf(onOwnGrids(1e-5, 1e-5, quarterDecade(k), p));
      SCOPED_TRACE(fmt::format("p = {}, H = {:.3g}: {:.3g}", p, quarterDecade(k), errors.global));
      if (std::isinf(expected[p])) {
        EXPECT_TRUE(errors.unstable());
        continue;
      }
      const double deviation = std::fabs(errors.global / expected[p] - 1.0);
      EXPECT_LE(deviation, 0.2);
      worst.see(deviation);
    }
  showAtMost({"schmoll R23", "table-11.3", "within 20 %; p = 5 unstable only at H = 5.6e-6 s"}, worst, 0.2);
}

TEST(Overshoot, HitsOnMacroTimesAreTies) {
  showFigure({"schmoll R25", "tie", "1.4e-10 to 1.6e-10 at h = H = 1e-5 s, p = 5"},
             fmt::format("{:.3g}", errorsOf(onOwnGrids(1e-5, 1e-5, 1e-5, 5)).global),
             std::fabs(errorsOf(onOwnGrids(1e-5, 1e-5, 1e-5, 5)).global - 1.5e-10) < 0.15e-10);
}

TEST(Solvers, TheirErrorBoundsTheCouplingError) {
  TwoMassCase c;
  c.degree = 5;
  c.H = 1e-5;
  c.first.microStep = 1e-6;
  c.second.microStep = 1e-6;
  c.first.kind = solver::Kind::ode2;
  c.second.kind = solver::Kind::ode2;
  const double heun = errorsOf(c).global;
  showFigure({"schmoll R40", "ode2", "floor 8e-6 to 1.3e-5"}, fmt::format("{:.3g}", heun),
             heun > 7.5e-6 && heun < 1.35e-5);
  c.first.kind = solver::Kind::ode5;
  c.second.kind = solver::Kind::ode5;
  const TwoMassErrors fine = errorsOf(c);
  showAtMost({"schmoll R40", "ode5-global", "at most 1e-9"}, fine.global, 1e-9);
  showAtMost({"schmoll R40", "ode5-local", "at most 1e-11"}, fine.local, 1e-11);
}

TEST(Solvers, AVariableStepSolverPaysForHeldInputs) {
  // The split and order that are stable with held inputs too; CVODE goes on across macro points and meets their jumps.
  std::array<std::uint64_t, 3> microSteps{};
  for (unsigned p = 0; p <= 2; ++p) {
    TwoMassCase c;
    c.degree = p;
    c.H = 1e-4;
    c.end = 0.1;
    c.split = Split::displacementDisplacement;
    c.algorithm = coupling::AlgorithmKind::gaussSeidel;
    for (solver::IntegratorSettings* settings : {&c.first, &c.second}) {
      settings->kind = solver::Kind::cvodeAdams;
      settings->rtol = 1e-4;
      settings->atol = 1e-6;
      settings->restart = false;
    }
    const TwoMassErrors errors = errorsOf(c);
    for (const auto& member : errors.statistics.members) microSteps[p] += member.effort.microSteps;
  }
  showFigure({"schmoll R63", "micro-steps", "p = 0 takes at least 1.5 times those of p = 1 and 2"},
             fmt::format("{}, {}, {}", microSteps[0], microSteps[1], microSteps[2]),
             static_cast<double>(microSteps[0]) > 1.5 * static_cast<double>(std::max(microSteps[1], microSteps[2])));
}

TEST(Rod, ItsFiniteElementModelHasTheErrorsOfTheNote) {
  // Sec. 14.7, Jacobi, H = 1e-4 s; the rod equals its two-mass analogue.
  const std::array<double, 6> analytic{3.6e-1, 1.1e-2, 5.1e-4, 3.1e-5, 2.1e-6, 1.5e-7};
  test::Largest worst;
  for (unsigned p = 0; p <= 5; ++p) {
    TwoMassCase c;
    c.parameters = native::schmollTable31();
    c.end = 0.05;
    c.degree = p;
    const double error = errorsOf(c).global;
    EXPECT_NEAR(error / analytic[p], 1.0, 0.2) << p << ": " << error;
    worst.see(std::fabs(error / analytic[p] - 1.0));
  }
  showAtMost({"schmoll R44", "analogue-errors", "sec. 14.7 within 20 %, analytic start"}, worst, 0.2);
}

}  // namespace
}  // namespace koppla::test::real_solver_test
