#include "koppla/coupling/correction.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>

namespace koppla::coupling {

namespace {

using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

/// Below it a dense factorisation is the faster one.
constexpr std::size_t kDense = 48;
/// What rounding leaves of a singular matrix whose entries are exact.
constexpr double kSingular = 1e-13;
/// Iterations towards the smallest singular value: of a new matrix, and from the last one's result.
constexpr int kThorough = 10;
/// Noise that is so large says little about ranks: redundant conditions are then only one of the explanations.
constexpr double kDoubtful = 1e-6;
constexpr int kUpdate = 1;

}  // namespace

struct Correction::Factors {
  bool dense = true;
  Eigen::PartialPivLU<Eigen::MatrixXd> full;
  Eigen::SparseLU<Sparse, Eigen::COLAMDOrdering<int>> sparse;
  Eigen::MatrixXd matrix;
  Sparse sparseMatrix;

  /// False where a pivot is zero.
  bool compute(double shift) {
    if (dense) {
      const auto n = matrix.rows();
      full.compute(matrix + shift * Eigen::MatrixXd::Identity(n, n));
      return full.matrixLU().diagonal().cwiseAbs().minCoeff() > 0.0;
    }
    if (shift == 0.0) {
      sparse.compute(sparseMatrix);
    } else {
      Sparse shifted(sparseMatrix.rows(), sparseMatrix.cols());
      shifted.setIdentity();
      sparse.compute(sparseMatrix + shift * shifted);
    }
    return sparse.info() == Eigen::Success;
  }
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& b) const {
    if (dense) return full.solve(b);
    return sparse.solve(b);
  }
  [[nodiscard]] Eigen::VectorXd solveTransposed(const Eigen::VectorXd& b) {
    if (dense) return full.transpose().solve(b);
    return sparse.transpose().solve(b);
  }
};

Correction::Correction() : factors_(std::make_unique<Factors>()) {}
Correction::~Correction() = default;

/// Rows and columns get entries of at most 1. False where one of them has none.
bool Correction::scale(const std::vector<Derivative>& entries) {
  constexpr int kSweeps = 3;
  rowScale_.assign(size_, 1.0);
  columnScale_.assign(size_, 1.0);
  std::vector<double> largest(size_);
  const auto sweep = [&](std::vector<double>& scales, auto lineOf) {
    std::ranges::fill(largest, 0.0);
    for (const Derivative& entry : entries) {
      const double value = std::fabs(entry.value) * rowScale_[entry.row] * columnScale_[entry.column];
      largest[lineOf(entry)] = std::fmax(largest[lineOf(entry)], value);
    }
    for (std::size_t line = 0; line < size_; ++line) {
      if (!(largest[line] > 0.0) || !std::isfinite(largest[line])) {
        dependent_.push_back(line);
        continue;
      }
      scales[line] /= largest[line];
    }
    return dependent_.empty();
  };
  for (int i = 0; i < kSweeps; ++i)
    if (!sweep(rowScale_, [](const Derivative& d) { return d.row; }) ||
        !sweep(columnScale_, [](const Derivative& d) { return d.column; }))
      return false;
  return true;
}

void Correction::factorise(std::size_t size, const std::vector<Derivative>& entries, const Noise& noise) {
  const bool first = combination_.size() != size;
  size_ = size;
  dependent_.clear();
  drowned_ = false;
  if (size == 0 || !scale(entries)) return;
  const auto n = static_cast<Eigen::Index>(size);
  factors_->dense = size <= kDense;
  double largestNoise = 0.0;
  if (factors_->dense) factors_->matrix = Eigen::MatrixXd::Zero(n, n);
  std::vector<Eigen::Triplet<double>> triplets;
  for (const Derivative& entry : entries) {
    const double factor = rowScale_[entry.row] * columnScale_[entry.column];
    largestNoise = std::fmax(largestNoise, factor * noise(entry.row, entry.column));
    if (factors_->dense)
      factors_->matrix(static_cast<Eigen::Index>(entry.row), static_cast<Eigen::Index>(entry.column)) +=
          factor * entry.value;
    else
      triplets.emplace_back(static_cast<int>(entry.row), static_cast<int>(entry.column), factor * entry.value);
  }
  if (!factors_->dense) {
    factors_->sparseMatrix.resize(n, n);
    factors_->sparseMatrix.setFromTriplets(triplets.begin(), triplets.end());
    factors_->sparseMatrix.makeCompressed();
  }
  if (first) {
    // Neither along an axis nor the same in all directions: no combination of rows is orthogonal to it by symmetry.
    combination_.resize(size);
    for (std::size_t i = 0; i < size; ++i) combination_[i] = 1.0 + 0.5 * std::sin(1.0 + static_cast<double>(i));
  }
  const double least = std::fmax(kSingular * std::sqrt(static_cast<double>(size)), largestNoise);
  const bool regular = factors_->compute(0.0);
  if (!regular && !factors_->compute(kSingular)) {
    for (std::size_t row = 0; row < size; ++row) dependent_.push_back(row);
    return;
  }
  if (regular && smallestSingularValue(first ? kThorough : kUpdate) > least) return;
  const double smallest = regular ? smallestSingularValue(kThorough) : 0.0;
  if (smallest > least) return;
  drowned_ = largestNoise > kSingular * std::sqrt(static_cast<double>(size)) && largestNoise > kDoubtful;
  if (!regular) static_cast<void>(smallestSingularValue(kThorough));
  name();
}

/// Power iteration with the inverse of matrix * matrix^T; its vector is the left singular one.
double Correction::smallestSingularValue(int iterations) {
  const auto n = static_cast<Eigen::Index>(size_);
  Eigen::Map<Eigen::VectorXd> v(combination_.data(), n);
  double inverse = 0.0;
  for (int i = 0; i < iterations; ++i) {
    v.normalize();
    const Eigen::VectorXd longer = factors_->solveTransposed(factors_->solve(v));
    if (!longer.allFinite()) return 0.0;
    inverse = longer.norm();
    v = longer;
  }
  v.normalize();
  return 1.0 / std::sqrt(inverse);
}

void Correction::name() {
  constexpr double kTakesPart = 0.1;  // of the largest share
  double largest = 0.0;
  for (const double share : combination_) largest = std::fmax(largest, std::fabs(share));
  for (std::size_t row = 0; row < size_; ++row)
    if (std::fabs(combination_[row]) > kTakesPart * largest) dependent_.push_back(row);
  std::ranges::stable_sort(dependent_, std::greater<>{}, [&](std::size_t row) { return std::fabs(combination_[row]); });
}

void Correction::solve(std::span<double> x) const {
  if (size_ == 0) return;
  Eigen::VectorXd b(static_cast<Eigen::Index>(size_));
  for (std::size_t i = 0; i < size_; ++i) b[static_cast<Eigen::Index>(i)] = -rowScale_[i] * x[i];
  const Eigen::VectorXd scaled = factors_->solve(b);
  for (std::size_t i = 0; i < size_; ++i) x[i] = columnScale_[i] * scaled[static_cast<Eigen::Index>(i)];
}

}  // namespace koppla::coupling
