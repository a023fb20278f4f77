#include "koppla/project/document.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "koppla/core/utf8.hpp"
#include "koppla/core/value.hpp"

namespace koppla::project {

namespace {

core::Place placeOf(const toml::source_position& position, const std::string& file) {
  return {file, position.line, position.column};
}

bool earlier(const Entry& a, const Entry& b) {
  return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
}

Node converted(const toml::node& node, const std::string& file);

/// toml++ sorts a table by its keys; a reader of messages expects the order of the text.
Table converted(const toml::table& table, const std::string& file) {
  Table entries;
  entries.reserve(table.size());
  for (const auto& [key, value] : table)
    entries.push_back({std::string(key.str()), placeOf(key.source().begin, file), converted(value, file)});
  std::ranges::sort(entries, earlier);
  return entries;
}

Node converted(const toml::node& node, const std::string& file) {
  Node result{placeOf(node.source().begin, file), Moment{}};
  if (const toml::table* table = node.as_table()) {
    result.value = converted(*table, file);
  } else if (const toml::array* array = node.as_array()) {
    Array elements;
    for (const toml::node& element : *array) elements.push_back(converted(element, file));
    result.value = std::move(elements);
  } else if (const auto* boolean = node.as_boolean()) {
    result.value = boolean->get();
  } else if (const auto* integer = node.as_integer()) {
    result.value = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    result.value = real->get();
  } else if (const auto* string = node.as_string()) {
    result.value = string->get();
  }
  return result;
}

/// The end of the string that begins at a quote; a newline ends one that is not closed.
std::size_t endOfString(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool multiline = text.substr(at, 3) == three;
  for (at += multiline ? 3 : 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\')
      ++at;
    else if (multiline ? text.substr(at, 3) == three : text[at] == quote || text[at] == '\n')
      return at + (multiline ? 3 : 1);
  }
  return text.size();
}

/// The parser limits the depth of brackets but not the parts of a key, and every part is a table in a table: a key of a
/// hundred thousand parts would overflow the stack.
void refuseDeepKeys(std::string_view text, const std::string& file) {
  constexpr std::size_t kMostParts = 100;
  std::size_t parts = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = endOfString(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '.') ++parts;
    if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) parts = 1;
    if (parts > kMostParts) {
      const std::string_view before = text.substr(0, at);
      const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
      throw core::InputError({{{file, line, at - before.rfind('\n')},
                               "This key has more than " + std::to_string(kMostParts) + " parts.",
                               "Names of options and ports have a few."}});
    }
    ++at;
  }
}

/// The parser would blame it on the syntax. UTF-16 has zeros, with which everything else may look like UTF-8.
void refuseOtherEncodings(std::string_view text, const std::string& file) {
  core::Place place{file, 1, 1};
  while (!text.empty()) {
    const auto [code, bytes] = core::firstCharacter(text);
    if (bytes == 0 || code == 0)
      throw core::InputError({{place,
                               fmt::format("This is not TOML: the byte 0x{:02X} is not UTF-8 text.",
                                           static_cast<unsigned char>(text.front())),
                               "Save the file as UTF-8; Latin-1 and UTF-16 are no TOML."}});
    text.remove_prefix(bytes);
    place.column = code == '\n' ? 1 : place.column + 1;
    if (code == '\n') ++place.line;
  }
}

/// All places in a value become the given one.
void move(Node& node, const core::Place& place) {
  node.place = place;
  if (auto* array = std::get_if<Array>(&node.value))
    for (Node& element : *array) move(element, place);
  if (auto* table = std::get_if<Table>(&node.value))
    for (Entry& entry : *table) {
      entry.place = place;
      move(entry.node, place);
    }
}

}  // namespace

Table parseToml(std::string_view text, const std::string& file) {
  refuseOtherEncodings(text, file);
  refuseDeepKeys(text, file);
  try {
    return converted(toml::parse(text), file);
  } catch (const toml::parse_error& error) {
    throw core::InputError(
        {{placeOf(error.source().begin, file), "This is not TOML: " + std::string(error.description()) + ".",
          "Check quotes, brackets and double keys here; texts stand in quotes."}});
  }
}

Node parseValue(std::string_view text, const core::Place& place) {
  Node plain{place, std::string(text)};
  if (text.find('\n') != std::string_view::npos) return plain;
  try {
    // In an array with a second element, because a comment would then swallow the bracket, and a bracket the element:
    // '5#main' and '5] #' are texts, not fives.
    Table table = parseToml("value = [" + std::string(text) + ", 0]", place.file);
    Array& values = std::get<Array>(table.front().node.value);
    if (values.size() != 2) return plain;
    move(values.front(), place);
    return std::move(values.front());
  } catch (const core::InputError&) {
    return plain;  // `--set algorithm.kind=newton` spares the user the quotes
  }
}

std::string inWords(const Node& node) {
  struct Writer {
    std::string operator()(bool value) const { return value ? "the boolean true" : "the boolean false"; }
    std::string operator()(std::int64_t value) const { return "the integer " + std::to_string(value); }
    std::string operator()(double value) const { return "the real " + core::text(value); }
    std::string operator()(const std::string& value) const { return "the string '" + value + "'"; }
    std::string operator()(Moment) const { return "a date or a time"; }
    std::string operator()(const Array&) const { return "an array"; }
    std::string operator()(const Table&) const { return "a table"; }
  };
  return std::visit(Writer{}, node.value);
}

}  // namespace koppla::project
