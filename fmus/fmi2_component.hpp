#pragma once
// One instance of a model behind the FMI 2.0 interface: call sequence, times, state copies. Setting, stepping and
// getting cost a few nanoseconds; everything that formats text or allocates lies on paths taken once or on failure.

#include <cfloat>
#include <cmath>
#include <concepts>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "fmi2_slots.hpp"

namespace koppla::fmus {

template <class M>
class Component {
  static_assert(std::is_trivially_copyable_v<M>, "saving a state is copying the struct: use Text, not std::string");

 public:
  static constexpr bool kHasPartials = requires(const M m, double M::*v) { m.partial(v, v); };
  static constexpr bool kInterpolates = requires(M m, double M::*v) { m.inputDerivative(v, 1, 0.0); };

  static constexpr int maxOutputDerivativeOrder() {
    if constexpr (requires { M::kMaxOutputDerivativeOrder; })
      return M::kMaxOutputDerivativeOrder;
    else
      return 0;
  }

  explicit Component(const Host& host) : host_(host) {}

  const Host& host() const { return host_; }
  Host& host() { return host_; }

  // The model's own check; to be asked before anything else. Other than ok: do not use the instance.
  Result announce(Call call) {
    if constexpr (requires { now_.model.before(call, now_.time, host_); })
      return now_.model.before(call, now_.time, host_);
    else
      return Result::ok;
  }

  fmi2Status setupExperiment(double start, bool stopDefined, double stop) {
    if (const auto status = enter(Call::setupExperiment, kInstantiated)) return status;
    if (!std::isfinite(start) || (stopDefined && !(stop >= start)))
      return refuse("fmi2SetupExperiment: times from %g to %g make no sense.", start, stop);
    now_.time = start;
    now_.latest = stopDefined ? stop + timeTolerance(stop) : DBL_MAX;
    now_.isSetUp = true;
    return fmi2OK;
  }

  fmi2Status enterInitializationMode() {
    if (const auto status = enter(Call::enterInitializationMode, kInstantiated)) return status;
    if (!now_.isSetUp) return refuse("fmi2EnterInitializationMode: fmi2SetupExperiment has to be called before it.");
    now_.phase = kInitialising;
    now_.stale = true;
    return fmi2OK;
  }

  fmi2Status exitInitializationMode() {
    if (const auto status = enter(Call::exitInitializationMode, kInitialising)) return status;
    refresh();
    now_.phase = kStepComplete;
    return fmi2OK;
  }

  fmi2Status terminate() {
    if (const auto status = enter(Call::terminate, kStepComplete | kStepFailed)) return status;
    now_.phase = kTerminated;
    return fmi2OK;
  }

  fmi2Status reset() {
    if (const auto status = enter(Call::reset, kUnlessFatal)) return status;
    now_ = State{};
    return fmi2OK;
  }

  template <class T, class Wire>
  fmi2Status get(Call call, const fmi2ValueReference references[], std::size_t count, Wire values[]) {
    if (const auto status = enter(call, kReadable)) [[unlikely]]
      return status;
    if (count > 0 && (!references || !values)) [[unlikely]]
      return refuseNull(call);
    refresh();
    for (std::size_t i = 0; i < count; ++i) {
      const auto* member = find<T>(references[i]);
      if (!member) [[unlikely]]
        return refuseReference(call, references[i]);
      values[i] = toWire(now_.model.**member);
    }
    return fmi2OK;
  }

