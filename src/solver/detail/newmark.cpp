#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Core>
#include <Eigen/LU>

#include "koppla/solver/detail/fixed_step.hpp"

namespace koppla::solver::detail {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Newmark's formulas with the balance of Hilber, Hughes and Taylor, Earthq. Eng. Struct. Dyn. 5 (1977), for
/// w'' = phi(t, w, w'):
///   w1 = w0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1),   v1 = v0 + h ((1 - gamma) a0 + gamma a1)
///   a1 = (1 + alpha) phi1 - alpha phi0
/// solved for a1 by Newton's method from a1 = a0. With alpha = 0, beta = 1/4, gamma = 1/2: the trapezoidal rule.
class Newmark final : public FixedStep {
 public:
  Newmark(const Equations& equations, const IntegratorSettings& settings)
      : FixedStep(settings.microStep),
        alpha_(settings.alpha),
        beta_(settings.beta.value_or((1.0 - alpha_) * (1.0 - alpha_) / 4.0)),
        gamma_(settings.gamma.value_or(0.5 - alpha_)),
        rtol_(settings.rtol),
        atol_(settings.atol),
        hidesCorrection_(!settings.corrected),
        linear_(equations.isLinear()),
        n_(equations.stateCount() / 2),
        trial_(2 * n_),
        slope_(2 * n_),
        perturbed_(2 * n_),
        force_(n_),
        acceleration_(n_),
        next_(n_),
        stiffness_(MatrixXd::Zero(size(), size())),
        damping_(MatrixXd::Zero(size(), size())),
        matrix_(size(), size()),
        factors_(size()),
        correction_(size()) {
    memory_ = {std::vector<double>(n_, 0.0), std::vector<double>(2 * n_, 0.0), false};
    saved_.fill(memory_);
    if (linear_) takePartials(equations.linear());
  }

  [[nodiscard]] std::span<const double> visible(std::span<const double> x) const override {
    return memory_.hidden ? std::span<const double>(memory_.uncorrected) : x;
  }
  void forget() override {
    std::ranges::fill(memory_.lag, 0.0);
    memory_.hidden = false;
  }
  void save(subsystem::Slot slot) override { saved_[static_cast<std::size_t>(slot)] = memory_; }
  void restore(subsystem::Slot slot) override { memory_ = saved_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] std::string failure() const override {
    return converged_ ? ""
                      : "Newmark's iteration did not converge; a shorter micro step or a looser tolerance may help";
  }

 protected:
  void begin(StepEquations& problem, std::span<const double> x) override {
    problem.derivatives(0.0, x, slope_);
    for (std::size_t i = 0; i < n_; ++i) {
      force_[i] = slope_[n_ + i];
      acceleration_[i] = force_[i] + memory_.lag[i];
    }
  }

  bool step(StepEquations& problem, double tau, double next, double h, std::span<double> x) override;

 private:
  /// What outlives a step: the lag a - phi of HHT (a stands for phi at t + alpha h; the difference, unlike a, does not
  /// know of jumps of the inputs) and the states before the last correction.
  struct Memory {
    std::vector<double> lag;
    std::vector<double> uncorrected;
    bool hidden = false;
  };

  [[nodiscard]] Index size() const { return static_cast<Index>(n_); }
  void takePartials(const LinearForm& linear);
  void differencePartials(StepEquations& problem, double tau);
  void factorise(StepEquations& problem, double tau, double h, bool renew);
  void place(double h, std::span<const double> x);
  double correct(StepEquations& problem, double tau, double h, std::span<const double> x);

