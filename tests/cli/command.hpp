#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "koppla/core/file.hpp"

namespace koppla::test {

/// How a command ended and what it said.
struct Result {
  int exitCode = -1;  ///< 128 and the signal's number if a signal killed it
  std::string out;
  std::string err;

  [[nodiscard]] std::string all() const { return "exit code " + std::to_string(exitCode) + "\n" + out + err; }
};

/// A command that runs. Killed if nobody waits for it.
class Process {
 public:
  Process(pid_t id, std::filesystem::path out, std::filesystem::path err);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  void send(int signal) const;
  /// From now on its files may not grow beyond so many bytes.
  void limitFiles(std::size_t bytes) const;
  /// What it has written to standard error so far.
  [[nodiscard]] std::string errors() const { return core::readWhole(err_); }
  /// Waits for the end; a command that takes longer than a minute is killed.
  Result wait();
  int waitForExitCode();

 private:
  pid_t id_;
  std::filesystem::path out_;
  std::filesystem::path err_;
};

class FileActions;

/// A fresh folder to run the command in, with our FMUs below `fmus/`, and a folder of its own for temporary files.
class Workspace {
 public:
  Workspace();

  [[nodiscard]] std::filesystem::path path(const std::string& name = {}) const { return place_.path() / "work" / name; }
  void write(const std::string& name, std::string_view content) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const { return std::filesystem::exists(path(name)); }
  /// The rows of a CSV file below its header; a last line without its end is no row.
  [[nodiscard]] std::vector<std::string> rows(const std::string& name) const;

  /// Sets a variable in the environment of commands.
  void setVariable(const std::string& name, const std::string& value) { variables_[name] = value; }
  /// Runs `koppla arguments...`. Commands that run at the same time need labels of their own.
  [[nodiscard]] Result run(const std::vector<std::string>& arguments, const std::string& label = "first") const;
  [[nodiscard]] Process start(const std::vector<std::string>& arguments, const std::string& label = "first") const;
  /// The same with what it prints sent to a file or device that is there.
  [[nodiscard]] Result runInto(const std::filesystem::path& out, const std::vector<std::string>& arguments) const;
  /// The same with its three streams closed, as by `<&- >&- 2>&-`.
  [[nodiscard]] int runWithoutStreams(const std::vector<std::string>& arguments) const;

  /// All files and their content; folders end with '/' and have none.
  using Snapshot = std::map<std::string, std::string>;
  [[nodiscard]] Snapshot snapshot() const;
  /// What the commands left of their temporary files.
  [[nodiscard]] std::vector<std::string> leftovers() const;

 private:
  [[nodiscard]] pid_t spawn(const std::vector<std::string>& arguments, const FileActions& actions) const;

  core::TemporaryFolder place_{"cli-test"};
  std::map<std::string, std::string> variables_{{"TMPDIR", (place_.path() / "temporary").string()}};
};

/// A project of one Gain named 'a', seven lines long, with more lines below.
std::string project(std::string_view more = {});
/// The lines of a subsystem (three, and its parameters in one more) and of a connection (three).
std::string subsystem(const std::string& name, const std::string& fmu, const std::string& parameters = {});
std::string connection(const std::string& from, const std::string& to);
/// Math_003 (Nicolai, sec. 4): three subsystems, four connections, 100 steps of 0.1 s.
std::string math003(std::string_view more = {});

/// Waits until the condition holds; false after ten seconds.
bool eventually(const std::function<bool()>& condition);

}  // namespace koppla::test