  template <class T, class Wire>
  fmi2Status set(Call call, const fmi2ValueReference references[], std::size_t count, const Wire values[]) {
    if (const auto status = enter(call, kInstantiated | kInitialising | kStepComplete)) [[unlikely]]
      return status;
    if (count > 0 && (!references || !values)) [[unlikely]]
      return refuseNull(call);
    now_.stale = true;
    for (std::size_t i = 0; i < count; ++i) {
      const auto* member = find<T>(references[i]);
      if (!member) [[unlikely]]
        return refuseReference(call, references[i]);
      if (!(kSlots<M>[references[i]].settable & now_.phase)) [[unlikely]]
        return refuseSetting(call, references[i]);
      if (!fromWire(now_.model.**member, values[i])) [[unlikely]]
        return refuse("fmi2SetString: the value for '%s' is null or longer than %zu characters.",
                      M::variables[references[i]].about.name.data(), Text::kCapacity);
    }
    return fmi2OK;
  }

  fmi2Status doStep(double t, double h) {
    if (const auto status = enter(Call::doStep, kStepComplete)) [[unlikely]]
      return status;
    if (!isAcceptable(t, h)) [[unlikely]]
      return refuseStep(t, h);
    const Outcome outcome = advance(t, h);
    now_.stale = true;
    if (outcome.result > Result::warning) [[unlikely]]
      return failStep(outcome, t);
    now_.time = t + h;
    if constexpr (!M::info.variableStep) now_.stepSize = h;
    return static_cast<fmi2Status>(outcome.result);
  }

  fmi2Status getState(fmi2FMUstate* state) {
    if (const auto status = enter(Call::getFMUstate, kUnlessFatal)) return status;
    if (!state) return refuseNull(Call::getFMUstate);
    if (*state)
      *static_cast<State*>(*state) = now_;
    else
      *state = new (std::nothrow) State(now_);
    return *state ? fmi2OK : fail(Result::error);
  }

  fmi2Status setState(fmi2FMUstate state) {
    if (const auto status = enter(Call::setFMUstate, kUnlessFatal)) return status;
    if (!state) return refuseNull(Call::setFMUstate);
    now_ = *static_cast<const State*>(state);
    return fmi2OK;
  }

  static void freeState(fmi2FMUstate* state) {
    if (state) delete static_cast<State*>(std::exchange(*state, nullptr));
  }

  static constexpr std::size_t serialisedSize() { return sizeof(std::uint64_t) + sizeof(State); }

  fmi2Status serialise(fmi2FMUstate state, fmi2Byte bytes[], std::size_t size) {
    if (!state || !bytes || size < serialisedSize())
      return refuse("fmi2SerializeFMUstate: needs a state and room for %zu bytes, got %zu.", serialisedSize(), size);
    std::memcpy(bytes, &kTag, sizeof kTag);
    std::memcpy(bytes + sizeof kTag, state, sizeof(State));
    return fmi2OK;
  }

  fmi2Status deserialise(const fmi2Byte bytes[], std::size_t size, fmi2FMUstate* state) {
    if (!state || !bytes || size != serialisedSize() || std::memcmp(bytes, &kTag, sizeof kTag) != 0)
      return refuse("fmi2DeSerializeFMUstate: these %zu bytes are no state of this FMU.", size);
    if (!*state) *state = new (std::nothrow) State;
    if (!*state) return fail(Result::error);
    std::memcpy(*state, bytes + sizeof kTag, sizeof(State));
    return fmi2OK;
  }

  fmi2Status directionalDerivative(const fmi2ValueReference unknowns[], std::size_t unknownCount,
                                   const fmi2ValueReference knowns[], std::size_t knownCount, const double direction[],
                                   double derivative[]) {
    if constexpr (!kHasPartials) {
      return refuse("fmi2GetDirectionalDerivative: this FMU does not provide directional derivatives.");
    } else {
      if (!(now_.phase & kReadable)) return refuse("fmi2GetDirectionalDerivative: not in '%s'.", name(now_.phase));
      refresh();
      for (std::size_t i = 0; i < unknownCount; ++i) {
        derivative[i] = 0;
        for (std::size_t j = 0; j < knownCount; ++j) {
          const auto* unknown = find<double>(unknowns[i]);
          const auto* known = find<double>(knowns[j]);
          if (!unknown || !known || !isComputed(unknowns[i]) || !(kSlots<M>[knowns[j]].settable & now_.phase))
            return refuse("fmi2GetDirectionalDerivative: %u by %u is not unknown by known.", unknowns[i], knowns[j]);
          derivative[i] += now_.model.partial(*unknown, *known) * direction[j];
        }
      }
      return fmi2OK;
    }
  }

