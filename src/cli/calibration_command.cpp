#include <algorithm>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/interruption.hpp"
#include "koppla/report/box_plot.hpp"
#include "koppla/study/calibration.hpp"

#include "commands.hpp"
#include "console.hpp"
#include "interrupt.hpp"
#include "progress.hpp"

namespace koppla::cli {

namespace {

using study::Calibration;
using study::CalibrationResult;

std::string boxesOf(const Calibration& calibration, const CalibrationResult& result) {
  constexpr std::size_t kMostBoxes = 10;  // of the best sets, which differ little
  report::BoxPlot plot;
  plot.title = calibration.file.stem().string();
  plot.label = fmt::format("iterations / iterations unrelaxed, over {} models", calibration.models.size());
  const auto add = [&plot](const study::CalibratedSet& set, const std::string& name) {
    const study::BoxStatistics& s = set.statistics;
    plot.boxes.push_back({name, s.least, s.lowerQuartile, s.median, s.upperQuartile, s.most, s.mean});
  };
  for (std::size_t i = 0; i < std::min(kMostBoxes, result.best.size()); ++i)
    add(result.best[i], "rank " + result.best[i].name);
  for (const study::CalibratedSet& set : result.named) add(set, set.name);
  return report::plotBoxes(plot);
}

void writeCalibration(const std::filesystem::path& folder, const Calibration& calibration,
                      const CalibrationResult& result) {
  std::filesystem::create_directories(folder);
  core::writeWhole(folder / "models.csv", study::modelsCsv(calibration, result));
  core::writeWhole(folder / "ranking.csv", study::setsCsv(calibration, result.best));
  core::writeWhole(folder / "sets.csv", study::setsCsv(calibration, result.named));
  core::writeWhole(folder / "calibration.svg", boxesOf(calibration, result));
  std::filesystem::remove(folder / "field.csv");  // of an earlier call
  if (calibration.field != study::WrittenField::none)
    core::writeWhole(folder / "field.csv", study::fieldCsv(calibration, result));
}

}  // namespace

ExitCode calibrationCommand(const StudyOptions& options) {
  if (!options.set.empty())
    throw core::InputError("A calibration runs no project, so there is nothing that '--set' could change.",
                           "Change the study file.");
  const InterruptGuard guard;
  const Calibration calibration = study::parseCalibration(core::readWhole(options.study), options.study);
  study::CalibrationOptions how;
  how.jobs = options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  how.interrupted = core::interruptionRequested;
  if (!options.quiet) how.progress = [](std::size_t done, std::size_t all) { showCount(done, all, "loops"); };
  const std::optional<CalibrationResult> result = study::calibrate(calibration, how);
  if (!result) {
    complain("Interrupted: nothing is written.\n");
    return ExitCode::interrupted;
  }
  const std::filesystem::path folder = options.folder.empty() ? calibration.folder() : options.folder;
  writeCalibration(folder, calibration, *result);
  if (options.quiet) return ExitCode::ok;
  print(study::calibrationText(calibration, *result) + fmt::format("\nresults in {}\n", folder.string()));
  return ExitCode::ok;
}

}  // namespace koppla::cli
