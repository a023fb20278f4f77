#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "koppla/core/file.hpp"
#include "koppla/core/interruption.hpp"
#include "koppla/report/plot_loglog.hpp"
#include "koppla/study/calibration.hpp"
#include "koppla/study/conduct.hpp"
#include "koppla/study/tables.hpp"
#include "koppla/version.hpp"

#include "commands.hpp"
#include "console.hpp"
#include "interrupt.hpp"
#include "progress.hpp"

namespace koppla::cli {

namespace {

report::LogLogCurve curveOf(const study::Study& study, const study::Conducted& conducted, const study::Fit& fit) {
  report::LogLogCurve curve;
  curve.name = fit.slope.points < 2 ? fit.series.label
                                    : fmt::format("{}{}slope {:.2f}", fit.series.label,
                                                  fit.series.label.empty() ? "" : ": ", fit.slope.slope);
  for (const std::size_t point : fit.series.points) {
    const study::Row& row = conducted.rows[point];
    const bool limited = row.status == study::Status::limitedByReference;
    const bool drawn = limited || row.status == study::Status::ok;
    curve.points.push_back(
        {study.grid.value(point, study.fit->axis).number.value_or(0.0), drawn ? row.error : 0.0, limited});
  }
  return curve;
}

void writePlot(const study::Study& study, const study::Conducted& conducted) {
  report::LogLogPlot plot;
  plot.title = study.file.stem().string();
  plot.xLabel = study.grid.axes()[study.fit->axis].name();
  if (plot.xLabel == "simulation.step") plot.xLabel += " / s";
  plot.yLabel = study::word(study.errors.measure);
  for (const study::Fit& fit : conducted.fits) plot.curves.push_back(curveOf(study, conducted, fit));
  core::writeWhole(conducted.folder / "study.svg", report::plotLogLog(plot));
}

}  // namespace

ExitCode studyCommand(const StudyOptions& options) {
  if (study::isCalibration(core::readWhole(options.study), options.study)) return calibrationCommand(options);
  core::Log log;
  showWarnings(log);
  std::vector<project::Override> set;
  for (const std::string& text : options.set) set.push_back(project::parseOverride(text));
  const InterruptGuard guard;
  const study::Study study = study::read(options.study, log, set);
  study::Options how;
  how.jobs = options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  how.folder = options.folder;
  how.restart = options.restart;
  how.version = kVersion;
  how.interrupted = core::interruptionRequested;
  if (!options.quiet) how.progress = [](std::size_t done, std::size_t all) { showCount(done, all, "runs"); };
  const study::Conducted conducted = study::conduct(study, how, log);
  if (!conducted.complete()) {
    complain(fmt::format("Interrupted: {} of {} runs are done and kept. The same command continues.\n", conducted.done,
                         study.grid.size()));
    return ExitCode::interrupted;
  }
  if (study.fit) writePlot(study, conducted);
  if (options.quiet) return ExitCode::ok;
  print(study::studyText(study, conducted.rows, conducted.fits));
  if (conducted.takenOver > 0)
    print(fmt::format("{} of {} runs were done before\n", conducted.takenOver, study.grid.size()));
  print(fmt::format("\nresults in {}\n", conducted.folder.string()));
  return ExitCode::ok;
}

}  // namespace koppla::cli
