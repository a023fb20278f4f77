#include "koppla/coupling/seen_slopes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace koppla::coupling {

namespace {

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtract(double factor, std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] -= factor * from[i];
}

constexpr std::size_t kMostPairs = 24;
constexpr double kRoundingOfValues = 1e-15;   ///< of values
constexpr double kRoundingOfChanges = 1e-13;  ///< changes below that share of a value tell nothing
constexpr double kUnseen = 1e5;  ///< by how much answers may be further from the solution than what is unexplained
constexpr double kContradiction = 0.5;  ///< share of a move that should have been another one

}  // namespace

SeenSlopes::SeenSlopes(const core::Tolerance& tolerance, std::span<const double> sizes)
    : size_(sizes.size()), tolerance_(tolerance), sizes_(sizes), weights_(size_), v_(size_), d_(size_) {
  constexpr std::size_t kMostNumbers = 1U << 23;  // 64 MiB, of which two make a pair
  const std::size_t room = size_ > 0 ? kMostNumbers / (2 * size_) : 0;
  pairs_.resize(std::min(2 * size_, std::clamp(room, std::size_t{2}, kMostPairs)));
  for (Pair& pair : pairs_) pair = {std::vector<double>(size_), std::vector<double>(size_)};
  order_.reserve(pairs_.size());
  basis_.resize(2 * size_ * std::min(size_, pairs_.size()));
}

void SeenSlopes::begin() {
  longest_ = 0.0;
  left_ = 0.0;
  stays_ = 0;
  distrusted_ = false;
  if (size_ == 1) {
    move_ = keptMove_;
    learned_ = 0;
    return;
  }
  if (learned_ == 0) return;
  next_ = (next_ + pairs_.size() - learned_) % pairs_.size();
  count_ -= learned_;
  learned_ = 0;
}

/// Not in every step: lengths that are kept have to be comparable.
void SeenSlopes::weigh(std::span<const double> answered) {
  if (std::exchange(weighed_, true)) return;
  for (std::size_t i = 0; i < size_; ++i) weights_[i] = tolerance_.weight(answered[i], sizes_[i]);
}

void SeenSlopes::weighed(const Pair& pair, std::span<double> v, std::span<double> d) const {
  for (std::size_t i = 0; i < size_; ++i) {
    v[i] = weights_[i] * pair.v[i];
    d[i] = weights_[i] * pair.d[i];
  }
}

void SeenSlopes::learnOne(double sentBefore, double answeredBefore, double sent, double answered) {
  const double d = sent - sentBefore;
  const double v = answered - answeredBefore - d;
  if (!(std::fabs(v) > kRoundingOfChanges * (std::fabs(sent) + std::fabs(answered))) || !std::isfinite(v)) return;
  const double before = std::exchange(move_, d / v);
  contradicted_ = isKnown() && std::fabs(move_ - before) > kContradiction * std::fabs(move_);
  learned_ = 1;
}

void SeenSlopes::learn(std::span<const double> sentBefore, std::span<const double> answeredBefore,
                       std::span<const double> sent, std::span<const double> answered) {
  if (size_ == 1) return learnOne(sentBefore[0], answeredBefore[0], sent[0], answered[0]);
  weigh(answered);
  Pair& pair = pairs_[next_];
  double size = 0.0;
  double change = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    pair.d[i] = sent[i] - sentBefore[i];
    pair.v[i] = answered[i] - answeredBefore[i] - pair.d[i];
    size += weights_[i] * weights_[i] * (sent[i] * sent[i] + answered[i] * answered[i]);
    change += weights_[i] * weights_[i] * pair.v[i] * pair.v[i];
  }
  if (!(change > kRoundingOfChanges * kRoundingOfChanges * size) || !std::isfinite(change)) return;
  pair.step = step_;
  pair.rounding = kRoundingOfValues * std::sqrt(size / change);
  next_ = (next_ + 1) % pairs_.size();
  count_ = std::min(count_ + 1, pairs_.size());
  learned_ = std::min(learned_ + 1, pairs_.size());
}

void SeenSlopes::explain(std::span<double> v, std::span<double> d) {
  for (std::size_t k = 0; k < directions_; ++k) {
    const double part = product(q(k), v);
    subtract(part, q(k), v);
    subtract(part, m(k), d);
  }
}

