#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "koppla/project/project.hpp"

namespace koppla::cli {

/// What a run is made from beside the text of its project: names and checksums. Its folder keeps them as
/// ingredients.txt, a line each, so that the run is resumed from the same ones only.
using IngredientList = std::map<std::string, std::string>;

/// Throws core::InputError or core::FileError where a file cannot be read.
IngredientList ingredientsOf(const project::Project& plan);

std::string textOf(const IngredientList& ingredients);

/// Reads what textOf() wrote.
IngredientList readIngredients(const std::filesystem::path& file);

}  // namespace koppla::cli
