#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "koppla/project/project.hpp"

namespace koppla::cli {

/// The project as it was run: its own text, and what the command line changed. A run folder keeps it as project.toml.
struct ProjectCopy {
  std::filesystem::path origin;  ///< the project file; relative paths start from there
  std::string text;
  std::vector<project::Override> overrides;
};

std::string textOf(const ProjectCopy& copy);

/// Reads what textOf() wrote. Throws core::InputError where it is no such copy.
ProjectCopy readProjectCopy(const std::filesystem::path& file);

}  // namespace koppla::cli
