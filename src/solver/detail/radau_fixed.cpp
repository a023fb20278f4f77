#include "koppla/solver/detail/radau_fixed.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace koppla::solver::detail {

std::string radauFailure(const RadauStages& stages, std::size_t states, std::string_view otherwise) {
  if (const std::optional<std::size_t> bad = stages.badDerivative())
    return fmt::format("Radau failed: the derivative of state {} of {} is not a finite number", *bad + 1, states);
  return fmt::format("Radau failed: {}", otherwise);
}

bool RadauFixed::step(StepEquations& problem, double tau, double next, double h, std::span<double> x) {
  if (!stages_.begin(problem, tau, x)) return false;
  if (renew_) stages_.linearise(problem);
  stages_.factorise(h);
  if (first_)
    stages_.guessRest();
  else
    stages_.guessAhead(1.0);
  bool solved = solve(problem, {tau, next});
  if (!solved && !first_) {
    stages_.linearise(problem);
    stages_.factorise(h);
    stages_.guessRest();
    solved = solve(problem, {tau, next});
  }
  if (!solved) return false;
  stages_.keep(x);
  first_ = false;
  return true;
}

/// Ends where the next correction would be below the last digit of every state, or, since values around zero have no
/// such digit, where corrections below the tolerances no longer fall.
bool RadauFixed::solve(StepEquations& problem, const RadauSpan& span) {
  constexpr int kMost = 100;
  constexpr int kMany = 10;  // more of them cost more than a new df/dx
  constexpr int kIdle = 2;
  constexpr double kDiverged = 1e3;
  double before = std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity();
  int idle = 0;
  for (int k = 1; k <= kMost; ++k) {
    const RadauCorrection correction = stages_.correct(problem, span);
    if (!std::isfinite(correction.size)) return false;
    const double theta = k > 1 ? correction.size / before : 1.0;
    before = correction.size;
    idle = correction.size < least ? 0 : idle + 1;
    least = std::fmin(least, correction.size);
    renew_ = k > kMany;
    if (theta * correction.grains <= 1.0 || (least <= 1.0 && idle >= kIdle)) return true;
    if (correction.size > std::fmax(1.0, kDiverged * least)) return false;  // below the tolerances it is rounding
  }
  return least <= 1.0;
}

}  // namespace koppla::solver::detail
