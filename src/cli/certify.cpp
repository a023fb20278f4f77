#include "certify.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/interruption.hpp"
#include "koppla/report/duration.hpp"
#include "koppla/results/load.hpp"
#include "koppla/study/certification.hpp"

#include "certifying_status.hpp"
#include "console.hpp"
#include "interrupt.hpp"

namespace koppla::cli {

namespace {

using Json = nlohmann::ordered_json;

bool callsPrograms(const project::Project& plan) {
  return std::ranges::any_of(plan.subsystems, [](const auto& entry) { return entry.program.has_value(); });
}

/// A sentence for the user; with the wall clock of the run (s) once that is known.
std::string costOf(const project::Project& plan, unsigned jobs, std::optional<double> seconds) {
  constexpr double kWork = 6.0;       // twice the steps, and four times
  constexpr double kLongest = 4.0;    // where both run at the same time
  constexpr double kOutOfTime = 3.0;  // of the third one, which not every run needs
  const double times = jobs > 1 ? kLongest : kWork;
  std::string text =
      fmt::format("certifying: {} further runs {}, about {:g} times the work of the run and {}", study::kRepetitions,
                  plan.settings.stepControl.estimatesError() ? "with tolerances for half and a quarter of its steps"
                                                             : "with half and a quarter of its step",
                  kWork, seconds ? report::duration(times * *seconds) : fmt::format("{:g} times its time", times));
  if (callsPrograms(plan)) text += fmt::format("; programs are called {:g} times as often again", kWork);
  return text + fmt::format("; {:g} times the work of the run on top, {:g} in all, where variables need a third",
                            kOutOfTime, kWork + kOutOfTime);
}

/// Nothing if interrupted.
std::optional<study::Certificate> repeated(const project::Project& plan, const RunFolder& folder,
                                           std::uint64_t acceptedSteps, unsigned jobs) {
  const InterruptGuard guard;
  const results::Table table = results::load(folder.path());
  const CertifyingStatus status(folder.status());
  return study::certify({plan, table, acceptedSteps, folder.repetitions()},
                        {.jobs = jobs,
                         .interrupted = core::interruptionRequested,
                         .progress = [&status](unsigned done, unsigned of) { status.show(done, of); }});
}

void tellLog(const std::string& text, core::Log& log) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) log.write(core::Severity::info, "certificate", line);
}

/// Whoever has no place for the folders of repetitions is told before a run of hours.
void requireTemporaryPlace() {
  const core::TemporaryFolder trial("study");
}

/// The one document of --json: the statistics of the run, as far as they could be written, and its certificate.
void printJson(const RunFolder& folder, const Json& certificate) {
  if (!std::filesystem::exists(folder.statistics())) return;
  Json statistics = Json::parse(core::readWhole(folder.statistics()));
  statistics["certificate"] = certificate;
  print(statistics.dump(2) + "\n");
}

/// Tells first and writes then: a full disk takes no more than the file.
ExitCode conclude(const study::Certificate& certificate, const RunFolder& folder, const Manner& manner,
                  core::Log& log) {
  const std::string json = study::certificateJson(certificate);
  const std::string text = study::certificateText(certificate);
  tellLog(text, log);
  if (manner.json)
    printJson(folder, Json::parse(json));
  else if (!manner.quiet)
    print(fmt::format("\n{}", text));
  core::writeWhole(folder.certificate(), json);
  return certificate.isWhole() ? ExitCode::ok : ExitCode::different;
}

}  // namespace

ExitCode conductCertified(const ProjectCopy& copy, const project::Project& plan, RunFolder& folder, Existing existing,
                          const Manner& manner, core::Log& log) {
  study::requireCertifiable(plan);
  requireTemporaryPlace();
  const unsigned jobs = std::max(1U, std::min(study::kRepetitions, std::thread::hardware_concurrency()));
  const auto tellCost = [&](std::optional<double> seconds) {
    if (!manner.quiet && !manner.json) complain(costOf(plan, jobs, seconds) + "\n");
  };
  tellCost({});
  const auto printWithoutCertificate = [&] {
    if (manner.json) printJson(folder, nullptr);
  };
  // Of JSON there is one document, at the end.
  const ExitCode code = conduct(copy, plan, folder, existing, {manner.quiet || manner.json, false}, log);
  if (code != ExitCode::ok) {
    printWithoutCertificate();
    return code;
  }
  const Json statistics = Json::parse(core::readWhole(folder.statistics()));
  tellCost(statistics.at("wall_clock").get<double>());
  std::optional<study::Certificate> certificate;
  try {
    certificate = repeated(plan, folder, statistics.at("accepted_steps").get<std::uint64_t>(), jobs);
  } catch (const core::FileError&) {
    printWithoutCertificate();
    throw;
  }
  if (certificate) return conclude(*certificate, folder, manner, log);
  complain(fmt::format("Interrupted: not certified. The run itself is complete: {}\n", folder.given().string()));
  printWithoutCertificate();
  return ExitCode::interrupted;
}

}  // namespace koppla::cli
