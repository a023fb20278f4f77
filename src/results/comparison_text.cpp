#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "koppla/core/value.hpp"
#include "koppla/results/comparison.hpp"

namespace koppla::results {

namespace {

std::vector<const VariableComparison*> worstFirst(const Comparison& comparison) {
  std::vector<const VariableComparison*> sorted;
  for (const VariableComparison& variable : comparison.variables) sorted.push_back(&variable);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto* left, const auto* right) {
    return left->share != right->share ? left->share > right->share : left->error > right->error;
  });
  return sorted;
}

std::string inUnit(double value, const std::string& unit) {
  return unit.empty() ? fmt::format("{:.3g}", value) : fmt::format("{:.3g} {}", value, unit);
}

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 12;
  std::string result;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) result += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kShown) result += fmt::format(", ... ({} in all)", names.size());
  return result;
}

std::vector<std::string> sentences(const std::vector<OtherUnit>& units) {
  std::vector<std::string> result;
  for (const OtherUnit& other : units)
    result.push_back(fmt::format("{} ({}, reference {})", other.name, other.unit, other.referenceUnit));
  return result;
}

std::string describe(const VariableComparison& variable) {
  if (!variable.remark.empty())
    return fmt::format("{} at t = {} s: {}", variable.name, core::text(variable.time), variable.remark);
  return fmt::format("{} at t = {} s: off by {}, allowed {:.3g}", variable.name, core::text(variable.time),
                     inUnit(variable.error, variable.unit), variable.allowed);
}

std::string table(const std::vector<const VariableComparison*>& variables) {
  std::size_t width = std::string_view("variable").size();
  for (const VariableComparison* variable : variables) width = std::max(width, variable->name.size());
  std::string result = fmt::format("{:<{}}  {:>13}  {:>13}  {:>12}  {:>10}\n", "variable", width, "largest error",
                                   "worst error", "allowed", "at time/s");
  for (const VariableComparison* variable : variables) {
    std::string line = variable->remark.empty()
                           ? fmt::format("{:<{}}  {:>13}  {:>13}  {:>12.3g}  {:>10.6g}", variable->name, width,
                                         inUnit(variable->maxError, variable->unit),
                                         inUnit(variable->error, variable->unit), variable->allowed, variable->time)
                           : fmt::format("{:<{}}  {:>13}  {:>13}  {:>12}  {:>10.6g}", variable->name, width, "", "", "",
                                         variable->time);
    if (!variable->equal) line += "  different";
    if (!variable->remark.empty()) line += ": " + variable->remark;
    result += line + "\n";
  }
  return result;
}

}  // namespace

std::string verdict(const Comparison& comparison) {
  if (comparison.equal())
    return fmt::format("equal within rtol = {}, atol = {}{}", core::text(comparison.tolerances.rtol),
                       core::text(comparison.tolerances.atol), comparison.otherUnits.empty() ? "" : ", but for units");
  std::string result = "different: ";
  if (comparison.variables.empty() && comparison.missing.empty()) return result + "no variable in common";
  std::vector<std::string> reasons;
  if (const std::size_t count = comparison.differing(); count > 0)
    reasons.push_back(fmt::format("{} of {} variables; worst {}", count, comparison.variables.size(),
                                  describe(*worstFirst(comparison).front())));
  if (!comparison.missing.empty())
    reasons.push_back(
        fmt::format("{} variable{} missing", comparison.missing.size(), comparison.missing.size() == 1 ? "" : "s"));
  if (!comparison.timeRemark.empty()) reasons.emplace_back("the time is not covered");
  if (!comparison.otherUnits.empty()) reasons.emplace_back("units differ");
  for (std::size_t i = 0; i < reasons.size(); ++i) result += (i > 0 ? "; " : "") + reasons[i];
  return result;
}

std::string text(const Comparison& comparison, std::size_t rows) {
  std::vector<const VariableComparison*> variables = worstFirst(comparison);
  const std::size_t left = variables.size() - std::min(rows, variables.size());
  variables.resize(variables.size() - left);
  std::string result;
  if (!variables.empty()) result = table(variables);
  if (left > 0) result += fmt::format("... and {} more, none worse\n", left);
  if (!comparison.missing.empty()) result += "missing in the results: " + list(comparison.missing) + "\n";
  if (!comparison.extra.empty()) result += "not in the reference: " + list(comparison.extra) + "\n";
  if (!comparison.otherUnits.empty())
    result += "in another unit, compared by their numbers: " + list(sentences(comparison.otherUnits)) + "\n";
  if (!comparison.timeRemark.empty()) result += comparison.timeRemark + "\n";
  return result + verdict(comparison) + "\n";
}

}  // namespace koppla::results