  fmi2Status setInputDerivatives(const fmi2ValueReference references[], std::size_t count, const fmi2Integer orders[],
                                 const fmi2Real values[]) {
    if constexpr (kInterpolates) {
      if (!(now_.phase & (kInstantiated | kInitialising | kStepComplete)))
        return refuse("fmi2SetRealInputDerivatives: not in '%s'.", name(now_.phase));
      for (std::size_t i = 0; i < count; ++i) {
        const auto* member = find<double>(references[i]);
        if (!member || M::variables[references[i]].about.causality != input ||
            !now_.model.inputDerivative(*member, orders[i], values[i]))
          return refuse("fmi2SetRealInputDerivatives: no derivative of order %d of variable %u.", orders[i],
                        references[i]);
      }
      return fmi2OK;
    } else {
      return count == 0 ? fmi2OK : refuse("fmi2SetRealInputDerivatives: this FMU does not interpolate inputs.");
    }
  }

  fmi2Status getOutputDerivatives(const fmi2ValueReference references[], std::size_t count, const fmi2Integer orders[],
                                  fmi2Real values[]) {
    if constexpr (maxOutputDerivativeOrder() > 0) {
      if (!(now_.phase & kStepped)) return refuse("fmi2GetRealOutputDerivatives: not in '%s'.", name(now_.phase));
      refresh();
      for (std::size_t i = 0; i < count; ++i) {
        const auto* member = find<double>(references[i]);
        const auto value = member ? now_.model.outputDerivative(*member, orders[i]) : std::nullopt;
        if (!value)
          return refuse("fmi2GetRealOutputDerivatives: no derivative of order %d of variable %u.", orders[i],
                        references[i]);
        values[i] = *value;
      }
      return fmi2OK;
    } else {
      return count == 0 ? fmi2OK : refuse("fmi2GetRealOutputDerivatives: this FMU has no output derivatives.");
    }
  }

  fmi2Status lastSuccessfulTime(double* time) {
    if (!time || !(now_.phase & kStepped)) return refuse("fmi2GetRealStatus: not in '%s'.", name(now_.phase));
    *time = now_.time;
    return fmi2OK;
  }

  fmi2Status wantsToEnd(fmi2Boolean* ended) {
    if (!ended || !(now_.phase & kStepped)) return refuse("fmi2GetBooleanStatus: not in '%s'.", name(now_.phase));
    *ended = fmi2False;
    return fmi2OK;
  }

  // A wrong call by the importing tool. The instance stays as it was.
  template <class... Arguments>
  [[gnu::cold]] fmi2Status refuse(const char* format, Arguments... arguments) const {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
    host_.log(fmi2Error, "logStatusError", format, arguments...);
#pragma GCC diagnostic pop
    return fmi2Error;
  }

 private:
  static constexpr unsigned kUnlessFatal = 0x3f;
  static constexpr unsigned kStepped = kStepComplete | kStepFailed | kTerminated | kError;
  static constexpr unsigned kReadable = kInitialising | kStepped;
  static constexpr std::uint64_t kTag = fingerprint<M>(sizeof(M));

  // All that a repeated step must find again, in one block of memory.
  struct State {
    M model{};
    double time = 0;
    double latest = DBL_MAX;  // no step ends later
    double stepSize = 0;      // of the step before; only FMUs that need equal steps look at it
    Phase phase = kInstantiated;
    bool isSetUp = false;
    bool stale = true;  // outputs() has to run before a value is read
  };

  template <class T>
  static const std::type_identity_t<T M::*>* find(fmi2ValueReference reference) {
    if (reference >= kSlots<M>.size()) return nullptr;
    return std::get_if<T M::*>(&kSlots<M>[reference].member);
  }

