#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/core/error.hpp"

namespace koppla::fmi {

/// Line and column in a file, from 1; 0 where unknown.
struct Position {
  std::size_t line = 0;
  std::size_t column = 0;
};

/// A rule that a model description may break. Texts are literals: a rule is known by them.
struct Rule {
  std::string_view section;  ///< of FMI 2.0.4; empty for rules that are not the standard's
  std::string_view broken;   ///< what is wrong, as the beginning of a sentence
  std::string_view then;     ///< what Koppla does about it, or what the user can do
};

/// What is wrong with one file. Large models break the same rule a thousand times, so findings are grouped by rule:
/// each group is one core::Problem at the place of the first culprit that names the first few.
class Findings {
 public:
  void add(const Rule& rule, Position position, std::string culprit = {});

  [[nodiscard]] bool empty() const { return groups_.empty(); }
  [[nodiscard]] std::vector<core::Problem> problems(const std::string& file) const;

 private:
  struct Group {
    Rule rule;
    Position position;
    std::vector<std::string> culprits;  ///< the first few
    std::size_t count;
  };
  std::vector<Group> groups_;
};

/// An error with one problem in a file.
core::InputError inputError(const std::string& file, std::string message, std::string_view remedy,
                            Position position = {});

}  // namespace koppla::fmi
