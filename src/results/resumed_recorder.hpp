#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "koppla/results/reach.hpp"
#include "koppla/results/recorder.hpp"

namespace koppla::results {

/// Records a run that is repeated from its start, and loses no row of what is there already: that record is set aside
/// as `results.before.*` until the new one has come further, and is put back where the new one ends earlier. As long as
/// it is there, load() takes it: also after the process was killed. Rows of other settings are never put back: they
/// stay aside, with their project as `results.before.project.toml`, and the new ones have their own name.
class ResumedRecorder : public Recorder {
 public:
  /// `recorder`: writes the files of that name in the folder.
  ResumedRecorder(std::unique_ptr<Recorder> recorder, std::filesystem::path folder, std::string name);
  ~ResumedRecorder() override;

  /// Before the project in the folder is replaced; without this call, begin() does it. `project`: the one that the rows
  /// so far come from, where the new ones are simulated with other settings; else empty.
  void setAside(const std::string& project = {});
  /// Of the rows that are set aside, s.
  [[nodiscard]] std::optional<double> timeAside() const { return keeps_ ? std::optional(before_.time) : std::nullopt; }

  /// What is left of the rows from before when the new ones have ended earlier.
  struct Left {
    double time;  ///< of the last one, s
    bool aside;   ///< under the name of those from before; else put back
  };
  [[nodiscard]] const std::optional<Left>& left() const { return left_; }

  void begin(const std::vector<Column>& columns) override;
  void row(double time, const core::Values& values) override;
  void flush() override { recorder_->flush(); }
  [[nodiscard]] double secondsOfBlocks() const override { return recorder_->secondsOfBlocks(); }
  void rescue() noexcept override { recorder_->rescue(); }
  void complete() override;
  void abandon() override;

 private:
  [[nodiscard]] std::filesystem::path projectAside() const;
  void removeAside();
  void putBack();

  std::unique_ptr<Recorder> recorder_;
  std::filesystem::path folder_;
  std::string name_;
  Reach before_;         ///< of the record that is set aside
  Reach reach_;          ///< of the new one
  bool looked_ = false;  ///< for a record to set aside
  bool keeps_ = false;   ///< a record is set aside
  bool others_ = false;  ///< it comes from other settings
  std::optional<Left> left_;
};

}  // namespace koppla::results
