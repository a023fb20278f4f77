// What happens where nobody chooses an acceleration: fewer iterations than without one on all of Jung's calibration
// models, the same results, and linear loops solved in as many iterations as they have unknowns, and a few.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Core>
#include <Eigen/Jacobi>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/core/detail/dense.hpp"

#include "loops.hpp"
#include "support/allocations.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Outcome byDefault(const Loop& loop, const Conduct& conduct) {
  return iterate(loop, nullptr, *coupling::automaticAcceleration({.size = loop.start.size()}), conduct);
}

/// Both programs as one that answers (first(y), second(x)) to (x, y): what is accelerated where both are called at the
/// same time.
Loop atTheSameTime(const Loop& loop) {
  const std::size_t n = loop.start.size();
  Loop both;
  both.name = loop.name + " in parallel";
  both.first = [](std::span<const double> in, std::span<double> out) { std::ranges::copy(in, out.begin()); };
  both.second = [loop, n](std::span<const double> in, std::span<double> out) {
    loop.first(in.subspan(n), out.first(n));
    loop.second(in.first(n), out.subspan(n));
  };
  both.start.resize(n);
  loop.first(loop.start, both.start);
  both.start.insert(both.start.end(), loop.start.begin(), loop.start.end());
  return both;
}

Outcome byDefaultInParallel(const Loop& loop, const Conduct& conduct) {
  const std::size_t n = loop.start.size();
  const auto accelerator = coupling::automaticAcceleration({.size = 2 * n, .fields = {{0, n}, {n, 2 * n}}});
  Outcome outcome = iterate(atTheSameTime(loop), nullptr, *accelerator, conduct);
  if (outcome.result.size() == 2 * n) outcome.result.erase(outcome.result.begin(), outcome.result.begin() + long(n));
  return outcome;
}

std::vector<double> ratios(double tolerance) {
  std::vector<double> result;
  for (const Loop& loop : calibrationLoops()) {
    const Outcome plain = relaxOne(loop, unrelaxed(), {.tolerance = tolerance});
    const Outcome ours = byDefault(loop, {.tolerance = tolerance});
    EXPECT_EQ(ours.end, End::converged) << loop.name;
    result.push_back(static_cast<double>(ours.iterations) / plain.iterations);
  }
  return result;
}

TEST(Automatic, MakesNoModelWorse) {
  showAtMost({"jung 26", "default-1e-3", "no ratio of iterations above 1"}, test::largestOf(ratios(1e-3)), 1.0);
  showAtMost({"jung 26", "default-1e-6", "no ratio of iterations above 1"}, test::largestOf(ratios(1e-6)), 1.0);
}

TEST(Automatic, SavesMoreThanHalfOfTheIterations) {
  const std::vector<double> all = ratios(1e-3);
  const double mean = VectorXd::Map(all.data(), Eigen::Index(all.size())).mean();
  showAtMost({"jung 27", "default-mean", "mean ratio of iterations at most 0.45"}, mean, 0.45);
  showAtMost({"jung 27", "default-largest", "every ratio at most 0.86"}, test::largestOf(all), 0.86);
  showAtMost({"jung 27", "default-best", "the best at most 0.03"}, test::smallestOf(all), 0.03);
}

TEST(Automatic, FindsTheRightSolution) {
  std::vector<Loop> loops = calibrationLoops();
  std::ranges::copy(b480Loops(), std::back_inserter(loops));
  test::Largest worst;
  const auto look = [&worst](const Loop& loop, const Outcome& outcome, const std::vector<double>& roots) {
    ASSERT_EQ(outcome.end, End::converged) << loop.name;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      const double error = std::fabs(outcome.result[i] / roots[i] - 1.0);
      EXPECT_LE(error, 1e-10) << loop.name;
      worst.see(error);
    }
  };
  for (const Loop& loop : loops) {
    look(loop, byDefault(loop, {.tolerance = 1e-12}), {root(loop)});
    look(loop, byDefaultInParallel(loop, {.tolerance = 1e-12}), {root(loop)});
  }
  const Loop one = verticalPlate(125);
  const Loop other = horizontalPlate(125);
  const Loop both = together(one, other);
  look(both, byDefault(both, {.tolerance = 1e-12}), {root(one), root(other)});
  showAtMost(
      {"jung 25", "default", "at most 1e-10 relative on all models in both orders, on two plates at once in sequence"},
      worst, 1e-10);
}

TEST(Automatic, StabilisesDivergentModels) {
  test::Largest most;
  for (const Loop& loop : b480Loops()) {
    const Outcome outcome = byDefault(loop, {.tolerance = 1e-6});
    EXPECT_EQ(outcome.end, End::converged) << loop.name;
    most.see(double(outcome.iterations));
  }
  showAtMost({"jung 28", "default", "B480 within 15 iterations at 1e-6"}, most, 15.0);
}

TEST(Automatic, SolvesALinearLoopOfOneValueInFourIterations) {
  for (const double g : {-100.0, -30.0, -10.0, -3.0, -1.0, -0.5, -0.1, 0.1, 0.5, 0.9, 0.99, 0.999}) {
    const Outcome outcome = byDefault(gainLoop(g), {.tolerance = 1e-9});
    EXPECT_EQ(outcome.end, End::converged) << g;
    EXPECT_LE(outcome.iterations, 4U) << g;
    EXPECT_NEAR(outcome.result[0] * (1.0 - g), 1.0, 1e-9 * std::max(1.0, 1.0 / (1.0 - g))) << g;
  }
}

