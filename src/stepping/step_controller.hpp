#pragma once

#include <optional>

#include "koppla/stepping/settings.hpp"

namespace koppla::stepping {

/// How an attempt at a macro step went.
struct StepReport {
  double h;  ///< s, the length that was tried
  bool converged = true;
  std::optional<double> error;  ///< weighted error, tolerable at <= 1, where it was estimated
  unsigned order = 1;           ///< power of h with which that error falls
  bool repeatable = true;       ///< it can be tried again with another length
};

struct Verdict {
  enum class Decision { accept, repeat, giveUp };  ///< giveUp: the step is at its minimum already
  Decision decision = Decision::accept;
  double next = 0.0;  ///< s, length of the next attempt
};

/// s, the longest step in use in a run of `interval` s: the one that was given, else the default of the settings.
double longestStep(const StepControlSettings& settings, double interval);

/// Chooses the length of macro steps and decides which attempts are kept. Knows nothing of subsystems.
class StepController {
 public:
  /// Where no largest step is given it follows from the interval from start to end of the run (s), as in the settings;
  /// the resolution of its times bounds the least one.
  StepController(const StepControlSettings& settings, double firstStep, double start, double end);

  [[nodiscard]] double first() const { return first_; }
  /// Before the first step nothing is known of slopes, so values are held in it, and nothing is known of how fast they
  /// are. If they change by their size in the step that was given, they change by `part` of it, which the tolerance
  /// allows, in this one. Its length, s; a least step that nobody gave becomes at most a tenth of it.
  double beginHeld(double part);
  /// Steps this short are accepted as they come.
  [[nodiscard]] bool untested(double h) const;
  [[nodiscard]] Verdict judge(const StepReport& report);

 private:
  Verdict decided(const StepReport& report);
  [[nodiscard]] Verdict shrunk(double from, double to) const;
  [[nodiscard]] double fromPrediction(const StepReport& report);
  [[nodiscard]] Verdict byPrediction(const StepReport& report);
  [[nodiscard]] Verdict byDoubleStep(const StepReport& report) const;
  [[nodiscard]] double largestFactor() const;

  StepControlSettings settings_;
  double first_;
  double resolution_ = 0.0;  ///< s
  double smallest_;
  double largest_;
  std::optional<double> lastError_;
  bool repeating_ = false;  ///< the last attempt failed
};

}  // namespace koppla::stepping
