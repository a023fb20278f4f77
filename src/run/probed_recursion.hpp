#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "koppla/core/log.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/run/critical_step.hpp"
#include "koppla/run/recursion.hpp"
#include "koppla/run/settings.hpp"

namespace koppla::run {

/// A spectral radius as probes show it.
struct ProbedRadius {
  double value;
  /// By how much two looks one after the other differed, of the last three (of two if that is all), and by how much it
  /// may be on the other side of the limit of stability.
  double uncertainty;
  std::uint64_t steps;  ///< macro steps that were followed
};

/// The recursion of a macro step (MacroStepRecursion) of members that give no states but save and restore them: what it
/// multiplies disturbances by is seen in how far runs that were disturbed at one instant are apart.
///
/// The disturbance: one step in which all inputs are held, from outputs that are changed by
/// RecursionSettings::increment, up and down. Then macro steps of the chosen algorithm follow, and half the difference
/// of all outputs is what a linear recursion answers to a disturbance of its states. Its largest mode comes out of 4,
/// 6, 12 and 24 samples (core::largestModulus). What moves slowly shows over many steps only: samples 3, 5, ..., 67
/// steps apart are taken until it is certain whether the radius is below or above 1. Motions that have hardly turned,
/// grown or decayed by then are not known (core::largestModulus): steps far below the periods of a model are uncertain.
///
/// Members' motions that no coupled input excites, or no coupled output shows, are not seen. A nonlinear model moves on
/// while it is followed: by how much is seen from disturbances half as far on. That much of what responses show is no
/// mode, and where it is more than a fifth nothing is followed farther.
class ProbedRecursion {
 public:
  /// Compiles and initialises the system as a run does, and runs to `how.at`. Throws core::InputError where that fails
  /// or members cannot be probed, with their names. The log is used here only.
  ProbedRecursion(coupling::System system, Settings settings, core::Log& log, RecursionSettings how = {});
  ~ProbedRecursion();
  ProbedRecursion(ProbedRecursion&&) noexcept;

  /// Of macro steps of length H (s). Throws core::InputError where a step fails or its iteration does not converge, or
  /// members do not take steps of that length.
  [[nodiscard]] ProbedRadius spectralRadius(double H);
  /// Whether it is known to be on one side of the largest stable one; and whether it is not known to be above.
  [[nodiscard]] bool isCertain(const ProbedRadius& radius) const;
  [[nodiscard]] bool isStable(const ProbedRadius& radius) const;
  /// s, where probes begin.
  [[nodiscard]] double instant() const;
  /// The smallest unstable step in the range, if there is one.
  [[nodiscard]] std::optional<double> criticalStep(StepRange range);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koppla::run
