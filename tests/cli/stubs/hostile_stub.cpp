// An FMU's library that behaves as if the process were its own: y (1) = 2 u (0). The name of the instance says what it
// does and in which call, "exit_doStep" say; in doStep it waits until half a second has been simulated.

#include <cfenv>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "koppla/fmi/fmi2_interface.hpp"

using namespace koppla::fmi::fmi2;

namespace {

struct Stub {
  std::string name;
  double u = 0;
};

sigjmp_buf wayOut;
decltype(CallbackFunctions::logger) logger = nullptr;

void giveBack(int signal) {
  std::signal(signal, SIG_DFL);
}
void giveBackInformed(int signal, siginfo_t* /*information*/, void* /*context*/) {
  std::signal(signal, SIG_DFL);
}
void leap(int /*signal*/) {
  siglongjmp(wayOut, 1);
}
/// On its way it meets another signal, with which somebody else deals.
void stumbleAndLeap(int /*signal*/) {
  std::raise(SIGFPE);
  siglongjmp(wayOut, 1);
}
struct sigaction before {};
/// Leaves the signal to whoever had it before, as runtimes of other languages do with what is not theirs. It stumbles
/// as well.
void passOn(int signal, siginfo_t* information, void* context) {
  std::raise(SIGFPE);
  before.sa_sigaction(signal, information, context);
}
/// As one that knows the number only, and takes the signal back from whom it was left to. What it does not pass on is
/// whatever the registers hold.
void passOnNumber(int signal) {
  before.sa_sigaction(signal, reinterpret_cast<siginfo_t*>(8), nullptr);
  std::signal(signal, passOnNumber);
}
void shrug(int /*signal*/) {}
/// As handlers were written when a signal took its own away.
void again(int signal) {
  std::signal(signal, again);
}
void* exitInThread(void* /*nothing*/) {
  std::exit(0);
}
void endAtExit() {
  ::_exit(0);
}

[[gnu::noinline]] int recurse(int depth) {
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  if (depth < 0) return 0;
  return recurse(depth + 1) + room[0];
}

void crash() {
  *reinterpret_cast<volatile int*>(8) = 1;
}

/// From now on handlers stand on the stack of whoever is interrupted.
void removeSignalStack() {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  if (::sigaltstack(&none, nullptr) != 0) std::abort();
}

void closeAll() {
  for (int descriptor = 3; descriptor < 64; ++descriptor) ::close(descriptor);
}

/// What the processor does where a callback of the master divides by zero.
void divideInLogger() {
  siginfo_t information{};
  information.si_signo = SIGFPE;
  information.si_code = FPE_INTDIV;
  information.si_addr = reinterpret_cast<void*>(logger);
  ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::syscall(SYS_gettid), SIGFPE, &information);
}

/// Every child leaves a byte before its parent goes on. Children of children would fork as well: two generations are
/// enough to see it.
void forkOnceMore() {
  static int generation = 0;
  if (generation == 2) return;
  const pid_t child = ::fork();
  if (child < 0 || (child > 0 && ::waitpid(child, nullptr, 0) != child)) std::abort();
  if (child != 0) return;
  ++generation;
  const int file = ::open("forked.txt", O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0 || ::write(file, "x", 1) != 1) std::abort();
  ::close(file);
}

/// Processes and threads of its own end by every function there is, and the answers arrive. There is no thread of C
/// here, since sanitizers know threads of POSIX only.
void endOthers() {
  constexpr int kCode = 7;
  using End = void(int);
  for (End* const end :
       {static_cast<End*>([](int code) { std::exit(code); }), static_cast<End*>([](int code) { ::_exit(code); }),
        static_cast<End*>([](int code) { std::_Exit(code); }),
        static_cast<End*>([](int code) { std::quick_exit(code); })}) {
    const pid_t child = ::fork();
    if (child == 0) end(kCode);
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != kCode)
      std::abort();
  }
  using Thread = void*(void*);
  int answer = 0;
  for (Thread* const end : {static_cast<Thread*>([](void* given) -> void* { pthread_exit(given); }),
                            static_cast<Thread*>([](void*) -> void* { thrd_exit(kCode); })}) {
    pthread_t thread{};
    void* answered = nullptr;
    if (pthread_create(&thread, nullptr, end, &answer) != 0 || pthread_join(thread, &answered) != 0) std::abort();
    if (answered != &answer && reinterpret_cast<std::intptr_t>(answered) != kCode) std::abort();
  }
}

