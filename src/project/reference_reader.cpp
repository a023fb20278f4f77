#include "koppla/project/reference_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"

namespace koppla::project {

namespace {

enum class SolutionKind : std::uint8_t { twoMassOscillator, nonlinearOscillator, linear, formulas };

constexpr std::array kSolutionWords{Word{"two-mass-oscillator", SolutionKind::twoMassOscillator},
                                    Word{"nonlinear-oscillator", SolutionKind::nonlinearOscillator},
                                    Word{"linear", SolutionKind::linear}, Word{"formulas", SolutionKind::formulas}};

using NamedTargets = std::vector<std::pair<std::string, double*>>;

/// Writes what stands in `parameters` to the targets; `owner` is whose parameters they are.
void readParameters(TableReader& table, std::string_view owner, const NamedTargets& known) {
  for (const auto& [name, value] : table.namedReals("parameters")) {
    const auto target = std::ranges::find(known, name.value, &NamedTargets::value_type::first);
    if (target != known.end()) {
      *target->second = value;
      continue;
    }
    std::vector<std::string> names;
    for (const auto& [word, place] : known) names.push_back(word);
    table.mistake("parameters", fmt::format("The {} has no parameter '{}'.", owner, name.value),
                  core::suggestion(name.value, names));
  }
}

native::TwoMassOscillator readTwoMassOscillator(TableReader& table) {
  native::TwoMassOscillator p;
  readParameters(table, "two-mass oscillator",
                 {{"m1", &p.m1},
                  {"m2", &p.m2},
                  {"c1", &p.c1},
                  {"c2", &p.c2},
                  {"ck", &p.ck},
                  {"d1", &p.d1},
                  {"d2", &p.d2},
                  {"dk", &p.dk},
                  {"x10", &p.x10},
                  {"x20", &p.x20},
                  {"v10", &p.v10},
                  {"v20", &p.v20}});
  return p;
}

native::SprungOscillator readNonlinearOscillator(TableReader& table) {
  native::SprungOscillator p;
  readParameters(table, "nonlinear oscillator",
                 {{"m", &p.body.m},
                  {"c", &p.body.c},
                  {"d", &p.body.d},
                  {"x0", &p.body.x0},
                  {"v0", &p.body.v0},
                  {"ck", &p.spring.c},
                  {"alpha", &p.spring.alpha},
                  {"dk", &p.spring.d}});
  return p;
}

LinearReference readLinear(TableReader& table) {
  LinearReference result;
  table.matrix("A", result.A, {.required = "Write A = [[...], ...], the matrix of x' = A x."});
  table.matrix("C", result.C);
  table.reals("x0", result.x0, {.required = "Write x0 = [...], the states at the start."});
  std::vector<Placed<std::string>> names;
  table.texts("names", names);
  for (Placed<std::string>& name : names) result.names.push_back(std::move(name.value));
  return result;
}

FormulaReference readFormulas(TableReader& table) {
  FormulaReference result;
  const Rule rule{.required = "Write [reference.formulas] with name = \"formula of t\"."};
  for (const auto& [name, formula] : table.namedTexts("formulas", rule)) result[name.value] = formula.value;
  return result;
}

}  // namespace

std::optional<ReferenceEntry> readReferenceEntry(TableReader& table) {
  ReferenceEntry entry;
  entry.place = table.place();
  SolutionKind kind = SolutionKind::formulas;
  table.word(
      "kind", kind, kSolutionWords,
      {.required = "Write kind = \"two-mass-oscillator\", \"nonlinear-oscillator\", \"linear\" or \"formulas\"."});
  entry.values = table.namedTexts("values");
  if (kind == SolutionKind::twoMassOscillator || kind == SolutionKind::linear) table.texts("states", entry.states);
  if (!table.sound({"kind"})) return std::nullopt;
  switch (kind) {
    case SolutionKind::twoMassOscillator:
      entry.solution = readTwoMassOscillator(table);
      break;
    case SolutionKind::nonlinearOscillator:
      entry.solution = readNonlinearOscillator(table);
      break;
    case SolutionKind::linear:
      entry.solution = readLinear(table);
      break;
    case SolutionKind::formulas:
      entry.solution = readFormulas(table);
      break;
  }
  return entry;
}

}  // namespace koppla::project
