#pragma once

#include <string_view>

#include "koppla/mechanics/multibody.hpp"
#include "koppla/project/table_reader.hpp"

namespace koppla::project {

inline constexpr std::string_view kMultibodyModel = "multibody";

/// Reads what a [[subsystems]] table with model = "multibody" says about its bodies, markers, springs, forces and
/// joints. What cannot be read is reported and left out.
mechanics::MultibodySettings readMultibody(TableReader& table);

}  // namespace koppla::project
