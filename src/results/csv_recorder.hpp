#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "koppla/core/heartbeat.hpp"
#include "koppla/results/block_writer.hpp"
#include "koppla/results/recorder.hpp"

namespace koppla::results {

/// Records to `results.csv` in a folder; while the run goes on, and for good if it ends early, the file is called
/// `results.partial.csv`. A file `results.units.csv` tells type, unit and description of each column.
///
/// The format is that of the FMI cross-check: commas, quoted names, `time` in seconds first, reals in the shortest form
/// that reads back to the same double, booleans as 0 and 1, enumerations as integers, strings in quotes (a quote
/// doubled, line breaks kept), lines end with a line feed. Every failure to write throws core::FileError, or
/// core::InputError where the place cannot be right, with the path.
///
/// Rows are in the file half a second after they were recorded at the latest, whatever the caller does meanwhile.
class CsvRecorder : public Recorder {
 public:
  /// `name`: of the files, in place of "results".
  explicit CsvRecorder(std::filesystem::path folder, std::string name = "results");
  /// Keeps the partial file if neither complete() nor abandon() was called.
  ~CsvRecorder() override;

  /// Makes the folder if need be; results of an earlier run in it are replaced.
  void begin(const std::vector<Column>& columns) override;
  void row(double time, const core::Values& values) override;
  void flush() override;
  [[nodiscard]] double secondsOfBlocks() const override { return seconds_ + (writer_ ? writer_->seconds() : 0.0); }
  void rescue() noexcept override;
  void complete() override;
  /// Does nothing before begin() or after the end.
  void abandon() override;

 private:
  /// Neighbouring columns whose values are neighbours in one array: written by one tight loop.
  struct Stretch {
    enum class Array : std::uint8_t { reals, integers, booleans, strings } array;
    std::size_t first;
    std::size_t count;
  };

  void plan(const std::vector<Column>& columns);
  void checkSizes(const core::Values& values) const;
  BlockWriter& running();
  void close();

  [[nodiscard]] std::filesystem::path file(std::string_view ending) const;

  std::filesystem::path folder_;
  std::string name_;
  std::vector<Stretch> stretches_;
  std::size_t reals_ = 0;
  std::size_t integers_ = 0;
  std::size_t booleans_ = 0;
  std::size_t strings_ = 0;
  std::size_t rowBytes_ = 0;  ///< the longest row possible, strings left out
  std::optional<BlockWriter> writer_;
  double seconds_ = 0.0;                      ///< of writers that are closed
  std::optional<core::Heartbeat> heartbeat_;  ///< ends before the writer does
};

}  // namespace koppla::results
