#pragma once

#include "koppla/coupling/acceleration.hpp"

namespace koppla::coupling {

/// The steered relaxation factor of one value.
struct SteeredFactor {
  double omega = 1.0;
  double mass = 1.0;    ///< m, the running factor of the artificial mass, in [0, 1]
  double change = 0.0;  ///< d omega of the last step that changed omega
};

/// One step of the factor (Jung, sec. 4.7), K being finite and not zero:
///
///     d = Phi sgn(K) Omega^w(omega) Omega^K(|K|)
///     m <- m mu where the sign of d differs from that of the change before, min(1, m (1 + mu/2)) where it is the same
///     omega <- omega + m d, kept in [1 - Xi_u + delta, 1 + Xi_o - delta]
SteeredFactor steer(const AdaptiveParameters& parameters, SteeredFactor before, double K);

}  // namespace koppla::coupling
