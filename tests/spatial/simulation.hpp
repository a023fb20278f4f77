#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "koppla/results/table.hpp"

namespace koppla::test {

/// Changes of a project file, each "name=value".
using Changes = std::vector<std::string>;

Changes operator+(Changes some, const Changes& others);

/// examples/mechanisms/<name>.toml.
std::filesystem::path mechanism(const std::string& name);
/// A mechanism of this room as one system under one solver: tests/spatial/<name>.toml.
std::filesystem::path wholeSystem(const std::string& name);

/// Changes that set the macro step (s), and so many micro steps per macro step in each of the named subsystems.
Changes steps(double macroStep, unsigned microSteps, const std::vector<std::string>& subsystems);

/// The rows of a run at all communication points. A run that fails, fails the test.
results::Table simulate(const std::filesystem::path& project, const Changes& changes);

/// All values of "name" or of the elements "name[1]", "name[2]", ... of a port, a series each.
std::vector<const results::Series*> elements(const results::Table& table, const std::string& name);

/// At the last row.
std::vector<double> endOf(const results::Table& table, const std::string& name);
std::vector<double> startOf(const results::Table& table, const std::string& name);

/// The largest magnitude of any element in any row.
double largest(const results::Table& table, const std::string& name);

/// A variable of a run and what it is called in the reference.
struct Counterpart {
  std::string name;
  std::string reference;
};

/// "Error" of the note: the largest difference of any component at any communication point. The reference has rows at
/// all of them.
double errorOf(const results::Table& run, const results::Table& reference, const std::vector<Counterpart>& variables);

double orderOf(double coarse, double fine, double ratio = 2.0);

/// What the semi-implicit coupling of two subsystems exchanges.
struct Counts {
  std::size_t first = 0;       ///< values that the first subsystem takes from the cycle
  std::size_t second = 0;      ///< the same of the second one
  std::size_t conditions = 0;  ///< unknowns, each counted once, and as many equations

  bool operator==(const Counts&) const = default;
};

std::string text(const Counts& counts);

Counts countsOf(const std::filesystem::path& project, const Changes& changes);

}  // namespace koppla::test
