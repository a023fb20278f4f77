#include "koppla/report/statistics_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "koppla/report/duration.hpp"

namespace koppla::report {

namespace {

std::string row(std::string_view what, const std::string& time, const std::string& count) {
  return fmt::format("  {:<28} {:>12} {:>12}\n", what, time, count);
}

std::string row(std::string_view what, const run::Calls& calls) {
  return row(what, duration(calls.seconds), std::to_string(calls.count));
}

/// Large systems are summarised: the subsystems that took most of the time are those worth reading about.
std::vector<const run::MemberStatistics*> shownMembers(const run::Statistics& statistics, std::size_t most) {
  std::vector<const run::MemberStatistics*> members;
  for (const run::MemberStatistics& member : statistics.members) members.push_back(&member);
  if (members.size() <= most) return members;
  std::ranges::stable_sort(members, std::greater<>{}, [](const auto* m) { return m->step.seconds; });
  members.resize(most);
  return members;
}

std::string memberTable(const run::Statistics& statistics) {
  constexpr std::size_t kShown = 30;
  const auto members = shownMembers(statistics, kShown);
  std::size_t width = 10;
  for (const auto* member : members) width = std::max(width, member->name.size());
  std::string text = fmt::format("  {:<{}} {:>24} {:>24} {:>24}\n", "subsystem", width, "step", "save", "restore");
  const auto cell = [](const run::Calls& calls) {
    return fmt::format("{:>12} {:>11}", calls.count == 0 ? "-" : duration(calls.seconds), calls.count);
  };
  for (const auto* member : members)
    text += fmt::format("  {:<{}} {:>24} {:>24} {:>24}\n", member->name, width, cell(member->step), cell(member->save),
                        cell(member->restore));
  if (members.size() < statistics.members.size())
    text +=
        fmt::format("  ... and {} more, all of them in statistics.json\n", statistics.members.size() - members.size());
  return text;
}

std::string cycleTable(const run::Statistics& statistics) {
  std::string text;
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < std::min(kShown, statistics.cycles.size()); ++i) {
    const run::CycleStatistics& cycle = statistics.cycles[i];
    constexpr std::size_t kNames = 6;
    std::string names;
    for (std::size_t k = 0; k < std::min(kNames, cycle.members.size()); ++k)
      names += (k == 0 ? "" : ", ") + cycle.members[k];
    if (cycle.members.size() > kNames) names += fmt::format(", ... ({} in all)", cycle.members.size());
    const double perStep = static_cast<double>(cycle.evaluations) /
                           static_cast<double>(std::max<std::uint64_t>(1, statistics.acceptedSteps));
    text += fmt::format("  cycle {}: {} evaluations ({:.2f} per accepted step), {} Jacobians, {} failures\n", names,
                        cycle.evaluations, perStep, cycle.jacobians, cycle.convergenceFailures);
    if (cycle.longestChain > 0)
      text += fmt::format("    steps of one subsystem that wait for each other in a macro step: {} at most\n",
                          cycle.longestChain);
    if (cycle.poorlyCorrected > 0)
      text += fmt::format("    {} in which one correction left more than a tenth of itself over\n",
                          cycle.poorlyCorrected == 1 ? "1 step" : fmt::format("{} steps", cycle.poorlyCorrected));
    if (cycle.suspicious > 0)
      text += fmt::format("    {} where the answers move away from what is sent: maybe not what you meant\n",
                          cycle.suspicious == 1 ? "1 solution" : fmt::format("{} solutions", cycle.suspicious));
  }
  if (statistics.cycles.size() > kShown)
    text += fmt::format("  ... and {} more cycles\n", statistics.cycles.size() - kShown);
  return text;
}

/// How far rigid joints were open at the ends of steps.
std::string jointTable(const run::Statistics& statistics) {
  if (statistics.joints.empty()) return {};
  constexpr std::size_t kShown = 20;
  std::string text = fmt::format("\n  {:24} {:>16} {:>16}\n", "joint, largest defect", "of position", "of velocity");
  for (std::size_t i = 0; i < std::min(kShown, statistics.joints.size()); ++i) {
    const run::JointStatistics& joint = statistics.joints[i];
    text += fmt::format("  {:24} {:>16.2e} {:>16.2e}\n", joint.name, joint.positionDefect, joint.velocityDefect);
  }
  if (statistics.joints.size() > kShown) text += fmt::format("  ... and {} more\n", statistics.joints.size() - kShown);
  return text;
}

/// Only where subsystems tell what their solvers do.
std::string effortTable(const run::Statistics& statistics) {
  constexpr std::size_t kShown = 30;
  std::size_t width = 10;
  std::vector<const run::MemberStatistics*> members = shownMembers(statistics, kShown);
  std::erase_if(members, [](const run::MemberStatistics* m) { return m->effort.microSteps == 0; });
  if (members.empty()) return {};
  for (const auto* member : members) width = std::max(width, member->name.size());
  const bool statics =
      std::ranges::any_of(members, [](const run::MemberStatistics* m) { return m->effort.staticCalls > 0; });
  std::string text = fmt::format("\n  {:<{}} {:>12} {:>10} {:>17} {:>10} {:>12}{}\n", "solver of", width, "micro steps",
                                 "rejected", "right-hand sides", "Jacobians", "corrections",
                                 statics ? fmt::format(" {:>13}", "static calls") : "");
  for (const auto* member : members) {
    const subsystem::Effort& effort = member->effort;
    text += fmt::format("  {:<{}} {:>12} {:>10} {:>17} {:>10} {:>12}{}\n", member->name, width, effort.microSteps,
                        effort.rejectedMicroSteps, effort.rightHandSides, effort.jacobians, effort.correctorIterations,
                        statics ? fmt::format(" {:>13}", effort.staticCalls) : "");
  }
  return text;
}

/// The connections whose approximation costs most, and which of them limits the step.
std::string connectionTable(const run::Statistics& statistics) {
  constexpr std::size_t kShown = 8;
  const std::size_t shown = std::min(kShown, statistics.connections.size());
  if (shown == 0) return {};
  constexpr std::string_view kTitle = "estimated coupling error";
  std::vector<std::string> names;
  std::size_t width = kTitle.size();
  for (std::size_t i = 0; i < shown; ++i) {
    names.push_back(statistics.connections[i].from + " -> " + statistics.connections[i].to);
    width = std::max(width, names.back().size());
  }
  std::string text =
      fmt::format("\n  {:<{}} {:>12} {:>12} {:>12} {:>12}\n", kTitle, width, "of range", "rms", "largest", "at");
  for (std::size_t i = 0; i < shown; ++i) {
    const run::ConnectionStatistics& c = statistics.connections[i];
    const std::string ofRange = c.constant ? fmt::format("is {:.4g}", c.value) : fmt::format("{:.2e}", c.relative);
    text += fmt::format("  {:<{}} {:>12} {:>12.2e} {:>12.2e} {:>10.4g} s\n", names[i], width, ofRange, c.rms, c.largest,
                        c.whenLargest);
  }
  if (shown < statistics.connections.size())
    text += fmt::format("  ... and {} more, all of them in statistics.json\n", statistics.connections.size() - shown);
  if (statistics.connections.front().relative > 0.0)
    text += fmt::format("  {} limits the step: per macro step its input is off by {:.2g} of its range.\n",
                        names.front(), statistics.connections.front().relative);
  if (std::ranges::any_of(statistics.connections, &run::ConnectionStatistics::constant))
    text += "  'is': constant but for rounding, at that value (of a vector, its first).\n";
  return text;
}

/// The energy that coupling creates where connections carry a power.
std::string bondTable(const run::Statistics& statistics) {
  constexpr std::size_t kShown = 8;
  const std::size_t shown = std::min(kShown, statistics.bonds.size());
  if (shown == 0) return {};
  constexpr std::string_view kTitle = "energy by coupling, power of";
  std::vector<std::string> names;
  std::size_t width = kTitle.size();
  for (std::size_t i = 0; i < shown; ++i) {
    names.push_back(statistics.bonds[i].effort + ", " + statistics.bonds[i].flow);
    width = std::max(width, names.back().size());
  }
  std::string text = fmt::format("\n  {:<{}} {:>14} {:>14}\n", kTitle, width, "created", "exchanged");
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("  {:<{}} {:>12.2e} J {:>12.2e} J\n", names[i], width, statistics.bonds[i].created,
                        statistics.bonds[i].exchanged);
  if (shown < statistics.bonds.size())
    text += fmt::format("  ... and {} more, all of them in statistics.json\n", statistics.bonds.size() - shown);
  return text;
}

}  // namespace

