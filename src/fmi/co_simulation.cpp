#include "koppla/fmi/co_simulation.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/float_environment.hpp"
#include "koppla/fmi/detail/end_outputs.hpp"
#include "koppla/fmi/detail/fmu_instance.hpp"
#include "koppla/fmi/detail/port_reader.hpp"
#include "koppla/fmi/detail/restore_check.hpp"
#include "koppla/fmi/detail/return_watch.hpp"

namespace koppla::fmi {

namespace {

using core::Type;
using detail::Answer;
using detail::Phase;
using subsystem::PortIndex;
using subsystem::Status;
using subsystem::StepResult;

std::string atTime(double t) {
  return fmt::format("(t = {} s)", core::text(t));
}

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

const Answer& worse(const Answer& first, const Answer& later) {
  return later.status > first.status ? later : first;
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

/// Orders 1, 2, ... of derivatives of n variables, order by order.
const fmi2::Integer* ordersFor(std::size_t n) {
  std::vector<fmi2::Integer> orders;
  for (unsigned order = 1; order <= subsystem::kMaxDegree; ++order)
    orders.insert(orders.end(), n, static_cast<fmi2::Integer>(order));
  return shared(orders);
}

class alignas(64) CoSimulation final : public subsystem::Subsystem {
 public:
  CoSimulation(std::shared_ptr<Fmu> fmu, std::string name, core::Log& log, const Options& options)
      : instance_(std::move(fmu), std::move(name), log, options),
        reader_(instance_),
        trials_(instance_, reader_),
        check_(trials_),
        ends_(instance_) {
    const Functions& functions = instance_.functions();
    component_ = instance_.component();
    setReal_ = functions.setReal;
    doStep_ = functions.doStep;
    getReal_ = functions.getReal;
    setRealInputDerivatives_ = functions.setRealInputDerivatives;
    nominal_ = options.nominalStepSize;
    reaches_ = nominal_;
    untried_ = nominal_;
    takesDerivatives_ = instance_.fmu().model().coSimulation.canInterpolateInputs &&
                        setRealInputDerivatives_ != nullptr && options.inputDerivatives > 0;
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return instance_.ports().description; }

  void set(PortIndex port, std::span<const core::Value> values) override;
  void bind(subsystem::Binding binding) override;
  void enterInitialisation(const subsystem::Experiment& experiment) override;
  Status evaluate(double t, std::span<const double> u, std::span<double> y) override;
  Status differentiate(std::size_t input, std::span<double> dy) override;
  Status initialiseAgain() override;
  void leaveInitialisation() override;
  Status readOutputs(std::span<double> y) override;
  StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override;
  [[nodiscard]] bool asksToEnd() const override { return asksToEnd_; }
  Status save(subsystem::Slot slot) override {
    const Status status = instance_.save(static_cast<std::size_t>(slot));
    if (instance_.phase() == Phase::stepping) check_.relied();
    if (triesEnds_) ends_.save(static_cast<std::size_t>(slot));
    return status == Status::ok && !check_.isDue() ? status : settled(status);
  }
  Status restore(subsystem::Slot slot) override {
    asksToEnd_ = false;
    const Phase before = instance_.phase();
    const Status status = instance_.restore(static_cast<std::size_t>(slot));
    if (triesEnds_) ends_.restore(static_cast<std::size_t>(slot));
    return status == Status::ok && instance_.phase() == before ? status : settled(status);
  }
  void observe(std::span<const PortIndex> ports, core::Values& into) override;
  void terminate() noexcept override {
    instance_.terminate();
    plain_ = false;
    simple_ = false;
  }
  [[nodiscard]] std::string failure() const override { return instance_.failure(); }

 private:
  Answer setInputs(const double* u);
  /// After the values were set and answered so.
  [[gnu::noinline]] Answer completeInputs(const subsystem::Step& step, subsystem::Trajectory u, const Answer& values);
  // In line wherever it is called: how much else is compiled with it must not decide.
  [[gnu::always_inline]] Answer setInputDerivatives(const subsystem::Step& step, subsystem::Trajectory u);
  void bindDerivatives(std::span<const fmi2::ValueReference> inputs);
  Answer getOutputs(double* y);
  // Out of line, so that the usual step saves as few registers as it needs.
  [[gnu::noinline]] StepResult advancePlainly(const subsystem::Step& step, subsystem::Trajectory u, double* y);
  [[gnu::noinline]] StepResult advanceAllTypes(const subsystem::Step& step, subsystem::Trajectory u, double* y);
  /// The calls of one step, in their order.
  enum class Stage : std::uint8_t { set, step, get };
  /// The rest of a step after the call that was done last and answered so.
  [[gnu::noinline, gnu::cold]] StepResult finish(const subsystem::Step& step, double* y, Stage done, Answer answer);
  StepResult refused(const subsystem::Step& step, const Answer& answer, double reached);
  StepResult notStepped(const subsystem::Step& step, double* y, fmi2::Status status);
  StepResult ended(const subsystem::Step& step, double* y, double reached);
  [[nodiscard]] double lengthFor(const subsystem::Step& step) const {
    if (!nominal_) return step.t1 - step.t0;
    return reaches_ && endsEarly(step) ? reaching(step) : step.length;
  }
  /// By the nominal length the FMU's own clock would stand before t1. States that are saved there would be older than
  /// t1, and an FMU may take the next step, which says that none such is restored, as the leave to forget them.
  [[nodiscard]] static bool endsEarly(const subsystem::Step& step) {
    return !step.final && step.t0 + step.length < step.t1;
  }
  /// Whether this is the step in which it is seen whether the FMU takes a longer one then.
  [[nodiscard]] bool isToTry(const subsystem::Step& step) const { return endsEarly(step) && untried_; }
  /// The length, longer by a rounding, with which it does not.
  [[nodiscard]] static double reaching(const subsystem::Step& step) {
    const double h = step.t1 - step.t0;
    return step.t0 + h < step.t1 ? std::nextafter(h, HUGE_VAL) : h;
  }
  fmi2::Status doStep(const subsystem::Step& step, bool returnsBefore) {
    return doStep_.amongOthers(component_, step.t0, lengthFor(step), returnsBefore ? fmi2::kFalse : fmi2::kTrue);
  }
  /// After the calls of a step.
  [[gnu::always_inline]] StepResult stepped(const subsystem::Step& step) {
    core::ForkMark::endIfForked();
    // While the call is still noted: where the FMU has left traps enabled, this is the first to meet them.
    if (!core::computesAsUsual()) [[unlikely]]
      keepFloats();
    subsystem::callUnderWay.function = nullptr;
    return {Status::ok, step.t1};
  }
  // Out of line: reading the registers takes memory of the stack, which the usual step then has to guard.
  [[gnu::noinline, gnu::cold]] void keepFloats() { instance_.keepFloats("fmi2DoStep"); }
  /// The first step that is to be longer than it is meant.
  StepResult tryToReach(const subsystem::Step& step, double* y, const Answer& set);
  /// Takes the step with the inputs of its end, keeps the outputs and goes back; the answer of that step.
  Answer tryEnds(const subsystem::Step& step, subsystem::Trajectory u);
  StepResult advanceTwice(const subsystem::Step& step, double* y, const Answer& set);
  StepResult warned(const subsystem::Step& step, const Answer& answer);
  /// To be called with every status that may have changed the phase.
  Status settled(Status status);
  /// For calls that must succeed: throws core::SubsystemError where the answer is bad.
  void require(const Answer& answer, const std::string& arguments = {});

  // What a step touches lies together: with the pointer to the virtual functions the first seven members fill one cache
  // line, flags and what derivatives need begin the next.
  fmi2::Component component_ = nullptr;
  decltype(Functions::setReal) setReal_;
  decltype(Functions::doStep) doStep_;
  decltype(Functions::getReal) getReal_;
  const fmi2::ValueReference* inputs_ = nullptr;
  const fmi2::ValueReference* outputs_ = nullptr;
  std::uint32_t inputCount_ = 0;
  std::uint32_t outputCount_ = 0;
  bool simple_ = false;  ///< plain, told steps as they are meant, no derivative of an input is set
  bool plain_ = false;   ///< in the loop of steps, all bound ports are real, and nothing is watched or tried
  bool nominal_ = true;  ///< is told the step as it is meant
  bool reaches_ = true;  ///< but longer by a rounding where it would end early
  bool untried_ = true;  ///< whether it takes such steps
  std::uint8_t derivativesAreSet_ = 0;  ///< up to this order
  // For derivatives of inputs, all inputs, order by order.
  decltype(Functions::setRealInputDerivatives) setRealInputDerivatives_;
  const fmi2::ValueReference* derivativeReferences_ = nullptr;
  const fmi2::Integer* derivativeOrders_ = nullptr;

  bool outputDerivatives_ = false;  ///< are asked for
  bool stepped_ = false;
  bool asksToEnd_ = false;
  bool takesDerivatives_ = false;  ///< the FMU itself
  bool triesEnds_ = false;         ///< from the first step on with inputs of a higher degree than it takes
  std::atomic<bool>* ending_ = nullptr;
  double end_ = 0.0;  ///< s, of the experiment
  std::optional<subsystem::Experiment> experiment_;
  std::map<PortIndex, core::Value> startValues_;  ///< those that were set
  std::vector<double> manyDerivatives_;
  detail::DiscreteAccess discreteInputs_;
  detail::DiscreteAccess discreteOutputs_;
  detail::FmuInstance instance_;
  detail::PortReader reader_;
  detail::TrialCalls trials_;
  detail::RestoreCheck check_;
  detail::EndOutputs ends_;
  std::unique_ptr<detail::ReturnWatch> watch_;  ///< from the first step on to which somebody may return from before
};

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
  startValues_.insert_or_assign(port, value);
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
  require({f.setupExperiment(component_, experiment.tolerance ? fmi2::kTrue : fmi2::kFalse,
                             experiment.tolerance.value_or(0.0), experiment.start, fmi2::kTrue, experiment.end),
           "fmi2SetupExperiment"},
          fmt::format("(start = {} s, stop = {} s)", core::text(experiment.start), core::text(experiment.end)));
  experiment_ = experiment;
  ending_ = experiment.ending;
  end_ = experiment.end;
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
    for (const auto& [port, value] : std::map(startValues_)) set(port, std::span(&value, 1));
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

Status CoSimulation::settled(Status status) {
  plain_ = instance_.phase() == Phase::stepping && !discreteInputs_.any() && !discreteOutputs_.any() &&
           !outputDerivatives_ && !asksToEnd_ && !watch_ && !check_.isDue() && !triesEnds_;
  simple_ = plain_ && nominal_ && derivativesAreSet_ == 0;
  return status;
}

void CoSimulation::require(const Answer& answer, const std::string& arguments) {
  settled(instance_.note(answer, arguments));
  if (answer.bad()) throw core::SubsystemError(fmt::format("{}: {}", instance_.name(), instance_.failure()));
}

Answer CoSimulation::setInputs(const double* u) {
  subsystem::callUnderWay.instance = &instance_.name();
  Answer answer;
  if (inputCount_ != 0) answer = {setReal_(component_, inputs_, inputCount_, u), "fmi2SetReal"};
  if (answer.bad()) return answer;
  return worse(answer, discreteInputs_.set(component_, instance_.functions()));
}

Answer CoSimulation::completeInputs(const subsystem::Step& step, subsystem::Trajectory u, const Answer& values) {
  if (values.bad() || (u.degree == 0 && !derivativesAreSet_)) return values;
  return worse(values, setInputDerivatives(step, u));
}

/// With s = (t - t0) / h the derivative of order k at t0 is k! c_k / h^k. Derivatives stay until they are set anew, so
/// those of a lower degree are followed by zeros.
inline Answer CoSimulation::setInputDerivatives(const subsystem::Step& step, subsystem::Trajectory u) {
  static constexpr std::array<double, subsystem::kMaxDegree + 1> kNumbers{1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  const std::uint32_t n = inputCount_;
  const std::size_t count = static_cast<std::size_t>(std::max<std::uint32_t>(derivativesAreSet_, u.degree)) * n;
  std::array<double, 32> few;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below
  double* const values = count <= few.size() ? few.data() : manyDerivatives_.data();
  double* value = values;
  const double* c = u.coefficients + n;
  const double perStep = step.perSecond != 0.0 ? step.perSecond : 1.0 / (step.t1 - step.t0);
  double factor = perStep;
  for (std::uint32_t k = 1; k <= u.degree; ++k) {
    *value++ = factor * *c++;  // there is an input, often just one
    for (std::uint32_t i = 1; i < n; ++i) *value++ = factor * *c++;
    factor *= perStep * kNumbers[k];
  }
  if (derivativesAreSet_ != u.degree) [[unlikely]] {
    std::fill(value, values + count, 0.0);
    derivativesAreSet_ = static_cast<std::uint8_t>(u.degree);
    simple_ = plain_ && nominal_ && u.degree == 0;
  }
  return {setRealInputDerivatives_.amongOthers(component_, derivativeReferences_, count, derivativeOrders_, values),
          "fmi2SetRealInputDerivatives"};
}

Answer CoSimulation::getOutputs(double* y) {
  subsystem::callUnderWay.instance = &instance_.name();
  Answer answer;
  if (outputCount_ != 0) answer = {getReal_(component_, outputs_, outputCount_, y), "fmi2GetReal"};
  if (answer.bad()) return answer;
  if (outputDerivatives_) {
    // There is none before the first step (FMI 2.0.4, 4.2.4).
    std::fill_n(y + outputCount_, outputCount_, std::numeric_limits<double>::quiet_NaN());
    if (stepped_)
      answer = {instance_.functions().getRealOutputDerivatives(component_, outputs_, outputCount_,
                                                               ordersFor(outputCount_), y + outputCount_),
                "fmi2GetRealOutputDerivatives"};
    if (answer.bad()) return answer;
  }
  return worse(answer, discreteOutputs_.get(component_, instance_.functions()));
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

StepResult CoSimulation::advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) {
  if (!simple_ || u.degree != 0 || step.returnsBefore || endsEarly(step))
    return plain_ && (u.degree == 0 || takesDerivatives_) && !step.returnsBefore && !isToTry(step)
               ? advancePlainly(step, u, y.data())
               : advanceAllTypes(step, u, y.data());
  subsystem::callUnderWay.instance = &instance_.name();
  // What is not simply ok leaves through finish(), so that the usual way stays short.
  if (inputCount_ != 0)
    if (const fmi2::Status status = setReal_.amongOthers(component_, inputs_, inputCount_, u.coefficients);
        status != fmi2::Status::ok) [[unlikely]]
      return finish(step, y.data(), Stage::set, {status, "fmi2SetReal"});
  if (const fmi2::Status status = doStep_.amongOthers(component_, step.t0, step.length, fmi2::kTrue);
      status != fmi2::Status::ok) [[unlikely]]
    return finish(step, y.data(), Stage::step, {status, "fmi2DoStep"});
  if (outputCount_ != 0)
    if (const fmi2::Status status = getReal_.amongOthers(component_, outputs_, outputCount_, y.data());
        status != fmi2::Status::ok) [[unlikely]]
      return finish(step, y.data(), Stage::get, {status, "fmi2GetReal"});
  return stepped(step);
}

StepResult CoSimulation::advancePlainly(const subsystem::Step& step, subsystem::Trajectory u, double* y) {
  subsystem::callUnderWay.instance = &instance_.name();
  if (inputCount_ != 0) {
    if (const fmi2::Status status = setReal_.amongOthers(component_, inputs_, inputCount_, u.coefficients);
        status != fmi2::Status::ok) [[unlikely]]
      return finish(step, y, Stage::set, completeInputs(step, u, {status, "fmi2SetReal"}));
    if (u.degree != 0 || derivativesAreSet_ != 0)
      if (const Answer answer = setInputDerivatives(step, u); answer.status != fmi2::Status::ok) [[unlikely]]
        return finish(step, y, Stage::set, answer);
  }
  if (const fmi2::Status status = doStep(step, false); status != fmi2::Status::ok) [[unlikely]]
    return finish(step, y, Stage::step, {status, "fmi2DoStep"});
  if (outputCount_ != 0)
    if (const fmi2::Status status = getReal_.amongOthers(component_, outputs_, outputCount_, y);
        status != fmi2::Status::ok) [[unlikely]]
      return finish(step, y, Stage::get, {status, "fmi2GetReal"});
  return stepped(step);
}

StepResult CoSimulation::advanceAllTypes(const subsystem::Step& given, subsystem::Trajectory u, double* y) {
  if (instance_.phase() != Phase::stepping)
    return {instance_.fail("A step was asked for before initialisation or after the end."), given.t0};
  if (asksToEnd_) return {Status::discard, given.t0};
  subsystem::Step step = given;
  const bool onlyValues = u.degree > 0 && !takesDerivatives_;
  // A state is restored that nobody outside knows of.
  if (onlyValues && ends_.any()) step.final = false;
  if (step.returnsBefore && !watch_) watch_ = std::make_unique<detail::ReturnWatch>(trials_, end_);
  if (watch_)
    if (const Status status = watch_->arrive(step); status >= Status::discard) return {settled(status), step.t0};
  ends_.forget();
  if (onlyValues && ends_.any())
    if (const Answer tried = tryEnds(step, u); tried.bad()) {
      settled(Status::ok);
      return std::string_view(tried.call) == "fmi2DoStep" ? finish(step, y, Stage::step, tried)
                                                          : refused(step, tried, step.t0);
    }
  if (onlyValues) u = {ends_.means(u), u.count, 0};
  const Answer set = completeInputs(step, u, setInputs(u.coefficients));
  if (set.bad()) return finish(step, y, Stage::set, set);
  if (watch_)
    if (const Status status = watch_->depart(step, lengthFor(step)); status >= Status::discard)
      return {settled(status), step.t0};
  if (isToTry(step)) return tryToReach(step, y, set);
  if (check_.isDueAt(step.t0) && !step.final && !step.returnsBefore) return advanceTwice(step, y, set);
  settled(Status::ok);
  return finish(step, y, Stage::set, set);
}

Answer CoSimulation::tryEnds(const subsystem::Step& step, subsystem::Trajectory u) {
  if (!std::exchange(triesEnds_, true)) {
    std::vector<std::string> names;
    for (const PortIndex port : ends_.ports()) names.push_back(describe().ports[port].name);
    instance_.log().write(
        core::Severity::info,
        fmt::format("It takes values of inputs only, and {} may depend on them at the same instant: each step is "
                    "computed twice, first with the inputs of its end, from which these outputs are taken, and then "
                    "with their means.",
                    fmt::join(names, ", ")));
  }
  const auto stateCall = [](Status status, const char* call) {
    return Answer{status == Status::fatal ? fmi2::Status::fatal : fmi2::Status::error, call};
  };
  if (const Status status = instance_.save(detail::kTrialBegin); status >= Status::discard)
    return stateCall(status, "fmi2GetFMUstate");
  check_.relied();
  Answer answer = setInputs(ends_.ends(u));
  if (!answer.bad()) answer = worse(answer, trials_.doStep(step.t0, lengthFor(step), step.returnsBefore));
  if (!answer.bad()) answer = worse(answer, ends_.read());
  // Where it asks to end or goes no further it has to be asked for more.
  if (answer.bad()) return answer;
  if (const Status status = instance_.restore(detail::kTrialBegin); status >= Status::discard)
    return stateCall(status, "fmi2SetFMUstate");
  return answer;
}

/// Some FMUs take no step but of the size they were made for.
StepResult CoSimulation::tryToReach(const subsystem::Step& step, double* y, const Answer& set) {
  if (const Status status = instance_.save(detail::kCheckedBegin); status >= Status::discard)
    return {settled(status), step.t0};
  const Answer longer = trials_.doStep(step.t0, reaching(step), step.returnsBefore);
  untried_ = false;
  if (!longer.bad() || longer.status == fmi2::Status::fatal) return finish(step, y, Stage::step, worse(set, longer));
  if (const Status status = instance_.restore(detail::kCheckedBegin); status >= Status::discard)
    return {settled(status), step.t0};
  const Answer meant = trials_.doStep(step.t0, step.length, step.returnsBefore);
  untried_ = meant.bad();  // it may have had another reason
  reaches_ = untried_;
  // Its clock will stand before the next step's beginning.
  if (!reaches_) check_.insist(step.t1);
  settled(Status::ok);
  return finish(step, y, Stage::step, worse(set, meant));
}

StepResult CoSimulation::advanceTwice(const subsystem::Step& step, double* y, const Answer& set) {
  const detail::RestoreCheck::Result result = check_.take(step.t0, lengthFor(step));
  settled(Status::ok);
  if (result.failed) return {*result.failed, step.t0};
  return finish(step, y, Stage::step, worse(set, result.step));
}

StepResult CoSimulation::finish(const subsystem::Step& step, double* y, Stage done, Answer answer) {
  Answer worst = answer;
  core::ForkMark::endIfForked();
  subsystem::callUnderWay.function = nullptr;
  if (done == Stage::set) {
    if (answer.bad()) return refused(step, answer, step.t0);
    answer = {doStep(step, step.returnsBefore), "fmi2DoStep"};
    core::ForkMark::endIfForked();
    subsystem::callUnderWay.function = nullptr;
    done = Stage::step;
  }
  if (done == Stage::step) {
    if (answer.bad()) return notStepped(step, y, answer.status);
    stepped_ = true;
    if (answer.status > worst.status) worst = answer;
    answer = getOutputs(y);
  }
  if (answer.bad()) return refused(step, answer, step.t1);
  if (triesEnds_) ends_.replaceBound(y);
  if (answer.status > worst.status) worst = answer;
  keepFloats();
  if (worst.status == fmi2::Status::ok) return {Status::ok, step.t1};
  return warned(step, worst);
}

StepResult CoSimulation::warned(const subsystem::Step& step, const Answer& answer) {
  return {instance_.note(answer, atTime(step.t0)), step.t1};
}

StepResult CoSimulation::refused(const subsystem::Step& step, const Answer& answer, double reached) {
  const Status status = settled(instance_.note(answer, atTime(reached)));
  if (std::string_view(answer.call) == "fmi2SetRealInputDerivatives")
    instance_.addToFailure(" It may take lower orders only: give its input_derivatives, or a lower algorithm.degree.");
  return {status, status == Status::discard ? reached : step.t0};
}

StepResult CoSimulation::notStepped(const subsystem::Step& step, double* y, fmi2::Status status) {
  const Functions& f = instance_.functions();
  const std::string arguments = fmt::format("(t = {} s, h = {} s)", core::text(step.t0), core::text(lengthFor(step)));
  const Status result = settled(instance_.note({status, "fmi2DoStep"}, arguments));
  if (status == fmi2::Status::pending) {
    if (f.cancelStep != nullptr) f.cancelStep(component_);
    instance_.addToFailure(
        " It computes steps asynchronously, which it was not asked to do and Koppla does not support.");
  }
  if (result != Status::discard) return {result, step.t0};

  double reached = step.t0;
  if (f.getRealStatus != nullptr &&
      f.getRealStatus(component_, fmi2::StatusKind::lastSuccessfulTime, &reached) != fmi2::Status::ok)
    reached = step.t0;
  reached = reached > step.t0 ? std::min(reached, step.t1) : step.t0;  // written so that a NaN becomes t0
  fmi2::Boolean over = fmi2::kFalse;
  if (f.getBooleanStatus != nullptr &&
      f.getBooleanStatus(component_, fmi2::StatusKind::terminated, &over) == fmi2::Status::ok && over != fmi2::kFalse)
    return ended(step, y, reached);
  return {result, reached};
}

/// Values of an FMU that asks to end hold where it stopped (FMI 2.0.4, 4.2.4).
StepResult CoSimulation::ended(const subsystem::Step& step, double* y, double reached) {
  instance_.addToFailure(" It asks to end the simulation.");
  stepped_ = true;
  asksToEnd_ = true;
  if (ending_ != nullptr) ending_->store(true);
  if (const Answer answer = getOutputs(y); answer.bad()) return refused(step, answer, reached);
  constexpr double kTie = 1e-9;  // of the step: the FMU has its own rounding of times
  const bool complete = reached >= step.t1 - kTie * (step.t1 - step.t0);
  return {settled(complete ? Status::ok : Status::discard), complete ? step.t1 : reached};
}

void CoSimulation::observe(std::span<const PortIndex> ports, core::Values& into) {
  if (instance_.phase() == Phase::lost) throw core::SubsystemError(instance_.name() + ": " + instance_.failure());
  const std::size_t before = into.reals.size();
  require(reader_.read(ports, into));
  if (triesEnds_) ends_.replace(ports, into.reals.data() + before);
}

}  // namespace

std::unique_ptr<subsystem::Subsystem> instantiate(std::shared_ptr<Fmu> fmu, std::string instance, core::Log& log,
                                                  const Options& options) {
  return std::make_unique<CoSimulation>(std::move(fmu), std::move(instance), log, options);
}

}  // namespace koppla::fmi
