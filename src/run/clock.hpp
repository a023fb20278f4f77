#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "koppla/core/time_grid.hpp"
#include "koppla/run/short_steps.hpp"

namespace koppla::run {

/// Where the run stands and where its next macro step ends. With a fixed step the points come from their index; with an
/// adapted one from the compensated sum of accepted steps. Either way the last point is exactly the end.
class Clock {
 public:
  Clock(double start, double end, double step, bool fixed);

  [[nodiscard]] double now() const { return now_; }
  [[nodiscard]] bool finished() const { return now_ >= end_; }
  /// End of the next step of length h (a fixed step and a short one have their own length).
  [[nodiscard]] double next(double h) const {
    return takesShortSteps() ? nextShort() : fixed_ ? gridPoint_ : nextAdapted(h);
  }
  /// What that step is meant to be long, s: a fixed one has the length of the grid unless a point in between was
  /// accepted; any other has the difference of its points.
  [[nodiscard]] double length(double h) const { return fixed_ && !takesShortSteps() ? length_ : next(h) - now_; }
  /// The step to t1 is accepted; h is the length that was asked for.
  void advance(double t1, double h) {
    if (takesShortSteps() && t1 >= nextShort()) short_.take();
    now_ = t1;
    if (!fixed_) {
      advanceAdapted(t1, h);
    } else if (t1 >= gridPoint_) {
      advanceOnGrid();
    } else {  // a shortened step has the grid point still before it
      length_ = gridPoint_ - t1;
    }
  }

  /// Instants so near to t are one with it, where steps are h long: what lies between is rounding.
  [[nodiscard]] static double tie(double t, double h) {
    constexpr double kOfStep = 1e-9;
    constexpr double kOfTime = 4.0 * std::numeric_limits<double>::epsilon();
    return std::max(kOfStep * h, kOfTime * std::fabs(t));
  }
  /// Of an adapted clock: no step leads across that instant (s), behind now.
  void stopAt(double point) { point_ = point; }
  /// Whether the next step is not h long, since it ends at an instant that is given.
  [[nodiscard]] bool cuts(double h) const {
    return !fixed_ && !takesShortSteps() && nextAdapted(h) != accepted_.after(h);
  }

  /// Of a fixed clock: the next steps are short.
  void takeShortSteps(const ShortSteps& steps) { short_ = steps; }
  [[nodiscard]] bool takesShortSteps() const { return !short_.done(); }
  /// Whether a step to t1 leads to a point that is not one of the grid.
  [[nodiscard]] bool leadsInside(double t1) const { return takesShortSteps() && t1 < gridPoint_; }
  /// Whether the clock stands at such a point.
  [[nodiscard]] bool isInside() const { return takesShortSteps() && now_ != grid_.point(index_); }
  /// The step of the grid to which the next short one belongs, s.
  [[nodiscard]] double macroStep() const { return grid_.length(index_); }

  // With a fixed step, for loops that know it to be fixed and no step to be short.
  [[nodiscard]] double nextOnGrid() const { return gridPoint_; }
  [[nodiscard]] double lengthOnGrid() const { return length_; }
  void advanceOnGrid() {
    now_ = gridPoint_;
    gridPoint_ = grid_.point(++index_ + 1);
    length_ = grid_.length(index_);
  }

 private:
  // In line, so that loops can keep a clock in registers.
  [[nodiscard]] double nextAdapted(double h) const {
    const double t1 = accepted_.after(h);
    const double rest = tie(end_, h);  // which belongs to the last step
    if (point_ < end_ - rest && t1 > point_ - h) return nearPoint(t1, rest);
    return t1 >= end_ - rest ? end_ : t1;
  }
  /// What is left to the point is more than a step but less than two: in halves, so that no rest is very short.
  [[nodiscard]] double nearPoint(double t1, double tie) const {
    return t1 >= point_ - tie ? point_ : now_ + 0.5 * (point_ - now_);
  }
  [[nodiscard]] double nextShort() const;
  void advanceAdapted(double t1, double h) {
    if (t1 == accepted_.after(h))
      accepted_.advance(h);
    else
      accepted_.jumpTo(t1);
  }

  core::TimeGrid grid_;
  core::AcceptedTime accepted_;
  double now_;
  double end_;
  double point_ = HUGE_VAL;  ///< s, across which no step leads
  bool fixed_;
  std::int64_t index_ = 0;
  double gridPoint_;  ///< the one after index_
  double length_;     ///< of the step to it
  ShortSteps short_;
};

}  // namespace koppla::run
