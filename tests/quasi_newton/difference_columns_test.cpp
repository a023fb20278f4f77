#include "koppla/coupling/difference_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "koppla/core/detail/dense.hpp"

#include "support/allocations.hpp"

namespace koppla::coupling {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The same columns without any decomposition, newest first.
struct PlainColumns {
  std::vector<VectorXd> v, w;
  std::vector<std::uint64_t> steps;

  void insert(const VectorXd& residual, const VectorXd& answer, std::uint64_t step, std::size_t capacity) {
    if (v.size() == capacity) erase(v.size() - 1);
    if (!residual.allFinite() || !answer.allFinite() || residual.isZero(0.0)) return;
    v.insert(v.begin(), residual);
    w.insert(w.begin(), answer);
    steps.insert(steps.begin(), step);
  }
  void erase(std::size_t j) {
    const auto at = static_cast<std::ptrdiff_t>(j);
    v.erase(v.begin() + at);
    w.erase(w.begin() + at);
    steps.erase(steps.begin() + at);
  }
  [[nodiscard]] MatrixXd matrix(const std::vector<VectorXd>& columns, Index rows) const {
    MatrixXd result(rows, static_cast<Index>(columns.size()));
    for (std::size_t j = 0; j < columns.size(); ++j) result.col(static_cast<Index>(j)) = columns[j];
    return result;
  }
  /// Length of the part of column j that is orthogonal to the newer ones, in units of the column.
  [[nodiscard]] double share(std::size_t j) const {
    return apart(v[j], matrix({v.begin(), v.begin() + static_cast<std::ptrdiff_t>(j)}, v[0].size()));
  }
  /// How far a column is from the combinations of others, in units of the column. Of unit columns, so that none is lost
  /// beside one that is a billion times longer.
  static double apart(const VectorXd& column, const MatrixXd& others) {
    const VectorXd unit = column.normalized();
    if (others.cols() == 0) return unit.norm();
    const MatrixXd units = others.colwise().normalized();
    return (unit - units * core::detail::leastSquares(units, unit)).norm();
  }
};

MatrixXd orthogonalFactor(const DifferenceColumns& columns) {
  MatrixXd q(static_cast<Index>(columns.rows()), static_cast<Index>(columns.count()));
  for (std::size_t j = 0; j < columns.count(); ++j)
    q.col(static_cast<Index>(j)) = Eigen::Map<const VectorXd>(columns.q(j).data(), q.rows());
  return q;
}

MatrixXd triangularFactor(const DifferenceColumns& columns) {
  const auto k = static_cast<Index>(columns.count());
  MatrixXd r = MatrixXd::Zero(k, k);
  for (Index j = 0; j < k; ++j)
    for (Index i = 0; i <= j; ++i) r(i, j) = columns.r(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  return r;
}

MatrixXd answers(const DifferenceColumns& columns) {
  MatrixXd w(static_cast<Index>(columns.rows()), static_cast<Index>(columns.count()));
  for (std::size_t j = 0; j < columns.count(); ++j)
    w.col(static_cast<Index>(j)) = Eigen::Map<const VectorXd>(columns.answer(j).data(), w.rows());
  return w;
}

bool insert(DifferenceColumns& columns, const VectorXd& residual, const VectorXd& answer, std::uint64_t step = 0) {
  const DifferenceColumns::Pair pair = columns.stage();
  std::copy(residual.begin(), residual.end(), pair.residual.begin());
  std::copy(answer.begin(), answer.end(), pair.answer.begin());
  return columns.insert(step);
}

VectorXd randomVector(Index rows, std::mt19937& random) {
  std::normal_distribution<double> normal;
  return VectorXd::NullaryExpr(rows, [&] { return normal(random); });
}

void expectSame(DifferenceColumns& columns, const PlainColumns& plain, const VectorXd& residual) {
  RC_ASSERT(columns.count() == plain.v.size());
  const Index rows = residual.size();
  const MatrixXd q = orthogonalFactor(columns);
  const MatrixXd v = plain.matrix(plain.v, rows);
  const MatrixXd w = plain.matrix(plain.w, rows);
  const auto k = static_cast<Index>(columns.count());
  if (k == 0) return;
  RC_ASSERT((q.transpose() * q - MatrixXd::Identity(k, k)).norm() < 1e-13 * static_cast<double>(10 + k));
  RC_ASSERT((q * triangularFactor(columns) - v).norm() <= 1e-13 * static_cast<double>(10 + k) * v.norm());
  RC_ASSERT(answers(columns) == w);
  for (std::size_t j = 0; j < columns.count(); ++j) RC_ASSERT(columns.step(j) == plain.steps[j]);

  const std::span<const double> found = columns.solve({residual.data(), columns.rows()});
  const VectorXd c = Eigen::Map<const VectorXd>(found.data(), k);
  double independent = 1.0;
  for (Index j = 0; j < k; ++j) {
    MatrixXd others(rows, k - 1);
    others << v.leftCols(j), v.rightCols(k - 1 - j);
    independent = std::min(independent, PlainColumns::apart(v.col(j), others));
  }
  if (independent > 1e-7) {  // else the solution is a matter of rounding
    const VectorXd best = core::detail::leastSquares(v, VectorXd(-residual));
    const double rounding = 1e-13 * v.norm() * c.norm();
    RC_ASSERT((v * c + residual).norm() <= (v * best + residual).norm() + 1e-6 * residual.norm() + rounding);
  }
  VectorXd sum = residual;
  columns.addAnswers(found, {sum.data(), columns.rows()});
  RC_ASSERT((sum - residual - w * c).norm() <= 1e-12 * (1.0 + residual.norm() + w.norm() * c.norm()));
}

RC_GTEST_PROP(DifferenceColumns, AreTheDecompositionThatAFreshOneWouldBe, ()) {
  const auto rows = *rc::gen::inRange<Index>(1, 30);
  const auto most = *rc::gen::inRange<std::size_t>(1, 12);
  const auto doings = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12));
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  DifferenceColumns columns(static_cast<std::size_t>(rows), most);
  PlainColumns plain;
  std::uint64_t step = 0;
  for (const int doing : doings) {
    const VectorXd answer = randomVector(rows, random);
    VectorXd residual = randomVector(rows, random);
    const auto put = [&] {
      plain.insert(residual, answer, step, columns.capacity());
      insert(columns, residual, answer, step);
    };
    switch (doing) {
      case 0:
        ++step;
        break;
      case 1: {
        columns.dropOldest();
        if (!plain.v.empty()) plain.erase(plain.v.size() - 1);
        break;
      }
      case 2: {
        const std::uint64_t which = step > 0 ? random() % (step + 1) : 0;
        columns.dropStep(which);
        for (std::size_t j = plain.v.size(); j-- > 0;)
          if (plain.steps[j] == which) plain.erase(j);
        break;
      }
      case 3: {
        columns.dropBefore(step);
        for (std::size_t j = plain.v.size(); j-- > 0;)
          if (plain.steps[j] < step) plain.erase(j);
        break;
      }
      case 4: {  // almost the same as an older one, in another size; nearer, and its new direction were rounding
        if (!plain.v.empty()) residual = 1e3 * plain.v.back() + 1e-2 * residual;
        put();
        break;
      }
      case 5: {
        columns.filter(Filter::qr2, 1e-3);
        for (std::size_t j = 0; j < plain.v.size();) {
          const double share = plain.share(j);
          RC_PRE(share < 0.999e-3 || share > 1.001e-3);
          if (share < 1e-3)
            plain.erase(j);
          else
            ++j;
        }
        break;
      }
      case 6: {
        const Block upper{0, static_cast<std::size_t>(rows) / 2};
        const Block lower{upper.last, static_cast<std::size_t>(rows)};
        columns.rescale(std::vector{upper, lower}, std::vector{0.5, 8.0});
        for (VectorXd& v : plain.v) {
          v.head(rows / 2) *= 0.5;
          v.tail(rows - rows / 2) *= 8.0;
        }
        break;
      }
      default:
        put();
    }
    expectSame(columns, plain, randomVector(rows, random));
  }
}

