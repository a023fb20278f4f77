#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "koppla/results/hdf5_recorder.hpp"
#include "koppla/results/recorder.hpp"

namespace koppla::results {

/// The kinds of files that a run can write.
enum class Format : std::uint8_t { csv, hdf5 };

/// Hands all rows to several recorders. All are ended where one of them fails, which is told then.
class SeveralRecorders : public Recorder {
 public:
  explicit SeveralRecorders(std::vector<std::unique_ptr<Recorder>> recorders);

  void begin(const std::vector<Column>& columns) override;
  void row(double time, const core::Values& values) override;
  void flush() override;
  [[nodiscard]] double secondsOfBlocks() const override;
  void rescue() noexcept override;
  void complete() override;
  void abandon() override;

 private:
  std::vector<std::unique_ptr<Recorder>> recorders_;
};

/// A recorder of files `name` with the ending of each format in the folder.
std::unique_ptr<Recorder> makeRecorder(const std::filesystem::path& folder, const std::string& name,
                                       const std::vector<Format>& formats, const Facts& facts = {});

/// The name of such a file while its run has not completed.
std::string partialFile(const std::string& name, Format format);

}  // namespace koppla::results
