// Predator and prey, each integrated exactly for a held partner:
//   x' = x (a - b y),  y' = -y (c - d x),  a = 1.5, b = c = 1, d = 0.3, x(0) = 2, y(0) = 1.
// The exact solution keeps V = d x - c ln x + b y - a ln y.

#include <cmath>

#include <gtest/gtest.h>

#include "fmu_system.hpp"
#include "support/figure.hpp"

namespace koppla::run::lotka_volterra_test {
namespace {

using coupling::AlgorithmKind;

struct Result {
  Outcome outcome;
  Statistics statistics;
  double x = 0.0;
  double y = 0.0;
};

Result simulate(AlgorithmKind kind, double step, double end, double tolerance) {
  core::Log log;
  Settings settings;
  settings.end = end;
  settings.step = step;
  settings.algorithm.kind = kind;
  settings.algorithm.atol = settings.algorithm.rtol = tolerance;
  Run run(test::fmuSystem({{"prey", "LotkaVolterraPrey"}, {"predator", "LotkaVolterraPredator"}},
                          {{"prey.x", "predator.x"}, {"predator.y", "prey.y"}}, log),
          settings, log);
  Result result;
  result.outcome = run.initialise();
  if (result.outcome.ok()) result.outcome = run.simulate();
  result.x = std::get<double>(run.value("prey.x"));
  result.y = std::get<double>(run.value("predator.y"));
  result.statistics = run.statistics();
  return result;
}

/// The coupled equations by the classical Runge-Kutta method with 1e5 steps: error far below all tolerances here.
std::pair<double, double> reference(double end) {
  const auto fx = [](double x, double y) { return x * (1.5 - y); };
  const auto fy = [](double x, double y) { return -y * (1.0 - 0.3 * x); };
  constexpr int kSteps = 100000;
  const double h = end / kSteps;
  double x = 2.0, y = 1.0;
  for (int i = 0; i < kSteps; ++i) {
    const double k1 = fx(x, y), l1 = fy(x, y);
    const double k2 = fx(x + h / 2 * k1, y + h / 2 * l1), l2 = fy(x + h / 2 * k1, y + h / 2 * l1);
    const double k3 = fx(x + h / 2 * k2, y + h / 2 * l2), l3 = fy(x + h / 2 * k2, y + h / 2 * l2);
    const double k4 = fx(x + h * k3, y + h * l3), l4 = fy(x + h * k3, y + h * l3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    y += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return {x, y};
}

TEST(LotkaVolterra, NewtonNeedsFewEvaluationsOutsideTheJacobian) {
  const Result result = simulate(AlgorithmKind::newton, 0.05, 30.0, 1e-8);
  ASSERT_TRUE(result.outcome.ok()) << result.outcome.message;
  ASSERT_EQ(result.statistics.acceptedSteps, 600U);
  ASSERT_EQ(result.statistics.cycles.size(), 1U);
  test::showAtMost({"nicolai N2", "newton-evaluations", "at most 2.6 a step on Lotka-Volterra"},
                   static_cast<double>(result.statistics.cycles[0].evaluations) / 600.0, 2.6);
  EXPECT_LE(result.statistics.cycles[0].jacobians, 100U);
}

TEST(LotkaVolterra, NewtonAndBothIterationsConvergeToTheSameSteps) {
  const Result newton = simulate(AlgorithmKind::newton, 0.05, 5.0, 1e-9);
  for (const AlgorithmKind kind : {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::iteratedJacobi}) {
    const Result iterated = simulate(kind, 0.05, 5.0, 1e-9);
    ASSERT_TRUE(iterated.outcome.ok()) << iterated.outcome.message;
    EXPECT_NEAR(iterated.x, newton.x, 1e-5);
    EXPECT_NEAR(iterated.y, newton.y, 1e-5);
  }
}

TEST(LotkaVolterra, HeldInputsGiveFirstOrderForEveryAlgorithm) {
  const auto [x, y] = reference(5.0);
  for (const AlgorithmKind kind :
       {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::newton}) {
    const auto error = [&](double step) {
      const Result result = simulate(kind, step, 5.0, 1e-10);
      EXPECT_TRUE(result.outcome.ok()) << result.outcome.message;
      return std::hypot(result.x - x, result.y - y);
    };
    // Halving the step four times must divide the error by 16, to leading order.
    const double order = std::log2(error(0.01) / error(0.01 / 16)) / 4.0;
    EXPECT_NEAR(order, 1.0, 0.1) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace koppla::run::lotka_volterra_test
