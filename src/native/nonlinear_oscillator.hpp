#pragma once

#include <memory>

#include "koppla/solver/equations.hpp"

/// The test model of dynamic-static coupling, Schmoll 4.3: a mass that moves, and a spring that is a static model.
namespace koppla::native {

/// Schmoll does not state the mass; 1 kg is an assumption.
struct NonlinearOscillator {
  double m = 1.0;      ///< kg
  double c = 1e5;      ///< N/m4, stiffness to the ground
  double d = 5e-4;     ///< N s2/m2, damping to the ground
  double x0 = 2.0;     ///< m, at the start
  double v0 = -100.0;  ///< m/s, at the start
};

/// m x'' = -c sgn(x) |x|^4 - d sgn(x') |x'|^2 + f, Schmoll (4.18). Input f; outputs x, v; states (x, v); marker
/// "point".
std::unique_ptr<solver::Equations> nonlinearOscillator(const NonlinearOscillator& settings = {});

struct HardeningSpring {
  double c = 1e5;      ///< N
  double alpha = 3.0;  ///< 1/m, growth of the force
  double d = 1e-5;     ///< N s3/m3
};

/// f = -c sgn(x) (exp(alpha |x|) - 1) - d sgn(v) |v|^3, Schmoll (4.22). Inputs x, v; output f.
std::unique_ptr<solver::Equations> hardeningSpring(const HardeningSpring& settings = {});

}  // namespace koppla::native
