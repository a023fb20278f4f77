#include "koppla/results/recording.hpp"

#include <exception>
#include <utility>

#include "koppla/results/csv_names.hpp"
#include "koppla/results/csv_recorder.hpp"
#include "koppla/results/hdf5_names.hpp"

namespace koppla::results {

namespace {

/// Calls all, also where one of them throws; then the first failure counts.
template <class Call>
void forAll(const std::vector<std::unique_ptr<Recorder>>& recorders, Call call) {
  std::exception_ptr failure;
  for (const auto& recorder : recorders) {
    try {
      call(*recorder);
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

SeveralRecorders::SeveralRecorders(std::vector<std::unique_ptr<Recorder>> recorders)
    : recorders_(std::move(recorders)) {}

void SeveralRecorders::begin(const std::vector<Column>& columns) {
  for (const auto& recorder : recorders_) recorder->begin(columns);
}

void SeveralRecorders::row(double time, const core::Values& values) {
  for (const auto& recorder : recorders_) recorder->row(time, values);
}

void SeveralRecorders::flush() {
  forAll(recorders_, [](Recorder& recorder) { recorder.flush(); });
}

double SeveralRecorders::secondsOfBlocks() const {
  double sum = 0.0;
  for (const auto& recorder : recorders_) sum += recorder->secondsOfBlocks();
  return sum;
}

void SeveralRecorders::rescue() noexcept {
  for (const auto& recorder : recorders_) recorder->rescue();
}

void SeveralRecorders::complete() {
  forAll(recorders_, [](Recorder& recorder) { recorder.complete(); });
}

void SeveralRecorders::abandon() {
  forAll(recorders_, [](Recorder& recorder) { recorder.abandon(); });
}

std::unique_ptr<Recorder> makeRecorder(const std::filesystem::path& folder, const std::string& name,
                                       const std::vector<Format>& formats, const Facts& facts) {
  std::vector<std::unique_ptr<Recorder>> recorders;
  for (const Format format : formats) {
    if (format == Format::csv)
      recorders.push_back(std::make_unique<CsvRecorder>(folder, name));
    else
      recorders.push_back(std::make_unique<Hdf5Recorder>(folder, name, facts));
  }
  if (recorders.size() == 1) return std::move(recorders.front());
  return std::make_unique<SeveralRecorders>(std::move(recorders));
}

std::string partialFile(const std::string& name, Format format) {
  return name + (format == Format::csv ? kPartial : kHdf5Partial);
}

}  // namespace koppla::results
