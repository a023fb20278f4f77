#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "koppla/core/float_environment.hpp"
#include "koppla/fmi/detail/discrete_access.hpp"
#include "koppla/fmi/detail/working_place.hpp"
#include "koppla/fmi/fmu.hpp"
#include "koppla/fmi/logger.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::fmi::detail {

/// Where an instance is in its life (FMI 2.0.4, 4.2.4).
enum class Phase : std::uint8_t {
  instantiated,
  initialising,
  stepping,
  terminated,
  failed,  ///< after fmi2Error: a saved state can still bring it back
  lost     ///< after fmi2Fatal: no call is allowed any more, not even to free it
};

/// Places for saved states: the slots of the caller come first.
inline constexpr std::size_t kWatchedBegin = subsystem::kSlots;
inline constexpr std::size_t kWatchedEnd = subsystem::kSlots + 1;
inline constexpr std::size_t kCheckedBegin = subsystem::kSlots + 2;
inline constexpr std::size_t kTrialBegin = subsystem::kSlots + 3;
inline constexpr std::size_t kPlaces = subsystem::kSlots + 4;

/// Owns one fmi2Component with its saved states, and keeps account of how its calls end.
class FmuInstance {
 public:
  FmuInstance(std::shared_ptr<Fmu> fmu, std::string name, core::Log& log, const Options& options);
  ~FmuInstance();
  FmuInstance(const FmuInstance&) = delete;
  FmuInstance& operator=(const FmuInstance&) = delete;

  [[nodiscard]] fmi2::Component component() const { return component_; }
  /// To be called now: until the functions of another instance are asked for, the thread's calls are this one's.
  [[nodiscard]] const Functions& functions() const {
    subsystem::callUnderWay.instance = &name();
    return model_.library->functions();
  }
  /// With capabilities as this instance is used.
  [[nodiscard]] const PortTable& ports() const { return *model_.ports; }
  [[nodiscard]] const Variable& variable(subsystem::PortIndex port) const {
    return fmu_->model().variables[ports().variables[port]];
  }
  [[nodiscard]] const Fmu& fmu() const { return *fmu_; }
  [[nodiscard]] const std::string& name() const { return log_.instance(); }
  [[nodiscard]] InstanceLog& log() { return log_; }

  [[nodiscard]] Phase phase() const { return phase_; }
  void enter(Phase phase) {
    phase_ = phase;
    place_.restore();
  }

  /// Notes how a call ended: a warning is logged once and counted, anything worse becomes failure() and ends the phase
  /// if it was an error. `arguments` stand behind the call in the text, such as "(t = 0.5 s)".
  subsystem::Status note(const Answer& answer, const std::string& arguments = {});
  /// Notes a failure that is not the answer of a call. What the instance failed or was lost of before stays the reason.
  subsystem::Status fail(std::string what);
  /// To be called after calls whose answers are not noted: puts back how the processor computes. Who changes that is
  /// named once.
  void keepFloats(const char* call) {
    if (!floats_.isPresent()) [[unlikely]]
      restoreFloats(call);
  }
  void addToFailure(const std::string& more) { failure_ += more; }
  [[nodiscard]] const std::string& failure() const { return failure_; }

  // In line: iterations save and restore in every step. Words are found out of line.
  subsystem::Status save(std::size_t place) {
    const Functions& f = functions();
    if (f.getState == nullptr || (phase_ != Phase::initialising && phase_ != Phase::stepping)) [[unlikely]]
      return cannotSave();
    SavedState& saved = states_[place];
    saved.phase = phase_;
    // The old state is handed in, so that the FMU can write over it rather than allocate.
    const fmi2::Status status = f.getState(component_, &saved.state);
    return status == fmi2::Status::ok ? subsystem::Status::ok : noteStateCall(status, "fmi2GetFMUstate");
  }
  subsystem::Status restore(std::size_t place) {
    const SavedState& saved = states_[place];
    if (saved.state == nullptr || phase_ == Phase::lost || phase_ == Phase::terminated) [[unlikely]]
      return cannotRestore();
    const fmi2::Status answer = functions().setState(component_, saved.state);
    const subsystem::Status status =
        answer == fmi2::Status::ok ? subsystem::Status::ok : noteStateCall(answer, "fmi2SetFMUstate");
    if (status <= subsystem::Status::warning) phase_ = saved.phase;
    return status;
  }
  void terminate() noexcept;

 private:
  struct SavedState {
    fmi2::State state = nullptr;
    Phase phase = Phase::instantiated;
  };

  [[gnu::cold]] subsystem::Status cannotSave();
  [[gnu::cold]] subsystem::Status cannotRestore();
  [[gnu::noinline, gnu::cold]] subsystem::Status noteStateCall(fmi2::Status status, const char* call) {
    return note({status, call});
  }
  void freeStates();
  [[gnu::cold]] void restoreFloats(const char* call);

  core::FloatEnvironment floats_;  ///< as it was before the library was loaded
  WorkingPlace place_;             ///< the same
  bool changedFloats_ = false;
  // In this order: the log outlives the library, which may speak while it is unloaded, and the folder outlives both.
  std::shared_ptr<Fmu> fmu_;
  InstanceLog log_;
  LoadedModel model_;
  fmi2::Component component_ = nullptr;
  Phase phase_ = Phase::instantiated;
  std::array<SavedState, kPlaces> states_{};
  std::size_t warnings_ = 0;
  std::string failure_;
};

}  // namespace koppla::fmi::detail
