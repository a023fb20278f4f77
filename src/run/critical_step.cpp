#include "koppla/run/critical_step.hpp"

#include <cmath>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/value.hpp"

namespace koppla::run {

std::optional<double> criticalStep(StepRange range, const std::function<bool(double H)>& isStable) {
  if (!(range.from > 0.0 && range.from < range.to && std::isfinite(range.to)))
    throw core::InputError(fmt::format("A limit of stability cannot be sought between {} s and {} s.",
                                       core::text(range.from), core::text(range.to)),
                           "Give two steps above 0, the shorter one first.");
  constexpr double kFactor = 1.02;
  constexpr double kResolution = 1e-7;
  double stable = range.from;
  if (!isStable(stable)) return stable;
  double unstable = stable;
  do {
    if (unstable >= range.to) return std::nullopt;
    stable = unstable;
    unstable = std::fmin(kFactor * stable, range.to);
  } while (isStable(unstable));
  while (unstable - stable > kResolution * unstable) {
    const double middle = 0.5 * (stable + unstable);
    (isStable(middle) ? stable : unstable) = middle;
  }
  return unstable;
}

}  // namespace koppla::run
