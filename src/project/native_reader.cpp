#include "koppla/project/native_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/project/multibody_reader.hpp"
#include "koppla/results/load.hpp"

namespace koppla::project {

namespace {

using native::Extrapolation;
using native::Interpolation;
using solver::Kind;

constexpr std::string_view kLinear = "linear-state-space";
constexpr std::string_view kExpressions = "expressions";
constexpr std::string_view kSignal = "signal";
constexpr std::string_view kCurve = "curve";
constexpr std::array kWrittenModels{kLinear, kExpressions, kSignal, kCurve, kMultibodyModel};

constexpr std::array kInterpolationWords{Word{"linear", Interpolation::linear}, Word{"hold", Interpolation::hold},
                                         Word{"cubic", Interpolation::cubic}};
constexpr std::array kExtrapolationWords{Word{"hold", Extrapolation::hold}, Word{"linear", Extrapolation::linear}};

std::vector<std::string> plainTexts(TableReader& table, std::string_view key) {
  std::vector<Placed<std::string>> texts;
  table.texts(key, texts);
  std::vector<std::string> result;
  result.reserve(texts.size());
  for (Placed<std::string>& text : texts) result.push_back(std::move(text.value));
  return result;
}

std::string plainText(TableReader& table, std::string_view key, std::string standard) {
  Placed<std::string> text{std::move(standard), {}};
  table.text(key, text);
  return text.value;
}

template <typename T>
T choiceOf(TableReader& table, const native::Choice& choice) {
  T value = std::get<T>(choice.standard);
  if constexpr (std::is_same_v<T, bool>) {
    table.flag(choice.name, value);
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    auto number = static_cast<unsigned>(value);
    table.count(choice.name, number, 0);
    value = static_cast<std::int32_t>(number);
  } else if constexpr (std::is_same_v<T, double>) {
    table.real(choice.name, value);
  } else {
    value = plainText(table, choice.name, std::move(value));
  }
  return value;
}

native::Choices readChoices(TableReader& table, const native::BuiltInModel& model) {
  native::Choices choices;
  for (const native::Choice& choice : model.choices)
    std::visit([&]<typename T>(const T&) { choices[choice.name] = choiceOf<T>(table, choice); }, choice.standard);
  return choices;
}

native::LinearStateSpace readLinear(TableReader& table) {
  native::LinearStateSpace settings;
  settings.inputs = plainTexts(table, "inputs");
  settings.outputs = plainTexts(table, "outputs");
  settings.states = plainTexts(table, "states");
  table.matrix("A", settings.A);
  table.matrix("B", settings.B);
  table.matrix("C", settings.C);
  table.matrix("D", settings.D);
  table.reals("x0", settings.x0);
  return settings;
}

double numberOf(const Parameter& parameter) {
  if (parameter.values.size() != 1) return 0.0;  // that it must be one number is said when it is set
  const RawValue& raw = parameter.values.front().value;
  if (const auto* real = std::get_if<double>(&raw)) return *real;
  if (const auto* integer = std::get_if<std::int64_t>(&raw)) return static_cast<double>(*integer);
  return 0.0;
}

/// Variables that have a start value in one table and a formula in another.
struct Pair {
  std::string_view variable, variables;  ///< as in "state", "states"
  std::string_view formula, formulas;    ///< as in "derivative", "derivatives"
};

template <typename Variable>
std::vector<Variable> readPairs(TableReader& table, const Pair& pair) {
  std::vector<Variable> result;
  const auto starts = table.namedReals(pair.variables);
  auto formulas = table.namedTexts(pair.formulas);
  for (const auto& [variable, start] : starts) {
    const auto formula = std::ranges::find(formulas, variable.value, [](const auto& f) { return f.first.value; });
    if (formula == formulas.end()) {
      table.mistake(pair.variables, fmt::format("The {} '{}' has no {}.", pair.variable, variable.value, pair.formula),
                    fmt::format("Write {} = {{{} = \"...\"}}, a formula.", pair.formulas, variable.value));
      continue;
    }
    result.push_back({variable.value, start, formula->second.value});
    formulas.erase(formula);
  }
  for (const auto& [name, formula] : formulas)
    table.mistake(pair.formulas,
                  fmt::format("There is a {} of '{}', which is no {}.", pair.formula, name.value, pair.variable),
                  fmt::format("Write {} = {{{} = 0.0}}, its start value.", pair.variables, name.value));
  return result;
}

native::ExpressionModel readExpressions(TableReader& table, std::span<const Parameter> parameters) {
  native::ExpressionModel model;
  const auto units = table.namedTexts("units");
  const auto unitOf = [&units](const std::string& name) {
    const auto found = std::ranges::find(units, name, [](const auto& unit) { return unit.first.value; });
    return found == units.end() ? std::string() : found->second.value;
  };
  for (const auto& [name, start] : table.namedReals("inputs"))
    model.inputs.push_back({name.value, start, unitOf(name.value)});
  using Model = native::ExpressionModel;
  model.states = readPairs<Model::State>(table, {"state", "states", "derivative", "derivatives"});
  model.unknowns = readPairs<Model::Unknown>(table, {"unknown", "unknowns", "residual", "residuals"});
  for (const auto& [name, formula] : table.namedTexts("outputs"))
    model.outputs.push_back({name.value, formula.value, unitOf(name.value)});
  for (const Parameter& parameter : parameters) {
    const std::string& name = parameter.port.value;
    const auto startsIt = [&](const auto& variable) { return variable.name + ".start" == name; };
    const bool isStart = std::ranges::any_of(model.states, startsIt) || std::ranges::any_of(model.unknowns, startsIt);
    const bool isInput = std::ranges::any_of(model.inputs, [&](const auto& input) { return input.name == name; });
    if (!isStart && !isInput) model.parameters.push_back({name, numberOf(parameter), unitOf(name)});
  }
  return model;
}

void readSamples(TableReader& table, const std::filesystem::path& file, const std::vector<std::string>& wanted,
                 native::Signal& signal) {
  try {
    const results::Table samples = results::load(file);
    signal.times = samples.time;
    for (const results::Series* series : results::select(samples, wanted))
      if (series->numeric()) signal.columns.push_back({series->name, series->numbers, series->unit});
  } catch (const core::InputError& refusal) {
    for (const core::Problem& problem : refusal.problems())
      table.mistake("file", "The samples cannot be read: " + core::text({problem.place, problem.message, {}}),
                    problem.remedy);
  }
}

native::Signal readSignal(TableReader& table, const std::filesystem::path& folder, std::filesystem::path& file) {
  native::Signal signal;
  table.word("interpolation", signal.interpolation, kInterpolationWords);
  Placed<std::string> path;
  table.text("file", path);
  if (table.given("file") && table.given("times"))
    table.mistake("times", "'file' and 'times' exclude each other.", "Remove one of them.");
  table.reals("times", signal.times,
              {.required = table.given("file") ? "" : "Write file = \"samples.csv\", or times and values."});
  const std::vector<std::string> columns = plainTexts(table, "columns");
  if (table.given("file") && table.sound({"file"})) {
    file = folder / path.value;
    readSamples(table, file, columns, signal);
  } else if (!table.given("file") && table.given("columns")) {
    table.mistake("columns", "'columns' chooses from a file.", "Write file = \"samples.csv\" as well.");
  }
  const Table& values = table.freeTable("values");
  for (const Entry& entry : values) {
    const Table one{entry};
    Reports unused;
    TableReader column(&one, entry.place, "[subsystems.values]", unused);
    std::vector<double> numbers;
    column.reals(entry.key, numbers);
    for (const core::Problem& problem : unused.findings.mistakes)
      table.mistake("values", problem.message, problem.remedy);
    signal.columns.push_back({entry.key, std::move(numbers)});
  }
  return signal;
}

native::Curve readCurve(TableReader& table) {
  native::Curve curve;
  table.reals("u", curve.u, {.required = "Write u = [...], rising numbers."});
  table.reals("y", curve.y, {.required = "Write y = [...], a number for each of u."});
  table.word("interpolation", curve.interpolation, kInterpolationWords);
  table.word("extrapolation", curve.extrapolation, kExtrapolationWords);
  curve.input = plainText(table, "input", curve.input);
  curve.output = plainText(table, "output", curve.output);
  curve.inputUnit = plainText(table, "input_unit", curve.inputUnit);
  curve.outputUnit = plainText(table, "output_unit", curve.outputUnit);
  return curve;
}

/// When bdf renews its Jacobian: "auto", or letters for its iterations, such as "T:F:F:F".
std::vector<bool> readRenewal(TableReader& table, const Rule& rule) {
  Placed<std::string> pattern{"auto", {}};
  table.text("jacobian", pattern, rule);
  if (pattern.value == "auto") return {};
  if (pattern.value.empty())
    table.mistake("jacobian", "'jacobian' says nothing.", "Write \"auto\", or a pattern such as \"T:F:F:F\".");
  std::vector<bool> renewal;
  const std::string& letters = pattern.value;
  for (std::size_t i = 0; i < letters.size(); i += 2) {
    const bool ends = i + 1 == letters.size();
    if ((letters[i] != 'T' && letters[i] != 'F') || (!ends && letters[i + 1] != ':') || i + 2 == letters.size()) {
      table.mistake("jacobian", fmt::format("'{}' is no pattern of renewals.", letters),
                    "Write \"auto\", or T (renewed) and F (kept) for the iterations, such as \"T:F:F:F\".");
      return {};
    }
    renewal.push_back(letters[i] == 'T');
  }
  return renewal;
}

/// Nothing is integrated, but residuals are solved with the tolerances, whichever integrator is named.
bool isSolvedStatically(const NativeModel& model) {
  const auto* const formulas = std::get_if<native::ExpressionModel>(&model.settings);
  return formulas != nullptr && formulas->states.empty() && !formulas->unknowns.empty();
}

solver::IntegratorSettings readIntegrator(TableReader& table, bool isStatic) {
  solver::IntegratorSettings settings;
  Placed<std::string> word{std::string(solver::word(settings.kind)), {}};
  table.text("integrator", word,
             {.idle = table.given("inside") ? "the integrator of the subsystem that it is inside solves it" : ""});
  if (const std::optional<Kind> kind = solver::kindNamed(word.value)) {
    settings.kind = *kind;
  } else {
    std::vector<std::string> words;
    words.reserve(std::size(solver::kKinds));
    for (const Kind known : solver::kKinds) words.emplace_back(solver::word(known));
    table.mistake("integrator", fmt::format("There is no integrator '{}'.", word.value),
                  core::suggestion(word.value, words));
  }
  const bool unknown = !table.sound({"integrator"});
  const bool cvode = unknown || settings.kind == Kind::cvodeAdams || settings.kind == Kind::cvodeBdf;
  const bool newmark = unknown || settings.kind == Kind::newmark;
  const bool bdf = unknown || settings.kind == Kind::bdf;
  const bool anyBdf = bdf || settings.kind == Kind::bdfFixed;
  const bool tolerant = cvode || newmark || anyBdf || settings.kind == Kind::radau || settings.kind == Kind::radauFixed;
  const bool inside = table.given("inside");
  const auto usedIf = [&](bool used) {
    if (inside) return Rule{.idle = "the integrator of the subsystem that it is inside solves it"};
    return Rule{.idle = used ? "" : fmt::format("the integrator '{}' does not use it", solver::word(settings.kind))};
  };
  const Rule ofTolerances = isStatic ? Rule{} : usedIf(tolerant);
  table.real("rtol", settings.rtol, kNotNegative, ofTolerances);
  table.real("atol", settings.atol, kNotNegative, ofTolerances);
  table.real("alpha", settings.alpha, atLeast(-1.0 / 3.0), usedIf(newmark));
  table.optionalReal("beta", settings.beta, kPositive, usedIf(newmark));
  table.optionalReal("gamma", settings.gamma, kPositive, usedIf(newmark));
  bool restart = restarts(settings);
  table.flag("restart", restart, usedIf(cvode || anyBdf));
  if (table.given("restart")) settings.restart = restart;
  table.optionalCount("order", settings.order, 1, usedIf(anyBdf), solver::kHighestBdfOrder);
  table.real("first_micro_step", settings.firstMicroStep, kPositive, usedIf(bdf));
  table.real("min_micro_step", settings.minMicroStep, kPositive, usedIf(bdf));
  table.real("newton_tolerance", settings.newtonTolerance, kPositive,
             usedIf(anyBdf || settings.kind == Kind::cvodeBdf));
  settings.renewal = readRenewal(table, usedIf(anyBdf));
  table.flag("corrected", settings.corrected, usedIf(newmark));
  return settings;
}

void refuseIntegrator(TableReader& table, const std::string& word) {
  for (const std::string_view key : {"integrator", "rtol", "atol", "alpha", "beta", "gamma", "restart", "corrected",
                                     "order", "first_micro_step", "min_micro_step", "newton_tolerance", "jacobian"})
    table.refuse(key, fmt::format("the model '{}' brings its own solver", word));
}

}  // namespace

std::vector<std::string> modelWords() {
  std::vector<std::string> words;
  for (const native::BuiltInModel& model : native::builtInModels()) words.push_back(model.word);
  for (const std::string_view word : kWrittenModels) words.emplace_back(word);
  return words;
}

bool isWrittenInProject(std::string_view model) {
  return std::ranges::find(kWrittenModels, model) != kWrittenModels.end();
}

std::optional<NativeModel> readNativeModel(TableReader& table, const Placed<std::string>& word,
                                           std::span<const Parameter> parameters, const std::filesystem::path& folder) {
  NativeModel model;
  model.word = word;
  const native::BuiltInModel* const builtIn = native::findBuiltIn(word.value);
  if (builtIn != nullptr) {
    model.settings = readChoices(table, *builtIn);
  } else if (word.value == kLinear) {
    model.settings = readLinear(table);
  } else if (word.value == kExpressions) {
    model.settings = readExpressions(table, parameters);
  } else if (word.value == kSignal) {
    model.settings = readSignal(table, folder, model.file);
  } else if (word.value == kCurve) {
    model.settings = readCurve(table);
  } else if (word.value == kMultibodyModel) {
    model.settings = readMultibody(table);
  } else {
    table.mistake("model", fmt::format("There is no model '{}'.", word.value),
                  core::suggestion(word.value, modelWords()));
    return std::nullopt;
  }
  if (bringsSolver(model))
    refuseIntegrator(table, word.value);
  else
    model.integrator = readIntegrator(table, isSolvedStatically(model));
  return model;
}

}  // namespace koppla::project
