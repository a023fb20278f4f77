#include "koppla/project/table_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/core/value.hpp"

namespace koppla::project {

namespace {

const Table kEmpty;
const Array kEmptyArray;

/// Whether a text is a number, but too large.
bool isBeyondDoubles(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc::result_out_of_range && end == text.data() + text.size();
}

}  // namespace

TableReader::TableReader(const Table* table, core::Place place, std::string title, Reports& reports)
    : table_(table), place_(std::move(place)), title_(std::move(title)), reports_(&reports) {}

const Entry* TableReader::find(std::string_view key) const {
  const auto found = std::ranges::find(*table_, key, &Entry::key);
  return found == table_->end() ? nullptr : &*found;
}

const Node* TableReader::take(std::string_view key, const Rule& rule) {
  known_.emplace_back(key);
  reports_->options.push_back({title_, std::string(key)});
  const Entry* entry = find(key);
  if (entry == nullptr) {
    if (rule.required.empty()) return nullptr;
    unsound_.emplace_back(key);
    reports_->findings.mistake(place_, fmt::format("There is no '{}' in {}.", key, title_), rule.required);
    return nullptr;
  }
  if (!rule.idle.empty())
    reports_->findings.warning(entry->place, fmt::format("'{}' in {} has no effect: {}.", key, title_, rule.idle));
  return &entry->node;
}

void TableReader::mistake(std::string_view key, std::string message, std::string remedy) {
  unsound_.emplace_back(key);
  reports_->findings.mistake(place(key), std::move(message), std::move(remedy));
}

void TableReader::refuse(std::string_view key, const std::string& why) {
  if (take(key, {}) != nullptr)
    mistake(key, fmt::format("'{}' in {} has no sense here: {}.", key, title_, why), "Remove it.");
}

void TableReader::wrongType(std::string_view key, const Node& found, std::string_view expected, std::string remedy) {
  unsound_.emplace_back(key);
  reports_->findings.mistake(found.place,
                             fmt::format("'{}' in {} is {}; expected is {}.", key, title_, inWords(found), expected),
                             std::move(remedy));
}

void TableReader::outOfRange(std::string_view key, const std::string& found, const std::string& expected) {
  mistake(key, fmt::format("'{}' in {} is {}; it must be {}.", key, title_, found, expected));
}

void TableReader::refuseNumber(std::string_view key, const Node& node) {
  const auto* text = std::get_if<std::string>(&node.value);
  const bool typed = node.place.line == 0;  // on the command line, where what is no TOML is a string without quotes
  if (text != nullptr && typed && isBeyondDoubles(*text))
    return outOfRange(key, *text, "a finite number, at most 1.8e+308");
  wrongType(key, node, "a number",
            text == nullptr ? ""
            : typed         ? "Write one such as 0.1."
                            : "Write it without quotes, such as 0.1.");
}

std::optional<double> TableReader::number(std::string_view key, const Node& node, Range range) {
  double value = 0.0;
  if (const auto* real = std::get_if<double>(&node.value)) {
    value = *real;
  } else if (const auto* integer = std::get_if<std::int64_t>(&node.value)) {
    value = static_cast<double>(*integer);
  } else {
    refuseNumber(key, node);
    return std::nullopt;
  }
  if (!std::isfinite(value)) {
    outOfRange(key, core::text(value), "finite");
    return std::nullopt;
  }
  if (value < range.least || (range.open && value == range.least)) {
    outOfRange(key, core::text(value), (range.open ? "above " : "at least ") + core::text(range.least));
    return std::nullopt;
  }
  return value;
}

void TableReader::real(std::string_view key, double& into, Range range, const Rule& rule) {
  const Node* node = take(key, rule);
  if (node == nullptr) return;
  if (const std::optional<double> value = number(key, *node, range)) into = *value;
}

void TableReader::optionalReal(std::string_view key, std::optional<Placed<double>>& into) {
  const Node* node = take(key, {});
  if (node == nullptr) return;
  if (const std::optional<double> value = number(key, *node, {})) into = {*value, node->place};
}

void TableReader::optionalReal(std::string_view key, std::optional<double>& into, Range range, const Rule& rule) {
  const Node* node = take(key, rule);
  if (node == nullptr) return;
  if (const std::optional<double> value = number(key, *node, range)) into = *value;
}

std::optional<std::vector<double>> TableReader::numbers(std::string_view key, const Node& node) {
  const auto* array = std::get_if<Array>(&node.value);
  if (array == nullptr) {
    wrongType(key, node, "an array of numbers", "Write [..., ...].");
    return std::nullopt;
  }
  std::vector<double> result;
  for (const Node& element : *array) {
    const std::optional<double> value = number(key, element, {});
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

void TableReader::reals(std::string_view key, std::vector<double>& into, const Rule& rule) {
  const Node* node = take(key, rule);
  if (node == nullptr) return;
  if (std::optional<std::vector<double>> values = numbers(key, *node)) into = std::move(*values);
}

void TableReader::realOrReals(std::string_view key, std::vector<double>& into, const Rule& rule) {
  const Node* node = take(key, rule);
  if (node == nullptr) return;
  if (std::holds_alternative<Array>(node->value)) {
    if (std::optional<std::vector<double>> values = numbers(key, *node)) into = std::move(*values);
    if (into.empty()) mistake(key, fmt::format("'{}' is an empty array.", key), "Give at least one number.");
  } else if (const std::optional<double> value = number(key, *node, {})) {
    into = {*value};
  }
}

void TableReader::matrix(std::string_view key, std::vector<std::vector<double>>& into, const Rule& rule) {
  const Node* node = take(key, rule);
  if (node == nullptr) return;
  const auto* array = std::get_if<Array>(&node->value);
  if (array == nullptr) return wrongType(key, *node, "a matrix", "Write its rows, [[..., ...], [..., ...]].");
  std::vector<std::vector<double>> rows;
  for (const Node& row : *array) {
    std::optional<std::vector<double>> values = numbers(key, row);
    if (!values) return;
    rows.push_back(std::move(*values));
  }
  into = std::move(rows);
}

void TableReader::count(std::string_view key, unsigned& into, unsigned least, const Rule& rule, unsigned most) {
  const Node* node = take(key, rule);
  if (node == nullptr) return;
  const auto* value = std::get_if<std::int64_t>(&node->value);
  if (value == nullptr) return wrongType(key, *node, "a whole number");
  if (*value < least) return outOfRange(key, std::to_string(*value), "at least " + std::to_string(least));
  if (*value > most) return outOfRange(key, std::to_string(*value), "at most " + std::to_string(most));
  into = static_cast<unsigned>(*value);
}

void TableReader::optionalCount(std::string_view key, std::optional<unsigned>& into, unsigned least, const Rule& rule,
                                unsigned most) {
  unsigned value = least;
  count(key, value, least, rule, most);
  if (given(key) && sound({key})) into = value;
}

void TableReader::flag(std::string_view key, bool& into, const Rule& rule) {
  const Node* node = take(key, rule);
  if (node == nullptr) return;
  const auto* value = std::get_if<bool>(&node->value);
  if (value == nullptr) return wrongType(key, *node, "true or false", "Write true or false, without quotes.");
  into = *value;
}

void TableReader::text(std::string_view key, Placed<std::string>& into, const Rule& rule) {
  const Node* node = take(key, rule);
  if (node == nullptr) return;
  const auto* value = std::get_if<std::string>(&node->value);
  if (value == nullptr) return wrongType(key, *node, "a string", "Put it in quotes.");
  into = {*value, node->place};
}

void TableReader::texts(std::string_view key, std::vector<Placed<std::string>>& into) {
  const Node* node = take(key, {});
  if (node == nullptr) return;
  const auto* array = std::get_if<Array>(&node->value);
  if (array == nullptr) return wrongType(key, *node, "an array of strings", "Write [\"...\", \"...\"].");
  for (const Node& element : *array) {
    const auto* value = std::get_if<std::string>(&element.value);
    if (value == nullptr)
      wrongType(key, element, "an array of strings", "Put each in quotes.");
    else
      into.push_back({*value, element.place});
  }
}

std::vector<std::pair<Placed<std::string>, double>> TableReader::namedReals(std::string_view key, const Rule& rule) {
  std::vector<std::pair<Placed<std::string>, double>> result;
  for (const Entry& entry : freeTable(key, rule))
    if (const std::optional<double> value = number(key, entry.node, {}))
      result.emplace_back(Placed<std::string>{entry.key, entry.place}, *value);
  return result;
}

std::vector<std::pair<Placed<std::string>, Placed<std::string>>> TableReader::namedTexts(std::string_view key,
                                                                                         const Rule& rule) {
  std::vector<std::pair<Placed<std::string>, Placed<std::string>>> result;
  for (const Entry& entry : freeTable(key, rule)) {
    const auto* value = std::get_if<std::string>(&entry.node.value);
    if (value == nullptr)
      wrongType(key, entry.node, "a table of strings", "Put each in quotes.");
    else
      result.push_back({{entry.key, entry.place}, {*value, entry.node.place}});
  }
  return result;
}

void TableReader::unknownWord(std::string_view key, const Placed<std::string>& typed,
                              const std::vector<std::string>& known) {
  mistake(key, fmt::format("'{}' is no value of '{}' in {}.", typed.value, key, title_),
          core::suggestion(typed.value, known));
}

TableReader TableReader::table(std::string_view key) {
  const std::string title = "[" + std::string(key) + "]";
  const Node* node = take(key, {});
  if (node == nullptr) return {&kEmpty, {place_.file, 0, 0}, title, *reports_};
  if (const auto* table = std::get_if<Table>(&node->value)) return {table, node->place, title, *reports_};
  wrongType(key, *node, "a table", "Write " + title + " on a line of its own.");
  return {&kEmpty, node->place, title, *reports_};
}

std::vector<TableReader> TableReader::tables(std::string_view key) {
  const std::string title = "[[" + std::string(key) + "]]";
  std::vector<TableReader> result;
  const Node* node = take(key, {});
  if (node == nullptr) return result;
  const std::string remedy = "Write " + title + " on a line of its own for each.";
  const auto* array = std::get_if<Array>(&node->value);
  if (array == nullptr) {
    wrongType(key, *node, "an array of tables", remedy);
    return result;
  }
  for (const Node& element : *array) {
    if (const auto* table = std::get_if<Table>(&element.value))
      result.push_back({table, element.place, title, *reports_});
    else
      wrongType(key, element, "an array of tables", remedy);
  }
  return result;
}

std::vector<TableReader> TableReader::namedTables(std::string_view key) {
  std::vector<TableReader> result;
  for (const Entry& entry : freeTable(key)) {
    if (const auto* table = std::get_if<Table>(&entry.node.value))
      result.push_back({table, entry.place, entry.key, *reports_});
    else
      wrongType(key, entry.node, "a table of tables");
  }
  return result;
}

bool TableReader::isText(std::string_view key) const {
  const Entry* entry = find(key);
  return entry != nullptr && std::holds_alternative<std::string>(entry->node.value);
}

const Table& TableReader::freeTable(std::string_view key, const Rule& rule) {
  const Node* node = take(key, rule);
  if (node == nullptr) return kEmpty;
  if (const auto* table = std::get_if<Table>(&node->value)) return *table;
  wrongType(key, *node, "a table");
  return kEmpty;
}

const Array& TableReader::freeArray(std::string_view key) {
  const Node* node = take(key, {});
  if (node == nullptr) return kEmptyArray;
  if (const auto* array = std::get_if<Array>(&node->value)) return *array;
  wrongType(key, *node, "an array", "Write [..., ...].");
  return kEmptyArray;
}

bool TableReader::sound(std::initializer_list<std::string_view> keys) const {
  return std::ranges::none_of(
      keys, [this](std::string_view key) { return std::ranges::find(unsound_, key) != unsound_.end(); });
}

core::Place TableReader::place(std::string_view key) const {
  const Entry* entry = find(key);
  return entry == nullptr ? place_ : entry->node.place;
}

std::string TableReader::belongsElsewhere(std::string_view key) const {
  const auto other = std::ranges::find(reports_->options, key, &Reports::Option::key);
  return other == reports_->options.end() ? std::string() : "It belongs to " + other->section + ".";
}

void TableReader::finish() {
  for (const Entry& entry : *table_) {
    if (std::ranges::find(known_, entry.key) != known_.end()) continue;
    std::string remedy = core::nearest(entry.key, known_).empty() ? belongsElsewhere(entry.key) : std::string();
    if (remedy.empty()) remedy = core::suggestion(entry.key, known_);
    reports_->findings.mistake(entry.place, fmt::format("'{}' is not an option of {}.", entry.key, title_),
                               std::move(remedy));
  }
}

}  // namespace koppla::project
