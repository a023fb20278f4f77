#include "koppla/solver/detail/step_equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "koppla/solver/detail/scalars.hpp"

namespace koppla::solver::detail {

StepEquations::StepEquations(Equations& equations)
    : equations_(&equations),
      count_(realScalars(equations.describe(), subsystem::Causality::input)),
      held_(count_, 0.0),
      coefficients_(count_ * (subsystem::kMaxDegree + 1) + 1, 0.0),
      values_(count_, 0.0) {}

void StepEquations::begin(const subsystem::Step& step, const subsystem::Trajectory& trajectory,
                          std::span<const std::size_t> scalars) {
  t0_ = step.t0;
  t1_ = step.t1;
  span_ = step.t1 - step.t0;
  degree_ = std::min(trajectory.degree, subsystem::kMaxDegree);
  std::ranges::copy(held_, coefficients_.begin());
  std::fill_n(coefficients_.begin() + static_cast<std::ptrdiff_t>(count_), degree_ * count_, 0.0);
  for (unsigned k = 0; k <= degree_; ++k) {
    const std::span<const double> given = trajectory.power(k);
    for (std::size_t i = 0; i < scalars.size(); ++i) coefficients_[k * count_ + scalars[i]] = given[i];
  }
}

double StepEquations::rounding() const {
  constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();
  return kRounding * std::fmax(std::fabs(t0_), std::fabs(t1_));
}

std::span<const double> StepEquations::inputs(double tau) {
  const double s = span_ > 0.0 ? tau / span_ : 0.0;
  for (std::size_t i = 0; i < count_; ++i) {
    double sum = 0.0;
    for (unsigned k = degree_ + 1; k-- > 0;) sum = sum * s + coefficients_[k * count_ + i];
    values_[i] = sum;
  }
  return values_;
}

std::span<const double> StepEquations::inputRates(double tau) {
  std::ranges::fill(values_, 0.0);
  if (span_ <= 0.0) return values_;
  const double s = tau / span_;
  for (std::size_t i = 0; i < count_; ++i) {
    double sum = 0.0;
    for (unsigned k = degree_; k > 0; --k) sum = sum * s + k * coefficients_[k * count_ + i];
    values_[i] = sum / span_;
  }
  return values_;
}

}  // namespace koppla::solver::detail
