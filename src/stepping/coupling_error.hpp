#pragma once

#include <cstdint>
#include <span>

#include "koppla/core/weighted_norm.hpp"

namespace koppla::stepping {

/// What the inputs that take a value follow inside a step.
enum class Course : std::uint8_t {
  exact,         ///< the value itself: it changes at communication points only, or is taken there only
  extrapolated,  ///< at least one of them what was promised for it
  interpolated   ///< all of them a polynomial through the value at the end
};

/// Coupled reals at the end of a step: what was promised and what came.
struct Promise {
  std::span<const double> predicted;
  std::span<const double> computed;
  std::span<const double> sizes;      ///< how large the values usually are
  std::span<const double> allowance;  ///< by which each counts as larger than it is
  std::span<const Course> courses;
  double interpolationShare;  ///< error of interpolation inside the step, of that of the prediction at its end (Milne)
};

/// The largest coupling error of all values over the step, in their tolerances: the input that was used minus the value
/// that it stands for. Of order p + 1 in the step, as the global error is, for polynomials of degree p; so the one
/// follows the other, and a tolerance for it is one for the error per unit step, in units of the time in which a member
/// answers. Infinite where a value is not finite.
double couplingError(const Promise& promise, core::Tolerance tolerance);

/// The same step done at once and as two halves.
struct Halved {
  std::span<const double> full;
  std::span<const double> halves;
  std::span<const double> sizes;
  std::span<const double> allowance;
  unsigned order;  ///< of the coupling error
};

/// Richardson's estimate of the largest error of the halves, in tolerances: the difference over 2^order - 1. It holds
/// for states (local error of order + 1, and two of them) as for outputs with feed-through (order, and one).
double richardsonError(const Halved& step, core::Tolerance tolerance);

}  // namespace koppla::stepping
