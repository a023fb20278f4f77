#include "koppla/run/probed_recursion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/response_modes.hpp"
#include "koppla/core/value.hpp"
#include "koppla/run/approach.hpp"
#include "koppla/run/preparation.hpp"
#include "koppla/run/recursion_step.hpp"
#include "koppla/run/return_point.hpp"

namespace koppla::run {

namespace {

using Vector = std::vector<double>;

/// How far responses are followed: so many samples, so many steps apart.
struct Look {
  std::size_t samples;
  unsigned apart;
};
/// Primes apart: what turns by half, a third, ... of a circle per step seems to stand still in one of them at most.
constexpr std::array kLooks{Look{4, 1},  Look{6, 1},   Look{12, 1},  Look{24, 1},  Look{24, 3},
                            Look{24, 5}, Look{24, 11}, Look{24, 17}, Look{24, 37}, Look{24, 67}};

/// Steps to the middle of what was seen.
unsigned halfOf(std::size_t samples, const Look& look) {
  return static_cast<unsigned>(samples) / 2 * look.apart;
}

void requireProbes(const coupling::System& system) {
  std::string names;
  for (const coupling::Member& member : system.members) {
    const subsystem::Capabilities& can = member.subsystem->describe().capabilities;
    if (!can.isStatic && (!can.saveRestore || can.ownProcess)) names += (names.empty() ? "" : ", ") + member.name;
  }
  if (!names.empty())
    throw core::InputError(
        fmt::format("The recursion of a macro step is taken from the members' states, or by probes that begin again "
                    "and again at one instant, but these neither give states nor return to a saved one: {}.",
                    names),
        "Use FMUs with canGetAndSetFMUstate, native models, or look at runs with 'koppla study' for where they become "
        "unstable.");
  if (!system.constraints.empty())
    throw core::InputError("Probes would open the rigid joints of this system.",
                           "Put stiff springs in their place (kind = \"spring-damper\").");
}

/// All inputs are held.
coupling::AlgorithmSettings disturbing(coupling::AlgorithmSettings settings) {
  settings.kind = coupling::AlgorithmKind::jacobi;
  settings.degree = 0;
  settings.reevaluate = false;
  return settings;
}

/// Changes of n values in parts of their increments: one after the other, or some of all.
std::vector<Vector> disturbances(std::size_t n) {
  constexpr std::size_t kMost = 8;
  std::vector<Vector> result(std::min(n, kMost), Vector(n, 0.0));
  std::mt19937 random(1);  // the same ones always
  for (std::size_t k = 0; k < result.size(); ++k)
    for (std::size_t i = 0; i < n; ++i)
      if (n > kMost)
        result[k][i] = (random() & 1U) != 0 ? 1.0 : -1.0;
      else
        result[k][i] = i == k ? 1.0 : 0.0;
  return result;
}

/// How many samples there are until a response is so large that a model need not be linear for it any more.
std::size_t samplesBeforeGrowth(const core::Responses& responses) {
  constexpr std::size_t kFewest = 6;
  constexpr double kMost = 1e4;  // times the largest of those
  const std::size_t samples = responses.samples();
  Vector largest(responses.values, 0.0);
  for (std::size_t n = 0; n < samples; ++n)
    for (std::size_t k = 0; k < responses.disturbances; ++k)
      for (std::size_t i = 0; i < responses.values; ++i) {
        const double size = std::fabs(responses.numbers[(n * responses.disturbances + k) * responses.values + i]);
        if (n < kFewest)
          largest[i] = std::fmax(largest[i], size);
        else if (size > std::fmax(kMost * largest[i], responses.noise[i]))
          return n;
      }
  return samples;
}

}  // namespace

struct ProbedRecursion::Impl {
  Impl(coupling::System coupled, const Settings& settings, core::Log& log, RecursionSettings recursion)
      : how(recursion),
        length(settings.step),
        approach((requireProbes(coupled), std::move(coupled)), settings, how.at, log),
        network(approach.network()),
        point(network),
        first(approach, disturbing(settings.algorithm)),
        step(approach, settings.algorithm),
        directions(disturbances(network.outputs().size())) {
    if (point.unsaved())
      throw core::InputError(approach.describe(point.unsaved()).message, "Probes begin at a saved state.");
    if (directions.empty())
      throw core::InputError("No subsystem passes a value on, so there is nothing to probe.",
                             "Connect subsystems, or use native models, whose own states are known.");
  }

