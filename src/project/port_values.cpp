#include "koppla/project/port_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/project/document.hpp"

namespace koppla::project {

namespace {

using core::Type;
using core::Value;
using subsystem::Item;
using subsystem::Port;

struct Complaint {
  std::string message;
  std::string remedy{};
};

using Converted = std::variant<Value, Complaint>;

std::string inWords(const RawValue& raw) {
  return std::visit([](const auto& value) { return project::inWords(Node{{}, value}); }, raw);
}

Complaint wrongType(const RawValue& raw, std::string_view expected, std::string remedy = {}) {
  return {fmt::format("is {}; expected is {}.", inWords(raw), expected), std::move(remedy)};
}

Converted asReal(const RawValue& raw) {
  if (const auto* integer = std::get_if<std::int64_t>(&raw)) return Value(static_cast<double>(*integer));
  const auto* real = std::get_if<double>(&raw);
  if (real == nullptr) return wrongType(raw, "a number");
  if (std::isnan(*real)) return Complaint{"is not a number (nan)."};
  return Value(*real);
}

Converted asInteger(const RawValue& raw) {
  const auto* integer = std::get_if<std::int64_t>(&raw);
  if (integer == nullptr) return wrongType(raw, "a whole number");
  using Limits = std::numeric_limits<std::int32_t>;
  if (*integer >= Limits::min() && *integer <= Limits::max()) return Value(static_cast<std::int32_t>(*integer));
  return Complaint{fmt::format("is {}, beyond the integers of 32 bits.", *integer),
                   fmt::format("Choose a value from {} to {}.", Limits::min(), Limits::max())};
}

std::vector<std::string> names(const std::vector<Item>& items) {
  std::vector<std::string> result;
  result.reserve(items.size());
  for (const Item& item : items) result.push_back(item.name);
  return result;
}

Converted asItem(const RawValue& raw, const std::vector<Item>& items) {
  if (const auto* typed = std::get_if<std::string>(&raw)) {
    const auto item = std::ranges::find(items, *typed, &Item::name);
    if (item != items.end()) return Value(item->value);
    return Complaint{"has no item '" + *typed + "'.", core::suggestion(*typed, names(items))};
  }
  if (!std::holds_alternative<std::int64_t>(raw)) return wrongType(raw, "an item's name or number");
  Converted number = asInteger(raw);
  const auto* value = std::get_if<Value>(&number);
  if (value == nullptr || items.empty()) return number;
  if (std::ranges::find(items, std::get<std::int32_t>(*value), &Item::value) != items.end()) return number;
  return Complaint{"has no item of number " + core::text(*value) + ".", core::suggestion({}, names(items))};
}

Converted converted(const Port& port, const RawValue& raw) {
  switch (port.type) {
    case Type::real:
      return asReal(raw);
    case Type::integer:
      return asInteger(raw);
    case Type::enumeration:
      return asItem(raw, port.items);
    case Type::boolean:
      if (const auto* boolean = std::get_if<bool>(&raw)) return Value(*boolean);
      return wrongType(raw, "true or false");
    case Type::string:
      if (const auto* string = std::get_if<std::string>(&raw)) return Value(*string);
      return wrongType(raw, "a string", "Put it in quotes; on the command line in two pairs, 'name=\"text\"'.");
  }
  return wrongType(raw, "a value of a known type");
}

}  // namespace

std::optional<std::vector<Value>> valuesFor(const Port& port, const Parameter& parameter, const std::string& name,
                                            Findings& findings) {
  if (!port.settable) {
    findings.mistake(parameter.port.place,
                     fmt::format("'{}' cannot be set: the model calculates it or declares it constant.", name));
    return std::nullopt;
  }
  if (parameter.values.size() != port.size) {
    findings.mistake(parameter.values.empty() ? parameter.port.place : parameter.values.front().place,
                     fmt::format("Values given for '{}': {}; expected: {}.", name, parameter.values.size(), port.size),
                     port.size > 1 ? "Write an array, [..., ...]." : "");
    return std::nullopt;
  }
  std::vector<Value> result;
  for (const Placed<RawValue>& raw : parameter.values) {
    Converted value = converted(port, raw.value);
    if (auto* fit = std::get_if<Value>(&value)) {
      result.push_back(std::move(*fit));
      continue;
    }
    const Complaint& complaint = std::get<Complaint>(value);
    findings.mistake(raw.place, fmt::format("'{}' ({}) {}", name, word(port.type), complaint.message),
                     complaint.remedy);
  }
  if (result.size() != port.size) return std::nullopt;
  return result;
}

void trySetting(const coupling::StartValue& start, const subsystem::Description& description,
                const SubsystemEntry& entry, Findings& findings, const std::function<void()>& set) {
  try {
    set();
  } catch (const core::InputError& refusal) {
    const std::string& name = description.ports[start.port].name;
    const auto written = std::ranges::find(entry.parameters, name, [](const Parameter& p) { return p.port.value; });
    for (const core::Problem& problem : refusal.problems())
      findings.mistake(written->port.place, fmt::format("'{}': {}", entry.name.value, problem.message), problem.remedy);
  }
}

}  // namespace koppla::project
