#include "process_guard.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "koppla/core/process_mark.hpp"
#include "koppla/subsystem/call_under_way.hpp"

#include "dying_words.hpp"

namespace koppla::cli {

namespace {

using subsystem::callUnderWay;

// What must be there in a signal handler: a process has one guard and one run.
const core::ProcessMark guarded;  // made when the library is loaded
std::atomic<int> decidedCode = -1;
std::atomic<bool> ending = false;
std::array<char, 4096> logFile{};  // empty: no run
LastWill::Recorders runsRecorders{};
std::function<void(const std::string&)> lastWill;

constexpr std::array kFatalSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
/// Who had the signals before, or has taken them since.
std::array<struct sigaction, kFatalSignals.size()> othersActions{};

/// The call of our handler in which a thread asks the other one.
struct Asking {
  int signal = 0;  ///< 0: it asks nobody
  std::uintptr_t frame = 0;
  siginfo_t* information = nullptr;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local Asking asking;

/// Of the functions that the launcher stands before, those that end their thread and not the process.
constexpr std::array<std::string_view, 2> kEndsOfThreads{"pthread_exit", "thrd_exit"};

constexpr std::string_view kAdvice =
    " A model must leave the process that it is part of alone: see what it printed, and report it to its author.";

std::string_view nameOf(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault";
    case SIGBUS:
      return "bus error";
    case SIGFPE:
      return "arithmetic exception";
    case SIGILL:
      return "illegal instruction";
    case SIGABRT:
      return "abort";
    default:
      return "signal";
  }
}

[[noreturn]] void endProcess(ExitCode code) {
  ::syscall(SYS_exit_group, static_cast<int>(code));
  __builtin_trap();
}

/// All that can be done anywhere, also in a signal handler: rows in memory reach their files, the message standard
/// error and the log.
void tellAndSave(const DyingWords& words) {
  for (results::Recorder* const recorder : runsRecorders)
    if (recorder != nullptr) recorder->rescue();
  DyingWords line;
  line << "error: " << words.text();
  line.writeTo(STDERR_FILENO);
  if (logFile.front() == '\0') return;
  const int log = ::open(logFile.data(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (log < 0) return;
  line.writeTo(log);
  ::close(log);
}

DyingWords& operator<<(DyingWords& words, const subsystem::CallUnderWay& call) {
  if (const std::string* const instance = call.instance)
    words << "The subsystem '" << *instance << "'";
  else
    words << "An FMU";
  return words;
}

void onFatal(int signal, siginfo_t* information, void* context);

/// In whatever form: handlers of both kinds stand in the same place, and signal() gives ours back as one of the other.
bool isOurs(const struct sigaction& action) {
  return action.sa_sigaction == onFatal;
}

/// Whether a handler that was there before us, or came later, has dealt with the signal. It has not where it gives the
/// signal back to the system, whose way it is to kill.
bool othersDealWith(int signal, siginfo_t* information, void* context) {
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) {
    if (kFatalSignals[i] != signal) continue;
    const struct sigaction& other = othersActions[i];
    if ((other.sa_flags & SA_SIGINFO) != 0)
      other.sa_sigaction(signal, information, context);
    else if (other.sa_handler != SIG_DFL && other.sa_handler != SIG_IGN)
      other.sa_handler(signal);
    else
      return false;
  }
  struct sigaction present {};
  ::sigaction(signal, nullptr, &present);
  return present.sa_handler != SIG_DFL;
}

constexpr std::array kFloatingPointTraps{FPE_FLTDIV, FPE_FLTOVF, FPE_FLTUND, FPE_FLTRES, FPE_FLTINV, FPE_FLTSUB};

/// Whether our own arithmetic met a trap, which nobody of us enables. Integers need none: what ends a division of ours
/// by zero is a bug.
bool isLeftTrap(int signal, const siginfo_t* information) {
  Dl_info there{};
  Dl_info here{};
  return signal == SIGFPE &&
         std::ranges::find(kFloatingPointTraps, information->si_code) != kFloatingPointTraps.end() &&
         ::dladdr(information->si_addr, &there) != 0 && ::dladdr(reinterpret_cast<const void*>(&onFatal), &here) != 0 &&
         there.dli_fbase == here.dli_fbase;
}

/// Says who met the signal, and saves rows that are in memory.
void tellOf(int signal, const siginfo_t* information) {
  DyingWords words;
  const bool leftTrap = isLeftTrap(signal, information);
  const char* const function = callUnderWay.function;
  if (function != nullptr && leftTrap)
    words << callUnderWay << " has left traps of floating point arithmetic enabled: signal " << signal << " ("
          << nameOf(signal) << ") after its step." << kAdvice;
  else if (function != nullptr)
    words << callUnderWay << " crashed in " << function << ": signal " << signal << " (" << nameOf(signal) << ").";
  else
    words << "Signal " << signal << " (" << nameOf(signal) << ") outside of all calls of subsystems: "
          << (leftTrap ? "traps of floating point arithmetic that an FMU has left enabled"
                       : "a thread that an FMU has started")
          << ", or a bug in Koppla.";
  if (logFile.front() != '\0') words << " The rows recorded so far are kept.";
  tellAndSave(words);
}

void onFatal(int signal, siginfo_t* information, void* context) {
  // The handler that is asked may leave the signal to the one before it, which is ours. One that has jumped out instead
  // has left `asking` as it was; then the next signal comes to the same frame, at the beginning of the signals' stack.
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const bool isLeftToUs = asking.signal == signal && asking.frame != frame;
  if (isLeftToUs) {
    information = asking.information;  // not all pass it on
  } else {
    const Asking before = std::exchange(asking, {signal, frame, information});
    const bool isDealtWith = othersDealWith(signal, information, context);
    asking = before;
    if (isDealtWith) return;
  }
  if (guarded.isPresent()) tellOf(signal, information);
  struct sigaction kills {};
  kills.sa_handler = SIG_DFL;
  ::sigaction(signal, &kills, nullptr);
  ::raise(signal);  // comes when this handler has returned
  if (!isLeftToUs) return;
  // Or now: what the other one would still do must neither save the process nor have the same told again.
  sigset_t now{};
  ::sigemptyset(&now);
  ::sigaddset(&now, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &now, nullptr);
}

/// The library of the caller, for calls outside of any known one.
std::string libraryOf(const void* caller) {
  Dl_info information{};
  if (::dladdr(caller, &information) == 0 || information.dli_fname == nullptr) return "unknown code";
  return std::filesystem::path(information.dli_fname).filename().string();
}

int onEnd(const char* function, int code, const void* caller) {
  if (!guarded.isPresent()) return code;  // a child that somebody has started
  if (const int decided = decidedCode; decided >= 0) return decided;
  const bool endsThread = std::ranges::find(kEndsOfThreads, std::string_view(function)) != kEndsOfThreads.end();
  if (endsThread && callUnderWay.function == nullptr) return code;  // a thread of its own
  thread_local bool endsHere = false;
  if (ending.exchange(true)) {
    while (!endsHere) ::pause();  // another thread is at it NOLINT(bugprone-infinite-loop): for ever
    endProcess(ExitCode::subsystemFailed);
  }
  endsHere = true;
  const std::string call = endsThread ? std::string(function) : fmt::format("{}({})", function, code);
  DyingWords words;
  if (callUnderWay.function == nullptr) {
    words << libraryOf(caller) << " called " << call
          << " outside of all calls of subsystems, in a thread of its own or at its end." << kAdvice;
    tellAndSave(words);
    endProcess(ExitCode::subsystemFailed);
  }
  const char* const caught = callUnderWay.function;
  callUnderWay.function = nullptr;
  words << callUnderWay << " called " << call << " in " << caught << "." << kAdvice;
  if (!lastWill) {
    tellAndSave(words);
    endProcess(ExitCode::subsystemFailed);
  }
  try {
    lastWill(std::string(words.text()));
    std::cout.flush();
  } catch (const std::exception& error) {
    words << " " << error.what();
    tellAndSave(words);
  }
  endProcess(ExitCode::subsystemFailed);
}

/// The place for the hook in the program, if it is our launcher.
void setEndHook(int (*hook)(const char*, int, const void*)) {
  if (void* const place = ::dlsym(RTLD_DEFAULT, "koppla_end_hook")) *static_cast<decltype(hook)*>(place) = hook;
}

}  // namespace

ProcessGuard::ProcessGuard() {
  reclaim();
  setEndHook(onEnd);
}

ProcessGuard::~ProcessGuard() {
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) ::sigaction(kFatalSignals[i], &othersActions[i], nullptr);
}

void ProcessGuard::reclaim() {
  // A reader that has seen enough and a file that may not grow are failed writes, not reasons to die with folders left.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  asking = {};  // no handler is at work
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) {
    struct sigaction present {};
    ::sigaction(kFatalSignals[i], nullptr, &present);
    if (!isOurs(present)) othersActions[i] = present;
    struct sigaction ours {};
    ours.sa_sigaction = onFatal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ours.sa_mask = present.sa_mask;
    ::sigaction(kFatalSignals[i], &ours, nullptr);
  }
}

void ProcessGuard::decide(ExitCode code) {
  decidedCode = static_cast<int>(code);
}

LastWill::LastWill(const std::filesystem::path& log, const Recorders& recorders,
                   std::function<void(const std::string& message)> execute) {
  runsRecorders = recorders;
  const std::string& name = log.native();
  if (name.size() < logFile.size()) std::copy_n(name.c_str(), name.size() + 1, logFile.begin());
  lastWill = std::move(execute);
}

LastWill::~LastWill() {
  runsRecorders = {};
  logFile.front() = '\0';
  lastWill = nullptr;
}

}  // namespace koppla::cli
