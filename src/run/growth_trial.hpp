#pragma once

#include <cstdint>
#include <vector>

#include "koppla/core/value.hpp"
#include "koppla/coupling/coupled_step.hpp"
#include "koppla/run/growth_watch.hpp"
#include "koppla/run/halt.hpp"

namespace koppla::run {

/// How a stretch of the future goes with some steps and settings.
struct Course {
  std::vector<double> ratios;  ///< after every step: the largest value over its regular size
  bool sound = true;           ///< all steps could be taken, or values exploded

  /// The largest ratio of the last quarter over `before`: what oscillates has to be seen for a while.
  [[nodiscard]] double growthFrom(double before) const;
  /// Of that over the largest of the second quarter: what comes to rest, or grows slowly, shows after a while.
  [[nodiscard]] double lateGrowth() const;
};

/// Repeats a stretch of time with other steps and settings: always from the state in which the trial was begun, which
/// putBack() restores. Nothing is recorded or told, and the steps do not count as those of the run.
class GrowthTrial {
 public:
  /// What was accepted last belongs to t (s), and no step goes beyond `end` (s).
  GrowthTrial(coupling::Network& network, const std::vector<coupling::Cycle>& cycles,
              const coupling::CoupledStep& accepted, const GrowthWatch& watch, double t, double end, const Halt& halt);

  /// Whether the state could be saved; if not, there is nothing else to call.
  [[nodiscard]] const coupling::Fault& unsaved() const { return unsaved_; }
  /// So many steps of h (s), or fewer, if values come to `enough` before or the run ends.
  Course follow(const coupling::AlgorithmSettings& settings, double h, std::uint64_t steps, double enough);
  coupling::Fault putBack();

  /// The largest ratio at the beginning.
  [[nodiscard]] double before() const { return before_; }

 private:
  coupling::Network& network_;
  const std::vector<coupling::Cycle>& cycles_;
  const coupling::CoupledStep& accepted_;
  const GrowthWatch& watch_;
  double t_;
  double end_;
  const Halt& halt_;
  std::vector<double> outputs_;
  core::Values discrete_;
  coupling::Fault unsaved_;
  double before_;
};

}  // namespace koppla::run