TEST(DifferenceColumns, NeverTakeAColumnThatIsZeroOrNotFinite) {
  DifferenceColumns columns(3, 2);
  const VectorXd good = VectorXd::LinSpaced(3, 1.0, 2.0);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const VectorXd broken{{1.0, bad, 1.0}};
    EXPECT_FALSE(insert(columns, broken, good));
    EXPECT_FALSE(insert(columns, good, broken));
  }
  EXPECT_FALSE(insert(columns, VectorXd::Zero(3), good));
  EXPECT_TRUE(columns.empty());
}

TEST(DifferenceColumns, TakeTheSameColumnTwice) {
  DifferenceColumns columns(4, 3);
  const VectorXd v{{1.0, 2.0, 0.0, 0.0}};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(insert(columns, v, i * v));
  EXPECT_EQ(columns.count(), 3U);
  const MatrixXd q = orthogonalFactor(columns);
  EXPECT_LT((q.transpose() * q - MatrixXd::Identity(3, 3)).norm(), 1e-14);
  const VectorXd residual = 2.0 * v;
  VectorXd sum = VectorXd::Zero(4);
  columns.addAnswers(columns.solve({residual.data(), 4}), {sum.data(), 4});
  EXPECT_LT((sum + 2.0 * 2.0 * v).norm(), 1e-14) << "the newest counts";
  EXPECT_EQ(columns.filter(Filter::qr2, 1e-3), 2U);
  EXPECT_EQ(columns.count(), 1U);
}

