#include "koppla/coupling/difference_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

namespace koppla::coupling {

namespace {

using Part = Eigen::Map<Eigen::VectorXd>;
using ConstPart = Eigen::Map<const Eigen::VectorXd>;

/// Rows that are worked on together: a chunk of all columns fits into the second-level cache, two into the first.
constexpr std::size_t kChunk = 512;
/// What is left of a vector after orthogonalisation must not change by more than this when it is repeated.
constexpr double kOrthogonal = 0.5;
constexpr int kMostPasses = 4;
/// A diagonal entry of R that is smaller, in units of its column, is rounding.
constexpr double kNegligible = 8 * std::numeric_limits<double>::epsilon();

Part part(std::vector<double>& column, std::size_t first, std::size_t size) {
  return {column.data() + first, static_cast<Eigen::Index>(size)};
}
ConstPart part(std::span<const double> column, std::size_t first, std::size_t size) {
  return {column.data() + first, static_cast<Eigen::Index>(size)};
}

template <class Work>
void forChunks(std::size_t rows, Work work) {
  for (std::size_t first = 0; first < rows; first += kChunk) work(first, std::min(kChunk, rows - first));
}

double norm(std::span<const double> values) {
  double square = 0.0;
  forChunks(values.size(),
            [&](std::size_t first, std::size_t size) { square += part(values, first, size).squaredNorm(); });
  return std::sqrt(square);
}

}  // namespace

DifferenceColumns::DifferenceColumns(std::size_t rows, std::size_t capacity)
    : rows_(rows), capacity_(std::min(rows, capacity)), q_(capacity_), w_(capacity_) {
  r_.resize(capacity_ * capacity_);
  steps_.resize(capacity_);
  along_.resize(capacity_);
  setAside_.resize(capacity_);
  correction_.resize(capacity_);
  coefficients_.resize(capacity_);
  rotations_.reserve(2 * capacity_);
}

DifferenceColumns::Pair DifferenceColumns::stage() {
  if (capacity_ == 0) return {};
  if (count_ == capacity_) dropOldest();
  q_[count_].resize(rows_);
  w_[count_].resize(rows_);
  return {q_[count_], w_[count_]};
}

bool DifferenceColumns::insert(std::uint64_t step) {
  if (capacity_ == 0 || count_ == capacity_) return false;
  const double length = norm(q_[count_]);
  if (!std::isfinite(length) || length == 0.0 || !std::isfinite(norm(w_[count_]))) return false;
  bringToFront(orthogonalise(count_));
  std::rotate(w_.begin(), w_.begin() + static_cast<std::ptrdiff_t>(count_),
              w_.begin() + static_cast<std::ptrdiff_t>(count_) + 1);
  std::rotate(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(count_),
              steps_.begin() + static_cast<std::ptrdiff_t>(count_) + 1);
  steps_.front() = step;
  ++count_;
  return true;
}

double DifferenceColumns::columnNorm(std::size_t column) const {
  return norm(std::span(r_).subspan(column * capacity_, column + 1));
}

// Classical Gram-Schmidt, repeated: each pass takes away what the one before found and looks for what is left in the
// same chunk. The last correction is taken by finish().
double DifferenceColumns::orthogonalise(std::size_t index) {
  const std::span<double> next(coefficients_.data(), index);
  std::fill_n(along_.begin(), index, 0.0);
  std::fill_n(correction_.begin(), index, 0.0);
  forChunks(rows_, [&](std::size_t first, std::size_t size) {
    const Part x = part(q_[index], first, size);
    for (std::size_t i = 0; i < index; ++i) correction_[i] += x.dot(part(q_[i], first, size));
  });
  for (int pass = 0; pass < kMostPasses; ++pass) {
    double square = 0.0;
    std::ranges::fill(next, 0.0);
    forChunks(rows_, [&](std::size_t first, std::size_t size) {
      Part x = part(q_[index], first, size);
      for (std::size_t i = 0; i < index; ++i) x -= correction_[i] * part(q_[i], first, size);
      square += x.squaredNorm();
      for (std::size_t i = 0; i < index; ++i) next[i] += x.dot(part(q_[i], first, size));
    });
    double found = 0.0;
    for (std::size_t i = 0; i < index; ++i) {
      along_[i] += correction_[i];
      correction_[i] = next[i];
      found += next[i] * next[i];
    }
    if (std::sqrt(found) > kOrthogonal * std::sqrt(square)) continue;
    for (std::size_t i = 0; i < index; ++i) along_[i] += correction_[i];
    return std::sqrt(square - found);
  }
  return 0.0;
}

// The unit vector of the row in which the others are smallest has a part orthogonal to them, because there are fewer
// columns than rows.
void DifferenceColumns::complete(std::size_t index) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < rows_; ++row) {
    double square = 0.0;
    for (std::size_t i = 0; i < index; ++i) square += q_[i][row] * q_[i][row];
    if (square >= least) continue;
    least = square;
    best = row;
  }
  std::ranges::fill(q_[index], 0.0);
  q_[index][best] = 1.0;
  std::swap(along_, setAside_);
  finish(index, orthogonalise(index));
  std::swap(along_, setAside_);
  std::fill_n(correction_.begin(), index, 0.0);
}

