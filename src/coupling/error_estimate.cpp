#include "koppla/coupling/error_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace koppla::coupling {

ErrorEstimate::ErrorEstimate(std::size_t values) : records_(values, Record{0.0, 0.0, 0.0, HUGE_VAL, -HUGE_VAL}) {}

void ErrorEstimate::add(double t1, std::span<const double> predicted, std::span<const double> accepted,
                        double interpolationShare) {
  for (std::size_t i = 0; i < records_.size(); ++i) {
    Record& record = records_[i];
    const double value = accepted[i];
    const double error = std::fabs(value - predicted[i]);
    record.squares += error * error;
    record.lower = std::min(record.lower, value);
    record.upper = std::max(record.upper, value);
    if (error > record.largest) {
      record.largest = error;
      record.when = t1;
    }
  }
  ++steps_;
  shares_ += interpolationShare;
}

double ErrorEstimate::rms(std::size_t value) const {
  return steps_ == 0 ? 0.0 : std::sqrt(records_[value].squares / static_cast<double>(steps_));
}

double ErrorEstimate::range(std::size_t value) const {
  constexpr double kRounding = 1e-12;     // of a value that was computed in many operations
  constexpr double kAmplification = 100;  // of rounding by extrapolation, up to 2^6
  if (steps_ == 0) return 0.0;
  const Record& record = records_[value];
  const double rounding = kRounding * std::fmax(std::fabs(record.lower), std::fabs(record.upper));
  const double range = record.upper - record.lower;
  if (range > rounding) return range;
  return record.largest > kAmplification * rounding ? record.largest : 0.0;
}

double ErrorEstimate::interpolationShare() const {
  return steps_ == 0 ? 1.0 : shares_ / static_cast<double>(steps_);
}

}  // namespace koppla::coupling
