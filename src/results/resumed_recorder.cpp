#include "koppla/results/resumed_recorder.hpp"

#include <array>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>

#include "koppla/core/file.hpp"
#include "koppla/results/before_names.hpp"
#include "koppla/results/csv_names.hpp"
#include "koppla/results/detail/hdf5_pending.hpp"
#include "koppla/results/detail/write_failure.hpp"
#include "koppla/results/hdf5_names.hpp"

namespace koppla::results {

namespace fs = std::filesystem;

namespace {

std::array<fs::path, 6> filesOfRecord(const fs::path& folder, const std::string& name) {
  const auto file = [&](const char* ending) { return folder / (name + ending); };
  // What tells of others goes first: rows are never without the file that explains them.
  return {file(kUnits),        detail::pendingBeside(file(kHdf5Partial)),
          file(kComplete),     file(kPartial),
          file(kHdf5Complete), file(kHdf5Partial)};
}

void removeRecord(const fs::path& folder, const std::string& name) {
  for (const fs::path& file : filesOfRecord(folder, name)) {
    std::error_code error;
    fs::remove(file, error);
    if (error) core::failAtFile(file.string(), "cannot be removed", error.value(), detail::kAnotherFolder);
  }
}

void renameRecord(const fs::path& folder, const std::string& from, const std::string& to) {
  const auto sources = filesOfRecord(folder, from);
  const auto targets = filesOfRecord(folder, to);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::error_code error;
    if (!fs::exists(sources.at(i), error)) continue;
    fs::rename(sources.at(i), targets.at(i), error);
    if (error)
      core::failAtFile(sources.at(i).string(), "cannot become " + targets.at(i).string(), error.value(),
                       detail::kAnotherFolder);
  }
}

}  // namespace

ResumedRecorder::ResumedRecorder(std::unique_ptr<Recorder> recorder, fs::path folder, std::string name)
    : recorder_(std::move(recorder)), folder_(std::move(folder)), name_(std::move(name)) {}

ResumedRecorder::~ResumedRecorder() {
  try {
    ResumedRecorder::abandon();
  } catch (const std::exception&) {  // row(), flush() and abandon() are where a caller hears of it
  }
}

fs::path ResumedRecorder::projectAside() const {
  return folder_ / (name_ + kBefore + kOtherProject);
}

void ResumedRecorder::setAside(const std::string& project) {
  if (std::exchange(looked_, true)) return;
  const std::string aside = name_ + kBefore;
  const std::optional<Reach> old = reachOf(folder_, aside);  // of a resumed run that was killed, or of other settings
  const std::optional<Reach> present = reachOf(folder_, name_);
  keeps_ = old || present;
  if (!keeps_) return;
  if (present && (!old || *present > *old)) {
    removeAside();
    renameRecord(folder_, name_, aside);
    before_ = *present;
  } else if (old) {
    before_ = *old;
  }
  std::error_code ignored;
  if (!project.empty()) {
    if (!fs::exists(projectAside(), ignored)) core::writeWhole(projectAside(), project);
    removeRecord(folder_, name_);  // fewer rows of the settings before
  }
  others_ = fs::exists(projectAside(), ignored);
}

/// The project last: rows of other settings are never without it.
void ResumedRecorder::removeAside() {
  removeRecord(folder_, name_ + kBefore);
  std::error_code error;
  fs::remove(projectAside(), error);
  if (error) core::failAtFile(projectAside().string(), "cannot be removed", error.value(), detail::kAnotherFolder);
}

void ResumedRecorder::putBack() {
  removeRecord(folder_, name_);
  renameRecord(folder_, name_ + kBefore, name_);
}

void ResumedRecorder::begin(const std::vector<Column>& columns) {
  setAside();
  recorder_->begin(columns);
}

void ResumedRecorder::row(double time, const core::Values& values) {
  recorder_->row(time, values);
  if (!keeps_) return;
  reach_.add(time);
  if (reach_ <= before_) return;
  recorder_->flush();   // tells of a full disk before anything is removed
  recorder_->rescue();  // of what flush() puts off
  keeps_ = false;
  removeAside();
}

void ResumedRecorder::complete() {
  recorder_->complete();
  if (std::exchange(keeps_, false)) removeAside();
}

void ResumedRecorder::abandon() {
  std::exception_ptr failure;
  try {
    recorder_->abandon();
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  if (std::exchange(keeps_, false)) {
    if (!failure && reach_ >= before_) {
      removeAside();
    } else {
      left_ = Left{before_.time, others_};
      if (!others_) putBack();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace koppla::results
