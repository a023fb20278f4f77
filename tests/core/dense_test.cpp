// Against results known by hand: what tests take as a reference elsewhere is computed with these.

#include "koppla/core/detail/dense.hpp"

#include <complex>

#include <gtest/gtest.h>

namespace koppla::core::dense_test {
namespace {

constexpr std::complex<double> kI{0.0, 1.0};

TEST(Solve, OfRealNumbersNeedsThePivot) {
  // 2 y = 4, x + y + z = 6, 2 x - z = -1: without exchange of rows the first pivot is zero.
  Eigen::MatrixXd A(3, 3);
  A << 0, 2, 0, 1, 1, 1, 2, 0, -1;
  const Eigen::VectorXd b = Eigen::Vector3d(4, 6, -1);
  EXPECT_LT((detail::solve(A, b) - Eigen::Vector3d(1, 2, 3)).norm(), 1e-14);
}

TEST(Solve, OfComplexNumbers) {
  // i x + 2 y = 2 + 3 i and (1 + i) x - i y = 2 for x = 1, y = 1 + i.
  Eigen::MatrixXcd A(2, 2);
  A << kI, 2.0, 1.0 + kI, -kI;
  Eigen::MatrixXcd b(2, 1);
  b << 2.0 + 3.0 * kI, 2.0;
  EXPECT_LT((detail::solve(A, b) - Eigen::Vector2cd(1.0, 1.0 + kI)).norm(), 1e-15);
}

}  // namespace
}  // namespace koppla::core::dense_test
