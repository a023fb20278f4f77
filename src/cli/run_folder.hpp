#pragma once

#include <filesystem>
#include <string>

#include "koppla/core/descriptor.hpp"

namespace koppla::cli {

/// What may happen to a run folder that is there already.
enum class Existing {
  refused,
  overwritten,
  resumed  ///< its run goes on
};

/// The folder of one run: results.csv, results.units.csv (or results.h5), statistics.json, certificate.json, run.log,
/// project.toml and ingredients.txt.
class RunFolder {
 public:
  /// The statistics of a run that is only looked at.
  [[nodiscard]] static std::filesystem::path statisticsIn(const std::filesystem::path& folder) {
    return folder / "statistics.json";
  }

  /// Refuses (core::InputError) a folder that exists, unless it may be overwritten, and one where a file of the run
  /// would take the place of a folder or of the project itself; nothing is touched yet.
  RunFolder(std::filesystem::path folder, const std::filesystem::path& project, Existing existing);

  /// Makes the folder, or clears it of an earlier run's files and nothing else; those of a run that goes on stay.
  /// Refuses one that another run has begun to fill meanwhile.
  void prepare();
  /// Of a run that goes on: how it has ended before. Not earlier than it goes on indeed.
  void forgetEnd() const;

  /// As the user named it, and as an absolute path: a subsystem may change the working folder.
  [[nodiscard]] const std::filesystem::path& given() const { return given_; }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  [[nodiscard]] std::filesystem::path log() const { return folder_ / "run.log"; }
  [[nodiscard]] std::filesystem::path statistics() const { return statisticsIn(folder_); }
  [[nodiscard]] std::filesystem::path certificate() const { return folder_ / "certificate.json"; }
  [[nodiscard]] std::filesystem::path project() const { return folder_ / "project.toml"; }
  [[nodiscard]] std::filesystem::path ingredients() const { return folder_ / "ingredients.txt"; }
  [[nodiscard]] std::filesystem::path status() const { return folder_ / "status.json"; }
  [[nodiscard]] std::filesystem::path programs() const { return folder_ / "programs"; }
  /// What programs did when the run was certified, where a repetition failed.
  [[nodiscard]] std::filesystem::path repetitions() const { return folder_ / "certifying"; }

 private:
  void refuseIfFilled() const;

  std::filesystem::path given_;
  std::filesystem::path folder_;
  Existing existing_;
  core::Descriptor lock_;  ///< the opened folder, locked against a second run
};

}  // namespace koppla::cli
