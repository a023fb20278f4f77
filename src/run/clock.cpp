#include "koppla/run/clock.hpp"

namespace koppla::run {

Clock::Clock(double start, double end, double step, bool fixed)
    : grid_(start, end, step),
      accepted_(start),
      now_(start),
      end_(end),
      fixed_(fixed),
      gridPoint_(grid_.point(1)),
      length_(grid_.length(0)) {}

/// Where a point of the grid is nearer, or is the same but for rounding, it is that.
double Clock::nextShort() const {
  const double t1 = short_.next();
  return t1 >= gridPoint_ || short_.endsMacroStep() ? gridPoint_ : t1;
}

}  // namespace koppla::run
