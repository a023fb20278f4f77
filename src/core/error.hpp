#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace koppla::core {

/// Where in the user's files a mistake stands; line and column count from 1, 0 means 'the whole file'.
struct Place {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

/// One mistake: where it stands, what is wrong (with the offending value), what to do about it.
struct Problem {
  Place place;
  std::string message;
  std::string remedy;
};

/// "file:line:column: message remedy" on one line.
std::string text(const Problem& problem);

/// The user's input (project file, FMU, command line) is at fault. Carries every mistake found, not only the first.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  InputError(std::string message, std::string remedy);

  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// The system failed in what was asked of it with a file or a stream: a full disk, a broken pipe, a device that does
/// not answer. A place that cannot be right (no such folder, no permission) is the user's input instead.
class FileError : public std::runtime_error {
 public:
  FileError(const std::string& message, const std::string& remedy) : std::runtime_error(message + " " + remedy) {}
};

/// A subsystem failed in what it was asked to do. The text names the subsystem, the request and the answer.
class SubsystemError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Koppla itself is at fault.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace koppla::core
