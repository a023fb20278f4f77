#include "koppla/run/recursion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/eigenvalues.hpp"
#include "koppla/core/error.hpp"
#include "koppla/core/value.hpp"
#include "koppla/run/capabilities.hpp"
#include "koppla/run/macro_step.hpp"
#include "koppla/run/preparation.hpp"

namespace koppla::run {

namespace {

/// What a value of 1 does not become in one macro step, nor in an iteration that converges; before it overflows.
constexpr double kExploded = 1e150;

/// A recursion has one step length and every step of it is kept.
Settings withFixedStep(Settings settings) {
  settings.stepControl = {};
  settings.onDiscard = OnDiscard::stop;
  settings.onInstability = OnInstability::ignore;
  settings.threads = 1;
  settings.step = settings.end - settings.start;
  settings.explosionLimit = kExploded;
  return settings;
}

/// So that what is left of the iteration does not show in the spectral radius. There is no magnitude below which a
/// value counts for nothing: a force of 1 N may move a stiff body by 1e-12 m.
coupling::AlgorithmSettings nearlyExact(coupling::AlgorithmSettings settings) {
  settings.rtol = 1e-10;
  settings.atol = 1e-22;
  settings.maxIterations = 1000;
  settings.withoutConvergence = coupling::WithoutConvergence::accept;
  if (settings.kind == coupling::AlgorithmKind::semiImplicit)
    settings.explosionGrowth = 0.0;  // unit vectors open joints
  return settings;
}

void requireStates(const coupling::System& system) {
  std::string names;
  for (const coupling::Member& member : system.members) {
    const subsystem::Capabilities& capabilities = member.subsystem->describe().capabilities;
    if (!capabilities.states && !capabilities.isStatic) names += (names.empty() ? "" : ", ") + member.name;
  }
  if (!names.empty())
    throw core::InputError(
        fmt::format("The recursion of a macro step is taken from the members' states, but these give none: {}.", names),
        "Use native models with an integrator that starts anew at every macro step, or look at runs with 'koppla "
        "study' for where they become unstable.");
}

/// Slopes would be samples of their own.
void requireValues(const coupling::AlgorithmSettings& algorithm) {
  if (algorithm.samples == coupling::Samples::values) return;
  throw core::InputError("The recursion is that of polynomials through values, not through slopes as well.",
                         "Leave algorithm.samples = \"values\".");
}

}  // namespace

struct MacroStepRecursion::Impl {
  Impl(coupling::System coupled, Settings chosen, core::Log& log, RecursionSettings recursion)
      : system(fitted(std::move(coupled), chosen.algorithm.degree, log)),
        settings(withFixedStep(std::move(chosen))),
        how(recursion),
        cycles(coupling::findCycles(system)),
        network((requireStates(system), requireValues(settings.algorithm),
                 requireCapabilities(system, cycles, settings), system),
                cycles, settings.explosionLimit),
        macroStep(system, network, cycles, settings, quiet),
        coupledStep(network, cycles, nearlyExact(settings.algorithm), false) {
    const Outcome outcome = initialiseMembers(system, network, macroStep, settings, log);
    if (!outcome.ok())
      throw core::InputError(outcome.message, "The recursion begins with members that are initialised.");
    linear = std::ranges::all_of(system.members,
                                 [](const auto& member) { return member.subsystem->describe().capabilities.linear; });
    discrete = network.discreteOutputs({0, network.size()});
    for (std::size_t position = 0; position < network.size(); ++position) {
      const std::vector<double> states = network.subsystem(position).states();
      stateCounts.push_back(states.size());
      point.insert(point.end(), states.begin(), states.end());
    }
    stateCount = point.size();
    for (unsigned i = 0; i <= coupledStep.earlierSamples(); ++i)
      point.insert(point.end(), network.outputs().begin(), network.outputs().end());
    if (linear) std::ranges::fill(point, 0.0);
  }

  /// One macro step from w.
  std::vector<double> advanced(std::span<const double> w, double H);
  void put(std::span<const double> w, double H);
  [[nodiscard]] double incrementOf(std::size_t variable);
  [[nodiscard]] bool diverges(const coupling::StepOutcome& outcome) const;
  void checkOutcome(const coupling::StepOutcome& outcome, double H) const;
  std::vector<double> matrix(double H);

