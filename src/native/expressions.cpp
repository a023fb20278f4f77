#include "koppla/native/expressions.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/native/detail/formula.hpp"
#include "koppla/native/detail/model.hpp"
#include "koppla/native/detail/names.hpp"

namespace koppla::native {

namespace {

constexpr const char* kExpressions = "expressions";

template <typename Items>
void appendNames(std::vector<std::string>& names, const Items& items) {
  for (const auto& item : items) names.push_back(item.name);
}

void checkNames(const ExpressionModel& settings) {
  std::vector<std::string> variables, ports, outputs;
  for (std::vector<std::string>* names : {&variables, &ports}) {
    appendNames(*names, settings.inputs);
    appendNames(*names, settings.parameters);
  }
  appendNames(variables, settings.states);
  appendNames(variables, settings.unknowns);
  appendNames(outputs, settings.outputs);
  std::vector<core::Problem> problems = detail::variableProblems(kExpressions, variables);
  for (const std::string& output : outputs) {
    if (!detail::isIdentifier(output))
      problems.push_back({{},
                          fmt::format("{}: '{}' cannot be the name of an output.", kExpressions, output),
                          "Use letters, digits and underscores, no digit first, at most 100 characters."});
    if (std::ranges::find(ports, output) != ports.end() || std::ranges::count(outputs, output) > 1)
      problems.push_back({{},
                          fmt::format("{}: another port has the name of the output '{}'.", kExpressions, output),
                          "Rename one of the two."});
  }
  if (!problems.empty()) throw core::InputError(std::move(problems));
}

class ExpressionsModel final : public detail::Model {
 public:
  explicit ExpressionsModel(const ExpressionModel& settings)
      : Model(kExpressions),
        inputs_(settings.inputs.size()),
        unknowns_(settings.unknowns.size()),
        states_(settings.states.size() + unknowns_) {
    checkNames(settings);
    layOut(settings);
    readFormulas(settings);
    addPorts(settings);
    complete();
  }

  [[nodiscard]] std::size_t stateCount() const override { return states_; }
  [[nodiscard]] std::size_t algebraicCount() const override { return unknowns_; }
  [[nodiscard]] bool determinesUnknowns() const override { return unknowns_ > 0; }
  [[nodiscard]] std::string unknownName(std::size_t unknown) const override {
    return names_[1 + inputs_ + states_ - unknowns_ + unknown];
  }
  void initialStates(std::span<double> x) const override { std::ranges::copy(start_, x.begin()); }

  void derivatives(double t, std::span<const double> x, std::span<const double> u,
                   std::span<double> dx) const override {
    evaluate(derivatives_, t, x, u, dx);
  }

  void outputs(double t, std::span<const double> x, std::span<const double> u, std::span<double> y) const override {
    evaluate(outputs_, t, x, u, y);
  }

 private:
  /// The formulas' variables: t, inputs, states, unknowns, parameters. They never move: the parsers hold their
  /// addresses.
  void layOut(const ExpressionModel& settings) {
    names_ = {"t"};
    appendNames(names_, settings.inputs);
    appendNames(names_, settings.states);
    appendNames(names_, settings.unknowns);
    appendNames(names_, settings.parameters);
    values_.assign(names_.size(), 0.0);
    for (const auto& state : settings.states) start_.push_back(state.start);
    for (const auto& unknown : settings.unknowns) start_.push_back(unknown.start);
    for (std::size_t i = 0; i < settings.parameters.size(); ++i)
      values_[1 + inputs_ + states_ + i] = settings.parameters[i].value;
  }

  void readFormulas(const ExpressionModel& settings) {
    std::vector<core::Problem> problems;
    const auto read = [&](std::vector<detail::Formula>& formulas, const std::string& what, const std::string& text) {
      try {
        formulas.emplace_back(what, text, detail::Variables{names_, values_});
      } catch (const core::InputError& error) {
        problems.insert(problems.end(), error.problems().begin(), error.problems().end());
      }
    };
    for (const auto& state : settings.states)
      read(derivatives_, fmt::format("state '{}'", state.name), state.derivative);
    for (const auto& unknown : settings.unknowns)
      read(derivatives_, fmt::format("unknown '{}'", unknown.name), unknown.residual);
    for (const auto& output : settings.outputs) read(outputs_, fmt::format("output '{}'", output.name), output.formula);
    if (!problems.empty()) throw core::InputError(std::move(problems));
  }

  void addPorts(const ExpressionModel& settings) {
    for (const auto& input : settings.inputs) addInput({input.name, input.unit, ""}, input.start);
    for (std::size_t i = 0; i < settings.outputs.size(); ++i) {
      const auto& output = settings.outputs[i];
      addOutput({output.name, output.unit, output.formula}, inputsOf(outputs_[i]));
    }
    for (std::size_t i = 0; i < settings.parameters.size(); ++i)
      addParameter({settings.parameters[i].name, settings.parameters[i].unit, ""}, values_[1 + inputs_ + states_ + i]);
    for (std::size_t i = 0; i < states_; ++i) {
      const std::string& name = names_[1 + inputs_ + i];
      const bool unknown = i + unknowns_ >= states_;
      addParameter({name + ".start", "", fmt::format("{} {} at the start", unknown ? "unknown" : "state", name)},
                   start_[i]);
    }
  }

  /// Unknowns answer at once to every input that stands in any residual.
  [[nodiscard]] std::vector<subsystem::PortIndex> inputsOf(const detail::Formula& formula) const {
    std::set<subsystem::PortIndex> result = inputsIn(formula);
    const std::size_t end = 1 + inputs_ + states_;
    if (std::ranges::any_of(formula.used(), [&](std::size_t v) { return v >= end - unknowns_ && v < end; }))
      for (std::size_t i = states_ - unknowns_; i < states_; ++i) result.merge(inputsIn(derivatives_[i]));
    return {result.begin(), result.end()};
  }

  /// Inputs are the first ports, and stand behind t among the variables.
  [[nodiscard]] std::set<subsystem::PortIndex> inputsIn(const detail::Formula& formula) const {
    std::set<subsystem::PortIndex> result;
    for (const std::size_t variable : formula.used())
      if (variable >= 1 && variable <= inputs_) result.insert(variable - 1);
    return result;
  }

  void evaluate(const std::vector<detail::Formula>& formulas, double t, std::span<const double> x,
                std::span<const double> u, std::span<double> results) const {
    values_[0] = t;
    std::ranges::copy(u, values_.begin() + 1);
    std::ranges::copy(x, values_.begin() + 1 + static_cast<std::ptrdiff_t>(inputs_));
    for (std::size_t i = 0; i < formulas.size(); ++i) results[i] = formulas[i].value();
  }

  std::size_t inputs_;
  std::size_t unknowns_;
  std::size_t states_;  ///< the unknowns among them, the last ones
  std::vector<std::string> names_;
  /// Where the parsers read their variables: arguments of a call, written at its beginning, then the parameters.
  /// Mutable because the calls are pure for the caller; an instance is used by one thread at a time.
  mutable std::vector<double> values_;
  std::vector<double> start_;
  std::vector<detail::Formula> derivatives_;  ///< of the states, then the residuals
  std::vector<detail::Formula> outputs_;
};

}  // namespace

std::unique_ptr<solver::Equations> expressions(const ExpressionModel& settings) {
  return std::make_unique<ExpressionsModel>(settings);
}

}  // namespace koppla::native
