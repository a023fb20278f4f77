#include "support/exhaust.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "koppla/core/detail/dense.hpp"
#include "koppla/core/eigenvalues.hpp"

namespace koppla::test {

namespace {

Exhaust::Field answered(const solver::Equations& model, const Exhaust::Field& given) {
  std::vector<double> y(2 * Exhaust::kValues);
  model.outputs(0.0, {}, realAndImaginary(given), y);
  return fromRealAndImaginary(y);
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
    const Eigen::Map<const Eigen::MatrixXcd> loop(loop_[n].data(), kRotations, kRotations);
    const Eigen::MatrixXcd matrix = Eigen::MatrixXcd::Identity(kRotations, kRotations) - loop;
    const Eigen::Map<const Eigen::VectorXcd> excited(excited_.data() + n * kRotations, kRotations);
    const Eigen::MatrixXcd solution = core::detail::solve(matrix, excited);
    rotations.insert(rotations.end(), solution.data(), solution.data() + kRotations);
  }
  return rotations;
}

std::vector<std::complex<double>> Exhaust::loopEigenvalues(std::size_t n) const {
  // The eigenvalues of [A -B; B A] are those of A + iB and their conjugates. A shift by more than the largest takes all
  // of the first above the real axis, so that they are told apart also where the loop has real ones or zero.
  constexpr std::size_t kSize = 2 * kRotations;
  std::array<double, kSize * kSize> real{};  // row by row
  for (std::size_t row = 0; row < kRotations; ++row)
    for (std::size_t column = 0; column < kRotations; ++column) {
      const std::complex<double> entry = loop_[n][column * kRotations + row];
      real[row * kSize + column] = real[(row + kRotations) * kSize + column + kRotations] = entry.real();
      real[(row + kRotations) * kSize + column] = entry.imag();
      real[row * kSize + column + kRotations] = -entry.imag();
    }
  const double shift = 1.0 + core::spectralRadius(real);
  for (std::size_t row = 0; row < kRotations; ++row) {
    real[(row + kRotations) * kSize + row] += shift;
    real[row * kSize + row + kRotations] -= shift;
  }
  const std::vector<std::complex<double>> both = core::eigenvalues(real).value();
  std::vector<std::complex<double>> eigenvalues;
  for (const std::complex<double>& shifted : both)
    if (shifted.imag() > 0.0) eigenvalues.push_back(shifted - std::complex(0.0, shift));
  if (eigenvalues.size() != kRotations) throw std::logic_error("the loop has not as many eigenvalues as rotations");
  return eigenvalues;
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
