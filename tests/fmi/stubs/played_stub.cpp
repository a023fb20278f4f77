// An FMU's library without a will of its own: see player.hpp.

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "player.hpp"

using namespace koppla::fmi::fmi2;
using koppla::fmi::test::Player;

namespace {

const std::string kLoadedIn = std::filesystem::current_path().string();

Player& player(Component component) {
  return *static_cast<Player*>(component);
}

Status called(Component component, const char* name) {
  player(component).calls.emplace_back(name);
  return player(component).answer(name);
}

/// Whether values may be told.
Status told(Component component, const char* name, const ValueReference* references, std::size_t count) {
  const Status status = called(component, name);
  for (std::size_t i = 0; i < count && status != Status::fatal; ++i)
    if (player(component).refused.contains(references[i])) return Status::error;
  return status;
}

template <typename Map, typename Value>
Status set(Component c, const char* name, Map& map, const ValueReference* references, std::size_t count,
           const Value* values) {
  const Status status = called(c, name);
  for (std::size_t i = 0; i < count; ++i) map[references[i]] = values[i];
  return status;
}

template <typename Map, typename Value>
Status get(Component c, const char* name, Map& map, const ValueReference* references, std::size_t count,
           Value* values) {
  const Status status = told(c, name, references, count);
  for (std::size_t i = 0; i < count && status <= Status::warning; ++i) values[i] = map[references[i]];
  return status;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

const char* fmi2GetTypesPlatform() {
  return "default";
}
const char* fmi2GetVersion() {
  return "2.0-as-played";
}

Component fmi2Instantiate(String, Kind, String guid, String resources, const CallbackFunctions* callbacks, Boolean,
                          Boolean) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is what the guid is for
  auto* const made = reinterpret_cast<Player*>(static_cast<std::uintptr_t>(std::strtoull(guid, nullptr, 16)));
  made->callbacks = callbacks;
  made->resources = resources;
  made->loadedIn = kLoadedIn;
  return called(made, "instantiate") <= Status::warning ? made : nullptr;
}
void fmi2FreeInstance(Component c) {
  called(c, "freeInstance");
}

Status fmi2SetupExperiment(Component c, Boolean, Real, Real, Boolean, Real) {
  return called(c, "setupExperiment");
}
Status fmi2EnterInitializationMode(Component c) {
  return called(c, "enterInitializationMode");
}
Status fmi2ExitInitializationMode(Component c) {
  return called(c, "exitInitializationMode");
}
Status fmi2Terminate(Component c) {
  return called(c, "terminate");
}
Status fmi2Reset(Component c) {
  return called(c, "reset");
}

Status fmi2SetReal(Component c, const ValueReference* references, std::size_t count, const Real* values) {
  return set(c, "setReal", player(c).values.reals, references, count, values);
}
Status fmi2SetInteger(Component c, const ValueReference* references, std::size_t count, const Integer* values) {
  return set(c, "setInteger", player(c).values.integers, references, count, values);
}
Status fmi2SetBoolean(Component c, const ValueReference* references, std::size_t count, const Boolean* values) {
  return set(c, "setBoolean", player(c).values.booleans, references, count, values);
}
Status fmi2SetString(Component c, const ValueReference* references, std::size_t count, const String* values) {
  return set(c, "setString", player(c).values.strings, references, count, values);
}

Status fmi2GetReal(Component c, const ValueReference* references, std::size_t count, Real* values) {
  return get(c, "getReal", player(c).values.reals, references, count, values);
}
Status fmi2GetInteger(Component c, const ValueReference* references, std::size_t count, Integer* values) {
  return get(c, "getInteger", player(c).values.integers, references, count, values);
}
Status fmi2GetBoolean(Component c, const ValueReference* references, std::size_t count, Boolean* values) {
  return get(c, "getBoolean", player(c).values.booleans, references, count, values);
}
Status fmi2GetString(Component c, const ValueReference* references, std::size_t count, String* values) {
  const Status status = told(c, "getString", references, count);
  for (std::size_t i = 0; i < count && status <= Status::warning; ++i)
    values[i] = player(c).nulls.contains(references[i]) ? nullptr : player(c).values.strings[references[i]].c_str();
  return status;
}

Status fmi2SetRealInputDerivatives(Component c, const ValueReference* references, std::size_t count,
                                   const Integer* orders, const Real* values) {
  player(c).derivatives.clear();
  for (std::size_t i = 0; i < count; ++i) player(c).derivatives.push_back({references[i], orders[i], values[i]});
  return called(c, "setRealInputDerivatives");
}
Status fmi2GetRealOutputDerivatives(Component c, const ValueReference* references, std::size_t count,
                                    const Integer* orders, Real* values) {
  const Status status = called(c, "getRealOutputDerivatives");
  for (std::size_t i = 0; i < count && status <= Status::warning; ++i)
    values[i] = player(c).outputDerivatives[{references[i], orders[i]}];
  return status;
}

Status fmi2GetDirectionalDerivative(Component c, const ValueReference* unknowns, std::size_t unknownCount,
                                    const ValueReference* knowns, std::size_t knownCount, const Real* seed,
                                    Real* sensitivity) {
  for (std::size_t i = 0; i < unknownCount; ++i) {
    sensitivity[i] = 0.0;
    for (std::size_t k = 0; k < knownCount; ++k)
      sensitivity[i] += player(c).partials[{unknowns[i], knowns[k]}] * seed[k];
  }
  return called(c, "getDirectionalDerivative");
}

Status fmi2DoStep(Component c, Real t, Real h, Boolean noReturn) {
  const Player::Step step{t, h, noReturn != kFalse};
  player(c).steps.push_back(step);
  const Status status = called(c, "doStep");
  if (status <= Status::discard) player(c).step(step);
  return status;
}
Status fmi2CancelStep(Component c) {
  return called(c, "cancelStep");
}
Status fmi2GetRealStatus(Component c, StatusKind, Real* value) {
  *value = player(c).reached;
  return called(c, "getRealStatus");
}
Status fmi2GetBooleanStatus(Component c, StatusKind, Boolean* value) {
  *value = player(c).over ? kTrue : kFalse;
  return called(c, "getBooleanStatus");
}

Status fmi2GetFMUstate(Component c, State* state) {
  const Status status = called(c, "getFMUstate");
  if (status > Status::warning) return status;
  if (*state == nullptr) *state = new Player::Values;
  *static_cast<Player::Values*>(*state) = player(c).values;
  return status;
}
Status fmi2SetFMUstate(Component c, State state) {
  const Status status = called(c, "setFMUstate");
  if (status <= Status::warning) player(c).restore(*static_cast<Player::Values*>(state));
  return status;
}
Status fmi2FreeFMUstate(Component c, State* state) {
  delete static_cast<Player::Values*>(*state);
  *state = nullptr;
  return called(c, "freeFMUstate");
}

}  // extern "C"
#pragma GCC visibility pop
