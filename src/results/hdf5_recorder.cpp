#include "koppla/results/hdf5_recorder.hpp"

#include <chrono>
#include <exception>
#include <optional>
#include <system_error>

#include "koppla/core/error.hpp"
#include "koppla/core/heartbeat.hpp"
#include "koppla/results/detail/hdf5_pending.hpp"
#include "koppla/results/detail/hdf5_writer.hpp"
#include "koppla/results/detail/write_failure.hpp"
#include "koppla/results/hdf5_names.hpp"

namespace koppla::results {

namespace fs = std::filesystem;

/// A writer, and when it is to flush again.
class Hdf5Recorder::File {
 public:
  File(const fs::path& path, const std::vector<Column>& columns, const Facts& facts) : writer(path, columns, facts) {}

  void flush() {
    using Clock = std::chrono::steady_clock;
    constexpr int kWait = 19;  // times as long as it takes: a twentieth of all time at most
    const Clock::time_point begin = Clock::now();
    if (begin < due_) return;
    writer.flush();
    const Clock::time_point end = Clock::now();
    due_ = end + kWait * (end - begin);
  }

  void close() {
    writer.close();
    heartbeat_.reset();
  }

  detail::Hdf5Writer writer;

 private:
  std::chrono::steady_clock::time_point due_{};
  std::optional<core::Heartbeat> heartbeat_{[this] { writer.rescue(); }};  // ends before the writer does
};

Hdf5Recorder::Hdf5Recorder(fs::path folder, std::string name, Facts facts)
    : folder_(std::move(folder)), name_(std::move(name)), facts_(std::move(facts)) {}

fs::path Hdf5Recorder::file(std::string_view ending) const {
  return folder_ / (name_ + std::string(ending));
}

Hdf5Recorder::~Hdf5Recorder() {
  try {
    Hdf5Recorder::abandon();
  } catch (const std::exception&) {  // row(), flush() and abandon() are where a caller hears of it
  }
}

void Hdf5Recorder::begin(const std::vector<Column>& columns) {
  if (file_) throw core::InternalError("Hdf5Recorder: begin() was called twice.");
  detail::clearTheWay(folder_, file(kHdf5Complete));
  std::error_code ignored;
  fs::remove(detail::pendingBeside(file(kHdf5Partial)), ignored);
  file_ = std::make_unique<File>(file(kHdf5Partial), columns, facts_);
}

Hdf5Recorder::File& Hdf5Recorder::running() {
  if (!file_) throw core::InternalError("Hdf5Recorder: nothing can be recorded before begin() or after the end.");
  return *file_;
}

void Hdf5Recorder::row(double time, const core::Values& values) {
  running().writer.row(time, values);
}

void Hdf5Recorder::flush() {
  running().flush();
}

double Hdf5Recorder::secondsOfBlocks() const {
  return file_ ? file_->writer.seconds() : 0.0;
}

void Hdf5Recorder::rescue() noexcept {
  if (file_) file_->writer.rescue();
}

void Hdf5Recorder::complete() {
  running().close();
  file_.reset();
  detail::takeFinalName(file(kHdf5Partial), file(kHdf5Complete));
}

void Hdf5Recorder::abandon() {
  if (!file_) return;
  const std::unique_ptr<File> ending = std::move(file_);
  ending->close();
}

}  // namespace koppla::results
