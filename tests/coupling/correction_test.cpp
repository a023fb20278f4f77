// Linearised conditions: solved as plain matrices would be, dense and sparse, and told apart from those that say the
// same twice or nothing.

#include "koppla/coupling/correction.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "koppla/core/detail/dense.hpp"

namespace koppla::coupling::correction_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<std::size_t>;

constexpr auto kExact = [](std::size_t, std::size_t) { return 0.0; };

std::vector<Derivative> entriesOf(const MatrixXd& matrix) {
  std::vector<Derivative> entries;
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j)
      if (matrix(i, j) != 0.0)
        entries.push_back({static_cast<std::size_t>(i), static_cast<std::size_t>(j), matrix(i, j)});
  return entries;
}

/// Neighbours hang together, in rows and columns of very different units.
MatrixXd chain(Index n) {
  MatrixXd matrix = MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    matrix(i, i) = 4.0 + std::sin(static_cast<double>(i));
    if (i > 0) matrix(i, i - 1) = -1.0 - 0.25 * std::cos(static_cast<double>(i));
    if (i + 1 < n) matrix(i, i + 1) = 0.75;
  }
  matrix(0, n - 1) = 0.5;
  return matrix;
}

VectorXd units(Index n, double base) {
  return VectorXd::NullaryExpr(n, [base](Index i) { return std::pow(base, static_cast<double>(i % 5) - 2.0); });
}

VectorXd solved(const Correction& correction, VectorXd x) {
  correction.solve({x.data(), static_cast<std::size_t>(x.size())});
  return x;
}

/// 48 is the last size that is taken for dense.
TEST(Correction, SolvesAsAPlainMatrixWould) {
  for (const Index n : {1, 2, 5, 48, 49, 90}) {
    const VectorXd ofRows = units(n, 1e-3);
    const VectorXd ofColumns = units(n, 30.0);
    const MatrixXd matrix = ofRows.asDiagonal() * chain(n) * ofColumns.asDiagonal();
    Correction correction;
    correction.factorise(static_cast<std::size_t>(n), entriesOf(matrix), kExact);
    EXPECT_TRUE(correction.dependentRows().empty()) << n;
    EXPECT_FALSE(correction.drowned());
    const VectorXd right = VectorXd::NullaryExpr(n, [](Index i) { return std::cos(3.0 * static_cast<double>(i)); });
    const VectorXd x = solved(correction, right);
    const VectorXd expected =
        -core::detail::solve(chain(n), VectorXd(right.cwiseQuotient(ofRows))).cwiseQuotient(ofColumns);
    for (Index i = 0; i < n; ++i) EXPECT_NEAR(x[i], expected[i], 1e-9 * expected.norm()) << n << ' ' << i;
  }
}

TEST(Correction, AddsEntriesOfTheSamePlace) {
  for (const std::size_t n : {2U, 60U}) {
    std::vector<Derivative> entries;
    for (std::size_t i = 0; i < n; ++i) {
      entries.push_back({i, i, 1.5});
      entries.push_back({i, i, 2.5});
    }
    Correction correction;
    correction.factorise(n, entries, kExact);
    EXPECT_NEAR(solved(correction, VectorXd::Constant(static_cast<Index>(n), 8.0))[1], -2.0, 1e-14);
  }
}

TEST(Correction, OfNothingIsNothing) {
  Correction correction;
  correction.factorise(0, {}, kExact);
  EXPECT_TRUE(correction.dependentRows().empty());
  correction.solve({});
}

