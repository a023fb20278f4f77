#pragma once

#include <vector>

#include "koppla/project/findings.hpp"
#include "koppla/project/project.hpp"
#include "koppla/subsystem/description.hpp"

namespace koppla::project {

/// The markers of a subsystem: its own, and those that the project declares by the names of ports. Mistakes in a
/// declaration are reported, and the marker is left out.
std::vector<subsystem::Marker> markersOf(const SubsystemEntry& entry, const subsystem::Description& description,
                                         Findings& findings);

}  // namespace koppla::project
