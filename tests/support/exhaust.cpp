#include "support/exhaust.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace koppla::test {

namespace {

using Matrix6cd = Eigen::Matrix<std::complex<double>, 6, 6>;

Exhaust::Field answered(const solver::Equations& model, const Exhaust::Field& given) {
  std::vector<double> y(2 * Exhaust::kValues);
  model.outputs(0.0, {}, realAndImaginary(given), y);
  return fromRealAndImaginary(y);
}

auto atFrequency(const Exhaust::Field& field, std::size_t n) {
  return Eigen::Map<const Eigen::Vector<std::complex<double>, 6>>(field.data() + n * Exhaust::kRotations);
}

template <typename Matrix>
Eigen::Map<const Matrix6cd> mapped(const Matrix& matrix) {
  return Eigen::Map<const Matrix6cd>(matrix.data());
}

}  // namespace

Exhaust::Exhaust(const native::ExhaustRotors& rotors)
    : structure_(native::exhaustStructure()),
      rotors_(native::exhaustRotors(rotors)),
      excited_(structure(Field(kValues))),
      loop_(kFrequencies) {
  // The loop is linear: its columns are what it makes of rotations by 1 rad, at all frequencies at once.
  for (std::size_t column = 0; column < kRotations; ++column) {
    Field unit(kValues);
    for (std::size_t n = 0; n < kFrequencies; ++n) unit[n * kRotations + column] = 1.0;
    const Field rotations = structure(rotor(unit));
    for (std::size_t n = 0; n < kFrequencies; ++n)
      for (std::size_t row = 0; row < kRotations; ++row)
        loop_[n][column * kRotations + row] = rotations[n * kRotations + row] - excited_[n * kRotations + row];
  }
}

Exhaust::Field Exhaust::structure(const Field& moments) const {
  return answered(*structure_, moments);
}

Exhaust::Field Exhaust::rotor(const Field& rotations) const {
  return answered(*rotors_, rotations);
}

Exhaust::Field Exhaust::coupledRotations() const {
  Field rotations;
  for (std::size_t n = 0; n < kFrequencies; ++n) {
    const Matrix6cd matrix = Matrix6cd::Identity() - mapped(loop_[n]);
    const Eigen::Vector<std::complex<double>, 6> solution = matrix.partialPivLu().solve(atFrequency(excited_, n));
    rotations.insert(rotations.end(), solution.begin(), solution.end());
  }
  return rotations;
}

std::vector<std::complex<double>> Exhaust::loopEigenvalues(std::size_t n) const {
  const Eigen::ComplexEigenSolver<Matrix6cd> solver(mapped(loop_[n]), false);
  return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

std::vector<double> realAndImaginary(const Exhaust::Field& field) {
  std::vector<double> values;
  for (const std::complex<double>& z : field) values.insert(values.end(), {z.real(), z.imag()});
  return values;
}

Exhaust::Field fromRealAndImaginary(std::span<const double> values) {
  Exhaust::Field field;
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) field.emplace_back(values[i], values[i + 1]);
  return field;
}

std::vector<double> amplitudeAndPhase(const Exhaust::Field& field) {
  std::vector<double> values;
  for (const std::complex<double>& z : field) values.insert(values.end(), {std::abs(z), std::arg(z)});
  return values;
}

Exhaust::Field fromAmplitudeAndPhase(std::span<const double> values) {
  Exhaust::Field field;
  // Not std::polar: accelerators may send an amplitude below zero.
  for (std::size_t i = 0; i + 1 < values.size(); i += 2)
    field.emplace_back(values[i] * std::cos(values[i + 1]), values[i] * std::sin(values[i + 1]));
  return field;
}

double meanError(const Exhaust::Field& field, const Exhaust::Field& exact) {
  double error = 0.0;
  double size = 0.0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    error += std::abs(field[k] - exact[k]);
    size += std::abs(exact[k]);
  }
  return error / size;
}

double iterationsTo(double tolerance, const std::vector<double>& errors) {
  const auto above = std::ranges::find_if(errors.rbegin(), errors.rend(), [=](double e) { return !(e < tolerance); });
  return static_cast<double>(errors.rend() - above + 1);
}

}  // namespace koppla::test
