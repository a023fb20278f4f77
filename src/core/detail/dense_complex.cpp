#include <Eigen/LU>
#include <Eigen/QR>

#include "koppla/core/detail/dense.hpp"

namespace koppla::core::detail {

Eigen::MatrixXcd solve(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B) {
  return A.partialPivLu().solve(B);
}

Eigen::VectorXcd leastSquares(const Eigen::MatrixXcd& A, const Eigen::VectorXcd& b) {
  return A.colPivHouseholderQr().solve(b);
}

}  // namespace koppla::core::detail
