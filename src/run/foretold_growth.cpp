#include "koppla/run/foretold_growth.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/coupling/graph.hpp"
#include "koppla/run/alternatives.hpp"
#include "koppla/run/growth_watch.hpp"
#include "koppla/run/origin.hpp"
#include "koppla/run/recursion.hpp"

namespace koppla::run {

namespace {

using coupling::AlgorithmKind;

/// What a disturbance may become until the end without being growth: exponents are logarithms of that factor.
const double kSmall = std::log(2.0);

/// Whether the recursion says all that there is to know: it neither depends on where it is taken nor on the step that
/// step control chooses.
bool canBeForetold(const coupling::System& system, const Settings& settings) {
  if (settings.stepControl.adapts() || settings.algorithm.kind == AlgorithmKind::masterSlave) return false;
  const bool linear = std::ranges::all_of(system.members, [](const coupling::Member& member) {
    const subsystem::Capabilities& can = member.subsystem->describe().capabilities;
    return can.linear && (can.states || can.isStatic);
  });
  return linear && std::ranges::any_of(coupling::findCycles(system), &coupling::Cycle::closed);
}

/// Growth until the end of a run with certain settings, for any step.
class Forecast {
 public:
  Forecast(MacroStepRecursion recursion, const Settings& settings)
      : recursion_(std::move(recursion)), duration_(settings.end - settings.start) {}

  [[nodiscard]] std::size_t size() const { return recursion_.size(); }
  /// Absent where the recursion does not exist, as that of an iteration that diverges.
  std::optional<double> exponent(double H) {
    try {
      return duration_ / H * std::log(recursion_.spectralRadius(H));
    } catch (const core::InputError&) {
      return std::nullopt;
    }
  }
  /// Whether steps of H leave disturbances small.
  bool isSmall(double H) { return exponent(H).value_or(HUGE_VAL) <= kSmall; }

 private:
  MacroStepRecursion recursion_;
  double duration_;  ///< s
};

/// Absent where these settings have no recursion.
std::optional<Forecast> forecast(const SystemMaker& make, const Settings& settings) {
  try {
    core::Log quiet;
    return Forecast({make(settings), settings, quiet}, settings);
  } catch (const core::InputError&) {
    return std::nullopt;
  }
}

/// The longest step (s) below H that leaves disturbances small, to one per cent; absent where none is found.
std::optional<double> longestSmall(Forecast& forecast, double H) {
  constexpr int kHalvings = 10;
  constexpr double kResolution = 0.01;
  double small = H / 2.0;
  for (int i = 1; !forecast.isSmall(small); ++i, small /= 2.0)
    if (i == kHalvings) return std::nullopt;
  double large = 2.0 * small;
  while (large - small > kResolution * small) {
    const double middle = 0.5 * (small + large);
    (forecast.isSmall(middle) ? small : large) = middle;
  }
  return small;
}

/// Three digits, and no more than the value.
double roundedDown(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2.0);
  return std::floor(value / unit) * unit;
}

std::vector<std::string> remedies(Forecast& present, const SystemMaker& make, const coupling::System& system,
                                  const Settings& settings) {
  std::vector<std::string> found;
  if (const auto step = longestSmall(present, settings.step))
    found.push_back(
        fmt::format("simulation.step = {:.3g} ({:.3g} times shorter)", roundedDown(*step), settings.step / *step));
  for (const Alternative& other : alternativesTo(settings.algorithm, system)) {
    Settings changed = settings;
    changed.algorithm = other.algorithm;
    if (auto tried = forecast(make, changed); tried && tried->isSmall(settings.step)) found.push_back(other.words);
  }
  return found;
}

/// Whether a recursion is a matter of moments: so many macro steps as it has numbers, each of so many micro steps.
bool isQuick(std::size_t numbers, const coupling::System& system, double H) {
  constexpr std::size_t kMostNumbers = 100;
  constexpr double kMostMicroSteps = 1e5;
  double microSteps = 0.0;
  for (const coupling::Member& member : system.members)
    if (const double length = member.subsystem->describe().capabilities.microStep; length > 0.0)
      microSteps += std::ceil(H / length);
  return numbers <= kMostNumbers && static_cast<double>(numbers) * microSteps <= kMostMicroSteps;
}

std::string textOf(double exponent, const Settings& settings) {
  const double steps = (settings.end - settings.start) / settings.step;
  return fmt::format(
      "The coupling is unstable with simulation.step = {:.4g}: by the recursion of a macro step disturbances grow "
      "{:.4g} times per step, by {:.3g} powers of ten until the end. In shorter steps they grow in another way, so "
      "this is the coupling's doing and not the model's.",
      settings.step, std::exp(exponent / steps), exponent / std::log(10.0));
}

}  // namespace

std::string foretellGrowth(const SystemMaker& make, const Settings& settings) {
  const double noticed = std::log(GrowthWatch::kRegular * GrowthWatch::kChecked.further);
  if (settings.onInstability == OnInstability::ignore) return {};
  const coupling::System system = make(settings);
  if (!canBeForetold(system, settings)) return {};
  auto present = forecast(make, settings);
  if (!present || !isQuick(present->size(), system, settings.step)) return {};
  const std::optional<double> exponent = present->exponent(settings.step);
  if (!exponent || *exponent < noticed) return {};
  const auto inShorterSteps = [&](unsigned divisor) { return present->exponent(settings.step / divisor); };
  const double steps = (settings.end - settings.start) / settings.step;
  if (originOf(inShorterSteps, steps) != Origin::coupling) return {};
  const std::vector<std::string> found = remedies(*present, make, system, settings);
  const std::string text = textOf(*exponent, settings);
  if (found.empty()) return text + " Neither shorter steps nor other degrees and algorithms keep them small.";
  return fmt::format("{} Each of these keeps them small: {}.", text, fmt::join(found, "; "));
}

}  // namespace koppla::run