  double alpha_, beta_, gamma_, rtol_, atol_;
  bool hidesCorrection_;
  bool linear_;
  std::size_t n_;  ///< degrees of freedom
  std::vector<double> trial_, slope_, perturbed_;
  std::vector<double> force_;         ///< phi at the start of the micro step
  std::vector<double> acceleration_;  ///< a there
  std::vector<double> next_;          ///< a at its end
  MatrixXd stiffness_, damping_;      ///< d phi / dw, d phi / dv
  MatrixXd matrix_;
  Eigen::PartialPivLU<MatrixXd> factors_;
  VectorXd correction_;
  double factorisedFor_ = 0.0;  ///< h, s
  bool converged_ = true;
  Memory memory_;
  std::array<Memory, subsystem::kSlots> saved_;
};

void Newmark::takePartials(const LinearForm& linear) {
  for (std::size_t row = 0; row < n_; ++row)
    for (std::size_t column = 0; column < n_; ++column) {
      const std::size_t at = (n_ + row) * 2 * n_ + column;
      stiffness_(static_cast<Index>(row), static_cast<Index>(column)) = linear.a[at];
      damping_(static_cast<Index>(row), static_cast<Index>(column)) = linear.a[at + n_];
    }
}

/// Forward differences with Schmoll's (4.7): Delta = sqrt(eps) max(1, |z|). Expects phi of the trial states in slope_.
void Newmark::differencePartials(StepEquations& problem, double tau) {
  const double relative = std::sqrt(std::numeric_limits<double>::epsilon());
  const std::vector<double>& base = slope_;
  for (std::size_t column = 0; column < 2 * n_; ++column) {
    const double kept = trial_[column];
    trial_[column] = kept + relative * std::fmax(1.0, std::fabs(kept));
    problem.derivatives(tau, trial_, perturbed_);
    MatrixXd& partials = column < n_ ? stiffness_ : damping_;
    for (std::size_t row = 0; row < n_; ++row)
      partials(static_cast<Index>(row), static_cast<Index>(column % n_)) =
          (perturbed_[n_ + row] - base[n_ + row]) / (trial_[column] - kept);
    trial_[column] = kept;
  }
}

/// The derivative of a1 - (1 + alpha) phi1 with respect to a1.
void Newmark::factorise(StepEquations& problem, double tau, double h, bool renew) {
  if (linear_ ? h == factorisedFor_ : !renew) return;
  if (!linear_) differencePartials(problem, tau);
  matrix_.noalias() = -(1.0 + alpha_) * (beta_ * h * h * stiffness_ + gamma_ * h * damping_);
  matrix_.diagonal().array() += 1.0;
  factors_.compute(matrix_);
  factorisedFor_ = h;
  ++problem.effort.jacobians;
}

void Newmark::place(double h, std::span<const double> x) {
  for (std::size_t i = 0; i < n_; ++i) {
    trial_[i] = x[i] + h * x[n_ + i] + h * h * ((0.5 - beta_) * acceleration_[i] + beta_ * next_[i]);
    trial_[n_ + i] = x[n_ + i] + h * ((1.0 - gamma_) * acceleration_[i] + gamma_ * next_[i]);
  }
}

/// Applies the correction that solves for the residual; answers its size against the tolerances of the states.
double Newmark::correct(StepEquations& problem, double tau, double h, std::span<const double> x) {
  for (std::size_t i = 0; i < n_; ++i)
    correction_[static_cast<Index>(i)] = (1.0 + alpha_) * slope_[n_ + i] - alpha_ * force_[i] - next_[i];
  correction_ = factors_.solve(correction_);
  if (hidesCorrection_) std::ranges::copy(trial_, memory_.uncorrected.begin());
  double largest = 0.0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double change = correction_[static_cast<Index>(i)];
    next_[i] += change;
    largest = std::fmax(largest, std::fabs(beta_ * h * h * change) / (rtol_ * std::fabs(trial_[i]) + atol_));
    largest = std::fmax(largest, std::fabs(gamma_ * h * change) / (rtol_ * std::fabs(trial_[n_ + i]) + atol_));
  }
  place(h, x);
  problem.derivatives(tau, trial_, slope_);
  return largest;
}

bool Newmark::step(StepEquations& problem, double /*tau*/, double next, double h, std::span<double> x) {
  constexpr int kIterations = 25;
  constexpr int kRenewal = 5;          // the partial derivatives serve for that many iterations
  constexpr double kTolerance = 1e-3;  // of that of the states, Schmoll (4.6)
  next_ = acceleration_;
  place(h, x);
  problem.derivatives(next, trial_, slope_);
  converged_ = false;
  for (int k = 0; k < kIterations && !converged_; ++k) {
    factorise(problem, next, h, k % kRenewal == 0);
    const double size = correct(problem, next, h, x);
    converged_ = linear_ || size <= kTolerance;
  }
  std::ranges::copy(trial_, x.begin());
  memory_.hidden = hidesCorrection_;
  for (std::size_t i = 0; i < n_; ++i) {
    force_[i] = slope_[n_ + i];
    acceleration_[i] = next_[i];
    memory_.lag[i] = alpha_ == 0.0 ? 0.0 : next_[i] - force_[i];
  }
  return converged_;
}

}  // namespace

std::unique_ptr<Method> makeNewmark(const Equations& equations, const IntegratorSettings& settings) {
  return std::make_unique<Newmark>(equations, settings);
}

}  // namespace koppla::solver::detail
