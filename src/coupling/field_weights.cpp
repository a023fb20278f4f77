#include "koppla/coupling/field_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace koppla::coupling {

namespace {

constexpr double kTolerated = 10.0;  ///< factor between the weights in use and the wanted ones

double norm(std::span<const double> values, Block field) {
  double square = 0.0;
  for (std::size_t i = field.first; i < field.last; ++i) square += values[i] * values[i];
  return std::sqrt(square);
}

}  // namespace

FieldWeights::FieldWeights(Scaling scaling, const Unknowns& unknowns) : scaling_(scaling), size_(unknowns.size) {
  if (scaling == Scaling::none || unknowns.fields.empty()) return;
  fields_ = unknowns.fields;
  weights_.assign(fields_.size(), 1.0);
  wanted_.assign(fields_.size(), 1.0);
  sums_.assign(fields_.size(), 0.0);
  changes_.assign(fields_.size(), 1.0);
  copy_.resize(size_);
}

void FieldWeights::begin() {
  if (scaling_ == Scaling::residualSum) std::ranges::fill(sums_, 0.0);
}

bool FieldWeights::observe(std::span<const double> residual, std::span<const double> answered, bool nothingToRescale) {
  if (fields_.empty()) return false;
  const double whole = norm(residual, {0, size_});
  double least = std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    double size = norm(scaling_ == Scaling::value ? answered : residual, fields_[f]);
    if (scaling_ == Scaling::residualSum) {
      const double share = size / whole;
      if (std::isfinite(share)) sums_[f] += share;
      size = sums_[f];
    } else if (scaling_ == Scaling::value && std::isfinite(size)) {
      size = sums_[f] = std::max(sums_[f], size);
    }
    const double weight = 1.0 / size;
    const bool usable = std::isnormal(weight);
    wanted_[f] = usable ? weight : weights_[f];
    changes_[f] = wanted_[f] / weights_[f];
    if (!usable) continue;
    least = std::min(least, changes_[f]);
    largest = std::max(largest, changes_[f]);
  }
  if (!nothingToRescale && largest <= kTolerated * least) return false;
  weights_ = wanted_;
  return true;
}

void FieldWeights::apply(std::span<double> vector) const {
  for (std::size_t f = 0; f < fields_.size(); ++f)
    for (std::size_t i = fields_[f].first; i < fields_[f].last; ++i) vector[i] *= weights_[f];
}

std::span<const double> FieldWeights::applied(std::span<const double> vector) {
  if (fields_.empty()) return vector;
  std::ranges::copy(vector, copy_.begin());
  apply(copy_);
  return copy_;
}

}  // namespace koppla::coupling
