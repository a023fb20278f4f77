#include "koppla/solver/detail/outputs.hpp"

#include <algorithm>
#include <cmath>

#include "koppla/solver/detail/scalars.hpp"

namespace koppla::solver::detail {

using subsystem::Causality;

namespace {

/// Largest relative speed of values in a direction, 1 taken as the size of small values.
double speed(std::span<const double> values, std::span<const double> direction) {
  double largest = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i)
    largest = std::fmax(largest, std::fabs(direction[i]) / std::fmax(1.0, std::fabs(values[i])));
  return largest;
}

void addProduct(std::span<const double> matrix, std::span<const double> vector, std::span<double> sum) {
  for (std::size_t row = 0; row < sum.size(); ++row)
    for (std::size_t column = 0; column < vector.size(); ++column)
      sum[row] += matrix[row * vector.size() + column] * vector[column];
}

}  // namespace

Outputs::Outputs(const Equations& equations)
    : equations_(&equations),
      isLinear_(equations.isLinear()),
      y_(realScalars(equations.describe(), Causality::output)),
      below_(y_.size()),
      x_(equations.stateCount()),
      u_(realScalars(equations.describe(), Causality::input)),
      dx_(x_.size()),
      du_(u_.size()) {
  if (isLinear_) linear_ = equations.linear();
}

std::span<const double> Outputs::values(const Instant& at) {
  equations_->outputs(at.t, at.x, at.u, y_);
  return y_;
}

std::span<const double> Outputs::rates(const Instant& at, std::span<const double> dx, std::span<const double> du) {
  if (isLinear_) {
    std::ranges::fill(y_, 0.0);
    addProduct(linear_.c, dx, y_);
    addProduct(linear_.d, du, y_);
    return y_;
  }
  const double fastest = std::fmax(1.0 / std::fmax(1.0, std::fabs(at.t)), std::fmax(speed(at.x, dx), speed(at.u, du)));
  return difference(at, dx, du, 1.0, kRelativeStep / fastest);
}

std::span<const double> Outputs::sensitivity(const Instant& at, std::size_t input) {
  if (isLinear_) {
    for (std::size_t row = 0; row < y_.size(); ++row) y_[row] = linear_.d[row * u_.size() + input];
    return y_;
  }
  std::ranges::fill(dx_, 0.0);
  return sensitivity(at, input, dx_);
}

std::span<const double> Outputs::sensitivity(const Instant& at, std::size_t input, std::span<const double> dx) {
  std::ranges::fill(du_, 0.0);
  du_[input] = 1.0;
  const double ofInput = kRelativeStep * std::fmax(1.0, std::fabs(at.u[input]));
  return difference(at, dx, du_, 0.0, std::fmin(ofInput, kRelativeStep / speed(at.x, dx)));
}

std::span<const double> Outputs::difference(const Instant& at, std::span<const double> dx, std::span<const double> du,
                                            double dt, double h) {
  const auto evaluate = [&](double distance, std::span<double> y) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = at.x[i] + distance * dx[i];
    for (std::size_t i = 0; i < u_.size(); ++i) u_[i] = at.u[i] + distance * du[i];
    equations_->outputs(at.t + distance * dt, x_, u_, y);
  };
  evaluate(h, y_);
  evaluate(-h, below_);
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = (y_[i] - below_[i]) / (2.0 * h);
  return y_;
}

bool Outputs::isState(std::size_t output, std::size_t state) const {
  for (std::size_t i = 0; i < x_.size(); ++i)
    if (linear_.c[output * x_.size() + i] != (i == state ? 1.0 : 0.0)) return false;
  for (std::size_t i = 0; i < u_.size(); ++i)
    if (linear_.d[output * u_.size() + i] != 0.0) return false;
  return true;
}

std::string Outputs::stateName(std::size_t state) const {
  if (!isLinear_) return {};
  std::size_t output = 0;
  for (const subsystem::Port& port : equations_->describe().ports) {
    if (port.type != core::Type::real || port.causality != Causality::output) continue;
    if (port.size == 1 && isState(output, state)) return port.name;
    output += port.size;
  }
  return {};
}

}  // namespace koppla::solver::detail
