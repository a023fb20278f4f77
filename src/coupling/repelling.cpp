#include "koppla/coupling/repelling.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "koppla/core/eigenvalues.hpp"

namespace koppla::coupling {

namespace {

using Evaluation = LoopEvaluations::Evaluation;

/// From one evaluation to the next.
struct Movement {
  std::vector<double> sent;
  std::vector<double> answered;

  Movement(const Evaluation& from, const Evaluation& to) : sent(to.sent), answered(to.answered) {
    for (std::size_t i = 0; i < sent.size(); ++i) {
      sent[i] -= from.sent[i];
      answered[i] -= from.answered[i];
    }
  }
  [[nodiscard]] double slope() const { return product(answered, sent) / product(sent, sent); }
  /// Answers move along what was sent, or back.
  [[nodiscard]] bool isStraight() const { return areParallel(sent, answered); }
  [[nodiscard]] bool isAlong(const Movement& other) const { return areParallel(sent, other.sent); }

 private:
  [[nodiscard]] static double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
  [[nodiscard]] static bool areParallel(const std::vector<double>& a, const std::vector<double>& b) {
    constexpr double kParallel = 0.99;  // cosine
    return std::fabs(product(a, b)) > kParallel * std::sqrt(product(a, a) * product(b, b));
  }
};

}  // namespace

std::optional<Repelling> repellingBy(std::span<const double> matrix, std::span<const std::size_t> values) {
  constexpr double kNoiseOfDifferences = 1e-6;  // of derivatives by differences
  const std::optional<core::Modes> modes = core::modes(matrix);
  if (!modes) return std::nullopt;
  std::optional<Repelling> found;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::complex<double>& slope = modes->values[k];
    const bool isReal = std::fabs(slope.imag()) <= kNoiseOfDifferences * std::abs(slope);
    if (!isReal || !(slope.real() > std::max(1.0 + kNoiseOfDifferences, found ? found->slope : 0.0))) continue;
    const auto direction = std::span(modes->vectors).subspan(k * values.size(), values.size());
    const auto most = std::ranges::max_element(direction, {}, [](const auto& part) { return std::abs(part); });
    found = {values[static_cast<std::size_t>(most - direction.begin())], slope.real()};
  }
  return found;
}

std::optional<Repelling> repellingBy(const LoopEvaluations& seen) {
  constexpr double kDiffers = 1e-3;  // of slopes: printed answers have few digits
  const std::vector<Evaluation>& all = seen.evaluations;
  if (all.size() < 3) return std::nullopt;
  const Movement last(all[all.size() - 2], all.back());
  if (!last.isStraight() || !(last.slope() > 1.0)) return std::nullopt;
  for (std::size_t i = 1; i + 1 < all.size(); ++i) {
    const Movement before(all[i - 1], all[i]);
    if (!before.isStraight() || !before.isAlong(last)) continue;
    if (std::fabs(before.slope() - last.slope()) <= kDiffers * last.slope()) continue;
    const auto most = std::ranges::max_element(last.sent, {}, [](double moved) { return std::fabs(moved); });
    return Repelling{seen.cut[static_cast<std::size_t>(most - last.sent.begin())], last.slope()};
  }
  return std::nullopt;
}

}  // namespace koppla::coupling
