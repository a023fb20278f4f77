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

/// The functions that ours hide, found at the start: a child that was forked while another thread was loading a library
/// could not find them any more.
struct Hidden {
  void (*exit)(int);
  void (*underscoreExit)(int);
  void (*capitalExit)(int);
  void (*quickExit)(int);
  void (*pthreadExit)(void*);
  void (*thrdExit)(int);
};
Hidden hidden{};

template <class Function>
void find(const char* name, Function*& into) {
  // POSIX gives functions as void*; this is how it wants them back.
  into = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

[[gnu::constructor]] void findHidden() {
  find("exit", hidden.exit);
  find("_exit", hidden.underscoreExit);
  find("_Exit", hidden.capitalExit);
  find("quick_exit", hidden.quickExit);
  find("pthread_exit", hidden.pthreadExit);
  find("thrd_exit", hidden.thrdExit);
}

}  // namespace

extern "C" {

void exit(int code) noexcept {
  hidden.exit(asked("exit", code, __builtin_return_address(0)));
  __builtin_trap();
}

void _exit(int code) {
  hidden.underscoreExit(asked("_exit", code, __builtin_return_address(0)));
  __builtin_trap();
}

void _Exit(int code) noexcept {
  hidden.capitalExit(asked("_Exit", code, __builtin_return_address(0)));
  __builtin_trap();
}

void quick_exit(int code) noexcept {
  hidden.quickExit(asked("quick_exit", code, __builtin_return_address(0)));
  __builtin_trap();
}

void pthread_exit(void* value) {
  asked("pthread_exit", 0, __builtin_return_address(0));
  hidden.pthreadExit(value);
  __builtin_trap();
}

void thrd_exit(int value) {
  asked("thrd_exit", 0, __builtin_return_address(0));
  hidden.thrdExit(value);
  __builtin_trap();
}

}  // extern "C"
