#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "koppla/core/log.hpp"
#include "koppla/project/project.hpp"
#include "koppla/study/grid.hpp"
#include "koppla/study/reference.hpp"

/// Many runs of one project with varied settings, and how their errors depend on these.
namespace koppla::study {

enum class Measure : std::uint8_t {
  nrmse,     ///< (2.33), (2.34) of Schmoll
  wrmse,     ///< (2.35), (2.36) with the factor 1/sqrt(N)
  wrmseSum,  ///< (2.35), (2.36) as printed
};

std::string_view word(Measure measure);

/// What the errors of a step are the difference to (Schmoll, sec. 2.5.2).
enum class ErrorReference : std::uint8_t {
  global,  ///< one solution from the start
  local,   ///< the exact solution through the states computed at the last communication point
};

struct ErrorSettings {
  std::vector<project::Placed<std::string>> variables;  ///< patterns of "subsystem.port"
  Measure measure = Measure::nrmse;
  ErrorReference reference = ErrorReference::global;
  unsigned skip = 0;                                       ///< macro steps at the beginning that do not count
  double from = -std::numeric_limits<double>::infinity();  ///< s; times before it do not count
  double to = std::numeric_limits<double>::infinity();     ///< s; times after it do not count
  double unstableAbove = 10.0;                             ///< a run with a larger error is unstable
};

enum class ReferenceKind : std::uint8_t { run, file, exact };

struct ReferenceSettings {
  core::Place place;
  ReferenceKind kind = ReferenceKind::run;
  std::vector<project::Override> set;       ///< what makes the run sharp
  std::vector<project::Override> checkSet;  ///< after `set`: what makes the second run coarser; empty: no check
  std::vector<project::Placed<std::string>> follows;  ///< varied settings that the reference takes over
  project::Placed<std::filesystem::path> file;
  BetweenRows betweenRows = BetweenRows::cubic;
};

struct FitSettings {
  std::size_t axis = 0;
  double from = 0.0;  ///< the smallest value of the setting that counts
  double to = std::numeric_limits<double>::infinity();
};

/// A study as plain data. Relative paths have been resolved against the folder of the study file.
struct Study {
  std::filesystem::path file;
  std::filesystem::path project;
  std::string text;                    ///< of the study file
  std::string projectText;             ///< as it was when the study was read: all runs are of the same project
  std::vector<project::Override> set;  ///< for all runs, those of the command line last
  Grid grid{{}};
  ReferenceSettings reference;
  ErrorSettings errors;
  std::optional<FitSettings> fit;

  /// The folder beside the study file that results go to unless the user wants another.
  [[nodiscard]] std::filesystem::path folder() const { return file.parent_path() / (file.stem().string() + ".study"); }
};

/// Reads a study file and the project that it names, and checks all combinations as far as that is possible without
/// opening an FMU. Throws core::InputError with every mistake; warnings go to the log.
Study read(const std::filesystem::path& file, core::Log& log, std::span<const project::Override> set = {});

/// The project of a study with further settings, recording the variables of the errors at every communication point.
/// Throws core::InputError where the settings make no project.
project::Project planOf(const Study& study, std::span<const project::Override> settings);

/// The axes that the reference follows, as a grid of their own: one reference for each of its points.
Grid followedGrid(const Study& study);

/// The settings of all reference runs: for each point of followedGrid() the reference and, if there is a check, its
/// second run.
std::vector<std::vector<project::Override>> referenceSettings(const Study& study);

}  // namespace koppla::study
