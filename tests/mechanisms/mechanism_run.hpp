#pragma once

#include <string>
#include <vector>

#include "koppla/results/table.hpp"
#include "koppla/run/outcome.hpp"

#include "whole.hpp"

namespace koppla::test {

/// "name=value" as behind --set.
using Settings = std::vector<std::string>;

/// A project of examples/mechanisms, run with every communication point recorded.
struct MechanismRun {
  run::Outcome outcome;
  std::vector<std::string> warnings;
  results::Table table;

  /// Whether a warning holds these words.
  [[nodiscard]] bool warns(const std::string& words) const;
  [[nodiscard]] const std::vector<double>& series(const std::string& variable) const;
  /// Of all components of a variable, over the points from `after` to `until` (s).
  [[nodiscard]] double largest(const std::string& variable, double after = 0.0, double until = 1e9) const;
  /// Of all components of a variable: the largest distance from the reference over all points from `after` (s) on.
  [[nodiscard]] double error(const Whole& reference, const std::string& variable, double after = 0.0) const;
};

/// Whatever comes out of it.
MechanismRun attempt(const std::string& project, const Settings& settings);
/// A run that must succeed.
MechanismRun runMechanism(const std::string& project, const Settings& settings);

/// All of them, as on a command line.
std::string text(const Settings& settings);
Settings operator+(Settings first, const Settings& second);

}  // namespace koppla::test
