#include "koppla/core/log.hpp"

#include <mutex>
#include <string>
#include <vector>

#include <spdlog/common.h>
#include <spdlog/details/log_msg.h>
#include <spdlog/sinks/basic_file_sink.h>

#include "koppla/core/error.hpp"
#include "koppla/core/printable.hpp"

namespace koppla::core {

namespace {

spdlog::level::level_enum level(Severity severity) {
  switch (severity) {
    case Severity::debug:
      return spdlog::level::debug;
    case Severity::info:
      return spdlog::level::info;
    case Severity::warning:
      return spdlog::level::warn;
    case Severity::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

void append(spdlog::sinks::sink& sink, spdlog::log_clock::time_point time, Severity severity, const std::string& line) {
  const spdlog::details::log_msg entry(time, {}, "koppla", level(severity), line);
  if (!sink.should_log(entry.level)) return;
  try {
    sink.log(entry);
    if (severity > Severity::debug) sink.flush();  // a subsystem may take the process down with it
  } catch (const spdlog::spdlog_ex&) {  // the disk is full: a lost line of the log is no reason to lose the run
  }
}

}  // namespace

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::debug:
      return "debug";
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "info";
}

struct Log::Impl {
  struct Line {
    spdlog::log_clock::time_point time;
    Severity severity;
    std::string text;
  };
  static constexpr std::size_t kBacklog = 10000;

  struct Listener {
    Sink sink;
    Severity least;
  };

  std::mutex mutex;
  std::vector<std::shared_ptr<spdlog::sinks::sink>> files;
  std::vector<Line> backlog;  ///< what was said before there was a file
  std::vector<Listener> listeners;
};

Log::Log() : impl_(std::make_unique<Impl>()) {}
Log::~Log() = default;

void Log::addFile(const std::filesystem::path& file, Severity least) {
  std::shared_ptr<spdlog::sinks::basic_file_sink_st> sink;
  try {
    sink = std::make_shared<spdlog::sinks::basic_file_sink_st>(file.string());
  } catch (const spdlog::spdlog_ex& error) {
    throw InputError(std::string(error.what()) + ".", "Choose a folder that you may write to.");
  }
  sink->set_level(level(least));
  sink->set_pattern("%Y-%m-%d %H:%M:%S.%e %-7l %v");
  const std::lock_guard lock(impl_->mutex);
  for (const Impl::Line& line : impl_->backlog) append(*sink, line.time, line.severity, line.text);
  impl_->backlog.clear();
  impl_->files.push_back(std::move(sink));
}

void Log::addSink(Sink sink, Severity least) {
  const std::lock_guard lock(impl_->mutex);
  impl_->listeners.push_back({std::move(sink), least});
}

void Log::write(Severity severity, std::string_view who, std::string_view message) {
  const std::string speaker = printable(who);
  const std::string said = printable(message, LineEnds::indented);
  const std::string line = speaker + ": " + said;
  const std::lock_guard lock(impl_->mutex);
  const auto now = spdlog::log_clock::now();
  for (const auto& sink : impl_->files) append(*sink, now, severity, line);
  if (impl_->files.empty() && impl_->backlog.size() < Impl::kBacklog) impl_->backlog.push_back({now, severity, line});
  for (const Impl::Listener& listener : impl_->listeners)
    if (severity >= listener.least) listener.sink(severity, speaker, said);
}

}  // namespace koppla::core
