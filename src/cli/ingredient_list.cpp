#include "ingredient_list.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/file.hpp"
#include "koppla/core/hash.hpp"
#include "koppla/project/ingredients.hpp"

namespace koppla::cli {

IngredientList ingredientsOf(const project::Project& plan) {
  IngredientList list;
  project::Ingredients ingredients([&list](const project::Ingredient& ingredient) {
    std::string name = ingredient.name;
    std::ranges::replace(name, '\n', '?');  // one line each
    list[std::move(name)] = fmt::format("{:016x}", core::Hash().add(ingredient.content).value());
  });
  ingredients.tellThoseOf(plan);
  return list;
}

std::string textOf(const IngredientList& ingredients) {
  std::string text;
  for (const auto& [name, checksum] : ingredients) text += fmt::format("{} {}\n", checksum, name);
  return text;
}

IngredientList readIngredients(const std::filesystem::path& file) {
  IngredientList list;
  std::istringstream lines(core::readWhole(file));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string::npos) list[line.substr(blank + 1)] = line.substr(0, blank);
  }
  return list;
}

}  // namespace koppla::cli
