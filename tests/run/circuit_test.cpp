// A coil and a capacitor, L = 1 H and C = 2 F, in windows of 1 s: what an iteration costs where one value is sent and
// another follows from it.

#include <cmath>

#include <gtest/gtest.h>

#include "fmu_system.hpp"

namespace koppla::run::circuit_test {
namespace {

using coupling::AlgorithmKind;

constexpr double kInductance = 1.0;
constexpr double kCapacity = 2.0;
constexpr unsigned kSteps = 10;

Settings settingsOf(AlgorithmKind kind) {
  Settings settings;
  settings.step = 1.0;
  settings.end = kSteps;
  settings.algorithm.kind = kind;
  settings.algorithm.rtol = 1e-3;
  return settings;
}

struct Ended {
  double evaluationsPerStep;
  double current;
  double voltage;
};

/// From a current of 1 A: i' = u / L, u' = -i / C with held inputs.
Ended solve(const Settings& settings) {
  core::Log log;
  Run run(test::makeSystem(
              {{"coil", test::integrator(1.0 / kInductance, 1.0)}, {"capacitor", test::integrator(-1.0 / kCapacity)}},
              {{"coil.y", "capacitor.u"}, {"capacitor.y", "coil.u"}}),
          settings, log);
  EXPECT_TRUE(run.initialise().ok());
  EXPECT_TRUE(run.simulate().ok());
  return {static_cast<double>(run.statistics().cycles.at(0).evaluations) / kSteps,
          std::get<double>(run.value("coil.y")), std::get<double>(run.value("capacitor.y"))};
}

/// The converged solution is that of the implicit Euler method, i + j u sqrt(C / L) times 1 / (1 + j H w) in every
/// step, w = 1 / sqrt(L C).
void expectSolution(const Ended& ended) {
  const double w = 1.0 / std::sqrt(kInductance * kCapacity);
  const double amplitude = std::pow(1.0 + w * w, -0.5 * kSteps);
  const double angle = kSteps * std::atan(w);
  const double size = 1e-3;
  EXPECT_NEAR(ended.current, amplitude * std::cos(angle), size * amplitude);
  EXPECT_NEAR(ended.voltage, -amplitude * std::sin(angle) * std::sqrt(kInductance / kCapacity), size * amplitude);
}

/// The loop is linear, so a secant is exact: the first evaluation of a step looks, the second one is the solution. Only
/// in the first step is there no slope yet.
TEST(Circuit, TakesTwoEvaluationsAStep) {
  const Ended ended = solve(settingsOf(AlgorithmKind::iteratedGaussSeidel));
  EXPECT_LE(ended.evaluationsPerStep, 2.1);
  expectSolution(ended);
}

/// By residual, values outside the cut are compared with those of the evaluation before, as the sources do it.
TEST(Circuit, TakesAThirdEvaluationByResidual) {
  Settings settings = settingsOf(AlgorithmKind::iteratedGaussSeidel);
  settings.algorithm.test = coupling::ConvergenceTest::residual;
  const Ended ended = solve(settings);
  EXPECT_DOUBLE_EQ(ended.evaluationsPerStep, 3.1);
  expectSolution(ended);
}

/// Plain iteration contracts by H^2 w^2 = 1/2: a residual that must fall to a thousandth of the first takes ten
/// evaluations more, 2^-10 being less than that, and one that is relative to values may take fewer or more.
TEST(Circuit, ResidualsMayBeRelativeToTheFirst) {
  for (const AlgorithmKind kind : {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::iteratedJacobi}) {
    Settings settings = settingsOf(kind);
    settings.algorithm.test = coupling::ConvergenceTest::residual;
    settings.algorithm.relativeTo = coupling::RelativeTo::firstResidual;
    settings.algorithm.acceleration.kind = coupling::AcceleratorKind::none;
    settings.algorithm.predictor = 0;
    // Jacobi's residuals contract by 1/2 in two evaluations, Gauss-Seidel's in one.
    const double more = kind == AlgorithmKind::iteratedJacobi ? 20.0 : 10.0;
    const Ended ended = solve(settings);
    EXPECT_NEAR(ended.evaluationsPerStep, 1.0 + more, 1.0);
    settings.algorithm.rtol = 1e-6;
    EXPECT_NEAR(solve(settings).evaluationsPerStep, 1.0 + 2.0 * more, 1.0);
  }
}

TEST(Circuit, NewtonsResidualsMayBeRelativeToTheFirst) {
  Settings settings = settingsOf(AlgorithmKind::newton);
  settings.algorithm.relativeTo = coupling::RelativeTo::firstResidual;
  const Ended ended = solve(settings);
  EXPECT_DOUBLE_EQ(ended.evaluationsPerStep, 2.0) << "the first residual is one itself";
  expectSolution(ended);
}

}  // namespace
}  // namespace koppla::run::circuit_test
