#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/core/log.hpp"
#include "koppla/subsystem/description.hpp"

namespace koppla::project {

/// What a model file says about itself.
struct Inspection {
  std::vector<std::pair<std::string, std::string>> facts;  ///< such as "generation tool": "..."; empty ones left out
  subsystem::Description description;
  std::vector<core::Problem> warnings;  ///< rules of its standard that it breaks
};

/// Opens an FMU without instantiating it. Throws core::InputError where it is not one.
Inspection inspect(const std::filesystem::path& fmu, core::Log& log);

}  // namespace koppla::project
