#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

namespace koppla::core {

enum class Severity : unsigned char { debug, info, warning, error };

std::string_view word(Severity severity);

/// The log of one run. May be written to from any thread (FMUs log from threads of their own).
class Log {
 public:
  using Sink = std::function<void(Severity, std::string_view who, std::string_view message)>;

  Log();
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Messages of at least this severity are also appended to the file, one line each, with wall clock time; the first
  /// file gets what was written before it as well. Throws InputError or FileError where it cannot be written.
  void addFile(const std::filesystem::path& file, Severity least = Severity::debug);
  /// From now on messages of at least this severity also go to the sink; the sink is never called twice at once.
  void addSink(Sink sink, Severity least = Severity::info);

  /// `who` is a subsystem's name or a room of Koppla.
  void write(Severity severity, std::string_view who, std::string_view message);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koppla::core
