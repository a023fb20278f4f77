#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::subsystem {

/// A whole turn in a unit of angles, rad where none is declared; nothing for other units.
std::optional<double> turnOf(std::string_view unit);

/// The angle that is nearest to `reference` among those that differ from `value` by whole turns; the value itself, bit
/// by bit, where it is nearest, and where one of them is not finite.
double onNearestBranch(double value, double reference, double turn);

/// A subsystem whose phases are unwrapped before anybody forms differences of them (Jung, sec. 4.6 of the notes): these
/// real outputs, angles known up to whole turns, are passed on from the branch nearest to what the caller's memory
/// held, which is what was sent or answered before. Observed phases are on the branch of those passed on last.
std::unique_ptr<Subsystem> unwrapPhases(std::unique_ptr<Subsystem> inner, std::vector<PortIndex> phases);

}  // namespace koppla::subsystem
