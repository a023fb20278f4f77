#include "koppla/results/csv_header.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "koppla/results/csv_number.hpp"

namespace koppla::results {

namespace {

using Name = CsvHeader::Name;

std::string nameIn(const Field& field) {
  std::string name = field.text();
  if (field.quoted) return name;
  name.erase(0, name.find_first_not_of(' '));
  name.erase(name.find_last_not_of(' ') + 1);
  return name;
}

/// `x [m]` as MasterSim writes it; `x[1]`, without the space, is an element of an array.
Name splitUnit(std::string text) {
  const std::size_t bracket = text.rfind(" [");
  if (bracket == std::string::npos || !text.ends_with(']')) return {std::move(text), {}};
  std::string unit = text.substr(bracket + 2, text.size() - bracket - 3);
  if (unit == "-") unit.clear();
  return {text.substr(0, bracket), std::move(unit)};
}

std::optional<double> seconds(std::string_view unit) {
  constexpr double kDay = 86400.0;
  constexpr std::array<std::pair<std::string_view, double>, 8> kUnits{{{"", 1.0},
                                                                       {"s", 1.0},
                                                                       {"ms", 1e-3},
                                                                       {"min", 60.0},
                                                                       {"h", 3600.0},
                                                                       {"d", kDay},
                                                                       {"a", 365 * kDay},
                                                                       {"us", 1e-6}}};
  const auto* const found = std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& u) { return u.first == unit; });
  if (found == kUnits.end()) return std::nullopt;
  return found->second;
}

/// Repeated names are the elements of an array, written without their index.
void numberArrays(std::vector<Name>& names) {
  std::unordered_map<std::string, std::size_t> uses;
  for (const Name& name : names) ++uses[name.name];
  std::unordered_map<std::string, std::size_t> index;
  for (Name& name : names)
    if (uses[name.name] > 1) name.name += "[" + std::to_string(++index[name.name]) + "]";
}

}  // namespace

CsvHeader readHeader(const std::vector<Field>& fields, const CsvScanner& scanner) {
  if (std::all_of(fields.begin(), fields.end(), [](const Field& field) { return number(field.raw).has_value(); }))
    throw scanner.mistake(fields.front().offset, "The file begins with numbers.",
                          "The first line must name the columns: \"time\",\"a\",\"b\".");
  CsvHeader header;
  const Name time = splitUnit(nameIn(fields.front()));
  if (const std::optional<double> factor = seconds(time.unit)) {
    header.secondsPerTime = *factor;
    if (!time.unit.empty()) header.timeUnit = time.unit;
  } else {
    throw scanner.mistake(fields.front().offset, "Time is given in '" + time.unit + "', which is not known.",
                          "Known are us, ms, s, min, h, d and a (365 d).");
  }
  // Quoted names are exact unless the time shows that this file puts units into its names.
  for (std::size_t i = 1; i < fields.size(); ++i) {
    const Field& field = fields[i];
    if (field.raw.empty() && i + 1 == fields.size()) break;  // a delimiter at the end of the line
    if (field.raw.empty())
      throw scanner.mistake(field.offset, "Column " + std::to_string(i + 1) + " has no name.", "Give it one.");
    const bool exact = field.quoted && time.unit.empty();
    header.names.push_back(exact ? Name{nameIn(field), {}} : splitUnit(nameIn(field)));
  }
  numberArrays(header.names);
  return header;
}

}  // namespace koppla::results
