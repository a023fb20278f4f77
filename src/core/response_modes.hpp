#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace koppla::core {

/// What a linear recursion w(n+1) = M w(n) shows of itself, y(n) = C w(n), after some disturbances of w.
struct Responses {
  std::size_t values = 0;        ///< numbers in y
  std::size_t disturbances = 0;  ///< how many were tried
  /// y after every disturbance, one behind the other; then the same at the next n.
  std::vector<double> numbers{};
  std::vector<double> noise{};  ///< magnitude in every number of y; empty: none

  [[nodiscard]] std::size_t samples() const { return numbers.empty() ? 0 : numbers.size() / (values * disturbances); }
  /// The first ones only.
  [[nodiscard]] Responses first(std::size_t samples) const;
};

/// The largest |eigenvalue|, and between what it may be because modes were followed too briefly. All are the same where
/// what is largest has turned or grown enough to be known.
struct LargestModulus {
  double value;
  double least;
  double most;
};

/// The largest |eigenvalue| of M among the modes that these responses show beyond `shown` of the strongest one: M
/// itself, as small as it can be, comes out of the singular vectors of what was and what is one n later (eigensystem
/// realisation; J.-N. Juang and R. Pappa, J. Guidance 8 (1985) 620). 0 where there are no responses; absent for fewer
/// than four samples, and where a number is not finite. Units do not matter: what every value shows counts alike.
///
/// A mode is known once it has turned by 2 rad, or grown or decayed by exp(2), within these samples. The beginnings of
/// slower ones are alike: a few of them explain what many do together, with other eigenvalues. All that is known of
/// these is that they do not turn, grow or decay by more meanwhile.
std::optional<LargestModulus> largestModulus(const Responses& responses, double shown = 1e-7);

/// By which part of all that is shown two sets of responses differ, over the samples that both have.
double partBetween(const Responses& responses, const Responses& others);

}  // namespace koppla::core
