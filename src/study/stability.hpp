#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/core/log.hpp"
#include "koppla/project/project.hpp"
#include "koppla/run/recursion.hpp"
#include "koppla/study/grid.hpp"

namespace koppla::study {

/// What is sought for every combination of varied settings.
enum class StabilityQuestion : std::uint8_t {
  criticalStep,    ///< the smallest unstable macro step
  spectralRadius,  ///< that of the recursion at the project's step
};

/// Which steps of a coupled project are stable, as plain data. Relative paths have been resolved against the folder of
/// the file.
struct StabilityAnalysis {
  std::filesystem::path file;
  std::filesystem::path project;
  std::string projectText;             ///< as it was when the file was read
  std::vector<project::Override> set;  ///< for all combinations, those of the command line last
  Grid grid{{}};
  StabilityQuestion find = StabilityQuestion::criticalStep;
  run::StepRange range{1e-6, 1.0};  ///< for the critical step
  run::RecursionSettings recursion;

  /// The folder beside the file that results go to unless the user wants another.
  [[nodiscard]] std::filesystem::path folder() const {
    return file.parent_path() / (file.stem().string() + ".stability");
  }
};

/// Reads a stability file; throws core::InputError with every mistake in it. The project is not looked at.
StabilityAnalysis parseStability(std::string_view text, const std::filesystem::path& file);

/// Reads a stability file and the project that it names, and checks all combinations as far as that is possible
/// without opening an FMU. Throws core::InputError with every mistake; warnings go to the log.
StabilityAnalysis readStability(const std::filesystem::path& file, core::Log& log,
                                std::span<const project::Override> set = {});

enum class StabilityStatus : std::uint8_t {
  stable,     ///< by RecursionSettings::isStable; no unstable step in the range
  unstable,   ///< not stable; already at the shortest step of the range
  limit,      ///< the critical step was found
  undecided,  ///< probes do not tell
  failed,     ///< there is no recursion
};

std::string_view word(StabilityStatus status);

/// What was found for one combination. Numbers that it does not have are NaN.
struct StabilityRow {
  StabilityStatus status = StabilityStatus::failed;
  double step = std::numeric_limits<double>::quiet_NaN();            ///< s, to which the spectral radius belongs
  double spectralRadius = std::numeric_limits<double>::quiet_NaN();  ///< per macro step
  double criticalStep = std::numeric_limits<double>::quiet_NaN();    ///< s
  bool byProbes = false;                                             ///< not from a matrix
  double uncertainty = std::numeric_limits<double>::quiet_NaN();     ///< of a spectral radius by probes
  std::string message;                                               ///< why it failed; empty if it did not

  /// Powers of ten that a disturbance grows by in one second: log10(rho) / H.
  [[nodiscard]] double decadesPerSecond() const;
};

/// The answer for one coupled system. Throws core::InputError where it has no recursion.
StabilityRow judge(const StabilityAnalysis& analysis, coupling::System system, const run::Settings& settings);

struct StabilityOptions {
  unsigned jobs = 1;                                         ///< combinations at once
  std::function<bool()> interrupted = [] { return false; };  ///< whether to end early
  std::function<void(std::size_t done, std::size_t all)> progress = [](std::size_t, std::size_t) {};
};

/// Answers the question for every combination, each in a process of its own. One row per point of the grid; empty if
/// interrupted. The calling process must have no other threads.
std::vector<StabilityRow> analyse(const StabilityAnalysis& analysis, const StabilityOptions& options);

/// "matrix", "probes"; empty where there is no recursion.
std::string_view methodOf(const StabilityRow& row);
/// One line per combination in the order of the grid: varied values, status, numbers, message.
std::string stabilityCsv(const StabilityAnalysis& analysis, std::span<const StabilityRow> rows);
/// For people: a table with the last varied setting across, a list where that is too wide, the counts where both are
/// too long.
std::string stabilityText(const StabilityAnalysis& analysis, std::span<const StabilityRow> rows);

}  // namespace koppla::study
