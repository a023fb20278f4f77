#pragma once

#include <Eigen/Core>

/// Small dense systems. Here for all rooms, because each decomposition takes seconds to compile; in detail/, because
/// what is installed shows nothing of Eigen.
namespace koppla::core::detail {

/// x of A x = b with a square A, by LU with partial pivoting.
Eigen::VectorXd solve(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
Eigen::MatrixXcd solve(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B);

/// x for which |A x - b| is smallest, by QR with column pivoting.
Eigen::VectorXd leastSquares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::MatrixXd leastSquares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
Eigen::VectorXcd leastSquares(const Eigen::MatrixXcd& A, const Eigen::VectorXcd& b);

/// The shortest of these x, where A has not full rank.
Eigen::MatrixXd shortestLeastSquares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// Of a symmetric matrix, whose lower triangle is read; eigenvalues ascend.
Eigen::VectorXd symmetricEigenvalues(const Eigen::MatrixXd& A);

struct SymmetricModes {
  Eigen::VectorXd values;   ///< ascend
  Eigen::MatrixXd vectors;  ///< columns
};

/// A v = lambda v with v^T v = 1. The lower triangle of A is read.
SymmetricModes symmetricModes(const Eigen::MatrixXd& A);
/// A v = lambda B v with v^T B v = 1 and a positive definite B. The lower triangles are read.
SymmetricModes symmetricModes(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

}  // namespace koppla::core::detail
