#include "koppla/native/nonlinear_oscillator_solution.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/value.hpp"

namespace koppla::native {

namespace {

using Real = long double;

constexpr std::size_t kOrder = 24;
/// Of the series' radius of convergence: the last term is exp(-2 kOrder) of the first.
constexpr Real kReach = 0.135L;
constexpr Real kLongestPiece = 1.0L;  // s, where the series does not limit it

using Series = std::array<Real, kOrder + 1>;  ///< coefficients of powers of the time since the beginning of a piece

/// Coefficient n of the product, from coefficients up to n.
Real productTerm(const Series& a, const Series& b, std::size_t n) {
  Real sum = 0.0L;
  for (std::size_t i = 0; i <= n; ++i) sum += a[i] * b[n - i];
  return sum;
}

Real valueOf(const Series& series, Real tau) {
  Real value = 0.0L;
  for (std::size_t n = kOrder + 1; n-- > 0;) value = value * tau + series[n];
  return value;
}

struct Motion {
  Real t, x, v;
};

/// Where the motion has one sign of x and one of v.
struct Piece {
  Real begin;  ///< s
  Series x, v;
  Motion end;  ///< before the beginning where the solution is traced back; exactly zero is what changes its sign
};

class SprungOscillatorSolution final : public ExactSolution {
 public:
  explicit SprungOscillatorSolution(const SprungOscillator& parameters) : p_(parameters) {
    static_cast<void>(nonlinearOscillator(p_.body));  // refuses what they cannot have
    static_cast<void>(hardeningSpring(p_.spring));
  }

  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }

  void values(double t, std::span<double> y) const override {
    const Piece& piece = pieceAt(t);
    const Real x = valueOf(piece.x, t - piece.begin), v = valueOf(piece.v, t - piece.begin);
    y[0] = static_cast<double>(x);
    y[1] = static_cast<double>(v);
    y[2] = static_cast<double>(springForce(x, v));
  }

 private:
  [[nodiscard]] Real springForce(Real x, Real v) const {
    const HardeningSpring& s = p_.spring;
    return -s.c * std::copysign(std::expm1(s.alpha * std::fabs(x)), x) - s.d * v * v * v;
  }

  [[nodiscard]] Real acceleration(Real x, Real v) const {
    const NonlinearOscillator& b = p_.body;
    return (-b.c * std::fabs(x) * x * x * x - b.d * std::fabs(v) * v + springForce(x, v)) / b.m;
  }

  const Piece& pieceAt(double t) const {
    std::vector<Piece>& pieces = t < 0.0 ? back_ : forth_;
    const Real direction = t < 0.0 ? -1.0L : 1.0L;
    if (pieces.empty()) pieces.push_back(pieceFrom({0.0L, p_.body.x0, p_.body.v0}, direction));
    while (direction * (pieces.back().end.t - t) < 0.0L) pieces.push_back(pieceFrom(pieces.back().end, direction));
    return *std::ranges::lower_bound(pieces, direction * t, {},
                                     [direction](const Piece& p) { return direction * p.end.t; });
  }

  [[nodiscard]] Piece pieceFrom(const Motion& start, Real direction) const {
    const Real signX = signOf(start.x, direction * start.v);
    const Real signV = signOf(start.v, direction * acceleration(start.x, start.v));
    Piece piece = expanded(start, signX, signV);
    const Real reach = direction * std::min(reachOf(piece), kLongestPiece);
    if (!(std::fabs(reach) > 1e-15L * std::fabs(start.t)))
      throw core::InputError(fmt::format("Exact solution: the motion becomes infinite at t = {} s.",
                                         core::text(static_cast<double>(start.t))),
                             "It cannot be traced further back.");
    const Real untilX = untilChange(piece.x, signX, reach);
    const Real tau = untilChange(piece.v, signV, untilX);
    const bool turns = tau != untilX, crosses = !turns && untilX != reach;
    piece.end = {start.t + tau, crosses ? 0.0L : valueOf(piece.x, tau), turns ? 0.0L : valueOf(piece.v, tau)};
    return piece;
  }

  static Real signOf(Real value, Real slope) { return std::copysign(1.0L, value != 0.0L ? value : slope); }

  /// Coefficients from the equations, one after the other, with sgn(x) and sgn(v) as they are in this piece.
  [[nodiscard]] Piece expanded(const Motion& start, Real signX, Real signV) const {
    const NonlinearOscillator& b = p_.body;
    const HardeningSpring& s = p_.spring;
    Piece piece{start.t, {}, {}, start};
    Series &x = piece.x, &v = piece.v;
    Series x2{}, v2{}, growth{};  // x^2, v^2, exp(alpha |x|)
    x[0] = start.x;
    v[0] = start.v;
    for (std::size_t n = 0; n < kOrder; ++n) {
      x2[n] = productTerm(x, x, n);
      v2[n] = productTerm(v, v, n);
      growth[n] = n == 0 ? std::exp(s.alpha * signX * x[0]) : growthTerm(x, growth, n, s.alpha * signX);
      const Real stretch = n == 0 ? std::expm1(s.alpha * signX * x[0]) : growth[n];
      const Real force = -b.c * signX * productTerm(x2, x2, n) - b.d * signV * v2[n] - s.c * signX * stretch -
                         s.d * productTerm(v2, v, n);
      const auto next = static_cast<Real>(n + 1);
      x[n + 1] = v[n] / next;
      v[n + 1] = force / (b.m * next);
    }
    return piece;
  }

  /// E = exp(k x) has E' = k x' E.
  static Real growthTerm(const Series& x, const Series& growth, std::size_t n, Real k) {
    Real sum = 0.0L;
    for (std::size_t i = 1; i <= n; ++i) sum += static_cast<Real>(i) * x[i] * growth[n - i];
    return k * sum / static_cast<Real>(n);
  }

  /// How far (s) the series can be used, from its last two terms against the motion at its beginning.
  static Real reachOf(const Piece& piece) {
    Real reach = HUGE_VALL;
    for (const std::size_t n : {kOrder - 1, kOrder}) {
      const auto power = static_cast<Real>(n);
      const Real term = std::fabs(piece.x[n]);
      if (term > 0.0L)
        reach = std::min(reach, std::max(std::pow(std::fabs(piece.x[0]) / term, 1.0L / power),
                                         std::pow(std::fabs(piece.v[0]) / term, 1.0L / (power - 1.0L))));
    }
    return kReach * reach;
  }

  /// tau, or the instant before it at which the series leaves its sign; by bisection.
  static Real untilChange(const Series& series, Real sign, Real tau) {
    if (sign * valueOf(series, tau) >= 0.0L) return tau;
    Real before = 0.0L, after = tau;
    for (Real middle = 0.5L * tau; middle != before && middle != after; middle = 0.5L * (before + after))
      (sign * valueOf(series, middle) >= 0.0L ? before : after) = middle;
    return after;
  }

  SprungOscillator p_;
  std::vector<std::string> names_{"x", "v", "f"};
  mutable std::vector<Piece> forth_, back_;  ///< as far as anybody has asked
};

}  // namespace

std::unique_ptr<ExactSolution> nonlinearOscillatorSolution(const SprungOscillator& parameters) {
  return std::make_unique<SprungOscillatorSolution>(parameters);
}

}  // namespace koppla::native
