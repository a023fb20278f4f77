#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace koppla::core {

/// How differences of real values are weighed into one number; at most 1 is 'small enough'.
/// Value by value, with d_i = difference_i / (rtol |reference_i| + atol_i):
enum class Norm : std::uint8_t {
  rms,       ///< sqrt( 1/n sum d_i^2 ), the usual root mean square
  nicolai,   ///< 1/n sqrt( sum d_i^2 ), the norm of the MASTERSIM report (Nicolai, sec. 5.3)
  max,       ///< the largest |d_i|
  fieldRms,  ///< as a whole: RMS(difference) / (rtol RMS(reference) + atol); with atol = 0 the ratio of Euclidean norms
  fieldMax   ///< as a whole: max |difference_i| / (rtol max |reference_i| + atol)
};

/// What a difference may be beside a value: rtol |value| + atol. Without an absolute tolerance every value has one of
/// its own, by its size: how large it usually is.
struct Tolerance {
  static constexpr double kShareOfSize = 0.1;  ///< of what rtol allows there

  double rtol;
  std::optional<double> atol{};

  [[nodiscard]] double absolute(double size) const { return atol ? *atol : kShareOfSize * rtol * size; }
  [[nodiscard]] double allowed(double value, double size) const { return rtol * std::fabs(value) + absolute(size); }
  /// What makes differences beside a value comparable: in tolerances. As it is where nothing is allowed, as of a value
  /// that has never been anything but zero.
  [[nodiscard]] double weight(double value, double size) const {
    const double most = allowed(value, size);
    return most > 0.0 ? 1.0 / most : 1.0;
  }
  [[nodiscard]] bool allowsNothing() const { return rtol == 0.0 && atol.value_or(0.0) == 0.0; }
};

/// Whether a norm weighs each value by itself; the others weigh a field as a whole.
[[nodiscard]] constexpr bool isByValue(Norm norm) {
  return norm != Norm::fieldRms && norm != Norm::fieldMax;
}

/// The norms value by value, of differences that come one after the other. What weightedNorm() says of special values
/// holds here, too.
class NormByValue {
 public:
  explicit NormByValue(const Tolerance& tolerance)
      : rtol_(tolerance.rtol),
        atol_(tolerance.atol.value_or(0.0)),
        ofSize_(tolerance.atol ? 0.0 : tolerance.absolute(1.0)) {}

  void add(double difference, double reference, double size) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    finite_ &= std::fabs(difference) <= kLargest && std::fabs(reference) <= kLargest;  // false for NaN as well
    const double weight = rtol_ * std::fabs(reference) + atol_ + ofSize_ * size;
    const double d = difference == 0.0 ? 0.0 : std::fabs(difference) / weight;
    largest_ = std::max(largest_, d);
    sum_ += d * d;
  }

  /// Of so many values.
  [[nodiscard]] double norm(Norm norm, std::size_t count) const {
    if (!finite_) return HUGE_VAL;
    if (norm == Norm::max || count == 0) return largest_;
    const double share = 1.0 / static_cast<double>(count);  // has come when the sum has
    return norm == Norm::rms ? std::sqrt(sum_ * share) : std::sqrt(sum_) * share;
  }

 private:
  double rtol_;
  double atol_;
  double ofSize_;
  bool finite_ = true;
  double sum_ = 0.0;
  double largest_ = 0.0;
};

/// The norm of no values is 0. Where a weight is zero, a zero difference counts as 0, any other as infinite. A value
/// that is not finite, in difference or reference, makes the norm infinite. Without sizes all are 0; norms of a field
/// as a whole take the size of the field by the same measure.
double weightedNorm(Norm norm, const Tolerance& tolerance, std::span<const double> difference,
                    std::span<const double> reference, std::span<const double> sizes = {});

}  // namespace koppla::core
