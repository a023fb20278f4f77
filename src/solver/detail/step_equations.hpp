#pragma once

#include <span>
#include <vector>

#include "koppla/solver/equations.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::solver::detail {

/// The initial value problem of one step: x' = f(t0 + tau, x, u(tau)), 0 <= tau <= H, with the inputs as polynomials.
/// Time counts from the start of the step: differences of large times would cost digits of the polynomials' argument.
class StepEquations {
 public:
  explicit StepEquations(Equations& equations);

  /// Values of all real inputs, bound or not, which inputs without trajectory keep.
  [[nodiscard]] std::span<double> held() { return held_; }
  /// The step to come: input `scalars[i]` follows polynomial i of the trajectory.
  void begin(const subsystem::Step& step, const subsystem::Trajectory& trajectory,
             std::span<const std::size_t> scalars);

  [[nodiscard]] const Equations& equations() const { return *equations_; }
  [[nodiscard]] double start() const { return t0_; }     ///< s
  [[nodiscard]] double length() const { return span_; }  ///< H, s
  [[nodiscard]] double time(double tau) const { return tau == span_ ? t1_ : t0_ + tau; }
  /// What the times of the step are uncertain by, s.
  [[nodiscard]] double rounding() const;
  [[nodiscard]] unsigned degree() const { return degree_; }
  /// Coefficients of (tau / H)^k, one per input.
  [[nodiscard]] std::span<const double> power(unsigned k) const { return {&coefficients_[k * count_], count_}; }

  /// Valid until the next call.
  std::span<const double> inputs(double tau);
  std::span<const double> inputRates(double tau);  ///< du/dt, 1/s
  void derivatives(double tau, std::span<const double> x, std::span<double> dx) {
    ++effort.rightHandSides;
    equations_->derivatives(time(tau), x, inputs(tau), dx);
  }
  void visit(Visit at, double tau, std::span<const double> x) { equations_->visit(at, time(tau), x, inputs(tau)); }

  subsystem::Effort effort;  ///< since the subsystem was made

 private:
  Equations* equations_;
  std::size_t count_;
  unsigned degree_ = 0;
  double t0_ = 0.0;
  double t1_ = 0.0;
  double span_ = 0.0;
  std::vector<double> held_;
  std::vector<double> coefficients_;  ///< power by power
  std::vector<double> values_;
};

}  // namespace koppla::solver::detail
