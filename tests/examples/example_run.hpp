#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "koppla/results/table.hpp"

namespace koppla::test {

/// What became of a command.
struct CommandResult {
  int exitCode = -1;
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
};

/// Runs the built command with these arguments.
CommandResult command(const std::vector<std::string>& arguments);

/// What became of an example.
struct ExampleRun {
  CommandResult command;
  nlohmann::json statistics;
  results::Table table;
  results::Table history;  ///< of the iterations; empty where there is none

  /// All values of a variable.
  [[nodiscard]] const std::vector<double>& of(const std::string& name) const;
  /// Its value in the row nearest to t.
  [[nodiscard]] double at(const std::string& name, double t) const;
  /// Evaluations of the first cycle.
  [[nodiscard]] int evaluations() const;
  /// Numbers or words of a column of the history.
  [[nodiscard]] const std::vector<double>& iterated(const std::string& column) const;
  [[nodiscard]] const std::vector<std::string>& words(const std::string& column) const;
  /// doStep calls of all subsystems in the order of the project, such as "100/130/130".
  [[nodiscard]] std::string stepCalls() const;
};

/// Runs examples/<project>.toml into a temporary folder, with further arguments of `koppla run`. The projects name FMUs
/// in build/fmus; here those of the present build are used instead.
ExampleRun runExample(const std::string& project, const std::vector<std::string>& arguments = {});

/// `koppla check` of an example, with the FMUs of the present build, and with stand-ins for solvers that are missing.
CommandResult checkExample(const std::string& project);

/// What became of a study.
struct ExampleStudy {
  CommandResult command;
  std::string rows;  ///< study.csv
  std::string fits;  ///< fits.csv

  /// The slopes over the step in fits.csv, in the order of its rows.
  [[nodiscard]] std::vector<double> slopes() const;
  /// How often the text occurs in study.csv.
  [[nodiscard]] std::size_t rowsWith(const std::string& text) const;
  /// The number in study.csv behind the row's start, such as "\"jacobi\",0.001,\"ok\",".
  [[nodiscard]] double errorOf(const std::string& start) const;
};

/// Does the study examples/<study>.toml in a temporary folder, with the FMUs of the present build.
ExampleStudy runStudy(const std::string& study);

/// What became of an analysis of stability.
struct ExampleAnalysis {
  CommandResult command;
  std::string rows;  ///< stability.csv
  std::string picture;
};

/// Does the analysis examples/<file>.toml, of native models, which run where they are; with further arguments.
ExampleAnalysis analyseStability(const std::string& file, const std::vector<std::string>& arguments = {});

/// All project files, as runExample() takes them: "math003/jacobi".
std::vector<std::string> exampleProjects();
/// All files of studies and analyses of stability: "convergence/oscillator".
std::vector<std::string> exampleStudies();

/// Whether a program is found in PATH; a test that needs one which is not there is skipped.
bool isInstalled(const std::string& program);

std::filesystem::path examplesFolder();

}  // namespace koppla::test
