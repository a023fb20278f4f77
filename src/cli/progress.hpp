#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "koppla/run/run.hpp"

namespace koppla::cli {

/// How many runs (or what else is counted) are done, on a terminal only: one line that is rewritten.
void showCount(std::size_t done, std::size_t all, std::string_view counted);

/// Shows how a run goes on, on standard error: one line that is rewritten on a terminal, else a plain line now and
/// then.
class ProgressLine {
 public:
  ProgressLine(double start, double end);

  void show(const run::Progress& progress);
  /// Removes the line from a terminal.
  void clear();

 private:
  double start_;
  double end_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point lastLine_ = std::chrono::steady_clock::now();
};

}  // namespace koppla::cli
