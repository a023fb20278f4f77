#pragma once

#include <cstdint>

namespace koppla::core {

/// Equidistant communication points free of rounding drift: point k is start + k * step, the last one is exactly the
/// end.
class TimeGrid {
 public:
  /// Needs start < end and step > 0. Where the step does not divide the interval, the last step is shorter.
  TimeGrid(double start, double end, double step);

  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] double point(std::int64_t index) const {
    return index >= steps_ ? end_ : start_ + static_cast<double>(index) * step_;
  }
  /// What the step after that point is meant to be long: the step itself, not the difference of two rounded points; a
  /// last one that is shorter, or longer by a rest that is no step of its own, is that difference.
  [[nodiscard]] double length(std::int64_t index) const {
    return index + 1 < steps_ || lastIsWhole_ ? step_ : end_ - point(index);
  }

 private:
  double start_;
  double end_;
  double step_;
  std::int64_t steps_;
  bool lastIsWhole_;  ///< the last step is as long as the others but for rounding of its points
};

/// A sum of accepted steps, carried with its rounding error, so that it stays within one rounding of the exact sum.
class AcceptedTime {
 public:
  explicit AcceptedTime(double start) : time_(start) {}

  [[nodiscard]] double now() const { return time_; }
  /// The instant one step further; nothing is changed.
  [[nodiscard]] double after(double step) const { return time_ + (step + error_); }
  void advance(double step) {
    const double increment = step + error_;
    const double next = time_ + increment;
    error_ = increment - (next - time_);
    time_ = next;
  }
  /// Sets the time to an instant that is known exactly, such as the end.
  void jumpTo(double time) {
    time_ = time;
    error_ = 0.0;
  }

 private:
  double time_;
  double error_ = 0.0;
};

}  // namespace koppla::core
