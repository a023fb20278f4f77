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

double Clock::nextAdapted(double h) const {
  // A rest that is nothing but rounding belongs to the last step.
  constexpr double kTie = 1e-9;
  const double t1 = accepted_.after(h);
  return t1 >= end_ - kTie * h ? end_ : t1;
}

void Clock::advanceAdapted(double t1, double h) {
  if (t1 == accepted_.after(h))
    accepted_.advance(h);
  else
    accepted_.jumpTo(t1);
}

}  // namespace koppla::run
