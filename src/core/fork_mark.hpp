#pragma once

#include <cstdlib>

#include <unistd.h>

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
    if (page_.whole == 0) [[unlikely]]
      ::_exit(EXIT_FAILURE);
  }

 private:
  struct alignas(4096) Page {
    unsigned char whole;
  };
  static constinit Page page_;
};

}  // namespace koppla::core
