#pragma once

#include "koppla/coupling/system.hpp"
#include "koppla/run/settings.hpp"

namespace koppla::test {

/// Uniform rods in the plane, hinged to each other and the first one to the ground, horizontal and at rest at the
/// start. Every rod is a subsystem; the hinges between them are rigid joints, method 1 index 2 with beta = H/2.
coupling::System rodChain(std::size_t rods);
/// Semi-implicit coupling, k = 0, with steps of 1 ms on one thread.
run::Settings chainSettings(double end);

}  // namespace koppla::test
