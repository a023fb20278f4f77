#include "koppla/results/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "koppla/core/value.hpp"
#include "koppla/results/alignment.hpp"
#include "koppla/results/pattern.hpp"

namespace koppla::results {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double errorOf(double value, double reference) {
  const bool same = value == reference || (std::isnan(value) && std::isnan(reference));
  return same ? 0.0 : std::fabs(value - reference);  // the same infinity also has no error
}

double allowedAt(double reference, const Tolerances& tolerances) {
  return std::isnan(reference) ? tolerances.atol : tolerances.atol + tolerances.rtol * std::fabs(reference);
}

double shareOf(double error, double allowed) {
  if (error == 0.0) return 0.0;
  if (std::isnan(error) || error == kInfinity || allowed == 0.0) return kInfinity;
  return error / allowed;
}

void add(VariableComparison& result, double time, double error, double allowed) {
  if (error > result.maxError || std::isnan(error)) result.maxError = error;
  const double share = shareOf(error, allowed);
  // Where several errors are infinitely more than allowed, the largest one is the worst.
  if (share > result.share || (share == kInfinity && error > result.error)) {
    result.time = time;
    result.error = error;
    result.allowed = allowed;
    result.share = share;
  }
  if (share > 1.0) result.equal = false;
}

void setDifferent(VariableComparison& result, std::string remark) {
  result.equal = false;
  result.maxError = result.error = 1.0;
  result.share = kInfinity;
  result.remark = std::move(remark);
}

void compareNumbers(const Table& reference, const Series& a, const Series& b, std::span<const Sample> samples,
                    const Tolerances& tolerances, VariableComparison& result) {
  if (!samples.empty()) result.share = -1.0;  // the first instant counts also where nothing differs
  const bool held = a.held() || b.held();
  for (const Sample& sample : samples) {
    const double wanted = b.numbers[sample.row];
    double error = errorOf(held ? a.numbers[sample.held] : sample.linear(a.numbers), wanted);
    if (sample.other != sample.held)
      if (const double right = errorOf(a.numbers[sample.other], wanted); right < error || std::isnan(error))
        error = right;
    add(result, reference.time[sample.row], error, allowedAt(wanted, tolerances));
  }
}

void compareTexts(const Table& reference, const Series& a, const Series& b, std::span<const Sample> samples,
                  VariableComparison& result) {
  for (const Sample& sample : samples) {
    const std::string& wanted = b.texts[sample.row];
    if (a.texts[sample.held] == wanted || a.texts[sample.other] == wanted) continue;
    setDifferent(result, "'" + a.texts[sample.held] + "' instead of '" + wanted + "'");
    result.time = reference.time[sample.row];
    return;
  }
}

std::string describeCover(const Table& results, const Table& reference, std::span<const Sample> samples) {
  if (reference.time.empty()) return "The reference has no rows.";
  if (results.time.empty()) return "The results have no rows.";
  if (samples.size() == reference.time.size()) return {};
  const auto range = [](const Table& table) {
    return core::text(table.time.front()) + " s to " + core::text(table.time.back()) + " s";
  };
  return "The results go from " + range(results) + ", the reference from " + range(reference) + ".";
}

std::unordered_map<std::string_view, const Series*> byName(const Table& table) {
  std::unordered_map<std::string_view, const Series*> map;
  for (const Series& series : table.series) map.emplace(series.name, &series);
  return map;
}

}  // namespace

Comparison compare(const Table& results, const Table& reference, const Tolerances& tolerances,
                   std::span<const std::string> patterns) {
  const auto chosen = [&](const Series& series) { return patterns.empty() || matchesAny(patterns, series.name); };
  const std::vector<Sample> samples = align(results.time, reference.time);
  Comparison comparison;
  comparison.tolerances = tolerances;
  comparison.timeRemark = describeCover(results, reference, samples);

  const auto ours = byName(results);
  for (const Series& b : reference.series) {
    if (!chosen(b)) continue;
    const auto found = ours.find(b.name);
    if (found == ours.end()) {
      comparison.missing.push_back(b.name);
      continue;
    }
    const Series& a = *found->second;
    VariableComparison result;
    result.name = b.name;
    result.unit = b.unit.empty() ? a.unit : b.unit;
    if (a.numeric() != b.numeric()) {
      setDifferent(result, a.numeric() ? "numbers instead of texts" : "texts instead of numbers");
    } else if (a.numeric()) {
      if (!a.unit.empty() && !b.unit.empty() && a.unit != b.unit)
        comparison.otherUnits.push_back({b.name, a.unit, b.unit});
      compareNumbers(reference, a, b, samples, tolerances, result);
    } else {
      compareTexts(reference, a, b, samples, result);
    }
    comparison.variables.push_back(std::move(result));
  }
  const auto theirs = byName(reference);
  for (const Series& a : results.series)
    if (chosen(a) && !theirs.contains(a.name)) comparison.extra.push_back(a.name);
  return comparison;
}

std::size_t Comparison::differing() const {
  return static_cast<std::size_t>(
      std::count_if(variables.begin(), variables.end(), [](const VariableComparison& v) { return !v.equal; }));
}

bool Comparison::equal() const {
  return !variables.empty() && differing() == 0 && missing.empty() && timeRemark.empty();
}

}  // namespace koppla::results
