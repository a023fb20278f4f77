#pragma once

#include <atomic>
#include <cstdlib>

#include <unistd.h>

#include "koppla/core/float_environment.hpp"

namespace koppla::core {

/// Tells a forked child from its parent by a single load: the kernel empties the page in a child, however it was forked
/// (another C library, a bare system call). For calls of foreign code that may fork and return in both processes; where
/// more time is left there is ProcessMark.
class ForkMark {
 public:
  /// This process goes on, and its forked children will be found. Where the kernel cannot do that, none ever is.
  static void set() noexcept;
  /// Ends a child silently, without a look at what belongs to its parent.
  [[gnu::always_inline]] static void endIfForked() noexcept {
    if (page_.whole.load(std::memory_order_relaxed) == 0) [[unlikely]]
      ::_exit(EXIT_FAILURE);
  }

  /// For a test of rounding, which then fails in a child as well: one look for both.
  [[gnu::always_inline]] static const Floats& testNumbers() noexcept { return page_.numbers; }

 private:
  /// Every instance of an FMU sets it, whatever other threads look at it.
  struct alignas(4096) Page {
    std::atomic<unsigned char> whole;
    Floats numbers;
  };
  static_assert(std::atomic<unsigned char>::is_always_lock_free);
  static constinit Page page_;
};

}  // namespace koppla::core
