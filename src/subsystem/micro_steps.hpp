#pragma once

#include <cmath>
#include <cstdint>

namespace koppla::subsystem {

/// A rest of a step that is shorter than this part of a micro step is rounding and belongs to the micro step before
/// it. Differences of communication points are uncertain by the rounding of the points themselves, and a hit that
/// flips with it changes the method from step to step.
inline constexpr double kMicroStepTie = 1e-6;

/// Into how many equal micro steps of at most microStep (s) a step of that length (s) is divided; microStep 0: one.
inline std::uint64_t microStepsIn(double length, double microStep) {
  if (microStep <= 0.0) return 1;
  const double steps = std::ceil(length / microStep - kMicroStepTie);
  return steps < 1.0 ? 1 : static_cast<std::uint64_t>(steps);
}

/// The length (s) of a single micro step inside what is left of a step; the rest itself where it is no longer.
inline double singleMicroStep(double rest, double microStep) {
  return microStep <= 0.0 || rest <= microStep * (1.0 + kMicroStepTie) ? rest : microStep;
}

}  // namespace koppla::subsystem
