#pragma once
// The C interface of FMI 2.0 as far as a co-simulation FMU meets it, written down from the standard's definitions.
// Names are the standard's: they are the contract with the importing tool.

#include <cstddef>

extern "C" {

using fmi2Component = void*;
using fmi2ComponentEnvironment = void*;
using fmi2FMUstate = void*;
using fmi2ValueReference = unsigned int;
using fmi2Real = double;
using fmi2Integer = int;
using fmi2Boolean = int;
using fmi2Char = char;
using fmi2String = const fmi2Char*;
using fmi2Byte = char;

inline constexpr fmi2Boolean fmi2True = 1;
inline constexpr fmi2Boolean fmi2False = 0;

// With a fixed underlying type, so that a value outside the list (WildLogger sends one) is not undefined behaviour.
enum fmi2Status : int { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending };
enum fmi2Type : int { fmi2ModelExchange, fmi2CoSimulation };
enum fmi2StatusKind : int { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated };

using fmi2CallbackLogger = void (*)(fmi2ComponentEnvironment, fmi2String instanceName, fmi2Status, fmi2String category,
                                    fmi2String message, ...);
using fmi2CallbackAllocateMemory = void* (*)(std::size_t count, std::size_t size);
using fmi2CallbackFreeMemory = void (*)(void*);
using fmi2StepFinished = void (*)(fmi2ComponentEnvironment, fmi2Status);

struct fmi2CallbackFunctions {
  fmi2CallbackLogger logger;
  fmi2CallbackAllocateMemory allocateMemory;
  fmi2CallbackFreeMemory freeMemory;
  fmi2StepFinished stepFinished;
  fmi2ComponentEnvironment componentEnvironment;
};

}  // extern "C"
