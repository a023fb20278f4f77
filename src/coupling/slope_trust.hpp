#pragma once

#include <algorithm>
#include <cstdint>

namespace koppla::coupling {

/// Whether what earlier steps have shown of a loop's slopes may be believed in the first evaluation of this one. A loop
/// whose slope has changed answers what is sent to it, and nothing of a single answer tells: at a slope g the residual
/// is 1 - g times what the prediction is off. So slopes are believed for some steps only, for more where they were the
/// same when they were seen again, and no longer where the first residual is a small part of what it was since they
/// were seen: either predictions have become better, or what was seen is over. Further evaluations tell which.
class SlopeTrust {
 public:
  /// Of slopes in a step.
  enum class Seen : std::uint8_t { nothing, same, others };

  /// In tolerances: residuals that count for nothing, since no slope so near 1 could be seen.
  static constexpr double kNegligible = 1e-9;
  /// Accepted steps for which slopes are believed, at first and at most.
  static constexpr unsigned kFirstAge = 16;
  static constexpr unsigned kMostAge = 64;
  /// Part of the first residual that may be left of it; a change that nobody sees leaves 1 / kFallen tolerances open.
  static constexpr double kFallen = 0.25;

  /// The first evaluation of a step, by the norm of its residual.
  void look(double first) { first_ = first; }
  [[nodiscard]] bool holds() const { return age_ < allowed_ && !(first_ < kFallen * largest_); }
  /// The step is kept.
  void accept(Seen seen) {
    if (seen == Seen::nothing) {
      ++age_;
      largest_ = std::max(first_, largest_);
      return;
    }
    age_ = 0;
    largest_ = first_;
    allowed_ = seen == Seen::same ? std::min(2 * allowed_, kMostAge) : kFirstAge;
  }

 private:
  unsigned age_ = 0;  ///< accepted steps since slopes were seen
  unsigned allowed_ = kFirstAge;
  double first_ = 0.0;
  double largest_ = 0.0;  ///< first residual since then
};

}  // namespace koppla::coupling
