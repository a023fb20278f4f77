#include "koppla/run/preparation.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/coupling/first_outputs.hpp"
#include "koppla/coupling/initialisation.hpp"
#include "koppla/coupling/printed_digits.hpp"
#include "koppla/coupling/twins.hpp"
#include "koppla/run/remedies.hpp"
#include "koppla/subsystem/subdivided.hpp"

namespace koppla::run {

namespace {

void tellAbout(const coupling::AlgebraicLoop& loop, core::Log& log) {
  if (loop.kept) return;
  const std::string names = fmt::format("{}", fmt::join(loop.outputs, ", "));
  if (loop.left)
    log.write(
        core::Severity::warning, "initialisation",
        fmt::format("the algebraic loop {} could not be solved at the start in {} iterations: the first row holds "
                    "start values, and the first step goes on from them. Give start values near the solution.",
                    names, loop.iterations));
  else
    log.write(core::Severity::info, "initialisation",
              fmt::format("solved the algebraic loop {}; {}: {}", names,
                          loop.iterated ? "iterations" : "Newton iterations", loop.iterations));
}

/// Solutions that may not be what was meant, or not as near as they look.
void warnAbout(const coupling::AlgebraicLoop& loop, const coupling::System& system, const coupling::Network& network,
               core::Log& log) {
  const auto warn = [&](const std::string& text) { log.write(core::Severity::warning, "initialisation", text); };
  const auto name = [&](std::size_t value) {
    const coupling::OutputName output = network.outputName(value);
    return system.members[output.member].nameOf(output.port);
  };
  if (loop.repelling)
    warn(fmt::format(
        "the algebraic loop {} was solved where its answers move away from what is sent: {} = {:.6g}, slope "
        "{:.4g}. The loop is not linear, so there may be another solution, to which plain iteration would "
        "have come. Compare with other start values",
        fmt::join(loop.outputs, ", "), name(loop.repelling->value), network.outputs()[loop.repelling->value],
        loop.repelling->slope));
  if (loop.scatters)
    warn(
        fmt::format("what is sent and answered in the algebraic loop {} agrees within the tolerances, but scatters as "
                    "much from one iteration to the next, so that the distance to the solution cannot be seen. Tighten "
                    "the tolerances inside the subsystems, or loosen algorithm.rtol",
                    fmt::join(loop.outputs, ", ")));
  if (loop.open > coupling::PrintedDigits::kNotable)
    warn(fmt::format("{}: {}", name(*loop.coarsest),
                     coupling::wordsOfOpenDigits(network.digitsOf(*loop.coarsest), loop.open)));
}

/// Outputs that come with the end of initialisation depend on nothing before: what they will do is not known.
void warnOfGrowth(const coupling::AlgebraicLoop& loop, const std::vector<std::string>& late,
                  const std::string& implicit, core::Log& log) {
  constexpr double kNoise = 1e-6;  // of derivatives by differences
  if (!loop.growthUnknown.empty())
    log.write(
        core::Severity::warning, "initialisation",
        fmt::format("whether values grow on their way round {} is not known: in a trial {} The run goes on; if they "
                    "may depend on themselves, {}",
                    fmt::join(loop.outputs, ", "), loop.growthUnknown,
                    implicit.empty() ? "cut the loop elsewhere" : "choose " + implicit));
  const bool unknown = std::ranges::any_of(
      loop.outputs, [&late](const std::string& output) { return std::ranges::find(late, output) != late.end(); });
  if (!unknown && loop.growth < kNoise) return;
  const std::string growth = unknown ? std::string("not known, since leaving initialisation changed some of them")
                                     : fmt::format("{:.3g}", loop.growth);
  const char* const effect = unknown ? "they are late by some steps, or diverge, however short the step is"
                             : loop.growth < 1.0 - kNoise ? "they are late by some steps"
                             : loop.growth > 1.0 + kNoise ? "they diverge, however short the step is"
                                                          : "they never settle, however short the step is";
  log.write(core::Severity::warning, "coupling",
            fmt::format("an algebraic loop goes through {} (growth per step: {}). An explicit algorithm carries values "
                        "round it once per step, so {}. {}.",
                        fmt::join(loop.outputs, ", "), growth, effect,
                        implicit.empty() ? "Cut the loop where a subsystem does not pass values on at the same instant"
                                         : "Choose " + implicit));
}

/// Joints inside a subsystem are refused in the same way.
Outcome openJoint(const coupling::System& system, const coupling::Network& network) {
  constexpr double kMeets = 1e-6;
  const auto largest = [&](const coupling::Block& block) {
    double most = 0.0;
    for (std::size_t value = block.first; value < block.last; ++value)
      most = std::fmax(most, std::fabs(network.outputs()[value]));
    return most;
  };
  for (const coupling::PlacedConstraint& joint : network.constraints()) {
    const double defect = largest(joint.defects);
    const double rate = largest(joint.defectRates);
    if (defect <= kMeets && rate <= kMeets) continue;
    return {OutcomeKind::notConverged,
            fmt::format(
                "The joint {} is not closed at the start: its positions are apart by {:.4g}, its velocities by {:.4g} "
                "per second. Start values must meet the joint to {:g}; correct those of the bodies, or its markers.",
                system.members[joint.condition.member].name, defect, rate, kMeets)};
  }
  return {};
}

Outcome failureOf(const coupling::InitialisationReport& report, const MacroStep& macroStep, double start) {
  if (report.fault) return macroStep.describe(report.fault, start);
  if (!report.undetermined.empty()) return macroStep.describeUndetermined(report.undetermined, start);
  for (const coupling::AlgebraicLoop& loop : report.loops) {
    if (!loop.iterated && loop.unknowns > coupling::kMostUnknownsOfLoop)
      return {OutcomeKind::notConverged,
              fmt::format("The algebraic loop {} has {} unknowns at the start; up to {} are solved there. Write "
                          "simulation.initialisation = \"start-values\": the first step finds them.",
                          fmt::join(loop.outputs, ", "), loop.unknowns, coupling::kMostUnknownsOfLoop)};
    if (!loop.solved && !loop.kept)
      return {OutcomeKind::notConverged,
              fmt::format("The algebraic loop {} could not be solved at the start, {} s: after {} iterations the "
                          "residual, or the distance to the solution, is {:.4g} times the tolerance. Give start values "
                          "of its inputs that are near the "
                          "solution, or check that it has one.",
                          fmt::join(loop.outputs, ", "), start, loop.iterations, loop.norm)};
  }
  return {
      OutcomeKind::notConverged,
      fmt::format("These outputs do not settle at the start, {} s, although they declare that they do not depend on "
                  "what changes: {}. Correct the dependencies in the model description.",
                  start, fmt::join(report.inconsistent, ", "))};
}

/// Names of outputs of a member that may depend on one of its connected real inputs at the same instant.
std::vector<std::string> outputsFedThrough(const coupling::System& system, coupling::MemberIndex index) {
  const coupling::Member& member = system.members[index];
  const subsystem::Description& description = member.subsystem->describe();
  std::vector<subsystem::PortIndex> inputs;
  for (const coupling::Connection& connection : system.connections)
    if (connection.to.member == index && description.ports[connection.to.port].type == core::Type::real)
      inputs.push_back(connection.to.port);
  std::vector<std::string> names;
  for (const subsystem::PortIndex output : description.outputsFedBy(inputs)) names.push_back(member.nameOf(output));
  return names;
}

bool isDriven(const coupling::System& system, coupling::MemberIndex member) {
  return std::ranges::any_of(system.connections, [member](const auto& c) { return c.to.member == member; });
}

/// A mean has the integral of what it stands for, and so has a polynomial through equidistant points up to the next
/// degree where that is odd (Newton-Cotes): then states gain an order.
std::string orderOfFit(unsigned taken, unsigned degree) {
  const unsigned order = taken + (taken % 2 == 0 ? 2 : 1);
  return order > degree ? "" : fmt::format(", and the coupling is of order {}, not {}", order, degree + 1);
}

/// Who takes values only and cannot try a step.
void warnOfLateOutputs(const coupling::System& system, coupling::MemberIndex member, unsigned degree, core::Log& log) {
  const std::vector<std::string> late = outputsFedThrough(system, member);
  if (late.empty()) return;
  log.write(core::Severity::warning, "coupling",
            fmt::format("{0} takes values of inputs only and cannot save its state, and these outputs may depend on "
                        "its inputs at the same instant: {1}. With algorithm.degree = {2} they are those of the mean "
                        "of the inputs over a step, half a step late, and the coupling is of first order there. "
                        "Choose algorithm.degree = 0, give {0} a micro_step that makes this small, or declare in its "
                        "model description on which inputs its outputs depend.",
                        system.members[member].name, fmt::join(late, ", "), degree));
}

}  // namespace

coupling::System fitted(coupling::System system, unsigned degree, core::Log& log) {
  for (coupling::MemberIndex index = 0; index < system.members.size(); ++index) {
    coupling::Member& member = system.members[index];
    const subsystem::Capabilities& capabilities = member.subsystem->describe().capabilities;
    if (capabilities.isStatic || capabilities.inputDerivatives >= degree) continue;
    if (capabilities.inputDerivatives == 0) warnOfLateOutputs(system, index, degree, log);
    log.write(
        system.constraints.empty() ? core::Severity::info : core::Severity::warning, "coupling",
        fmt::format("{} takes inputs of degree {}, not {}: it gets their best fit over each macro step{}. Give it a "
                    "micro_step to follow them more closely.",
                    member.name, capabilities.inputDerivatives, degree,
                    isDriven(system, index) ? orderOfFit(capabilities.inputDerivatives, degree) : ""));
    member.subsystem = subsystem::subdivide(std::move(member.subsystem), 0.0);
  }
  return system;
}

namespace {

/// Who takes values alone gets their mean over a step, which is as good; but outputs that depend on them at the same
/// instant need the step once more from a saved state.
bool followsPolynomials(const coupling::System& system, coupling::MemberIndex member) {
  const subsystem::Capabilities& capabilities = system.members[member].subsystem->describe().capabilities;
  return capabilities.isStatic || capabilities.inputDerivatives > 0 || capabilities.saveRestore ||
         outputsFedThrough(system, member).empty();
}

/// What an iteration may leave open where steps are tested by an error.
core::Tolerance belowTested(core::Tolerance tolerance, const stepping::StepControlSettings& control) {
  constexpr double kLeftOpen = 0.1;
  tolerance.rtol = std::min(tolerance.rtol, kLeftOpen * control.rtol);
  if (control.atol) tolerance.atol = std::min(tolerance.atol.value_or(HUGE_VAL), kLeftOpen * *control.atol);
  return tolerance;
}

}  // namespace

unsigned highestDegree(const coupling::AlgorithmSettings& algorithm, const stepping::StepControlSettings& control) {
  const bool asks = control.keepsCouplingError() && algorithm.kind != coupling::AlgorithmKind::semiImplicit;
  return asks ? std::max(algorithm.degree, control.leastDegree) : algorithm.degree;
}

Settings withTestedSteps(Settings settings, const coupling::System& system, core::Log& log) {
  stepping::StepControlSettings& control = settings.stepControl;
  coupling::AlgorithmSettings& algorithm = settings.algorithm;
  if (!control.keepsCouplingError()) return settings;
  if (const unsigned highest = highestDegree(algorithm, control); algorithm.degree < highest) {
    coupling::MemberIndex holding = 0;
    while (holding < system.members.size() && followsPolynomials(system, holding)) ++holding;
    if (holding == system.members.size())
      algorithm.degree = highest;
    else
      log.write(core::Severity::info, "coupling",
                fmt::format("inputs are held inside steps (algorithm.degree = {}), because {} takes values only, "
                            "cannot save its state, and has outputs that may depend on its inputs at the same "
                            "instant: steps will be short, since the tolerance is one for the error of inputs. "
                            "algorithm.degree = 1 gives it their means, and those outputs half a step late",
                            algorithm.degree, system.members[holding].name));
  }
  control.leastDegree = 0;
  if (!algorithm.iterates()) return settings;
  const core::Tolerance whole = belowTested({algorithm.rtol, algorithm.atol}, control);
  algorithm.rtol = whole.rtol;
  algorithm.atol = whole.atol;
  for (coupling::ConvergenceGroup& group : algorithm.convergence)
    group.tolerance = belowTested(group.tolerance, control);
  return settings;
}

Settings withWholeSteps(Settings settings, const coupling::System& system, core::Log& log) {
  if (system.constraints.empty() || settings.stepControl.adapts() || !(settings.step > 0.0)) return settings;
  constexpr double kTie = 1e-6;
  const double interval = settings.end - settings.start;
  const double steps = interval / settings.step;
  if (!(steps > 0.0) || std::fabs(steps - std::round(steps)) < kTie * std::fmax(1.0, std::fabs(steps) * kTie))
    return settings;
  const double whole = interval / std::ceil(steps);
  log.write(
      core::Severity::info, "coupling",
      fmt::format("the step of {} s does not divide the interval; with rigid joints all steps must have one length, so "
                  "they are {:.12g} s long",
                  core::text(settings.step), whole));
  settings.step = whole;
  return settings;
}

void addTwins(const coupling::System& system, coupling::Network& network, const coupling::CoupledStep& coupledStep,
              const Settings& settings, core::Log& log) {
  const coupling::AlgorithmSettings& algorithm = settings.algorithm;
  const bool wanted = algorithm.kind == coupling::AlgorithmKind::semiImplicit &&
                      algorithm.semiImplicit.probes == coupling::Form::parallel &&
                      algorithm.semiImplicit.sensitivities == coupling::SensitivityKind::differences;
  if (!wanted) return;
  std::vector<std::vector<std::unique_ptr<subsystem::Subsystem>>> twins(network.size());
  std::vector<std::string> alone;
  std::size_t instances = network.size();
  for (const auto& cycle : coupledStep.iteratedCycles())
    for (std::size_t position = cycle->problem.block().first; position < cycle->problem.block().last; ++position) {
      const std::size_t probes = cycle->problem.probesOf(position);
      if (network.isStatic(position) || probes == 0) continue;
      const coupling::Member& member = system.members[network.member(position)];
      if (!system.twins || !network.mayHaveTwins(position) ||
          member.subsystem->describe().capabilities.oncePerProcess) {
        alone.push_back(member.name);
        continue;
      }
      for (std::size_t i = 0; i < probes; ++i) {
        auto made = std::move(system.twins({network.member(position)}).front());
        if (made->describe().capabilities.inputDerivatives < algorithm.degree)
          made = subsystem::subdivide(std::move(made), 0.0);
        made->bind(network.bindingOf(position));
        twins[position].push_back(std::move(made));
      }
      instances += probes;
    }
  if (!alone.empty())
    log.write(core::Severity::warning, "coupling",
              fmt::format("probes of these subsystems run one after the other, since they cannot have twins (once per "
                          "process, or values that are not real): {}",
                          fmt::join(alone, ", ")));
  // More than there are processors, since subsystems may wait for programs and other machines.
  constexpr std::size_t kMost = 8;
  const std::size_t most = std::max<std::size_t>(kMost, std::thread::hardware_concurrency());
  network.setTwins(std::make_unique<coupling::Twins>(
      std::move(twins), settings.threads != 0 ? settings.threads : std::min(instances, most)));
}

namespace {

void tellIdle(const std::vector<coupling::OwnNumber>& fields, const coupling::System& system,
              const std::set<std::pair<coupling::MemberIndex, subsystem::PortIndex>>& used, std::string_view room,
              std::string_view what, std::string_view reason, core::Log& log) {
  for (const coupling::OwnNumber& field : fields)
    for (const coupling::Endpoint& output : field.outputs)
      if (!used.contains({output.member, output.port}))
        log.write(core::Severity::warning, room,
                  fmt::format("the {} {} of '{}' has no effect: {}", what, core::text(field.number),
                              system.members[output.member].nameOf(output.port), reason));
}

}  // namespace

void tellIdleNumbers(const coupling::System& system, const coupling::Network& network,
                     const coupling::CoupledStep& coupledStep, const Settings& settings, core::Log& log) {
  const coupling::AccelerationSettings& acceleration = settings.algorithm.acceleration;
  const bool all = acceleration.values == coupling::Accelerated::all;
  std::set<std::pair<coupling::MemberIndex, subsystem::PortIndex>> relaxed;
  std::set<std::pair<coupling::MemberIndex, subsystem::PortIndex>> exchanged;
  const auto add = [&network](const std::vector<std::size_t>& values, auto& to) {
    for (const std::size_t value : values)
      to.insert({network.outputName(value).member, network.outputName(value).port});
  };
  for (const auto& cycle : coupledStep.iteratedCycles()) {
    add(all ? cycle->problem.coupled() : cycle->problem.cut(), relaxed);
    add(cycle->problem.coupled(), exchanged);
  }
  constexpr std::string_view kNowhere = "no cycle exchanges it";
  tellIdle(acceleration.fieldFactors, system, relaxed, "acceleration", "factor",
           all ? kNowhere : "it does not flow backward in a cycle (values = \"cut\")", log);
  tellIdle(settings.algorithm.semiImplicit.increments, system, exchanged, "coupling", "increment", kNowhere, log);
}

namespace {

/// Twins begin as their members do, with the same inputs.
Outcome initialiseTwins(coupling::System& system, coupling::Network& network, const subsystem::Experiment& experiment) {
  if (network.twins() == nullptr) return {};
  for (std::size_t position = 0; position < network.size(); ++position) {
    const coupling::Member& member = system.members[network.member(position)];
    for (std::size_t i = 0; i < network.twins()->of(position).size(); ++i) {
      subsystem::Subsystem& twin = *network.twins()->of(position)[i];
      for (const coupling::StartValue& start : member.startValues) twin.set(start.port, start.values);
      twin.enterInitialisation(experiment);
      const coupling::Block own = network.outputsOf(position);
      const std::span<double> y = network.twins()->scratch(position, i, own.last - own.first);
      if (twin.evaluate(experiment.start, network.inputsOf(position), y) >= subsystem::Status::discard)
        return {twin.failedAtFile() ? OutcomeKind::outputFailed : OutcomeKind::subsystemFailed,
                fmt::format("A twin of '{}' cannot be initialised: {}", member.name, twin.failure())};
      twin.leaveInitialisation();
    }
  }
  return {};
}

}  // namespace

Outcome initialiseMembers(coupling::System& system, coupling::Network& network, MacroStep& macroStep,
                          const Settings& settings, core::Log& log, Halt* halt) {
  subsystem::Experiment experiment{settings.start, settings.end, std::nullopt};
  if (halt != nullptr) {
    experiment.interrupted = &halt->interrupted;
    experiment.ending = &halt->soon;
  }
  if (settings.algorithm.iterates()) experiment.tolerance = settings.algorithm.rtol;
  try {
    for (coupling::Member& member : system.members) {
      for (const coupling::StartValue& start : member.startValues) member.subsystem->set(start.port, start.values);
      member.subsystem->enterInitialisation(experiment);
    }
    const auto report = coupling::initialise(system, network, settings.start, settings.algorithm);
    if (!report.solved()) return failureOf(report, macroStep, settings.start);
    for (const coupling::AlgebraicLoop& loop : report.loops) {
      tellAbout(loop, log);
      if (loop.solved) warnAbout(loop, system, network, log);
    }
    macroStep.learnFromStart(report.start);
    const auto first = coupling::leaveInitialisation(system, network, settings.start, report);
    if (first.fault) return macroStep.describe(first.fault, settings.start);
    if (!settings.algorithm.iterates())
      for (const coupling::AlgebraicLoop& loop : report.loops)
        warnOfGrowth(loop, first.late, implicitAlgorithm(system), log);
    if (!first.changed.empty())
      log.write(
          core::Severity::info, "initialisation",
          fmt::format("leaving initialisation changed these outputs, and the first step takes what they are now: {}",
                      fmt::join(first.changed, ", ")));
    if (!first.stale.empty())
      log.write(
          core::Severity::warning, "initialisation",
          fmt::format("{} at the start: computed before leaving initialisation changed {}, and FMI 2.0 has no way "
                      "to compute it again before a step. The first row and the first step begin with what it "
                      "was. Let the FMU compute its outputs in initialisation mode, or iterate",
                      fmt::join(first.stale, ", "), fmt::join(first.changed, ", ")));
    if (Outcome open = openJoint(system, network); !open.ok()) return open;
    if (Outcome failed = initialiseTwins(system, network, experiment); !failed.ok()) return failed;
  } catch (const core::SubsystemError& error) {
    return {OutcomeKind::subsystemFailed,
            fmt::format("The subsystem {} Check its parameters and start values.", error.what())};
  }
  return {};
}

}  // namespace koppla::run