/// The most precise pairs first: in steps that are long past slopes were others, and small changes drown in rounding.
void SeenSlopes::order(std::size_t skipped) {
  constexpr double kWorse = 1e-4;  // with every step
  order_.clear();
  const std::size_t counting = startsAnew() ? learned_ : count_;
  for (std::size_t i = skipped; i < counting; ++i) {
    const Pair& pair = newest(i);
    order_.push_back({pair.rounding + kWorse * static_cast<double>(step_ - pair.step), &pair});
  }
  std::ranges::sort(order_, {}, &Ordered::imprecision);
}

void SeenSlopes::findBasis(std::size_t skipped) {
  constexpr double kLeast = 1e-6;
  order(skipped);
  directions_ = 0;
  for (const Ordered& next : order_) {
    if (directions_ == size_ || 2 * directions_ * size_ == basis_.size()) return;
    const std::span<double> v = q(directions_);
    const std::span<double> d = m(directions_);
    weighed(*next.pair, v, d);
    const double whole = std::sqrt(product(v, v));
    explain(v, d);
    const double length = std::sqrt(product(v, v));
    if (!(length > (kLeast + next.imprecision) * whole)) continue;
    for (double& value : v) value /= length;
    for (double& value : d) value /= length;
    ++directions_;
  }
}

bool SeenSlopes::estimate(std::span<const double> sent, std::span<const double> answered, std::span<double> errors,
                          std::span<double> unexplained) {
  if (size_ == 1) {
    errors[0] = -(answered[0] - sent[0]) * (move_ + 1.0);
    unexplained[0] = 0.0;
    const double size = std::fabs(sent[0]) + std::fabs(answered[0]);
    return isKnown() || std::fabs(answered[0] - sent[0]) <= kRoundingOfChanges * size;
  }
  weigh(answered);
  findBasis(0);
  for (std::size_t k = 0; k < directions_; ++k) longest_ = std::max(longest_, std::sqrt(product(m(k), m(k))));
  double size = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    unexplained[i] = weights_[i] * (answered[i] - sent[i]);
    errors[i] = -unexplained[i];
    size += weights_[i] * weights_[i] * answered[i] * answered[i];
  }
  const bool tellsNothing = product(unexplained, unexplained) <= kRoundingOfChanges * kRoundingOfChanges * size;
  explain(unexplained, errors);
  // e = -sum (q r) (m + q): errors are -r - sum (q r) m so far.
  for (std::size_t i = 0; i < size_; ++i) errors[i] += unexplained[i];
  const double left = product(unexplained, unexplained);
  constexpr double kFalls = 0.25;  // to less than half
  const double before = std::exchange(left_, left);
  stays_ = before > 0.0 && left > kFalls * before ? stays_ + 1 : 0;
  const bool isRounding = (tellsNothing && !isKnown()) || left <= kRoundingOfValues * kRoundingOfValues * size;
  for (std::size_t i = 0; i < size_; ++i) {
    errors[i] /= weights_[i];
    unexplained[i] = isRounding ? 0.0 : unexplained[i] / weights_[i];
  }
  return isKnown() || tellsNothing;
}

/// Of few directions all are seen before long, so that iterations may go on until none is left that could matter. Of
/// many that never happens; but what is left of the first residual when it has become so small was not far to begin
/// with, unless it stays: that is a direction in which answers follow what is sent.
double SeenSlopes::doubt() const {
  constexpr std::size_t kFew = 8;
  constexpr unsigned kStays = 3;  // estimates in a row
  constexpr double kUnseenOfMany = 100.0;
  double unseen = 1.0;
  if (startsAnew()) unseen = size_ <= kMostPairs ? kUnseen : kUnseenOfMany;
  if (size_ <= kFew || stays_ >= kStays) unseen = kUnseen;
  return std::max({unseen, longest_, kept_});
}

double SeenSlopes::longestMove() const {
  return std::max({hasLearned_ ? 1.0 : kUnseen, longest_, kept_});
}

bool SeenSlopes::contradicted() {
  if (learned_ == 0) return false;
  if (size_ == 1) return contradicted_;
  findBasis(1);
  weighed(newest(0), v_, d_);
  const double whole = std::sqrt(product(d_, d_));
  explain(v_, d_);
  const double contradicting = std::sqrt(product(d_, d_));
  return contradicting > kContradiction * whole && contradicting > longestMove() * std::sqrt(product(v_, v_));
}

void SeenSlopes::accept() {
  ++step_;
  if (learned_ == 0) return;
  keptMove_ = move_;
  if (startsAnew()) count_ = learned_;
  hasLearned_ = true;
  learned_ = 0;
  kept_ = std::max(longest_, 0.95 * kept_);
}

}  // namespace koppla::coupling
