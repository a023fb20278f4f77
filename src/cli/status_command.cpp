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

std::string stateOf(const RunState& state) {
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
  const bool ended = !state.isRunning && state.statistics;
  if (ended) {
    for (const char* key : {"message", "start", "end", "reached", "wall_clock", "accepted_steps"})
      result[key] = state.statistics->value(key, Json());
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

std::string progressText(const nlohmann::json& progress, bool isRunning) {
  std::string text = fmt::format("  t = {:.6g} s of {:.6g} s, {} steps", numberOf(progress, "time"),
                                 numberOf(progress, "end"), numberOf(progress, "accepted_steps"));
  if (const double iteration = numberOf(progress, "iteration"); iteration > 0.0)
    text += fmt::format("; in the next one iteration {}, residual {:.3g} (converged at 1)", iteration,
                        numberOf(progress, "residual"));
  if (const auto call = callOf(progress))
    text += fmt::format("\n  {} in {} of {} since {}", isRunning ? "is" : "was", textOf(*call, "function"),
                        textOf(*call, "subsystem"), textOf(*call, "since"));
  const std::string started = textOf(progress, "started");
  text += fmt::format("\n  started {}", started);
  if (isRunning)
    text += fmt::format(", {} ago, process {}", report::duration(secondsSince(started)), numberOf(progress, "process"));
  else
    text += fmt::format(", last seen {}", textOf(progress, "updated"));
  return text + "\n";
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
  if (!state.isRunning && state.statistics)
    text += endText(*state.statistics);
  else if (state.progress)
    text += progressText(*state.progress, state.isRunning);
  text += programsText(state);
  if (!state.isRunning && !state.isCompleted())
    text += fmt::format("\nGo on with: koppla resume {}\n", options.folder.string());
  print(text);
  return ExitCode::ok;
}

}  // namespace koppla::cli
