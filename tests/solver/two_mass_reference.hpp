#pragma once

#include <vector>

#include "rig.hpp"

namespace koppla::solver::test {

/// NRMSE (Schmoll 2.33, 2.34) of a subsystem without inputs that solves the two-mass oscillator, over samples every H
/// (s) up to 1 s, against z(t + H) = expm(A H) z(t) in long double.
double globalError(Rig& rig, double H);

/// Largest amount of an eigenvalue of the map of states that one step of length h (s) makes.
double spectralRadius(Rig& rig, double h);

}  // namespace koppla::solver::test