  void requireLength(double H) const;
  void putBack();
  bool goOn(unsigned steps, double H);
  bool disturb(const Vector& direction, double by, double H, unsigned delay);
  std::vector<Vector> follow(const Vector& direction, double by, double H, const Look& look, unsigned delay);
  core::Responses respond(double H, const Look& look, unsigned delay);
  std::optional<core::LargestModulus> radiusBy(const Look& look, double H);
  double openTowardsLimit(const core::LargestModulus& radius) const;

  RecursionSettings how;
  double length;  ///< s, of the settings' steps
  Approach approach;
  coupling::Network& network;
  ReturnPoint point;
  RecursionStep first;
  RecursionStep step;
  std::vector<Vector> directions;
};

void ProbedRecursion::Impl::requireLength(double H) const {
  if (!(H > 0.0 && std::isfinite(H)))
    throw core::InputError(fmt::format("A macro step of {} s is no step.", core::text(H)), "Give a length above 0.");
  if (H == length) return;
  for (const coupling::Member& member : approach.system().members)
    if (!member.subsystem->describe().capabilities.variableStep)
      throw core::InputError(fmt::format("'{}' takes steps of one length only, {} s, not {} s.", member.name,
                                         core::text(length), core::text(H)),
                             "Ask for find = \"spectral-radius\" at simulation.step.");
}

void ProbedRecursion::Impl::putBack() {
  if (const coupling::Fault fault = point.putBack())
    throw core::InputError(approach.describe(fault).message, "Probes begin at a saved state.");
}

/// From the instant so many steps on, and whether values are still numbers then.
bool ProbedRecursion::Impl::goOn(unsigned steps, double H) {
  putBack();
  step.begin(approach.instant(), H, approach.earlier(H, step.earlierSamples()));
  for (unsigned n = 0; n < steps; ++n) {
    const double t = approach.instant() + n * H;
    if (!step.take(t, H, n == 0)) return false;
    step.accept(t + H);
  }
  return true;
}

/// One step with held inputs from outputs that are off, and whether values are still numbers then.
bool ProbedRecursion::Impl::disturb(const Vector& direction, double by, double H, unsigned delay) {
  if (!goOn(delay, H)) return false;
  const double t = approach.instant() + delay * H;
  Vector earlier(network.outputs().begin(), network.outputs().end());
  const Vector past = delay > 0 ? step.earlier(t, H) : approach.earlier(H, step.earlierSamples());
  earlier.insert(earlier.end(), past.begin(), past.end());
  earlier.resize(past.size());
  for (std::size_t i = 0; i < direction.size(); ++i)
    network.outputs()[i] += by * direction[i] * std::fmax(std::fabs(point.outputs()[i]), approach.nominalOf(i));
  first.begin(t, H, {});
  if (!first.take(t, H, delay == 0)) return false;
  first.accept(t + H);
  step.begin(t + H, H, earlier);
  return true;
}

/// All outputs after the disturbance and every so many steps later; fewer samples where values explode.
std::vector<Vector> ProbedRecursion::Impl::follow(const Vector& direction, double by, double H, const Look& look,
                                                  unsigned delay) {
  if (!disturb(direction, by, H, delay)) return {};
  std::vector<Vector> samples{Vector(network.outputs().begin(), network.outputs().end())};
  const std::size_t steps = (look.samples - 1) * look.apart;
  for (std::size_t n = 1; n <= steps; ++n) {
    const double t = approach.instant() + static_cast<double>(delay + n) * H;
    if (!step.take(t, H, false)) break;
    step.accept(t + H);
    if (n % look.apart == 0) samples.emplace_back(network.outputs().begin(), network.outputs().end());
  }
  return samples;
}

core::Responses ProbedRecursion::Impl::respond(double H, const Look& look, unsigned delay) {
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  std::vector<std::vector<Vector>> above;
  std::vector<std::vector<Vector>> below;
  std::size_t samples = look.samples;
  for (const Vector& direction : directions) {
    above.push_back(follow(direction, how.increment, H, look, delay));
    below.push_back(follow(direction, -how.increment, H, look, delay));
    samples = std::min({samples, above.back().size(), below.back().size()});
  }
  core::Responses responses{network.outputs().size(), directions.size(), {}, Vector(network.outputs().size(), 0.0)};
  for (std::size_t n = 0; n < samples; ++n)
    for (std::size_t k = 0; k < directions.size(); ++k)
      for (std::size_t i = 0; i < responses.values; ++i) {
        responses.numbers.push_back(0.5 * (above[k][n][i] - below[k][n][i]));
        responses.noise[i] = std::fmax(responses.noise[i], kRounding * std::fabs(above[k][n][i]));
      }
  return responses.first(samplesBeforeGrowth(responses));
}

/// Absent where a model that moves on has become another one meanwhile, or values explode.
std::optional<core::LargestModulus> ProbedRecursion::Impl::radiusBy(const Look& look, double H) {
  constexpr double kResolved = 1e-7;
  constexpr double kAnother = 0.2;
  const core::Responses responses = respond(H, look, 0);
  if (responses.samples() == 0) return std::nullopt;
  // A linear model answers half a look later as it does now. What differs is no mode of it.
  const double moved = core::partBetween(responses, respond(H, look, halfOf(responses.samples(), look)));
  if (look.samples > kLooks.front().samples && !(moved < kAnother)) return std::nullopt;
  const std::optional<core::LargestModulus> modulus = core::largestModulus(responses, std::fmax(kResolved, moved));
  if (!modulus) return std::nullopt;
  const auto perStep = [&](double ofSamples) { return std::pow(ofSamples, 1.0 / look.apart); };
  return core::LargestModulus{perStep(modulus->value), perStep(modulus->least), perStep(modulus->most)};
}

/// By how much it may be less where it is unstable, and more where it is stable: beyond the limit is another verdict.
double ProbedRecursion::Impl::openTowardsLimit(const core::LargestModulus& radius) const {
  return how.isStable(radius.value) ? radius.most - radius.value : radius.value - radius.least;
}

ProbedRecursion::ProbedRecursion(coupling::System system, Settings settings, core::Log& log, RecursionSettings how) {
  settings = withTestedSteps(std::move(settings), system, log);
  impl_ = std::make_unique<Impl>(std::move(system), settings, log, how);
}

ProbedRecursion::~ProbedRecursion() = default;
ProbedRecursion::ProbedRecursion(ProbedRecursion&&) noexcept = default;

ProbedRadius ProbedRecursion::spectralRadius(double H) {
  impl_->requireLength(H);
  constexpr double kResolution = 1e-9;  // of many looks some agree by chance
  ProbedRadius result{0.0, HUGE_VAL, 0};
  double lastChange = HUGE_VAL;
  double open = 0.0;
  for (const Look& look : kLooks) {
    const std::optional<core::LargestModulus> radius = impl_->radiusBy(look, H);
    const bool isFirst = result.steps == 0;
    if (!radius && isFirst) return {HUGE_VAL, 0.0, look.samples};                   // gone within so few steps
    if (!radius) return {result.value, std::fmax(lastChange, open), result.steps};  // there is no third one
    const double change = isFirst ? HUGE_VAL : std::fmax(kResolution, std::fabs(radius->value - result.value));
    open = impl_->openTowardsLimit(*radius);
    result = {radius->value, std::max({change, lastChange, open}), look.samples * look.apart};
    if (isCertain(result)) break;
    lastChange = change;
  }
  return result;
}

bool ProbedRecursion::isCertain(const ProbedRadius& radius) const {
  constexpr double kMargin = 10.0;
  return std::fabs(radius.value - impl_->how.largestStableRadius()) > kMargin * radius.uncertainty;
}

bool ProbedRecursion::isStable(const ProbedRadius& radius) const {
  return impl_->how.isStable(radius.value) || !isCertain(radius);
}

double ProbedRecursion::instant() const {
  return impl_->approach.instant();
}

std::optional<double> ProbedRecursion::criticalStep(StepRange range) {
  return run::criticalStep(range, [this](double H) { return isStable(spectralRadius(H)); });
}

}  // namespace koppla::run
