#include "koppla/run/capabilities.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/time_grid.hpp"
#include "koppla/coupling/predictor.hpp"

namespace koppla::run {

namespace {

using Test = std::function<bool(const subsystem::Capabilities&)>;

/// Names of the members that lack what the test asks for; only members of closed cycles where asked so.
std::string lacking(const coupling::System& system, const std::vector<coupling::Cycle>& cycles, bool onlyClosed,
                    const Test& has) {
  std::string names;
  for (const coupling::Cycle& cycle : cycles) {
    if (onlyClosed && !cycle.closed) continue;
    for (const coupling::MemberIndex member : cycle.members) {
      if (has(system.members[member].subsystem->describe().capabilities)) continue;
      if (!names.empty()) names += ", ";
      names += system.members[member].name;
    }
  }
  return names;
}

bool saves(const subsystem::Capabilities& c) {
  return c.saveRestore;
}
bool tellsStepDerivatives(const subsystem::Capabilities& c) {
  return c.isStatic || c.stepDerivatives;
}
bool variesStep(const subsystem::Capabilities& c) {
  return c.variableStep;
}

void requireWaveform(const coupling::AlgorithmSettings& algorithm, std::vector<core::Problem>& problems) {
  constexpr unsigned kMostPredictor = coupling::Predictor::kHighest;
  const std::string samples = std::to_string(algorithm.waveform);
  if (algorithm.waveform == 0)
    problems.push_back(core::Problem{core::Place{}, "A macro step with no sample of the values has no end.",
                                     "Give algorithm.waveform >= 1; 1 is the value at the end alone."});
  if (algorithm.waveform > 1 && !algorithm.iteratesWaveforms())
    problems.push_back(core::Problem{
        core::Place{},
        "The waveform of " + samples + " samples a macro step (algorithm.waveform) is found by plain iteration only.",
        "Choose iterated-gauss-seidel or iterated-jacobi, or leave algorithm.waveform out."});
  if (algorithm.predictor && *algorithm.predictor > kMostPredictor)
    problems.push_back(core::Problem{
        core::Place{}, "A first iterate of degree " + std::to_string(*algorithm.predictor) + " is not supported.",
        "Give algorithm.predictor from 0 to " + std::to_string(kMostPredictor) + "."});
}

void requireJoints(const coupling::System& system, const Settings& settings, std::vector<core::Problem>& problems) {
  const coupling::AlgorithmSettings& algorithm = settings.algorithm;
  if (algorithm.semiImplicit.iterate && algorithm.semiImplicit.relaxation < 1.0)
    problems.push_back(core::Problem{core::Place{},
                                     "Corrections that are relaxed do not converge to what they are to meet "
                                     "(algorithm.iterate with algorithm.relaxation below 1).",
                                     "Leave one of the two out."});
  if (system.constraints.empty()) return;
  if (settings.stepControl.adapts() || settings.onDiscard == OnDiscard::shorten)
    problems.push_back(core::Problem{
        core::Place{},
        "Rigid joints need steps of one length: in a shorter one their forces would close at once what a longer one "
        "left "
        "open (step_control.kind, simulation.on_discard).",
        "Choose step_control.kind = \"fixed\" and on_discard = \"stop\", or springs in place of the joints (kind = "
        "\"spring-damper\")."});
  if (algorithm.kind == coupling::AlgorithmKind::semiImplicit) return;
  std::string names;
  for (const coupling::Constraint& joint : system.constraints)
    names += (names.empty() ? "" : ", ") + system.members[joint.member].name;
  problems.push_back(core::Problem{
      core::Place{},
      "Only semi-implicit coupling finds the forces of rigid joints, which no subsystem computes: " + names + ".",
      "Choose algorithm.kind = \"semi-implicit\", or a stiff spring in place of the joint (kind = "
      "\"spring-damper\")."});
}

/// The corrections of a cycle are averaged with one set of weights (Lu, sec. 3.2.3.2).
void requireEqualWeights(const coupling::System& system, const coupling::Cycle& cycle,
                         std::vector<core::Problem>& problems) {
  const coupling::Constraint* first = nullptr;
  for (const coupling::Constraint& joint : system.constraints) {
    const bool inside = std::ranges::find(cycle.members, joint.member) != cycle.members.end();
    if (!inside || joint.method != coupling::ConstraintMethod::weightedMultipliers) continue;
    if (first == nullptr) first = &joint;
    if (joint.velocityWeight == first->velocityWeight && joint.accelerationWeight == first->accelerationWeight)
      continue;
    problems.push_back(core::Problem{
        core::Place{},
        "The joints " + system.members[first->member].name + " and " + system.members[joint.member].name +
            " have different weights, but the corrections of a cycle are averaged with one set of them.",
        "Give both the same velocity_weight and acceleration_weight, or method = \"baumgarte\" to one of them."});
  }
}

/// As steps are: that also bounds their number.
void requireMicroSteps(const coupling::System& system, const Settings& settings, std::vector<core::Problem>& problems) {
  const double latest = std::fmax(std::fabs(settings.start), std::fabs(settings.end));
  const double resolution = 4.0 * std::numeric_limits<double>::epsilon() * latest;
  for (const coupling::Member& member : system.members) {
    const double microStep = member.subsystem->describe().capabilities.microStep;
    if (microStep == 0.0 || microStep >= resolution) continue;
    problems.push_back(
        core::Problem{core::Place{},
                      fmt::format("The micro step of {}, {} s, is lost in the rounding of times as large as {} s.",
                                  member.name, core::text(microStep), core::text(latest)),
                      fmt::format("Give it a micro_step of {} s or more.", core::text(resolution))});
  }
}

}  // namespace

std::string namesOf(const coupling::System& system, const Test& areSuch) {
  std::string names;
  for (const coupling::Member& member : system.members)
    if (areSuch(member.subsystem->describe().capabilities)) names += (names.empty() ? "" : ", ") + member.name;
  return names;
}

std::string whoCannotRepeat(const coupling::System& system) {
  return namesOf(system, [](const subsystem::Capabilities& can) { return !can.saveRestore || !can.variableStep; });
}

bool repeatsSteps(const coupling::System& system, const Settings& settings) {
  if (settings.stepControl.repeats()) return true;
  return settings.stepControl.keepsCouplingError() && settings.algorithm.kind != coupling::AlgorithmKind::masterSlave &&
         whoCannotRepeat(system).empty();
}

void requireCapabilities(const coupling::System& system, const std::vector<coupling::Cycle>& cycles,
                         const Settings& settings, std::string_view end) {
  if (!(std::isfinite(settings.start) && std::isfinite(settings.end) && settings.start < settings.end))
    throw core::InputError(
        "The run from " + core::text(settings.start) + " s to " + core::text(settings.end) + " s has no length.",
        "Let simulation.end be later than simulation.start.");
  if (!(settings.step > 0.0 && std::isfinite(settings.step)))
    throw core::InputError("The step of " + core::text(settings.step) + " s is no step.", "Give simulation.step > 0.");
  std::vector<core::Problem> problems;
  requireMicroSteps(system, settings, problems);
  const auto refuse = [&problems](const std::string& names, const std::string& message, std::string remedy) {
    if (!names.empty()) problems.push_back(core::Problem{core::Place{}, message + names + ".", std::move(remedy)});
  };
  if (settings.algorithm.iterates() && settings.algorithm.samples == coupling::Samples::valuesAndSlopes)
    problems.push_back(core::Problem{core::Place{},
                                     "Polynomials through values and slopes are for explicit algorithms: an iteration "
                                     "sends values only.",
                                     "Choose jacobi, gauss-seidel or master-slave, or leave algorithm.samples out."});
  requireWaveform(settings.algorithm, problems);
  requireJoints(system, settings, problems);
  for (const coupling::Cycle& cycle : cycles) requireEqualWeights(system, cycle, problems);
  if (settings.algorithm.iterates())
    refuse(
        lacking(system, cycles, true, saves),
        "The algorithm repeats steps of cycles, but these subsystems in cycles cannot restore a saved state: ",
        std::string(system.constraints.empty()
                        ? ""
                        : "Rigid joints need repeated steps; springs in their place (kind = \"spring-damper\") do "
                          "not. ") +
            "Algorithms that remain: jacobi, gauss-seidel, master-slave; with degree = 1 or 2 and a shorter step, or "
            "step_control.kind = \"predictor-corrector\", which repeats nothing.");
  if (settings.algorithm.kind == coupling::AlgorithmKind::semiImplicit &&
      settings.algorithm.semiImplicit.sensitivities == coupling::SensitivityKind::formulas)
    refuse(lacking(system, cycles, true, tellsStepDerivatives),
           "Formulas for derivatives over a step (algorithm.sensitivities) exist for native models that are ordinary "
           "differential equations, not for these subsystems: ",
           "Choose algorithm.sensitivities = \"differences\", which needs repeated steps only.");
  const bool adapts = settings.stepControl.repeats();
  if (adapts || settings.onDiscard == OnDiscard::shorten) {
    const std::string who = adapts ? "Step control repeats steps" : "on_discard = \"shorten\" repeats steps";
    const std::string remedy =
        std::string(adapts ? "Step control that remains: fixed" : "What remains: on_discard = \"stop\"") +
        " (with the algorithms jacobi and gauss-seidel).";
    refuse(lacking(system, cycles, false, saves),
           who + ", but these subsystems cannot restore a saved state: ", remedy);
    refuse(lacking(system, cycles, false, variesStep),
           who + " with other lengths, but these subsystems take steps of one length only: ", remedy);
  } else if (settings.stepControl.adapts() || settings.algorithm.kind == coupling::AlgorithmKind::masterSlave) {
    refuse(lacking(system, cycles, false, variesStep),
           std::string(settings.stepControl.adapts() ? "Step control" : "The master") +
               " chooses steps of different lengths, but these subsystems take steps of one length only: ",
           "Choose another algorithm with a fixed step.");
  } else {
    const core::TimeGrid grid(settings.start, settings.end, settings.step);
    const double last = settings.end - grid.point(grid.steps() - 1);
    if (std::fabs(last - settings.step) > 1e-6 * settings.step)
      refuse(lacking(system, cycles, false, variesStep),
             "The step of " + core::text(settings.step) +
                 " s does not divide the interval, so the last step would have " + core::text(last) +
                 " s, but these subsystems take steps of one length only: ",
             fmt::format("Choose {} that is a whole number of steps away from the start.", end));
  }
  const bool startsByMaster =
      settings.algorithm.startUp == coupling::StartUp::masterSlave && settings.algorithm.degree > 0;
  if ((settings.algorithm.kind == coupling::AlgorithmKind::masterSlave || startsByMaster) && !cycles.empty()) {
    const coupling::Member& master = system.members[cycles.front().members.front()];
    if (!master.subsystem->describe().capabilities.ownSteps)
      refuse(master.name, "The master cannot take steps of its own choice: ",
             "Give it a micro_step (CVODE: restart = false), or let another subsystem be the first.");
  }
  if (!problems.empty()) throw core::InputError(std::move(problems));
}

}  // namespace koppla::run