void act(const std::string& what) {
  if (what == "exit") std::exit(0);
  if (what == "underscoreExit") ::_exit(0);
  if (what == "capitalExit") std::_Exit(0);
  if (what == "quickExit") std::quick_exit(0);
  if (what == "threadExit") pthread_exit(nullptr);
  if (what == "threadExitOfC") thrd_exit(0);
  if (what == "exitInThread") {
    pthread_t thread{};
    pthread_create(&thread, nullptr, exitInThread, nullptr);
    pthread_join(thread, nullptr);
  }
  if (what == "atExit") std::atexit(endAtExit);
  if (what == "throw") throw std::runtime_error("no more ideas");
  if (what == "throwNumber") throw 42;
  if (what.starts_with("crash")) crash();
  if (what == "abort") std::abort();
  if (what == "trap") __builtin_trap();
  if (what == "divide" || what == "divideChained" || what == "againAsPrepared") std::raise(SIGFPE);
  if (what == "shrugTwice") {
    std::raise(SIGFPE);
    removeSignalStack();
    std::raise(SIGFPE);
  }
  if (what == "divideInLogger") divideInLogger();
  if (what == "overflow" || what == "overflowHandedBack") recurse(0);
  if (what == "leap") std::signal(SIGSEGV, leap);
  for (int left = what.starts_with("leap") ? 2 : 0; left > 0; --left)
    if (sigsetjmp(wayOut, 1) == 0) crash();
  if (what == "leapEvery") removeSignalStack();
  if (what == "takeSignals")
    for (const int signal : {SIGSEGV, SIGINT, SIGTERM}) std::signal(signal, signal == SIGSEGV ? giveBack : SIG_IGN);
  if (what == "close") closeAll();
  if (what == "reopen") {
    closeAll();
    for (int i = 0; i < 40; ++i)
      if (::open("foreign.txt", O_RDWR | O_CREAT, 0600) < 0) std::abort();
  }
  if (what == "fork") ::fork();
  if (what == "forkEvery") forkOnceMore();
  if (what == "endOthers") endOthers();
  if (what == "round") std::fesetround(FE_DOWNWARD);
#if defined(__x86_64__)
  if (what == "leaveTraps") feenableexcept(FE_INEXACT);
  if (what == "trapItself") {
    feenableexcept(FE_DIVBYZERO);
    volatile double quotient = 0.0;
    quotient = 1.0 / quotient;
  }
  if (what == "flush") __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040U);
#endif
  if (what == "wander") {
    if (::chdir("/") != 0) std::abort();
    ::umask(0777);
  }
}

void reached(const Stub& stub, const std::string& call) {
  const std::size_t bar = stub.name.find('_');
  if (bar != std::string::npos && stub.name.substr(bar + 1) == call) act(stub.name.substr(0, bar));
}

Stub& stub(Component component) {
  return *static_cast<Stub*>(component);
}

Status reach(Component component, const char* call) {
  reached(stub(component), call);
  return Status::ok;
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

Component fmi2Instantiate(String name, Kind, String, String, const CallbackFunctions* callbacks, Boolean, Boolean) {
  logger = callbacks->logger;
  auto* made = new Stub{name};
  // Handlers are made ready here; what they are to catch comes in a step.
  if (made->name == "crash_doStep") act("takeSignals");
  if (made->name == "overflowHandedBack_doStep") std::signal(SIGSEGV, std::signal(SIGSEGV, leap));
  if (made->name == "leapAsPrepared_doStep" || made->name == "leapEvery_doStep") std::signal(SIGSEGV, leap);
  if (made->name == "againAsPrepared_doStep") std::signal(SIGFPE, again);
  if (made->name == "crashChained_doStep") {
    struct sigaction chained {};
    chained.sa_sigaction = passOn;
    chained.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigaction(SIGSEGV, &chained, &before);
  }
  for (const auto& [instance, signal] :
       {std::pair{"crashChainedByNumber_doStep", SIGSEGV}, {"divideChained_doStep", SIGFPE}})
    if (made->name == instance) {
      ::sigaction(signal, nullptr, &before);
      std::signal(signal, passOnNumber);
    }
  if (made->name == "leapStumbling_doStep") std::signal(SIGSEGV, stumbleAndLeap);
  for (const char* const instance : {"shrugTwice_doStep", "leapStumbling_doStep", "crashChained_doStep"})
    if (made->name == instance) std::signal(SIGFPE, shrug);
  if (made->name == "crashInformed_doStep") {
    struct sigaction informed {};
    informed.sa_sigaction = giveBackInformed;
    informed.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &informed, nullptr);
  }
  reached(*made, "instantiate");
  return made;
}

void fmi2FreeInstance(Component c) {
  reach(c, "freeInstance");
  delete &stub(c);
}

Status fmi2SetupExperiment(Component c, Boolean, Real, Real, Boolean, Real) {
  return reach(c, "setupExperiment");
}
Status fmi2EnterInitializationMode(Component c) {
  return reach(c, "enterInitializationMode");
}
Status fmi2ExitInitializationMode(Component c) {
  return reach(c, "exitInitializationMode");
}
Status fmi2Terminate(Component c) {
  return reach(c, "terminate");
}
Status fmi2SetReal(Component c, const ValueReference*, std::size_t, const Real* values) {
  stub(c).u = values[0];
  return Status::ok;
}
Status fmi2GetReal(Component c, const ValueReference*, std::size_t count, Real* values) {
  for (std::size_t i = 0; i < count; ++i) values[i] = 2.0 * stub(c).u;
  return Status::ok;
}
Status fmi2DoStep(Component c, Real t, Real, Boolean) {
  if ((t > 0.45 && t < 0.55) || stub(c).name.ends_with("Every_doStep")) reach(c, "doStep");
  return Status::ok;
}

}  // extern "C"
