#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "koppla/core/descriptor.hpp"
#include "koppla/program/process.hpp"

namespace koppla::program::detail {

using Clock = std::chrono::steady_clock;

using core::Descriptor;

/// Opens a file for writing from its beginning. Throws core::InputError or core::FileError where that fails.
Descriptor openForWriting(const std::filesystem::path& file);
Descriptor openNothing();  ///< /dev/null for reading

/// What the system is given: a line goes to the shell.
std::vector<std::string> argumentsOf(const Command& command);

struct ChildPlan {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  ///< "NAME=value", beside our own
  std::filesystem::path folder;
  Limits limits;
  int input;
  int output;
  int errors;
};

/// A process that is the leader of a group of its own. It dies with the thread that started it, and whatever is left of
/// its group dies when the leader has ended, at the latest with this object.
class Child {
 public:
  /// Starts it; where that fails, startFailure() tells why and nothing else may be called.
  explicit Child(const ChildPlan& plan);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] int startFailure() const { return startFailure_; }
  /// How it ended; nothing if it still runs at the deadline or somebody interrupts the wait.
  std::optional<Ended> wait(std::optional<Clock::time_point> deadline, const std::function<bool()>& interrupted);
  /// Ends the whole group at once.
  void kill();
  /// Processor time of the process until now, s; 0 where it has ended.
  [[nodiscard]] double processorSeconds() const;
  /// Readable (poll) when the process has ended; -1 where the system has no such descriptor.
  [[nodiscard]] int endDescriptor() const { return end_.get(); }

 private:
  bool hasEnded();
  Ended bury();

  pid_t id_ = -1;
  int startFailure_ = 0;
  Descriptor end_;
  Clock::time_point begin_;
  std::optional<Ended> ended_;
};

}  // namespace koppla::program::detail
