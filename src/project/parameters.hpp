#pragma once

#include <span>
#include <vector>

#include "koppla/project/document.hpp"
#include "koppla/project/findings.hpp"
#include "koppla/project/project.hpp"

namespace koppla::project {

/// The parameters in a table. Nested tables are names with dots: `a.b = 3` and `"a.b" = 3` mean the same port.
std::vector<Parameter> readParameters(const Table& table, Findings& findings);

/// Gives "subsystem.parameter" overrides to their subsystems, in place of what the file says. `options` are the full
/// names of all options, for suggestions.
void applyToParameters(Project& project, std::span<const Override> overrides, std::span<const std::string> options,
                       Findings& findings);

}  // namespace koppla::project
