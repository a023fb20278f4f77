// Newton's method on the cut of a cycle: when its matrix is renewed, and how it ends.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "iterated_loop.hpp"

namespace koppla::coupling::newton_test {
namespace {

using namespace koppla::coupling::scripted;
using Loop = IteratedLoop;

AlgorithmSettings newtonSettings(double tolerance = 1e-9, unsigned most = 50) {
  AlgorithmSettings settings = iterating({}, tolerance, most);
  settings.kind = AlgorithmKind::newton;
  settings.predictor = 0;
  return settings;
}

TEST(Newton, KeepsItsMatrixWhileOneCorrectionIsEnough) {
  double b = 1.0;
  Loop loop([&b](const Reals& u) { return Reals{-3.0 * u[0] + b, 0.5 * u[1] - u[0]}; }, {0.0, 0.0}, newtonSettings());
  EXPECT_TRUE(loop.solve().converged());
  EXPECT_EQ(loop.algorithm().solution().jacobians, 1U);
  EXPECT_NEAR(loop.outputs()[0], 0.25, 1e-9);
  EXPECT_NEAR(loop.outputs()[1], -0.5, 1e-9);
  for (int step = 0; step < 5; ++step) {
    b += 1.0;
    EXPECT_TRUE(loop.solve().converged());
    EXPECT_EQ(loop.algorithm().solution().jacobians, 0U);
    EXPECT_EQ(loop.algorithm().solution().evaluations, 2U);
    EXPECT_NEAR(loop.outputs()[0], b / 4.0, 1e-6);
  }
}

TEST(Newton, RenewsItsMatrixWhereItIsTooSlow) {
  // The slope turns from -3 to -30: with the old matrix residuals grow by 27 / 4.
  double g = -3.0;
  Loop loop([&g](const Reals& u) { return Reals{g * u[0] + 1.0}; }, {0.0}, newtonSettings());
  loop.solve();
  g = -30.0;
  const Solution& solution = loop.solve();
  EXPECT_TRUE(solution.converged());
  EXPECT_EQ(solution.jacobians, 1U);
  EXPECT_EQ(solution.evaluations, 3U);
  EXPECT_NEAR(loop.outputs()[0], 1.0 / 31.0, 1e-9);
}

/// Three steps in a row that needed a second correction are a reason for a new matrix at the beginning of the next.
TEST(Newton, RenewsItsMatrixAfterThreeStepsThatNeededTwoCorrections) {
  double g = -3.0;
  double b = 1.0;
  // With the matrix of slope -3 the residual falls to |dg| / 4 of itself: a twentieth of 1 passes 1e-2 in the third.
  Loop loop([&](const Reals& u) { return Reals{g * u[0] + b}; }, {0.0}, newtonSettings(2e-2));
  loop.solve();
  g = -3.5;
  std::vector<unsigned> jacobians, evaluations;
  for (int step = 0; step < 5; ++step) {
    b += 4.0;
    EXPECT_TRUE(loop.solve().converged());
    jacobians.push_back(loop.algorithm().solution().jacobians);
    evaluations.push_back(loop.algorithm().solution().evaluations);
  }
  // Residuals about 4, 0.5, 0.06, 0.008: whether the next correction suffices is judged by the last contraction.
  EXPECT_GT(evaluations[0], 2U);
  EXPECT_GE(std::ranges::count_if(jacobians, [](unsigned n) { return n > 0; }), 1);
  EXPECT_EQ(evaluations.back(), 2U) << "with the new matrix";
}

TEST(Newton, UntestedIsOneEvaluation) {
  Loop loop(affine(-3.0, 1.0), {0.5}, newtonSettings());
  EXPECT_EQ(loop.solve(true).evaluations, 1U);
  EXPECT_EQ(loop.outputs(), (Reals{-0.5, -0.5}));
}

TEST(Newton, EndsAtTheCapOrWhereValuesExplode) {
  Loop capped([](const Reals& u) { return Reals{std::cos(u[0]) + u[0]}; }, {1.0}, newtonSettings(1e-14, 2));
  const Solution& solution = capped.solve();
  EXPECT_EQ(solution.ending, Ending::capReached);
  EXPECT_EQ(solution.evaluations, 2U);
  // Nearly singular: the correction leads to 1e9.
  Loop exploding([](const Reals& u) { return Reals{(1.0 - 1e-9) * u[0] + (u[0] > 1e6 ? 2.0 * u[0] : 1.0)}; }, {0.0},
                 newtonSettings(1e-9));
  EXPECT_EQ(exploding.solve().ending, Ending::exploded);
}

/// u = u + 1, the one added on the way: every difference is exact, and I - F' is zero.
TEST(Newton, SendsTheAnswersWhereItsMatrixIsSingular) {
  System system;
  for (const char* name : {"a", "b"})
    add(system, name, function([](auto u, auto y) { std::ranges::copy(u, y.begin()); }));
  connect(system, {{"a.y", "b.u", 1.0, 1.0}, {"b.y", "a.u"}});
  const auto cycles = findCycles(system);
  Network network(system, cycles, 1e100);
  CoupledStep step(network, cycles, newtonSettings(1e-9, 3), false);
  step.begin(0.0);
  EXPECT_EQ(step.solve({{0.0, 1.0, false}, {}, false, false}).ending, Ending::capReached);
  EXPECT_EQ(Reals(network.outputs().begin(), network.outputs().end()), (Reals{2.0, 3.0}));
}

/// Norms that weigh a field as a whole.
TEST(Newton, TestsByAnyNorm) {
  for (const Norm norm : {Norm::rms, Norm::nicolai, Norm::max, Norm::fieldRms, Norm::fieldMax}) {
    AlgorithmSettings settings = newtonSettings(0.25, 1);
    settings.rtol = 0.125;
    settings.norm = norm;
    Loop loop([](const Reals& u) { return Reals{u[0] + 0.5, u[1] - 1.0}; }, {1.0, -4.0}, settings);
    const Reals sent{1.0, -4.0};
    const Reals difference{0.5, -1.0};
    EXPECT_DOUBLE_EQ(loop.solve().norm, core::weightedNorm(norm, {0.125, 0.25}, difference, sent));
  }
}

}  // namespace
}  // namespace koppla::coupling::newton_test
