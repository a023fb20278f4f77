#include "mechanism_run.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/project/project.hpp"
#include "koppla/results/memory_recorder.hpp"

#include "support/extremes.hpp"

namespace koppla::test {

namespace {

/// Communication points are computed from their index; this is less than any step.
constexpr double kSameInstant = 1e-9;

/// The series of a variable or, if it is a vector, of its components.
std::vector<const results::Series*> componentsOf(const results::Table& table, const std::string& variable) {
  std::vector<const results::Series*> found;
  for (const results::Series& series : table.series)
    if (series.name == variable || series.name.starts_with(variable + "[")) found.push_back(&series);
  if (found.empty()) throw std::invalid_argument("no variable " + variable);
  return found;
}

}  // namespace

bool MechanismRun::warns(const std::string& words) const {
  return std::ranges::any_of(warnings, [&](const std::string& warning) { return warning.find(words) != warning.npos; });
}

const std::vector<double>& MechanismRun::series(const std::string& variable) const {
  const results::Series* const found = table.find(variable);
  if (found == nullptr) throw std::invalid_argument("no variable " + variable);
  return found->numbers;
}

double MechanismRun::largest(const std::string& variable, double after, double until) const {
  test::Largest result;
  for (const results::Series* const series : componentsOf(table, variable))
    for (std::size_t i = 0; i < table.time.size(); ++i)
      if (table.time[i] > after - kSameInstant && table.time[i] < until + kSameInstant)
        result.see(std::fabs(series->numbers[i]));
  return result;
}

double MechanismRun::error(const Whole& reference, const std::string& variable, double after) const {
  test::Largest result;
  for (const results::Series* const series : componentsOf(table, variable)) {
    const std::vector<double>& expected = reference.series(series->name);
    for (std::size_t i = 0; i < table.time.size(); ++i)
      if (table.time[i] > after - kSameInstant)
        result.see(std::fabs(series->numbers[i] - expected.at(reference.at(table.time[i]))));
  }
  return result;
}

MechanismRun attempt(const std::string& project, const Settings& settings) {
  MechanismRun result;
  core::Log log;
  log.addSink(
      [&](core::Severity, std::string_view, std::string_view message) { result.warnings.emplace_back(message); },
      core::Severity::warning);
  std::vector<project::Override> overrides{project::parseOverride("results.interval=0")};
  for (const std::string& setting : settings) overrides.push_back(project::parseOverride(setting));
  const project::Project plan =
      project::read(std::string(KOPPLA_EXAMPLES_DIR) + "/mechanisms/" + project + ".toml", log, overrides);
  results::MemoryRecorder recorder;
  run::Run run = project::makeRun(plan, log, &recorder);
  result.outcome = run.initialise();
  if (result.outcome.ok()) result.outcome = run.simulate();
  run.end();
  result.table = recorder.table();
  return result;
}

MechanismRun runMechanism(const std::string& project, const Settings& settings) {
  MechanismRun result = attempt(project, settings);
  EXPECT_TRUE(result.outcome.ok()) << project << " " << text(settings) << ": " << result.outcome.message;
  return result;
}

std::string text(const Settings& settings) {
  return fmt::format("{}", fmt::join(settings, " "));
}

Settings operator+(Settings first, const Settings& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace koppla::test
