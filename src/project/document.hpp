#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "koppla/core/error.hpp"

namespace koppla::project {

struct Node;
struct Entry;
using Array = std::vector<Node>;
using Table = std::vector<Entry>;  ///< in the order of the text; keys are unique
struct Moment {};                  ///< a date or a time of day; no option has this type

/// A value of a TOML text with its place, free of the parser's types.
struct Node {
  core::Place place;
  std::variant<bool, std::int64_t, double, std::string, Moment, Array, Table> value;
};

struct Entry {
  std::string key;
  core::Place place;
  Node node;
};

/// The whole text as a table; throws core::InputError where it is not TOML.
Table parseToml(std::string_view text, const std::string& file);

/// A single value in TOML's notation, or the text itself where it is none.
Node parseValue(std::string_view text, const core::Place& place);

/// "the string 'abc'", "the integer 3", "an array": what was found, for messages.
std::string inWords(const Node& node);

}  // namespace koppla::project
