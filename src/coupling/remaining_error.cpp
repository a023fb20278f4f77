#include "koppla/coupling/remaining_error.hpp"

#include <algorithm>
#include <cmath>

namespace koppla::coupling {

void RemainingError::begin() {
  seen_ = false;
}

void RemainingError::firstMove(std::span<const double> from, std::span<const double> to) {
  seen_ = true;
  std::ranges::copy(from, from_.begin());
  std::ranges::copy(to, to_.begin());
}

/// Values of zero that have never been anything else, and those that nobody tests, are taken as they are.
double RemainingError::weight(std::size_t i, double value) const {
  const double allowed = tolerance_.allowed(value, sizes_[i]);
  return allowed > 0.0 ? 1.0 / allowed : 1.0;
}

/// |after| / |before| with before = b - a, after = d - c; negative where they point in opposite directions, nothing
/// where `before` is rounding.
std::optional<double> RemainingError::ratio(const Moves& moves) const {
  constexpr double kRounding = 1e-13;  // moves below that share of a value tell nothing
  constexpr double kTurned = -0.9;     // cosine
  double product = 0.0;
  double last = 0.0;
  double next = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < moves.a.size(); ++i) {
    const double w = weight(i, moves.d[i]);
    const double before = w * (moves.b[i] - moves.a[i]);
    const double after = w * (moves.d[i] - moves.c[i]);
    product += before * after;
    last += before * before;
    next += after * after;
    size += w * moves.d[i] * w * moves.d[i];
  }
  if (!(last > kRounding * kRounding * size)) return std::nullopt;
  const double theta = std::sqrt(next / last);
  return product < kTurned * std::sqrt(last * next) ? -theta : theta;
}

bool RemainingError::estimate(const Belief& belief, std::span<double> errors) {
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = belief.solution[i] - belief.answered[i];
  double share = 0.0;
  if (belief.sentBefore.empty()) {
    if (!share_ || age_ >= kMostAge) return false;
    if (!belief.knowsSlopes) share = *share_;
  } else if (!belief.knowsSlopes) {
    const std::optional<double> theta = ratio({belief.sentBefore, belief.sent, belief.sent, belief.solution});
    if (theta && !(*theta < 1.0)) return false;
    if (theta) share = *theta / (1.0 - *theta);
  }
  if (share == 0.0) return true;
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] += share * (belief.solution[i] - belief.sent[i]);
  return true;
}

void RemainingError::accept(std::span<const double> solution) {
  age_ = seen_ ? 0 : age_ + 1;
  if (!seen_) return;
  if (!share_) share_ = 0.0;
  if (solution.empty()) return;
  if (const std::optional<double> left = ratio({from_, to_, to_, solution})) share_ = left;
}

bool RemainingError::scatters(const Belief& belief, std::span<const double> answeredBefore) const {
  constexpr double kAligned = 0.5;  // cosine
  constexpr double kFallen = 0.1;
  if (belief.sentBefore.empty()) return false;
  double product = 0.0;
  double now = 0.0;
  double before = 0.0;
  for (std::size_t i = 0; i < belief.sent.size(); ++i) {
    const double w = weight(i, belief.answered[i]);
    const double r = w * (belief.answered[i] - belief.sent[i]);
    const double rBefore = w * (answeredBefore[i] - belief.sentBefore[i]);
    product += r * rBefore;
    now += r * r;
    before += rBefore * rBefore;
  }
  return product < kAligned * std::sqrt(now * before) && now > kFallen * kFallen * before;
}

}  // namespace koppla::coupling
