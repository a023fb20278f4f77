#pragma once

#include "koppla/coupling/system.hpp"
#include "koppla/run/settings.hpp"
#include "koppla/run/statistics.hpp"

namespace koppla::run {

/// The order in the macro step with which the global error falls for smooth values, if subsystems solve their own
/// equations more accurately: degree + 1. Where inputs are fitted it is no more than the fits allow, unless their
/// subsystems do not care what an input was inside the step.
OrderRange nominalOrder(const coupling::System& system, const Settings& settings);

}  // namespace koppla::run