void DifferenceColumns::finish(std::size_t index, double length) {
  forChunks(rows_, [&](std::size_t first, std::size_t size) {
    Part x = part(q_[index], first, size);
    for (std::size_t i = 0; i < index; ++i) x -= correction_[i] * part(q_[i], first, size);
    x /= length;
  });
}

/// The rotation of rows i and i + 1 of R that turns (a, b) into (|(a, b)|, 0), applied to columns from..to - 1.
void DifferenceColumns::rotate(std::size_t i, double a, double b, std::size_t from, std::size_t to) {
  const double length = std::hypot(a, b);
  if (length == 0.0 || b == 0.0) return;
  const double c = a / length;
  const double s = b / length;
  for (std::size_t j = from; j < to; ++j) {
    const double upper = r(i, j);
    const double lower = r(i + 1, j);
    entry(i, j) = c * upper + s * lower;
    entry(i + 1, j) = c * lower - s * upper;
  }
  rotations_.push_back({i, c, s});
}

void DifferenceColumns::applyRotations(std::size_t first, std::size_t size) {
  for (const Rotation& rotation : rotations_) {
    double* const __restrict x = q_[rotation.i].data() + first;  // two columns never overlap
    double* const __restrict y = q_[rotation.i + 1].data() + first;
    const double c = rotation.c;
    const double s = rotation.s;
    for (std::size_t k = 0; k < size; ++k) {
      const double left = x[k];
      const double right = y[k];
      x[k] = c * left + s * right;
      y[k] = c * right - s * left;
    }
  }
}

void DifferenceColumns::applyRotations() {
  if (rotations_.empty()) return;
  forChunks(rows_, [&](std::size_t first, std::size_t size) { applyRotations(first, size); });
  rotations_.clear();
}

// [V v] = [Q q] [R h; 0 rho]. With v in front, [v V] = [Q q] [h R; rho 0]: rotations of neighbouring rows, from the
// last upwards, turn (h, rho) into a multiple of the first unit vector and fill one subdiagonal, which the shifted R
// has free.
void DifferenceColumns::bringToFront(double length) {
  const std::size_t k = count_;
  if (length == 0.0) complete(k);
  for (std::size_t j = k; j > 0; --j) {
    for (std::size_t i = 0; i < k; ++i) entry(i, j) = r(i, j - 1);
    entry(k, j) = 0.0;
  }
  for (std::size_t i = 0; i < k; ++i) entry(i, 0) = along_[i];
  entry(k, 0) = length;
  rotations_.clear();
  for (std::size_t i = k; i-- > 0;) {
    const double a = r(i, 0);
    const double b = r(i + 1, 0);
    rotate(i, a, b, i + 1, k + 1);
    entry(i, 0) = b == 0.0 ? a : std::hypot(a, b);
    entry(i + 1, 0) = 0.0;
  }
  const double scale = length == 0.0 ? 1.0 : 1.0 / length;
  forChunks(rows_, [&](std::size_t first, std::size_t size) {
    Part x = part(q_[k], first, size);
    for (std::size_t i = 0; i < k; ++i) x -= correction_[i] * part(q_[i], first, size);
    x *= scale;
    applyRotations(first, size);
  });
  rotations_.clear();
}

// Without column j the rest of R has one subdiagonal; rotations of neighbouring rows, downwards, clear it. Those of Q
// are left to the caller; its last column is free afterwards.
void DifferenceColumns::remove(std::size_t column) {
  const std::size_t k = count_;
  for (std::size_t j = column; j + 1 < k; ++j)
    for (std::size_t i = 0; i < k; ++i) entry(i, j) = i <= j + 1 ? r(i, j + 1) : 0.0;
  for (std::size_t i = column; i + 1 < k; ++i) {
    rotate(i, r(i, i), r(i + 1, i), i, k - 1);
    entry(i + 1, i) = 0.0;
  }
  std::rotate(w_.begin() + static_cast<std::ptrdiff_t>(column), w_.begin() + static_cast<std::ptrdiff_t>(column) + 1,
              w_.begin() + static_cast<std::ptrdiff_t>(k));
  std::rotate(steps_.begin() + static_cast<std::ptrdiff_t>(column),
              steps_.begin() + static_cast<std::ptrdiff_t>(column) + 1,
              steps_.begin() + static_cast<std::ptrdiff_t>(k));
  --count_;
}

template <class Predicate>
unsigned DifferenceColumns::removeIf(Predicate predicate) {
  unsigned removed = 0;
  for (std::size_t j = 0; j < count_;) {
    if (!predicate(j)) {
      ++j;
      continue;
    }
    remove(j);
    ++removed;
    if (rotations_.size() > capacity_) applyRotations();  // so that their memory suffices
  }
  applyRotations();
  return removed;
}

