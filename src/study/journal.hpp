#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "koppla/core/descriptor.hpp"
#include "koppla/study/row.hpp"
#include "koppla/study/study.hpp"

namespace koppla::study {

/// Changes whenever a row could come out differently: with the study, its project, the FMUs, a reference file, the
/// settings of the command line, and the program's version.
std::string fingerprint(const Study& study, const std::string& version);

/// The file `study.journal` in the folder of a study: the finished rows in the order of finishing, each written as soon
/// as it is there, so that a study that ended early can be continued.
class Journal {
 public:
  /// Opens the folder, or makes it. Rows of a study with the same fingerprint are taken over, unless it shall start
  /// anew. Throws core::InputError where the folder holds something else or another process fills it.
  Journal(std::filesystem::path folder, const std::string& fingerprint, std::size_t points, bool restart);

  /// By point of the grid.
  [[nodiscard]] const std::vector<std::optional<Row>>& rows() const { return rows_; }
  void add(std::size_t point, Row row);

 private:
  void open(bool restart);
  void begin(const std::string& head);
  void takeOver(const std::string& content);
  void append(const std::string& line);

  std::filesystem::path folder_;
  std::vector<std::optional<Row>> rows_;
  core::Descriptor file_;
};

}  // namespace koppla::study
