#include "koppla/report/panels.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "koppla/core/error.hpp"
#include "koppla/results/pattern.hpp"

namespace koppla::report {

using results::Series;

namespace {

constexpr std::size_t kMostCurves = 48;

std::vector<const Series*> drawable(const results::Table& table, std::span<const std::string> patterns) {
  std::vector<const Series*> curves;
  std::vector<core::Problem> problems;
  for (const Series* series : results::select(table, patterns)) {
    if (series->numeric())
      curves.push_back(series);
    else if (std::find(patterns.begin(), patterns.end(), series->name) != patterns.end())
      problems.push_back(
          {{table.source, 0, 0}, "'" + series->name + "' holds texts, which cannot be drawn.", "Leave it out."});
  }
  if (!problems.empty()) throw core::InputError(std::move(problems));
  return curves;
}

void check(const results::Table& table, std::size_t curves) {
  const auto fail = [&](std::string message, std::string remedy) {
    throw core::InputError(std::vector{core::Problem{{table.source, 0, 0}, std::move(message), std::move(remedy)}});
  };
  if (table.time.empty()) fail("There are no rows to draw.", "Run the simulation first.");
  if (curves == 0) fail("There is no variable to draw.", "Record some.");
  if (curves > kMostCurves)
    fail(std::to_string(curves) + " variables are too many for one picture.",
         "Choose up to " + std::to_string(kMostCurves) + " by name or pattern, such as 'mass.*'.");
}

/// "T" of pipe.wall.T[3]
std::string lastPart(const std::string& name) {
  const std::string element = name.ends_with(']') ? name.substr(0, name.rfind('[')) : name;
  return element.substr(element.rfind('.') + 1);
}

}  // namespace

Range withAir(Range range) {
  using Limits = std::numeric_limits<double>;
  constexpr double kFlat = 1e-13;
  const double magnitude = std::max(std::fabs(range.low), std::fabs(range.high));
  const double flat = kFlat * std::max(magnitude, Limits::min());  // denormal numbers all have the same rounding
  if (range.high - range.low > flat) return range;
  const double air = magnitude == 0.0 ? 1.0 : std::max(0.1 * magnitude, flat);
  return {std::max(range.low - air, Limits::lowest()), std::min(range.high + air, Limits::max())};
}

std::string Panel::quantity() const {
  if (curves.size() == 1) return curves.front()->name;
  const std::string first = lastPart(curves.front()->name);
  const bool shared =
      std::all_of(curves.begin(), curves.end(), [&](const Series* curve) { return lastPart(curve->name) == first; });
  return shared ? first : "value";
}

Range Panel::range() const {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const Series* curve : curves) {
    for (std::size_t row = 0; row < curve->numbers.size(); ++row) {
      const double value = drawn(*curve, row);
      if (!canBeDrawn(value)) continue;
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  }
  if (boolean() || range.low > range.high) return {0.0, 1.0};
  return withAir(range);
}

bool Panel::whole() const {
  return std::all_of(curves.begin(), curves.end(), [](const Series* curve) { return curve->held(); });
}

std::vector<Panel> makePanels(const results::Table& table, std::span<const std::string> patterns,
                              std::size_t curvesPerPanel) {
  const std::vector<const Series*> curves = drawable(table, patterns);
  check(table, curves.size());
  std::vector<Panel> panels;
  for (const Series* curve : curves) {
    const auto fits = [&](const Panel& panel) {
      return panel.unit == curve->unit && panel.boolean() == (curve->type == core::Type::boolean) &&
             panel.decades() == curve->decades && panel.curves.size() < curvesPerPanel;
    };
    auto place = std::find_if(panels.begin(), panels.end(), fits);
    if (place == panels.end()) place = panels.insert(place, Panel{curve->unit, {}});
    place->curves.push_back(curve);
  }
  return panels;
}

Range timeRange(const results::Table& table) {
  return withAir({table.time.front(), table.time.back()});
}

}  // namespace koppla::report
