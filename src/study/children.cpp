#include "koppla/study/children.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "koppla/core/descriptor.hpp"
#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

namespace koppla::study {

namespace {

// The first byte that a child sends.
constexpr char kDone = 'd';
constexpr char kFailed = 'f';
constexpr char kFailedAtFile = 'w';

/// The system starts no further process, for the time being.
struct Refused {
  int error;
};

/// The life of a child. Destructors of the parent's objects must not run here, hence _exit().
[[noreturn]] void live(std::size_t piece, const Children& children, int pipe, const std::string& folder, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);  // it died before we asked to die with it
  // Ctrl-C reaches parent and children alike; the parent decides, lest a death by it looks like a crash.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  ::setenv("TMPDIR", folder.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): there is one thread
  std::string message;
  try {
    message = kDone + children.work(piece);
  } catch (const core::FileError& error) {
    message = kFailedAtFile + std::string(error.what());
  } catch (const std::exception& error) {
    message = kFailed + std::string(error.what());
  }
  ::_exit(core::writeAll(pipe, message) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);  // which is where nobody listens any more
}

/// A child as its parent sees it.
class Child {
 public:
  /// Throws Refused.
  Child(std::size_t piece, const Children& children)
      : piece_(piece), folder_(std::make_unique<core::TemporaryFolder>("study")) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw Refused{errno};
    pipe_ = core::Descriptor(pipe[0]);
    core::Descriptor theirs(pipe[1]);
    const pid_t parent = ::getpid();
    std::fflush(nullptr);
    id_ = ::fork();
    if (id_ < 0) throw Refused{errno};
    if (id_ == 0) {
      pipe_.close();
      live(piece, children, theirs.get(), folder_->path().string(), parent);
    }
  }
  ~Child() {
    if (id_ > 0) {
      ::kill(id_, SIGKILL);
      ::waitpid(id_, nullptr, 0);
    }
  }
  Child(Child&& other) noexcept
      : piece_(other.piece_),
        folder_(std::move(other.folder_)),
        id_(std::exchange(other.id_, -1)),
        pipe_(std::move(other.pipe_)),
        received_(std::move(other.received_)) {}
  Child& operator=(Child&& other) noexcept {
    std::swap(piece_, other.piece_);
    std::swap(folder_, other.folder_);
    std::swap(id_, other.id_);
    std::swap(pipe_, other.pipe_);
    std::swap(received_, other.received_);
    return *this;
  }

  [[nodiscard]] std::size_t piece() const { return piece_; }
  [[nodiscard]] int pipe() const { return pipe_.get(); }

  /// Takes what has come; true at the end of it.
  bool receive() {
    std::array<char, 65536> block{};
    const ssize_t size = ::read(pipe_.get(), block.data(), block.size());
    if (size > 0) received_.append(block.data(), static_cast<std::size_t>(size));
    return size == 0 || (size < 0 && errno != EINTR);
  }

  ChildResult bury() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    if (WIFSIGNALED(status))
      return {{},
              "was killed by signal " + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")"};
    if (received_.empty())
      return {{}, "ended with exit code " + std::to_string(WEXITSTATUS(status)) + " amid its work"};
    const char how = received_.front();
    received_.erase(0, 1);
    return how == kDone ? ChildResult{std::move(received_), {}}
                        : ChildResult{{}, std::move(received_), how == kFailedAtFile};
  }

 private:
  std::size_t piece_;
  std::unique_ptr<core::TemporaryFolder> folder_;
  pid_t id_ = -1;
  core::Descriptor pipe_;
  std::string received_;
};

/// The children that have something to say, waiting a fraction of a second for it.
std::vector<std::size_t> speaking(const std::vector<Child>& running) {
  constexpr int kLook = 100;  // ms
  std::vector<pollfd> pipes;
  pipes.reserve(running.size());
  for (const Child& child : running) pipes.push_back({child.pipe(), POLLIN, 0});
  std::vector<std::size_t> result;
  if (::poll(pipes.data(), pipes.size(), kLook) <= 0) return result;
  for (std::size_t i = 0; i < pipes.size(); ++i)
    if (pipes[i].revents != 0) result.push_back(i);
  return result;
}

/// One more; false where the system refuses it and those that run may make room by ending.
bool startOne(std::vector<Child>& running, std::size_t piece, const Children& children) {
  try {
    running.emplace_back(piece, children);
    return true;
  } catch (const Refused& refused) {
    if (!running.empty()) return false;
    throw core::FileError(
        "The system starts no further process: " + std::generic_category().message(refused.error) + ".",
        "End others, or raise the limits of processes, open files and memory (`ulimit -u`, `-n`, `-v`).");
  }
}

}  // namespace

bool workInChildren(std::size_t count, const Children& children) {
  std::vector<Child> running;
  std::size_t begun = 0;
  while (begun < count || !running.empty()) {
    if (children.interrupted()) return false;
    while (begun < count && running.size() < std::max(1U, children.atOnce) && startOne(running, begun, children))
      ++begun;
    std::vector<std::size_t> ready = speaking(running);
    std::ranges::reverse(ready);  // so that erasing one leaves the places of the others
    for (const std::size_t i : ready) {
      if (!running[i].receive()) continue;
      const std::size_t piece = running[i].piece();
      const ChildResult result = running[i].bury();
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      children.finished(piece, result);
    }
  }
  return true;
}

}  // namespace koppla::study
