#pragma once

#include <cstdint>
#include <span>

namespace koppla::core {

/// How differences of real values are weighed into one number; at most 1 is 'small enough'.
/// With d_i = difference_i / (rtol |reference_i| + atol):
enum class Norm : std::uint8_t {
  rms,      ///< sqrt( 1/n sum d_i^2 ), the usual root mean square
  nicolai,  ///< 1/n sqrt( sum d_i^2 ), the norm of the MASTERSIM report (Nicolai, sec. 5.3)
};

struct Tolerance {
  double rtol;
  double atol;
};

/// The norm of no values is 0. Where a weight is zero, a zero difference counts as 0, any other as infinite.
double weightedNorm(Norm norm, Tolerance tolerance, std::span<const double> difference,
                    std::span<const double> reference);

}  // namespace koppla::core
