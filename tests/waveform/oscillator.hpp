#pragma once

#include "koppla/coupling/system.hpp"
#include "koppla/solver/settings.hpp"

namespace koppla::test {

/// Two masses of 1 kg, each on a spring of 4 pi^2 N/m to the ground, with one of 16 pi^2 N/m between them; x1(0) = 1 m,
/// x2(0) = 0, at rest. Each of the members "m1" and "m2" has the middle spring and takes the other's position.
coupling::System partitionedOscillator(const solver::IntegratorSettings& integrator);
/// The same with the middle spring as a member of its own, "spring", which is evaluated in the coupling.
coupling::System oscillatorWithSpring(const solver::IntegratorSettings& integrator);

/// Position of the first mass (m): in phase the masses swing with 2 pi rad/s, against each other with 6 pi rad/s.
double exactPosition(double t);

}  // namespace koppla::test
