#pragma once

#include <memory>

#include "koppla/solver/equations.hpp"

namespace koppla::native {

/// A mass on a spring and damper to the ground, driven by a force. Defaults: subsystem 1 of Schmoll, table 2.1.
struct OscillatorBody {
  double m = 1.0;             ///< kg
  double c = 1e4;             ///< N/m
  double d = 2.0;             ///< N s/m
  double x0 = 1.0;            ///< m, at the start
  double v0 = 0.0;            ///< m/s, at the start
  bool acceleration = false;  ///< an output a as well, which the force feeds through
  bool projection = false;    ///< an input w as well, a velocity that moves the body without being its velocity v
};

/// x' = v + w, m v' = -c x - d v + f, Schmoll (2.15)-(2.20) and, with w, Lu (114). Inputs f and, if asked for, w;
/// outputs x, v and, if asked for, a; states (x, v); marker "point".
std::unique_ptr<solver::Equations> oscillatorBody(OscillatorBody settings = {});

}  // namespace koppla::native