  coupling::System system;
  Settings settings;
  RecursionSettings how;
  core::Log quiet;
  std::vector<coupling::Cycle> cycles;
  coupling::Network network;
  MacroStep macroStep;  ///< words faults
  coupling::CoupledStep coupledStep;
  core::Values discrete;
  std::vector<std::size_t> stateCounts;  ///< by position
  std::size_t stateCount = 0;
  std::vector<double> point;  ///< w to linearise about
  bool linear = false;
};

void MacroStepRecursion::Impl::put(std::span<const double> w, double H) {
  std::size_t first = 0;
  for (std::size_t position = 0; position < network.size(); first += stateCounts[position++])
    network.subsystem(position).setStates(w.subspan(first, stateCounts[position]));
  const std::size_t outputs = network.outputs().size();
  std::ranges::copy(w.subspan(stateCount, outputs), network.outputs().begin());
  network.putDiscreteOutputs({0, network.size()}, discrete);
  coupledStep.begin(settings.start, H, w.subspan(stateCount + outputs));
}

std::vector<double> MacroStepRecursion::Impl::advanced(std::span<const double> w, double H) {
  put(w, H);
  const coupling::StepOutcome& outcome =
      coupledStep.solve({{settings.start, settings.start + H, true}, {}, false, true});
  if (outcome.fault.kind == coupling::FaultKind::exploded && !settings.algorithm.iterates())
    return std::vector<double>(w.size(), std::numeric_limits<double>::infinity());
  checkOutcome(outcome, H);
  std::vector<double> next;
  for (std::size_t position = 0; position < network.size(); ++position) {
    const std::vector<double> states = network.subsystem(position).states();
    next.insert(next.end(), states.begin(), states.end());
  }
  const std::span<const double> newest = coupledStep.history();
  next.insert(next.end(), newest.begin(), newest.end());
  const std::span<const double> kept = w.subspan(stateCount, w.size() - next.size());  // each sample is one step older
  next.insert(next.end(), kept.begin(), kept.end());
  return next;
}

bool MacroStepRecursion::Impl::diverges(const coupling::StepOutcome& outcome) const {
  // Tolerances near rounding are not always met; what stays within this is as good for a spectral radius.
  constexpr double kRoundingOnly = 1e3;
  if (!settings.algorithm.iterates()) return false;
  return outcome.fault.kind == coupling::FaultKind::exploded ||
         (!outcome.converged() &&
          !(coupledStep.iteratedCycles()[outcome.cycle]->algorithm->solution().norm <= kRoundingOnly));
}

void MacroStepRecursion::Impl::checkOutcome(const coupling::StepOutcome& outcome, double H) const {
  if (diverges(outcome))
    throw core::InputError(fmt::format("The iteration does not converge in a macro step of {} s.", core::text(H)),
                           settings.algorithm.kind == coupling::AlgorithmKind::newton
                               ? "Shorten the step."
                               : "Shorten the step, or choose algorithm.kind = \"newton\", whose converged scheme is "
                                 "the same.");
  if (outcome.fault)
    throw core::InputError(macroStep.describe(outcome.fault, settings.start).message,
                           fmt::format("This was a macro step of {} s for the recursion.", core::text(H)));
  constexpr double kTie = 1e-9;
  if (outcome.reached < settings.start + H * (1.0 - kTie))
    throw core::InputError(
        fmt::format("The master takes steps of {} s, not {} s.", core::text(outcome.reached - settings.start),
                    core::text(H)),
        "With master-slave the macro step is the master's own: give it a longer micro_step, or ask for this step.");
}

double MacroStepRecursion::Impl::incrementOf(std::size_t variable) {
  double nominal = 1.0;
  if (variable >= stateCount) {
    const auto name = network.outputName((variable - stateCount) % network.outputs().size());
    nominal = system.members[name.member].subsystem->describe().ports[name.port].usualMagnitude();
  }
  return how.increment * std::fmax(std::fabs(point[variable]), nominal);
}

std::vector<double> MacroStepRecursion::Impl::matrix(double H) {
  const std::size_t n = point.size();
  std::vector<double> result(n * n);
  const std::vector<double> atPoint = linear ? advanced(point, H) : std::vector<double>{};
  std::vector<double> w = point;
  for (std::size_t j = 0; j < n; ++j) {
    const double change = linear ? 1.0 : incrementOf(j);
    w[j] = point[j] + change;
    const std::vector<double> above = advanced(w, H);
    std::vector<double> below = atPoint;
    if (!linear) {
      w[j] = point[j] - change;
      below = advanced(w, H);
    }
    const double distance = linear ? change : 2.0 * change;
    for (std::size_t i = 0; i < n; ++i) result[i * n + j] = (above[i] - below[i]) / distance;
    w[j] = point[j];
  }
  return result;
}

MacroStepRecursion::MacroStepRecursion(coupling::System system, Settings settings, core::Log& log,
                                       RecursionSettings how) {
  settings = withTestedSteps(std::move(settings), system, log);
  impl_ = std::make_unique<Impl>(std::move(system), std::move(settings), log, how);
}

MacroStepRecursion::~MacroStepRecursion() {
  if (!impl_) return;
  for (coupling::Member& member : impl_->system.members) member.subsystem->terminate();
}

MacroStepRecursion::MacroStepRecursion(MacroStepRecursion&&) noexcept = default;

std::size_t MacroStepRecursion::size() const {
  return impl_->point.size();
}

std::vector<double> MacroStepRecursion::matrix(double H) {
  if (!(H > 0.0 && std::isfinite(H)))
    throw core::InputError(fmt::format("A macro step of {} s is no step.", core::text(H)), "Give a length above 0.");
  return impl_->matrix(H);
}

double MacroStepRecursion::spectralRadius(double H) {
  return core::spectralRadius(matrix(H));
}

std::string RecursionSettings::largestStableText() const {
  return allowance > 0.0 ? "1 + " + core::text(allowance) : "1";
}

bool MacroStepRecursion::isStable(double H) {
  return impl_->how.isStable(spectralRadius(H));
}

std::optional<double> MacroStepRecursion::criticalStep(StepRange range) {
  if (!(range.from > 0.0 && range.from < range.to && std::isfinite(range.to)))
    throw core::InputError(fmt::format("A limit of stability cannot be sought between {} s and {} s.",
                                       core::text(range.from), core::text(range.to)),
                           "Give two steps above 0, the shorter one first.");
  constexpr double kFactor = 1.02;
  constexpr double kResolution = 1e-7;
  double stable = range.from;
  if (!isStable(stable)) return stable;
  double unstable = stable;
  do {
    if (unstable >= range.to) return std::nullopt;
    stable = unstable;
    unstable = std::fmin(kFactor * stable, range.to);
  } while (isStable(unstable));
  while (unstable - stable > kResolution * unstable) {
    const double middle = 0.5 * (stable + unstable);
    (isStable(middle) ? stable : unstable) = middle;
  }
  return unstable;
}

}  // namespace koppla::run
