#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "koppla/core/float_environment.hpp"
#include "koppla/fmi/detail/end_outputs.hpp"
#include "koppla/fmi/detail/fmu_instance.hpp"
#include "koppla/fmi/detail/port_reader.hpp"
#include "koppla/fmi/detail/restore_check.hpp"
#include "koppla/fmi/detail/return_watch.hpp"

namespace koppla::fmi::detail {

/// Orders 1, 2, ... of derivatives of n variables, order by order; kept for the life of the process.
const fmi2::Integer* ordersFor(std::size_t n);

inline const Answer& worse(const Answer& first, const Answer& later) {
  return later.status > first.status ? later : first;
}

/// Stands behind a call in messages.
std::string atTime(double t);

/// An FMU for co-simulation as a subsystem.
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

  void set(subsystem::PortIndex port, std::span<const core::Value> values) override;
  void bind(subsystem::Binding binding) override;
  void enterInitialisation(const subsystem::Experiment& experiment) override;
  subsystem::Status evaluate(double t, std::span<const double> u, std::span<double> y) override;
  subsystem::Status differentiate(std::size_t input, std::span<double> dy) override;
  subsystem::Status initialiseAgain() override;
  void leaveInitialisation() override;
  subsystem::Status readOutputs(std::span<double> y) override;
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override;
  [[nodiscard]] bool asksToEnd() const override { return asksToEnd_; }
  subsystem::Status save(subsystem::Slot slot) override {
    const subsystem::Status status = instance_.save(static_cast<std::size_t>(slot));
    const bool stepping = simple_ || instance_.phase() == Phase::stepping;
    const bool due = stepping && check_.relied();
    if (simple_ && !due && !watch_ && status == subsystem::Status::ok) [[likely]]
      return status;
    return alsoSaved(slot, status);
  }
  subsystem::Status restore(subsystem::Slot slot) override {
    const subsystem::Status status = instance_.restore(static_cast<std::size_t>(slot));
    if (simple_ && instance_.phase() == Phase::stepping && status == subsystem::Status::ok) [[likely]]
      return status;
    return alsoRestored(slot, status);
  }
  void observe(std::span<const subsystem::PortIndex> ports, core::Values& into) override;
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
  [[gnu::noinline]] subsystem::StepResult advanceOtherwise(const subsystem::Step& step, subsystem::Trajectory u,
                                                           double* y);
  [[gnu::noinline]] subsystem::StepResult advancePlainly(const subsystem::Step& step, subsystem::Trajectory u,
                                                         double* y);
  [[gnu::noinline]] subsystem::StepResult advanceAllTypes(const subsystem::Step& step, subsystem::Trajectory u,
                                                          double* y);
  /// The calls of one step, in their order.
  enum class Stage : std::uint8_t { set, step, get };
  /// The rest of a step after the call that was done last and answered so.
  [[gnu::noinline, gnu::cold]] subsystem::StepResult finish(const subsystem::Step& step, double* y, Stage done,
                                                            Answer answer);
  subsystem::StepResult refused(const subsystem::Step& step, const Answer& answer, double reached);
  subsystem::StepResult notStepped(const subsystem::Step& step, double* y, fmi2::Status status);
  subsystem::StepResult ended(const subsystem::Step& step, double* y, double reached);
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
  [[gnu::always_inline]] subsystem::StepResult stepped(const subsystem::Step& step) {
    // While the call is still noted: where the FMU has left traps enabled, this is the first to meet them.
    if (!core::computesAsUsual(core::ForkMark::testNumbers())) [[unlikely]]
      keepFloats();
    subsystem::callUnderWay.function = nullptr;
    return {subsystem::Status::ok, step.t1};
  }
  // Out of line: reading the registers takes memory of the stack, which the usual step then has to guard.
  [[gnu::noinline, gnu::cold]] void keepFloats() {
    core::ForkMark::endIfForked();
    instance_.keepFloats("fmi2DoStep");
  }
  /// The first step that is to be longer than it is meant.
  subsystem::StepResult tryToReach(const subsystem::Step& step, double* y, const Answer& set);
  /// Takes the step with the inputs of its end, keeps the outputs and goes back; the answer of that step.
  Answer tryEnds(const subsystem::Step& step, subsystem::Trajectory u);
  /// Whether it remembers inputs of earlier steps: then it holds those of the end from now on.
  Answer lookForMemory(const subsystem::Step& step, subsystem::Trajectory u);
  [[nodiscard]] std::vector<std::string> endOutputNames() const;
  static Answer stateCall(subsystem::Status status, const char* call);
  subsystem::StepResult advanceTwice(const subsystem::Step& step, double* y, const Answer& set);
  subsystem::StepResult warned(const subsystem::Step& step, const Answer& answer);
  /// What saving and restoring means beside the state of the FMU.
  [[gnu::noinline]] subsystem::Status alsoSaved(subsystem::Slot slot, subsystem::Status status);
  [[gnu::noinline]] subsystem::Status alsoRestored(subsystem::Slot slot, subsystem::Status status);
  /// To be called with every status that may have changed the phase.
  subsystem::Status settled(subsystem::Status status);
  /// For calls that must succeed: throws core::SubsystemError where the answer is bad.
  void require(const Answer& answer, const std::string& arguments = {});

  // What a step touches lies together: with the pointer to the virtual functions the first eight members fill one cache
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

  const fmi2::Integer* outputOrders_ = nullptr;
  bool outputDerivatives_ = false;  ///< are asked for
  bool stepped_ = false;
  bool asksToEnd_ = false;
  bool takesDerivatives_ = false;  ///< the FMU itself
  bool triesEnds_ = false;         ///< from the first step on with inputs of a higher degree than it takes
  std::optional<subsystem::Experiment> experiment_;
  std::vector<double> manyDerivatives_;
  DiscreteAccess discreteInputs_;
  DiscreteAccess discreteOutputs_;
  FmuInstance instance_;
  PortReader reader_;
  TrialCalls trials_;
  RestoreCheck check_;
  EndOutputs ends_;
  std::unique_ptr<ReturnWatch> watch_;  ///< from the first step on to which somebody may return from before
};

}  // namespace koppla::fmi::detail
