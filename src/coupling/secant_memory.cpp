#include "koppla/coupling/secant_memory.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "koppla/core/detail/dense.hpp"
#include "koppla/core/eigenvalues.hpp"

namespace koppla::coupling {

namespace {

using Vector = Eigen::Map<const Eigen::VectorXd>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Vector view(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

/// Relative error of a fresh pair, from non-linearity over the length of the difference, and by how much it grows with
/// every step. Measured on the elastic tube: anything from 3e-4 to 3e-3 costs less than 3 % of the iterations.
constexpr double kPrecision = 1e-3;

}  // namespace

SecantMemory::SecantMemory(std::size_t size, std::size_t capacity)
    : size_(size),
      capacity_(capacity),
      products_(capacity * capacity),
      matrix_(capacity * capacity),
      deviations_(capacity),
      right_(capacity) {
  slots_.reserve(capacity);
  used_.reserve(capacity);
}

double SecantMemory::product(std::span<const double> a, std::span<const double> b) const {
  if (fields_.empty()) return view(a).dot(view(b));
  double sum = 0.0;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::size_t count = fields_[f].last - fields_[f].first;
    sum += squares_[f] * view(a.subspan(fields_[f].first, count)).dot(view(b.subspan(fields_[f].first, count)));
  }
  return sum;
}

double SecantMemory::length(std::span<const double> vector) const {
  return std::sqrt(product(vector, vector));
}

void SecantMemory::weigh(std::span<const Block> fields, std::span<const double> weights) {
  fields_.assign(fields.begin(), fields.end());
  squares_.resize(weights.size());
  std::ranges::transform(weights, squares_.begin(), [](double weight) { return weight * weight; });
  for (const std::size_t slot : used_) {
    Pair& pair = slots_[slot];
    const double length = this->length(pair.v);
    for (double& value : pair.v) value /= length;
    for (double& value : pair.w) value /= length;
  }
  for (const std::size_t slot : used_) renewProducts(slot);
}

std::size_t SecantMemory::freeSlot() {
  if (used_.size() < capacity_) {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
      if (std::ranges::find(used_, slot) == used_.end()) return slot;
    slots_.push_back({std::vector<double>(size_), std::vector<double>(size_)});
    return slots_.size() - 1;
  }
  const auto oldest = std::ranges::min_element(used_, {}, [this](std::size_t slot) { return slots_[slot].number; });
  const std::size_t slot = *oldest;
  used_.erase(oldest);
  return slot;
}

void SecantMemory::renewProducts(std::size_t slot) {
  for (const std::size_t other : used_)
    products(slot, other) = products(other, slot) = product(slots_[slot].v, slots_[other].v);
}

bool SecantMemory::add(std::span<const double> v, std::span<const double> w, std::uint64_t step) {
  const double length = this->length(v);
  if (!(length > 0.0) || !std::isfinite(length) || !view(w).allFinite()) return false;
  const std::size_t slot = freeSlot();
  Pair& pair = slots_[slot];
  for (std::size_t i = 0; i < size_; ++i) {
    pair.v[i] = v[i] / length;
    pair.w[i] = w[i] / length;
  }
  pair.step = step;
  pair.number = ++arrivals_;
  used_.push_back(slot);
  renewProducts(slot);
  return true;
}

void SecantMemory::forgetStep(std::uint64_t step) {
  std::erase_if(used_, [&](std::size_t slot) { return slots_[slot].step == step; });
}

void SecantMemory::clear() {
  used_.clear();
}

bool SecantMemory::subtract(std::span<const double> r, std::uint64_t step, std::span<double> result) {
  const auto k = static_cast<Eigen::Index>(used_.size());
  if (k == 0) return false;
  Eigen::Map<Eigen::MatrixXd> matrix(matrix_.data(), k, k);
  Eigen::Map<Eigen::VectorXd> right(right_.data(), k);
  Eigen::Map<Eigen::VectorXd> deviations(deviations_.data(), k);
  for (Eigen::Index i = 0; i < k; ++i) {
    const std::size_t slot = used_[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < k; ++j) matrix(i, j) = products(slot, used_[static_cast<std::size_t>(j)]);
    const double deviation = kPrecision * static_cast<double>(1 + step - slots_[slot].step);
    deviations[i] = deviation * deviation;
    matrix(i, i) += deviations[i];
    right[i] = product(slots_[slot].v, r);
  }
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factors(matrix);
  if (factors.info() != Eigen::Success) return false;
  right = factors.solve(right).eval();
  // The same for what is left over of r.
  right += factors.solve(deviations.cwiseProduct(right));
  if (!right.allFinite()) return false;
  Eigen::Map<Eigen::VectorXd> changed(result.data(), static_cast<Eigen::Index>(result.size()));
  for (Eigen::Index i = 0; i < k; ++i) changed -= right[i] * view(slots_[used_[static_cast<std::size_t>(i)]].w);
  return true;
}

SecantMemory::Bounded SecantMemory::propose(std::span<const double> r, std::uint64_t step, std::size_t most,
                                            double largest, bool always, std::span<double> answers) const {
  std::vector<const Pair*> newest;
  for (const std::size_t slot : used_)
    if (slots_[slot].step == step) newest.push_back(&slots_[slot]);
  std::ranges::sort(newest, std::ranges::greater{}, &Pair::number);
  newest.resize(std::min(newest.size(), most));
  const auto k = static_cast<Eigen::Index>(newest.size());
  if (k == 0) return {};

  // With d = w - v, the difference of what was sent, all in units of |d|: d^T d, d^T w, w^T w and d^T r.
  Eigen::MatrixXd dd(k, k);
  Eigen::MatrixXd dw(k, k);
  Eigen::MatrixXd ww(k, k);
  Eigen::VectorXd dr(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    const Pair& a = *newest[static_cast<std::size_t>(i)];
    dr[i] = product(a.w, r) - product(a.v, r);
    for (Eigen::Index j = 0; j < k; ++j) {
      const Pair& b = *newest[static_cast<std::size_t>(j)];
      ww(i, j) = product(a.w, b.w);
      dw(i, j) = ww(i, j) - product(a.v, b.w);
      dd(i, j) = dw(i, j) - product(a.w, b.v) + product(a.v, b.v);
    }
  }
  if (!(dd.diagonal().minCoeff() > 0.0)) return {};
  const Eigen::VectorXd unit = dd.diagonal().cwiseSqrt().cwiseInverse();
  dd = unit.asDiagonal() * dd * unit.asDiagonal();
  dw = unit.asDiagonal() * dw * unit.asDiagonal();
  ww = unit.asDiagonal() * ww * unit.asDiagonal();
  dr = unit.asDiagonal() * dr;

  // J d is w: eigenvalues of J in the space of the d.
  const RowMajor projected = core::detail::leastSquares(dd, dw);
  const auto modes = core::modes({projected.data(), static_cast<std::size_t>(projected.size())});
  if (!modes) return {};
  const Eigen::Map<const Eigen::MatrixXcd> vectors(modes->vectors.data(), k, k);
  const Eigen::VectorXcd right = core::detail::leastSquares(dd, dr).cast<std::complex<double>>();
  const Eigen::VectorXcd parts = core::detail::leastSquares(vectors, right);
  Eigen::VectorXcd factors(k);
  Bounded result;
  for (Eigen::Index i = 0; i < k; ++i) {
    const std::complex<double> lambda = modes->values[static_cast<std::size_t>(i)];
    factors[i] = 1.0 / (1.0 - lambda);
    if (lambda.real() > 0.0 && !(std::abs(factors[i]) < largest && lambda.real() < 1.0)) factors[i] = largest;
    if (lambda.imag() != 0.0 || lambda.real() < 1.0) continue;
    // A direction counts only if the pairs agree that it is one: |w - lambda d| is small beside |lambda d|.
    constexpr double kAgreement = 0.1;
    const Eigen::VectorXd x = vectors.col(i).real();
    const double l = lambda.real();
    const double off = x.dot(ww * x) - 2.0 * l * x.dot(dw * x) + l * l * x.dot(dd * x);
    if (off <= kAgreement * kAgreement * l * l * x.dot(dd * x)) result.repels = true;
  }
  if (!result.repels && !always) return result;
  const Eigen::VectorXd moves =
      unit.asDiagonal() * (vectors * (factors.array() - 1.0).matrix().cwiseProduct(parts)).real();
  if (!moves.allFinite()) return result;
  Eigen::Map<Eigen::VectorXd> changed(answers.data(), static_cast<Eigen::Index>(answers.size()));
  for (Eigen::Index i = 0; i < k; ++i) {
    const Pair& pair = *newest[static_cast<std::size_t>(i)];
    changed += moves[i] * (view(pair.w) - view(pair.v));
  }
  result.proposed = true;
  return result;
}

}  // namespace koppla::coupling
