#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "koppla/coupling/acceleration.hpp"

// Inline, because calibrations take hundreds of millions of these steps.
namespace koppla::coupling {

/// The steered relaxation factor of one value.
struct SteeredFactor {
  double omega = 1.0;
  double mass = 1.0;    ///< m, the running factor of the artificial mass, in [0, 1]
  double change = 0.0;  ///< d omega of the last step that changed omega
};

/// Jung (4.12), (4.13): large where omega is far from its limits.
inline double influenceOfFactor(const AdaptiveParameters& p, double omega) {
  if (p.steering != Steering::nonLinear)
    return std::min(std::fabs(1.0 - p.lower - omega), std::fabs(1.0 + p.upper - omega));
  const double asymmetry = omega < 1.0 ? p.lower : p.upper;
  // Jung (4.19) multiplies. Division would put the zeros of the cosine onto the limits.
  const double argument = p.divides ? std::clamp((omega - 1.0) / asymmetry, -1.0, 1.0) : (omega - 1.0) * asymmetry;
  return (std::cos(argument * std::numbers::pi) + 1.0) / 2.5;
}

/// Jung (4.14), (4.15), with |K|: the signed K that is printed turns the direction round for K < 0.
inline double influenceOfK(const AdaptiveParameters& p, double K) {
  if (p.steering == Steering::linear) return p.gain * (std::fabs(K) + 1.0);
  return std::atan(std::fabs(K) * p.slope) / (std::numbers::pi / 2.0) * p.gain + 1.0;
}

/// One step of the factor (Jung, sec. 4.7), K being finite and not zero:
///
///     d = Phi sgn(K) Omega^w(omega) Omega^K(|K|)
///     m <- m mu where the sign of d differs from that of the change before, min(1, m (1 + mu/2)) where it is the same
///     omega <- omega + m d, kept in [1 - Xi_u + delta, 1 + Xi_o - delta]
inline SteeredFactor steer(const AdaptiveParameters& p, SteeredFactor before, double K) {
  const double step = std::copysign(p.influence * influenceOfFactor(p, before.omega) * influenceOfK(p, K), K);
  SteeredFactor after = before;
  if (step * before.change < 0.0) after.mass = before.mass * p.mass;
  if (step * before.change > 0.0) after.mass = std::min(1.0, before.mass * (1.0 + p.mass / 2.0));
  // At a limit itself the influence of the factor is zero and omega would stay there for ever: hence the margin.
  after.omega = std::clamp(before.omega + after.mass * step, 1.0 - p.lower + p.margin, 1.0 + p.upper - p.margin);
  if (after.omega != before.omega) after.change = after.omega - before.omega;
  return after;
}

/// The last three results of one value, as computed.
struct LastResults {
  double now;         ///< x_i
  double before;      ///< x_i-1
  double beforeThat;  ///< x_i-2
};

/// The factor that goes with the newest result: steered by K, or as before where K says nothing. `settled`: the value
/// is within the tolerance of the iteration.
inline SteeredFactor adapted(const AdaptiveParameters& p, SteeredFactor before, const LastResults& x, bool settled) {
  constexpr double kNoise = 1e-13;  // smaller differences, relative to the result, are round-off
  const double newer = x.now - x.before;
  const double older = x.before - x.beforeThat;
  const double noise = kNoise * std::fabs(x.now);
  if (settled || !(std::fabs(newer) > noise && std::fabs(older) > noise)) return before;
  const double K = newer / older;
  return std::isfinite(K) && K != 0.0 ? steer(p, before, K) : before;
}

/// Throws core::InputError for parameters outside of their ranges.
void checkAdaptive(const AdaptiveParameters& parameters);

}  // namespace koppla::coupling
