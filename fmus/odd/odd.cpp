// x' = u,  x(0) = x0,  y = x (exact for u held or linear), by an FMU that does what others were seen to do. 'way' says
// what:
//
//   late     y is 0 until initialisation mode has been left
//   hides    inputs cannot be read before the first step
//   ends     asks to end the simulation at the time 'at', and goes no further
//   exact    discards a step whose size is not 'at' to the last bit
//   returns  in every step in which an earlier state may be restored (noSetFMUStatePriorToCurrentPoint = fmi2False) it
//            goes back to where the first of them began
//   returns-later  the same, from 3 s on
//   forgets  what such a step has computed can be read, but the next step begins where this one began
//   drops    told that no state from before a step will be restored (fmi2True), it drops those that are older by
//            its own clock; restoring one of them is ok and changes nothing
//   exact-drops  both
//   stays    restoring a state is ok and changes nothing
//   leaps    restoring a state is ok and leads to the initial one
//   clock    takes no step to where its own clock, which is not part of the state, has been
//   anew     the first step after a state was restored is more accurate than others
//   caches   what was restored can be read after the next step only
//   counts   'calls' is the number of steps, repeated ones included
//   threads  takes 'at' seconds of real time for a step; 'calls' is 0 while all steps come from the thread that made
//            it, 1 while they come from one other, 2 once they have come from several
//   warns    setting inputs ends with a warning
//   secret   'calls' cannot be read; who has tried can only restore a state
//   secret-later  the same once a state has been restored
//
// Anything else: nothing. Written by hand, since models in models/ are kept from doing such things.

#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "fmi2.hpp"

