#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "koppla/project/document.hpp"
#include "koppla/project/project.hpp"

namespace koppla::project {

/// Where an override points to: "target.key". The target is empty without a dot.
struct OverrideName {
  std::string_view target;
  std::string_view key;
};

OverrideName split(const Override& change);

/// Puts those overrides into the document whose target is one of the sections, as if they stood there; returns the
/// others in their order. The last one for a key holds.
std::vector<Override> applyToSections(Table& document, std::span<const Override> overrides,
                                      std::span<const std::string_view> sections);

/// Puts those overrides into the document that mean an option of a [[subsystems]] or [[conditions]] entry, by
/// its name; returns the
/// others, where "name.parameters.key" has become "name.key".
std::vector<Override> applyToEntries(Table& document, std::span<const Override> overrides);

}  // namespace koppla::project
