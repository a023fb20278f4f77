#pragma once

/// What the program puts in the place of exit(), _exit(), _Exit(), quick_exit(), pthread_exit() and thrd_exit() asks
/// before it ends the process or thread: the function's name, the code it was given (0 for those of threads) and where
/// it was called. The answer is the code to end with. The library finds the variable by its name (dlsym); there is none
/// in programs that are not this launcher.
extern "C" {
using KopplaEndHook = int(const char* function, int code, const void* caller);
extern KopplaEndHook* koppla_end_hook;
}
