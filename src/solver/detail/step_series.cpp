#include "koppla/solver/detail/step_series.hpp"

#include <algorithm>
#include <cmath>

#include "koppla/solver/detail/scalars.hpp"

namespace koppla::solver::detail {

namespace {

double largest(std::span<const double> values) {
  double most = 0.0;
  for (const double value : values) most = std::fmax(most, std::fabs(value));
  return most;
}

void takeDifference(std::span<double> above, std::span<const double> below, double distance) {
  for (std::size_t i = 0; i < above.size(); ++i) above[i] = (above[i] - below[i]) / (2.0 * distance);
}

}  // namespace

StepSeries::StepSeries(const Equations& equations)
    : equations_(&equations),
      x_(equations.stateCount()),
      u_(realScalars(equations.describe(), subsystem::Causality::input)),
      f_(x_.size()),
      acts_(x_.size()),
      through_(x_.size()),
      dx_(x_.size()),
      y_(realScalars(equations.describe(), subsystem::Causality::output)),
      direct_(y_.size()),
      below_(y_.size()) {}

/// df/dx in a direction.
void StepSeries::rates(const Instant& at, std::span<const double> direction, double distance,
                       std::span<double> result) {
  const auto evaluate = [&](double h, std::span<double> dx) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = at.x[i] + h * direction[i];
    equations_->derivatives(at.t, x_, at.u, dx);
  };
  evaluate(distance, result);
  evaluate(-distance, f_);
  takeDifference(result, f_, distance);
}

std::span<const double> StepSeries::column(const Instant& end, double length, std::size_t input,
                                           subsystem::SeriesWeights weights) {
  std::ranges::copy(end.u, u_.begin());
  const double change = kRelativeStep * std::fmax(1.0, std::fabs(end.u[input]));
  const auto shifted = [&](double by) -> std::span<const double> {
    u_[input] = end.u[input] + by;
    return u_;
  };
  equations_->derivatives(end.t, end.x, shifted(change), acts_);
  equations_->derivatives(end.t, end.x, shifted(-change), f_);
  takeDifference(acts_, f_, change);
  equations_->outputs(end.t, end.x, shifted(change), direct_);
  equations_->outputs(end.t, end.x, shifted(-change), below_);
  takeDifference(direct_, below_, change);

  const double size = largest(acts_);
  std::ranges::fill(through_, 0.0);
  if (size > 0.0) rates(end, acts_, kRelativeStep * std::fmax(1.0, largest(end.x)) / size, through_);
  for (std::size_t i = 0; i < dx_.size(); ++i)
    dx_[i] = acts_[i] != 0.0 ? weights.integral * length * acts_[i] : weights.second * length * length * through_[i];

  const double moved = largest(dx_);
  std::ranges::fill(y_, 0.0);
  if (moved > 0.0) {
    const double distance = kRelativeStep * std::fmax(1.0, largest(end.x)) / moved;
    const auto evaluate = [&](double h, std::span<double> y) {
      for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = end.x[i] + h * dx_[i];
      equations_->outputs(end.t, x_, end.u, y);
    };
    evaluate(distance, y_);
    evaluate(-distance, below_);
    takeDifference(y_, below_, distance);
  }
  for (std::size_t i = 0; i < y_.size(); ++i)
    if (direct_[i] != 0.0) y_[i] = direct_[i];
  return y_;
}

}  // namespace koppla::solver::detail
