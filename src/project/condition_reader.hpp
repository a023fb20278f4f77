#pragma once

#include <optional>

#include "koppla/project/condition.hpp"
#include "koppla/project/table_reader.hpp"

namespace koppla::project {

/// "a.b.c" is "b.c" of subsystem "a"; whether both are there is checked later.
PortReference parseReference(const Placed<std::string>& typed);

/// Reads one [[conditions]] table. Nothing if too little of it can be read.
std::optional<ConditionEntry> readCondition(TableReader& table);

}  // namespace koppla::project
