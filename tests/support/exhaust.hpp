#pragma once

#include <array>
#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "koppla/native/exhaust_tract.hpp"

namespace koppla::test {

/// The exhaust tract in complex numbers, with what its two models together have: a direct solution and the eigenvalues
/// of their loop. Reference data are those of the notes, sec. 12.4.
class Exhaust {
 public:
  static constexpr std::size_t kFrequencies = native::kExhaustFrequencies;
  static constexpr std::size_t kRotations = native::kExhaustRotations;
  static constexpr std::size_t kValues = native::kExhaustAmplitudes;

  /// A value for each frequency and rotation, the rotations of one frequency side by side.
  using Field = std::vector<std::complex<double>>;

  explicit Exhaust(const native::ExhaustRotors& rotors = {});

  /// Rotations (rad) under the excitation at the mounts and these moments (N.m).
  [[nodiscard]] Field structure(const Field& moments) const;
  /// Moments (N.m) on the bodies whose rotors are turned by these rotations (rad).
  [[nodiscard]] Field rotor(const Field& rotations) const;
  /// The rotations that both agree upon, by a direct solution.
  [[nodiscard]] Field coupledRotations() const;

  /// Eigenvalues of the loop at one frequency.
  [[nodiscard]] std::vector<std::complex<double>> loopEigenvalues(std::size_t n) const;

 private:
  using Matrix = std::array<std::complex<double>, kRotations * kRotations>;  ///< column by column

  std::unique_ptr<solver::Equations> structure_;
  std::unique_ptr<solver::Equations> rotors_;
  Field excited_;             ///< rotations without moments
  std::vector<Matrix> loop_;  ///< by frequency: change of the rotations by rotations before
};

/// Real parts and imaginary parts side by side: two reals for each value.
std::vector<double> realAndImaginary(const Exhaust::Field& field);
Exhaust::Field fromRealAndImaginary(std::span<const double> values);

/// Amplitude and phase (rad, in (-pi, pi]) side by side.
std::vector<double> amplitudeAndPhase(const Exhaust::Field& field);
Exhaust::Field fromAmplitudeAndPhase(std::span<const double> values);

/// Sum of the errors of all values, relative to the sum of their sizes.
double meanError(const Exhaust::Field& field, const Exhaust::Field& exact);
/// How many iterations it takes until the errors stay below.
double iterationsTo(double tolerance, const std::vector<double>& errors);

}  // namespace koppla::test
