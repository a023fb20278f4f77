#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "koppla/project/project.hpp"
#include "koppla/project/table_reader.hpp"

namespace koppla::project {

/// Reads one [[subsystems]] table; paths are relative to `folder`. Nothing if too little of it can be read.
std::optional<SubsystemEntry> readSubsystem(TableReader& table, const std::filesystem::path& folder,
                                            Findings& findings);

/// Whether `--set name.key=` means an option of the subsystem rather than one of its parameters. A parameter of the
/// same name is reached by name.parameters.key.
bool isSubsystemOption(const Table& subsystem, std::string_view key);

}  // namespace koppla::project
