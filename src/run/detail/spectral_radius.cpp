#include "koppla/run/detail/spectral_radius.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Dense>

namespace koppla::run::detail {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows and columns scaled by powers of two (no rounding) until their norms are alike; the eigenvalues stay. B. Parlett
/// and C. Reinsch, Numer. Math. 13 (1969).
void balance(Matrix& matrix) {
  constexpr double kWorthwhile = 0.95;
  constexpr int kMostRounds = 100;
  bool changed = true;
  for (int round = 0; changed && round < kMostRounds; ++round) {
    changed = false;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      const double own = std::fabs(matrix(i, i));
      const double column = matrix.col(i).cwiseAbs().sum() - own;
      const double row = matrix.row(i).cwiseAbs().sum() - own;
      if (!(column > 0.0 && row > 0.0)) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (!(column * factor + row / factor < kWorthwhile * (column + row))) continue;
      matrix.col(i) *= factor;
      matrix.row(i) /= factor;
      changed = true;
    }
  }
}

}  // namespace

double spectralRadius(const std::vector<double>& matrix) {
  if (matrix.empty()) return 0.0;
  const auto n = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
  Matrix balanced = Eigen::Map<const Matrix>(matrix.data(), n, n);
  if (!balanced.allFinite()) return std::numeric_limits<double>::infinity();
  balance(balanced);
  return balanced.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace koppla::run::detail
