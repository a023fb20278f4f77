#include "koppla/core/unwritten.hpp"

#include <array>
#include <cerrno>

#include <unistd.h>

namespace koppla::core {

namespace {

/// Results and iterations of a run; a program with more files than these keeps what it has flushed.
constexpr std::size_t kMost = 64;
constinit std::array<std::atomic<const Unwritten*>, kMost> unwrittenEnds{};

void replace(const Unwritten* present, const Unwritten* by) {
  for (std::atomic<const Unwritten*>& place : unwrittenEnds) {
    const Unwritten* expected = present;
    if (place.compare_exchange_strong(expected, by)) return;
  }
}

}  // namespace

Unwritten::Unwritten() {
  replace(nullptr, this);
}

Unwritten::~Unwritten() {
  replace(this, nullptr);
}

void writeUnwritten() noexcept {
  for (const std::atomic<const Unwritten*>& place : unwrittenEnds) {
    const Unwritten* const end = place.load();
    if (end == nullptr || !end->process.isPresent() || !end->identity.isOf(end->descriptor)) continue;
    const std::size_t count = end->used.load();
    const char* const bytes = end->bytes.load();
    const off_t begin = end->place.load();
    for (std::size_t written = 0; written < count;) {
      const ssize_t taken =
          ::pwrite(end->descriptor, bytes + written, count - written, begin + static_cast<off_t>(written));
      if (taken > 0)
        written += static_cast<std::size_t>(taken);
      else if (taken == 0 || errno != EINTR)
        break;
    }
  }
}

}  // namespace koppla::core
