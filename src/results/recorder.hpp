#pragma once

#include <string>
#include <vector>

#include "koppla/core/value.hpp"

namespace koppla::results {

/// One recorded variable. Reals of size n are n columns named name[1] to name[n].
struct Column {
  std::string name;  ///< subsystem.port
  core::Type type = core::Type::real;
  std::string unit;
  std::string description;
};

/// Takes the rows of one run. Rows come in the order of time; equal times are the two sides of a jump.
/// A row holds the columns' values by type, in the order of the columns of that type (integers and enumerations share
/// one array), so that no value is ever boxed.
class Recorder {
 public:
  Recorder() = default;
  virtual ~Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  virtual void begin(const std::vector<Column>& columns) = 0;
  virtual void row(double time, const core::Values& values) = 0;
  /// Hands the rows so far to the system, so that a killed process does not take them along; called after the
  /// first steps and then about 20 times a second.
  virtual void flush() {}
  /// s, spent in row() and flush() so far to hand rows to the system: seldom and long, where a row is short.
  [[nodiscard]] virtual double secondsOfBlocks() const { return 0.0; }
  /// Hands finished rows to the system from a signal handler, on any thread: async-signal-safe, and waits a second at
  /// most. Nobody may be in begin(), complete() or abandon(). Failures are told by the next flush(), if there is one.
  virtual void rescue() noexcept {}
  /// All rows are there and the run completed: the file may take its final name.
  virtual void complete() = 0;
  /// The run ended early: what was recorded is kept, under a name that says so.
  virtual void abandon() = 0;
};

}  // namespace koppla::results
