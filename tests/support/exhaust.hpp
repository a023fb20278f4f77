#pragma once

#include <array>
#include <complex>
#include <span>
#include <vector>

namespace koppla::test {

/// A stand-in for Jung's exhaust tract with two turbochargers (dissertation 2013, sec. 6.2): two rigid bodies on
/// springs, each with a rotor, over 100 frequencies. The structure answers moments with rotations, the rotors answer
/// rotations with gyroscopic moments. Constants and reference data are those of the notes, sec. 12.4.
class Exhaust {
 public:
  static constexpr std::size_t kFrequencies = 100;
  static constexpr std::size_t kRotations = 6;  ///< three of each body
  static constexpr std::size_t kValues = kFrequencies * kRotations;

  /// A value for each frequency and rotation, the rotations of one frequency side by side.
  using Field = std::vector<std::complex<double>>;

  Exhaust();

  /// Hz.
  static double frequency(std::size_t n) { return 50.0 + 1.5 * static_cast<double>(n); }

  /// Rotations (rad) under the excitation at the mounts and these moments (N.m).
  [[nodiscard]] Field structure(const Field& moments) const;
  /// Moments (N.m) on the bodies whose rotors are turned by these rotations (rad).
  [[nodiscard]] Field rotor(const Field& rotations) const;
  /// The rotations that both agree upon, by a direct solution.
  [[nodiscard]] Field coupledRotations() const;

  /// Eigenvalues of the loop at one frequency.
  [[nodiscard]] std::vector<std::complex<double>> loopEigenvalues(std::size_t n) const;
  /// Hz, of the structure without rotors and damping, rising.
  [[nodiscard]] const std::vector<double>& eigenfrequencies() const { return eigenfrequencies_; }

 private:
  using Matrix = std::array<std::complex<double>, kRotations * kRotations>;  ///< column by column

  std::vector<Matrix> compliance_;  ///< by frequency: rotations by moments
  std::vector<Matrix> gyroscopic_;  ///< by frequency: moments by rotations
  Field excited_;                   ///< rotations without moments
  std::vector<double> eigenfrequencies_;
};

/// Real parts and imaginary parts side by side: two reals for each value.
std::vector<double> realAndImaginary(const Exhaust::Field& field);
Exhaust::Field fromRealAndImaginary(std::span<const double> values);

/// Amplitude and phase (rad, in (-pi, pi]) side by side.
std::vector<double> amplitudeAndPhase(const Exhaust::Field& field);
Exhaust::Field fromAmplitudeAndPhase(std::span<const double> values);

}  // namespace koppla::test
