// An FMU's library that obliges its tests: y (1) = u (0). It logs every call, and the name of the instance says what
// goes wrong. No call may follow a fatal one: it aborts then.

#include <cstdlib>
#include <limits>
#include <string>

#include "koppla/fmi/fmi2_interface.hpp"

using namespace koppla::fmi::fmi2;

namespace {

struct Stub {
  std::string name;
  const CallbackFunctions* callbacks;
  bool logging;
  double u = 0;
  double end = 0;
  bool lost = false;

  [[nodiscard]] bool is(const char* behaviour) const { return name == behaviour; }

  void say(Status status, const std::string& message) const {
    void* environment = callbacks->componentEnvironment;
    if (is("nullEnvironment")) environment = nullptr;
    if (is("strangeEnvironment")) environment = const_cast<Stub*>(this);
    const char* self = is("anonymous") ? nullptr : name.c_str();
    callbacks->logger(is("anonymous") ? nullptr : environment, self, status, "calls", "%s", message.c_str());
  }

  Status call(const std::string& what, Status status = Status::ok) {
    if (lost) std::abort();
    say(status, what);
    if (status == Status::fatal) lost = true;
    return status;
  }
};

Stub& stub(Component component) {
  return *static_cast<Stub*>(component);
}

std::string text(double value) {
  return std::to_string(value).substr(0, 4);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

const char* fmi2GetTypesPlatform() {
  return "default";
}
const char* fmi2GetVersion() {
  return "2.0";
}

Component fmi2Instantiate(String name, Kind kind, String guid, String, const CallbackFunctions* callbacks,
                          Boolean visible, Boolean logging) {
  auto* made = new Stub{name, callbacks, logging != 0};
  made->say(Status::ok, "instantiate kind " + std::to_string(static_cast<int>(kind)) + " guid " + guid + " visible " +
                            std::to_string(visible) + " logging " + std::to_string(logging));
  return made;
}

void fmi2FreeInstance(Component c) {
  stub(c).call("freeInstance");
  delete &stub(c);
}

Status fmi2SetupExperiment(Component c, Boolean toleranceDefined, Real tolerance, Real start, Boolean stopDefined,
                           Real stop) {
  return stub(c).call("setupExperiment " + std::to_string(toleranceDefined) + " " + text(tolerance) + " " +
                      text(start) + " " + std::to_string(stopDefined) + " " + text(stop));
}
Status fmi2EnterInitializationMode(Component c) {
  return stub(c).call("enterInitializationMode");
}
Status fmi2ExitInitializationMode(Component c) {
  return stub(c).call("exitInitializationMode", stub(c).is("stubborn") ? Status::discard : Status::ok);
}
Status fmi2Terminate(Component c) {
  return stub(c).call("terminate", stub(c).is("unwilling") ? Status::error : Status::ok);
}

Status fmi2SetReal(Component c, const ValueReference* references, std::size_t count, const Real* values) {
  stub(c).u = values[0];
  const Status status = stub(c).is("discardsSet") ? Status::discard
                        : stub(c).is("warnsSet")  ? Status::warning
                                                  : Status::ok;
  return stub(c).call("setReal " + std::to_string(references[0]) + " x " + std::to_string(count), status);
}

Status fmi2GetReal(Component c, const ValueReference* references, std::size_t count, Real* values) {
  for (std::size_t i = 0; i < count; ++i) values[i] = stub(c).u;
  const Status status = stub(c).is("discardsGet") ? Status::discard
                        : stub(c).is("losesGet")  ? Status::fatal
                                                  : Status::ok;
  return stub(c).call("getReal " + std::to_string(references[0]) + " x " + std::to_string(count), status);
}

Status fmi2DoStep(Component c, Real t, Real h, Boolean final) {
  Stub& self = stub(c);
  self.end = t + h;
  Status status = Status::ok;
  if (self.is("pending")) status = Status::pending;
  if (self.is("fatal")) status = Status::fatal;
  if (self.is("ends") || self.is("beyond")) status = Status::discard;
  if (self.is("unheardOf")) status = static_cast<Status>(42);
  return self.call("doStep " + text(t) + " " + text(h) + " " + std::to_string(final), status);
}

Status fmi2CancelStep(Component c) {
  return stub(c).call("cancelStep");
}

Status fmi2GetRealStatus(Component c, StatusKind, Real* value) {
  *value = stub(c).is("beyond") ? stub(c).end + 5 : std::numeric_limits<double>::quiet_NaN();
  return stub(c).call("getRealStatus");
}

Status fmi2GetBooleanStatus(Component c, StatusKind, Boolean* value) {
  *value = stub(c).is("ends") ? kTrue : kFalse;
  return stub(c).call("getBooleanStatus");
}

Status fmi2GetFMUstate(Component c, State* state) {
  const bool fresh = *state == nullptr;
  if (fresh) *state = new double;
  *static_cast<double*>(*state) = stub(c).u;
  return stub(c).call(fresh ? "getFMUstate new" : "getFMUstate reused");
}

Status fmi2SetFMUstate(Component c, State state) {
  stub(c).u = *static_cast<double*>(state);
  return stub(c).call("setFMUstate");
}

Status fmi2FreeFMUstate(Component c, State* state) {
  delete static_cast<double*>(*state);
  *state = nullptr;
  return stub(c).call("freeFMUstate");
}

}  // extern "C"
