#include "koppla/run/preparation.hpp"

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/coupling/initialisation.hpp"
#include "koppla/subsystem/subdivided.hpp"

namespace koppla::run {

namespace {

void tellAbout(const coupling::AlgebraicLoop& loop, const Settings& settings, core::Log& log) {
  const std::string names = fmt::format("{}", fmt::join(loop.outputs, ", "));
  log.write(core::Severity::info, "initialisation",
            fmt::format("solved the algebraic loop {}; Newton iterations: {}", names, loop.iterations));
  constexpr double kNoise = 1e-6;  // of derivatives by differences
  if (settings.algorithm.iterates() || loop.growth < kNoise) return;
  log.write(
      core::Severity::warning, "coupling",
      fmt::format("an algebraic loop goes through {} (growth per step: {:.3g}). An explicit algorithm carries values "
                  "round it once per step, so {}. Choose algorithm.kind = \"newton\".",
                  names, loop.growth,
                  loop.growth < 1.0 ? "they are late by some steps" : "they diverge, however short the step is"));
}

Outcome failureOf(const coupling::InitialisationReport& report, const MacroStep& macroStep, double start) {
  if (report.fault) return macroStep.describe(report.fault, start);
  if (!report.undetermined.empty()) return macroStep.describeUndetermined(report.undetermined, start);
  for (const coupling::AlgebraicLoop& loop : report.loops)
    if (!loop.solved)
      return {OutcomeKind::notConverged,
              fmt::format("The algebraic loop {} could not be solved at the start, {} s: after {} iterations the "
                          "residual is {:.4g} times the tolerance. Give start values of its inputs that are near the "
                          "solution, or check that it has one.",
                          fmt::join(loop.outputs, ", "), start, loop.iterations, loop.norm)};
  return {
      OutcomeKind::notConverged,
      fmt::format("These outputs do not settle at the start, {} s, although they declare that they do not depend on "
                  "what changes: {}. Correct the dependencies in the model description.",
                  start, fmt::join(report.inconsistent, ", "))};
}

}  // namespace

coupling::System fitted(coupling::System system, unsigned degree, core::Log& log) {
  for (coupling::Member& member : system.members) {
    const subsystem::Capabilities& capabilities = member.subsystem->describe().capabilities;
    if (capabilities.isStatic || capabilities.inputDerivatives >= degree) continue;
    log.write(
        core::Severity::info, "coupling",
        fmt::format("{} takes inputs of degree {}, not {}: it gets their best fit over each macro step. Give it a "
                    "micro_step to follow them more closely.",
                    member.name, capabilities.inputDerivatives, degree));
    member.subsystem = subsystem::subdivide(std::move(member.subsystem), 0.0);
  }
  return system;
}

Outcome initialiseMembers(coupling::System& system, coupling::Network& network, const MacroStep& macroStep,
                          const Settings& settings, core::Log& log) {
  std::optional<double> tolerance;
  if (settings.algorithm.iterates()) tolerance = settings.algorithm.rtol;
  try {
    for (coupling::Member& member : system.members) {
      for (const coupling::StartValue& start : member.startValues) member.subsystem->set(start.port, start.values);
      member.subsystem->enterInitialisation({settings.start, settings.end, tolerance});
    }
    const auto report = coupling::initialise(system, network, settings.start, settings.algorithm);
    if (!report.solved()) return failureOf(report, macroStep, settings.start);
    for (const coupling::AlgebraicLoop& loop : report.loops) tellAbout(loop, settings, log);
    for (coupling::Member& member : system.members) member.subsystem->leaveInitialisation();
  } catch (const core::SubsystemError& error) {
    return {OutcomeKind::subsystemFailed,
            fmt::format("The subsystem {} Check its parameters and start values.", error.what())};
  }
  return {};
}

}  // namespace koppla::run