unsigned DifferenceColumns::filter(Filter kind, double limit) {
  if (kind == Filter::none) return 0;
  const auto whole = [this] {
    double square = 0.0;
    for (std::size_t j = 0; j < count_; ++j) square += columnNorm(j) * columnNorm(j);
    return std::sqrt(square);
  };
  return removeIf(
      [&](std::size_t j) { return std::fabs(r(j, j)) < limit * (kind == Filter::qr1 ? whole() : columnNorm(j)); });
}

void DifferenceColumns::dropOldest() {
  if (count_ > 0) --count_;
}

unsigned DifferenceColumns::dropBefore(std::uint64_t step) {
  unsigned dropped = 0;
  for (; count_ > 0 && steps_[count_ - 1] < step; ++dropped) dropOldest();
  return dropped;
}

unsigned DifferenceColumns::dropStep(std::uint64_t step) {
  return removeIf([&](std::size_t j) { return steps_[j] == step; });
}

/// values := R^-1 values
void DifferenceColumns::backSubstitute(std::span<double> values) const {
  for (std::size_t j = count_; j-- > 0;) {
    const double diagonal = r(j, j);
    values[j] = std::fabs(diagonal) <= kNegligible * columnNorm(j) ? 0.0 : values[j] / diagonal;
    for (std::size_t i = 0; i < j; ++i) values[i] -= r(i, j) * values[j];
  }
}

std::span<const double> DifferenceColumns::solve(std::span<const double> residual) {
  const std::span<double> c(coefficients_.data(), count_);
  std::ranges::fill(c, 0.0);
  forChunks(rows_, [&](std::size_t first, std::size_t size) {
    const ConstPart x = part(residual, first, size);
    for (std::size_t i = 0; i < count_; ++i) c[i] -= x.dot(part(q_[i], first, size));
  });
  backSubstitute(c);
  return c;
}

void DifferenceColumns::addAnswers(std::span<const double> c, std::span<double> vector) const {
  forChunks(rows_, [&](std::size_t first, std::size_t size) {
    Part x(vector.data() + first, static_cast<Eigen::Index>(size));
    for (std::size_t i = 0; i < count_; ++i) x += c[i] * part(std::span(w_[i]), first, size);
  });
}

void DifferenceColumns::recover() {
  forChunks(rows_, [&](std::size_t first, std::size_t size) {
    for (std::size_t j = count_; j-- > 0;) {
      Part x = part(q_[j], first, size);
      x *= r(j, j);
      for (std::size_t i = 0; i < j; ++i) x += r(i, j) * part(q_[i], first, size);
    }
  });
}

void DifferenceColumns::decompose() {
  const std::size_t all = count_;
  count_ = 0;
  for (std::size_t j = 0; j < all; ++j) {
    std::swap(q_[j], q_[count_]);
    std::swap(w_[j], w_[count_]);
    std::swap(steps_[j], steps_[count_]);
    const double whole = norm(q_[count_]);
    if (!std::isfinite(whole) || whole == 0.0) continue;
    const double length = orthogonalise(count_);
    if (length == 0.0)
      complete(count_);
    else
      finish(count_, length);
    for (std::size_t i = 0; i < count_; ++i) entry(i, count_) = along_[i];
    entry(count_, count_) = length;
    ++count_;
  }
}

void DifferenceColumns::rescale(std::span<const Block> fields, std::span<const double> factors) {
  if (count_ == 0) return;
  recover();
  for (std::size_t j = 0; j < count_; ++j)
    for (std::size_t f = 0; f < fields.size(); ++f)
      part(q_[j], fields[f].first, fields[f].last - fields[f].first) *= factors[f];
  decompose();
}

// With M = Q'^T Q: W' V'^+ V = W' R'^-1 M R, and Q'^T (I - Q Q^T) = (Q' - Q M^T)^T.
void DifferenceColumns::absorb(DifferenceColumns& other) {
  const std::size_t others = other.count_;
  table_.resize(2 * capacity_ * other.capacity_);
  const auto m = [&](std::size_t i, std::size_t j) -> double& { return table_[j * others + i]; };
  const auto c = [&](std::size_t i, std::size_t j) -> double& { return table_[(capacity_ + j) * others + i]; };
  std::ranges::fill(table_, 0.0);
  forChunks(rows_, [&](std::size_t first, std::size_t size) {
    for (std::size_t j = 0; j < count_; ++j)
      for (std::size_t i = 0; i < others; ++i) m(i, j) += part(other.q_[i], first, size).dot(part(q_[j], first, size));
  });
  for (std::size_t j = 0; j < count_; ++j) {
    for (std::size_t l = 0; l <= j; ++l)
      for (std::size_t i = 0; i < others; ++i) c(i, j) += m(i, l) * r(l, j);
    other.backSubstitute(std::span(&c(0, j), others));
  }
  forChunks(rows_, [&](std::size_t first, std::size_t size) {
    for (std::size_t j = 0; j < count_; ++j) {
      Part w = part(w_[j], first, size);
      for (std::size_t i = 0; i < others; ++i) {
        w += c(i, j) * part(other.w_[i], first, size);
        part(other.q_[i], first, size) -= m(i, j) * part(q_[j], first, size);
      }
    }
  });
}

}  // namespace koppla::coupling