TEST(DifferenceColumns, FilterByTheWholeMatrixDropsSmallColumns) {
  DifferenceColumns columns(3, 3);
  insert(columns, VectorXd::Unit(3, 0) * 1e-5, VectorXd::Zero(3));
  insert(columns, VectorXd::Unit(3, 1), VectorXd::Zero(3));
  EXPECT_EQ(columns.filter(Filter::none, 1e-3), 0U);
  EXPECT_EQ(columns.filter(Filter::qr2, 1e-3), 0U);
  EXPECT_EQ(columns.filter(Filter::qr1, 1e-3), 1U);
  EXPECT_NEAR(std::fabs(columns.r(0, 0)), 1.0, 1e-15);
}

TEST(DifferenceColumns, StayOrthogonalOverManyInsertions) {
  std::mt19937 random(1);
  DifferenceColumns columns(40, 10);
  for (int i = 0; i < 20000; ++i) insert(columns, randomVector(40, random), VectorXd::Zero(40));
  const MatrixXd q = orthogonalFactor(columns);
  EXPECT_LT((q.transpose() * q - MatrixXd::Identity(10, 10)).norm(), 1e-12);
}

// W V^+ of one set on top of that of an older one gives W on both; without the older one the newer must still give its
// W.
TEST(DifferenceColumns, AbsorbWhatAnOlderMapGivesOnThem) {
  std::mt19937 random(2);
  const Index rows = 12;
  DifferenceColumns older(12, 4), newer(12, 4);
  for (int i = 0; i < 3; ++i) insert(older, randomVector(rows, random), randomVector(rows, random));
  std::vector<VectorXd> v, w;
  for (int i = 0; i < 4; ++i) {
    v.push_back(randomVector(rows, random));
    w.push_back(randomVector(rows, random));
    VectorXd rest = w.back();  // W - J V
    older.addAnswers(older.solve({v.back().data(), 12}), {rest.data(), 12});
    insert(newer, v.back(), rest);
  }
  newer.absorb(older);
  for (std::size_t j = 0; j < v.size(); ++j) {
    VectorXd sum = w[j];
    newer.addAnswers(newer.solve({v[j].data(), 12}), {sum.data(), 12});
    EXPECT_LT(sum.norm(), 1e-12);
  }
}

TEST(DifferenceColumns, AllocateNothingOnceTheyAreFull) {
  std::mt19937 random(3);
  const Index rows = 2000;
  DifferenceColumns columns(2000, 6);
  std::vector<VectorXd> vectors;
  for (int i = 0; i < 20; ++i) vectors.push_back(randomVector(rows, random));
  VectorXd sum = VectorXd::Zero(rows);
  const auto work = [&](std::uint64_t step) {
    for (const VectorXd& vector : vectors) {
      insert(columns, vector, vector, step);
      columns.filter(Filter::qr2, 1e-3);
      columns.addAnswers(columns.solve({vector.data(), 2000}), {sum.data(), 2000});
    }
    columns.dropStep(step - 1);
    columns.rescale(std::vector<Block>{}, std::vector<double>{});
  };
  work(1);
  const std::size_t before = test::allocations();
  work(2);
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace koppla::coupling