/// A row or a column without any entry, or with one that is no number.
TEST(Correction, NamesLinesThatSayNothing) {
  for (const Index n : {4, 60}) {
    for (const double nothing :
         {0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      MatrixXd matrix = chain(n);
      Correction correction;
      std::vector<Derivative> entries;
      for (const Derivative& entry : entriesOf(matrix))
        entries.push_back({entry.row, entry.column, entry.row == 2 ? nothing * entry.value : entry.value});
      correction.factorise(static_cast<std::size_t>(n), entries, kExact);
      if (nothing == 0.0) {
        EXPECT_EQ(correction.dependentRows(), Rows{2});
      } else {
        EXPECT_FALSE(correction.dependentRows().empty());
      }
      EXPECT_FALSE(correction.drowned());
    }
    MatrixXd matrix = chain(n);
    matrix.col(1).setZero();
    Correction correction;
    correction.factorise(static_cast<std::size_t>(n), entriesOf(matrix), kExact);
    EXPECT_EQ(correction.dependentRows(), Rows{1});
    // What is regular later on is solved.
    correction.factorise(static_cast<std::size_t>(n), entriesOf(chain(n)), kExact);
    EXPECT_TRUE(correction.dependentRows().empty());
    const VectorXd right = VectorXd::Ones(n);
    EXPECT_LT((chain(n) * solved(correction, right) + right).norm(), 1e-12);
  }
}

/// Row 3 is a combination of rows 0 and 1: these three, the one with the largest share first, and no other.
TEST(Correction, NamesRowsThatRepeatEachOther) {
  for (const Index n : {6, 60}) {
    MatrixXd matrix = chain(n);
    matrix(0, n - 1) = 0.0;
    matrix.row(3) = 0.5 * matrix.row(0) - 0.25 * matrix.row(1);
    Correction correction;
    correction.factorise(static_cast<std::size_t>(n), entriesOf(matrix), kExact);
    Rows rows = correction.dependentRows();
    ASSERT_EQ(rows.size(), 3U) << n;
    std::ranges::sort(rows);
    EXPECT_EQ(rows, (Rows{0, 1, 3}));
    EXPECT_FALSE(correction.drowned());
  }
}

/// Two rows that are the same to the last digit leave a pivot of zero.
TEST(Correction, NamesRowsThatAreTheSame) {
  for (const Index n : {5, 60}) {
    MatrixXd matrix = MatrixXd::Identity(n, n);
    matrix.row(1).setZero();
    matrix(1, 1) = 1.0;
    matrix(1, 4) = 0.5;
    matrix.row(3) = matrix.row(1);
    Correction correction;
    correction.factorise(static_cast<std::size_t>(n), entriesOf(matrix), kExact);
    Rows rows = correction.dependentRows();
    std::ranges::sort(rows);
    EXPECT_EQ(rows, Rows{3}) << "column 3 has no entry";
    matrix(1, 3) = matrix(3, 3) = 1.0;
    correction.factorise(static_cast<std::size_t>(n), entriesOf(matrix), kExact);
    rows = correction.dependentRows();
    std::ranges::sort(rows);
    EXPECT_EQ(rows, (Rows{1, 3}));
    matrix(3, 3) = -1.0;
    correction.factorise(static_cast<std::size_t>(n), entriesOf(matrix), kExact);
    EXPECT_TRUE(correction.dependentRows().empty());
  }
}

TEST(Correction, NamesTheRowWithTheLargestShareFirst) {
  // Rows are scaled to their largest entry: (1, 0.9), (1, 0.9), and the combination is theirs in equal parts; a third
  // row that takes part little comes last.
  MatrixXd matrix(3, 3);
  matrix << 1.0, 0.0, 0.0,  //
      0.0, 1.0, 0.0,        //
      1.0, 0.3, 0.0;
  matrix(0, 2) = 1.0;
  matrix(1, 2) = 0.25;
  matrix.row(2) = matrix.row(0) + 0.3 * matrix.row(1);
  Correction correction;
  correction.factorise(3, entriesOf(matrix), kExact);
  const Rows& rows = correction.dependentRows();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows.back(), 1U);
}

/// A matrix whose smallest singular value is known: orthogonal apart from one direction.
MatrixXd nearlySingular(Index n, double smallest) {
  VectorXd singular = VectorXd::Ones(n);
  singular[n - 1] = smallest;
  const MatrixXd left = core::detail::symmetricModes(chain(n)).vectors;
  const MatrixXd right = core::detail::symmetricModes(chain(n) * chain(n).transpose()).vectors;
  return left * singular.asDiagonal() * right.transpose();
}

TEST(Correction, WhatNoiseExplainsIsNotDetermined) {
  constexpr Index kSize = 5;
  for (const double noise : {1e-5, 1e-8}) {
    for (const double smallest : {0.05 * noise, 50.0 * noise}) {
      Correction correction;
      correction.factorise(kSize, entriesOf(nearlySingular(kSize, smallest)),
                           [noise](std::size_t, std::size_t) { return noise; });
      EXPECT_EQ(correction.dependentRows().empty(), smallest > noise) << noise << ' ' << smallest;
      // Noise that is so large says little of ranks.
      EXPECT_EQ(correction.drowned(), smallest < noise && noise > 1e-6);
    }
  }
  Correction exact;
  exact.factorise(kSize, entriesOf(nearlySingular(kSize, 1e-9)), kExact);
  EXPECT_TRUE(exact.dependentRows().empty()) << "without noise that is regular";
}

/// Noise counts in units of the rows and columns that it is in.
TEST(Correction, NoiseIsScaledWithItsEntry) {
  MatrixXd matrix = nearlySingular(5, 1e-4);
  matrix.row(2) *= 1e6;
  matrix.col(1) *= 1e-3;
  for (const double noise : {1e-3, 1e-9}) {
    Correction correction;
    correction.factorise(5, entriesOf(matrix), [noise](std::size_t row, std::size_t column) {
      return noise * (row == 2 ? 1e6 : 1.0) * (column == 1 ? 1e-3 : 1.0);
    });
    EXPECT_EQ(correction.dependentRows().empty(), noise < 1e-4);
  }
}

TEST(Correction, FollowsAMatrixThatBecomesSingularInTheEnd) {
  Correction correction;
  for (const double smallest : {1.0, 0.1, 1e-3, 1e-8, 0.0, 0.5}) {
    correction.factorise(6, entriesOf(nearlySingular(6, smallest)), kExact);
    EXPECT_EQ(correction.dependentRows().empty(), smallest > 0.0) << smallest;
  }
}

}  // namespace
}  // namespace koppla::coupling::correction_test
