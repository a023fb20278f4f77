#pragma once
// The exact motion of a damped mass under a constant force, for every damping:
//
//   m x'' = F - c x - d x'
//
// With z = (x, v), z' = A z + b and z'' = A z', a step is z(h) = z + Phi z'(0), Phi = integral of e^(A s) over [0, h].
// With delta = d / 2m, omega^2 = c / m and G the response to a unit impulse (G'' + 2 delta G' + omega^2 G = 0, G(0) =
// 0, G'(0) = 1), J its integral:
//
//   Phi = (G + 2 delta J) I + J A   and so   x(h) = x + (G + 2 delta J) v + J a,   v(h) = v + G a - omega^2 J v
//
// because A z' = (a, -omega^2 v - 2 delta a). Written with increments, so small steps lose no digits of x and v.

#include <cmath>

namespace koppla::fmus {

struct Motion {
  double x;
  double v;
};

struct Oscillator {
  double m;  // > 0
  double c;  // >= 0
  double d;  // >= 0
};

inline Motion advance(const Oscillator& o, Motion z, double F, double h) {
  const double delta = o.d / (2 * o.m);
  const double omega2 = o.c / o.m;
  const double D = delta * delta - omega2;  // > 0 overdamped, 0 critical, < 0 underdamped
  const double root = std::sqrt(std::abs(D));
  // C = cosh(root h) or cos(root h); S = sinh or sin of it over root; both times e^(-delta h).
  double C = 0;
  double S = 0;
  if (root * h < 1e-8) {
    C = std::exp(-delta * h);
    S = h * C;
  } else if (D < 0) {
    C = std::exp(-delta * h) * std::cos(root * h);
    S = std::exp(-delta * h) * std::sin(root * h) / root;
  } else if (root * h < 1) {
    C = std::exp(-delta * h) * std::cosh(root * h);
    S = std::exp(-delta * h) * std::sinh(root * h) / root;
  } else {  // exponents are added before exp(): strong damping must not multiply 0 by infinity
    const double slow = std::exp((root - delta) * h);
    const double fast = std::exp((-root - delta) * h);
    C = (slow + fast) / 2;
    S = (slow - fast) / (2 * root);
  }
  const double G = S;
  double J = 0;
  if (omega2 > 0)
    J = (1 - (C - delta * S) - 2 * delta * G) / omega2;  // the equation of G, integrated; C - delta S is G'
  else
    J = delta > 0 ? (h - G) / (2 * delta) : h * h / 2;
  const double a = (F - o.c * z.x - o.d * z.v) / o.m;
  return {z.x + (G + 2 * delta * J) * z.v + J * a, z.v + G * a - omega2 * J * z.v};
}

}  // namespace koppla::fmus
