#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "koppla/core/heartbeat.hpp"
#include "koppla/run/run.hpp"
#include "koppla/subsystem/call_under_way.hpp"

namespace koppla::cli {

/// The file status.json of a run folder: how far the run is, for `koppla status`. It is there while the run goes on,
/// and stays behind where that was killed. A thread of its own renews it while a single call takes long, so that a run
/// that goes on can be told from one that hangs with its machine.
class StatusFile {
 public:
  /// To be made by the thread that runs.
  StatusFile(std::filesystem::path file, double start, double end);
  /// Removes the file: the statistics tell the rest.
  ~StatusFile();
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;

  /// Writes, if it has not done so within the last half second.
  void show(const run::Progress& progress);

 private:
  /// A call of a subsystem that takes long.
  struct LongCall {
    const std::string* subsystem;
    const char* function;
    std::chrono::system_clock::time_point since;  ///< it, or the calls before it in the same step
  };

  /// In the other thread.
  void renew();
  [[nodiscard]] std::optional<LongCall> longCall() const;
  void write();

  std::filesystem::path file_;
  double start_;
  double end_;
  std::string started_;
  const subsystem::CallUnderWay& call_;  ///< of the thread that runs
  std::mutex mutex_;                     ///< of all below
  run::Progress progress_;
  std::chrono::system_clock::time_point progressed_ = std::chrono::system_clock::now();
  std::chrono::steady_clock::time_point written_{};
  std::optional<core::Heartbeat> renewing_;
};

}  // namespace koppla::cli
