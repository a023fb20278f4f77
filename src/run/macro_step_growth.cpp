// Values that run away: whether that is the coupling's doing, and what would help.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "koppla/run/macro_step.hpp"

namespace koppla::run {

using coupling::AlgorithmKind;
using coupling::AlgorithmSettings;
using coupling::Fault;

namespace {

/// A stretch ends where values have grown so much more; below the least there is nothing to compare.
constexpr double kEnough = 16.0;
constexpr double kLeast = 4.0;
/// Values that do not grow may still swing a little.
constexpr double kSteady = 1.05;

/// Whether growth depends on the step: the model's own has the same exponent whatever the step is. That of a coupling
/// falls to the half at least (damping errors are of the order of H), or doubles where every step multiplies the values
/// however short it is.
bool dependsOnStep(double growth, double growthWithShorterSteps) {
  const double quotient = std::log(growthWithShorterSteps) / std::log(growth);
  return quotient < 3.0 / 4.0 || quotient > 4.0 / 3.0;
}

/// Something else to try from where values ran away.
struct Alternative {
  std::string words;
  AlgorithmSettings algorithm;
};

AlgorithmSettings with(AlgorithmSettings settings, AlgorithmKind kind) {
  settings.kind = kind;
  if (settings.iterates()) settings.samples = coupling::Samples::values;
  return settings;
}

std::vector<Alternative> alternativesTo(const AlgorithmSettings& present, unsigned highest, bool hasLaws) {
  std::vector<Alternative> all;
  for (unsigned degree = 0; degree <= highest; ++degree) {
    if (degree == present.degree) continue;
    all.push_back({fmt::format("algorithm.degree = {}", degree), present});
    all.back().algorithm.degree = degree;
  }
  const auto add = [&](AlgorithmKind kind, std::string_view word) {
    all.push_back({fmt::format("algorithm.kind = \"{}\"", word), with(present, kind)});
  };
  if (present.iterates()) return all;
  if (present.kind == AlgorithmKind::jacobi) add(AlgorithmKind::gaussSeidel, "gauss-seidel");
  if (hasLaws) add(AlgorithmKind::semiImplicit, "semi-implicit");
  add(AlgorithmKind::iteratedGaussSeidel, "iterated-gauss-seidel");
  return all;
}

}  // namespace

void MacroStep::lookForGrowth() {
  if (growth_) growth_->see();
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
  const std::optional<Growth> growth = growth_->judge(counters_.accepted);
  if (growth_->isSuspicious()) unwatched_ = 0;
  if (!growth) return OutcomeKind::ok;
  if (checksGrowth_) return counters_.growthChecks.measure([&] { return checkGrowth(*growth, clock.now(), halt); });
  // What grows smoothly, and is well resolved, is more likely the model's own.
  constexpr unsigned kSwings = 4;
  constexpr double kResolved = 1.4;
  if (growth->swings < kSwings && growth->perStep() < kResolved) {
    growth_->settle(counters_.accepted);
    return OutcomeKind::ok;
  }
  growth_->rest();
  log_.write(
      core::Severity::warning, "coupling",
      fmt::format("{} That is what unstable coupling does; whether it is the model's own doing cannot be checked "
                  "here, since not all subsystems can repeat steps with another length. Repeat the run with "
                  "half the step: growth that becomes another one is the coupling's, and needs a shorter step "
                  "or an iterating algorithm",
                  growthText(*growth, clock.now())));
  return OutcomeKind::ok;
}

/// In what trials take as the step, s: what makes values grow.
double MacroStep::stepOfTrials() const {
  const double length = settings_.stepControl.adapts() ? lastLength_ : settings_.step;
  return settings_.stepControl.kind == stepping::StepControlKind::doubleStep ? length / 2.0 : length;
}

OutcomeKind MacroStep::checkGrowth(const Growth& growth, double t, const Halt& halt) {
  constexpr std::uint64_t kFewest = 8;
  constexpr std::uint64_t kMost = 3;  // times the steps that it took to grow
  constexpr double kUnresolved = 1.2;
  const double h = stepOfTrials();
  growth_->rest();
  GrowthTrial trial(network_, cycles_, coupledStep_, *growth_, t, settings_.end, halt);
  if (trial.unsaved()) return fail(describe(trial.unsaved(), t));
  const Course whole =
      trial.follow(settings_.algorithm, h, std::max(kFewest, kMost * growth.steps), kEnough * trial.before());
  const std::uint64_t steps = whole.ratios.size();
  const auto grows = [&](const Course& course) { return course.growthFrom(trial.before()); };
  bool sound = whole.sound;
  bool depends = false;
  if (sound && grows(whole) >= kLeast) {
    const Course halved = trial.follow(settings_.algorithm, h / 2.0, 2 * steps, HUGE_VAL);
    sound = halved.sound;
    depends = sound && dependsOnStep(grows(whole), grows(halved));
    // In large steps the growth of two lengths may agree by chance.
    if (sound && !depends && growth.perStep() > kUnresolved) {
      const Course quartered = trial.follow(settings_.algorithm, h / 4.0, 4 * steps, HUGE_VAL);
      sound = quartered.sound;
      depends = sound && dependsOnStep(grows(halved), grows(quartered));
    }
  }
  const std::string remedies = depends ? remediesFor(trial, steps) : std::string();
  if (const Fault lost = trial.putBack()) return fail(describe(lost, t));
  if (depends)
    return tellOfGrowth(
        fmt::format("{} The same stretch with half the step grows in another way, so this is the "
                    "coupling's doing, not the model's. {}",
                    growthText(growth, t), remedies));
  if (sound)
    growth_->settle(counters_.accepted);
  else
    growth_->settleUnchecked(counters_.accepted);
  checksGrowth_ = sound;
  return OutcomeKind::ok;
}

OutcomeKind MacroStep::tellOfGrowth(const std::string& message) {
  if (settings_.onInstability == OnInstability::stop)
    return fail({OutcomeKind::unstable, message + " simulation.on_instability = \"warn\" goes on nevertheless."});
  log_.write(core::Severity::warning, "coupling", message);
  return OutcomeKind::ok;
}

std::string MacroStep::remediesFor(GrowthTrial& trial, std::uint64_t steps) const {
  constexpr unsigned kShortest = 16;
  constexpr unsigned kLonger = 4;
  const double h = stepOfTrials();
  std::vector<std::string> found;
  const auto helps = [&](const AlgorithmSettings& algorithm, unsigned divisor) {
    const Course course = trial.follow(algorithm, h / divisor, kLonger * divisor * steps, kLeast * trial.before());
    return course.sound && course.growthFrom(trial.before()) <= kSteady && course.lateGrowth() <= kSteady;
  };
  for (unsigned divisor = 2; divisor <= kShortest && found.empty(); divisor *= 2)
    if (helps(settings_.algorithm, divisor))
      found.push_back(fmt::format("{} = {:.4g}",
                                  settings_.stepControl.adapts() ? "step_control.max_step" : "simulation.step",
                                  settings_.step / divisor));
  unsigned highest = subsystem::kMaxDegree;
  for (const coupling::Member& member : system_.members)
    if (!member.subsystem->describe().capabilities.isStatic)
      highest = std::min(highest, member.subsystem->describe().capabilities.inputDerivatives);
  for (const Alternative& other : alternativesTo(settings_.algorithm, highest, !system_.laws.empty()))
    if (helps(other.algorithm, 1)) found.push_back(other.words);
  if (found.empty())
    return fmt::format(
        "Neither steps down to {:.3g} s nor other degrees and algorithms keep it small from there: look "
        "for loops without inertia or delay, and choose an iterating algorithm.",
        h / kShortest);
  return fmt::format("Tried from there, each of these keeps it small: {}.", fmt::join(found, "; "));
}

std::string MacroStep::growthText(const Growth& growth, double t) const {
  const coupling::OutputName output = network_.outputName(growth.value);
  const double value = std::as_const(network_).outputs()[growth.value];
  return fmt::format(
      "The coupling {} unstable at {:.12g} s: '{}' is {:.4g}, which is {:.3g} times its regular size, "
      "and grew by {:.4g} per step over {} steps.",
      checksGrowth_ ? "is" : "may be", t, system_.members[output.member].nameOf(output.port), value,
      std::fabs(value) / growth.regular, growth.perStep(), growth.steps);
}

}  // namespace koppla::run
