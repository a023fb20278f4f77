#pragma once

#include <span>

#include "koppla/core/weighted_norm.hpp"

namespace koppla::stepping {

/// All coupled reals around one macro step of length h that was done twice: at once and as two halves.
struct DoubleStep {
  double h;                         ///< s
  std::span<const double> start;    ///< at t
  std::span<const double> full;     ///< at t + h, from one step of h
  std::span<const double> middle;   ///< at t + h/2, from the first half step
  std::span<const double> halves;   ///< at t + h, from two half steps
  std::span<const double> sizes{};  ///< how large the values usually are
};

/// Estimated error of the full step, at most 1 when tolerable (Nicolai, sec. 5.5): the larger one of
///   (a) Richardson's difference   halves - full
///   (b) the slope test            h/2 ( (full - start)/h - (halves - middle)/(h/2) )
/// in the weighted norm. (b) sees a jump inside the interval that leaves the end values equal.
double doubleStepError(const DoubleStep& step, core::Norm norm, core::Tolerance tolerance);

}  // namespace koppla::stepping
