#include "koppla/coupling/loop_iteration.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "koppla/core/weighted_norm.hpp"
#include "koppla/coupling/accelerator.hpp"
#include "koppla/coupling/sizes.hpp"

namespace koppla::coupling {

namespace {

/// The values that somebody uses before they are computed anew.
std::vector<std::size_t> cutOf(const Network& network, std::span<const std::size_t> positions,
                               std::span<const std::size_t> values) {
  std::set<std::size_t> cut;
  for (const std::size_t position : positions)
    for (const std::size_t source : network.sourcesOf(position))
      if (std::ranges::binary_search(values, source) && source >= network.outputsOf(position).first) cut.insert(source);
  return {cut.begin(), cut.end()};
}

std::vector<double> read(const Network& network, std::span<const std::size_t> values) {
  std::vector<double> result;
  for (const std::size_t value : values) result.push_back(network.outputs()[value]);
  return result;
}

void write(Network& network, std::span<const std::size_t> values, std::span<const double> numbers) {
  for (std::size_t i = 0; i < values.size(); ++i) network.outputs()[values[i]] = numbers[i];
}

/// A value that begins at zero and declares nothing has no size. Its first answer may be far from the solution: of that
/// a part, so that a solution of zero can be found at all.
void measureUnknown(std::span<double> sizes, std::span<const double> answered) {
  constexpr double kPart = 1e-3;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] == 0.0 && std::isfinite(answered[i])) sizes[i] = kPart * std::fabs(answered[i]);
}

}  // namespace

bool cannotBeDifferentiated(Network& network, std::span<const std::size_t> positions) {
  return std::ranges::any_of(positions, [&network](std::size_t position) {
    return network.subsystem(position).describe().capabilities.ownProcess;
  });
}

LoopIteration iterateLoop(Network& network, std::span<const std::size_t> positions, std::span<const std::size_t> values,
                          const AlgorithmSettings& settings, const std::function<bool(std::size_t)>& evaluate) {
  constexpr unsigned kPatience = 20;
  constexpr double kFalls = 0.9;
  constexpr double kLost = 1e6;  // beyond any first answer of a loop that is solved here
  const core::Tolerance tolerance{settings.rtol, settings.atol};
  const std::vector<std::size_t> cut = cutOf(network, positions, values);
  std::vector<double> sizes = startSizes(network, cut);
  const std::unique_ptr<Accelerator> accelerator =
      automaticAcceleration({cut.size(), portsAmong(network, cut), tolerance, sizes});
  accelerator->begin();
  LoopIteration result;
  result.seen.cut = cut;
  double first = 0.0;
  double best = 0.0;
  unsigned bestAt = 0;
  while (true) {
    ++result.iterations;
    const std::vector<double> sent = read(network, cut);
    result.evaluated = std::ranges::all_of(positions, evaluate);
    if (!result.evaluated) return result;
    std::vector<double> answered = read(network, cut);
    if (result.iterations == 1) measureUnknown(sizes, answered);
    // All other values follow from what was sent, so these tell whether everything agrees.
    std::vector<double> residual = answered;
    std::ranges::transform(residual, sent, residual.begin(), std::minus{});
    result.norm = core::weightedNorm(settings.norm, tolerance, residual, sent, sizes);
    result.seen.evaluations.push_back({sent, answered});
    if (result.iterations == 1) first = result.norm;
    if (bestAt == 0 || result.norm < kFalls * best) {
      best = result.norm;
      bestAt = result.iterations;
    }
    const bool solved = result.norm <= 1.0;
    const bool lost = !(result.norm <= kLost * std::max(first, 1.0));
    if (solved || lost || result.iterations >= settings.maxIterations || result.iterations - bestAt >= kPatience) {
      write(network, cut, sent);  // what everybody was evaluated with
      return result;
    }
    accelerator->learn(sent, answered);
    accelerator->propose(answered);
    write(network, cut, answered);
  }
}

}  // namespace koppla::coupling
