#pragma once

#include <memory>

#include "koppla/native/linked_body.hpp"
#include "koppla/native/oscillator_body.hpp"
#include "koppla/native/oscillator_with_link.hpp"
#include "koppla/solver/equations.hpp"

namespace koppla::native {

/// Ground - (c1, d1) - m1 - (ck, dk) - m2 - (c2, d2) - ground: Schmoll's linear test model, whole.
struct TwoMassOscillator {
  double m1 = 1.0, m2 = 1.0;                   ///< kg
  double c1 = 1e4, c2 = 1e5, ck = 1e6;         ///< N/m
  double d1 = 2.0, d2 = 6.3246, dk = 14.1421;  ///< N s/m
  double x10 = 1.0, x20 = 2.0;                 ///< m, at the start
  double v10 = 0.0, v20 = 0.0;                 ///< m/s, at the start
};

/// The parameters of Schmoll, table 2.1 (the defaults) and table 3.1 (a mass on a rod of two elements, which is the
/// same model).
TwoMassOscillator schmollTable21();
TwoMassOscillator schmollTable31();

/// m1 x1'' = -c1 x1 - d1 x1' + F,  m2 x2'' = -c2 x2 - d2 x2' - F,  F = ck (x2 - x1) + dk (x2' - x1'), Schmoll
/// (2.1)-(2.12). No inputs; outputs x1, v1, x2, v2, F; states (x1, x2, v1, v2).
std::unique_ptr<solver::Equations> twoMassOscillator(TwoMassOscillator settings = {});

/// The parts into which Schmoll 2.3 cuts it: bodies for force/force, a body and the second mass with the link for
/// force/displacement, linked bodies for displacement/displacement coupling.
OscillatorBody firstBody(const TwoMassOscillator& whole);
OscillatorBody secondBody(const TwoMassOscillator& whole);
OscillatorWithLink secondWithLink(const TwoMassOscillator& whole);
LinkedBody firstLinked(const TwoMassOscillator& whole);
LinkedBody secondLinked(const TwoMassOscillator& whole);

}  // namespace koppla::native
