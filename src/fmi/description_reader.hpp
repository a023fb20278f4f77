#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/fmi/model_description.hpp"

namespace koppla::fmi {

struct DescriptionRead {
  ModelDescription model;
  std::vector<core::Problem> warnings;  ///< one per broken rule
};

/// Reads modelDescription.xml; `file` is its name in messages. Lenient: what the standard forbids and can be understood
/// all the same is a warning. Throws core::InputError with all problems at once where the model cannot be used: no XML,
/// no FMI 2.0, no co-simulation, no guid, no usable modelIdentifier or valueReference; `strict`: also for every
/// warning.
DescriptionRead readModelDescription(std::string_view xml, const std::string& file, bool strict = false);

}  // namespace koppla::fmi
