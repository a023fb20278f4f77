// Columns of differences beside those that the tests of their decomposition draw: the same way back, none left, and
// more rows than are worked on together.

#include <algorithm>
#include <cmath>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "koppla/core/detail/dense.hpp"
#include "koppla/coupling/difference_columns.hpp"

namespace koppla::coupling::columns_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Reals = std::vector<double>;

VectorXd vectorOf(const Reals& values) {
  return VectorXd::Map(values.data(), static_cast<Eigen::Index>(values.size()));
}

void put(DifferenceColumns& columns, const Reals& residual, const Reals& answer, std::uint64_t step) {
  const DifferenceColumns::Pair pair = columns.stage();
  std::ranges::copy(residual, pair.residual.begin());
  std::ranges::copy(answer, pair.answer.begin());
  EXPECT_TRUE(columns.insert(step));
}

/// Column j of Q R.
VectorXd columnOf(const DifferenceColumns& columns, std::size_t j) {
  VectorXd sum = VectorXd::Zero(static_cast<Eigen::Index>(columns.rows()));
  for (std::size_t i = 0; i <= j; ++i)
    sum += columns.r(i, j) * VectorXd::Map(columns.q(i).data(), static_cast<Eigen::Index>(columns.rows()));
  return sum;
}

TEST(DifferenceColumns, MayGoBackTheWayTheyCame) {
  DifferenceColumns columns(4, 3);
  const Reals v{1.0, -2.0, 0.5, 3.0};
  put(columns, v, v, 1);
  put(columns, {-2.0, 4.0, -1.0, -6.0}, v, 1);
  put(columns, {4.0, -8.0, 2.0, 12.0}, v, 1);
  ASSERT_EQ(columns.count(), 3U);
  for (const auto& [column, factor] : {std::pair<std::size_t, double>{0, 4.0}, {1, -2.0}, {2, 1.0}})
    EXPECT_LT((columnOf(columns, column) - factor * vectorOf(v)).norm(), 1e-13) << column;
}

TEST(DifferenceColumns, ThatNewUnitsMakeZeroOrInfiniteAreDropped) {
  DifferenceColumns columns(3, 3);
  put(columns, {1e-150, 0.0, 0.0}, {1.0, 0.0, 0.0}, 1);
  put(columns, {0.0, 1.0, 0.0}, {2.0, 0.0, 0.0}, 2);
  put(columns, {0.0, 0.0, 1e150}, {3.0, 0.0, 0.0}, 3);
  columns.rescale(std::vector<Block>{{0, 1}, {1, 2}, {2, 3}}, Reals{1e-100, 0.5, 1e100});
  ASSERT_EQ(columns.count(), 1U);
  EXPECT_EQ(columns.step(0), 2U);
  EXPECT_EQ(columns.answer(0)[0], 2.0);
  EXPECT_LT((columnOf(columns, 0) - VectorXd{{0.0, 0.5, 0.0}}).norm(), 1e-15);
}

/// More rows than are worked on together: the same as by plain matrices.
TEST(DifferenceColumns, OfManyRowsAreThoseOfFew) {
  constexpr std::size_t kRows = 1300;
  DifferenceColumns columns(kRows, 4);
  const auto vector = [](int number) {
    Reals result(kRows);
    for (std::size_t i = 0; i < kRows; ++i)
      result[i] = std::sin(0.37 * static_cast<double>(i) * number + number * number);
    return result;
  };
  MatrixXd V(kRows, 3), W(kRows, 3);
  for (int j = 0; j < 3; ++j) {
    put(columns, vector(j + 1), vector(j + 11), 1);
    V.col(2 - j) = vectorOf(vector(j + 1));
    W.col(2 - j) = vectorOf(vector(j + 11));
  }
  const Reals residual = vector(7);
  const std::span<const double> c = columns.solve(residual);
  const VectorXd expected = core::detail::leastSquares(V, VectorXd(-vectorOf(residual)));
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(c[j], expected[static_cast<Eigen::Index>(j)], 1e-11);
  Reals sum = vector(8);
  columns.addAnswers(c, sum);
  EXPECT_LT((vectorOf(sum) - vectorOf(vector(8)) - W * expected).norm(), 1e-9);
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_LT((columnOf(columns, j) - V.col(static_cast<Eigen::Index>(j))).norm(), 1e-11);
  columns.rescale(std::vector<Block>{{0, 700}, {700, kRows}}, Reals{2.0, 0.25});
  V.topRows(700) *= 2.0;
  V.bottomRows(kRows - 700) *= 0.25;
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_LT((columnOf(columns, j) - V.col(static_cast<Eigen::Index>(j))).norm(), 1e-11);
}

}  // namespace
}  // namespace koppla::coupling::columns_test
