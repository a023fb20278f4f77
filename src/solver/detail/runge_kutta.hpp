#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "koppla/solver/detail/fixed_step.hpp"

namespace koppla::solver::detail {

inline constexpr std::size_t kMaxStages = 6;
using TableauRow = std::array<double, kMaxStages>;
struct Tableau;

/// Explicit Runge-Kutta methods of order 1 to 5, Schmoll (C.1)-(C.8).
class RungeKutta final : public FixedStep {
 public:
  /// Kinds other than ode1 to ode4 mean ode5.
  RungeKutta(Kind kind, std::size_t states, double microStep);

  bool step(StepEquations& problem, double tau, double next, double h, std::span<double> x) override;
  /// After a step of ode5 that ended in x: its difference to the embedded formula of fourth order (Dormand and Prince).
  void difference(StepEquations& problem, double next, double h, std::span<const double> x,
                  std::span<double> difference);

 private:
  void addSlopes(const TableauRow& weights, std::size_t stages, double h, std::span<double> x) const;

  const Tableau* tableau_;
  std::vector<double> stage_;
  std::vector<std::vector<double>> slopes_;
};

}  // namespace koppla::solver::detail
