#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string_view>

#include "koppla/project/findings.hpp"
#include "koppla/project/project.hpp"

namespace koppla::project {

/// The version of the project file that this reader knows.
inline constexpr unsigned kFormat = 1;

/// Its sections, each a table of options.
inline constexpr std::array<std::string_view, 6> kSections{"simulation",   "algorithm", "step_control",
                                                           "acceleration", "results",   "reference"};

/// A project as far as it could be read, and what is wrong with it.
struct Reading {
  Project project;
  Findings findings;
};

/// Reads the text of a project file and checks all that can be checked without opening an FMU. Never throws for what
/// the text says.
Reading parse(std::string_view text, const std::filesystem::path& file, std::span<const Override> overrides = {});

}  // namespace koppla::project
