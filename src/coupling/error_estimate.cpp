#include "koppla/coupling/error_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace koppla::coupling {

double ErrorRecord::rms(std::uint64_t steps) const {
  return steps == 0 ? 0.0 : std::sqrt(squares_ / static_cast<double>(steps));
}

ErrorEstimate::ErrorEstimate(std::size_t values) : records_(values, Record{{}, {}, HUGE_VAL, -HUGE_VAL}) {}

void ErrorEstimate::add(const Look& look) {
  for (std::size_t i = 0; i < records_.size(); ++i) {
    Record& record = records_[i];
    const double value = look.accepted[i];
    const double error = std::fabs(value - look.predicted[i]);
    const double open = look.open.empty() ? 0.0 : look.open[i];
    record.extrapolated.add(look.t1, error);
    record.interpolated.add(look.t1, look.interpolated.largest * error + open);
    if (look.earlier) [[unlikely]]
      record.interpolated.add(look.earlier->t1, look.earlier->share * error);
    record.lower = std::min(record.lower, value);
    record.upper = std::max(record.upper, value);
  }
  ++steps_;
}

double ErrorEstimate::magnitude(std::size_t value) const {
  return std::fmax(std::fabs(records_[value].lower), std::fabs(records_[value].upper));
}

double ErrorEstimate::range(std::size_t value) const {
  constexpr double kRounding = 1e-12;     // of a value that was computed in many operations
  constexpr double kAmplification = 100;  // of rounding by extrapolation, up to 2^6
  if (steps_ == 0) return 0.0;
  const Record& record = records_[value];
  const double rounding = kRounding * magnitude(value);
  const double range = record.upper - record.lower;
  if (range > rounding) return range;
  const double jump = record.extrapolated.largest();
  return jump > kAmplification * rounding ? jump : 0.0;
}

}  // namespace koppla::coupling
