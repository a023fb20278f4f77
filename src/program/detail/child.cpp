#include "koppla/program/detail/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "koppla/core/file.hpp"

namespace koppla::program::detail {

namespace {

/// All that the child needs between its birth and the new program, laid out before: nothing is allocated there.
struct Birth {
  char* const* arguments;
  char* const* environment;
  const char* folder;
  const ChildPlan* plan;
  pid_t parent;
  sigset_t signals;  ///< blocked before
};

double secondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

void limit(__rlimit_resource resource, std::size_t bytes) {
  if (bytes == 0) return;
  const rlimit bound{bytes, bytes};
  ::setrlimit(resource, &bound);
}

/// The child's part. It shares our memory until the new program begins, so it calls the system and nothing else, and
/// leaves the reason of a failure where we find it.
[[noreturn]] void become(const Birth& birth, volatile int& failure) {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const ChildPlan& plan = *birth.plan;
  if (::getppid() != birth.parent) ::_exit(EXIT_FAILURE);  // it died before we asked to die with it
  if (::dup2(plan.input, STDIN_FILENO) >= 0 && ::dup2(plan.output, STDOUT_FILENO) >= 0 &&
      ::dup2(plan.errors, STDERR_FILENO) >= 0 && ::chdir(birth.folder) == 0) {
    ::syscall(SYS_close_range, 3U, ~0U, 0U);  // what others opened stays ours
    limit(RLIMIT_AS, plan.limits.memoryBytes);
    limit(RLIMIT_FSIZE, plan.limits.fileBytes);
    ::pthread_sigmask(SIG_SETMASK, &birth.signals, nullptr);
    // A program whose file was written a moment ago may be held open by another child, born on another thread while it
    // was being written, until that one's own program begins.
    constexpr int kMostWaits = 10'000;
    constexpr timespec kWait{0, 1'000'000};
    for (int waits = 0;; ++waits) {
      ::execvpe(birth.arguments[0], birth.arguments, birth.environment);
      if (errno != ETXTBSY || waits == kMostWaits) break;
      ::nanosleep(&kWait, nullptr);
    }
  }
  failure = errno;
  ::_exit(127);
}

/// As fork() and exec() together, at a cost that does not grow with our memory: only this thread waits, until the new
/// program begins.
pid_t beget(Birth& birth, volatile int& failure) {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &birth.signals);  // no handler of ours may run in the child
  const pid_t id = ::vfork();                          // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (id == 0) become(birth, failure);  // NOLINT(clang-analyzer-unix.Vfork): nothing but calls of the system
  if (id < 0) failure = errno;
  ::pthread_sigmask(SIG_SETMASK, &birth.signals, nullptr);
  return id;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::string_view nameOf(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

std::vector<std::string> environmentWith(const std::vector<std::string>& own) {
  std::vector<std::string> result = own;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = nameOf(*entry);
    if (std::ranges::none_of(own, [&](const std::string& other) { return nameOf(other) == name; }))
      result.emplace_back(*entry);
  }
  return result;
}

int milliseconds(Clock::duration duration) {
  const auto count = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return static_cast<int>(std::clamp<decltype(count)>(count, 0, 1 << 30));
}

}  // namespace

Descriptor openForWriting(const std::filesystem::path& file) {
  Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (descriptor.get() >= 0) return descriptor;
  core::failAtFile(file.string(), "cannot be written", errno, "Choose a results folder that you may write to.");
}

Descriptor openNothing() {
  return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

std::vector<std::string> argumentsOf(const Command& command) {
  if (const auto* words = std::get_if<std::vector<std::string>>(&command)) return *words;
  return {"/bin/sh", "-c", std::get<std::string>(command)};
}

Child::Child(const ChildPlan& plan) : begin_(Clock::now()) {
  std::vector<std::string> arguments = plan.arguments;
  std::vector<std::string> environment = environmentWith(plan.environment);
  const std::vector<char*> argumentPointers = pointers(arguments);
  const std::vector<char*> environmentPointers = pointers(environment);
  Birth birth{argumentPointers.data(), environmentPointers.data(), plan.folder.c_str(), &plan, ::getpid(), {}};
  volatile int failure = 0;
  id_ = beget(birth, failure);
  startFailure_ = failure;
  if (startFailure_ != 0) {
    if (id_ > 0) ::waitpid(id_, nullptr, 0);
    id_ = -1;
    return;
  }
  end_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, id_, 0)));
}

Child::~Child() {
  if (id_ < 0) return;
  kill();
  bury();
}

void Child::kill() {
  if (id_ > 0) ::kill(-id_, SIGKILL);
}

/// A child that is not there has ended, too: an FMU that ignores SIGCHLD or waits for all children of the process takes
/// ours with its own.
bool Child::hasEnded() {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return errno == ECHILD;
  return info.si_pid == id_;
}

std::optional<Ended> Child::wait(std::optional<Clock::time_point> deadline, const std::function<bool()>& interrupted) {
  using namespace std::chrono_literals;
  if (ended_) return ended_;
  Clock::duration pause = 200us;  // where the system does not tell us of the end we look ever more rarely
  while (!hasEnded()) {
    const Clock::time_point now = Clock::now();
    if (deadline && now >= *deadline) return std::nullopt;
    if (interrupted && interrupted()) return std::nullopt;
    Clock::duration slice = deadline ? *deadline - now : Clock::duration(1h);
    if (interrupted) slice = std::min<Clock::duration>(slice, 50ms);
    if (end_.get() >= 0) {
      pollfd end{end_.get(), POLLIN, 0};
      ::poll(&end, 1, milliseconds(slice));
    } else {
      std::this_thread::sleep_for(std::min(slice, pause));
      pause = std::min<Clock::duration>(2 * pause, 20ms);
    }
  }
  kill();  // what it has left behind; its number cannot belong to others before it is buried
  return bury();
}

Ended Child::bury() {
  int status = 0;
  rusage usage{};
  pid_t waited = -1;
  do {
    waited = ::wait4(id_, &status, 0, &usage);
  } while (waited < 0 && errno == EINTR);
  id_ = -1;
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  const double processor = secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
  if (waited < 0) {
    ended_ = Ended{Ending::unknown, 0, seconds};
    return *ended_;
  }
  ended_ = WIFSIGNALED(status) ? Ended{Ending::killed, WTERMSIG(status), seconds, processor}
                               : Ended{Ending::exited, WEXITSTATUS(status), seconds, processor};
  return *ended_;
}

double Child::processorSeconds() const {
  clockid_t clock{};
  timespec time{};
  if (id_ < 0 || ::clock_getcpuclockid(id_, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0.0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace koppla::program::detail
