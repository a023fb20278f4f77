// The C functions of an FMU for the model that koppla::fmus::Exported names. Included once, last, by the model's
// source; not a header in the usual sense. A model that cannot restore its state defines KOPPLA_FMU_WITHOUT_STATE
// before: the optional functions are then missing from the library.

#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "fmi2_component.hpp"

namespace koppla::fmus {

using Instance = Component<Exported>;

static Instance& instance(fmi2Component component) {
  return *static_cast<Instance*>(component);
}

static constexpr Description kDescription{
    .info = Exported::info,
    .guid = kGuid<Exported>.data(),
#ifdef KOPPLA_FMU_WITHOUT_STATE
    .restoresState = false,
#else
    .restoresState = true,
#endif
    .partials = Instance::kHasPartials,
    .interpolatesInputs = Instance::kInterpolates,
    .maxOutputDerivativeOrder = Instance::maxOutputDerivativeOrder(),
    .variables = kVariableDescriptions<Exported>,
};

static fmi2Component instantiate(const Host& host, fmi2Type type, fmi2String guid) {
  const auto refuse = [&host](const char* why) -> fmi2Component {
    host.log(fmi2Error, "logStatusError", "fmi2Instantiate: %s", why);
    return nullptr;
  };
  if (host.instanceName().empty()) return refuse("the instance needs a name.");
  if (type != fmi2CoSimulation) return refuse("this FMU is for co-simulation only.");
  if (!guid || guid != std::string_view(kGuid<Exported>.data()))
    return refuse("the GUID of the model description is not that of the library.");
  std::unique_ptr<Instance> made(new (std::nothrow) Instance(host));
  if (!made) return refuse("no memory.");
  if (made->announce(Call::instantiate) > Result::warning) return nullptr;
  return made.release();
}

}  // namespace koppla::fmus

#pragma GCC visibility push(default)
extern "C" {

// For the program that writes modelDescription.xml; importing tools do not know it.
const koppla::fmus::Description* kopplaDescription() {
  return &koppla::fmus::kDescription;
}

const char* fmi2GetTypesPlatform() {
  return "default";
}
const char* fmi2GetVersion() {
  return "2.0";
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean /*visible*/, fmi2Boolean loggingOn) {
  if (!callbacks) return nullptr;
  return koppla::fmus::instantiate(koppla::fmus::Host(*callbacks, name, resources, loggingOn != fmi2False), type, guid);
}

void fmi2FreeInstance(fmi2Component c) {
  if (!c) return;
  const std::unique_ptr<koppla::fmus::Instance> last(&koppla::fmus::instance(c));
  last->announce(koppla::fmus::Call::freeInstance);
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, std::size_t count, const fmi2String categories[]) {
  if (!c) return fmi2Error;
  auto& self = koppla::fmus::instance(c);
  if (self.host().setLogging(on != fmi2False, count, categories)) return fmi2OK;
  return self.refuse("fmi2SetDebugLogging: unknown category; the model description lists them.");
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean /*toleranceDefined*/, fmi2Real /*tolerance*/,
                               fmi2Real start, fmi2Boolean stopDefined, fmi2Real stop) {
  return c ? koppla::fmus::instance(c).setupExperiment(start, stopDefined != fmi2False, stop) : fmi2Error;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  return c ? koppla::fmus::instance(c).enterInitializationMode() : fmi2Error;
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  return c ? koppla::fmus::instance(c).exitInitializationMode() : fmi2Error;
}
fmi2Status fmi2Terminate(fmi2Component c) {
  return c ? koppla::fmus::instance(c).terminate() : fmi2Error;
}
fmi2Status fmi2Reset(fmi2Component c) {
  return c ? koppla::fmus::instance(c).reset() : fmi2Error;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], std::size_t n, fmi2Real v[]) {
  return c ? koppla::fmus::instance(c).get<double>(koppla::fmus::Call::getReal, vr, n, v) : fmi2Error;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], std::size_t n, fmi2Integer v[]) {
  return c ? koppla::fmus::instance(c).get<int>(koppla::fmus::Call::getInteger, vr, n, v) : fmi2Error;
}
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], std::size_t n, fmi2Boolean v[]) {
  return c ? koppla::fmus::instance(c).get<bool>(koppla::fmus::Call::getBoolean, vr, n, v) : fmi2Error;
}
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], std::size_t n, fmi2String v[]) {
  return c ? koppla::fmus::instance(c).get<koppla::fmus::Text>(koppla::fmus::Call::getString, vr, n, v) : fmi2Error;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], std::size_t n, const fmi2Real v[]) {
  return c ? koppla::fmus::instance(c).set<double>(koppla::fmus::Call::setReal, vr, n, v) : fmi2Error;
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], std::size_t n, const fmi2Integer v[]) {
  return c ? koppla::fmus::instance(c).set<int>(koppla::fmus::Call::setInteger, vr, n, v) : fmi2Error;
}
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], std::size_t n, const fmi2Boolean v[]) {
  return c ? koppla::fmus::instance(c).set<bool>(koppla::fmus::Call::setBoolean, vr, n, v) : fmi2Error;
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], std::size_t n, const fmi2String v[]) {
  return c ? koppla::fmus::instance(c).set<koppla::fmus::Text>(koppla::fmus::Call::setString, vr, n, v) : fmi2Error;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], std::size_t n,
                                       const fmi2Integer orders[], const fmi2Real v[]) {
  return c ? koppla::fmus::instance(c).setInputDerivatives(vr, n, orders, v) : fmi2Error;
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], std::size_t n,
                                        const fmi2Integer orders[], fmi2Real v[]) {
  return c ? koppla::fmus::instance(c).getOutputDerivatives(vr, n, orders, v) : fmi2Error;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean /*noSetFMUStatePriorToCurrentPoint*/) {
  return c ? koppla::fmus::instance(c).doStep(t, h) : fmi2Error;
}
fmi2Status fmi2CancelStep(fmi2Component c) {
  return c ? koppla::fmus::instance(c).refuse("fmi2CancelStep: no step is in progress.") : fmi2Error;
}

