#include "koppla/project/acceleration_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/core/value.hpp"
#include "koppla/coupling/accelerator.hpp"

namespace koppla::project {

namespace {

using coupling::AccelerationSettings;
using coupling::AlgorithmSettings;

/// Why [acceleration] and [[convergence]] are not used by the algorithm; empty: they are.
std::string idleFor(const AlgorithmSettings& settings, bool kindIsSound) {
  if (!kindIsSound || (settings.iterates() && !settings.solvesLinearised())) return {};
  return fmt::format("the algorithm '{}' {}", wordFor(kAlgorithmWords, settings.kind),
                     settings.iterates() ? "corrects by derivatives" : "does not iterate");
}

bool isQuasiNewton(AcceleratorKind kind) {
  return kind == AcceleratorKind::anderson || kind == AcceleratorKind::iqnIls || kind == AcceleratorKind::iqnImvj ||
         kind == AcceleratorKind::broyden;
}

constexpr const char* kBeyondTwo = "Beyond 2 no iteration converges (Jung, eq. 2.7).";

/// An option of [acceleration] that only some kinds use.
Rule usedBy(bool used, const AlgorithmSettings& algorithm, bool kindIsSound, const TableReader& table) {
  std::string idle = idleFor(algorithm, kindIsSound);
  if (idle.empty() && !used && table.sound({"kind"}))
    idle =
        fmt::format("the acceleration '{}' does not use it", wordFor(kAcceleratorWords, algorithm.acceleration.kind));
  return {.idle = std::move(idle)};
}

void readSet(TableReader& table, AccelerationSettings& settings, const Rule& rule) {
  Placed<std::string> typed;
  table.text("set", typed, rule);
  if (!table.given("set") || !table.sound({"set"})) return;
  const auto sets = coupling::adaptiveSets();
  const auto found = std::ranges::find(sets, typed.value, &coupling::AdaptiveSet::name);
  if (found != sets.end()) {
    settings.adaptive = found->parameters;
    return;
  }
  std::vector<std::string> names;
  for (const coupling::AdaptiveSet& set : sets) names.emplace_back(set.name);
  table.mistake("set", fmt::format("There is no set '{}'.", typed.value), core::suggestion(typed.value, names));
}

void atMost(TableReader& table, std::string_view key, double value, double most) {
  if (table.given(key) && table.sound({key}) && value > most)
    table.mistake(key, fmt::format("'{}' is {}; it must be at most {:g}.", key, core::text(value), most));
}

void readAdaptive(TableReader& table, AccelerationSettings& settings, const Rule& rule) {
  readSet(table, settings, rule);
  coupling::AdaptiveParameters& adaptive = settings.adaptive;
  table.real("influence", adaptive.influence, kNotNegative, rule);
  table.real("lower", adaptive.lower, kPositive, rule);
  table.real("upper", adaptive.upper, kPositive, rule);
  table.real("gain", adaptive.gain, kNotNegative, rule);
  table.real("slope", adaptive.slope, kNotNegative, rule);
  table.real("mass", adaptive.mass, kNotNegative, rule);
  readMargin(table, adaptive.margin, rule);
  for (const auto& [key, value] : {std::pair{"influence", adaptive.influence}, std::pair{"lower", adaptive.lower},
                                   std::pair{"upper", adaptive.upper}, std::pair{"mass", adaptive.mass}})
    atMost(table, key, value, 1.0);
}

}  // namespace

void readMargin(TableReader& table, double& margin, const Rule& rule) {
  table.real("margin", margin, kPositive, rule);
  atMost(table, "margin", margin, 0.2);
}

void readAcceleration(TableReader& table, AlgorithmSettings& algorithm, bool kindIsSound) {
  AccelerationSettings& settings = algorithm.acceleration;
  const std::string idle = idleFor(algorithm, kindIsSound);
  table.word("kind", settings.kind, kAcceleratorWords, {.idle = idle});
  const auto usedBy = [&](bool used) { return koppla::project::usedBy(used, algorithm, kindIsSound, table); };
  const AcceleratorKind kind = settings.kind;
  const bool adapts = kind == AcceleratorKind::adaptive;  // has a first factor of its own
  const bool squares =
      kind == AcceleratorKind::anderson || kind == AcceleratorKind::iqnIls || kind == AcceleratorKind::iqnImvj;
  table.real("factor", settings.factor, kPositive, usedBy((settings.relaxes() && !adapts) || isQuasiNewton(kind)));
  if (table.given("factor") && table.sound({"factor"}) && settings.factor >= 2.0)
    table.mistake("factor", fmt::format("'factor' is {}; it must be below 2.", core::text(settings.factor)),
                  kBeyondTwo);
  table.word("values", settings.values, kAcceleratedWords, usedBy(settings.relaxes()));
  readAdaptive(table, settings, usedBy(adapts));
  table.count("reused_steps", settings.reusedSteps, 0,
              usedBy(isQuasiNewton(kind) && kind != AcceleratorKind::anderson));
  table.count("columns", settings.columns, 1, usedBy(isQuasiNewton(kind)));
  table.word("filter", settings.filter, kFilterWords, usedBy(squares));
  table.real("filter_limit", settings.filterLimit, kPositive, usedBy(squares && settings.filter != Filter::none));
  atMost(table, "filter_limit", settings.filterLimit, 1.0);
  table.word("scaling", settings.scaling, kScalingWords, usedBy(isQuasiNewton(kind)));
}

std::vector<core::Place> readFieldFactors(TableReader& table, AlgorithmSettings& algorithm, bool kindIsSound) {
  AccelerationSettings& settings = algorithm.acceleration;
  const bool used = settings.kind == AcceleratorKind::constant;
  std::vector<core::Place> places;
  for (const auto& [variables, factor] : table.namedReals("factors", usedBy(used, algorithm, kindIsSound, table))) {
    if (!(factor > 0.0 && factor < 2.0))
      table.mistake(
          "factors",
          fmt::format("The factor of '{}' is {}; it must be above 0 and below 2.", variables.value, core::text(factor)),
          factor > 0.0 ? kBeyondTwo : "");
    settings.fieldFactors.push_back({.variables = variables.value, .number = factor});
    places.push_back(variables.place);
  }
  return places;
}

void checkTolerances(TableReader& table, const core::Tolerance& tolerance) {
  if (!table.sound({"rtol", "atol"}) || !tolerance.allowsNothing()) return;
  table.mistake(table.given("atol") ? "atol" : "rtol",
                tolerance.atol ? "rtol and atol are both 0; no iteration or test can meet that."
                               : "rtol is 0, and there is no atol; no iteration or test can meet that.",
                "Make at least one of them positive.");
}

void checkFirstResidual(TableReader& table, const AlgorithmSettings& algorithm, double rtol) {
  if (algorithm.relativeTo != coupling::RelativeTo::firstResidual || rtol > 0.0 || !table.sound({"rtol"})) return;
  table.mistake("rtol", "rtol is 0, so no residual can have fallen to that part of the first one.",
                "Give rtol > 0, or leave relative_to out.");
}

void readConvergence(std::vector<TableReader>& tables, AlgorithmSettings& algorithm, bool kindIsSound) {
  const std::string idle = idleFor(algorithm, kindIsSound);
  for (TableReader& table : tables) {
    coupling::ConvergenceGroup group;
    group.tolerance = {algorithm.rtol, algorithm.atol};
    group.norm = algorithm.norm;
    std::vector<Placed<std::string>> variables;
    table.texts("variables", variables);
    if (table.sound({"variables"}) && variables.empty())
      table.mistake("variables", "A group of the convergence test has no variables.",
                    "Write variables = [\"subsystem.port\"], outputs that are exchanged.");
    for (Placed<std::string>& variable : variables) group.variables.push_back(std::move(variable.value));
    table.real("rtol", group.tolerance.rtol, kNotNegative, {.idle = idle});
    table.optionalReal("atol", group.tolerance.atol, kNotNegative, {.idle = idle});
    table.word("norm", group.norm, kNormWords, {.idle = idle});
    Placed<std::string> name;
    table.text("name", name, {.idle = idle});
    checkTolerances(table, group.tolerance);
    checkFirstResidual(table, algorithm, group.tolerance.rtol);
    group.name = name.value.empty() && !group.variables.empty() ? group.variables.front() : name.value;
    const auto same = [&](const coupling::ConvergenceGroup& other) { return other.name == group.name; };
    if (std::ranges::any_of(algorithm.convergence, same))
      table.mistake(table.given("name") ? "name" : "variables",
                    fmt::format("There are two groups '{}' of the convergence test.", group.name),
                    "Give them different names.");
    algorithm.convergence.push_back(std::move(group));
  }
}

}  // namespace koppla::project
