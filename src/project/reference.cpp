#include "koppla/project/reference.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"

namespace koppla::project {

namespace {

std::vector<std::vector<double>> identity(std::size_t n) {
  std::vector<std::vector<double>> rows(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) rows[i][i] = 1.0;
  return rows;
}

std::unique_ptr<native::ExactSolution> make(const ReferenceEntry& entry, const native::LinearSolution*& linear) {
  if (const auto* formulas = std::get_if<FormulaReference>(&entry.solution)) return native::formulaSolution(*formulas);
  if (const auto* sprung = std::get_if<native::SprungOscillator>(&entry.solution))
    return native::nonlinearOscillatorSolution(*sprung);
  std::unique_ptr<native::LinearSolution> solution;
  if (const auto* two = std::get_if<native::TwoMassOscillator>(&entry.solution)) {
    solution = native::twoMassSolution(*two);
  } else {
    const auto& given = std::get<LinearReference>(entry.solution);
    solution =
        native::linearSolution(given.A, given.C.empty() ? identity(given.x0.size()) : given.C, given.x0, given.names);
  }
  linear = solution.get();
  return solution;
}

}  // namespace

ExactValues::ExactValues(const ReferenceEntry& entry, double start) {
  try {
    solution_ = make(entry, linear_);
  } catch (const core::InputError& refusal) {
    std::vector<core::Problem> problems = refusal.problems();
    for (core::Problem& problem : problems) problem.place = entry.place;
    throw core::InputError(std::move(problems));
  }
  // Formulas are written in the run's own time.
  if (!std::holds_alternative<FormulaReference>(entry.solution)) shift_ = start;
  const std::vector<std::string>& names = solution_->names();
  all_.resize(names.size());
  std::vector<core::Problem> problems;
  for (const auto& [variable, written] : entry.values) {
    const bool opposite = written.value.starts_with('-');
    const std::string name = written.value.substr(opposite ? 1 : 0);
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      problems.push_back(
          {written.place, fmt::format("The exact solution has no '{}'.", name), core::suggestion(name, names)});
      continue;
    }
    variables_.push_back(variable.value);
    sources_.push_back({static_cast<std::size_t>(found - names.begin()), opposite ? -1.0 : 1.0});
  }
  if (!problems.empty()) throw core::InputError(std::move(problems));
  if (linear_ != nullptr) findStates(entry);
}

void ExactValues::addAlias(std::string variable, std::size_t known, double sign) {
  variables_.push_back(std::move(variable));
  sources_.push_back({sources_[known].index, sign * sources_[known].sign});
}

/// Without a list the states are the variables of the solution's first values, where these are the states themselves.
void ExactValues::findStates(const ReferenceEntry& entry) {
  const std::size_t count = linear_->state(0.0).size();
  for (const Placed<std::string>& state : entry.states) states_.push_back(state.value);
  if (!states_.empty() && states_.size() != count)
    throw core::InputError({{entry.states.front().place,
                             fmt::format("States given: {}; the exact solution has {}.", states_.size(), count),
                             "Name one variable for each."}});
  const auto* linear = std::get_if<LinearReference>(&entry.solution);
  if (!states_.empty() || (linear != nullptr && !linear->C.empty())) return;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t v = 0; v < sources_.size() && states_.size() == i; ++v)
      if (sources_[v].index == i && sources_[v].sign == 1.0) states_.push_back(variables_[v]);
  if (states_.size() != count) states_.clear();
}

std::optional<std::size_t> ExactValues::find(std::string_view variable) const {
  const auto found = std::ranges::find(variables_, variable);
  if (found == variables_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - variables_.begin());
}

void ExactValues::values(double t, std::span<double> y) const {
  solution_->values(t - shift_, all_);
  give(y);
}

void ExactValues::valuesFrom(double t0, std::span<const double> states, double t, std::span<double> y) const {
  linear_->valuesFrom(t0, states, t, all_);
  give(y);
}

void ExactValues::give(std::span<double> y) const {
  for (std::size_t i = 0; i < sources_.size(); ++i) y[i] = sources_[i].sign * all_[sources_[i].index];
}

double ExactValues::value(std::size_t variable, double t) const {
  solution_->values(t - shift_, all_);
  return sources_[variable].sign * all_[sources_[variable].index];
}

}  // namespace koppla::project