  static bool isComputed(fmi2ValueReference reference) {
    const Causality causality = M::variables[reference].about.causality;
    return causality == output || causality == local || causality == calculatedParameter;
  }

  // fmi2OK if the call may go on.
  fmi2Status enter(Call call, unsigned phases) {
    if (!(now_.phase & phases)) [[unlikely]]
      return refuse("The call '%s' is not allowed in the state '%s'.", name(call).data(), name(now_.phase));
    const Result result = announce(call);
    return result > Result::warning ? fail(result) : fmi2OK;
  }

  [[gnu::cold]] fmi2Status fail(Result result) {
    now_.phase = result == Result::fatal ? kFatal : result == Result::discard ? kStepFailed : kError;
    return static_cast<fmi2Status>(result);
  }

  void refresh() {
    if (!now_.stale) return;
    if constexpr (requires { now_.model.initialise(now_.time); })
      if (now_.phase == kInitialising) now_.model.initialise(now_.time);
    if constexpr (requires { now_.model.outputs(now_.time); }) now_.model.outputs(now_.time);
    now_.stale = false;
  }

  bool isAcceptable(double t, double h) const {
    if (!(std::abs(t - now_.time) <= timeTolerance(t)) || !(h > 0) || !(t + h <= now_.latest)) return false;
    if constexpr (!M::info.variableStep)
      return now_.stepSize == 0 || std::abs(h - now_.stepSize) <= 1e-6 * now_.stepSize;
    return true;
  }

  Outcome advance(double t, double h) {
    M& model = now_.model;
    const auto run = [](auto&& step) -> Outcome {
      if constexpr (std::same_as<decltype(step()), void>) {
        step();
        return Result::ok;
      } else {
        return step();
      }
    };
    if constexpr (requires { model.step(t, h, host_); })
      return run([&] { return model.step(t, h, host_); });
    else if constexpr (requires { model.step(t, h); })
      return run([&] { return model.step(t, h); });
    else
      return Result::ok;
  }

  [[gnu::cold]] fmi2Status failStep(Outcome outcome, double t) {
    if (outcome.result == Result::discard) {
      now_.time = std::isnan(outcome.reached) ? t : outcome.reached;
      host_.log(fmi2Discard, "logStatusDiscard", "The step from %.17g is discarded; reached %.17g.", t, now_.time);
    }
    return fail(outcome.result);
  }

  [[gnu::cold]] fmi2Status refuseStep(double t, double h) const {
    if (!(std::abs(t - now_.time) <= timeTolerance(t)))
      return refuse("fmi2DoStep: the communication point is %.17g, but this instance is at %.17g.", t, now_.time);
    if (!(h > 0)) return refuse("fmi2DoStep: the step size must be positive, got %g.", h);
    if (!(t + h <= now_.latest)) return refuse("fmi2DoStep: the step to %.17g ends after the stop time.", t + h);
    return refuse("fmi2DoStep: all steps must have the size %.17g, got %.17g.", now_.stepSize, h);
  }

  [[gnu::cold]] fmi2Status refuseNull(Call call) const {
    return refuse("The call '%s' got a null pointer.", name(call).data());
  }

  [[gnu::cold]] fmi2Status refuseReference(Call call, fmi2ValueReference reference) const {
    return refuse("The call '%s': no variable of this type has the value reference %u.", name(call).data(), reference);
  }

  [[gnu::cold]] fmi2Status refuseSetting(Call call, fmi2ValueReference reference) const {
    return refuse("The call '%s': the variable '%s' cannot be set in the state '%s'.", name(call).data(),
                  M::variables[reference].about.name.data(), name(now_.phase));
  }

  // First in the object, and aligned: set, step and get of a small model touch one cache line of the instance.
  alignas(64) State now_;
  Host host_;
};

}  // namespace koppla::fmus
