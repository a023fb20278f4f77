#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "koppla/coupling/approximation.hpp"

namespace koppla::coupling {

/// Pairs of differences, of the residual (v) and of the answers (w), between successive iterations, and what they tell
/// of the next step. With J the map from v to w,
///
///     J r  is estimated by  W c,    c = c0 + (V^T V + D)^-1 D c0,    c0 = (V^T V + D)^-1 V^T r
///
/// with columns v of length one: W c0 is the mean of J r given these pairs, if a pair is off by a relative error of
/// standard deviation sqrt(D_jj) and J is unknown else. A pair gets less reliable with every step that has passed
/// since, as the subsystems are elsewhere:
///
///     D_jj = (kPrecision (1 + age_j))^2
///
/// The second term treats what c0 leaves over, r - V c0, in the same way: a linear problem is then solved to D^2
/// instead of D, where r is in the span of the pairs. Nothing has to be filtered: pairs that say nearly the same share
/// the weight. Work and memory are linear in the number of values; the matrix V^T V is kept and grows by one row per
/// pair.
class SecantMemory {
 public:
  /// At most `capacity` pairs of `size` values; a new one takes the place of the oldest.
  SecantMemory(std::size_t size, std::size_t capacity);

  /// Pairs are compared after the values of each field were multiplied by its weight. Forgets nothing; costs capacity
  /// times add().
  void weigh(std::span<const Block> fields, std::span<const double> weights);
  /// Of a vector, after that multiplication.
  [[nodiscard]] double length(std::span<const double> vector) const;

  /// False where v is too small to tell a direction, or not finite.
  bool add(std::span<const double> v, std::span<const double> w, std::uint64_t step);
  void forgetStep(std::uint64_t step);  ///< pairs of that step
  void clear();
  [[nodiscard]] std::size_t pairs() const { return used_.size(); }

  /// What the newest `most` pairs of a step say of directions in which the answers move away from what is sent: they
  /// change by lambda d, lambda >= 1, where that changes by d.
  struct Bounded {
    bool repels = false;    ///< there is such a direction
    bool proposed = false;  ///< `answers` has become a proposal
  };
  /// If there are any, or in any case where `always`, `answers` becomes a proposal whose factors on the residual are
  /// bounded: 1 / (1 - lambda) in directions that the pairs know, but at most `largest` for lambda > 0; 1 else. A
  /// factor below 2 cannot lead to a solution that repels (Jung, sec. 8).
  Bounded propose(std::span<const double> r, std::uint64_t step, std::size_t most, double largest, bool always,
                  std::span<double> answers) const;

  /// result -= J r; false where nothing is known or the estimate is not finite.
  bool subtract(std::span<const double> r, std::uint64_t step, std::span<double> result);

 private:
  struct Pair {
    std::vector<double> v;
    std::vector<double> w;
    std::uint64_t step = 0;
    std::uint64_t number = 0;  ///< in the order of arrival
  };

  [[nodiscard]] double product(std::span<const double> a, std::span<const double> b) const;
  [[nodiscard]] std::size_t freeSlot();
  void renewProducts(std::size_t slot);
  double& products(std::size_t a, std::size_t b) { return products_[a * capacity_ + b]; }

  std::size_t size_;
  std::size_t capacity_;
  std::vector<Block> fields_;    ///< empty: all values have weight 1
  std::vector<double> squares_;  ///< of the weights, by field
  std::vector<Pair> slots_;
  std::vector<std::size_t> used_;  ///< slots with a pair
  std::vector<double> products_;   ///< V^T V by slots, capacity x capacity
  std::vector<double> matrix_;     ///< scratch
  std::vector<double> deviations_;
  std::vector<double> right_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace koppla::coupling
