#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "koppla/run/capabilities.hpp"
#include "koppla/run/macro_step.hpp"
#include "koppla/run/remedies.hpp"

/// What a user is told of steps that failed: who, what, when, and what to do next.
namespace koppla::run {

using coupling::Fault;
using coupling::FaultKind;

std::string MacroStep::residualText() const {
  const coupling::Solution& solution = failedAlgorithm().solution();
  const bool stagnated = solution.ending == coupling::Ending::stagnated;
  if (stagnated && solution.norm <= 1.0)
    return fmt::format("after {} iterations nothing changes any more, but that says less than the tolerance demands",
                       solution.evaluations);
  const double error = failedAlgorithm().obstacle().error;
  if (solution.norm <= 1.0 && error > 1.0)
    return fmt::format("after {} iterations what is sent and answered agrees, but {}", solution.evaluations,
                       std::isfinite(error) ? fmt::format("the solution is {:.3g} times the tolerance away", error)
                                            : "nothing shows how far the solution is: residuals do not get smaller");
  if (solution.norm <= 1.0)
    return fmt::format("discrete values still change after {} iterations", solution.evaluations);
  std::string text = fmt::format("after {} iterations the weighted change is {:.4g}, allowed is 1",
                                 solution.evaluations, solution.norm);
  if (stagnated) return text + ", and it does not fall any further";
  const coupling::Behaviour behaviour = coupling::behaviourOf(solution.k);
  if (behaviour != coupling::Behaviour::unknown)
    text += fmt::format(" ({}, K = {:.3g})", coupling::word(behaviour), solution.k);
  return text;
}

Outcome MacroStep::stuck(double t0) const {
  const std::string& master = system_.members[network_.member(0)].name;
  return {
      OutcomeKind::subsystemFailed,
      fmt::format("The master '{}' takes a step of no length at {:.12g} s. Give it a micro_step or an integrator that "
                  "gets on, or choose algorithm.kind = \"gauss-seidel\".",
                  master, t0)};
}

Outcome MacroStep::belowResolution(double t0) const {
  return {OutcomeKind::notConverged,
          fmt::format("At {:.12g} s the next step of {:.4g} s is shorter than the resolution of time. Raise "
                      "step_control.min_step or simulation.step.",
                      t0, next_)};
}

std::string MacroStep::membersOf(std::size_t cycle) const {
  const auto& cycles = coupledStep_.iteratedCycles();
  if (cycle >= cycles.size()) return "of all subsystems";
  std::string names;
  for (std::size_t i = cycles[cycle]->problem.block().first; i < cycles[cycle]->problem.block().last; ++i) {
    if (!names.empty()) names += ", ";
    names += system_.members[network_.member(i)].name;
  }
  return names;
}

std::string MacroStep::otherMethod() const {
  const coupling::AlgorithmSettings& algorithm = settings_.algorithm;
  if (algorithm.kind == coupling::AlgorithmKind::newton) return {};
  const bool isAutomatic = algorithm.acceleration.kind == coupling::AcceleratorKind::automatic;
  std::string other = isAutomatic ? "" : "acceleration.kind = \"auto\"";
  if (newtonIsOffered(system_, settings_))
    other += isAutomatic ? "algorithm.kind = \"newton\"" : " or algorithm.kind = \"newton\"";
  return other;
}

std::string MacroStep::remedy() const {
  if (settings_.stepControl.kind == stepping::StepControlKind::predictorCorrector && repeats_)
    return "Lower step_control.min_step.";
  if (repeats_) return "Lower step_control.min_step, or set step_control.untested_below to get across a jump.";
  const bool stagnated = outcome().ending == coupling::Ending::stagnated;
  if (const auto& coarse = failedAlgorithm().obstacle().coarse; stagnated && coarse) {
    const coupling::OutputName output = network_.outputName(*coarse);
    const unsigned digits = network_.digitsOf(*coarse);
    return fmt::format(
        "'{}' is read from a file with {} digits, and nothing can be seen to be more exact than a relative {:g} of it: "
        "loosen the tolerances of the coupling, or make the program print more digits.",
        system_.members[output.member].nameOf(output.port), digits, std::pow(10.0, 1.0 - digits));
  }
  if (stagnated)
    return "This is what the subsystems' own solvers leave over: loosen the tolerances of the coupling, or tighten "
           "theirs.";
  const coupling::AlgorithmSettings& algorithm = settings_.algorithm;
  std::string remedy = "Raise algorithm.max_iterations";
  if (algorithm.kind == coupling::AlgorithmKind::semiImplicit)
    return "Shorten the step, loosen algorithm.rtol and algorithm.atol, which may ask for more than rounding allows, "
           "or "
           "raise algorithm.max_iterations.";
  if (const std::string other = otherMethod(); !other.empty())
    remedy = "Choose " + other + ", raise algorithm.max_iterations";
  if (stepControlIsOffered(system_))
    remedy += ", shorten the step, adapt it with step_control.kind = \"convergence\"";
  else
    remedy += ", shorten the step";
  return remedy + ", or set algorithm.without_convergence = \"accept\" to go on with a warning.";
}

Outcome MacroStep::explosion(double t0, double t1) const {
  const std::size_t exploded = *failedAlgorithm().monitor().exploded();
  const coupling::OutputName output = network_.outputName(exploded);
  const coupling::Member& member = system_.members[output.member];
  const coupling::AlgorithmSettings& algorithm = settings_.algorithm;
  std::string_view remedy = "Choose acceleration.kind = \"auto\", or change the step.";
  if (algorithm.kind == coupling::AlgorithmKind::semiImplicit)
    remedy = "Shorten the step, or choose degree = 0.";
  else if (algorithm.kind == coupling::AlgorithmKind::newton)
    remedy = "Check that the loop has a solution, change the step, or give better start values.";
  else if (algorithm.acceleration.kind == coupling::AcceleratorKind::automatic)
    remedy = newtonIsOffered(system_, settings_)
                 ? "Choose algorithm.kind = \"newton\", change the step, or give better start values."
                 : "Change the step, or give better start values.";
  return {
      OutcomeKind::exploded,
      fmt::format("The iteration of the cycle {} exploded in the step from {:.12g} s to {:.12g} s, in iteration {}: "
                  "'{}.{}' is {:.4g}, more than {:g} times as large as ever before, where relative tests are passed by "
                  "anything. {} If such values are right, raise algorithm.explosion_growth.",
                  membersOf(outcome().cycle), t0, t1, failedAlgorithm().solution().evaluations, member.name,
                  member.subsystem->describe().ports[output.port].name, std::as_const(network_).outputs()[exploded],
                  settings_.algorithm.explosionGrowth, remedy)};
}

Outcome MacroStep::giveUp(double t0, double t1) const {
  if (outcome().fault) return describe(outcome().fault, t0);
  if (outcome().ending == coupling::Ending::exploded) return explosion(t0, t1);
  if (outcome().ending == coupling::Ending::opened) return describeOpened(failedAlgorithm().obstacle().opened, t0);
  if (outcome().ending == coupling::Ending::singular) {
    const coupling::Obstacle& obstacle = failedAlgorithm().obstacle();
    Outcome ending = describeUndetermined(obstacle.undetermined, t0);
    if (obstacle.drowned)
      ending.message += fmt::format(
          " Or their answers drown in rounding: the step of {:.4g} s is too short for "
          "algorithm.increment, or integrators answer late (ode1, central-differences).",
          t1 - t0);
    return ending;
  }
  const std::string where = fmt::format("The step from {:.12g} s to {:.12g} s", t0, t1);
  if (outcome().converged())
    return {OutcomeKind::notConverged,
            fmt::format("{} has an estimated error of {:.4g} times the tolerance, and no shorter step is allowed. "
                        "Lower step_control.min_step, loosen rtol and atol, or set step_control.untested_below to get "
                        "across a jump.",
                        where, *error_)};
  const bool stagnated = outcome().ending == coupling::Ending::stagnated;
  return {stagnated ? OutcomeKind::stagnated : OutcomeKind::notConverged,
          fmt::format("{} of the cycle {} did not converge: {}. {}", where, membersOf(outcome().cycle), residualText(),
                      remedy())};
}

void MacroStep::warnAboutEndOfIterate(double t0, std::size_t position) {
  log_.write(core::Severity::warning, "coupling",
             fmt::format("the subsystem '{}' asked to end inside the step that begins at {:.12g} s, in an iterate that "
                         "had not converged: the solution need not have that end. Set simulation.on_discard = "
                         "\"shorten\", which repeats the step to that time, or shorten simulation.step",
                         system_.members[network_.member(position)].name, t0));
}

std::string MacroStep::describeEnd(double t) const {
  const std::string& name = system_.members[network_.member(*endedBy_)].name;
  if (!torn_)
    return fmt::format("The subsystem '{}' asked to end the simulation at {:.12g} s of {:.12g} s.", name, t,
                       settings_.end);
  return fmt::format(
      "The subsystem '{}' asked to end the simulation at {:.12g} s of {:.12g} s, inside a step. The others cannot go "
      "to that time, so the last step that counts ended at {:.12g} s; simulation.on_discard = \"shorten\" takes them "
      "there if all can restore their states.",
      name, endedAt_, settings_.end, t);
}

Outcome MacroStep::describeOpened(const coupling::HeldConstraint& joint, double t) const {
  return {OutcomeKind::exploded,
          fmt::format(
              "The joint {} is not held any more in the step that began at {:.12g} s: it is open by {:.4g}, as much "
              "as the motions that it connects. Shorten the step; 'koppla stability' says which one is stable, "
              "and docs/semi-implicit.md which method and degree.",
              system_.members[network_.member(joint.position)].name, t, joint.defect)};
}

Outcome MacroStep::describeUndetermined(const std::vector<std::size_t>& outputs, double t) const {
  std::vector<std::string> joints;
  std::vector<std::string> others;
  for (const std::size_t value : outputs) {
    const coupling::OutputName output = network_.outputName(value);
    const coupling::Member& member = system_.members[output.member];
    const bool isJoint = std::ranges::any_of(system_.constraints,
                                             [&](const coupling::Constraint& c) { return c.member == output.member; });
    const std::string name = isJoint ? member.name : member.nameOf(output.port);
    std::vector<std::string>& names = isJoint ? joints : others;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  constexpr std::size_t kShown = 6;
  for (std::vector<std::string>* names : {&joints, &others})
    if (names->size() > kShown) {
      const std::size_t more = names->size() - kShown;
      names->resize(kShown);
      names->push_back(fmt::format("... ({} more)", more));
    }
  const std::string when = fmt::format("at {:.12g} s", t);
  if (joints.size() > 1)
    return {OutcomeKind::notConverged,
            fmt::format("The joints {} are redundant {}: together they hold the same motion more than once, so their "
                        "forces are not determined. Leave one of them out, or replace one by a kind that holds less "
                        "or by a flexible one.",
                        fmt::join(joints, ", "), when)};
  if (joints.size() == 1)
    return {OutcomeKind::notConverged,
            fmt::format("The joint {} does not determine its forces {}: they do not move what it connects, or two of "
                        "its own equations hold the same motion. Check that its bodies have mass, that its markers' "
                        "force inputs act on them, and its axes; or choose a kind that holds less.",
                        joints.front(), when)};
  return {OutcomeKind::notConverged,
          fmt::format("The coupling does not determine {} {}: the linearised equations have no solution. Check the "
                      "loop for values that feed nothing but themselves, or change the step.",
                      fmt::join(others, ", "), when)};
}

Outcome MacroStep::describe(const Fault& fault, double t) const {
  const coupling::Member& member = system_.members[network_.member(fault.position)];
  switch (fault.kind) {
    case FaultKind::none:
      return {};
    case FaultKind::discarded:
      return {
          OutcomeKind::subsystemFailed,
          fmt::format("The subsystem '{}' discarded the step that began at {:.12g} s and reached {:.12g} s: {} {}",
                      member.name, t, fault.reached, member.subsystem->failure(),
                      mayRepeat_ ? "Shorter steps did not help; look at its inputs and parameters at that time."
                                 : "Shorten simulation.step, or set simulation.on_discard = \"shorten\" so that all "
                                   "repeat the step to where it got.")};
    case FaultKind::failed:
      if (member.subsystem->failedAtFile())
        return {OutcomeKind::outputFailed, fmt::format("The subsystem '{}' could not go on at {:.12g} s: {}",
                                                       member.name, t, member.subsystem->failure())};
      return {OutcomeKind::subsystemFailed,
              fmt::format(
                  "The subsystem '{}' failed at {:.12g} s: {} Its own messages are in the log; check its parameters "
                  "and inputs at that time.",
                  member.name, t, member.subsystem->failure())};
    case FaultKind::exploded:
      break;
  }
  const std::size_t exploded = network_.explodedOutput(fault.position);
  const coupling::OutputName output = network_.outputName(exploded);
  const std::string name = member.subsystem->describe().ports[output.port].name;
  const double value = std::as_const(network_).outputs()[exploded];
  return {std::isfinite(value) ? OutcomeKind::exploded : OutcomeKind::notFinite,
          fmt::format("The output '{}.{}' {} in the step that began at {:.12g} s. {}; 'koppla plot' shows "
                      "the rows before.",
                      member.name, name,
                      std::isfinite(value) ? fmt::format("exploded to {:.6g} (simulation.explosion_limit is {:g})",
                                                         value, settings_.explosionLimit)
                                           : fmt::format("is not finite ({})", value),
                      t,
                      settings_.algorithm.iterates() || implicitAlgorithm(system_).empty()
                          ? "Shorten the step, or look at the inputs of that subsystem"
                          : "Shorten the step or choose an iterating algorithm")};
}

void MacroStep::warnAboutDoubts(double t0, double t1) {
  const auto where = [&] { return fmt::format("step from {:.12g} s to {:.12g} s", t0, t1); };
  if (outcome().suspicious && ++suspicious_ == 1)
    log_.write(core::Severity::warning, "coupling",
               fmt::format("{}: the cycle {} was solved where the answers move away from what is sent; plain iteration "
                           "would not have come there, so this may be another solution than the one that was meant. "
                           "Further ones are only counted",
                           where(), membersOf(*outcome().suspicious)));
  if (outcome().amplification <= coupling::StepOutcome::kMuchAmplified || ++slow_ > 1) return;
  const std::string cycle = membersOf(outcome().slowest);
  if (const double norm = coupledStep_.iteratedCycles()[outcome().slowest]->algorithm->solution().norm; norm > 1.0) {
    log_.write(
        core::Severity::warning, "coupling",
        fmt::format("{}: what is sent and answered in the cycle {} differs by {:.3g} times the tolerance, which is "
                    "rounding of the larger values that it is computed from: nothing better can be had. Give an "
                    "algorithm.atol that allows it, or exchange the larger values instead of their difference",
                    where(), cycle, norm));
    return;
  }
  log_.write(
      core::Severity::warning, "coupling",
      std::isfinite(outcome().amplification)
          ? fmt::format("{}: the iteration of the cycle {} comes nearer so slowly that its values may be off by "
                        "{:.3g} times the tolerance. Choose acceleration.kind = \"auto\", or tighten rtol and atol",
                        where(), cycle, outcome().amplification)
          : fmt::format("{}: what is sent and answered in the cycle {} agrees within the tolerances, but scatters "
                        "as much from one iteration to the next, so that the distance to the solution cannot be "
                        "seen. Tighten the tolerances inside the subsystems, or loosen algorithm.rtol",
                        where(), cycle));
}

void MacroStep::warnAboutKept(double t0, double t1) {
  if (++kept_ > 1) return;
  const std::string unable = whoCannotRepeat(system_);
  std::string why = "no shorter one is allowed. Lower step_control.min_step, unless a value jumps there";
  if (!unable.empty())
    why = fmt::format(
        "these subsystems cannot repeat a step: {}. Give step_control.max_step, or tighten step_control.rtol", unable);
  else if (!repeats_)
    why = "the master chooses its steps itself. Shorten its micro_step, or choose algorithm.kind = \"gauss-seidel\"";
  log_.write(core::Severity::warning, "coupling",
             fmt::format("the step from {:.12g} s to {:.12g} s has a coupling error of {:.4g} times the tolerance and "
                         "stays, since {}. Further ones are counted as failures of the error test",
                         t0, t1, *error_, why));
}

void MacroStep::warnAboutAccepted(double t0, double t1) {
  constexpr std::uint64_t kWarnings = 10;
  if (++acceptedAnyway_ > kWarnings) return;
  const std::string why =
      outcome().converged()
          ? fmt::format("failed the error test ({:.4g} times the tolerance)", error_.value_or(HUGE_VAL))
          : fmt::format("of the cycle {} did not converge ({})", membersOf(outcome().cycle), residualText());
  log_.write(core::Severity::warning, "coupling",
             fmt::format("the step from {:.12g} s to {:.12g} s {} and was accepted as it is{}", t0, t1, why,
                         acceptedAnyway_ == kWarnings ? "; further ones are only counted" : ""));
}

}  // namespace koppla::run
