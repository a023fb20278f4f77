#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/interruption.hpp"
#include "koppla/report/plot_loglog.hpp"
#include "koppla/report/stability_map.hpp"
#include "koppla/study/fits.hpp"
#include "koppla/study/stability.hpp"

#include "commands.hpp"
#include "console.hpp"
#include "interrupt.hpp"
#include "progress.hpp"

namespace koppla::cli {

namespace {

using study::StabilityAnalysis;
using study::StabilityQuestion;
using study::StabilityRow;
using study::StabilityStatus;
using Rows = std::vector<StabilityRow>;

std::string labelOf(const study::Axis& axis) {
  return axis.name() == "simulation.step" ? "simulation.step / s" : axis.name();
}

/// The numbers of an axis in ascending order, and which of its values they are.
struct SortedAxis {
  std::vector<double> values;
  std::vector<std::size_t> order;
};

SortedAxis sorted(const study::Axis& axis) {
  SortedAxis result;
  result.order.resize(axis.values.size());
  std::iota(result.order.begin(), result.order.end(), std::size_t{0});
  std::ranges::sort(result.order, {}, [&](std::size_t i) { return axis.values[i].number.value_or(0.0); });
  for (const std::size_t i : result.order) result.values.push_back(axis.values[i].number.value_or(0.0));
  return result;
}

bool canSpanAMap(const study::Axis& axis) {
  if (!axis.numeric() || axis.values.size() < 2) return false;
  const std::vector<double> values = sorted(axis).values;
  return std::ranges::adjacent_find(values) == values.end();
}

// Of a picture that still fits a page.
constexpr std::size_t kMostMaps = 24;
constexpr std::size_t kMostMapsInARow = 4;

bool isMap(const StabilityAnalysis& analysis) {
  const std::vector<study::Axis>& axes = analysis.grid.axes();
  if (analysis.find != StabilityQuestion::spectralRadius || axes.size() < 2) return false;
  const study::Axis& up = axes[axes.size() - 2];
  return canSpanAMap(up) && canSpanAMap(axes.back()) &&
         analysis.grid.size() <= kMostMaps * up.values.size() * axes.back().values.size();
}

/// The values of all settings but the last two: words and labels as they are, others with the name of their option.
std::string panelName(const study::Grid& grid, std::size_t point) {
  std::string result;
  for (std::size_t i = 0; i + 2 < grid.axes().size(); ++i) {
    const study::VariedValue& value = grid.value(point, i);
    const bool isWord = !value.number && value.parts.empty();
    const std::string text = isWord ? value.text : grid.axes()[i].nameWith(value);
    result += (result.empty() ? "" : ", ") + text.substr(text.starts_with("algorithm.") ? 10 : 0);
  }
  return result;
}

/// The last but one varied setting goes up, the last one across; one map for each combination of the others, where the
/// last of these goes across.
std::string mapOf(const StabilityAnalysis& analysis, const Rows& rows) {
  const std::vector<study::Axis>& axes = analysis.grid.axes();
  const study::Axis& upwards = axes[axes.size() - 2];
  const SortedAxis up = sorted(upwards);
  const SortedAxis across = sorted(axes.back());
  report::StabilityMap map;
  map.title = analysis.file.stem().string();
  map.up = {labelOf(upwards), up.values, report::looksLogarithmic(up.values)};
  map.recursion = analysis.recursion;
  map.across = {labelOf(axes.back()), across.values, report::looksLogarithmic(across.values)};
  const std::size_t cells = up.values.size() * across.values.size();
  for (std::size_t first = 0; first < rows.size(); first += cells) {
    report::MapPanel& panel = map.panels.emplace_back();
    panel.name = panelName(analysis.grid, first);
    for (const std::size_t i : up.order)
      for (const std::size_t k : across.order)
        panel.radii.push_back(rows[first + i * across.values.size() + k].spectralRadius);
  }
  if (map.panels.size() > 1) {
    const std::size_t inAll = axes[axes.size() - 3].values.size();
    const std::size_t lines = (inAll + kMostMapsInARow - 1) / kMostMapsInARow;
    map.columns = (inAll + lines - 1) / lines;
    map.width = 1060.0;
    map.height = 240.0;
  }
  return report::plotStabilityMap(map);
}

/// The axis that lines are drawn over: the first one of several numbers above 0.
std::optional<std::size_t> lineAxis(const StabilityAnalysis& analysis) {
  for (std::size_t i = 0; i < analysis.grid.axes().size(); ++i) {
    const study::Axis& axis = analysis.grid.axes()[i];
    if (axis.values.size() > 1 &&
        std::ranges::all_of(axis.values, [](const auto& value) { return value.number.value_or(0.0) > 0.0; }))
      return i;
  }
  return std::nullopt;
}

std::string linesOf(const StabilityAnalysis& analysis, const Rows& rows, std::size_t axis) {
  const bool seeksStep = analysis.find == StabilityQuestion::criticalStep;
  report::LogLogPlot plot;
  plot.title = analysis.file.stem().string();
  plot.xLabel = labelOf(analysis.grid.axes()[axis]);
  plot.yLabel = seeksStep ? "critical step / s" : "spectral radius";
  for (const study::RunSeries& series : study::seriesAlong(analysis.grid, axis)) {
    report::LogLogCurve& curve = plot.curves.emplace_back();
    curve.name = series.label;
    for (const std::size_t point : series.points)
      curve.points.push_back({analysis.grid.value(point, axis).number.value_or(0.0),
                              seeksStep ? rows[point].criticalStep : rows[point].spectralRadius});
  }
  return report::plotLogLog(plot);
}

/// Empty where the varied settings span no picture.
std::string pictureOf(const StabilityAnalysis& analysis, const Rows& rows) {
  if (isMap(analysis)) return mapOf(analysis, rows);
  const std::optional<std::size_t> axis = lineAxis(analysis);
  return axis ? linesOf(analysis, rows, *axis) : "";
}

void write(const std::filesystem::path& folder, const StabilityAnalysis& analysis, const Rows& rows) {
  std::filesystem::create_directories(folder);
  core::writeWhole(folder / "stability.csv", study::stabilityCsv(analysis, rows));
  std::filesystem::remove(folder / "stability.svg");  // of an earlier call, which may have varied other settings
  if (const std::string picture = pictureOf(analysis, rows); !picture.empty())
    core::writeWhole(folder / "stability.svg", picture);
}

nlohmann::ordered_json numberOrNull(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

nlohmann::ordered_json jsonOf(const StabilityAnalysis& analysis, const Rows& rows) {
  nlohmann::ordered_json document{{"project", analysis.project.string()},
                                  {"at", numberOrNull(analysis.recursion.at.value_or(NAN))},
                                  {"rows", nlohmann::ordered_json::array()}};
  for (std::size_t point = 0; point < rows.size(); ++point) {
    const StabilityRow& row = rows[point];
    nlohmann::ordered_json settings = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < analysis.grid.axes().size(); ++i) {
      const study::VariedValue& value = analysis.grid.value(point, i);
      settings[analysis.grid.axes()[i].name()] =
          value.number ? nlohmann::ordered_json(*value.number) : nlohmann::ordered_json(value.text);
    }
    document["rows"].push_back({{"settings", settings},
                                {"status", study::word(row.status)},
                                {"method", study::methodOf(row)},
                                {"step", numberOrNull(row.step)},
                                {"spectral_radius", numberOrNull(row.spectralRadius)},
                                {"uncertainty", numberOrNull(row.uncertainty)},
                                {"decades_per_second", numberOrNull(row.decadesPerSecond())},
                                {"critical_step", numberOrNull(row.criticalStep)},
                                {"message", row.message}});
  }
  return document;
}

}  // namespace

ExitCode stabilityCommand(const StabilityOptions& options) {
  core::Log log;
  showWarnings(log);
  std::vector<project::Override> set;
  for (const std::string& text : options.set) set.push_back(project::parseOverride(text));
  const InterruptGuard guard;
  StabilityAnalysis analysis = study::readStability(options.file, log, set);
  analysis.recursion.at = options.at;
  study::StabilityOptions how;
  how.jobs = options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  how.interrupted = core::interruptionRequested;
  if (!options.quiet && !options.json)
    how.progress = [](std::size_t done, std::size_t all) { showCount(done, all, "combinations"); };
  const Rows rows = study::analyse(analysis, how);
  if (rows.empty()) {
    complain("Interrupted: nothing is written.\n");
    return ExitCode::interrupted;
  }
  const bool allFailed =
      std::ranges::all_of(rows, [](const auto& row) { return row.status == StabilityStatus::failed; });
  if (allFailed)
    throw core::InputError("No combination has a recursion: " + rows.front().message,
                           "docs/stability.md says which projects have one.");
  const std::filesystem::path folder = options.folder.empty() ? analysis.folder() : options.folder;
  write(folder, analysis, rows);
  if (options.json)
    print(jsonOf(analysis, rows).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  if (options.quiet || options.json) return ExitCode::ok;
  print(study::stabilityText(analysis, rows) + fmt::format("\nresults in {}\n", folder.string()));
  return ExitCode::ok;
}

}  // namespace koppla::cli
