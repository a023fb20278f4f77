#include "koppla/run/doubts.hpp"

#include <fmt/format.h>

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

}  // namespace koppla::run
