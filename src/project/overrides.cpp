#include "koppla/project/overrides.hpp"

#include <algorithm>
#include <utility>

#include "koppla/project/subsystem_reader.hpp"

namespace koppla::project {

namespace {

Entry& entryFor(Table& table, std::string_view key, Node otherwise) {
  const auto found = std::ranges::find(table, key, &Entry::key);
  if (found != table.end()) return *found;
  const core::Place place = otherwise.place;
  table.push_back({std::string(key), place, std::move(otherwise)});
  return table.back();
}

void put(Table& table, std::string_view key, const Override& change) {
  Entry& entry = entryFor(table, key, {});
  entry.place = change.place;
  entry.node = parseValue(change.value, change.place);
}

void putIntoSection(Table& document, const Override& change) {
  const OverrideName name = split(change);
  Entry& section = entryFor(document, name.target, {change.place, Table{}});
  auto* table = std::get_if<Table>(&section.node.value);
  if (table == nullptr) return;  // the reader of the section will complain about it
  const std::size_t dot = name.key.find('.');
  if (name.target != "reference" || dot == std::string_view::npos) return put(*table, name.key, change);
  // Parameters of an exact solution stand in a table of their own, "reference.parameters.ck".
  Entry& inner = entryFor(*table, name.key.substr(0, dot), {change.place, Table{}});
  if (auto* nested = std::get_if<Table>(&inner.node.value)) put(*nested, name.key.substr(dot + 1), change);
}

/// The table of that name among those written as [[key]]; null if there is none.
Table* findEntry(Table& document, std::string_view key, std::string_view name) {
  const auto list = std::ranges::find(document, key, &Entry::key);
  auto* tables = list == document.end() ? nullptr : std::get_if<Array>(&list->node.value);
  if (tables == nullptr) return nullptr;
  for (Node& node : *tables) {
    auto* table = std::get_if<Table>(&node.value);
    if (table == nullptr) continue;
    const auto entry = std::ranges::find(*table, "name", &Entry::key);
    if (entry == table->end()) continue;
    const auto* text = std::get_if<std::string>(&entry->node.value);
    if (text != nullptr && *text == name) return table;
  }
  return nullptr;
}

/// The table that holds the option "name.key" of a part of a subsystem, such as the mass of a body; null if none does.
Table* findPart(Table& subsystem, std::string_view name) {
  for (const std::string_view parts : {"bodies", "springs", "torsion_springs", "forces", "joints"})
    if (Table* const part = findEntry(subsystem, parts, name)) return part;
  return nullptr;
}

}  // namespace

core::Place commandLine() {
  return {"command line", 0, 0};
}

Override parseOverride(std::string_view nameAndValue, const core::Place& place) {
  const std::size_t equals = nameAndValue.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw core::InputError(
        {{place, "'" + std::string(nameAndValue) + "' is no setting.", "Write name=value, such as simulation.end=5."}});
  return {std::string(nameAndValue.substr(0, equals)), std::string(nameAndValue.substr(equals + 1)), place};
}

OverrideName split(const Override& change) {
  const std::string_view name = change.name;
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {{}, name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

std::vector<Override> applyToSections(Table& document, std::span<const Override> overrides,
                                      std::span<const std::string_view> sections) {
  std::vector<Override> others;
  for (const Override& change : overrides) {
    const OverrideName name = split(change);
    if (std::ranges::find(sections, name.target) != sections.end())
      putIntoSection(document, change);
    else
      others.push_back(change);
  }
  return others;
}

std::vector<Override> applyToEntries(Table& document, std::span<const Override> overrides) {
  constexpr std::string_view kParameters = "parameters.";
  std::vector<Override> others;
  for (const Override& change : overrides) {
    const auto [target, key] = split(change);
    if (Table* const condition = findEntry(document, "conditions", target)) {
      put(*condition, key, change);
      continue;
    }
    Table* const subsystem = findEntry(document, "subsystems", target);
    if (subsystem != nullptr && isSubsystemOption(*subsystem, key)) {
      put(*subsystem, key, change);
      continue;
    }
    const std::size_t dot = key.find('.');
    Table* const part = subsystem != nullptr && dot != key.npos ? findPart(*subsystem, key.substr(0, dot)) : nullptr;
    if (part != nullptr) {
      put(*part, key.substr(dot + 1), change);
      continue;
    }
    others.push_back(change);
    if (subsystem != nullptr && key.starts_with(kParameters))
      others.back().name = std::string(target) + "." + std::string(key.substr(kParameters.size()));
  }
  return others;
}

}  // namespace koppla::project
