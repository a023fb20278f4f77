#include "simulation.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/interface_problem.hpp"
#include "koppla/coupling/network.hpp"
#include "koppla/project/project.hpp"
#include "koppla/results/memory_recorder.hpp"

#include "support/extremes.hpp"

namespace koppla::test {

namespace fs = std::filesystem;

namespace {

project::Project planOf(const fs::path& file, const Changes& changes, core::Log& log) {
  std::vector<project::Override> overrides;
  for (const std::string& change : changes) overrides.push_back(project::parseOverride(change));
  return project::read(file, log, overrides);
}

std::size_t rowAt(const results::Table& table, double t) {
  constexpr double kRounding = 1e-9;  // s
  const auto row = std::ranges::lower_bound(table.time, t - kRounding);
  EXPECT_TRUE(row != table.time.end() && std::fabs(*row - t) <= kRounding) << "no row at " << t;
  return static_cast<std::size_t>(row - table.time.begin());
}

}  // namespace

Changes operator+(Changes some, const Changes& others) {
  some.insert(some.end(), others.begin(), others.end());
  return some;
}

fs::path mechanism(const std::string& name) {
  return fs::path(KOPPLA_EXAMPLES_DIR) / "mechanisms" / (name + ".toml");
}

fs::path wholeSystem(const std::string& name) {
  return fs::path(KOPPLA_SPATIAL_DIR) / (name + ".toml");
}

Changes steps(double macroStep, unsigned microSteps, const std::vector<std::string>& subsystems) {
  Changes result{fmt::format("simulation.step={}", macroStep)};
  for (const std::string& subsystem : subsystems)
    result.push_back(fmt::format("{}.micro_step={}", subsystem, macroStep / microSteps));
  return result;
}

results::Table simulate(const fs::path& file, const Changes& changes) {
  core::Log log;
  results::MemoryRecorder recorder;
  project::Project plan = planOf(file, changes + Changes{"results.interval=0"}, log);
  run::Run run = project::makeRun(plan, log, &recorder);
  run::Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  EXPECT_TRUE(outcome.ok()) << file << " " << testing::PrintToString(changes);
  return recorder.table();
}

std::vector<const results::Series*> elements(const results::Table& table, const std::string& name) {
  std::vector<const results::Series*> result;
  for (const results::Series& series : table.series)
    if (series.name == name || series.name.starts_with(name + "[")) result.push_back(&series);
  EXPECT_FALSE(result.empty()) << name;
  return result;
}

std::vector<double> endOf(const results::Table& table, const std::string& name) {
  std::vector<double> result;
  for (const results::Series* series : elements(table, name)) result.push_back(series->numbers.back());
  return result;
}

std::vector<double> startOf(const results::Table& table, const std::string& name) {
  std::vector<double> result;
  for (const results::Series* series : elements(table, name)) result.push_back(series->numbers.front());
  return result;
}

double largest(const results::Table& table, const std::string& name) {
  test::Largest result;
  for (const results::Series* series : elements(table, name))
    for (const double value : series->numbers) result.see(std::fabs(value));
  return result;
}

double errorOf(const results::Table& run, const results::Table& reference, const std::vector<Counterpart>& variables) {
  std::vector<std::pair<const results::Series*, const results::Series*>> pairs;
  for (const Counterpart& variable : variables) {
    const auto own = elements(run, variable.name);
    const auto exact = elements(reference, variable.reference);
    EXPECT_EQ(own.size(), exact.size()) << variable.name;
    for (std::size_t k = 0; k < own.size(); ++k) pairs.emplace_back(own[k], exact.at(k));
  }
  test::Largest result;
  for (std::size_t row = 0; row < run.time.size(); ++row) {
    const std::size_t counterpart = rowAt(reference, run.time[row]);
    for (const auto& [own, exact] : pairs) result.see(std::fabs(own->numbers[row] - exact->numbers.at(counterpart)));
  }
  return result;
}

double orderOf(double coarse, double fine, double ratio) {
  return std::log(coarse / fine) / std::log(ratio);
}

std::string text(const Counts& counts) {
  return fmt::format("{}/{}/{}", counts.first, counts.second, counts.conditions);
}

Counts countsOf(const fs::path& file, const Changes& changes) {
  core::Log log;
  coupling::System system = project::build(planOf(file, changes, log), log).system;
  coupling::Network network(system, coupling::findCycles(system), 1e100);
  const coupling::InterfaceProblem problem(network, {0, network.size()}, coupling::Form::parallel);
  Counts counts;
  counts.conditions = problem.cut().size();
  for (std::size_t position = 0; position < network.size(); ++position) {
    if (network.isStatic(position)) continue;
    std::set<std::size_t> values;
    for (const coupling::Contribution& part : network.contributionsTo(position)) values.insert(part.source);
    (network.member(position) == 0 ? counts.first : counts.second) = values.size();
  }
  return counts;
}

}  // namespace koppla::test
