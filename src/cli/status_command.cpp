#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "koppla/core/moment.hpp"
#include "koppla/report/duration.hpp"

#include "commands.hpp"
#include "console.hpp"
#include "project_copy.hpp"
#include "run_state.hpp"

namespace koppla::cli {

namespace {

using Json = nlohmann::ordered_json;

/// s; 0 for what is no moment.
double secondsSince(const std::string& moment) {
  const auto when = core::parseMoment(moment);
  return when ? std::chrono::duration<double>(std::chrono::system_clock::now() - *when).count() : 0.0;
}

/// How many repetitions are done of a run that is being certified; nothing where none is.
std::optional<nlohmann::json> certifyingOf(const RunState& state) {
  if (!state.isRunning || !state.progress) return std::nullopt;
  const auto certifying = state.progress->find("certifying");
  if (certifying == state.progress->end() || !certifying->is_object()) return std::nullopt;
  return *certifying;
}

bool hasEnded(const RunState& state) {
  return state.statistics && (!state.isRunning || certifyingOf(state));
}

std::string stateOf(const RunState& state) {
  if (certifyingOf(state)) return "certifying";
  if (state.isRunning) return "running";
  if (state.statistics) return textOf(*state.statistics, "outcome");
  return "killed";
}

/// What the run is in for long; nothing where it gets on.
std::optional<nlohmann::json> callOf(const nlohmann::json& progress) {
  const auto call = progress.find("call");
  if (call == progress.end() || !call->is_object()) return std::nullopt;
  return *call;
}

Json document(const RunState& state, const ProjectCopy& copy) {
  Json result{{"state", stateOf(state)}, {"project", copy.origin.string()}};
  if (hasEnded(state)) {
    for (const char* key : {"message", "start", "end", "reached", "wall_clock", "accepted_steps"})
      result[key] = state.statistics->value(key, Json());
    if (const auto certifying = certifyingOf(state)) result["certifying"] = *certifying;
  } else if (state.progress) {
    for (const char* key :
         {"process", "started", "updated", "start", "end", "time", "step", "accepted_steps", "iteration", "residual"})
      result[key] = state.progress->value(key, Json());
    if (const auto call = callOf(*state.progress)) result["call"] = *call;
  }
  result["programs"] = Json::array();
  for (const program::CallSummary& summary : state.programs) {
    Json entry{{"name", summary.program},    {"calls", summary.calls},
               {"failed", summary.failed},   {"seconds", summary.seconds},
               {"longest", summary.longest}, {"processor_time", summary.processorSeconds}};
    if (summary.underWay)
      entry["under_way"] = {
          {"step", summary.underWay->step}, {"call", summary.underWay->iteration}, {"began", summary.underWay->began}};
    result["programs"].push_back(std::move(entry));
  }
  return result;
}

/// Since when, and which process is at it.
std::string workerText(const nlohmann::json& progress) {
  const std::string started = textOf(progress, "started");
  return fmt::format("started {}, {} ago, process {}", started, report::duration(secondsSince(started)),
                     numberOf(progress, "process"));
}

std::string certifyingText(const nlohmann::json& progress, const nlohmann::json& certifying) {
  return fmt::format("  the run is complete; {} of {} repetitions with shorter steps are done\n  {}\n",
                     numberOf(certifying, "done"), numberOf(certifying, "repetitions"), workerText(progress));
}

std::string progressText(const nlohmann::json& progress, bool isRunning) {
  std::string text = fmt::format("  t = {:.6g} s of {:.6g} s, {} steps", numberOf(progress, "time"),
                                 numberOf(progress, "end"), numberOf(progress, "accepted_steps"));
  if (const double iteration = numberOf(progress, "iteration"); iteration > 0.0)
    text += fmt::format("; in the next one iteration {}, residual {:.3g} (converged at 1)", iteration,
                        numberOf(progress, "residual"));
  if (const auto call = callOf(progress))
    text += fmt::format("\n  {} in {} of {} since {}", isRunning ? "is" : "was", textOf(*call, "function"),
                        textOf(*call, "subsystem"), textOf(*call, "since"));
  return text + (isRunning ? fmt::format("\n  {}\n", workerText(progress))
                           : fmt::format("\n  started {}, last seen {}\n", textOf(progress, "started"),
                                         textOf(progress, "updated")));
}

std::string endText(const nlohmann::json& statistics) {
  std::string text = fmt::format("  t = {:.6g} s of {:.6g} s, {} steps in {}\n", numberOf(statistics, "reached"),
                                 numberOf(statistics, "end"), numberOf(statistics, "accepted_steps"),
                                 report::duration(numberOf(statistics, "wall_clock")));
  if (const std::string message = textOf(statistics, "message"); !message.empty()) text += "  " + message + "\n";
  return text;
}

std::string programsText(const RunState& state) {
  if (state.programs.empty()) return {};
  std::string text = fmt::format("\n{:<20} {:>8} {:>8} {:>12} {:>12} {:>14}  {}\n", "program", "calls", "failed",
                                 "mean", "longest", "processor time", state.isRunning ? "under way" : "");
  for (const program::CallSummary& summary : state.programs) {
    const double mean = summary.calls > 0 ? summary.seconds / static_cast<double>(summary.calls) : 0.0;
    std::string now;
    if (summary.underWay)
      now = fmt::format("{}step {}, call {}{}", state.isRunning ? "" : "was in ", summary.underWay->step,
                        summary.underWay->iteration,
                        state.isRunning ? ", for " + report::duration(secondsSince(summary.underWay->began)) : "");
    text += fmt::format("{:<20} {:>8} {:>8} {:>12} {:>12} {:>14}  {}\n", summary.program, summary.calls, summary.failed,
                        report::duration(mean), report::duration(summary.longest),
                        report::duration(summary.processorSeconds), now);
  }
  return text;
}

}  // namespace

ExitCode statusCommand(const StatusOptions& options) {
  const RunState state = readRunState(options.folder);
  const ProjectCopy copy = readProjectCopy(options.folder / "project.toml");
  if (options.json) {
    print(document(state, copy).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    return ExitCode::ok;
  }
  std::string text =
      fmt::format("{}: {}\n  project {}\n", options.folder.string(), stateOf(state), copy.origin.string());
  if (hasEnded(state))
    text += endText(*state.statistics);
  else if (state.progress)
    text += progressText(*state.progress, state.isRunning);
  if (const auto certifying = certifyingOf(state)) text += certifyingText(*state.progress, *certifying);
  text += programsText(state);
  if (!state.isRunning && !state.isCompleted())
    text += fmt::format("\nGo on with: koppla resume {}\n", options.folder.string());
  print(text);
  return ExitCode::ok;
}

}  // namespace koppla::cli
