#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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

/// Whether a norm weighs each value by itself; the others weigh a field as a whole.
[[nodiscard]] constexpr bool isByValue(Norm norm) {
  return norm != Norm::fieldRms && norm != Norm::fieldMax;
}

/// The norms value by value, of differences that come one after the other. What weightedNorm() says of special values
/// holds here, too.
class NormByValue {
 public:
  explicit NormByValue(Tolerance tolerance) : tolerance_(tolerance) {}

  void add(double difference, double reference) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    finite_ &= std::fabs(difference) <= kLargest && std::fabs(reference) <= kLargest;  // false for NaN as well
    const double weight = tolerance_.rtol * std::fabs(reference) + tolerance_.atol;
    const double d = difference == 0.0 ? 0.0 : std::fabs(difference) / weight;
    largest_ = std::max(largest_, d);
    sum_ += d * d;
  }

  /// Of so many values.
  [[nodiscard]] double norm(Norm norm, std::size_t count) const {
    if (!finite_) return HUGE_VAL;
    if (norm == Norm::max || count == 0) return largest_;
    const auto n = static_cast<double>(count);
    return norm == Norm::rms ? std::sqrt(sum_ / n) : std::sqrt(sum_) / n;
  }

 private:
  Tolerance tolerance_;
  bool finite_ = true;
  double sum_ = 0.0;
  double largest_ = 0.0;
};

/// The norm of no values is 0. Where a weight is zero, a zero difference counts as 0, any other as infinite. A value
/// that is not finite, in difference or reference, makes the norm infinite.
double weightedNorm(Norm norm, Tolerance tolerance, std::span<const double> difference,
                    std::span<const double> reference);

}  // namespace koppla::core
