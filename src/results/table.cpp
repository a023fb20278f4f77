#include "koppla/results/table.hpp"

#include <algorithm>

#include "koppla/core/error.hpp"
#include "koppla/core/suggest.hpp"
#include "koppla/results/pattern.hpp"

namespace koppla::results {

namespace {

core::Problem noSuchVariable(const Table& table, const std::string& pattern) {
  std::vector<std::string> names;
  names.reserve(table.series.size());
  for (const Series& series : table.series) names.push_back(series.name);
  std::string remedy = core::suggestion(pattern, names);
  if (remedy.empty()) remedy = "It holds no variable at all.";
  return {{table.source, 0, 0}, "No variable fits '" + pattern + "'.", std::move(remedy)};
}

}  // namespace

const Series* Table::find(std::string_view name) const {
  const auto found =
      std::find_if(series.begin(), series.end(), [name](const Series& candidate) { return candidate.name == name; });
  return found == series.end() ? nullptr : &*found;
}

std::vector<const Series*> select(const Table& table, std::span<const std::string> patterns) {
  std::vector<const Series*> chosen;
  for (const Series& series : table.series)
    if (patterns.empty() || matchesAny(patterns, series.name)) chosen.push_back(&series);

  std::vector<core::Problem> problems;
  for (const std::string& pattern : patterns)
    if (std::none_of(chosen.begin(), chosen.end(), [&](const Series* s) { return matches(pattern, s->name); }))
      problems.push_back(noSuchVariable(table, pattern));
  if (!problems.empty()) throw core::InputError(std::move(problems));
  return chosen;
}

}  // namespace koppla::results
