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
};

struct Verdict {
  enum class Decision { accept, repeat, giveUp };  ///< giveUp: the step is at its minimum already
  Decision decision = Decision::accept;
  double next = 0.0;  ///< s, length of the next attempt
};

/// Chooses the length of macro steps and decides which attempts are kept. Knows nothing of subsystems.
class StepController {
 public:
  /// The interval from start to end of the run (s) is the largest step where no other is given; the resolution of its
  /// times bounds the least one.
  StepController(const StepControlSettings& settings, double firstStep, double start, double end);

  [[nodiscard]] double first() const { return first_; }
  /// Steps this short are accepted as they come.
  [[nodiscard]] bool untested(double h) const;
  /// Whether attempts are judged by an error estimate.
  [[nodiscard]] bool estimatesError() const { return settings_.kind == StepControlKind::doubleStep; }
  [[nodiscard]] Verdict judge(const StepReport& report);

 private:
  [[nodiscard]] Verdict shrunk(double from, double to) const;
  [[nodiscard]] double fromPrediction(const StepReport& report);

  StepControlSettings settings_;
  double first_;
  double smallest_;
  double largest_;
  std::optional<double> lastError_;
};

}  // namespace koppla::stepping
