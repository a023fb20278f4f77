#pragma once

#include <cstdint>
#include <span>

namespace koppla::core {

/// How differences of real values are weighed into one number; at most 1 is 'small enough'.
/// Value by value, with d_i = difference_i / (rtol |reference_i| + atol):
enum class Norm : std::uint8_t {
  rms,       ///< sqrt( 1/n sum d_i^2 ), the usual root mean square
  nicolai,   ///< 1/n sqrt( sum d_i^2 ), the norm of the MASTERSIM report (Nicolai, sec. 5.3)
  max,       ///< the largest |d_i|
  fieldRms,  ///< as a whole: RMS(difference) / (rtol RMS(reference) + atol); with atol = 0 the ratio of Euclidean norms
  fieldMax   ///< as a whole: max |difference_i| / (rtol max |reference_i| + atol)
};

struct Tolerance {
  double rtol;
  double atol;
};

/// The norm of no values is 0. Where a weight is zero, a zero difference counts as 0, any other as infinite. A value
/// that is not finite, in difference or reference, makes the norm infinite.
double weightedNorm(Norm norm, Tolerance tolerance, std::span<const double> difference,
                    std::span<const double> reference);

}  // namespace koppla::core
