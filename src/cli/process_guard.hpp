#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>

#include "koppla/core/signal_stack.hpp"
#include "koppla/results/recorder.hpp"

#include "commands.hpp"

namespace koppla::cli {

/// Watches over the process while foreign code runs in it. Who calls exit() or the like is named, and the exit code is
/// that of a failed subsystem; once the command has its own, nobody changes it. A fatal signal names the subsystem and
/// the call that met it, saves what files still have in memory, and kills as it would without us. There is one.
class ProcessGuard {
 public:
  ProcessGuard();
  ~ProcessGuard();
  ProcessGuard(const ProcessGuard&) = delete;
  ProcessGuard& operator=(const ProcessGuard&) = delete;

  /// Takes fatal signals back from foreign code that has taken them. Its handler is asked first: some runtimes live on
  /// signals, and only what they leave to the system is fatal.
  static void reclaim();
  /// From now on the process ends with this code, whoever ends it.
  static void decide(ExitCode code);

 private:
  core::SignalStack stack_;
};

/// What a run does when the process dies: rows that are in memory still are saved, the log gets the message. Where a
/// subsystem ends the process out of a call, `execute` is called with the message, and must call no subsystem.
class LastWill {
 public:
  using Recorders = std::array<results::Recorder*, 2>;
  LastWill(const std::filesystem::path& log, const Recorders& recorders,
           std::function<void(const std::string& message)> execute);
  ~LastWill();
  LastWill(const LastWill&) = delete;
  LastWill& operator=(const LastWill&) = delete;
};

}  // namespace koppla::cli
