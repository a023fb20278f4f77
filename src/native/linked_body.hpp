#pragma once

#include <memory>

#include "koppla/solver/equations.hpp"

namespace koppla::native {

/// One side of displacement/displacement coupling: both sides know the spring and damper between them and take each
/// other's motion. Defaults: subsystem 1 of Schmoll, table 2.1.
struct LinkedBody {
  double m = 1.0;       ///< kg
  double c = 1e4;       ///< N/m
  double d = 2.0;       ///< N s/m
  double ck = 1e6;      ///< N/m, of the link
  double dk = 14.1421;  ///< N s/m, of the link
  double x0 = 1.0;      ///< m, at the start
  double v0 = 0.0;      ///< m/s, at the start
};

/// m x'' = -(c + ck) x - (d + dk) x' + ck x_partner + dk v_partner, Schmoll 2.3.2. Inputs x_partner, v_partner; outputs
/// x, v; states (x, v).
std::unique_ptr<solver::Equations> linkedBody(LinkedBody settings = {});

}  // namespace koppla::native
