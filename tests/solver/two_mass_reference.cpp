#include "two_mass_reference.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <unsupported/Eigen/MatrixFunctions>

namespace koppla::solver::test {

namespace {

using Matrix = Eigen::Matrix<long double, 4, 4>;
using Vector = Eigen::Matrix<long double, 4, 1>;

Matrix propagator(double t) {
  const std::vector<double> a = twoMasses().linear.a;
  const Matrix system = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(a.data()).cast<long double>();
  return (system * static_cast<long double>(t)).exp();
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
  Eigen::MatrixXd map(n, n);
  for (std::size_t column = 0; column < n; ++column) {
    std::vector<double> unit(n, 0.0);
    unit[column] = 1.0;
    rig.system->setStates(unit);
    rig.step(0.0, h);
    const std::vector<double> image = rig.system->states();
    map.col(static_cast<Eigen::Index>(column)) =
        Eigen::Map<const Eigen::VectorXd>(image.data(), static_cast<Eigen::Index>(n));
  }
  return map.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace koppla::solver::test
