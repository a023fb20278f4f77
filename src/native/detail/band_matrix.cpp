#include "koppla/native/detail/band_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace koppla::native::detail {

void BandMatrix::setZero() {
  std::ranges::fill(band_, 0.0);
}

void BandMatrix::factorise() {
  BandMatrix& a = *this;
  for (std::size_t k = 0; k < size_; ++k) {
    const std::size_t lastRow = std::min(k + kReach, size_ - 1);
    const std::size_t lastColumn = std::min(k + kFilled, size_ - 1);
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i <= lastRow; ++i)
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    pivots_[k] = pivot;
    if (pivot != k)
      for (std::size_t j = k; j <= lastColumn; ++j) std::swap(a(k, j), a(pivot, j));
    for (std::size_t i = k + 1; i <= lastRow; ++i) {
      const double factor = a(i, k) /= a(k, k);
      for (std::size_t j = k + 1; j <= lastColumn; ++j) a(i, j) -= factor * a(k, j);
    }
  }
}

void BandMatrix::solve(std::span<double> b) const {
  for (std::size_t k = 0; k < size_; ++k) {
    std::swap(b[k], b[pivots_[k]]);
    for (std::size_t i = k + 1; i <= std::min(k + kReach, size_ - 1); ++i) b[i] -= at(i, k) * b[k];
  }
  for (std::size_t k = size_; k-- > 0;) {
    for (std::size_t j = k + 1; j <= std::min(k + kFilled, size_ - 1); ++j) b[k] -= at(k, j) * b[j];
    b[k] /= at(k, k);
  }
}

}  // namespace koppla::native::detail
