#include "koppla/fmi/co_simulation.hpp"

#include <cmath>
#include <mutex>
#include <set>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/fmi/detail/co_simulation.hpp"

namespace koppla::fmi {

namespace detail {

using core::Type;
using subsystem::PortIndex;
using subsystem::Status;

namespace {

bool fits(const core::Value& value, Type type) {
  switch (type) {
    case Type::real:
      return std::holds_alternative<double>(value);
    case Type::integer:
    case Type::enumeration:
      return std::holds_alternative<std::int32_t>(value);
    case Type::boolean:
      return std::holds_alternative<bool>(value);
    case Type::string:
      return std::holds_alternative<std::string>(value);
  }
  return false;
}

/// One copy of equal lists for all instances, kept for the life of the process: those of many instances of one FMU then
/// stay in the cache. There are as many as there are ways to connect the FMUs at hand.
template <typename T>
const T* shared(const std::vector<T>& list) {
  static std::mutex mutex;
  static std::set<std::vector<T>> lists;
  const std::lock_guard lock(mutex);
  return lists.insert(list).first->data();
}

}  // namespace

const fmi2::Integer* ordersFor(std::size_t n) {
  std::vector<fmi2::Integer> orders;
  for (unsigned order = 1; order <= subsystem::kMaxDegree; ++order)
    orders.insert(orders.end(), n, static_cast<fmi2::Integer>(order));
  return shared(orders);
}

void CoSimulation::set(PortIndex port, std::span<const core::Value> values) {
  const subsystem::Port& target = describe().ports.at(port);
  const auto wrong = [&](const std::string& message, const std::string& remedy) {
    return core::InputError(fmt::format("{}.{} {}", instance_.name(), target.name, message), remedy);
  };
  if (!target.settable)
    throw wrong("cannot be set: the FMU computes it, or it is constant.",
                "Parameters, inputs and start values (initial 'exact' or 'approx') can be set.");
  if (values.size() != 1) throw wrong(fmt::format("takes one value, not {}.", values.size()), "Give one value.");
  const core::Value& value = values.front();
  if (!fits(value, target.type))
    throw wrong(fmt::format("is of type {}; '{}' is not.", core::word(target.type), core::text(value)),
                fmt::format("Give a value of type {}.", core::word(target.type)));
  if (target.type == Type::enumeration && !target.items.empty() &&
      std::ranges::find(target.items, std::get<std::int32_t>(value), &subsystem::Item::value) == target.items.end()) {
    std::vector<std::string> items;
    for (const subsystem::Item& item : target.items) items.push_back(fmt::format("{} ({})", item.value, item.name));
    throw wrong(fmt::format("has no item {}.", core::text(value)),
                fmt::format("Choose of {}.", fmt::join(items, ", ")));
  }
  if (instance_.phase() != Phase::instantiated)
    throw core::InternalError("A port was set after initialisation had begun.");

  const Functions& f = instance_.functions();
  const fmi2::ValueReference reference = instance_.ports().references[port];
  const Answer answer = std::visit(
      [&]<typename T>(const T& v) -> Answer {
        if constexpr (std::is_same_v<T, double>) {
          return {f.setReal(component_, &reference, 1, &v), "fmi2SetReal"};
        } else if constexpr (std::is_same_v<T, std::int32_t>) {
          return {f.setInteger(component_, &reference, 1, &v), "fmi2SetInteger"};
        } else if constexpr (std::is_same_v<T, bool>) {
          const fmi2::Boolean boolean = v ? fmi2::kTrue : fmi2::kFalse;
          return {f.setBoolean(component_, &reference, 1, &boolean), "fmi2SetBoolean"};
        } else {
          const fmi2::String string = v.c_str();
          return {f.setString(component_, &reference, 1, &string), "fmi2SetString"};
        }
      },
      value);
  require(answer, fmt::format("({} = {})", target.name, core::text(value)));
  reader_.wasSet(port, value);
}

void CoSimulation::bind(subsystem::Binding binding) {
  const PortTable& table = instance_.ports();
  const auto compile = [&](const std::vector<PortIndex>& ports) {
    std::vector<fmi2::ValueReference> references;
    for (const PortIndex port : ports)
      if (table.description.ports.at(port).type == Type::real) references.push_back(table.references[port]);
    return references;
  };
  for (const PortIndex port : binding.inputs)
    if (table.description.ports.at(port).causality != subsystem::Causality::input)
      throw core::InternalError(
          fmt::format("{}.{} was bound as an input.", instance_.name(), table.description.ports[port].name));
  const auto inputs = compile(binding.inputs);
  const auto outputs = compile(binding.outputs);
  inputs_ = shared(inputs);
  outputs_ = shared(outputs);
  inputCount_ = static_cast<std::uint32_t>(inputs.size());
  outputCount_ = static_cast<std::uint32_t>(outputs.size());
  bindDerivatives(inputs);
  outputDerivatives_ = binding.outputDerivatives;
  outputOrders_ = ordersFor(outputs.size());
  check_.connect(binding.outputs);
  ends_.bind(binding.inputs, binding.outputs);
  discreteInputs_.bind(table, binding.inputs, binding.discreteInputs);
  discreteOutputs_.bind(table, binding.outputs, binding.discreteOutputs);
}

void CoSimulation::bindDerivatives(std::span<const fmi2::ValueReference> inputs) {
  std::vector<fmi2::ValueReference> references;
  for (unsigned order = 1; order <= subsystem::kMaxDegree; ++order)
    references.insert(references.end(), inputs.begin(), inputs.end());
  derivativeReferences_ = shared(references);
  manyDerivatives_.resize(references.size());
  derivativeOrders_ = ordersFor(inputs.size());
}

void CoSimulation::enterInitialisation(const subsystem::Experiment& experiment) {
  const Functions& f = instance_.functions();
  const bool ends = std::isfinite(experiment.end);
  require({f.setupExperiment(component_, experiment.tolerance ? fmi2::kTrue : fmi2::kFalse,
                             experiment.tolerance.value_or(0.0), experiment.start, ends ? fmi2::kTrue : fmi2::kFalse,
                             ends ? experiment.end : 0.0),
           "fmi2SetupExperiment"},
          fmt::format("(start = {} s, stop = {} s)", core::text(experiment.start), core::text(experiment.end)));
  experiment_ = experiment;
  require({f.enterInitializationMode(component_), "fmi2EnterInitializationMode"});
  instance_.enter(Phase::initialising);
}

/// FMI 2.0.4, 2.1.3: after fmi2Error without a saved state nothing is left but this.
Status CoSimulation::initialiseAgain() {
  const Functions& f = instance_.functions();
  if (f.reset == nullptr || !experiment_ || instance_.phase() == Phase::lost)
    return instance_.fail("The FMU cannot be initialised again.");
  const Answer answer{f.reset(component_), "fmi2Reset"};
  if (answer.bad()) return settled(instance_.note(answer));
  instance_.enter(Phase::instantiated);
  try {
    // A copy: set() writes what was set.
    for (const auto& [port, value] : std::map(reader_.valuesSet())) set(port, std::span(&value, 1));
    enterInitialisation(*experiment_);
  } catch (const core::SubsystemError&) {  // noted
    return Status::error;
  }
  return Status::ok;
}

void CoSimulation::leaveInitialisation() {
  require({instance_.functions().exitInitializationMode(component_), "fmi2ExitInitializationMode"});
  instance_.enter(Phase::stepping);
  settled(Status::ok);
}

/// FMI 2.0.4, 4.2.4: outputs may be read before the first step.
Status CoSimulation::readOutputs(std::span<double> y) {
  return settled(instance_.note(getOutputs(y.data())));
}

Status CoSimulation::alsoSaved(subsystem::Slot slot, Status status) {
  if (triesEnds_) ends_.save(static_cast<std::size_t>(slot));
  if (watch_) watch_->wake();
  return settled(status);
}

Status CoSimulation::alsoRestored(subsystem::Slot slot, Status status) {
  asksToEnd_ = false;
  if (triesEnds_) ends_.restore(static_cast<std::size_t>(slot));
  return settled(status);
}

Status CoSimulation::settled(Status status) {
  plain_ = instance_.phase() == Phase::stepping && !discreteInputs_.any() && !discreteOutputs_.any() &&
           !outputDerivatives_ && !asksToEnd_ && !(watch_ && watch_->isAwake()) && !check_.isDue() && !triesEnds_;
  simple_ = plain_ && nominal_ && derivativesAreSet_ == 0;
  return status;
}

void CoSimulation::require(const Answer& answer, const std::string& arguments) {
  settled(instance_.note(answer, arguments));
  if (answer.bad()) throw core::SubsystemError(fmt::format("{}: {}", instance_.name(), instance_.failure()));
}

Status CoSimulation::evaluate(double t, std::span<const double> u, std::span<double> y) {
  // FMI 2.0 has no values for inputs just set outside of initialisation mode: a step must come between (2.0.4, 4.2.1).
  if (instance_.phase() != Phase::initialising)
    return instance_.fail("An FMU of version 2.0 can be evaluated during initialisation only.");
  const Answer set = setInputs(u.data());
  if (set.bad()) return instance_.note(set, atTime(t));
  const Answer get = getOutputs(y.data());
  return instance_.note(worse(set, get), atTime(t));
}

Status CoSimulation::differentiate(std::size_t input, std::span<double> dy) {
  if (instance_.functions().getDirectionalDerivative == nullptr || input >= inputCount_ ||
      (instance_.phase() != Phase::initialising && instance_.phase() != Phase::stepping))
    return instance_.fail("The FMU gives no directional derivative here.");
  const double seed = 1.0;
  const Answer answer{instance_.functions().getDirectionalDerivative(component_, outputs_, outputCount_,
                                                                     inputs_ + input, 1, &seed, dy.data()),
                      "fmi2GetDirectionalDerivative"};
  return settled(instance_.note(answer));
}

void CoSimulation::observe(std::span<const PortIndex> ports, core::Values& into) {
  if (instance_.phase() == Phase::lost) throw core::SubsystemError(instance_.name() + ": " + instance_.failure());
  const std::size_t before = into.reals.size();
  require(reader_.read(ports, into));
  if (triesEnds_) ends_.replace(ports, into.reals.data() + before);
}

}  // namespace detail

std::unique_ptr<subsystem::Subsystem> instantiate(std::shared_ptr<Fmu> fmu, std::string instance, core::Log& log,
                                                  const Options& options) {
  return std::make_unique<detail::CoSimulation>(std::move(fmu), std::move(instance), log, options);
}

}  // namespace koppla::fmi
