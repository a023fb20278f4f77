#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/coupling/acceleration.hpp"
#include "koppla/study/box_statistics.hpp"
#include "koppla/study/calibration_model.hpp"

namespace koppla::study {

/// Which smoothed fields are written.
enum class WrittenField : std::uint8_t { none, objective, models };

/// A varied parameter of adaptive relaxation.
struct CalibrationAxis {
  std::string name;  ///< as in [acceleration]
  double coupling::AdaptiveParameters::*parameter;
  std::vector<double> values;
};

/// A study of the parameters of adaptive relaxation (Jung 2013, ch. 5) as plain data.
struct Calibration {
  std::filesystem::path file;
  coupling::AdaptiveParameters common{};  ///< what is not varied: algorithm, first factor, margin
  LoopIteration iteration{};              ///< its relaxation is not looked at
  std::vector<CalibrationModel> models;
  std::vector<CalibrationAxis> axes;        ///< the last one varies fastest
  unsigned passes = 2;                      ///< of the filter
  unsigned best = 20;                       ///< how many sets are told
  std::vector<coupling::AdaptiveSet> sets;  ///< calibrated ones to compare with
  WrittenField field = WrittenField::none;

  [[nodiscard]] std::filesystem::path folder() const { return file.parent_path() / (file.stem().string() + ".study"); }
  [[nodiscard]] std::vector<std::size_t> sizes() const;
  [[nodiscard]] std::size_t size() const;  ///< sets of parameters
  [[nodiscard]] coupling::AdaptiveParameters parametersAt(std::size_t point) const;
  /// The varied parameters that have their first or last value there, so that the optimum may lie beyond; two values
  /// have nothing between them.
  [[nodiscard]] std::vector<std::string> bordersAt(std::size_t point) const;
  [[nodiscard]] LoopIteration iterationWith(const coupling::AdaptiveParameters& parameters) const;
};

/// The grid of Jung, table 5.4, with the points per range that his table 5.5 shows: 17 x 9 x 9 x 10 x 10 x 6. The
/// linear algorithm has no slope.
std::vector<CalibrationAxis> jungAxes(coupling::Steering algorithm);

/// "L", "NL", "L/NL".
std::string_view word(coupling::Steering algorithm);

/// Whether the file is such a study: it says kind = "calibration" in [study].
bool isCalibration(std::string_view text, const std::filesystem::path& file);
/// Reads a study file; throws core::InputError with every mistake in it.
Calibration parseCalibration(std::string_view text, const std::filesystem::path& file);

/// What one set of parameters does on the models.
struct CalibratedSet {
  std::string name;
  coupling::AdaptiveParameters parameters;
  double objective = std::numeric_limits<double>::quiet_NaN();  ///< eta_global, Jung (5.10); NaN: not on the grid
  std::vector<unsigned> iterations;                             ///< of each model
  std::vector<double> eta;           ///< iterations over unrelaxed ones, Jung (5.1), not smoothed
  BoxStatistics statistics;          ///< of eta
  std::size_t worse = 0;             ///< models with eta > 1
  std::vector<std::string> borders;  ///< as bordersAt(); empty for sets that are not on the grid
};

struct CalibrationResult {
  std::vector<unsigned> unrelaxed;            ///< iterations of each model
  std::vector<std::string> unsolved;          ///< models on which no set of the grid converges
  std::vector<double> objective;              ///< eta_global of each set of the grid
  std::vector<std::vector<double>> smoothed;  ///< of each model, where they are to be written
  std::vector<CalibratedSet> best;            ///< by rank
  std::optional<CalibratedSet> inside;        ///< the best one that is on no border; its name is its rank
  std::vector<CalibratedSet> named;
};

struct CalibrationOptions {
  unsigned jobs = 1;                                         ///< threads
  std::function<bool()> interrupted = [] { return false; };  ///< whether to end early; asked by all threads
  std::function<void(std::size_t done, std::size_t all)> progress = [](std::size_t, std::size_t) {};
};

/// One set of parameters on all models, whose unrelaxed iterations are known.
CalibratedSet measured(const Calibration& calibration, const coupling::AdaptiveParameters& parameters,
                       const std::vector<unsigned>& unrelaxed);
std::vector<unsigned> unrelaxedIterations(const Calibration& calibration);

/// Every set of the grid on every model; nothing if interrupted. The result does not depend on the number of threads.
std::optional<CalibrationResult> calibrate(const Calibration& calibration, const CalibrationOptions& options);

// Tables. Numbers read back to the same doubles.
std::string modelsCsv(const Calibration& calibration, const CalibrationResult& result);
std::string setsCsv(const Calibration& calibration, const std::vector<CalibratedSet>& sets);
std::string fieldCsv(const Calibration& calibration, const CalibrationResult& result);
/// For people: the best sets and the calibrated ones.
std::string calibrationText(const Calibration& calibration, const CalibrationResult& result);

}  // namespace koppla::study
