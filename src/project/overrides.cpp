#include "koppla/project/overrides.hpp"

#include <algorithm>
#include <utility>

namespace koppla::project {

namespace {

Entry& entryFor(Table& table, std::string_view key, Node otherwise) {
  const auto found = std::ranges::find(table, key, &Entry::key);
  if (found != table.end()) return *found;
  const core::Place place = otherwise.place;
  table.push_back({std::string(key), place, std::move(otherwise)});
  return table.back();
}

void put(Table& document, const Override& change) {
  const OverrideName name = split(change);
  Entry& section = entryFor(document, name.target, {change.place, Table{}});
  auto* table = std::get_if<Table>(&section.node.value);
  if (table == nullptr) return;  // the reader of the section will complain about it
  Entry& entry = entryFor(*table, name.key, {});
  entry.place = change.place;
  entry.node = parseValue(change.value, change.place);
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
      put(document, change);
    else
      others.push_back(change);
  }
  return others;
}

}  // namespace koppla::project
