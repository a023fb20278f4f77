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

}  // namespace koppla::run
