#pragma once

#include <vector>

#include "koppla/coupling/system.hpp"

namespace koppla::coupling {

/// How the semi-implicit method treats the motion of two free bodies relative to each other: the limit of short steps,
/// where everything but the coupling condition is slow. Growth per step is a spectral radius; above 1 the coupling is
/// unstable however short the steps are, at 1 errors alternate and stay.
///
/// Of a rigid joint with polynomials of that degree, relaxed multipliers and steps of that length (s).
double growthOfFreeMotion(const Constraint& constraint, unsigned degree, double relaxation, double step);

/// Of a spring and damper with stiffness * step^2 / mass and damping * step / mass, mass the reduced one.
double growthOfFreeMotion(double stiffness, double damping, unsigned degree);

}  // namespace koppla::coupling
