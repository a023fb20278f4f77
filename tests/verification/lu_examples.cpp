// Compares the stability maps of examples/lu with the limits of the note, on grids that are finer around them.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/value.hpp"
#include "koppla/study/stability.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::verification::lu_examples {
namespace {

constexpr double kNone = 0.0;     // stable throughout
constexpr double kAlways = -1.0;  // unstable throughout

/// The two settings that span a map.
enum class Direction { up, across };

/// Where stability is lost along one direction of one map, for values of the other direction.
struct Limits {
  std::string file;
  std::vector<std::string> map;  ///< values of the settings before the last two, which choose one map of the file
  Direction along;
  std::vector<double> others;
  std::vector<double> limits;  ///< one for each of the others
};

study::Axis with(study::Axis axis, const std::vector<double>& values) {
  axis.values.clear();
  for (const double value : values) axis.values.push_back({core::text(value), value, {}, {}});
  return axis;
}

study::Axis only(study::Axis axis, const std::string& text) {
  std::erase_if(axis.values, [&](const study::VariedValue& value) { return value.text != text; });
  if (axis.values.size() != 1) throw std::runtime_error(axis.name() + " has no single value " + text);
  return axis;
}

/// Some values below every limit, and many around it.
std::vector<double> scanOf(const std::vector<double>& limits) {
  std::vector<double> values{1.0};
  for (const double limit : limits)
    for (const double factor : {0.25, 0.5, 0.8, 0.94, 0.97, 1.0, 1.03, 1.06})
      if (limit > 0.0) values.push_back(factor * limit);
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
  return values;
}

/// The first unstable value over the limit, minus 1; infinite where stability is lost and should not, or the reverse.
double deviationOf(const std::vector<double>& scan, const std::vector<bool>& stable, double limit) {
  const auto lost = std::ranges::find(stable, false);
  if (limit == kNone) return lost == stable.end() ? 0.0 : HUGE_VAL;
  if (limit == kAlways) return std::ranges::find(stable, true) == stable.end() ? 0.0 : HUGE_VAL;
  if (lost == stable.end()) return HUGE_VAL;
  return std::fabs(scan.at(static_cast<std::size_t>(lost - stable.begin())) / limit - 1.0);
}

double deviationOf(const Limits& limits, core::Log& log) {
  study::StabilityAnalysis plan =
      study::readStability(std::filesystem::path(KOPPLA_EXAMPLES_DIR) / "lu" / (limits.file + ".toml"), log);
  std::vector<study::Axis> axes = plan.grid.axes();
  if (axes.size() != limits.map.size() + 2) throw std::runtime_error(limits.file + " has other settings");
  for (std::size_t i = 0; i < limits.map.size(); ++i) axes[i] = only(axes[i], limits.map[i]);
  const std::vector<double> scan = scanOf(limits.limits);
  const bool across = limits.along == Direction::across;
  study::Axis& last = axes.back();
  study::Axis& lastButOne = axes[axes.size() - 2];
  last = with(last, across ? scan : limits.others);
  lastButOne = with(lastButOne, across ? limits.others : scan);
  plan.grid = study::Grid(axes);
  study::StabilityOptions options;
  options.jobs = std::max(1U, std::thread::hardware_concurrency());
  const std::vector<study::StabilityRow> rows = study::analyse(plan, options);

  test::Largest worst;
  for (std::size_t other = 0; other < limits.others.size(); ++other) {
    std::vector<bool> stable;
    for (std::size_t i = 0; i < scan.size(); ++i) {
      const study::StabilityRow& row = rows.at(across ? other * scan.size() + i : i * limits.others.size() + other);
      if (row.status == study::StabilityStatus::failed) throw std::runtime_error(limits.file + ": " + row.message);
      stable.push_back(row.status == study::StabilityStatus::stable);
    }
    const double deviation = deviationOf(scan, stable, limits.limits[other]);
    if (!(deviation <= 0.07))
      fmt::print(stderr, "{}, {}: limit {:g} at {:g} is off by {:.2g}\n", limits.file, fmt::join(limits.map, ", "),
                 limits.limits[other], limits.others[other], deviation);
    worst.see(deviation);
  }
  return worst;
}

void compare(std::string_view requirement, const std::string& what, const std::vector<Limits>& table) {
  core::Log log;
  test::Largest worst;
  std::size_t count = 0;
  for (const Limits& limits : table) {
    worst.see(deviationOf(limits, log));
    count += limits.limits.size();
  }
  test::showAtMost({requirement, "command", fmt::format("{}: {} limits within 7 %", what, count)}, worst, 0.07);
  fmt::print("{} command: deviation {:.2g} from {} limits\n", requirement, double(worst), count);
}

/// First unstable stiffness over damping, all springs and all dampers alike, H = 5e-3 s.
Limits overDamping(const std::string& file, const std::string& word, const char* degree,
                   const std::vector<double>& limits) {
  return {file, {word, degree}, Direction::across, {0.1, 1.0, 10.0, 30.0, 50.0, 100.0, 1000.0}, limits};
}

TEST(LuExamples, ExplicitMaps) {
  compare("lu R11", "maps of fig-14.toml, explicit",
          {overDamping("fig-14", "jacobi", "0", {64.5, 660.0, 6.5e3, 2.0e4, 3.4e4, 6.9e4, kAlways}),
           overDamping("fig-14", "jacobi", "1", {1.3e3, 4.2e3, 1.4e4, 2.7e4, 3.7e4, 6.1e4, kAlways}),
           overDamping("fig-14", "jacobi", "2", {1.9e4, 2.0e4, 2.4e4, 3.2e4, 3.9e4, kAlways, kAlways})});
}

TEST(LuExamples, SemiImplicitMapsOfApplyingForces) {
  const std::string dd = "displacement-displacement";
  const std::string fd = "force-displacement";
  const std::string others = "fig-14-decompositions";
  compare("lu R21", "maps of fig-14.toml and fig-14-decompositions.toml, semi-implicit",
          {overDamping("fig-14", "semi-implicit", "1", {1.9e5, 1.9e5, 1.9e5, 1.9e5, 1.9e5, 2.1e5, kNone}),
           overDamping("fig-14", "semi-implicit", "2", {3.8e3, 1.25e4, 4.5e4, 9.9e4, 1.5e5, 1.7e5, kNone}),
           overDamping(others, fd, "0", {71.0, 704.0, 7.2e3, 2.3e4, 4.0e4, 9.6e4, kNone}),
           overDamping(others, fd, "1", {1.9e5, 1.9e5, 1.9e5, 1.9e5, 1.9e5, 2.1e5, kNone}),
           overDamping(others, fd, "2", {3.9e3, 1.3e4, 4.7e4, 1.0e5, 1.65e5, 1.7e5, kNone}),
           overDamping(others, dd, "0", {45.0, 448.0, 4.6e3, 1.5e4, 2.6e4, 6.5e4, kNone}),
           overDamping(others, dd, "1", {1.8e5, 1.8e5, 1.8e5, 2.4e5, 2.5e5, 4.4e5, kNone}),
           overDamping(others, dd, "2", {5.9e3, 2.0e4, 9.9e4, 1.8e5, 2.6e5, kNone, kNone})});
}

TEST(LuExamples, SemiImplicitMapsOfConstraints) {
  const std::string formulas = "the same by formulas";
  compare("lu R24", "maps of fig-25.toml to fig-27.toml and fig-37.toml",
          {{"fig-25",
            {"index 1, k = 0, H = 5e-3 s"},
            Direction::across,
            {0.1, 1.0, 10.0, 100.0, 1000.0},
            {620.0, 3.5e3, 1.07e4, 1.15e4, 2.3e4}},
           {"fig-25", {formulas}, Direction::up, {1e3}, {2.7e5}},
           {"fig-26", {formulas}, Direction::up, {1e3}, {3.1e4}},
           {"fig-27", {formulas}, Direction::up, {1e3}, {5.5e3}},
           {"fig-37", {formulas}, Direction::up, {1e3}, {447.0}}});
}

}  // namespace
}  // namespace koppla::verification::lu_examples
