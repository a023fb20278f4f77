#pragma once
// The hot side of a model's table: per value reference the member and the phases in which it may be set, nothing else.

#include <array>
#include <cstddef>
#include <cstdint>

#include "description.hpp"

namespace koppla::fmus {

// Where in its life an instance is: the states of FMI 2.0 for co-simulation. Bits, so that 'allowed in' is one test.
enum Phase : std::uint8_t {
  kInstantiated = 1,
  kInitialising = 2,
  kStepComplete = 4,
  kStepFailed = 8,
  kTerminated = 16,
  kError = 32,
  kFatal = 64
};

constexpr const char* name(Phase phase) {
  switch (phase) {
    case kInstantiated:
      return "instantiated";
    case kInitialising:
      return "initialization mode";
    case kStepComplete:
      return "step complete";
    case kStepFailed:
      return "step failed";
    case kTerminated:
      return "terminated";
    case kError:
      return "error";
    case kFatal:
      return "fatal";
  }
  return "unknown";
}

// FMI 2.0: fixed parameters and exact start values until initialisation ends, approximate ones until it begins, inputs
// and tunable parameters also between steps, what is computed never.
constexpr std::uint8_t settableIn(const Attributes& about) {
  if (about.variability == constant || about.causality == independent) return 0;
  if (about.causality == input || about.variability == tunable) {
    const bool computed = about.causality == calculatedParameter || about.causality == local;
    return computed ? 0 : kInstantiated | kInitialising | kStepComplete;
  }
  if (about.initial == exact) return kInstantiated | kInitialising;
  if (about.initial == approx) return kInstantiated;
  return 0;
}

template <class M>
struct Slot {
  Member<M> member;
  std::uint8_t settable;
};

template <class M>
constexpr auto makeSlots() {
  std::array<Slot<M>, M::variables.size()> slots{};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto& variable = M::variables[i];
    slots[i] = {variable.member, settableIn(resolved(variable.about, kindOf(variable)))};
  }
  return slots;
}

template <class M>
inline constexpr auto kSlots = makeSlots<M>();

// How a member's type looks at the C interface.
inline fmi2Real toWire(double value) {
  return value;
}
inline fmi2Integer toWire(int value) {
  return value;
}
inline fmi2Boolean toWire(bool value) {
  return value ? fmi2True : fmi2False;
}
inline fmi2String toWire(const Text& value) {
  return value.c_str();
}

// False: the value cannot be taken.
inline bool fromWire(double& member, fmi2Real value) {
  member = value;
  return true;
}
inline bool fromWire(int& member, fmi2Integer value) {
  member = value;
  return true;
}
inline bool fromWire(bool& member, fmi2Boolean value) {
  member = value != fmi2False;
  return true;
}
inline bool fromWire(Text& member, fmi2String value) {
  return value && member.assign(value);
}

}  // namespace koppla::fmus
