#include "koppla/core/log.hpp"

#include <cerrno>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spdlog/common.h>
#include <spdlog/details/log_msg.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/file_identity.hpp"
#include "koppla/core/printable.hpp"
#include "koppla/core/process_mark.hpp"

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

/// Lines go to the system one by one: a subsystem may take the process down with it. One may also close what it has not
/// opened; then the file is opened again.
class FileSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit FileSink(std::filesystem::path file) : file_(std::move(file)) {
    if (!open()) failAtFile(file_.string(), "cannot be written", errno, "Choose a folder that you may write to.");
  }
  ~FileSink() override {
    if (identity_.isOf(descriptor_)) ::close(descriptor_);
  }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

 protected:
  void sink_it_(const spdlog::details::log_msg& entry) override {
    if (!process_.isPresent() || (!identity_.isOf(descriptor_) && !open())) return;
    spdlog::memory_buf_t line;
    formatter_->format(entry, line);
    // A full disk: a lost line of the log is no reason to lose the run.
    static_cast<void>(writeAll(descriptor_, {line.data(), line.size()}));
  }
  void flush_() override {}

 private:
  bool open() {
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    identity_ = FileIdentity(descriptor_);
    return descriptor_ >= 0;
  }

  std::filesystem::path file_;
  int descriptor_ = -1;
  FileIdentity identity_;
  ProcessMark process_;
};

void append(spdlog::sinks::sink& sink, spdlog::log_clock::time_point time, Severity severity, const std::string& line) {
  const spdlog::details::log_msg entry(time, {}, "koppla", level(severity), line);
  if (sink.should_log(entry.level)) sink.log(entry);
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
  const auto sink = std::make_shared<FileSink>(file);
  sink->set_level(level(least));
  sink->set_pattern("%Y-%m-%d %H:%M:%S.%e %-7l %v");
  const std::lock_guard lock(impl_->mutex);
  for (const Impl::Line& line : impl_->backlog) append(*sink, line.time, line.severity, line.text);
  impl_->backlog.clear();
  impl_->files.push_back(sink);
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
