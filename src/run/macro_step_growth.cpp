// Values that run away: whether that is the coupling's doing, and what would help.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "koppla/run/alternatives.hpp"
#include "koppla/run/macro_step.hpp"

namespace koppla::run {

using coupling::AlgorithmKind;
using coupling::AlgorithmSettings;
using coupling::Fault;

void MacroStep::lookForGrowth(double t) {
  if (growth_) growth_->see(t);
}

/// Programs could, but a call may take hours.
bool MacroStep::repeatsStretches() const {
  if (settings_.algorithm.kind == AlgorithmKind::masterSlave || !system_.constraints.empty()) return false;
  return std::ranges::all_of(system_.members, [](const coupling::Member& member) {
    const subsystem::Capabilities& can = member.subsystem->describe().capabilities;
    return can.isStatic || (can.saveRestore && can.variableStep && !can.ownProcess);
  });
}

OutcomeKind MacroStep::judgeGrowth(const Clock& clock, const Halt& halt) {
  const std::optional<Growth> growth = growth_->judge(clock.now(), counters_.accepted);
  if (growth_->isSuspicious()) unwatched_ = 0;
  if (!growth) return OutcomeKind::ok;
  if (!checksGrowth_) return tellOfUnchecked(*growth, clock.now());
  return counters_.growthChecks.measure([&] { return checkGrowth(*growth, clock.now(), halt); });
}

OutcomeKind MacroStep::tellOfUnchecked(const Growth& growth, double t) {
  // What grows smoothly, and is well resolved, is more likely the model's own.
  constexpr unsigned kSwings = 4;
  constexpr double kResolved = 1.4;
  if (growth.swings < kSwings && growth.perStep() < kResolved) {
    growth_->settle(t);
    return OutcomeKind::ok;
  }
  growth_->rest();
  log_.write(core::Severity::warning, "coupling",
             growthText(growth, t) +
                 " Unstable coupling does that; whether the model does it by itself cannot be checked in this run, as "
                 "not all subsystems can repeat steps with another length. Run it once more with half the step: if "
                 "values grow in another way then, shorten the step until they do not, or choose an iterating "
                 "algorithm");
  return OutcomeKind::ok;
}

/// In what trials take as the step, s: what makes values grow.
double MacroStep::stepOfTrials() const {
  const double length = settings_.stepControl.adapts() ? lastLength_ : settings_.step;
  return settings_.stepControl.kind == stepping::StepControlKind::doubleStep ? length / 2.0 : length;
}

OutcomeKind MacroStep::checkGrowth(const Growth& growth, double t, const Halt& halt) {
  const std::string text = growthText(growth, t);
  growth_->rest();
  GrowthTrial trial(network_, cycles_, coupledStep_, *growth_, t, settings_.end, halt);
  if (trial.unsaved()) return fail(describeLost(trial.unsaved(), t));
  const Finding finding = trial.originOf(growth, settings_.algorithm, stepOfTrials());
  const bool unstable = finding.origin == Origin::coupling;
  const std::string remedies = unstable ? remediesFor(trial, finding.steps) : std::string();
  if (trial.lost()) return fail(describeLost(trial.lost(), t));
  if (const Fault lost = trial.putBack()) return fail(describeLost(lost, t));
  if (unstable) return tellOfInstability(text + remedies);
  checksGrowth_ = finding.origin == Origin::model;
  if (checksGrowth_)
    growth_->settle(t);
  else
    growth_->settleUnchecked(t);
  return OutcomeKind::ok;
}

Outcome MacroStep::describeLost(const Fault& fault, double t) const {
  Outcome outcome = describe(fault, t);
  outcome.message +=
      " Steps were repeated here because values grow, to see whether that is the coupling's doing: "
      "simulation.on_instability = \"ignore\" repeats none.";
  return outcome;
}

OutcomeKind MacroStep::tellOfInstability(const std::string& message) {
  if (settings_.onInstability == OnInstability::stop)
    return fail({OutcomeKind::unstable, message + " simulation.on_instability = \"warn\" goes on nevertheless."});
  log_.write(core::Severity::warning, "coupling", message);
  return OutcomeKind::ok;
}

std::string MacroStep::remediesFor(GrowthTrial& trial, std::uint64_t steps) const {
  constexpr unsigned kShortest = 16;
  const double h = stepOfTrials();
  const bool adapts = settings_.stepControl.adapts();
  std::vector<std::string> found;
  for (unsigned divisor = 2; divisor <= kShortest && found.empty(); divisor *= 2)
    if (trial.staysSmall(settings_.algorithm, h / divisor, divisor * steps))
      found.push_back(adapts ? fmt::format("step_control.max_step = {:.4g}", lastLength_ / divisor)
                             : fmt::format("simulation.step = {:.4g}", settings_.step / divisor));
  for (const Alternative& other : alternativesTo(settings_.algorithm, system_))
    if (trial.staysSmall(other.algorithm, h, steps)) found.push_back(other.words);
  constexpr std::string_view kCause =
      " In shorter steps it grows in another way, so this is the coupling's doing and not the model's.";
  if (!found.empty())
    return fmt::format("{} Each of these, tried from there, keeps it small: {}.", kCause, fmt::join(found, "; "));
  return fmt::format(
      "{} Tried from these values, neither steps down to {:.3g} s nor other degrees and algorithms keep them small; "
      "from "
      "the start, where values are still small, they may: run it with a shorter step{}.",
      kCause, h / kShortest, settings_.algorithm.iterates() ? " or another degree" : " or an algorithm that iterates");
}

std::string MacroStep::growthText(const Growth& growth, double t) const {
  const coupling::OutputName output = network_.outputName(growth.value);
  const double value = std::as_const(network_).outputs()[growth.value];
  const std::string steps = growth.steps > 1 ? fmt::format("the last {} steps", growth.steps) : "the last step";
  return fmt::format(
      "The coupling {} unstable at {:.12g} s: {} is {:.4g}, {:.3g} times its regular size, and grew {:.4g} "
      "times per step in {}.",
      checksGrowth_ ? "is" : "may be", t, connectionFrom(output), value, std::fabs(value) / growth.regular,
      growth.perStep(), steps);
}

/// With the first of those who take it.
std::string MacroStep::connectionFrom(const coupling::OutputName& output) const {
  const auto taken = std::ranges::find_if(system_.connections, [&](const coupling::Connection& c) {
    return c.from.member == output.member && c.from.port == output.port;
  });
  const coupling::Member& consumer = system_.members[taken->to.member];
  return fmt::format("'{}', which goes to '{}',", system_.members[output.member].nameOf(output.port),
                     consumer.nameOf(taken->to.port));
}

}  // namespace koppla::run
