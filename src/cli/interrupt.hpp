#pragma once

#include <array>
#include <csignal>

#include "koppla/run/run.hpp"

namespace koppla::cli {

/// While it lives, Ctrl-C, a termination request and the end of the terminal do not kill the process but are requests
/// to end the run after its present step. The second one kills: a step may hang. There is one at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Takes the signals back from foreign code that has taken them.
  void reclaim() const;

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

/// While it lives, requests go to a run, also one that has come already.
class InterruptedRun {
 public:
  explicit InterruptedRun(run::Run& run);
  ~InterruptedRun();
  InterruptedRun(const InterruptedRun&) = delete;
  InterruptedRun& operator=(const InterruptedRun&) = delete;
};

}  // namespace koppla::cli
