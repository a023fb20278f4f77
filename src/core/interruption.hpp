#pragma once

#include <stdexcept>

namespace koppla::core {

/// The user wants the work at hand to end (Ctrl-C). There is one such wish for the whole process, as signals are; long
/// work before a run begins looks for it, and so does a step of millions of micro steps. run::Run::interrupt() ends a
/// run between steps.
void requestInterruption() noexcept;  ///< may be called by a signal handler
void forgetInterruption() noexcept;
[[nodiscard]] bool interruptionRequested() noexcept;

/// Thrown by work that was asked to end and has cleaned up. The text says what was being done.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace koppla::core
