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
#include "koppla/run/approach.hpp"
#include "koppla/run/capabilities.hpp"
#include "koppla/run/preparation.hpp"
#include "koppla/run/recursion_step.hpp"

namespace koppla::run {

namespace {

coupling::System withStates(coupling::System system) {
  if (const std::string names = whoHidesStates(system); !names.empty())
    throw core::InputError(
        fmt::format("The matrix of a macro step is taken from the members' states, but these give none: {}.", names),
        "Use native models with an integrator that starts anew at every macro step, or probes.");
  return system;
}

}  // namespace

struct MacroStepRecursion::Impl {
  Impl(coupling::System coupled, const Settings& settings, core::Log& log, RecursionSettings recursion)
      : how(recursion),
        approach(withStates(std::move(coupled)), settings, how.at, log),
        network(approach.network()),
        step(approach, settings.algorithm) {
    linear = std::ranges::all_of(approach.system().members,
                                 [](const auto& member) { return member.subsystem->describe().capabilities.linear; });
    discrete = network.discreteOutputs({0, network.size()});
    for (std::size_t position = 0; position < network.size(); ++position) {
      const std::vector<double> states = network.subsystem(position).states();
      stateCounts.push_back(states.size());
      point.insert(point.end(), states.begin(), states.end());
    }
    stateCount = point.size();
    point.insert(point.end(), network.outputs().begin(), network.outputs().end());
    outputs = std::vector(network.outputs().begin(), network.outputs().end());
  }

  /// w to linearise about. What was before depends on the step.
  [[nodiscard]] std::vector<double> pointFor(double H);
  /// One macro step from w.
  std::vector<double> advanced(std::span<const double> w, double H);
  void put(std::span<const double> w, double H);
  [[nodiscard]] double incrementOf(std::size_t variable, double value) const;
  std::vector<double> matrix(double H);

  RecursionSettings how;
  Approach approach;
  coupling::Network& network;
  RecursionStep step;
  core::Values discrete;
  std::vector<std::size_t> stateCounts;  ///< by position
  std::size_t stateCount = 0;
  std::vector<double> point;    ///< states and outputs at the instant
  std::vector<double> outputs;  ///< at the instant
  bool linear = false;
};

std::vector<double> MacroStepRecursion::Impl::pointFor(double H) {
  if (linear) return std::vector<double>(point.size() + step.earlierSamples() * outputs.size(), 0.0);
  std::vector<double> w = point;
  const std::vector<double> earlier = approach.earlier(H, step.earlierSamples());
  w.insert(w.end(), earlier.begin(), earlier.end());
  return w;
}

void MacroStepRecursion::Impl::put(std::span<const double> w, double H) {
  std::size_t first = 0;
  for (std::size_t position = 0; position < network.size(); first += stateCounts[position++])
    network.subsystem(position).setStates(w.subspan(first, stateCounts[position]));
  std::ranges::copy(w.subspan(stateCount, outputs.size()), network.outputs().begin());
  network.putDiscreteOutputs({0, network.size()}, discrete);
  step.begin(approach.instant(), H, w.subspan(stateCount + outputs.size()));
}

std::vector<double> MacroStepRecursion::Impl::advanced(std::span<const double> w, double H) {
  put(w, H);
  if (!step.take(approach.instant(), H, true))
    return std::vector<double>(w.size(), std::numeric_limits<double>::infinity());
  std::vector<double> next;
  for (std::size_t position = 0; position < network.size(); ++position) {
    const std::vector<double> states = network.subsystem(position).states();
    next.insert(next.end(), states.begin(), states.end());
  }
  const std::span<const double> newest = step.answered();
  next.insert(next.end(), newest.begin(), newest.end());
  const std::span<const double> kept = w.subspan(stateCount, w.size() - next.size());  // each sample is one step older
  next.insert(next.end(), kept.begin(), kept.end());
  return next;
}

double MacroStepRecursion::Impl::incrementOf(std::size_t variable, double value) const {
  double nominal = 1.0;
  if (variable >= stateCount) nominal = approach.nominalOf((variable - stateCount) % outputs.size());
  return how.increment * std::fmax(std::fabs(value), nominal);
}

std::vector<double> MacroStepRecursion::Impl::matrix(double H) {
  const std::vector<double> about = pointFor(H);
  const std::size_t n = about.size();
  std::vector<double> result(n * n);
  const std::vector<double> atPoint = linear ? advanced(about, H) : std::vector<double>{};
  std::vector<double> w = about;
  for (std::size_t j = 0; j < n; ++j) {
    const double change = linear ? 1.0 : incrementOf(j, about[j]);
    w[j] = about[j] + change;
    const std::vector<double> above = advanced(w, H);
    std::vector<double> below = atPoint;
    if (!linear) {
      w[j] = about[j] - change;
      below = advanced(w, H);
    }
    const double distance = linear ? change : 2.0 * change;
    for (std::size_t i = 0; i < n; ++i) result[i * n + j] = (above[i] - below[i]) / distance;
    w[j] = about[j];
  }
  return result;
}

std::string whoHidesStates(const coupling::System& system) {
  return namesOf(system, [](const subsystem::Capabilities& can) { return !can.states && !can.isStatic; });
}

MacroStepRecursion::MacroStepRecursion(coupling::System system, Settings settings, core::Log& log,
                                       RecursionSettings how) {
  settings = withTestedSteps(std::move(settings), system, log);
  impl_ = std::make_unique<Impl>(std::move(system), settings, log, how);
}

MacroStepRecursion::~MacroStepRecursion() = default;
MacroStepRecursion::MacroStepRecursion(MacroStepRecursion&&) noexcept = default;

std::size_t MacroStepRecursion::size() const {
  return impl_->point.size() + impl_->step.earlierSamples() * impl_->outputs.size();
}

std::vector<double> MacroStepRecursion::matrix(double H) {
  requireLength(H);
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
  return run::criticalStep(range, [this](double H) { return isStable(H); });
}

}  // namespace koppla::run
