#include "koppla/coupling/secant_memory.hpp"

#include <cmath>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "koppla/core/detail/dense.hpp"

#include "support/allocations.hpp"

namespace koppla::coupling {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::span<const double> spanOf(const VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

std::span<double> spanOf(VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

VectorXd unit(Eigen::Index n, Eigen::Index i) {
  return VectorXd::Unit(n, i);
}

/// J r as the memory estimates it.
VectorXd estimate(SecantMemory& memory, const VectorXd& r, std::uint64_t step) {
  VectorXd result = VectorXd::Zero(r.size());
  EXPECT_TRUE(memory.subtract(spanOf(r), step, spanOf(result)));
  return -result;
}

// A pair's relative error, as the class says: 1e-3 for every step of age, and one more. Applied twice it leaves over
// the square of what it leaves over once.
double trust(double age) {
  const double variance = 1e-6 * (1.0 + age) * (1.0 + age);
  return 1.0 - std::pow(variance / (1.0 + variance), 2);
}

TEST(SecantMemory, KnowsTheDirectionsOfItsPairsAndNoOther) {
  SecantMemory memory(3, 5);
  EXPECT_EQ(memory.pairs(), 0U);
  VectorXd nothing = VectorXd::Ones(3);
  EXPECT_FALSE(memory.subtract(spanOf(nothing), 1, spanOf(nothing)));
  ASSERT_TRUE(memory.add(spanOf(VectorXd(2.0 * unit(3, 0))), spanOf(VectorXd(8.0 * unit(3, 2))), 1));
  EXPECT_NEAR((estimate(memory, unit(3, 0), 1) - 4.0 * trust(0) * unit(3, 2)).norm(), 0.0, 1e-14);
  EXPECT_EQ(estimate(memory, unit(3, 1), 1).norm(), 0.0);
}

TEST(SecantMemory, TrustsAPairTheLessTheOlderItIs) {
  SecantMemory memory(2, 5);
  ASSERT_TRUE(memory.add(spanOf(unit(2, 0)), spanOf(unit(2, 1)), 3));
  EXPECT_NEAR(estimate(memory, unit(2, 0), 3)[1], trust(0), 1e-14);
  EXPECT_NEAR(estimate(memory, unit(2, 0), 12)[1], trust(9), 1e-14);
}

TEST(SecantMemory, ANewPairTakesThePlaceOfTheOldest) {
  SecantMemory memory(3, 2);
  for (Eigen::Index i = 0; i < 3; ++i)
    ASSERT_TRUE(memory.add(spanOf(unit(3, i)), spanOf(VectorXd((2.0 + double(i)) * unit(3, i))), 1));
  EXPECT_EQ(memory.pairs(), 2U);
  EXPECT_EQ(estimate(memory, unit(3, 0), 1).norm(), 0.0);
  EXPECT_NEAR(estimate(memory, unit(3, 1), 1)[1], 3.0 * trust(0), 1e-14);
  EXPECT_NEAR(estimate(memory, unit(3, 2), 1)[2], 4.0 * trust(0), 1e-14);
}

TEST(SecantMemory, ForgetsThePairsOfAStep) {
  SecantMemory memory(3, 3);
  ASSERT_TRUE(memory.add(spanOf(unit(3, 0)), spanOf(unit(3, 0)), 1));
  ASSERT_TRUE(memory.add(spanOf(unit(3, 1)), spanOf(unit(3, 1)), 2));
  ASSERT_TRUE(memory.add(spanOf(unit(3, 2)), spanOf(unit(3, 2)), 1));
  memory.forgetStep(1);
  EXPECT_EQ(memory.pairs(), 1U);
  const VectorXd all = estimate(memory, VectorXd::Ones(3), 2);
  EXPECT_NEAR((all - trust(0) * unit(3, 1)).norm(), 0.0, 1e-14);
  // A slot that has become free is used again.
  ASSERT_TRUE(memory.add(spanOf(unit(3, 0)), spanOf(unit(3, 0)), 2));
  EXPECT_NEAR(estimate(memory, VectorXd::Ones(3), 2)[0], trust(0), 1e-14);
  memory.clear();
  EXPECT_EQ(memory.pairs(), 0U);
}

TEST(SecantMemory, WhatTellsNoDirectionIsNotKept) {
  SecantMemory memory(2, 3);
  VectorXd bad = unit(2, 0);
  bad[1] = std::nan("");
  EXPECT_FALSE(memory.add(spanOf(VectorXd(VectorXd::Zero(2))), spanOf(unit(2, 0)), 1));
  EXPECT_FALSE(memory.add(spanOf(bad), spanOf(unit(2, 0)), 1));
  EXPECT_FALSE(memory.add(spanOf(unit(2, 0)), spanOf(bad), 1));
  EXPECT_EQ(memory.pairs(), 0U);
}

/// A matrix and differences without any pattern.
VectorXd someVector(Eigen::Index n, int number) {
  VectorXd result(n);
  for (Eigen::Index i = 0; i < n; ++i) result[i] = std::sin(1.7 * double(i) * number + 0.3 * number + double(i * i));
  return result;
}

TEST(SecantMemory, WeightsMayComeBeforeOrAfterThePairs) {
  constexpr Eigen::Index n = 6;
  VectorXd scales(n);
  scales << 1e-3, 1e-3, 1.0, 1.0, 1e4, 1e4;
  SecantMemory before(n, 4);
  SecantMemory after(n, 4);
  const std::vector<Block> fields{{0, 2}, {2, 4}, {4, 6}};
  const std::vector<double> weights{1e3, 1.0, 1e-4};
  before.weigh(fields, weights);
  for (int i = 1; i <= 5; ++i) {
    const VectorXd v = scales.cwiseProduct(someVector(n, i));
    const VectorXd w = scales.cwiseProduct(someVector(n, -i));
    ASSERT_TRUE(before.add(spanOf(v), spanOf(w), std::uint64_t(i)));
    ASSERT_TRUE(after.add(spanOf(v), spanOf(w), std::uint64_t(i)));
  }
  after.weigh(fields, weights);
  const VectorXd r = scales.cwiseProduct(someVector(n, 9));
  const VectorXd one = estimate(before, r, 6).cwiseQuotient(scales);
  const VectorXd other = estimate(after, r, 6).cwiseQuotient(scales);
  EXPECT_NEAR((one - other).norm(), 0.0, 1e-9 * one.norm());
}

/// u = A u + b from u = 0 until |residual| <= tolerance |u|.
int iterationsFor(const MatrixXd& A, const VectorXd& b, double tolerance) {
  const Eigen::Index n = b.size();
  SecantMemory memory(std::size_t(n), 50);
  VectorXd u = VectorXd::Zero(n);
  VectorXd answer = b;
  VectorXd residual = b;
  for (int iteration = 1; iteration < 100; ++iteration) {
    if (residual.norm() <= tolerance * answer.norm()) return iteration;
    u = answer;
    memory.subtract(spanOf(residual), 1, spanOf(u));
    const VectorXd nextAnswer = A * u + b;
    const VectorXd nextResidual = nextAnswer - u;
    EXPECT_TRUE(memory.add(spanOf(VectorXd(nextResidual - residual)), spanOf(VectorXd(nextAnswer - answer)), 1));
    answer = nextAnswer;
    residual = nextResidual;
  }
  return 100;
}

// Exact secants would know everything after n + 1 evaluations and be there with the next one. As pairs are trusted to
// 1e-3 only, a residual of some 1e-6 is left over, for one iteration more.
TEST(SecantMemory, SolvesALinearProblemInThreeIterationsMoreThanItHasUnknowns) {
  for (const Eigen::Index n : {1, 2, 3, 5, 8}) {
    MatrixXd matrix(n, n);
    for (Eigen::Index i = 0; i < n; ++i) matrix.col(i) = someVector(n, int(i) + 2);
    const MatrixXd Q = core::detail::symmetricModes(matrix * matrix.transpose()).vectors;
    VectorXd eigenvalues(n);
    for (Eigen::Index i = 0; i < n; ++i) eigenvalues[i] = 0.8 - 1.3 * double(i);
    const MatrixXd A = Q * eigenvalues.asDiagonal() * Q.transpose();
    EXPECT_LE(iterationsFor(A, someVector(n, 1), 1e-3), n + 2) << n;
    EXPECT_LE(iterationsFor(A, someVector(n, 1), 1e-6), n + 3) << n;
  }
}

TEST(SecantMemory, AllocatesNothingOnceItIsFull) {
  constexpr Eigen::Index n = 50;
  SecantMemory memory(n, 8);
  VectorXd v(n), w(n), u(n);
  const auto work = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      v = v.unaryExpr([i](double x) { return std::sin(3.0 * x + i); }).eval();
      w = 2.0 * v;
      memory.add(spanOf(v), spanOf(w), std::uint64_t(i));
      memory.subtract(spanOf(v), std::uint64_t(i), spanOf(u));
    }
  };
  for (Eigen::Index i = 0; i < n; ++i) v[i] = double(i);
  work(1, 12);
  v.setLinSpaced(n, 0.0, 1.0);
  std::vector<double> a(n), b(n), result(n);
  const std::size_t before = test::allocations();
  for (int i = 12; i < 40; ++i) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      a[k] = std::sin(double(k) * i);
      b[k] = 2.0 * a[k];
    }
    memory.add(a, b, std::uint64_t(i));
    memory.subtract(a, std::uint64_t(i), result);
  }
  EXPECT_EQ(test::allocations(), before);
}

