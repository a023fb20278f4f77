#include "koppla/fmi/description_rules.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "koppla/fmi/findings.hpp"

namespace koppla::fmi {

namespace {

constexpr std::string_view kOwn = "The FMU's own value is used.";
constexpr Rule kNoVariables{"2.2.7", "there are no variables", "Nothing can be connected or recorded."};
constexpr Rule kNoStart{"2.2.7", "a start value is missing", kOwn};
constexpr Rule kStart{"2.2.7", "a calculated or independent variable has a start value", "It is ignored."};
constexpr Rule kRange{"2.2.7", "a start value is not between min and max", "It is used all the same."};
constexpr Rule kCombination{"2.2.7", "causality and variability do not go together",
                            "Such a variable is never set as a parameter."};
constexpr Rule kVariability{"2.2.7", "the variability is missing and its default does not fit",
                            "Parameters are taken as fixed, others as discrete."};
constexpr Rule kContinuous{"2.2.7", "a variable that is not real is continuous", "It is taken as discrete."};
constexpr Rule kInitial{"2.2.7", "the attribute 'initial' does not fit causality and variability",
                        "The default of the standard is used."};
constexpr Rule kAlias{"2.2.7", "inputs or parameters share a value reference", "Setting one sets the other."};
constexpr Rule kIndependent{"2.2.7", "there is more than one independent variable", "All are ignored."};
constexpr Rule kNoItems{"2.2.7", "an enumeration has no declared type with items", "Its values are plain integers."};
constexpr Rule kNominal{"2.2.7", "a nominal value is not positive", "Its magnitude is used, 1 in place of 0."};
constexpr Rule kUnit{"2.2.2", "a unit is not defined", "It is used by its name."};
constexpr Rule kName{"2.2.9", "names break the naming convention \"structured\"", "They are used as they are."};
constexpr Rule kOutputs{"2.2.8", "an output is missing in ModelStructure", "It may depend on every input."};
constexpr Rule kNoOutput{"2.2.8", "ModelStructure lists as output what is none", "It is ignored."};
constexpr Rule kInitialUnknowns{"2.2.8", "an output is missing in InitialUnknowns",
                                "It may depend on every input during initialisation."};
constexpr Rule kExperiment{"2.2.5", "DefaultExperiment makes no sense", "It is only a proposal."};
constexpr Rule kIdentifier{"4.3.1", "modelIdentifier is not a name in C", "It is used as it is."};

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Consumes what the grammar of 2.2.9 allows at the front of a name.
class NameScanner {
 public:
  explicit NameScanner(std::string_view name) : rest_(name) {}

  /// name = identifier | "der(" identifier ["," unsignedInteger] ")"
  bool name() {
    if (take("der(")) {
      if (!identifier()) return false;
      if (take(",") && !digits()) return false;
      return take(")") && rest_.empty();
    }
    return identifier() && rest_.empty();
  }

 private:
  bool identifier() {
    do {
      if (!part()) return false;
    } while (take("."));
    return true;
  }

  bool part() { return (take("'") ? quoted() : plain()) && indices(); }

  bool plain() {
    if (rest_.empty() || !isLetter(rest_.front())) return false;
    drop([](char c) { return isLetter(c) || isDigit(c); });
    return true;
  }

  bool quoted() {
    constexpr std::string_view kOthers = "!#$%&()*+,-./:;<>=?@[]^{}|~ ";
    bool any = false;
    while (!rest_.empty() && rest_.front() != '\'') {
      if (take("\\")) {
        if (rest_.empty() || std::string_view("'\"?\\abfnrtv").find(rest_.front()) == std::string_view::npos)
          return false;
      } else if (!isLetter(rest_.front()) && !isDigit(rest_.front()) &&
                 kOthers.find(rest_.front()) == std::string_view::npos) {
        return false;
      }
      rest_.remove_prefix(1);
      any = true;
    }
    return take("'") && any;
  }

  bool indices() {
    if (!take("[")) return true;
    do {
      if (!digits()) return false;
    } while (take(","));
    return take("]");
  }

