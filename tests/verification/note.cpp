#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "koppla/core/error.hpp"

#include "ledger.hpp"

namespace koppla::verification {

namespace {

[[noreturn]] void refuse(const std::string& file, const toml::node& node, std::string message) {
  const toml::source_position place = node.source().begin;
  throw core::InputError({core::Problem{{file, place.line, place.column}, std::move(message), ""}});
}

/// Lines of a text in the list are one line in the table.
std::string onOneLine(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string readText(const std::string& file, const toml::table& table, std::string_view key) {
  const auto text = table[key].value<std::string>();
  if (!text || onOneLine(*text).empty()) refuse(file, table, fmt::format("The text '{}' is missing.", key));
  return onOneLine(*text);
}

const toml::array& readArray(const std::string& file, const toml::table& table, std::string_view key) {
  const toml::array* array = table[key].as_array();
  if (array == nullptr) refuse(file, table, fmt::format("The array '{}' is missing.", key));
  return *array;
}

void requireKnownKeys(const std::string& file, const toml::table& table,
                      std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : table)
    if (std::ranges::find(known, key.str()) == known.end())
      refuse(file, value, fmt::format("'{}' has no meaning here.", key.str()));
}

Requirement readRequirement(const std::string& file, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) refuse(file, node, "A requirement is a table [[requirements]].");
  requireKnownKeys(file, *table, {"id", "demand", "figures", "missing", "reason"});
  Requirement requirement{readText(file, *table, "id"), readText(file, *table, "demand"), {}, {}, {}};
  if (table->contains("missing")) requirement.missing = readText(file, *table, "missing");
  if (table->contains("reason")) requirement.reason = readText(file, *table, "reason");
  for (const toml::node& element : readArray(file, *table, "figures")) {
    const auto name = element.value<std::string>();
    if (!name) refuse(file, element, "A figure is the name that a test reports.");
    if (std::ranges::find(requirement.figures, *name) != requirement.figures.end())
      refuse(file, element, fmt::format("The figure '{}' is there twice.", *name));
    requirement.figures.push_back(*name);
  }
  if (requirement.figures.empty() && requirement.missing.empty() && requirement.reason.empty())
    refuse(file, node,
           fmt::format("The requirement '{}' has no figures and says neither what is 'missing' nor for which 'reason' "
                       "it fails.",
                       requirement.id));
  return requirement;
}

Note readNote(const toml::table& table, const std::string& file) {
  requireKnownKeys(file, table, {"note", "source", "requirements"});
  Note note{readText(file, table, "note"), readText(file, table, "source"), {}};
  for (const toml::node& node : readArray(file, table, "requirements")) {
    Requirement requirement = readRequirement(file, node);
    if (std::ranges::find(note.requirements, requirement.id, &Requirement::id) != note.requirements.end())
      refuse(file, node, fmt::format("The requirement '{}' is there twice.", requirement.id));
    note.requirements.push_back(std::move(requirement));
  }
  return note;
}

}  // namespace

Note readNote(std::string_view toml, const std::string& file) {
  try {
    return readNote(toml::parse(toml, file), file);
  } catch (const toml::parse_error& error) {
    const toml::source_position place = error.source().begin;
    throw core::InputError({core::Problem{{file, place.line, place.column}, std::string(error.description()), ""}});
  }
}

}  // namespace koppla::verification
