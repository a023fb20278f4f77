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
//
// A force that is a polynomial of the time s since the beginning of the step, F + F' s + F'' s^2/2 + ..., adds
// F^(k)/m I_(k+1)(h) to x and F^(k)/m I_k(h) to v, with I_0 = G and I_k the k-fold integral of G.

#include <array>
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

inline constexpr int kMaxOrder = 5;

// A value with its derivatives in time.
using Course = std::array<double, kMaxOrder + 1>;

inline double at(const Course& u, double s) {
  double value = 0;
  for (int k = kMaxOrder; k >= 0; --k) value = u[static_cast<std::size_t>(k)] + value * s / (k + 1);
  return value;
}

// I_0 to I_(kMaxOrder + 1) at h: a series where the step is short against all time constants, else the equation of G
// integrated again and again, I_k = (h^(k-1)/(k-1)! - I_(k-2) - 2 delta I_(k-1)) / omega^2.
inline std::array<double, kMaxOrder + 2> impulseIntegrals(const Oscillator& o, double h) {
  const double delta2 = o.d / o.m;
  const double omega2 = o.c / o.m;
  std::array<double, kMaxOrder + 2> I{};
  if (delta2 * h < 1 && omega2 * h * h < 1) {
    for (std::size_t k = 0; k < I.size(); ++k) {
      double power = h;  // h^(k + 1 + n) / (k + 1 + n)!
      for (std::size_t j = 2; j <= k + 1; ++j) power *= h / static_cast<double>(j);
      double last = 0;
      double g = 1;  // the n-th derivative of G' at 0
      for (std::size_t n = 0; n < 40; ++n) {
        I[k] += g * power;
        const double next = -delta2 * g - omega2 * last;
        last = g;
        g = next;
        power *= h / static_cast<double>(k + 2 + n);
      }
    }
    return I;
  }
  const Motion impulse = advance(o, {0, 1}, 0, h);  // G and G'
  I[0] = impulse.x;
  if (omega2 > 0) {
    I[1] = (1 - impulse.v - delta2 * I[0]) / omega2;
    double power = h;  // h^(k - 1) / (k - 1)!
    for (std::size_t k = 2; k < I.size(); ++k) {
      I[k] = (power - I[k - 2] - delta2 * I[k - 1]) / omega2;
      power *= h / static_cast<double>(k);
    }
    return I;
  }
  double power = h;  // h^k / k!
  for (std::size_t k = 1; k < I.size(); ++k) {
    I[k] = (power - I[k - 1]) / delta2;
    power *= h / static_cast<double>(k + 1);
  }
  return I;
}

inline Motion advance(const Oscillator& o, Motion z, const Course& F, double h) {
  Motion end = advance(o, z, F[0], h);
  if (F == Course{F[0]}) return end;
  const auto I = impulseIntegrals(o, h);
  for (std::size_t k = 1; k < F.size(); ++k) {
    end.x += F[k] / o.m * I[k + 1];
    end.v += F[k] / o.m * I[k];
  }
  return end;
}

}  // namespace koppla::fmus
