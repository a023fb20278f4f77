#pragma once

#include <cstdint>
#include <vector>

#include "koppla/coupling/coupled_step.hpp"
#include "koppla/run/growth_watch.hpp"
#include "koppla/run/halt.hpp"
#include "koppla/run/origin.hpp"
#include "koppla/run/return_point.hpp"

namespace koppla::run {

/// How a stretch of the future goes with some steps and settings.
struct Stretch {
  std::vector<double> ratios;  ///< after every step: the largest value over its regular size
  bool sound = true;           ///< all steps could be taken, or values exploded

  /// The largest ratio of the last quarter over `before`: what oscillates has to be seen for a while.
  [[nodiscard]] double growthFrom(double before) const;
  /// Of that over the largest of the second quarter: what comes to rest, or grows slowly, shows after a while.
  [[nodiscard]] double lateGrowth() const;
};

struct Finding {
  Origin origin;
  std::uint64_t steps;  ///< that were looked at
};

/// Repeats a stretch of time with other steps and settings: always from the state in which the trial was begun, which
/// putBack() restores. Nothing is recorded or told, and the steps do not count as those of the run.
class GrowthTrial {
 public:
  /// What was accepted last belongs to t (s), and no step goes beyond `end` (s). All references outlive the trial.
  GrowthTrial(coupling::Network& network, const std::vector<coupling::Cycle>& cycles,
              const coupling::CoupledStep& accepted, const GrowthWatch& watch, double t, double end, const Halt& halt);

  /// Whether the state could be saved; if not, there is nothing else to call.
  [[nodiscard]] const coupling::Fault& unsaved() const { return before_.unsaved(); }
  /// Whether values that have grown so in steps of h (s) grow in another way in shorter ones.
  Finding originOf(const Growth& growth, const coupling::AlgorithmSettings& settings, double h);
  /// Whether values stay about as large as they are, over four times as many steps of h (s), and longer.
  bool staysSmall(const coupling::AlgorithmSettings& settings, double h, std::uint64_t steps);
  coupling::Fault putBack() { return before_.putBack(); }
  /// Somebody failed in a first step, as those do who are found not to return: nobody knows where he is.
  [[nodiscard]] const coupling::Fault& lost() const { return lost_; }

 private:
  /// So many steps, or fewer, if values come to `enough` times what they are before that or the run ends.
  Stretch follow(const coupling::AlgorithmSettings& settings, double h, std::uint64_t steps, double enough);

  coupling::Network& network_;
  const std::vector<coupling::Cycle>& cycles_;
  const coupling::CoupledStep& accepted_;
  const GrowthWatch& watch_;
  double t_;
  double end_;
  const Halt& halt_;
  ReturnPoint before_;
  coupling::Fault lost_;
  double ratioBefore_;  ///< the largest one at the beginning
};

}  // namespace koppla::run
