#include "koppla/coupling/loop_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "koppla/core/weighted_norm.hpp"
#include "koppla/coupling/accelerator.hpp"
#include "koppla/coupling/printed_digits.hpp"
#include "koppla/coupling/seen_slopes.hpp"
#include "koppla/coupling/sizes.hpp"
#include "koppla/coupling/slope_trust.hpp"

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

/// Where a residual is so small that the next answers would differ by rounding only, and nothing is known of the loop
/// yet, a move by one tolerance shows its slope.
std::vector<double> beside(const std::vector<double>& sent, const std::vector<double>& residual, double norm) {
  std::vector<double> moved = sent;
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += residual[i] / norm;
  return moved;
}

/// How far the answers of an iteration are from the solution, as those over a step are judged.
class LoopDistance {
 public:
  using Evaluation = LoopEvaluations::Evaluation;

  LoopDistance(std::span<const std::size_t> cut, const AlgorithmSettings& settings, std::span<const double> sizes)
      : norm_(settings.norm), tolerance_{settings.rtol, settings.atol}, sizes_(sizes) {
    if (settings.test == ConvergenceTest::residual || cut.empty()) return;
    slopes_.emplace(tolerance_, sizes);
  }

  void learn(const Evaluation& before, const Evaluation& now) {
    if (slopes_) slopes_->learn(before.sent, before.answered, now.sent, now.answered);
  }
  /// In tolerances, of answers whose residual has such a norm; infinite where nobody knows.
  [[nodiscard]] double of(const Evaluation& now, double residual) {
    if (!slopes_ || residual > 1.0 || residual <= SlopeTrust::kNegligible) return residual;
    std::vector<double> errors(sizes_.size());
    std::vector<double> unexplained(sizes_.size());
    const bool known = slopes_->estimate(now.sent, now.answered, errors, unexplained);
    scattered_ = slopes_->contradicted() ? scattered_ + 1 : 0;
    if (!known) return HUGE_VAL;
    return std::max(residual, norm(errors, now) + slopes_->doubt() * norm(unexplained, now));
  }
  [[nodiscard]] bool scatters() const {
    constexpr unsigned kMost = 5;  // evaluations in a row
    return scattered_ >= kMost;
  }
  /// What so many printed digits leave open, after all of these evaluations.
  [[nodiscard]] double open(unsigned digits, std::span<const Evaluation> seen) const {
    if (!slopes_) return 0.0;
    PrintedDigits printed(tolerance_, sizes_);
    printed.know(digits);
    for (std::size_t i = 1; i < seen.size(); ++i)
      printed.learn(seen[i - 1].sent, seen[i - 1].answered, seen[i].sent, seen[i].answered);
    return printed.leaveOpen(seen.back().answered);
  }

 private:
  [[nodiscard]] double norm(std::span<const double> errors, const Evaluation& now) const {
    return core::weightedNorm(norm_, tolerance_, errors, now.answered, sizes_);
  }

  core::Norm norm_;
  core::Tolerance tolerance_;
  std::span<const double> sizes_;
  std::optional<SeenSlopes> slopes_;
  unsigned scattered_ = 0;
};

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
  LoopDistance distance(cut, settings, sizes);
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
    const double norm = core::weightedNorm(settings.norm, tolerance, residual, sent, sizes);
    std::vector<LoopEvaluations::Evaluation>& seen = result.seen.evaluations;
    seen.push_back({sent, answered});
    if (seen.size() > 1) distance.learn(seen[seen.size() - 2], seen.back());
    const double error = distance.of(seen.back(), norm);
    result.scatters = error > norm && distance.scatters();
    result.norm = result.scatters ? norm : error;
    if (result.iterations == 1) first = norm;
    if (bestAt == 0 || norm < kFalls * best) {
      best = norm;
      bestAt = result.iterations;
    }
    const bool solved = result.norm <= 1.0;
    const bool lost = !(norm <= kLost * std::max(first, 1.0));
    if (solved || lost || result.iterations >= settings.maxIterations || result.iterations - bestAt >= kPatience) {
      result.coarsest = fewestDigits(network, printedAmong(network, values));
      if (result.coarsest) result.open = distance.open(network.digitsOf(*result.coarsest), seen);
      write(network, cut, sent);  // what everybody was evaluated with
      return result;
    }
    accelerator->learn(sent, answered);
    accelerator->propose(answered);
    const bool seesNothing = norm <= 1.0 && !std::isfinite(error);
    write(network, cut, seesNothing ? beside(sent, residual, norm) : answered);
  }
}

}  // namespace koppla::coupling