/// Two bars that conduct heat, one behind the other, with several nodes at the interface: temperatures T to the first,
/// fluxes of unlike size to the second, y -> f (T1 - y) -> T2 + ratio (T1 - y). All values are rounded to seven digits.
Loop bars(double ratio) {
  const auto printed = [](double value) { return std::stod(fmt::format("{:.6e}", value)); };
  const std::vector<double> shares{0.25, 0.5, 1.0, 0.5};
  Loop loop;
  loop.name = fmt::format("bars, ratio {}", ratio);
  loop.first = [=](std::span<const double> in, std::span<double> out) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = printed(shares[i] * (100.0 - in[i]));
  };
  loop.second = [=](std::span<const double> in, std::span<double> out) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = printed(20.0 + ratio * in[i] / shares[i]);
  };
  loop.start.assign(shares.size(), 0.0);
  return loop;
}

TEST(Automatic, SolvesALinearFieldOfPrintedValuesInFourIterations) {
  unsigned most = 0;
  test::Largest worst;
  for (const double ratio : {0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0}) {
    const Outcome outcome = byDefault(bars(ratio), {.tolerance = 1e-4});
    ASSERT_EQ(outcome.end, End::converged) << ratio;
    most = std::max(most, outcome.iterations);
    const double solution = (20.0 + 100.0 * ratio) / (1.0 + ratio);
    for (const double value : outcome.result) worst.see(std::fabs(value / solution - 1.0));
  }
  showAtMost({"public P3", "field", "at most 4 iterations for four nodes of seven digits, ratios 0.1 to 100"}, most, 4);
  showAtMost({"public P3", "field-error", "within 1e-4 of the closed form"}, worst, 1e-4);
}

TEST(Automatic, KeepsBothComponentsOfAModelOfMixedBehaviourOnTheirWay) {
  // Unrelaxed 94 iterations, 93 with the best global factor; Aitken's one ends at the wrong solution.
  const Outcome outcome = byDefault(together(verticalPlate(125), horizontalPlate(125)), {.tolerance = 1e-6});
  ASSERT_EQ(outcome.end, End::converged);
  EXPECT_LE(outcome.iterations, 55U);
  EXPECT_NEAR(outcome.result[1], 0.9315, 1e-4);
}

/// Orthogonal, by plane rotations.
MatrixXd someRotation(Eigen::Index n) {
  MatrixXd rotation = MatrixXd::Identity(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = i + 1; j < n; ++j) {
      const double angle = *rc::gen::inRange(0, 360) * std::numbers::pi / 180.0;
      rotation.applyOnTheRight(i, j, Eigen::JacobiRotation<double>(std::cos(angle), std::sin(angle)));
    }
  return rotation;
}

RC_GTEST_PROP(Automatic, SolvesLinearProblemsThatContractOrExpand, ()) {
  const auto n = static_cast<Eigen::Index>(*rc::gen::inRange(2, 9));
  VectorXd eigenvalues(n);
  VectorXd b(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    eigenvalues[i] = *rc::gen::inRange(-5000, 91) / 100.0;
    b[i] = *rc::gen::inRange(-100, 101) / 10.0;
  }
  RC_PRE(b.norm() > 0.0);
  const MatrixXd Q = someRotation(n);
  const MatrixXd A = Q * eigenvalues.asDiagonal() * Q.transpose();
  const VectorXd solution = core::detail::solve(MatrixXd(MatrixXd::Identity(n, n) - A), b);

  const auto accelerator = coupling::automaticAcceleration({.size = static_cast<std::size_t>(n)});
  accelerator->begin();
  VectorXd u = VectorXd::Zero(n);
  VectorXd answer = A * u + b;
  int iterations = 1;
  for (; iterations <= 60 && (answer - u).norm() > 1e-7 * answer.norm(); ++iterations) {
    accelerator->learn({u.data(), std::size_t(n)}, {answer.data(), std::size_t(n)});
    accelerator->propose({u.data(), std::size_t(n)});
    answer = A * u + b;
  }
  RC_ASSERT(iterations <= 60);
  // The residual is (A - I) times the error, and no eigenvalue of I - A is below a tenth.
  RC_ASSERT((answer - solution).norm() <= 1e-6 * 50.0 * solution.norm());
}

TEST(Automatic, AllocatesNothingOnceItsMemoryIsFull) {
  // A hundred steps of a linear problem that moves on; differences are kept from step to step.
  constexpr std::size_t kSize = 200;
  const auto accelerator = coupling::automaticAcceleration({.size = kSize, .fields = {{0, 80}, {80, kSize}}});
  std::vector<double> u(kSize, 0.0);
  std::vector<double> answer(kSize);
  const auto step = [&](int number) {
    accelerator->begin();
    for (int iteration = 0; iteration < 4; ++iteration) {
      for (std::size_t i = 0; i < kSize; ++i)
        answer[i] = -3.0 * std::sin(double(i)) * u[i] + 0.3 * u[(i + 1) % kSize] + 2.0 + std::sin(0.1 * number);
      accelerator->learn(u, answer);
      accelerator->propose(u);
    }
    accelerator->accept();
  };
  for (int number = 0; number < 40; ++number) step(number);
  const std::size_t before = allocations();
  for (int number = 40; number < 60; ++number) step(number);
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace koppla::test
