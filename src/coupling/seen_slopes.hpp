#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "koppla/core/weighted_norm.hpp"

namespace koppla::coupling {

/// What the evaluations x = F(u) of a loop of few values have shown of its slopes, whoever chose what was sent. Between
/// two of them u moves by d and the residual r = x - u by v = (J - I) d. From the most precise pair on, such
/// changes make an orthonormal basis q of residuals, each with the move m that changes the residual by it. What is
/// nearly in the span of others is left out, more so the older it is, since J may have changed, or the smaller, since
/// it is rounding then. The solution is
/// expected at u - sum (q r) m, so that answers are wrong by
///
///     e = -sum (q r) (m + q)
///
/// and by an unknown multiple of what no q explains of r: the longest m seen tells how much that may be. All this after
/// each value was divided by its tolerance: those of the present for all pairs, however old.
class SeenSlopes {
 public:
  /// Values of different units are compared by their tolerances, which follow `sizes`.
  SeenSlopes(const core::Tolerance& tolerance, std::span<const double> sizes);
  /// The sizes are others than before.
  void weighAnew() { weighed_ = false; }

  /// A step begins: what one that was thrown away has shown is forgotten.
  void begin();
  /// In this step nothing of what earlier ones have shown counts: directions are to be seen again.
  void distrust() {
    distrusted_ = true;
    left_ = 0.0;
    stays_ = 0;
  }
  /// Two evaluations in a row.
  void learn(std::span<const double> sentBefore, std::span<const double> answeredBefore, std::span<const double> sent,
             std::span<const double> answered);
  /// The errors of answers, and what no pair explains of their residual; false where nothing was seen yet, unless the
  /// residual is so small that further evaluations would show nothing either.
  [[nodiscard]] bool estimate(std::span<const double> sent, std::span<const double> answered, std::span<double> errors,
                              std::span<double> unexplained);
  /// By how much an unexplained part of the residual may be smaller than the error that belongs to it.
  [[nodiscard]] double doubt() const;
  /// The last two evaluations have contradicted what was seen before, by more than directions that were not seen yet
  /// could explain: answers are not exact.
  [[nodiscard]] bool contradicted();
  /// The step is kept.
  void accept();

 private:
  struct Pair {
    std::vector<double> v;
    std::vector<double> d;
    std::uint64_t step = 0;
    double rounding = 0.0;  ///< of v, relative
  };
  struct Ordered {
    double imprecision;
    const Pair* pair;
  };

  [[nodiscard]] double longestMove() const;
  void weigh(std::span<const double> answered);
  /// v and d of a pair, in tolerances.
  void weighed(const Pair& pair, std::span<double> v, std::span<double> d) const;
  /// All pairs that count but the newest `skipped`.
  void order(std::size_t skipped);
  /// Of the same.
  void findBasis(std::size_t skipped);
  /// Takes from v what the basis explains, and from d the moves that belong to it.
  void explain(std::span<double> v, std::span<double> d);
  // One value needs neither a basis nor weights.
  void learnOne(double sentBefore, double answeredBefore, double sent, double answered);
  [[nodiscard]] bool isKnown() const { return learned_ > 0 || !startsAnew(); }
  [[nodiscard]] bool startsAnew() const { return distrusted_ || !hasLearned_; }
  [[nodiscard]] Pair& newest(std::size_t before) {
    return pairs_[(next_ + 2 * pairs_.size() - 1 - before) % pairs_.size()];
  }
  [[nodiscard]] std::span<double> q(std::size_t k) { return {basis_.data() + 2 * k * size_, size_}; }
  [[nodiscard]] std::span<double> m(std::size_t k) { return {basis_.data() + (2 * k + 1) * size_, size_}; }

  std::size_t size_;
  core::Tolerance tolerance_;
  std::span<const double> sizes_;
  std::vector<Pair> pairs_;     ///< a ring
  std::size_t next_ = 0;        ///< place of the pair that comes next
  std::size_t count_ = 0;       ///< of pairs
  std::vector<Ordered> order_;  ///< scratch
  std::vector<double> basis_;
  std::size_t directions_ = 0;  ///< of the basis
  bool weighed_ = false;
  std::vector<double> weights_;  ///< by value
  std::vector<double> v_;        ///< scratch
  std::vector<double> d_;        ///< scratch
  double move_ = 0.0;            ///< of one value: m q
  double keptMove_ = 0.0;        ///< the same at the end of the last accepted step
  bool contradicted_ = false;    ///< of one value
  std::uint64_t step_ = 0;       ///< accepted steps
  std::size_t learned_ = 0;      ///< pairs in this step
  bool hasLearned_ = false;      ///< in accepted steps
  bool distrusted_ = false;      ///< these do not count
  double longest_ = 0.0;         ///< |m| in this step
  double left_ = 0.0;            ///< squared norm of what the last estimate of this step did not explain
  unsigned stays_ = 0;           ///< estimates in a row in which that hardly became less
  double kept_ = 0.0;            ///< and in accepted ones, half as much after each further one that tells
};

}  // namespace koppla::coupling
