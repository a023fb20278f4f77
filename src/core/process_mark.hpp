#pragma once

#include <cstdlib>

#include <unistd.h>

namespace koppla::core {

/// The process that an object was made in. Foreign code may fork and return in both processes; then the child must not
/// go on as if it were Koppla: it would write the same files.
class ProcessMark {
 public:
  [[nodiscard]] bool isPresent() const noexcept { return ::getpid() == process_; }
  /// Ends a child silently, without a look at what belongs to its parent.
  void endIfForked() const noexcept {
    if (!isPresent()) [[unlikely]]
      ::_exit(EXIT_FAILURE);
  }

 private:
  pid_t process_ = ::getpid();
};

}  // namespace koppla::core
