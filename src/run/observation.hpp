#pragma once

#include <optional>
#include <string>
#include <vector>

#include "koppla/core/value.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/results/recorder.hpp"

namespace koppla::run {

/// The variables of a run that are recorded: chosen by patterns, read from the subsystems row by row.
class Observation {
 public:
  /// Without patterns: all outputs. A pattern that fits no variable is an InputError that names near ones.
  Observation(const coupling::System& system, const std::vector<std::string>& patterns);

  [[nodiscard]] const std::vector<results::Column>& columns() const { return columns_; }
  /// Reads all variables; the values stay valid until the next call.
  const core::Values& read(const coupling::System& system);
  /// After read(): the name of a real that is not finite or larger than the limit, if there is one.
  [[nodiscard]] std::optional<std::string> exploded(double limit) const;

 private:
  std::vector<results::Column> columns_;
  std::vector<std::vector<subsystem::PortIndex>> ports_;  ///< by member
  core::Values values_;
};

}  // namespace koppla::run