TEST(SecantMemory, BoundsTheFactorInDirectionsThatRepelAndSolvesTheOthers) {
  // J = diag(2, -1, 0): the first direction repels. In the second one Newton's step is r / 2, in the third r.
  SecantMemory memory(3, 5);
  const VectorXd lambda = (VectorXd(3) << 2.0, -1.0, 0.0).finished();
  for (Eigen::Index i = 0; i < 2; ++i) {
    const VectorXd w = lambda[i] * unit(3, i);
    ASSERT_TRUE(memory.add(spanOf(VectorXd(w - unit(3, i))), spanOf(w), 1));
  }
  const VectorXd r = VectorXd::Ones(3);
  VectorXd answers = r;  // sent: 0
  const SecantMemory::Bounded bounded = memory.propose(spanOf(r), 1, 5, 1.9, false, spanOf(answers));
  EXPECT_TRUE(bounded.repels);
  ASSERT_TRUE(bounded.proposed);
  EXPECT_NEAR(answers[0], 1.9, 1e-12);
  EXPECT_NEAR(answers[1], 0.5, 1e-12);
  EXPECT_NEAR(answers[2], 1.0, 1e-12);
  // Of another step nothing is known; and where nothing repels there is nothing to do.
  EXPECT_FALSE(memory.propose(spanOf(r), 2, 5, 1.9, false, spanOf(answers)).proposed);
  EXPECT_FALSE(memory.propose(spanOf(r), 1, 1, 1.9, false, spanOf(answers)).proposed);
}

}  // namespace
}  // namespace koppla::coupling
