#include "koppla/run/origin.hpp"

#include <cmath>

namespace koppla::run {

namespace {

/// The model's own growth has the same exponent whatever the step is. That of a coupling falls to the half at least
/// (damping errors are of the order of H), or doubles where every step multiplies the values however short it is.
bool dependsOnStep(double exponent, double exponentInShorterSteps) {
  const double quotient = exponentInShorterSteps / exponent;
  return quotient < 3.0 / 4.0 || quotient > 4.0 / 3.0;
}

}  // namespace

Origin originOf(const ExponentOf& exponent, double steps) {
  // In large steps the growth of two or three lengths may agree by chance: on to those that resolve it.
  constexpr unsigned kShortest = 64;
  constexpr double kUnresolved = 1.2;
  std::optional<double> last = exponent(1);
  for (unsigned divisor = 2; last && divisor <= kShortest; divisor *= 2) {
    const std::optional<double> next = exponent(divisor);
    if (!next) return Origin::unknown;
    if (dependsOnStep(*last, *next)) return Origin::coupling;
    const double perStep = 2.0 * *last / (divisor * steps);  // in the longer of both
    if (perStep <= std::log(kUnresolved)) return Origin::model;
    last = next;
  }
  return Origin::unknown;
}

}  // namespace koppla::run
