#pragma once

#include <cmath>
#include <cstdint>

#include "koppla/run/probed_recursion.hpp"

namespace koppla::run::detail {

/// A spectral radius as looks show it, each of which reaches farther than the one before.
class RadiusLooks {
 public:
  /// What a look of so many macro steps has shown.
  void add(double radius, std::uint64_t steps);

  [[nodiscard]] bool none() const { return steps_ == 0; }
  /// While there may be more: of two alone nobody knows whether they agree by chance.
  [[nodiscard]] ProbedRadius soFar() const { return {radius_, std::fmax(change_, changeBefore_), steps_}; }
  /// Where no look follows any more: of two the difference is all there is, and all that counts where growth
  /// is plain; else it is as before.
  [[nodiscard]] ProbedRadius last() const;

 private:
  double radius_ = 0.0;
  double change_ = HUGE_VAL;
  double changeBefore_ = HUGE_VAL;
  std::uint64_t steps_ = 0;
};

}  // namespace koppla::run::detail
