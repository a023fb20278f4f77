#pragma once

#include <cstddef>

/// The C interface of FMI 2.0 as far as co-simulation needs it (FMI 2.0.4, 2.1 and 4.2), in our own words. Types have
/// the sizes of the platform "default"; enumerations are `int` so that any number a foreign library returns is a valid
/// value.
namespace koppla::fmi::fmi2 {

using Component = void*;
using ComponentEnvironment = void*;
using State = void*;
using ValueReference = unsigned int;
using Real = double;
using Integer = int;
using Boolean = int;
using String = const char*;

inline constexpr Boolean kTrue = 1;
inline constexpr Boolean kFalse = 0;
inline constexpr const char* kTypesPlatform = "default";

enum class Status : int { ok = 0, warning = 1, discard = 2, error = 3, fatal = 4, pending = 5 };
enum class Kind : int { modelExchange = 0, coSimulation = 1 };
enum class StatusKind : int { doStep = 0, pending = 1, lastSuccessfulTime = 2, terminated = 3 };

extern "C" {

/// `message` and what follows are arguments as of printf.
using Logger = void(ComponentEnvironment, String instanceName, Status, String category, String message, ...);
using AllocateMemory = void*(std::size_t count, std::size_t size);
using FreeMemory = void(void*);
using StepFinished = void(ComponentEnvironment, Status);

struct CallbackFunctions {
  Logger* logger;
  AllocateMemory* allocateMemory;
  FreeMemory* freeMemory;
  StepFinished* stepFinished;
  ComponentEnvironment componentEnvironment;
};

using GetTypesPlatform = String();
using GetVersion = String();

using Instantiate = Component(String instanceName, Kind, String guid, String resourceLocation, const CallbackFunctions*,
                              Boolean visible, Boolean loggingOn);
using FreeInstance = void(Component);
using SetupExperiment = Status(Component, Boolean toleranceDefined, Real tolerance, Real startTime,
                               Boolean stopTimeDefined, Real stopTime);
using EnterInitializationMode = Status(Component);
using ExitInitializationMode = Status(Component);
using Terminate = Status(Component);
using Reset = Status(Component);

using GetReal = Status(Component, const ValueReference*, std::size_t count, Real*);
using GetInteger = Status(Component, const ValueReference*, std::size_t count, Integer*);
using GetBoolean = Status(Component, const ValueReference*, std::size_t count, Boolean*);
using GetString = Status(Component, const ValueReference*, std::size_t count, String*);
using SetReal = Status(Component, const ValueReference*, std::size_t count, const Real*);
using SetInteger = Status(Component, const ValueReference*, std::size_t count, const Integer*);
using SetBoolean = Status(Component, const ValueReference*, std::size_t count, const Boolean*);
using SetString = Status(Component, const ValueReference*, std::size_t count, const String*);

/// Derivatives of order orders[i] of inputs, at the beginning of the next step.
using SetRealInputDerivatives = Status(Component, const ValueReference*, std::size_t count, const Integer* orders,
                                       const Real*);

/// Derivatives of order orders[i] of outputs, at the end of the last step.
using GetRealOutputDerivatives = Status(Component, const ValueReference*, std::size_t count, const Integer* orders,
                                        Real*);

using GetState = Status(Component, State*);
using SetState = Status(Component, State);
using FreeState = Status(Component, State*);

using GetDirectionalDerivative = Status(Component, const ValueReference* unknowns, std::size_t unknownCount,
                                        const ValueReference* knowns, std::size_t knownCount, const Real* knownSeed,
                                        Real* unknownSensitivity);

using DoStep = Status(Component, Real currentCommunicationPoint, Real communicationStepSize,
                      Boolean noSetStatePriorToCurrentPoint);
using CancelStep = Status(Component);
using GetRealStatus = Status(Component, StatusKind, Real*);
using GetBooleanStatus = Status(Component, StatusKind, Boolean*);

}  // extern "C"

}  // namespace koppla::fmi::fmi2
