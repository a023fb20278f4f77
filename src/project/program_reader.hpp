#pragma once

#include <filesystem>
#include <span>

#include "koppla/program/settings.hpp"
#include "koppla/project/project.hpp"
#include "koppla/project/table_reader.hpp"

namespace koppla::project {

/// The options of a program behind files, docs/programs.md. Parameters that are no inputs become parameters of the
/// program. Paths are relative to `folder`, that of the project file.
program::ProgramSettings readProgram(TableReader& table, const std::string& name, std::span<const Parameter> parameters,
                                     const std::filesystem::path& folder);

}  // namespace koppla::project
