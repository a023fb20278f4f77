#include "koppla/program/standard_csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/printable.hpp"
#include "koppla/program/detail/numbers.hpp"

namespace koppla::program {

namespace {

constexpr const char* kRemedy = "Each line is an id and its values: 500001 , 43.45 , 23.67";

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : lines_(text), file_(file) {}

  IdTable parse() && {
    while (std::optional<std::string_view> line = lines_.next()) {
      const std::string_view content = detail::trimmed(line->substr(0, line->find('#')));
      if (!content.empty()) addLine(content);
    }
    refuseDoubles();
    return std::move(table_);
  }

 private:
  void addLine(std::string_view line) {
    const std::string_view id = nextCell(line);
    const std::optional<Id> number = detail::integer(id);
    if (!number) fail(lines_.number(), fmt::format("'{}' is no id, a whole number.", id));
    const std::size_t before = table_.values.size();
    while (!done_) addValue(nextCell(line));
    done_ = false;
    const std::size_t count = table_.values.size() - before;
    if (count == 0) fail(lines_.number(), fmt::format("There is no value behind the id {}.", *number));
    if (table_.columns == 0) table_.columns = count;
    if (count != table_.columns)
      fail(lines_.number(),
           fmt::format("Values of the id {}: {}; the lines before have {}.", *number, count, table_.columns));
    table_.ids.push_back(*number);
    lineOf_.push_back(lines_.number());
  }

  void addValue(std::string_view cell) {
    const std::optional<double> value = detail::number(cell);
    if (!value) fail(lines_.number(), fmt::format("'{}' is no number.", cell));
    if (!std::isfinite(*value)) fail(lines_.number(), fmt::format("The value '{}' is not finite.", cell));
    table_.values.push_back(*value);
  }

  /// What stands before the next comma; done_ when it was the last one.
  std::string_view nextCell(std::string_view& rest) {
    const std::size_t comma = rest.find(',');
    const std::string_view cell = detail::trimmed(rest.substr(0, comma));
    done_ = comma == rest.npos;
    rest.remove_prefix(done_ ? rest.size() : comma + 1);
    return cell;
  }

  void refuseDoubles() const {
    const std::vector<Id>& ids = table_.ids;
    if (std::ranges::adjacent_find(ids, std::ranges::greater_equal{}) == ids.end()) return;  // they rise
    std::vector<std::size_t> rows(ids.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return ids[row]; });
    const auto twice = std::ranges::adjacent_find(rows, {}, [&](std::size_t row) { return ids[row]; });
    if (twice == rows.end()) return;
    fail(lineOf_[*(twice + 1)], fmt::format("The id {} stands already in line {}.", ids[*twice], lineOf_[*twice]));
  }

  [[noreturn]] void fail(std::size_t line, const std::string& message) const {
    throw core::InputError({{{file_, line}, core::printable(message), kRemedy}});
  }

  detail::Lines lines_;
  const std::string& file_;
  IdTable table_;
  std::vector<std::size_t> lineOf_;
  bool done_ = false;
};

}  // namespace

IdTable parseStandardCsv(std::string_view text, const std::string& file) {
  return Parser(text, file).parse();
}

std::vector<Id> parseIds(std::string_view text, const std::string& file) {
  std::vector<Id> ids;
  detail::Lines lines(text);
  while (const std::optional<std::string_view> line = lines.next()) {
    const std::string_view content = detail::trimmed(line->substr(0, line->find_first_of(",#")));
    if (content.empty()) continue;
    const std::optional<Id> id = detail::integer(content);
    if (!id)
      throw core::InputError({{{file, lines.number()},
                               fmt::format("'{}' is no id, a whole number.", core::printable(content)),
                               "Each line begins with an id."}});
    ids.push_back(*id);
  }
  return ids;
}

IdTable readStandardCsv(const std::filesystem::path& file) {
  return parseStandardCsv(core::readWhole(file), file.string());
}

std::string standardCsvText(std::span<const Id> ids, std::span<const double> values) {
  const std::size_t columns = ids.empty() ? 0 : values.size() / ids.size();
  std::string text;
  text.reserve(ids.size() * (12 + 22 * columns));
  auto value = values.begin();
  for (const Id id : ids) {
    fmt::format_to(std::back_inserter(text), "{}", id);
    for (std::size_t column = 0; column < columns; ++column) {
      text += " , ";
      detail::appendShortest(text, *value++);
    }
    text += '\n';
  }
  return text;
}

std::vector<double> valuesOf(const IdTable& table, std::span<const Id> ids, const std::string& file) {
  if (std::ranges::equal(ids, table.ids)) return table.values;
  std::vector<std::size_t> rows(table.ids.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto idOf = [&](std::size_t row) { return table.ids[row]; };
  std::ranges::sort(rows, {}, idOf);
  std::vector<double> result;
  result.reserve(ids.size() * table.columns);
  std::vector<Id> missing;
  for (const Id id : ids) {
    const auto row = std::ranges::lower_bound(rows, id, {}, idOf);
    if (row == rows.end() || idOf(*row) != id) {
      missing.push_back(id);
      continue;
    }
    const auto first = table.values.begin() + static_cast<std::ptrdiff_t>(*row * table.columns);
    result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(table.columns));
  }
  if (missing.empty()) return result;
  constexpr std::size_t kShown = 5;
  const std::span<const Id> shown = std::span<const Id>(missing).first(std::min(kShown, missing.size()));
  throw core::InputError(
      {{{file},
        fmt::format("Ids without values: {}{}.", fmt::join(shown, ", "),
                    missing.size() > kShown ? fmt::format(" and {} more", missing.size() - kShown) : std::string()),
        "Make the program print every id of the port."}});
}

}  // namespace koppla::program
