#include "koppla/core/detail/dense.hpp"

#include <Eigen/LU>
#include <Eigen/QR>

namespace koppla::core::detail {

Eigen::VectorXd solve(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return A.partialPivLu().solve(b);
}

Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.partialPivLu().solve(B);
}

Eigen::VectorXd leastSquares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return A.colPivHouseholderQr().solve(b);
}

Eigen::MatrixXd leastSquares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.colPivHouseholderQr().solve(B);
}

Eigen::MatrixXd shortestLeastSquares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.completeOrthogonalDecomposition().solve(B);
}

}  // namespace koppla::core::detail
