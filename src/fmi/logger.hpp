#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include "koppla/core/log.hpp"
#include "koppla/fmi/fmi2_interface.hpp"
#include "koppla/fmi/model_description.hpp"
#include "koppla/fmi/options.hpp"

namespace koppla::fmi {

/// What one instance of an FMU says. Messages go to the run's log under the instance's name; the last ones are kept to
/// be quoted when a call fails. FMUs may log from any thread, also before fmi2Instantiate returns.
class InstanceLog {
 public:
  /// The model and the log must outlive this.
  InstanceLog(std::string instance, const ModelDescription& model, core::Log& log, const Options& options);
  /// Says how many messages were only counted.
  ~InstanceLog();
  InstanceLog(const InstanceLog&) = delete;
  InstanceLog& operator=(const InstanceLog&) = delete;

  /// For fmi2Instantiate; valid as long as this.
  [[nodiscard]] const fmi2::CallbackFunctions* callbacks() const { return &callbacks_; }

  /// A message of the FMU, already formatted. One that is longer than 16 KiB is cut.
  void write(fmi2::Status status, std::string_view category, std::string message);
  /// A message of Koppla about the instance.
  void write(core::Severity severity, std::string_view message);

  /// " The FMU said: '...', '...'." with the last messages, those of trouble if there are any; empty if it never spoke.
  [[nodiscard]] std::string lastWords() const;

  [[nodiscard]] const std::string& instance() const { return instance_; }

 private:
  struct Line {
    core::Severity severity;
    std::string message;
  };

  std::string instance_;
  const ModelDescription& model_;
  core::Log& log_;
  Options options_;
  fmi2::CallbackFunctions callbacks_;

  mutable std::mutex mutex_;  // guards what follows
  std::deque<Line> last_;
  std::array<std::size_t, 4> written_{};  ///< by severity, suppressed ones included
};

/// A message with tokens '#r12#' (r, i, b, s: real, integer, boolean, string with that value reference) replaced by the
/// variable's name and '##' by '#' (FMI 2.0.4, 2.1.5). Ends early where more than 16 KiB are there.
std::string resolved(std::string_view message, const ModelDescription& model);

}  // namespace koppla::fmi
