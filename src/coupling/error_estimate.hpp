#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace koppla::coupling {

/// What the approximation of coupling variables costs in accuracy, output by output: at every accepted step the
/// difference between the value that extrapolation had promised for the end of the step and the value that came. For an
/// extrapolated input this is its error at the end of the step; an interpolated one has a known share of it (Milne's
/// device, see Approximation::interpolationShare).
class ErrorEstimate {
 public:
  explicit ErrorEstimate(std::size_t values);

  /// A step to t1 (s) was accepted.
  void add(double t1, std::span<const double> predicted, std::span<const double> accepted, double interpolationShare);

  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] double rms(std::size_t value) const;
  [[nodiscard]] double largest(std::size_t value) const { return records_[value].largest; }
  [[nodiscard]] double whenLargest(std::size_t value) const { return records_[value].when; }  ///< s, end of that step
  /// Between the smallest and the largest value so far. Where all steps ended at one, but for rounding: how far that is
  /// from where they began, and 0 of a constant.
  [[nodiscard]] double range(std::size_t value) const;
  /// The largest so far.
  [[nodiscard]] double upper(std::size_t value) const { return records_[value].upper; }
  /// In the mean.
  [[nodiscard]] double interpolationShare() const;

 private:
  struct Record {
    double squares = 0.0;
    double largest = 0.0;
    double when = 0.0;
    double lower;
    double upper;
  };
  std::vector<Record> records_;
  std::uint64_t steps_ = 0;
  double shares_ = 0.0;
};

}  // namespace koppla::coupling
