#include "koppla/run/connection_errors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "koppla/run/connection_ends.hpp"

namespace koppla::run {

namespace {

using coupling::InputCourse;

/// The error of one value as one consumer takes it; where that gets fits, what these lose as well.
struct InputError {
  double rms;
  double largest;
  double whenLargest;
};

InputError errorOf(const coupling::CoupledStep& coupledStep, std::size_t value, std::size_t consumer) {
  const coupling::ErrorEstimate& estimate = coupledStep.errorEstimate();
  const bool interpolated = coupledStep.courseOf(value, consumer) == InputCourse::interpolated;
  const coupling::ErrorRecord& course =
      interpolated ? estimate.ofInterpolation(value) : estimate.ofExtrapolation(value);
  const coupling::ErrorRecord* const fit = coupledStep.fitErrors().of(consumer, value);
  const coupling::ErrorRecord none;
  const coupling::ErrorRecord& lost = fit != nullptr ? *fit : none;
  return {course.rms(estimate.steps()) + lost.rms(coupledStep.fitErrors().steps()), course.largest() + lost.largest(),
          course.largest() >= lost.largest() ? course.whenLargest() : lost.whenLargest()};
}

/// The range of a value, and 0 where all that moves is rounding of what its subsystem works with, or what iterations
/// leave open: then each step is off by as much as the value ever moves.
class Ranges {
 public:
  Ranges(const coupling::Network& network, const coupling::CoupledStep& coupledStep, const Settings& settings)
      : estimate_(coupledStep.errorEstimate()), around_(network.outputs().size(), 0.0) {
    for (std::size_t position = 0; position < network.size(); ++position) {
      const coupling::Block own = network.outputsOf(position);
      double largest = 0.0;
      for (const std::size_t source : network.sourcesOf(position))
        largest = std::fmax(largest, estimate_.magnitude(source));
      for (std::size_t value = own.first; value < own.last; ++value)
        largest = std::fmax(largest, estimate_.magnitude(value));
      std::fill(around_.begin() + static_cast<std::ptrdiff_t>(own.first),
                around_.begin() + static_cast<std::ptrdiff_t>(own.last), largest);
    }
    if (settings.algorithm.iterates()) tolerance_ = settings.algorithm.rtol;
  }

  [[nodiscard]] double of(std::size_t value) const {
    constexpr double kRounding = 1e-12;
    constexpr double kScatters = 0.1;  // parts of the range per step
    const double range = estimate_.range(value);
    const double noise = std::fmax(kRounding * around_[value], tolerance_ * estimate_.magnitude(value));
    const bool scatters = estimate_.ofExtrapolation(value).rms(estimate_.steps()) > kScatters * range;
    return scatters && range <= noise ? 0.0 : range;
  }

 private:
  const coupling::ErrorEstimate& estimate_;
  std::vector<double> around_;  ///< by value, the largest that its subsystem takes or gives
  double tolerance_ = 0.0;
};

}  // namespace

std::vector<ConnectionStatistics> connectionStatistics(const coupling::System& system, const coupling::Network& network,
                                                       const coupling::CoupledStep& coupledStep,
                                                       const Settings& settings) {
  const coupling::ErrorEstimate& estimate = coupledStep.errorEstimate();
  if (estimate.steps() == 0) return {};
  const ConnectionEnds ends(system, network);
  const Ranges ranges(network, coupledStep, settings);

  std::vector<ConnectionStatistics> result;
  for (const coupling::Connection& c : system.connections) {
    const std::vector<std::size_t> values = ends.valuesOf(c);
    const std::size_t consumer = ends.consumerOf(c);
    if (values.empty() || network.isStatic(consumer)) continue;  // discrete, or evaluated at the point itself
    ConnectionStatistics entry{nameOfEnd(system, c.from, c.fromElement), nameOfEnd(system, c.to, c.toElement)};
    bool first = true;
    for (const std::size_t value : values) {
      entry.interpolated = coupledStep.courseOf(value, consumer) == InputCourse::interpolated;
      const InputError error = errorOf(coupledStep, value, consumer);
      const double scale = std::fabs(c.scale);
      const double range = ranges.of(value);
      entry.constant = (first || entry.constant) && !(range > 0.0);
      if (std::exchange(first, false)) entry.value = estimate.upper(value);
      entry.rms = std::max(entry.rms, scale * error.rms);
      if (range > 0.0) entry.relative = std::max(entry.relative, error.rms / range);
      if (scale * error.largest <= entry.largest) continue;
      entry.largest = scale * error.largest;
      entry.whenLargest = error.whenLargest;
    }
    result.push_back(std::move(entry));
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, &ConnectionStatistics::relative);
  return result;
}

}  // namespace koppla::run
