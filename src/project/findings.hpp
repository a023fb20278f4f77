#pragma once

#include <string>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/core/log.hpp"

namespace koppla::project {

/// What was found while a project was read and checked.
struct Findings {
  std::vector<core::Problem> mistakes;
  std::vector<core::Problem> warnings;

  void mistake(core::Place place, std::string message, std::string remedy = {});
  void warning(core::Place place, std::string message, std::string remedy = {});
  void append(Findings other);
  /// In the order of lines; the command line comes after the file.
  void sort(const std::string& file);
  /// Writes the warnings to the log and throws core::InputError if there are mistakes.
  void conclude(core::Log& log) const;
};

}  // namespace koppla::project
