#pragma once

#include <span>
#include <vector>

#include "koppla/coupling/coupled_step.hpp"
#include "koppla/run/approach.hpp"
#include "koppla/run/settings.hpp"

namespace koppla::run {

/// Throws core::InputError where a macro step of H (s) is none.
void requireLength(double H);

/// A macro step of the algorithm as recursions take it: of a fixed length, every one is kept, and iterations are solved
/// to nearly rounding.
class RecursionStep {
 public:
  /// Throws core::InputError for algorithms that have no recursion. `system` outlives it.
  RecursionStep(Approach& system, const coupling::AlgorithmSettings& algorithm);

  /// How many samples of all outputs a step depends on beside the newest one.
  [[nodiscard]] unsigned earlierSamples() const { return coupledStep_.earlierSamples(); }
  /// The network's outputs hold the values at t; they are known at t - H, t - 2 H, ... as well.
  void begin(double t, double H, std::span<const double> earlier) { coupledStep_.begin(t, H, earlier); }
  /// All outputs at t - H, t - 2 H, ..., where t (s) is the end of the step that was accepted last.
  [[nodiscard]] std::vector<double> earlier(double t, double H) const {
    return coupledStep_.earlier(t, H, earlierSamples());
  }
  /// From t0 on, and whether values are still numbers: explicit algorithms may lose them. `first`: somebody will go
  /// back to t0, else to before it. Throws core::InputError where the step fails or its iteration does not converge.
  bool take(double t0, double H, bool first);
  /// What the next step is told of this one.
  [[nodiscard]] std::span<const double> answered() { return coupledStep_.history(); }
  /// The step that was taken last is kept.
  void accept(double t1) { coupledStep_.acceptUnwatched(t1); }

 private:
  [[nodiscard]] bool diverges(const coupling::StepOutcome& outcome) const;
  void check(const coupling::StepOutcome& outcome, double t0, double H) const;

  const Approach& system_;
  coupling::AlgorithmSettings algorithm_;
  coupling::CoupledStep coupledStep_;
};

}  // namespace koppla::run
