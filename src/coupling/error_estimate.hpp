#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "koppla/coupling/look.hpp"

namespace koppla::coupling {

/// Root mean square and largest of one error over accepted steps.
class ErrorRecord {
 public:
  void add(double t1, double error) {
    squares_ += error * error;
    if (error > largest_) {
      largest_ = error;
      when_ = t1;
    }
  }

  [[nodiscard]] double rms(std::uint64_t steps) const;
  [[nodiscard]] double largest() const { return largest_; }
  [[nodiscard]] double whenLargest() const { return when_; }  ///< s, end of that step

 private:
  double squares_ = 0.0;
  double largest_ = 0.0;
  double when_ = 0.0;
};

/// What the approximation of coupling variables costs in accuracy, output by output: the largest difference in a step
/// between the input that was used and the output itself. An extrapolated input is off most at the end of the step, by
/// the difference between what was promised there and what came. An interpolated one is off inside the step, by a known
/// share of that (Milne's device), and at the end by what an iteration left open.
class ErrorEstimate {
 public:
  explicit ErrorEstimate(std::size_t values);

  void add(const Look& look);

  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] const ErrorRecord& ofExtrapolation(std::size_t value) const { return records_[value].extrapolated; }
  [[nodiscard]] const ErrorRecord& ofInterpolation(std::size_t value) const { return records_[value].interpolated; }
  /// Between the smallest and the largest value so far. Where all steps ended at one, but for rounding: how far that is
  /// from where they began, and 0 of a constant.
  [[nodiscard]] double range(std::size_t value) const;
  /// The largest so far.
  [[nodiscard]] double upper(std::size_t value) const { return records_[value].upper; }
  [[nodiscard]] double magnitude(std::size_t value) const;

 private:
  struct Record {
    ErrorRecord extrapolated;
    ErrorRecord interpolated;
    double lower;
    double upper;
  };
  std::vector<Record> records_;
  std::uint64_t steps_ = 0;
};

}  // namespace koppla::coupling
