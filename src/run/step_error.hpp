#pragma once

#include <span>
#include <vector>

#include "koppla/coupling/coupled_step.hpp"
#include "koppla/coupling/network.hpp"
#include "koppla/coupling/sizes.hpp"
#include "koppla/run/settings.hpp"
#include "koppla/stepping/coupling_error.hpp"

namespace koppla::run {

/// What step control by error compares with its tolerances, of the values that the network has after a step.
class StepError {
 public:
  StepError(const coupling::Network& network, const coupling::CoupledStep& coupledStep, const Settings& settings);

  /// The values at the start or after an accepted step: the next one begins with them.
  void show();
  /// The least that the tolerances allow of a value beside its size, as a part of it; at most 1.
  [[nodiscard]] double leastAllowed() const;

  /// Of a step of length h (s) that was done once.
  [[nodiscard]] double ofStep(double h);

  // Of one that was done at once, then to its middle, then from there to its end; each is told in turn.
  void doneAtOnce();
  void doneHalf(double h);
  [[nodiscard]] double doneAgain(double h);

 private:
  void beginTest();
  void allow(double h, std::span<const double> from);
  [[nodiscard]] double ofCoupling() const;
  [[nodiscard]] double ofPrediction();

  const coupling::Network& network_;
  const coupling::CoupledStep& coupledStep_;
  const Settings& settings_;
  core::Tolerance tolerance_;
  coupling::Sizes sizes_;  ///< of all outputs
  std::vector<stepping::Course> courses_;
  std::vector<double> start_;
  // By which values count as larger than they are, in the test of this step.
  std::vector<double> ofNew_;   ///< since they have been zero so far
  std::vector<double> ofLate_;  ///< that, and since inputs may be a little late
  double firstHalf_ = 0.0;
  std::vector<double> atOnce_;
  std::vector<double> atMiddle_;
  std::vector<double> difference_;
  std::vector<double> magnitude_;
};

}  // namespace koppla::run
