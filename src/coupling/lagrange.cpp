#include "koppla/coupling/lagrange.hpp"

namespace koppla::coupling {

namespace {

/// Divided differences of one sample that is 1 while all others are 0, in Newton's form, then multiplied out. Repeated
/// knots take the derivative as their first difference (Hermite's interpolation).
Powers basisOf(std::span<const Knot> knots, std::size_t chosen) {
  const std::size_t n = knots.size();
  std::array<std::array<double, kMaxKnots>, kMaxKnots> difference{};
  // A slope repeats its knot; its own value is that of the knot before.
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t valueKnot = knots[i].slope ? i - 1 : i;
    difference[i][0] = valueKnot == chosen ? 1.0 : 0.0;
  }
  for (std::size_t order = 1; order < n; ++order)
    for (std::size_t i = 0; i + order < n; ++i) {
      const double width = knots[i + order].s - knots[i].s;
      difference[i][order] = width == 0.0 ? (i + 1 == chosen ? 1.0 : 0.0)
                                          : (difference[i + 1][order - 1] - difference[i][order - 1]) / width;
    }
  Powers powers{};
  for (std::size_t order = n; order-- > 0;) {  // Horner's scheme on Newton's form
    for (std::size_t k = n - 1; k > 0; --k) powers[k] = powers[k - 1] - knots[order].s * powers[k];
    powers[0] = difference[0][order] - knots[order].s * powers[0];
  }
  return powers;
}

}  // namespace

PolynomialBasis::PolynomialBasis(std::span<const Knot> knots) : size_(knots.size()) {
  for (std::size_t i = 0; i < size_; ++i) basis_[i] = basisOf(knots, i);
}

double PolynomialBasis::value(std::size_t i, double s) const {
  double sum = 0.0;
  for (std::size_t k = size_; k-- > 0;) sum = sum * s + basis_[i][k];
  return sum;
}

}  // namespace koppla::coupling
