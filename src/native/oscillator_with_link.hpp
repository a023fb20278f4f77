#pragma once

#include <memory>

#include "koppla/solver/equations.hpp"

namespace koppla::native {

/// A mass on a spring and damper to the ground that also owns the spring and damper to its partner: it takes the
/// partner's motion and answers with the force on it. Defaults: subsystem 2 of Schmoll, table 2.1.
struct OscillatorWithLink {
  double m = 1.0;            ///< kg
  double c = 1e5;            ///< N/m
  double d = 6.3246;         ///< N s/m
  double ck = 1e6;           ///< N/m, of the link
  double dk = 14.1421;       ///< N s/m, of the link
  double x0 = 2.0;           ///< m, at the start
  double v0 = 0.0;           ///< m/s, at the start
  bool nodeInertia = false;  ///< a mass at the partner's end of the link, which needs the partner's acceleration
  double nodeMass = 0.5;     ///< kg, only with nodeInertia; default: the node of the rod, Schmoll (3.21)
};

/// m x'' = -c x - d x' - F,  F = ck (x - x1) + dk (x' - v1), Schmoll (2.21)-(2.26). Inputs x1, v1; outputs f = F (the
/// force on the partner, with feed-through), x, v; states (x, v).
/// With nodeInertia there is an input a1 and f = F - nodeMass a1: together with a partner that gives its acceleration
/// an algebraic loop, which explicit coupling does not survive (Schmoll 3.3.2.2).
std::unique_ptr<solver::Equations> oscillatorWithLink(OscillatorWithLink settings = {});

}  // namespace koppla::native
