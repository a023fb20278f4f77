#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "koppla/solver/equations.hpp"

/// An exhaust tract with two turbochargers over a range of frequencies, a stand-in for the one of D. Jung, Adaptive
/// Relaxation, dissertation 2013, sec. 6.2: two rigid bodies on springs that the engine shakes, each with a rotor. The
/// structure answers moments with rotations, the rotors answer rotations with gyroscopic moments.
namespace koppla::native {

inline constexpr std::size_t kExhaustFrequencies = 100;
inline constexpr std::size_t kExhaustRotations = 6;  ///< three of each body
/// Complex amplitudes of a port, by frequency and rotation; real and imaginary part side by side make two reals each.
inline constexpr std::size_t kExhaustAmplitudes = kExhaustFrequencies * kExhaustRotations;

/// Hz, 50 to 198.5.
constexpr double exhaustFrequency(std::size_t n) {
  return 50.0 + 1.5 * static_cast<double>(n);
}

struct ExhaustStructure {
  double lossFactor = 0.02;  ///< imaginary part of the springs' stiffness
  double excitation = 5e-5;  ///< m, of the engine's mounts along x; 0.4 of it along y and 0.8 along z
};

/// theta = (K (1 + i eta) - omega^2 M)^-1 (f + m), the rotations among the degrees of freedom, at every frequency.
std::unique_ptr<solver::Equations> exhaustStructure(const ExhaustStructure& settings = {});

/// Hz, of the structure without rotors and damping, rising.
std::vector<double> exhaustEigenfrequencies();

struct ExhaustRotors {
  double inertia = 2e-4;  ///< kg.m2, polar, of each rotor
  double speed = 2e5;     ///< 1/min
  double damping = 0.3;   ///< N.m.s/rad, of the bearings
};

/// M = i omega (H [a]x - d (I - a a^T)) theta, a the axis and H the angular momentum of a rotor, at every frequency.
std::unique_ptr<solver::Equations> exhaustRotors(const ExhaustRotors& settings = {});

}  // namespace koppla::native
