#include "koppla/results/detail/hdf5_layout.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <unordered_map>
#include <utility>

namespace koppla::results::detail {

namespace {

/// Columns with the same number share an array of core::Values.
std::size_t arrayOf(core::Type type) {
  return type == core::Type::enumeration ? static_cast<std::size_t>(core::Type::integer)
                                         : static_cast<std::size_t>(type);
}

/// Whether the column is the next element of the vector.
bool continues(const Hdf5Dataset& vector, const Column& column, std::size_t index, std::size_t at, std::size_t place) {
  if (index != vector.elements + 1 || column.type != vector.type || column.unit != vector.unit ||
      column.description != vector.description)
    return false;
  return index == 2 || (at == vector.column + vector.elements * vector.columnStep &&
                        place == vector.first + vector.elements * vector.step);
}

class Paths {
 public:
  std::string add(std::string_view name) {
    const std::size_t dot = name.find('.');
    std::string group;
    if (dot != std::string_view::npos && dot > 0) group = component(name.substr(0, dot));
    const bool grouped = !group.empty() && !datasets_.contains(group);
    if (grouped) groups_.insert(group);
    const std::string wanted = grouped ? group + "/" + component(name.substr(dot + 1)) : component(name);
    std::string path = wanted;
    for (int number = 2; groups_.contains(path) || datasets_.contains(path); ++number)
      path = wanted + "_" + std::to_string(number);
    datasets_.insert(path);
    return path;
  }

 private:
  static std::string component(std::string_view text) {
    std::string result(text);
    std::ranges::replace_if(
        result, [](char c) { return c == '/' || c == '\0'; }, '_');
    return result.empty() || result == "." ? "_" : result;
  }

  std::set<std::string, std::less<>> groups_;
  std::set<std::string, std::less<>> datasets_{kTimePath};
};

/// `q.residual` for `q[].residual`
std::string withoutBrackets(std::string name) {
  return name.erase(name.rfind("[]"), 2);
}

}  // namespace

std::optional<ElementName> elementName(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = name.find(']', open);
  if (close == std::string_view::npos || name[open + 1] == '0') return std::nullopt;
  std::size_t index = 0;
  const char* const end = name.data() + close;
  const auto [read, error] = std::from_chars(name.data() + open + 1, end, index);
  if (error != std::errc{} || read != end) return std::nullopt;
  return ElementName{std::string(name.substr(0, open + 1)).append(name.substr(close)), index};
}

std::string nameOfElement(std::string_view whole, std::size_t index) {
  const std::size_t place = whole.rfind("[]") + 1;
  return std::string(whole.substr(0, place)).append(std::to_string(index)).append(whole.substr(place));
}

std::vector<Hdf5Dataset> hdf5Layout(const std::vector<Column>& columns) {
  std::vector<Hdf5Dataset> datasets;
  std::unordered_map<std::string, std::size_t> vectors;  // by name, those that may go on
  std::array<std::size_t, 5> used{};                     // by array
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const Column& column = columns[at];
    const std::size_t place = used.at(arrayOf(column.type))++;
    const std::optional<ElementName> element = elementName(column.name);
    if (element && element->index > 1) {
      const auto found = vectors.find(element->whole);
      Hdf5Dataset* const vector = found == vectors.end() ? nullptr : &datasets[found->second];
      if (vector != nullptr && continues(*vector, column, element->index, at, place)) {
        if (++vector->elements > 2) continue;
        vector->name = element->whole;
        vector->columnStep = at - vector->column;
        vector->step = place - vector->first;
        continue;
      }
    }
    if (element && element->index == 1) vectors.emplace(element->whole, datasets.size());
    datasets.push_back({{}, column.name, column.type, column.unit, column.description, at, 1, place, 1, 1});
  }
  Paths paths;
  for (Hdf5Dataset& dataset : datasets)
    dataset.path = paths.add(dataset.vector() ? withoutBrackets(dataset.name) : dataset.name);
  return datasets;
}

}  // namespace koppla::results::detail
