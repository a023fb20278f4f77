#pragma once

#include <filesystem>

#include "koppla/project/mapping_entry.hpp"
#include "koppla/project/table_reader.hpp"

namespace koppla::project {

/// Reads the mapping of a connection; paths are relative to `folder`. Files are not opened.
MappingEntry readMapping(TableReader& table, const std::filesystem::path& folder);

}  // namespace koppla::project
