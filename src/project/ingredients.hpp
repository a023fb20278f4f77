#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "koppla/project/project.hpp"

namespace koppla::project {

struct Ingredient {
  std::string name;  ///< the absolute path of a file, or whose fingerprint it is, as "The program 'valve'"
  std::string_view content;
};

/// What results depend on beside the texts of project files: the content of FMUs, of signals' samples and of mappings'
/// points, fingerprints of programs (themselves, commands' own files, decks, folders, files of ids and of the start).
/// Of several projects each file is told once, however often it is named.
class Ingredients {
 public:
  explicit Ingredients(std::function<void(const Ingredient&)> tell) : tell_(std::move(tell)) {}

  /// Throws core::InputError or core::FileError where a file cannot be read.
  void tellThoseOf(const Project& project);

 private:
  void tellFile(const std::filesystem::path& file);

  std::function<void(const Ingredient&)> tell_;
  std::set<std::filesystem::path> told_;
};

}  // namespace koppla::project
