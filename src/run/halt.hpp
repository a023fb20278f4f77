#pragma once

#include <atomic>

namespace koppla::run {

/// Why steps may end before their time. May be written from any thread and from a signal handler.
struct Halt {
  std::atomic<bool> interrupted = false;  ///< the user wants the run to end
  std::atomic<bool> soon = false;         ///< that, or a subsystem asks to end: to be looked at after the step

  void interrupt() {
    interrupted.store(true, std::memory_order_relaxed);
    soon.store(true);
  }
  [[nodiscard]] bool isSoon() const { return soon.load(std::memory_order_relaxed); }
  [[nodiscard]] bool isInterrupted() const { return interrupted.load(std::memory_order_relaxed); }
  /// It was looked at; an interruption stays.
  void seen() {
    soon.store(false);
    if (interrupted.load()) soon.store(true);
  }
};

}  // namespace koppla::run
