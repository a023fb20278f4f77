#include "koppla/fmi/detail/fmu_instance.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/fork_mark.hpp"
#include "koppla/fmi/detail/end_outputs.hpp"

namespace koppla::fmi::detail {

namespace {

std::string word(fmi2::Status status) {
  switch (status) {
    case fmi2::Status::ok:
      return "fmi2OK";
    case fmi2::Status::warning:
      return "fmi2Warning";
    case fmi2::Status::discard:
      return "fmi2Discard";
    case fmi2::Status::error:
      return "fmi2Error";
    case fmi2::Status::fatal:
      return "fmi2Fatal";
    case fmi2::Status::pending:
      return "fmi2Pending";
  }
  return fmt::format("the unknown status {}", static_cast<int>(status));
}

subsystem::Status translated(fmi2::Status status) {
  switch (status) {
    case fmi2::Status::ok:
      return subsystem::Status::ok;
    case fmi2::Status::warning:
      return subsystem::Status::warning;
    case fmi2::Status::discard:
      return subsystem::Status::discard;
    case fmi2::Status::fatal:
      return subsystem::Status::fatal;
    case fmi2::Status::error:
    case fmi2::Status::pending:
      return subsystem::Status::error;
  }
  return subsystem::Status::error;
}

/// What a call did that ended badly.
std::string ending(const Answer& answer) {
  const std::string thrown = takeThrown(answer.call);
  if (thrown.empty()) return "returned " + word(answer.status);
  return "threw an exception, which FMI does not allow: " + thrown;
}

/// As if the model took input derivatives up to the order of the options only.
LoadedModel limited(LoadedModel model, const Options& options) {
  if (model.ports->description.capabilities.inputDerivatives <= options.inputDerivatives) return model;
  PortTable table = *model.ports;
  table.description.capabilities.inputDerivatives = options.inputDerivatives;
  table.description.capabilities.inputDerivatives = EndOutputs::degreeOf(table.description);
  model.ports = std::make_shared<const PortTable>(std::move(table));
  return model;
}

/// The library's own code runs from here on, for this instance.
LoadedModel loadFor(const InstanceLog& instance, Fmu& fmu, core::Log& log, const Options& options) {
  core::ForkMark::set();  // who makes an instance is a process in its own right, as the children of a study are
  subsystem::callUnderWay.instance = &instance.instance();
  return limited(fmu.load(log), options);
}

}  // namespace

FmuInstance::FmuInstance(std::shared_ptr<Fmu> fmu, std::string name, core::Log& log, const Options& options)
    : fmu_(std::move(fmu)),
      log_(std::move(name), fmu_->model(), log, options),
      model_(loadFor(log_, *fmu_, log, options)) {
  if (log_.instance().empty()) throw core::InputError("An instance of an FMU has no name.", "Give it one.");
  const std::string resources = fmu_->resourceUri();
  component_ = functions().instantiate(log_.instance().c_str(), fmi2::Kind::coSimulation, fmu_->model().guid.c_str(),
                                       resources.c_str(), log_.callbacks(), fmi2::kFalse,
                                       options.logging ? fmi2::kTrue : fmi2::kFalse);
  keepFloats(functions().instantiate.name());
  place_.restore();
  if (component_ != nullptr) return;
  if (const std::string thrown = takeThrown(functions().instantiate.name()); !thrown.empty())
    throw core::SubsystemError(
        fmt::format("{}: fmi2Instantiate of {} threw an exception, which FMI does not allow: {}.{}", log_.instance(),
                    fmu_->file().string(), thrown, log_.lastWords()));
  const bool needsTool = fmu_->model().coSimulation.needsExecutionTool;
  throw core::SubsystemError(fmt::format(
      "{}: fmi2Instantiate of {} gave no instance.{}{}", log_.instance(), fmu_->file().string(), log_.lastWords(),
      needsTool ? " The FMU needs the tool that exported it: install that, or export "
                  "the FMU with its own solver."
                : " Where that is not enough, 'logging = true' in its [[subsystems]] makes it say more."));
}

FmuInstance::~FmuInstance() {
  terminate();
  if (model_.library->givenUp()) return;
  functions().freeInstance(component_);
  keepFloats(functions().freeInstance.name());
  if (const std::string thrown = takeThrown(functions().freeInstance.name()); !thrown.empty())
    log_.write(core::Severity::warning, fmt::format("fmi2FreeInstance threw an exception: {}.", thrown));
}

subsystem::Status FmuInstance::note(const Answer& answer, const std::string& arguments) {
  keepFloats(answer.call);
  const subsystem::Status status = translated(answer.status);
  if (status == subsystem::Status::ok) return status;
  const std::string what = fmt::format("{}{} {}.", answer.call, arguments, ending(answer));
  if (status == subsystem::Status::warning) {
    if (++warnings_ == 1)
      log_.write(core::Severity::warning, what + log_.lastWords() + " Further warnings of this kind are only counted.");
    return status;
  }
  failure_ = what + log_.lastWords();
  if (status == subsystem::Status::error) phase_ = Phase::failed;
  if (status == subsystem::Status::fatal) {
    phase_ = Phase::lost;
    model_.library->giveUp();
  }
  return status;
}

void FmuInstance::restoreFloats(const char* call) {
  floats_.restore();
  if (std::exchange(changedFloats_, true)) return;
  log_.write(core::Severity::warning,
             fmt::format("{} changed how the processor rounds, treats denormal numbers or traps. That was put back, as "
                         "it is after every step: other subsystems and Koppla compute as before.",
                         std::string_view(call).empty() ? "A call" : call));
}

subsystem::Status FmuInstance::fail(std::string what) {
  if (phase_ != Phase::failed && phase_ != Phase::lost) failure_ = std::move(what);
  return phase_ == Phase::lost ? subsystem::Status::fatal : subsystem::Status::error;
}

subsystem::Status FmuInstance::cannotSave() {
  return fail(functions().getState == nullptr ? "The FMU cannot save its state." : "There is no state to save.");
}

subsystem::Status FmuInstance::cannotRestore() {
  return fail("There is no saved state to go back to.");
}

void FmuInstance::freeStates() {
  for (SavedState& saved : states_)
    if (saved.state != nullptr && !model_.library->givenUp()) {
      note({functions().freeState(component_, &saved.state), "fmi2FreeFMUstate"});
      saved.state = nullptr;
    }
}

void FmuInstance::terminate() noexcept {
  if (model_.library->givenUp() || phase_ == Phase::terminated) return;
  try {
    freeStates();
    if (phase_ == Phase::stepping) {
      const subsystem::Status status = note({functions().terminate(component_), "fmi2Terminate"});
      if (status > subsystem::Status::warning) log_.write(core::Severity::warning, failure_);
    }
    if (warnings_ > 1) log_.write(core::Severity::warning, fmt::format("{} calls returned fmi2Warning.", warnings_));
  } catch (...) {  // the log failed; there is nobody left to tell
  }
  if (phase_ != Phase::lost) enter(Phase::terminated);
}

}  // namespace koppla::fmi::detail
