#pragma once

#include <optional>
#include <span>
#include <vector>

#include "koppla/core/weighted_norm.hpp"

namespace koppla::coupling {

/// One evaluation x = F(u) of an iteration, and what the iteration makes of it.
struct Belief {
  std::span<const double> sent;        ///< u
  std::span<const double> answered;    ///< x
  std::span<const double> solution;    ///< p, where it takes the solution to be
  std::span<const double> sentBefore;  ///< in the evaluation before; empty in the first one of a step
  bool knowsSlopes = false;            ///< p rests on slopes in all directions
};

/// How far answers are from the solution. A small residual does not tell: with a slope g of the loop it is 1 - g times
/// the distance. An iteration that knows the slopes leaves e = p - x. One that does not shows by its moves, p - u after
/// u - u_before, what it will still do; with their ratio theta, negative where they turn round,
///
///     e = (p - x) + theta / (1 - theta) (p - u)
///
/// exact for one value and any relaxation: p = u + omega (x - u) gives e = g / (1 - g) (x - u). Where moves do not get
/// shorter, nothing is known. In the first evaluation of a step there is no move before; what counts then is how far
/// the iterations of the last steps still went after their first move, unless that was long ago.
class RemainingError {
 public:
  /// In tolerances: residuals that count for nothing, since no slope so near 1 could be seen.
  static constexpr double kNegligible = 1e-9;
  /// Accepted steps after which what was seen counts no longer: the system may be elsewhere. Where steps take one
  /// evaluation, one in so many takes two.
  static constexpr unsigned kMostAge = 16;

  /// Of so many values; those of different units are compared by their tolerances, which follow `sizes`.
  RemainingError(const core::Tolerance& tolerance, std::span<const double> sizes)
      : tolerance_(tolerance), sizes_(sizes), from_(sizes.size()), to_(sizes.size()) {}

  /// A step begins.
  void begin();
  /// The errors of the answers; false where they are not known.
  [[nodiscard]] bool estimate(const Belief& belief, std::span<double> errors);
  /// What was sent in the first two evaluations of a step.
  void firstMove(std::span<const double> from, std::span<const double> to);
  /// The step is kept, with the solution there; none is needed where slopes are known.
  void accept(std::span<const double> solution = {});
  /// Whether the residuals of two evaluations point anywhere and are of one size: what is left of an iteration when it
  /// has come to where the answers themselves are not exact any more.
  [[nodiscard]] bool scatters(const Belief& belief, std::span<const double> answeredBefore) const;

 private:
  struct Moves {  ///< from a to b, and from c to d
    std::span<const double> a, b, c, d;
  };
  [[nodiscard]] double weight(std::size_t i, double value) const;
  [[nodiscard]] std::optional<double> ratio(const Moves& moves) const;

  core::Tolerance tolerance_;
  std::span<const double> sizes_;
  std::optional<double> share_;  ///< of the first move, which was left in the last step that had more than one
  std::vector<double> from_;     ///< the first move of this step
  std::vector<double> to_;
  bool seen_ = false;  ///< there was one
  unsigned age_ = 0;   ///< accepted steps since the last one with it
};

}  // namespace koppla::coupling
