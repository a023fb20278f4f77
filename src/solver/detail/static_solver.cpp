#include "koppla/solver/detail/static_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/solver/detail/method.hpp"
#include "koppla/solver/detail/scalars.hpp"

namespace koppla::solver::detail {

namespace {

using Eigen::Index;

constexpr double kPrecision = std::numeric_limits<double>::epsilon();
constexpr int kMostCorrections = 50;

Index rowOf(std::size_t index) {
  return static_cast<Index>(index);
}

/// Quadratic convergence predicts the error that is left once the following correction is applied as well: theta left.
/// It is to be so small that whoever takes differences of solutions, with increments of 1e-8, finds their slope.
bool isFast(double size, double left) {
  constexpr double kLeft = 1e-6;   // of the tolerances
  constexpr double kTheta = 0.25;  // as slow as a double root
  const double theta = left / size;
  return theta <= kTheta && theta * left <= kLeft;
}

/// Corrections that are made of rounding do not fall any more.
bool isRounding(double size, double left) {
  constexpr double kGrain = 1e-3;  // of the tolerances
  return std::fmax(size, left) <= kGrain;
}

}  // namespace

bool isStatic(const Equations& equations) {
  return equations.algebraicCount() > 0 && equations.algebraicCount() == equations.stateCount();
}

StaticSolver::StaticSolver(const Equations& equations, const IntegratorSettings& settings)
    : equations_(&equations),
      tolerance_{std::fmax(settings.rtol, 4.0 * kPrecision), settings.atol},
      first_(equations.stateCount() - equations.algebraicCount()),
      unknowns_(equations.algebraicCount()),
      x_(equations.stateCount()),
      candidate_(x_.size()),
      slopes_(x_.size()),
      scale_(unknowns_),
      u_(realScalars(equations.describe(), subsystem::Causality::input)),
      answer_(x_.size(), 0.0),
      residual_(rowOf(unknowns_)),
      next_(rowOf(unknowns_)),
      step_(rowOf(unknowns_)),
      following_(rowOf(unknowns_)),
      jacobian_(rowOf(unknowns_), rowOf(unknowns_)),
      factors_(rowOf(unknowns_)) {}

StaticSolver::~StaticSolver() = default;

bool StaticSolver::evaluate(const Instant& at, std::span<const double> x, Eigen::VectorXd& residual) {
  equations_->derivatives(at.t, x, at.u, slopes_);
  std::copy(slopes_.begin() + static_cast<std::ptrdiff_t>(first_), slopes_.end(), residual.begin());
  return residual.allFinite();
}

/// At x_, where the residual is known. Uses candidate_ and next_.
void StaticSolver::linearise(const Instant& at) {
  static const double kRoot = std::sqrt(kPrecision);
  std::ranges::copy(x_, candidate_.begin());
  for (std::size_t column = 0; column < unknowns_; ++column) {
    double& moved = candidate_[first_ + column];
    const double kept = moved;
    moved = kept + kRoot * std::fmax(1.0, std::fabs(kept));
    evaluate(at, candidate_, next_);
    jacobian_.col(rowOf(column)) = (next_ - residual_) / (moved - kept);
    moved = kept;
  }
  factors_.compute(jacobian_);
}

double StaticSolver::norm(const Eigen::VectorXd& change) const {
  return core::weightedNorm(core::Norm::max, tolerance_, {change.data(), unknowns_}, scale_);
}

/// Halves the correction until the following one, with the same matrix, would be shorter: a test that does not depend
/// on how the residuals are scaled (P. Deuflhard, Newton Methods for Nonlinear Problems (2004), sec. 3.3).
StaticSolver::Correction StaticSolver::correct(const Instant& at) {
  constexpr double kLeastPart = 1e-4;
  step_.noalias() = factors_.solve(residual_);
  for (std::size_t i = 0; i < unknowns_; ++i) {
    const double x = x_[first_ + i];
    scale_[i] = std::fmax(std::fabs(x), std::fabs(x - step_[rowOf(i)]));
  }
  Correction correction;
  correction.size = norm(step_);
  if (!std::isfinite(correction.size)) return correction;
  for (double part = 1.0; part >= kLeastPart; part *= 0.5) {  // NOLINT(clang-analyzer-security.FloatLoopCounter): exact
    for (std::size_t i = 0; i < unknowns_; ++i) candidate_[first_ + i] = x_[first_ + i] - part * step_[rowOf(i)];
    if (!evaluate(at, candidate_, next_)) continue;
    following_.noalias() = factors_.solve(next_);
    correction.left = norm(following_);
    correction.whole = part == 1.0;
    correction.accepted = correction.left <= (1.0 - 0.25 * part) * correction.size || correction.withinTolerances();
    if (correction.accepted) break;
  }
  return correction;
}

bool StaticSolver::solve(StepEquations& problem, double tau, std::span<double> x) {
  const Instant at{problem.time(tau), x, problem.inputs(tau)};
  reason_ = Reason::none;
  corrections_ = 0;
  std::ranges::copy(x, x_.begin());
  if (!evaluate(at, x_, residual_)) return fail(Reason::notFinite);
  bool wasWithin = false;
  while (!residual_.isZero(0.0)) {
    if (corrections_ == kMostCorrections) return fail(Reason::slow);
    linearise(at);
    const Correction correction = correct(at);
    ++problem.effort.jacobians;
    if (!std::isfinite(correction.size)) return fail(Reason::singular);
    if (!correction.accepted) return fail(Reason::stuck);
    ++corrections_;
    ++problem.effort.correctorIterations;
    std::ranges::copy(candidate_, x_.begin());
    residual_.swap(next_);
    const bool within = correction.withinTolerances();
    if (correction.whole && correction.left <= 1.0 &&
        (isFast(correction.size, correction.left) || isRounding(correction.size, correction.left) ||
         (within && wasWithin))) {
      for (std::size_t i = 0; i < unknowns_; ++i) x_[first_ + i] -= following_[rowOf(i)];
      break;
    }
    wasWithin = within;
  }
  std::ranges::copy(x_, x.begin());
  return true;
}

bool StaticSolver::fail(Reason reason) {
  reason_ = reason;
  return false;
}

std::string StaticSolver::unknownText(std::size_t unknown) const {
  const std::string name = equations_->unknownName(unknown);
  return name.empty() ? fmt::format("unknown {} of {}", unknown + 1, unknowns_) : fmt::format("unknown '{}'", name);
}

std::string StaticSolver::failure() const {
  const std::string& model = equations_->describe().model;
  const auto milder = [](double a, double b) { return !std::isnan(a) && !(std::fabs(a) >= std::fabs(b)); };
  const auto worst = static_cast<std::size_t>(std::ranges::max_element(residual_, milder) - residual_.begin());
  const std::string where = unknownText(worst);
  const std::string value = core::text(x_[first_ + worst]);
  if (reason_ == Reason::notFinite)
    return fmt::format("{}: the residual of the {} is not a finite number where its solution begins, at {}", model,
                       where, value);
  const std::string state = fmt::format("the largest residual is {}, of the {} at {}, after {} corrections",
                                        core::text(residual_[rowOf(worst)]), where, value, corrections_);
  switch (reason_) {
    case Reason::singular:
      return fmt::format("{}: the residuals do not determine the unknowns there, their matrix is singular; {}", model,
                         state);
    case Reason::stuck:
      return fmt::format("{}: no solution was found, no correction makes the residuals smaller; {}", model, state);
    default:
      return fmt::format("{}: no solution was found; {}", model, state);
  }
}

std::span<const double> StaticSolver::answers(const Instant& at, std::size_t input) {
  std::ranges::copy(at.x, x_.begin());
  std::ranges::copy(at.u, u_.begin());
  evaluate(at, x_, residual_);
  linearise(at);
  const double change = kRelativeStep * std::fmax(1.0, std::fabs(at.u[input]));
  u_[input] = at.u[input] + change;
  evaluate({at.t, at.x, u_}, x_, next_);
  u_[input] = at.u[input] - change;
  evaluate({at.t, at.x, u_}, x_, residual_);
  step_ = (residual_ - next_) / (2.0 * change);
  following_.noalias() = factors_.solve(step_);
  std::ranges::copy(following_, answer_.begin() + static_cast<std::ptrdiff_t>(first_));
  return answer_;
}

namespace {

/// A step of a static subsystem: the solution with the inputs at its end.
class Static final : public Method {
 public:
  Static(const Equations& equations, const IntegratorSettings& settings) : solver_(equations, settings) {}

  Progress advance(StepEquations& problem, bool /*single*/, std::span<double> x) override {
    const bool solved = solver_.solve(problem, problem.length(), x);
    return {solved, problem.length()};
  }
  [[nodiscard]] std::string failure() const override { return solver_.failure(); }

 private:
  StaticSolver solver_;
};

}  // namespace

std::unique_ptr<Method> makeStatic(const Equations& equations, const IntegratorSettings& settings) {
  return std::make_unique<Static>(equations, settings);
}

}  // namespace koppla::solver::detail
