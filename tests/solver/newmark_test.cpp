// Schmoll, sec. 3.3.1 and C.5: the integrators of finite element programs on a truss as a single-mass oscillator.

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "rig.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::solver::test {
namespace {

constexpr Oscillator kTruss{1.0, 1e5, 2.0, 5e-3, 0.0};
const double kPeriod = 2.0 * 3.14159265358979 / std::sqrt(1e5 - 1.0);

/// Largest error of the position over 20 periods with steps of length h.
double globalError(const IntegratorSettings& settings, double h) {
  Rig rig(equations(oscillator(kTruss)), settings);
  koppla::test::Largest largest;
  for (int k = 0; k * h < 20.0 * kPeriod; ++k) {
    rig.step(k * h, (k + 1) * h, {0.0});
    largest.see(std::fabs(rig.y[0] - freeMotion(kTruss, (k + 1) * h).first));
  }
  return largest;
}

/// Error of the position in one step from an exact state in the middle of the motion.
double localError(const IntegratorSettings& settings, double h) {
  const double t = 0.3 * kPeriod;
  const auto [w, v] = freeMotion(kTruss, t);
  Rig rig(equations(oscillator({1.0, 1e5, 2.0, w, v})), settings);
  rig.step(t, t + h, {0.0});
  return std::fabs(rig.y[0] - freeMotion(kTruss, t + h).first);
}

double order(double coarse, double fine) {
  return std::log2(coarse / fine);
}

TEST(Newmark, TheTrapezoidalRuleHasLocalOrderThreeAndGlobalOrderTwo) {
  const IntegratorSettings settings = with(Kind::newmark);
  koppla::test::showWithin({"schmoll R42", "hht-local-order", "3 +-0.1"},
                           order(localError(settings, 2e-5), localError(settings, 1e-5)), 3.0, 0.1);
  koppla::test::showWithin({"schmoll R42", "hht-global-order", "2 +-0.1"},
                           order(globalError(settings, 2e-5), globalError(settings, 1e-5)), 2.0, 0.1);
}

TEST(Newmark, NumericalDampingKeepsTheSecondOrder) {
  IntegratorSettings settings = with(Kind::newmark);
  settings.alpha = -0.1;
  EXPECT_NEAR(order(globalError(settings, 2e-5), globalError(settings, 1e-5)), 2.0, 0.1);
}

/// Amplitude after 100 steps of length h without damping in the model, from 1.
double amplitude(double alpha, double h) {
  IntegratorSettings settings = with(Kind::newmark);
  settings.alpha = alpha;
  Rig rig(equations(oscillator({1.0, 1.0, 0.0, 1.0, 0.0})), settings);
  for (int k = 0; k < 100; ++k) rig.step(k * h, (k + 1) * h, {0.0});
  return std::hypot(rig.y[0], rig.y[1]);
}

TEST(Newmark, OnlyAlphaDamps) {
  // The trapezoidal rule keeps w^2 + v^2 for every step; HHT removes what is far too fast for the step.
  EXPECT_NEAR(amplitude(0.0, 10.0), 1.0, 1e-12);
  EXPECT_LT(amplitude(-0.3, 10.0), 1e-3);
  EXPECT_GT(amplitude(-0.3, 0.01), 0.99);
}

Model duffing() {
  // w'' = -w - w^3 + u; w = sin t is forced by u = sin^3 t.
  Model model;
  model.inputs = {};
  model.outputs = {"w"};
  model.x0 = {0.0, 1.0};
  model.f = [](double t, auto x, auto, auto dx) {
    dx[0] = x[1];
    dx[1] = -x[0] - x[0] * x[0] * x[0] + std::pow(std::sin(t), 3);
  };
  model.g = [](double, auto x, auto, auto y) { y[0] = x[0]; };
  model.secondOrder = true;
  return model;
}

double duffingError(const IntegratorSettings& settings, double t) {
  Rig rig(equations(duffing()), settings);
  rig.step(0.0, t);
  return std::fabs(rig.y[0] - std::sin(t));
}

TEST(Newmark, SolvesNonlinearModelsToSecondOrder) {
  EXPECT_NEAR(order(duffingError(with(Kind::newmark, 0.02), 2.0), duffingError(with(Kind::newmark, 0.01), 2.0)), 2.0,
              0.1);
  Rig rig(equations(duffing()), with(Kind::newmark, 0.01));
  rig.step(0.0, 2.0);
  EXPECT_EQ(rig.system->effort().microSteps, 200U);
  EXPECT_EQ(rig.system->effort().jacobians, 200U);
}

/// w'' = -c w of two masses, nobody says that they are linear. Without the derivatives of each an iteration would
/// diverge, since c h^2 / 4 is far above 1; the trapezoidal rule keeps c w^2 + v^2.
TEST(Newmark, DifferentiatesEveryEquationOfAStiffModel) {
  constexpr std::array kStiffness{1e6, 4e6};
  Model model;
  model.outputs = {"w1", "w2", "v1", "v2"};
  model.x0 = {1.0, 1.0, 0.0, 0.0};
  model.f = [&](double, auto x, auto, auto dx) {
    for (std::size_t i = 0; i < 2; ++i) {
      dx[i] = x[2 + i];
      dx[2 + i] = -kStiffness.at(i) * x[i];
    }
  };
  model.g = [](double, auto x, auto, auto y) { std::ranges::copy(x, y.begin()); };
  model.secondOrder = true;
  Rig rig(equations(model), with(Kind::newmark));
  for (int k = 0; k < 10; ++k) ASSERT_EQ(rig.step(0.1 * k, 0.1 * (k + 1)).status, subsystem::Status::ok);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(kStiffness.at(i) * rig.y[i] * rig.y[i] + rig.y[2 + i] * rig.y[2 + i], kStiffness.at(i),
                1e-3 * kStiffness.at(i));
}

TEST(Newmark, KeepsTheJacobianOfALinearModel) {
  Rig rig(equations(oscillator(kTruss)), with(Kind::newmark, 0.0625));
  rig.step(0.0, 1.0, {0.0});
  EXPECT_EQ(rig.system->effort().microSteps, 16U);
  EXPECT_EQ(rig.system->effort().jacobians, 1U);
}

TEST(Newmark, CanHideItsLastCorrection) {
  // w'' = -w from (1, 0), h = 0.5. The predictor keeps a0 = -1: w = 1 - h^2/2 = 0.875, v = -0.5. The corrected
  // trapezoidal rule: w1 = (1 - h^2/4) / (1 + h^2/4), v1 = -h / (1 + h^2/4).
  IntegratorSettings settings = with(Kind::newmark);
  settings.corrected = false;
  Rig hidden(equations(oscillator({1.0, 1.0, 0.0, 1.0, 0.0})), settings);
  koppla::test::showFigure({"schmoll R27", "flag", "values before the last correction are delivered and flagged"},
                           hidden.system->describe().capabilities.uncorrectedOutputs ? "flagged" : "not flagged",
                           hidden.system->describe().capabilities.uncorrectedOutputs);
  hidden.step(0.0, 0.5, {0.0});
  EXPECT_DOUBLE_EQ(hidden.y[0], 0.875);
  EXPECT_DOUBLE_EQ(hidden.y[1], -0.5);
  const std::vector<double> x = hidden.system->states();
  EXPECT_NEAR(x[0], 0.9375 / 1.0625, 1e-15);
  EXPECT_NEAR(x[1], -0.5 / 1.0625, 1e-15);

  Rig open(equations(oscillator({1.0, 1.0, 0.0, 1.0, 0.0})), with(Kind::newmark));
  EXPECT_FALSE(open.system->describe().capabilities.uncorrectedOutputs);
  open.step(0.0, 0.5, {0.0});
  EXPECT_EQ(open.y, x);
}

TEST(CentralDifferences, HaveGlobalOrderTwoWithDamping) {
  const IntegratorSettings settings = with(Kind::centralDifferences);
  koppla::test::showWithin({"schmoll R42", "central-differences-order", "2 +-0.1"},
                           order(globalError(settings, 2e-5), globalError(settings, 1e-5)), 2.0, 0.1);
}

TEST(CentralDifferences, ComeToRestWithoutAnOffset) {
  // The commercial solver's error is stuck at 7e-3 of the amplitude (Schmoll, C.5). After 20 s, e^-20 of it is left.
  Rig rig(equations(oscillator(kTruss)), with(Kind::centralDifferences, 1e-4));
  rig.step(0.0, 20.0, {0.0});
  koppla::test::showAtMost({"schmoll R42", "rest-offset", "at most 1e-6 of the amplitude after 20 s"},
                           std::fabs(rig.y[0]) / kTruss.w0, 1e-6);
}

TEST(CentralDifferences, AreStableUpToTwoOverOmega) {
  for (const double factor : {0.99, 1.01}) {
    const double h = factor * 2.0;
    Rig rig(equations(oscillator({1.0, 1.0, 0.0, 1.0, 0.0})), with(Kind::centralDifferences));
    for (int k = 0; k < 1000; ++k) rig.step(k * h, (k + 1) * h, {0.0});
    EXPECT_EQ(std::fabs(rig.y[0]) < 100.0, factor < 1.0);
  }
}

}  // namespace
}  // namespace koppla::solver::test
