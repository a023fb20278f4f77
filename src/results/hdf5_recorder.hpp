#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "koppla/results/recorder.hpp"

namespace koppla::results {

/// What a file of results tells about its origin: names and texts.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// Records to `results.h5` in a folder; while the run goes on, and for good if it ends early, the file is called
/// `results.partial.h5`. Layout: docs/results.md.
///
/// Rows that have waited for half a second, because the caller is busy elsewhere, are in `results.partial.rows` until
/// they are in the file; results::load() reads both.
///
/// The file is written as HDF5 calls it for one writer and many readers: at any time it can be read up to the last
/// flush, also while the run goes on and after the process was killed. Room for rows is asked of the system before they
/// are written, so that a full disk leaves a sound file, too. Every failure to write throws core::FileError, or
/// core::InputError where the place cannot be right, with the path.
class Hdf5Recorder : public Recorder {
 public:
  static constexpr std::size_t kTextBytes = 256;  ///< longer texts are cut off

  /// `name`: of the files, in place of "results".
  explicit Hdf5Recorder(std::filesystem::path folder, std::string name = "results", Facts facts = {});
  /// Keeps the partial file if neither complete() nor abandon() was called.
  ~Hdf5Recorder() override;

  /// Makes the folder if need be; results of an earlier run in it are replaced.
  void begin(const std::vector<Column>& columns) override;
  void row(double time, const core::Values& values) override;
  /// Where many variables make this slow it is not done every time, so that a run spends little of its time here.
  void flush() override;
  [[nodiscard]] double secondsOfBlocks() const override;
  void rescue() noexcept override;
  void complete() override;
  /// Does nothing before begin() or after the end.
  void abandon() override;

 private:
  class File;

  [[nodiscard]] std::filesystem::path file(std::string_view ending) const;
  File& running();

  std::filesystem::path folder_;
  std::string name_;
  Facts facts_;
  std::unique_ptr<File> file_;
};

}  // namespace koppla::results
