#include <Eigen/Eigenvalues>

#include "koppla/core/detail/dense.hpp"

namespace koppla::core::detail {

Eigen::VectorXd symmetricEigenvalues(const Eigen::MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricModes symmetricModes(const Eigen::MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SymmetricModes symmetricModes(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(A, B);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace koppla::core::detail
