// Names of the main program come first: an FMU that calls exit() binds to these. So a model that ends the process,
// which it is only a part of, can be named, and does not pass for a run that went well. Only the C library may be used
// here.

#include "process_end.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

KopplaEndHook* koppla_end_hook = nullptr;

namespace {

int asked(const char* function, int code, const void* caller) {
  KopplaEndHook* const hook = koppla_end_hook;
  return hook != nullptr ? hook(function, code, caller) : code;
}

/// Calls the function that ours hides.
template <class Argument>
[[noreturn]] void pass(const char* function, Argument argument) {
  using Function = void(Argument);
  auto* const hidden = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, function));
  if (hidden != nullptr) hidden(argument);
  __builtin_trap();
}

}  // namespace

extern "C" {

void exit(int code) noexcept {
  pass("exit", asked("exit", code, __builtin_return_address(0)));
}

void _exit(int code) {
  pass("_exit", asked("_exit", code, __builtin_return_address(0)));
}

void _Exit(int code) noexcept {
  pass("_Exit", asked("_Exit", code, __builtin_return_address(0)));
}

void quick_exit(int code) noexcept {
  pass("quick_exit", asked("quick_exit", code, __builtin_return_address(0)));
}

void pthread_exit(void* value) {
  asked("pthread_exit", 0, __builtin_return_address(0));
  pass("pthread_exit", value);
}

void thrd_exit(int value) {
  asked("thrd_exit", 0, __builtin_return_address(0));
  pass("thrd_exit", value);
}

}  // extern "C"
