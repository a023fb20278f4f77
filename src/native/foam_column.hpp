#pragma once

#include <cstdint>
#include <memory>

#include "koppla/solver/equations.hpp"

namespace koppla::native {

/// A column of foam on a rigid floor, in finite elements with lumped mass, that a body pushes from above: motion of the
/// body in, contact force out, as in Schmoll 3.3.4. All defaults are ours.
struct FoamColumn {
  std::int32_t elements = 6;      ///< 1 .. kMostFoamElements
  double area = 0.0025;           ///< m2
  double length = 0.03;           ///< m, without load
  double density = 200.0;         ///< kg/m3, without load
  double modulus = 2e6;           ///< N/m2, slope of the stress at rest
  double plateau = 1.5e5;         ///< N/m2, stress that the cells buckle at
  double densification = 3e6;     ///< N/m2, of the closed cells
  double exponent = 8.0;          ///< how late and steep the cells close
  double viscosity = 2000.0;      ///< Pa s, stress per rate of strain
  double capMass = 0.02;          ///< kg, of the part at the top that the body meets
  double contactStiffness = 5e6;  ///< N/m
  double contactDamping = 200.0;  ///< N s/m
  double w0 = 0.0;  ///< m, displacement of the top at the start, upward positive; falls linearly to zero at the floor
};

inline constexpr std::int32_t kMostFoamElements = 10000;

/// Elements of length l = length / elements with the compressive strain e push their ends apart with the force
///   P = area ( modulus e / (1 + modulus |e| / plateau) + densification max(e, 0)^exponent + viscosity e' ).
/// Nodes have the mass density area l, the top one half of it and the cap. Inputs: height x above the floor and
/// velocity v of the body. Outputs: f, the force on the body, with feed-through,
///   f = max(0, ck (top - x) + dk (top' - v)) where x < top, else 0;
/// top, the height of the top node; gap = x - top, with feed-through of x; strain, the largest e (0 where there is
/// none). States: displacements of the nodes from the top down, upward positive, then their velocities.
std::unique_ptr<solver::Equations> foamColumn(const FoamColumn& settings = {});

}  // namespace koppla::native
