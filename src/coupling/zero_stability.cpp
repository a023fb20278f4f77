#include "koppla/coupling/zero_stability.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include <Eigen/Dense>

namespace koppla::coupling {

namespace {

/// Largest root of the recursion with one complex gain: the companion matrix of y(n+1) = gain Ext_p[y].
double largestRoot(std::complex<double> gain, unsigned degree) {
  const auto n = static_cast<Eigen::Index>(degree) + 1;
  Eigen::MatrixXcd companion = Eigen::MatrixXcd::Zero(n, n);
  double binomial = static_cast<double>(n);  // C(n, i + 1)
  for (Eigen::Index i = 0; i < n; ++i) {
    companion(0, i) = gain * (i % 2 == 0 ? binomial : -binomial);
    binomial *= static_cast<double>(n - 1 - i) / static_cast<double>(i + 2);
    if (i > 0) companion(i, i - 1) = 1.0;
  }
  return companion.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace

double growthPerStep(std::span<const double> gain, unsigned degree) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(gain.size()))));
  const Eigen::VectorXcd eigenvalues = Eigen::Map<const Matrix>(gain.data(), n, n).eigenvalues();
  double growth = 0.0;
  for (const std::complex<double>& eigenvalue : eigenvalues) growth = std::max(growth, largestRoot(eigenvalue, degree));
  return growth;
}

}  // namespace koppla::coupling
