#pragma once

#include <array>
#include <span>

#include "rig.hpp"

namespace koppla::solver::test {

/// The exact state (x1, x2, v1, v2) of the two-mass oscillator at t (s), before its start as well: expm(A t) z(0).
std::array<double, 4> exactState(double t);
/// Its coupling variables (x1, v1, F).
std::array<double, 3> exactOutputs(double t);

/// NRMSE (Schmoll 2.33, 2.34) of (x1, v1, F) at t = H, 2 H, ... against z(t + H) = expm(A H) z(t) in long double.
class ErrorMeter {
 public:
  explicit ErrorMeter(double H);
  void add(std::span<const double> y);
  [[nodiscard]] double nrmse() const;

 private:
  std::array<long double, 16> phi_;
  std::array<long double, 4> z_;
  std::array<long double, 3> errors_{}, sums_{}, squares_{};
  long double count_ = 0.0L;
};

/// The error of a subsystem without inputs that solves the oscillator, over samples every H (s) up to 1 s.
double globalError(Rig& rig, double H);

/// Largest amount of an eigenvalue of the map of states that one step of length h (s) makes.
double spectralRadius(Rig& rig, double h);

}  // namespace koppla::solver::test
