#include "koppla/subsystem/detail/micro_samples.hpp"

#include <algorithm>

namespace koppla::subsystem::detail {

void MicroSamples::add(double t, std::span<const double> y) {
  while (count_ > 0 && times_[count_ - 1] >= t) --count_;
  if (count_ == times_.size()) {
    std::ranges::copy(std::span(times_).subspan(1), times_.begin());
    std::ranges::copy(std::span(values_).subspan(outputs_), values_.begin());
    --count_;
  }
  times_[count_] = t;
  std::ranges::copy(y, values_.begin() + static_cast<std::ptrdiff_t>(count_ * outputs_));
  ++count_;
}

void MicroSamples::interpolate(double t, std::span<double> y) const {
  std::ranges::fill(y, 0.0);
  for (std::size_t i = 0; i < count_; ++i) {
    double weight = 1.0;
    for (std::size_t j = 0; j < count_; ++j)
      if (j != i) weight *= (t - times_[j]) / (times_[i] - times_[j]);
    for (std::size_t k = 0; k < outputs_; ++k) y[k] += weight * values_[i * outputs_ + k];
  }
}

}  // namespace koppla::subsystem::detail
