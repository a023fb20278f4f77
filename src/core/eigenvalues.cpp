#include "koppla/core/eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>

namespace koppla::core {

namespace {

using Eigen::MatrixXd;

MatrixXd square(std::span<const double> matrix) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
  return Eigen::Map<const RowMajor>(matrix.data(), n, n);
}

/// Rows and columns scaled by powers of two (no rounding) until their norms are alike; the eigenvalues stay. B. Parlett
/// and C. Reinsch, Numer. Math. 13 (1969).
void balance(MatrixXd& matrix) {
  constexpr double kWorthwhile = 0.95;
  constexpr int kMostRounds = 100;
  const auto sizeWithout = [](Eigen::Index i, const auto& line) {
    return line.head(i).cwiseAbs().sum() + line.tail(line.size() - 1 - i).cwiseAbs().sum();
  };
  bool changed = true;
  for (int round = 0; changed && round < kMostRounds; ++round) {
    changed = false;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      const double column = sizeWithout(i, matrix.col(i));
      const double row = sizeWithout(i, matrix.row(i));
      if (!(column > 0.0 && row > 0.0)) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (!(column * factor + row / factor < kWorthwhile * (column + row))) continue;
      matrix.col(i) *= factor;
      matrix.row(i) /= factor;
      changed = true;
    }
  }
}

std::optional<Modes> modesOf(const MatrixXd& matrix, bool withVectors) {
  if (matrix.size() == 0) return Modes{};
  if (!matrix.allFinite()) return std::nullopt;
  const Eigen::EigenSolver<MatrixXd> solver(matrix, withVectors);
  if (solver.info() != Eigen::Success) return std::nullopt;
  Modes modes;
  modes.values.assign(solver.eigenvalues().begin(), solver.eigenvalues().end());
  if (!withVectors) return modes;
  const Eigen::MatrixXcd vectors = solver.eigenvectors();
  modes.vectors.assign(vectors.data(), vectors.data() + vectors.size());
  return modes;
}

}  // namespace

std::optional<Modes> modes(std::span<const double> matrix) {
  return modesOf(square(matrix), true);
}

std::optional<std::vector<std::complex<double>>> eigenvalues(std::span<const double> matrix) {
  std::optional<Modes> modes = modesOf(square(matrix), false);
  if (!modes) return std::nullopt;
  return std::move(modes->values);
}

double spectralRadius(std::span<const double> matrix) {
  MatrixXd balanced = square(matrix);
  balance(balanced);
  const std::optional<Modes> modes = modesOf(balanced, false);
  if (!modes) return std::numeric_limits<double>::infinity();
  double radius = 0.0;
  for (const std::complex<double>& value : modes->values) radius = std::max(radius, std::abs(value));
  return radius;
}

}  // namespace koppla::core