namespace {

struct State {
  double u = 0.5;
  double slope = 0;  // of u
  double x = 0;
  double x0 = 0;
  double at = 0;
  double time = 0;
  bool left = false;     // initialisation mode
  bool stepped = false;  // once
  bool over = false;     // asks to end
  bool forgets = false;  // the last step, which began at:
  double before = 0;
};

struct Odd {
  State now;
  double oldest = -1e300;  // states from before are dropped
  double calls = 0;
  double cached = 0;      // y
  double clock = 0;       // s, the furthest point it has been at
  bool fresh = false;     // restored, and no step since
  bool restored = false;  // once
  bool stuck = false;     // until a state is restored
  bool returned = false;  // has met the first such step, which began at:
  double first = 0;
  std::thread::id maker = std::this_thread::get_id();
  std::thread::id stepper;  // the first one
  std::string way;
  std::string answer;  // to fmi2GetString
};

Odd& odd(fmi2Component component) {
  return *static_cast<Odd*>(component);
}

double* place(Odd& odd, fmi2ValueReference reference) {
  State& state = odd.now;
  switch (reference) {
    case 0:
      return &state.u;
    case 1:
      return &state.x;
    case 2:
      return &state.x0;
    case 3:
      return &state.at;
    case 4:
      return &odd.calls;
    default:
      return nullptr;
  }
}

bool isSecret(const Odd& odd) {
  return odd.way == "secret" || (odd.way == "secret-later" && odd.restored);
}

void noteThread(Odd& odd) {
  const auto begin = std::chrono::steady_clock::now();
  const std::thread::id here = std::this_thread::get_id();
  if (odd.stepper == std::thread::id()) odd.stepper = here;
  if (odd.stepper != here)
    odd.calls = 2;
  else if (odd.calls < 2)
    odd.calls = here == odd.maker ? 0 : 1;
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < odd.now.at) {
  }
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

fmi2Component fmi2Instantiate(fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions*, fmi2Boolean,
                              fmi2Boolean) {
  return new Odd;
}
void fmi2FreeInstance(fmi2Component c) {
  delete &odd(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean, fmi2Real, fmi2Real start, fmi2Boolean, fmi2Real) {
  odd(c).now.time = start;
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  odd(c).now.x = odd(c).now.x0;
  return fmi2OK;
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  odd(c).now.left = true;
  return fmi2OK;
}
fmi2Status fmi2Terminate(fmi2Component) {
  return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference* references, std::size_t count,
                       const fmi2Real* values) {
  bool warns = false;
  for (std::size_t i = 0; i < count; ++i) {
    double* const value = place(odd(c), references[i]);
    if (value == nullptr) return fmi2Error;
    *value = values[i];
    if (references[i] == 0 && odd(c).way == "warns") warns = true;
  }
  return warns ? fmi2Warning : fmi2OK;
}

/// Of the first order; others are 0.
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference*, std::size_t count,
                                       const fmi2Integer* orders, const fmi2Real* values) {
  for (std::size_t i = 0; i < count; ++i) {
    if (orders[i] == 1) odd(c).now.slope = values[i];
    if (orders[i] > 1 && values[i] != 0) return fmi2Error;
  }
  return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference* references, std::size_t count, fmi2Real* values) {
  State& now = odd(c).now;
  for (std::size_t i = 0; i < count; ++i) {
    const double* const value = place(odd(c), references[i]);
    if (value == nullptr || (references[i] == 0 && odd(c).way == "hides" && !now.stepped)) return fmi2Error;
    if (references[i] == 4 && isSecret(odd(c))) {
      odd(c).stuck = true;
      return fmi2Error;
    }
    values[i] = references[i] == 1 && odd(c).way == "late" && !now.left ? 0.0 : *value;
    if (references[i] == 1 && odd(c).way == "caches" && now.stepped) values[i] = odd(c).cached;
  }
  return fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference*, std::size_t, const fmi2String* values) {
  odd(c).way = values[0];
  return fmi2OK;
}
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference*, std::size_t, fmi2String* values) {
  odd(c).answer = odd(c).way;
  values[0] = odd(c).answer.c_str();
  return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean noReturn) {
  State& now = odd(c).now;
  const std::string& way = odd(c).way;
  if (now.over || odd(c).stuck) return fmi2Error;
  if ((way == "exact" || way == "exact-drops") && std::memcmp(&h, &now.at, sizeof h) != 0) return fmi2Discard;
  if ((way == "returns" || (way == "returns-later" && t >= 3.0)) && noReturn == fmi2False) {
    if (odd(c).returned) now.x = odd(c).first;
    odd(c).first = now.x;
    odd(c).returned = true;
  }
  if (way == "forgets") {
    if (now.forgets) now.x = now.before;
    now.forgets = noReturn == fmi2False;
    now.before = now.x;
  }
  if (noReturn == fmi2True) odd(c).oldest = t;
  if (way == "counts") ++odd(c).calls;
  if (way == "threads") noteThread(odd(c));
  if (way == "anew" && !odd(c).fresh) now.x += 1e-4 * h * now.u;
  odd(c).fresh = false;
  if (way == "clock" && t + h <= odd(c).clock) return fmi2OK;
  odd(c).clock = t + h;
  const double end = way == "ends" && t + h >= now.at ? now.at : t + h;
  now.x += (end - t) * (now.u + 0.5 * (end - t) * now.slope);
  now.time = end;
  now.stepped = true;
  odd(c).cached = now.x;
  now.over = way == "ends" && t + h >= now.at;
  return now.over ? fmi2Discard : fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind, fmi2Real* value) {
  *value = odd(c).now.time;
  return fmi2OK;
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind, fmi2Boolean* value) {
  *value = odd(c).now.over ? fmi2True : fmi2False;
  return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  if (*state == nullptr) *state = new State;
  *static_cast<State*>(*state) = odd(c).now;
  return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  const State& saved = *static_cast<State*>(state);
  const std::string& way = odd(c).way;
  const bool drops = way == "drops" || way == "exact-drops";
  if (way == "stays" || (drops && saved.time < odd(c).oldest)) return fmi2OK;
  odd(c).now = saved;
  odd(c).restored = true;
  odd(c).stuck = false;
  if (way == "leaps") odd(c).now.x = saved.x0;
  odd(c).fresh = true;
  return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component, fmi2FMUstate* state) {
  delete static_cast<State*>(*state);
  *state = nullptr;
  return fmi2OK;
}

}  // extern "C"
#pragma GCC visibility pop