  bool digits() {
    const std::size_t before = rest_.size();
    drop(isDigit);
    return rest_.size() < before;
  }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  template <typename Test>
  void drop(Test test) {
    while (!rest_.empty() && test(rest_.front())) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

/// A parameter's `initial` is always exact.
bool needsStart(const Variable& variable) {
  return variable.causality == Causality::input || variable.variability == Variability::constant ||
         variable.initial == Initial::exact || variable.initial == Initial::approx;
}

bool inRange(const Variable& variable) {
  if (!variable.start) return true;
  double value = 0.0;
  if (const auto* real = std::get_if<double>(&*variable.start))
    value = *real;
  else if (const auto* integer = std::get_if<std::int32_t>(&*variable.start))
    value = *integer;
  else
    return true;
  return value >= variable.min.value_or(value) && value <= variable.max.value_or(value);
}

void checkStart(const Variable& variable, Findings& findings) {
  if (needsStart(variable)) {
    if (!variable.start) findings.add(kNoStart, variable.position, variable.name);
  } else if (variable.start) {
    findings.add(kStart, variable.position, variable.name);
  }
  if (!inRange(variable)) findings.add(kRange, variable.position, variable.name);
}

void checkKind(const Variable& variable, Findings& findings) {
  const bool parametric =
      variable.causality == Causality::parameter || variable.causality == Causality::calculatedParameter;
  const InitialRule rule = initialRule(variable.causality, variable.variability);
  if (!variable.variabilityDeclared && (parametric || variable.type != core::Type::real))
    findings.add(kVariability, variable.position, variable.name);
  else if (!rule.combination)
    findings.add(kCombination, variable.position,
                 fmt::format("{}: {} {}", variable.name, word(variable.variability), word(variable.causality)));
  if (variable.variability == Variability::continuous && variable.type != core::Type::real)
    findings.add(kContinuous, variable.position, variable.name);
  if (variable.initialDeclared && !rule.allows(*variable.initialDeclared))
    findings.add(kInitial, variable.position, fmt::format("{}: {}", variable.name, word(*variable.initialDeclared)));
}

void checkVariables(const ModelDescription& model, Findings& findings) {
  const std::unordered_set<std::string> units(model.units.begin(), model.units.end());
  std::size_t independents = 0;
  for (const Variable& variable : model.variables) {
    if (!variable.usable) continue;
    checkStart(variable, findings);
    checkKind(variable, findings);
    if (model.structuredNames && !isStructuredName(variable.name))
      findings.add(kName, variable.position, variable.name);
    if (!variable.unit.empty() && !units.contains(variable.unit))
      findings.add(kUnit, variable.position, fmt::format("{} of {}", variable.unit, variable.name));
    if (variable.nominal && !(*variable.nominal > 0.0)) findings.add(kNominal, variable.position, variable.name);
    if (variable.type == core::Type::enumeration && variable.items.empty())
      findings.add(kNoItems, variable.position, variable.name);
    if (variable.causality == Causality::independent && ++independents > 1)
      findings.add(kIndependent, variable.position, variable.name);
  }
  if (model.variables.empty()) findings.add(kNoVariables, {});
}

/// Of variables with one value reference at most one may be set from outside.
void checkAliases(const ModelDescription& model, Findings& findings) {
  std::map<std::pair<core::Type, std::uint32_t>, const Variable*> settable;
  for (const Variable& variable : model.variables) {
    if (!variable.usable || variable.variability == Variability::constant) continue;
    if (variable.causality != Causality::input && variable.causality != Causality::parameter) continue;
    const core::Type base = variable.type == core::Type::enumeration ? core::Type::integer : variable.type;
    const auto [other, fresh] = settable.emplace(std::pair{base, variable.valueReference}, &variable);
    if (!fresh) findings.add(kAlias, variable.position, fmt::format("{} and {}", other->second->name, variable.name));
  }
}

void checkStructure(const ModelDescription& model, Findings& findings) {
  if (!model.structureDeclared) return;
  const auto listed = [&](const std::vector<Unknown>& unknowns) {
    std::vector<bool> result(model.variables.size());
    for (const Unknown& unknown : unknowns) result[unknown.variable] = true;
    return result;
  };
  const std::vector<bool> outputs = listed(model.outputs);
  const std::vector<bool> initial = listed(model.initialUnknowns);
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    const Variable& variable = model.variables[i];
    const bool output = variable.causality == Causality::output;
    if (output && !outputs[i]) findings.add(kOutputs, variable.position, variable.name);
    if (!output && outputs[i]) findings.add(kNoOutput, variable.position, variable.name);
    if (output && variable.initial != Initial::exact && !initial[i])
      findings.add(kInitialUnknowns, variable.position, variable.name);
  }
}

void checkExperiment(const DefaultExperiment& experiment, Findings& findings) {
  const double start = experiment.startTime.value_or(0.0);
  if (experiment.stopTime && !(*experiment.stopTime >= start))
    findings.add(kExperiment, {}, "stopTime before startTime");
  if (experiment.stepSize && !(*experiment.stepSize > 0.0)) findings.add(kExperiment, {}, "stepSize not positive");
  if (experiment.tolerance && !(*experiment.tolerance > 0.0)) findings.add(kExperiment, {}, "tolerance not positive");
}

bool isNameInC(std::string_view name) {
  return !name.empty() && !isDigit(name.front()) &&
         std::ranges::all_of(name, [](char c) { return isLetter(c) || isDigit(c); });
}

}  // namespace

bool isStructuredName(std::string_view name) {
  return NameScanner(name).name();
}

std::vector<core::Problem> validate(const ModelDescription& model, const std::string& file) {
  Findings findings;
  if (!isNameInC(model.coSimulation.modelIdentifier)) findings.add(kIdentifier, {}, model.coSimulation.modelIdentifier);
  checkExperiment(model.defaultExperiment, findings);
  checkVariables(model, findings);
  checkAliases(model, findings);
  checkStructure(model, findings);
  return findings.problems(file);
}

}  // namespace koppla::fmi