// Steps are done when fmi2DoStep returns, so there is no pending status to ask for.
fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind /*kind*/, fmi2Status* /*value*/) {
  return c ? koppla::fmus::instance(c).refuse("fmi2GetStatus: steps of this FMU are never pending.") : fmi2Error;
}
fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real* value) {
  if (!c) return fmi2Error;
  auto& self = koppla::fmus::instance(c);
  return kind == fmi2LastSuccessfulTime ? self.lastSuccessfulTime(value)
                                        : self.refuse("fmi2GetRealStatus: has only fmi2LastSuccessfulTime.");
}
fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind /*kind*/, fmi2Integer* /*value*/) {
  return c ? koppla::fmus::instance(c).refuse("fmi2GetIntegerStatus: there is none.") : fmi2Error;
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean* value) {
  if (!c) return fmi2Error;
  auto& self = koppla::fmus::instance(c);
  return kind == fmi2Terminated ? self.wantsToEnd(value)
                                : self.refuse("fmi2GetBooleanStatus: has only fmi2Terminated.");
}
fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind /*kind*/, fmi2String* /*value*/) {
  return c ? koppla::fmus::instance(c).refuse("fmi2GetStringStatus: steps of this FMU are never pending.") : fmi2Error;
}

#ifndef KOPPLA_FMU_WITHOUT_STATE

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return c ? koppla::fmus::instance(c).getState(state) : fmi2Error;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  return c ? koppla::fmus::instance(c).setState(state) : fmi2Error;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  koppla::fmus::Instance::freeState(state);
  return c ? fmi2OK : fmi2Error;
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate /*state*/, std::size_t* size) {
  if (!c || !size) return fmi2Error;
  *size = koppla::fmus::Instance::serialisedSize();
  return fmi2OK;
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], std::size_t size) {
  return c ? koppla::fmus::instance(c).serialise(state, bytes, size) : fmi2Error;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], std::size_t size, fmi2FMUstate* state) {
  return c ? koppla::fmus::instance(c).deserialise(bytes, size, state) : fmi2Error;
}
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], std::size_t unknownCount,
                                        const fmi2ValueReference knowns[], std::size_t knownCount,
                                        const fmi2Real direction[], fmi2Real derivative[]) {
  return c ? koppla::fmus::instance(c).directionalDerivative(unknowns, unknownCount, knowns, knownCount, direction,
                                                             derivative)
           : fmi2Error;
}

#endif

}  // extern "C"
#pragma GCC visibility pop
