#include "koppla/program/service.hpp"

#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/program/detail/child.hpp"
#include "koppla/program/detail/numbers.hpp"

namespace koppla::program {

namespace {

using detail::Clock;
using detail::Descriptor;

/// Two ends. A socket, since writing to a pipe that nobody reads would raise a signal.
std::pair<Descriptor, Descriptor> channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw core::SubsystemError("No channel to a program can be made: " +
                               std::error_code(errno, std::generic_category()).message());
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace

struct Service::Impl {
  explicit Impl(const Launch& given) : launch(given) {
    auto [ours, theirs] = channel();
    auto [answers, said] = channel();
    const Descriptor errors = detail::openForWriting(launch.errors);
    child.emplace(detail::ChildPlan{detail::argumentsOf(launch.command), launch.environment, launch.folder,
                                    launch.limits, theirs.get(), said.get(), errors.get()});
    if (child->startFailure() != 0)
      throw core::SubsystemError("The service " + text(Ended{Ending::notStarted, child->startFailure()}) + ".");
    requests = std::move(ours);
    output = std::move(answers);
  }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(requests.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR) return false;
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// The next whole line of those that have come.
  std::optional<std::string> takeLine() {
    const std::size_t end = received.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string line(detail::trimmed(std::string_view(received).substr(0, end)));
    received.erase(0, end + 1);
    return line;
  }

  std::string lost() {
    const std::optional<Ended> ended = child->wait(Clock::now() + std::chrono::seconds(1), {});
    return ended ? "The service " + text(*ended) + " instead of answering." : "The service closed its standard output.";
  }

  Launch launch;
  std::optional<detail::Child> child;
  Descriptor requests;
  Descriptor output;
  std::string received;
};

Service::Service(const Launch& launch) : impl_(std::make_unique<Impl>(launch)) {}

Service::~Service() {
  impl_->requests.close();
  impl_->child->wait(Clock::now() + std::chrono::seconds(2), {});
}

std::string Service::request(const std::string& line) {
  Impl& impl = *impl_;
  if (!impl.send(line + "\n")) return impl.lost();
  const Clock::time_point begin = Clock::now();
  const double limit = impl.launch.limits.seconds;
  while (true) {
    while (const std::optional<std::string> answer = impl.takeLine()) {
      if (*answer == "ok") return {};
      if (*answer == "error" || answer->starts_with("error "))
        return fmt::format("The service answered '{}'.", *answer);
    }
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    if (limit > 0.0 && elapsed > limit) {
      impl.child->kill();
      return fmt::format("The service did not answer within its time limit of {:.3g} s.", limit);
    }
    if (impl.launch.interrupted && impl.launch.interrupted()) return "The service was interrupted.";
    constexpr int kLook = 50;  // ms
    pollfd said{impl.output.get(), POLLIN, 0};
    if (::poll(&said, 1, kLook) <= 0) continue;
    std::array<char, 4096> block{};
    const ssize_t size = ::read(impl.output.get(), block.data(), block.size());
    if (size == 0 || (size < 0 && errno != EINTR)) return impl.lost();
    if (size > 0) impl.received.append(block.data(), static_cast<std::size_t>(size));
  }
}

double Service::processorSeconds() const {
  return impl_->child->processorSeconds();
}

}  // namespace koppla::program
