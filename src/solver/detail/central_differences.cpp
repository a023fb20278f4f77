#include <algorithm>
#include <vector>

#include "koppla/solver/detail/fixed_step.hpp"

namespace koppla::solver::detail {

namespace {

/// Central differences as velocity Verlet, with the velocity that forces see predicted by the old acceleration:
///   v_half = v + h/2 a,   w := w + h v_half,   a := phi(t + h, w, v_half + h/2 a),   v := v_half + h/2 a
/// Where forces do not depend on velocities this is the classical method. The usual alternative, forces with v_half,
/// makes damping an effect of first order only; this prediction is off by O(h^2), so the method stays of second order
/// with one evaluation per step.
class CentralDifferences final : public FixedStep {
 public:
  CentralDifferences(std::size_t states, double microStep)
      : FixedStep(microStep), trial_(states), slope_(states), acceleration_(states / 2) {}

 protected:
  void begin(StepEquations& problem, std::span<const double> x) override { accelerate(problem, 0.0, x); }

  bool step(StepEquations& problem, double /*tau*/, double next, double h, std::span<double> x) override {
    const std::size_t n = acceleration_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double half = x[n + i] + 0.5 * h * acceleration_[i];
      x[i] += h * half;
      x[n + i] = half;
      trial_[i] = x[i];
      trial_[n + i] = half + 0.5 * h * acceleration_[i];
    }
    accelerate(problem, next, trial_);
    for (std::size_t i = 0; i < n; ++i) x[n + i] += 0.5 * h * acceleration_[i];
    return true;
  }

 private:
  void accelerate(StepEquations& problem, double tau, std::span<const double> x) {
    problem.derivatives(tau, x, slope_);
    std::ranges::copy(std::span(slope_).last(acceleration_.size()), acceleration_.begin());
  }

  std::vector<double> trial_, slope_, acceleration_;
};

}  // namespace

std::unique_ptr<Method> makeCentralDifferences(const Equations& equations, const IntegratorSettings& settings) {
  return std::make_unique<CentralDifferences>(equations.stateCount(), settings.microStep);
}

}  // namespace koppla::solver::detail
