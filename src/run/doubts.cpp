#include "koppla/run/doubts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "koppla/coupling/free_motion.hpp"

namespace koppla::run {

namespace {

using coupling::AlgorithmKind;
using stepping::StepControlKind;

/// Times that a user wrote are equal if they differ by rounding only.
bool longer(double a, double b) {
  return a > b * (1.0 + 1e-9);
}

std::vector<std::string> aboutMacroStep(const coupling::Member& member, const Settings& settings) {
  const subsystem::Capabilities& capabilities = member.subsystem->describe().capabilities;
  std::vector<std::string> result;
  // Without steps of its own choice the subsystem cannot be steered either: it runs past communication points.
  const std::string consequence =
      capabilities.ownSteps ? "It is cut short in macro steps" : "It takes no step of its own in some macro steps";
  if (settings.algorithm.kind != AlgorithmKind::masterSlave && longer(capabilities.microStep, settings.step))
    result.push_back(
        fmt::format("The micro step of {}, {} s, is longer than the macro step, {} s. {} of that length; "
                    "shorten its micro_step or lengthen simulation.step.",
                    member.name, core::text(capabilities.microStep), core::text(settings.step), consequence));
  else if (settings.stepControl.kind == StepControlKind::predictorCorrector && settings.stepControl.minStep > 0.0 &&
           longer(capabilities.microStep, settings.stepControl.minStep))
    result.push_back(fmt::format(
        "The micro step of {}, {} s, is longer than step_control.min_step, {} s. {} as short as "
        "that; shorten its micro_step or raise min_step.",
        member.name, core::text(capabilities.microStep), core::text(settings.stepControl.minStep), consequence));
  return result;
}

std::string portName(const coupling::System& system, const coupling::Network& network, std::size_t value) {
  const coupling::OutputName name = network.outputName(value);
  const coupling::Member& member = system.members[name.member];
  return member.nameOf(name.port);
}

/// Where times are so large that their rounding is a part of a step, which no subsystem can see.
std::optional<std::string> aboutTimes(const Settings& settings) {
  constexpr double kNoticed = 1e-6;  // of a step: far below what coupling costs in accuracy
  const double largest = std::fmax(std::fabs(settings.start), std::fabs(settings.end));
  const double apart = std::nextafter(largest, HUGE_VAL) - largest;
  if (!(apart > kNoticed * settings.step)) return std::nullopt;
  return fmt::format(
      "At {:.6g} s two instants are {:.2g} s apart, which is {:.2g} of the step of {} s: subsystems that compute with "
      "instants take steps that are wrong by as much. Begin at 0 and give the models the instant of the beginning, or "
      "take longer steps.",
      largest, apart, apart / settings.step, core::text(settings.step));
}

/// An error is estimated from real values alone.
std::optional<std::string> aboutStepControl(const coupling::System& system, const Settings& settings) {
  if (!settings.stepControl.estimatesError() || system.connections.empty()) return std::nullopt;
  const auto isReal = [&system](const coupling::Connection& connection) {
    const subsystem::Description& source = system.members[connection.from.member].subsystem->describe();
    return source.ports[connection.from.port].type == core::Type::real;
  };
  if (std::ranges::any_of(system.connections, isReal)) return std::nullopt;
  const bool limited = settings.stepControl.maxStep > 0.0 && std::isfinite(settings.stepControl.maxStep);
  return fmt::format(
      "Step control tests real values, and all that is exchanged here is of other types: its error is 0 whatever the "
      "step is, and steps grow to {}.",
      limited ? "step_control.max_step. Where that is too long, give a shorter one, or a fixed step"
              : "whatever the length of the run allows. Give step_control.max_step, or a fixed step");
}

std::string aboutOutputs(const coupling::Member& member) {
  return fmt::format(
      "The outputs of {} are those before its solver's last correction, as it was told to deliver them "
      "(corrected = false).",
      member.name);
}

}  // namespace

std::vector<std::string> doubts(const coupling::System& system, const std::vector<coupling::Cycle>& cycles,
                                const Settings& settings) {
  std::vector<std::string> result;
  if (cycles.empty()) return result;
  for (std::optional<std::string> doubt : {aboutTimes(settings), aboutStepControl(system, settings)})
    if (doubt) result.push_back(std::move(*doubt));
  const coupling::Member& master = system.members[cycles.front().members.front()];
  const double masterStep = master.subsystem->describe().capabilities.microStep;
  for (const coupling::Member& member : system.members) {
    const subsystem::Capabilities& capabilities = member.subsystem->describe().capabilities;
    for (std::string& doubt : aboutMacroStep(member, settings)) result.push_back(std::move(doubt));
    if (settings.algorithm.kind == AlgorithmKind::masterSlave && masterStep > 0.0 &&
        longer(capabilities.microStep, masterStep))
      result.push_back(fmt::format(
          "The master {} has a shorter micro step, {} s, than {}, {} s. Let the slower one be "
          "the master, or shorten the micro step of {}.",
          master.name, core::text(masterStep), member.name, core::text(capabilities.microStep), member.name));
    if (capabilities.uncorrectedOutputs) result.push_back(aboutOutputs(member));
  }
  return result;
}

std::vector<std::string> doubtsAboutGroups(const coupling::System& system, const coupling::Network& network,
                                           const coupling::CoupledStep& coupledStep, const Settings& settings) {
  std::vector<std::string> result;
  std::set<std::string> used;
  std::set<std::string> untested;
  for (const auto& cycle : coupledStep.iteratedCycles()) {
    const coupling::ConvergenceMonitor& monitor = cycle->algorithm->monitor();
    used.insert(monitor.groups().begin(), monitor.groups().end());
    for (const std::size_t value : monitor.untested(cycle->problem)) untested.insert(portName(system, network, value));
  }
  if (settings.algorithm.solvesLinearised()) return result;  // tests the cut
  for (const coupling::ConvergenceGroup& group : settings.algorithm.convergence)
    if (settings.algorithm.iterates() && !used.contains(group.name))
      result.push_back(fmt::format(
          "The group '{}' of the convergence test holds no value that a cycle exchanges, so it tests nothing.",
          group.name));
  if (!untested.empty())
    result.push_back(
        fmt::format("These values flow back in a cycle and are in no group of the convergence test, so nobody tests "
                    "whether they have settled: {}. Add them to a group of [[convergence]].",
                    fmt::join(untested, ", ")));
  return result;
}

std::vector<std::string> doubtsAboutJoints(const coupling::System& system, const Settings& settings) {
  constexpr double kWeak = 1.0 - 1e-5;  // alternates for ever; rounding of a double eigenvalue
  std::vector<std::string> result;
  const coupling::AlgorithmSettings& algorithm = settings.algorithm;
  if (algorithm.kind != AlgorithmKind::semiImplicit || algorithm.degree == 0) return result;
  std::map<std::string, std::vector<std::string>> unstable;  // joints by what is wrong with them
  for (const coupling::Constraint& constraint : system.constraints) {
    const double growth =
        coupling::growthOfFreeMotion(constraint, algorithm.degree, algorithm.semiImplicit.relaxation, settings.step);
    if (growth < kWeak) continue;
    std::string_view remedy =
        "Choose degree = 0, or acceleration_weight = 1 beside velocity_weight = 1 and degree = 1.";
    if (constraint.method == coupling::ConstraintMethod::baumgarte)
      remedy = constraint.gamma > 0.0
                   ? "Lengthen beta and gamma (beta = 2 tau, gamma = tau^2 with tau of one step at least), or choose a "
                     "lower degree."
                   : "Choose degree = 0, or gamma > 0 (beta = 2 tau, gamma = tau^2 with tau of one step at least).";
    if (constraint.method == coupling::ConstraintMethod::stabilisedIndex2)
      remedy = "Choose degree = 0, or algorithm.relaxation = 0.9 with degree = 1, 0.7 with degree = 2.";
    else if (algorithm.semiImplicit.relaxation < 1.0 &&
             coupling::growthOfFreeMotion(constraint, algorithm.degree, 1.0, settings.step) < kWeak)
      remedy = "Leave algorithm.relaxation out.";
    unstable[fmt::format("unstable with degree = {}, however short the steps are: errors of their forces {}. {}",
                         algorithm.degree,
                         growth > 1.0 + 1e-5 ? fmt::format("grow {:.3g} times per step", growth)
                                             : "alternate from step to step for ever",
                         remedy)]
        .push_back(system.members[constraint.member].name);
  }
  for (const auto& [why, names] : unstable)
    result.push_back(fmt::format("The joint{} {} {} {}", names.size() > 1 ? "s" : "", fmt::join(names, ", "),
                                 names.size() > 1 ? "are" : "is", why));
  return result;
}

std::vector<std::string> doubtsAboutTolerances(const coupling::System& system, const coupling::Network& network,
                                               const coupling::CoupledStep& coupledStep, const Settings& settings) {
  std::set<std::string> byTolerance, byNominal;
  if (settings.algorithm.kind == AlgorithmKind::semiImplicit && !settings.algorithm.semiImplicit.iterate) return {};
  for (const auto& cycle : coupledStep.iteratedCycles())
    for (const coupling::ConvergenceMonitor::Tested& port : cycle->algorithm->monitor().tested())
      if (port.isHidden())
        (port.tolerance.atol ? byTolerance : byNominal)
            .insert(fmt::format("{} (at most {:.3g}, tolerance {:.3g})", portName(system, network, port.output),
                                port.shown, port.absolute));
  std::vector<std::string> doubts;
  if (!byTolerance.empty())
    doubts.push_back(
        fmt::format("These exchanged values were so small that the absolute tolerance hides their errors: {}. Remove "
                    "atol from [algorithm] or [[convergence]], so that every value gets one by its size, or lower it.",
                    fmt::join(byTolerance, ", ")));
  if (!byNominal.empty())
    doubts.push_back(
        fmt::format("These exchanged values were so much smaller than the nominal value that is declared for them that "
                    "the tolerance hides their errors: {}. Give algorithm.atol, or a lower rtol.",
                    fmt::join(byNominal, ", ")));
  return doubts;
}

}  // namespace koppla::run
