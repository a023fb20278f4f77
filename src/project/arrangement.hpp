#pragma once

#include "koppla/coupling/system.hpp"
#include "koppla/project/findings.hpp"
#include "koppla/project/project.hpp"

namespace koppla::project {

/// Completes the order of evaluation, which may be asked for by a rule or by the name of the master, and reports what
/// the members cannot do.
void arrange(coupling::System& system, const Project& project, Findings& findings);

}  // namespace koppla::project
