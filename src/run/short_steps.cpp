#include "koppla/run/short_steps.hpp"

#include <cmath>
#include <limits>

namespace koppla::run {

ShortSteps::ShortSteps(double begin, double length, unsigned degree, unsigned halvings)
    : begin_(begin), length_(length), degree_(degree), halvings_(halvings) {}

double ShortSteps::next() const {
  return begin_ + std::ldexp((taken_ + 1) * length_, -static_cast<int>(halvings_));
}

void ShortSteps::take() {
  if (++taken_ < 2 * degree_) return;
  taken_ = degree_;
  --halvings_;
}

unsigned halvings(unsigned degree, double length, double t) {
  // With times in units of the values' own time scale the run is wrong by H^(p+1), the start by (H/2^m)^2. Where the
  // former is 1e-12, below which rounding rules, they are equal with 2^m = 1e6^((p-1)/(p+1)); four halvings more for
  // what extrapolation makes of the first samples.
  constexpr double kDoublings = 20.0;  // in 1e6
  const double p = degree;
  auto result = 4 + static_cast<unsigned>(std::ceil(kDoublings * (p - 1.0) / (p + 1.0)));
  constexpr double kResolved = 1e4;  // a step is so many times as long as instants are apart
  const double apart = std::numeric_limits<double>::epsilon() * std::fabs(t);
  while (result > 0 && std::ldexp(length, -static_cast<int>(result)) < kResolved * apart) --result;
  return result;
}

}  // namespace koppla::run
