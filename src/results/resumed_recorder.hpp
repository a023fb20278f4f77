#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "koppla/results/reach.hpp"
#include "koppla/results/recorder.hpp"

namespace koppla::results {

/// Records a run that is repeated from its start, and loses no row of what is there already: that record is set aside
/// as `results.before.*` until the new one has come further, and is put back where the new one ends earlier. As long as
/// it is there, load() takes it: also after the process was killed.
class ResumedRecorder : public Recorder {
 public:
  /// `recorder`: writes the files of that name in the folder.
  ResumedRecorder(std::unique_ptr<Recorder> recorder, std::filesystem::path folder, std::string name);
  ~ResumedRecorder() override;

  void begin(const std::vector<Column>& columns) override;
  void row(double time, const core::Values& values) override;
  void flush() override { recorder_->flush(); }
  [[nodiscard]] double secondsOfBlocks() const override { return recorder_->secondsOfBlocks(); }
  void rescue() noexcept override { recorder_->rescue(); }
  void complete() override;
  void abandon() override;

 private:
  void setAside();
  void putBack();

  std::unique_ptr<Recorder> recorder_;
  std::filesystem::path folder_;
  std::string name_;
  Reach before_;        ///< of the record that is set aside
  Reach reach_;         ///< of the new one
  bool keeps_ = false;  ///< a record is set aside
};

}  // namespace koppla::results
