#include "koppla/run/outcome.hpp"

namespace koppla::run {

std::string_view word(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::ok:
      return "completed";
    case OutcomeKind::interrupted:
      return "interrupted";
    case OutcomeKind::subsystemFailed:
      return "subsystem failed";
    case OutcomeKind::notConverged:
      return "not converged";
    case OutcomeKind::stagnated:
      return "stagnated";
    case OutcomeKind::unstable:
      return "unstable";
    case OutcomeKind::exploded:
      return "exploded";
    case OutcomeKind::notFinite:
      return "not finite";
    case OutcomeKind::outputFailed:
      return "output failed";
  }
  return "unknown";
}

}  // namespace koppla::run
