#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace koppla::coupling {

/// How an input goes over a step: extrapolated, interpolated, or never off, because it is used at instants only.
enum class InputCourse : std::uint8_t { extrapolated, interpolated, exact };

/// How the error of an approximated input goes over a step, as a part of what extrapolation is off at its end, for
/// functions whose derivative of the next order is constant: d(s) = prod (s - s_i) over the knots, divided by the
/// product for extrapolation at s = 1.
struct ErrorShape {
  double integral;  ///< of d(s) from 0 to 1
  double moment;    ///< of s d(s)
  double largest;   ///< magnitude in the step
};

/// Of a value that keeps what it was at the beginning: d = s; at the end, because it was known already: d = s - 1.
inline constexpr ErrorShape kHeldFromBegin{0.5, 1.0 / 3.0, 1.0};
inline constexpr ErrorShape kHeldFromEnd{-0.5, -1.0 / 6.0, 1.0};

/// What a later step tells of the error of interpolation in the one before.
struct EarlierError {
  double t1;     ///< s, end of that step
  double share;  ///< of what extrapolation is off now
};

/// An accepted step of all connected outputs, for those who tell what coupling costs.
struct Look {
  double t1;                          ///< s
  std::span<const double> begin;      ///< values at the beginning
  std::span<const double> predicted;  ///< what extrapolation promised for the end
  std::span<const double> accepted;   ///< values at the end
  std::span<const double> open{};     ///< what iterations left over of each: |sent - answered|; empty: nothing
  ErrorShape extrapolated = kHeldFromBegin;
  ErrorShape interpolated = kHeldFromEnd;
  std::optional<EarlierError> earlier{};
};

}  // namespace koppla::coupling
