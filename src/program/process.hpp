#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace koppla::program {

/// A program and its arguments, or a line for /bin/sh.
using Command = std::variant<std::vector<std::string>, std::string>;

std::string text(const Command& command);
bool isEmpty(const Command& command);

/// What a process may use; 0: no limit. Each process of the group has its own share of memory and file size.
struct Limits {
  double seconds = 0.0;         ///< wall clock
  std::size_t memoryBytes = 0;  ///< address space
  std::size_t fileBytes = 0;    ///< of each file that it writes
};

struct Launch {
  Command command;
  std::filesystem::path folder;  ///< where it works; relative programs are looked for there
  std::filesystem::path output;  ///< takes its standard output
  std::filesystem::path errors;  ///< takes its standard error
  Limits limits{};
  std::vector<std::string> environment{};  ///< "NAME=value", beside our own
  std::function<bool()> interrupted{};     ///< asked a few times a second
};

/// `unknown`: somebody else in this process has taken the news of its end, or has the system throw it away.
enum class Ending : std::uint8_t { exited, killed, outOfTime, interrupted, notStarted, unknown };

struct Ended {
  Ending ending = Ending::notStarted;
  int code = 0;                   ///< exit status, signal or errno
  double seconds = 0.0;           ///< wall clock
  double processorSeconds = 0.0;  ///< of it and of those processes that it has waited for
};

/// "ended with exit status 3", "was killed by signal 11 (Segmentation fault)" and so on.
std::string text(const Ended& ended);

/// Runs a command and waits for its end. Nothing of it is left then: neither processes of its group nor a zombie.
/// Throws core::InputError or core::FileError where its output cannot be kept.
Ended run(const Launch& launch);

}  // namespace koppla::program
