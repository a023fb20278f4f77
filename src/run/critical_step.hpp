#pragma once

#include <functional>
#include <optional>

namespace koppla::run {

/// Steps (s) among which the limit of stability is sought.
struct StepRange {
  double from;
  double to;
};

/// The smallest unstable step in the range, to 1e-7 of it; `from` itself if that is unstable, nothing if all are
/// stable. Steps that lie 2 % apart are tried upwards, then the interval is halved (Schmoll notes, 10.2): a gap of
/// instability that is narrower than that may be missed. Throws core::InputError for a range that is none.
std::optional<double> criticalStep(StepRange range, const std::function<bool(double H)>& isStable);

}  // namespace koppla::run
