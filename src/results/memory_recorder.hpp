#pragma once

#include <vector>

#include "koppla/results/recorder.hpp"
#include "koppla/results/table.hpp"

namespace koppla::results {

/// Records to a table in memory, for programs that look at the rows themselves.
class MemoryRecorder : public Recorder {
 public:
  void begin(const std::vector<Column>& columns) override;
  void row(double time, const core::Values& values) override;
  void complete() override { table_.partial = false; }
  void abandon() override {}

  /// The rows so far; `partial` until the run has completed.
  [[nodiscard]] const Table& table() const { return table_; }

 private:
  Table table_;
};

}  // namespace koppla::results
