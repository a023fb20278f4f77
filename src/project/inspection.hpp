#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/core/log.hpp"
#include "koppla/subsystem/description.hpp"

namespace koppla::project {

/// What a model says about itself.
struct Inspection {
  std::vector<std::pair<std::string, std::string>> facts;  ///< such as "generation tool": "..."; empty ones left out
  subsystem::Description description;
  std::vector<core::Problem> warnings;  ///< rules of its standard that it breaks
};

/// Opens an FMU without instantiating it; a name that is no file may be the word of a built-in model. Throws
/// core::InputError where it is neither.
Inspection inspect(const std::filesystem::path& model, core::Log& log);

}  // namespace koppla::project
