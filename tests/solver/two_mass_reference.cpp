#include "two_mass_reference.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Core>

#include "koppla/core/eigenvalues.hpp"
#include "koppla/core/matrix_exponential.hpp"

namespace koppla::solver::test {

namespace {

using Matrix = Eigen::Matrix<long double, 4, 4, Eigen::RowMajor>;
using Vector = Eigen::Matrix<long double, 4, 1>;

Matrix propagator(double t) {
  std::vector<long double> scaled;
  for (const double entry : twoMasses().linear.a) scaled.push_back(static_cast<long double>(entry) * t);
  return Eigen::Map<const Matrix>(core::exponential(scaled).data());
}

/// F = ck (x2 - x1) + dk (v2 - v1), Schmoll (2.11).
constexpr std::array<double, 12> kOutputs{1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1e6, 1e6, -14.1421, 14.1421};

std::array<long double, 3> outputsOf(const Vector& z) {
  std::array<long double, 3> y{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 4; ++k) y[i] += kOutputs[4 * i + k] * z[static_cast<Eigen::Index>(k)];
  return y;
}

}  // namespace

std::array<double, 4> exactState(double t) {
  const Vector z = propagator(t) * Vector(1.0L, 2.0L, 0.0L, 0.0L);
  return {static_cast<double>(z[0]), static_cast<double>(z[1]), static_cast<double>(z[2]), static_cast<double>(z[3])};
}

std::array<double, 3> exactOutputs(double t) {
  const std::array<long double, 3> y = outputsOf(propagator(t) * Vector(1.0L, 2.0L, 0.0L, 0.0L));
  return {static_cast<double>(y[0]), static_cast<double>(y[1]), static_cast<double>(y[2])};
}

ErrorMeter::ErrorMeter(double H) : phi_{}, z_{1.0L, 2.0L, 0.0L, 0.0L} {
  Eigen::Map<Matrix>(phi_.data()) = propagator(H);
}

void ErrorMeter::add(std::span<const double> y) {
  Eigen::Map<Vector> z(z_.data());
  z = (Eigen::Map<const Matrix>(phi_.data()) * z).eval();
  const std::array<long double, 3> exact = outputsOf(z);
  for (std::size_t i = 0; i < 3; ++i) {
    const long double error = exact[i] - static_cast<long double>(y[i]);
    errors_[i] += error * error;
    sums_[i] += exact[i];
    squares_[i] += exact[i] * exact[i];
  }
  count_ += 1.0L;
}

double ErrorMeter::nrmse() const {
  long double sum = 0.0L;
  for (std::size_t i = 0; i < 3; ++i) sum += errors_[i] / (squares_[i] - sums_[i] * sums_[i] / count_);
  return static_cast<double>(std::sqrt(sum));
}

double globalError(Rig& rig, double H) {
  ErrorMeter meter(H);
  const auto steps = static_cast<int>(std::lround(1.0 / H));
  for (int n = 0; n < steps; ++n) {
    rig.step(n * H, (n + 1) * H);
    meter.add(rig.y);
  }
  return meter.nrmse();
}

double spectralRadius(Rig& rig, double h) {
  const std::size_t n = rig.system->states().size();
  std::vector<double> map(n * n);
  for (std::size_t column = 0; column < n; ++column) {
    std::vector<double> unit(n, 0.0);
    unit[column] = 1.0;
    rig.system->setStates(unit);
    rig.step(0.0, h);
    const std::vector<double> image = rig.system->states();
    for (std::size_t row = 0; row < n; ++row) map[row * n + column] = image[row];
  }
  return core::spectralRadius(map);
}

}  // namespace koppla::solver::test