std::string statisticsText(const run::Statistics& s) {
  std::string text = row("", "time", "count");
  text += row("wall clock", duration(s.wallClock), "");
  text += row("processor time", duration(s.cpu), "");
  text += row("initialisation", duration(s.initialisation), "");
  text += row("accepted steps", "", std::to_string(s.acceptedSteps));
  text += row("master algorithm", s.algorithm);
  text += row("convergence failures", "", std::to_string(s.convergenceFailures));
  text += row("error tests", s.errorTest);
  text += row("error test failures", "", std::to_string(s.errorTestFailures));
  if (s.growthChecks.count > 0) text += row("checks of growth", s.growthChecks);
  if (s.repeatedSteps > 0) text += row("repeated steps", "", std::to_string(s.repeatedSteps));
  if (s.discardedSteps > 0) text += row("discarded steps", "", std::to_string(s.discardedSteps));
  text += row("writing results (rows)", s.output);
  const std::string smallest =
      fmt::format("{:.6g}", s.smallestStep);  // steps that differ by rounding only look the same
  const std::string largest = fmt::format("{:.6g}", s.largestStep);
  if (smallest != largest) text += fmt::format("  {:<28} from {} s to {} s\n", "step lengths", smallest, largest);
  return text + "\n" + memberTable(s) + cycleTable(s) + jointTable(s) + effortTable(s) + connectionTable(s) +
         bondTable(s);
}

}  // namespace koppla::report
