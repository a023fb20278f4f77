#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "koppla/run/run.hpp"

namespace koppla::cli {

/// The file status.json of a run folder: how far the run is, for `koppla status`. It is there while the run goes on,
/// and stays behind where that was killed.
class StatusFile {
 public:
  StatusFile(std::filesystem::path file, double start, double end);
  /// Removes the file: the statistics tell the rest.
  ~StatusFile();
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;

  /// Writes, if it has not done so within the last half second.
  void show(const run::Progress& progress);

 private:
  void write(const run::Progress& progress);

  std::filesystem::path file_;
  double start_;
  double end_;
  std::string started_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace koppla::cli
