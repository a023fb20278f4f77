#pragma once

#include <functional>
#include <string>

#include "koppla/coupling/system.hpp"
#include "koppla/run/settings.hpp"

namespace koppla::run {

/// The same coupled system anew for every call, made for these settings.
using SystemMaker = std::function<coupling::System(const Settings&)>;

/// What a run will meet, by the recursion of a macro step (recursion.hpp): a sentence for the user where the coupling
/// makes disturbances grow so much until the end that the run would notice it (growth_watch.hpp), and what keeps them
/// small. Empty where it does not, where the growth is the model's own or to be ignored, and where nobody can tell:
/// members that are not linear or do not give their states, steps that are adapted, systems so large that it would take
/// long.
std::string foretellGrowth(const SystemMaker& make, const Settings& settings);

}  // namespace koppla::run
