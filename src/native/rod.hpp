#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "koppla/solver/equations.hpp"

namespace koppla::native {

/// How the coupled end of the rod (node N1) follows the motion that is given.
enum class RodBoundary : std::uint8_t {
  prescribed,  ///< N1 has that motion, its acceleration is taken as zero: Schmoll 3.3.2.2
  penalty      ///< N1 is free, a spring and damper tie it to that motion: Schmoll 3.3.2.1
};

/// An elastic rod of linear finite elements with lumped mass, one end coupled, the other one fixed. Defaults: Schmoll,
/// table 3.1. What the defaults make is the second half of schmollTable31().
struct Rod {
  std::int32_t elements = 2;  ///< 1 .. kMostRodElements
  RodBoundary boundary = RodBoundary::prescribed;
  double area = 0.002;            ///< m2
  double length = 1.0;            ///< m
  double youngsModulus = 5e7;     ///< N/m2
  double density = 1000.0;        ///< kg/m3
  double rayleighBeta = 2e-5;     ///< s, damping matrix = rayleighBeta * stiffness matrix
  double penaltyStiffness = 1e7;  ///< N/m, only with the boundary `penalty`
  double penaltyDamping = 200.0;  ///< N s/m, only with the boundary `penalty`
  double w0 = 1e-2;               ///< m, displacement of N1 at the start; falls linearly to zero at the fixed end
  /// m, of the free nodes from N1's side on, instead of the linear shape; empty: linear.
  std::vector<double> displacements = {};
  /// The deliberate mistake of Schmoll 3.3.2.2: the reaction holds the inertia of N1, so an input a is needed and the
  /// loop with a body that gives its acceleration has feed-through on both sides. Only with the boundary `prescribed`.
  bool nodeInertia = false;
};

inline constexpr std::int32_t kMostRodElements = 10000;

/// Schmoll (3.20)-(3.24) with element length l = length / elements, k = E A / l, b = rayleighBeta k and node mass
/// rho A l, half of it at N1. Inputs w, v (and a) of the coupled end. Outputs: f, the force on the partner, with
/// feed-through; then w<i> and v<i> of each free node i. States: all w<i>, then all v<i>.
///   prescribed: f = k (w2 - w) + b (v2 - v) [- rho A l / 2 a]
///   penalty:    f = ck (w1 - w) + dk (v1 - v)
std::unique_ptr<solver::Equations> rod(Rod settings = {});

}  // namespace koppla::native
