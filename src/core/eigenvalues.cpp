#include "koppla/core/eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>

#include "koppla/core/detail/dense.hpp"

namespace koppla::core {

namespace {

using Eigen::MatrixXd;

MatrixXd square(std::span<const double> matrix) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
  return Eigen::Map<const RowMajor>(matrix.data(), n, n);
}

/// Another unit for one number; the eigenvalues stay, and powers of two leave no rounding.
void rescale(MatrixXd& matrix, Eigen::Index i, double factor) {
  matrix.col(i) *= factor;
  matrix.row(i) /= factor;
}

/// Rows and columns scaled until their norms are alike. B. Parlett and C. Reinsch, Numer. Math. 13 (1969).
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
      rescale(matrix, i, factor);
      changed = true;
    }
  }
}

/// The units x_i that make all |a_ij| x_j / x_i as nearly 1 as they can be: sum (log |a_ij| + log x_j - log x_i)^2 is
/// least. Where some units make the matrix symmetric, these do: both sides of the diagonal ask for the same. D.
/// Fulkerson and P. Wolfe, SIAM Review 4 (1962), with squares in place of the largest.
void takeLikeUnits(MatrixXd& matrix) {
  constexpr double kStays = 1e-9;  // what belongs to nothing else keeps its unit
  const Eigen::Index n = matrix.rows();
  MatrixXd links = kStays * MatrixXd::Identity(n, n);
  Eigen::VectorXd asked = Eigen::VectorXd::Zero(n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) {
      if (i == j || matrix(i, j) == 0.0) continue;
      const double digits = std::log2(std::fabs(matrix(i, j)));
      links(i, i) += 1.0;
      links(j, j) += 1.0;
      links(i, j) -= 1.0;
      links(j, i) -= 1.0;
      asked[i] += digits;
      asked[j] -= digits;
    }
  const Eigen::VectorXd units = detail::solve(links, asked);
  for (Eigen::Index i = 0; i < n; ++i) rescale(matrix, i, std::exp2(std::round(units[i])));
}

/// Balancing alone goes from neighbour to neighbour and ends where each of a long chain differs from the next by less
/// than two powers of two, the last from the first by many. Like units come from all at once, but mind entries that are
/// nothing but rounding as much as others. So both, and the one that ends with less.
MatrixXd balanced(const MatrixXd& matrix) {
  MatrixXd asGiven = matrix;
  MatrixXd inLikeUnits = matrix;
  takeLikeUnits(inLikeUnits);
  balance(asGiven);
  balance(inLikeUnits);
  return inLikeUnits.cwiseAbs().sum() < asGiven.cwiseAbs().sum() ? inLikeUnits : asGiven;
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
  const std::optional<Modes> modes = modesOf(balanced(square(matrix)), false);
  if (!modes) return std::numeric_limits<double>::infinity();
  double radius = 0.0;
  for (const std::complex<double>& value : modes->values) radius = std::max(radius, std::abs(value));
  return radius;
}

}  // namespace koppla::core
