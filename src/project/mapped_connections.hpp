#pragma once

#include <vector>

#include "koppla/core/log.hpp"
#include "koppla/project/findings.hpp"
#include "koppla/project/parts.hpp"
#include "koppla/project/resolver.hpp"

namespace koppla::project {

/// Makes the mappings of connections: reads the points, takes them in the order of the ports' ids, and ties them. How
/// well the meshes fit is written to the log; mistakes go to the resolution's findings.
void makeMappings(const Parts& parts, Resolution& resolution, core::Log& log);

}  // namespace koppla::project
