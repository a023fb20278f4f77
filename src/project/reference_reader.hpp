#pragma once

#include <optional>

#include "koppla/project/reference.hpp"
#include "koppla/project/table_reader.hpp"

namespace koppla::project {

/// Reads the table [reference] of a project. Nothing if its kind cannot be read.
std::optional<ReferenceEntry> readReferenceEntry(TableReader& table);

}  // namespace koppla::project
