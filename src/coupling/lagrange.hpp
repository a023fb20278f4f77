#pragma once

#include <array>
#include <span>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::coupling {

inline constexpr std::size_t kMaxKnots = subsystem::kMaxDegree + 1;

/// Powers of one polynomial: sum_k c_k s^k.
using Powers = std::array<double, kMaxKnots>;

/// One piece of knowledge about a function that a polynomial is made to fit: its value at s, or its derivative there.
struct Knot {
  double s;
  bool slope = false;
};

/// The basis polynomials of knots, at most kMaxKnots: basis i fits 1 at knot i and 0 at all others, so that the
/// polynomial through samples y_i is sum_i y_i basis_i. Nodes are distinct; a slope stands right behind the value at
/// the same s. Without slopes this is Lagrange's form (Schmoll, sec. 2.4.3), with them Hermite's.
class PolynomialBasis {
 public:
  PolynomialBasis() = default;
  explicit PolynomialBasis(std::span<const Knot> knots);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Coefficient of s^k in basis polynomial i.
  [[nodiscard]] double coefficient(std::size_t k, std::size_t i) const { return basis_[i][k]; }
  /// Basis polynomial i at s.
  [[nodiscard]] double value(std::size_t i, double s) const;

 private:
  std::size_t size_ = 0;
  std::array<Powers, kMaxKnots> basis_{};
};

}  // namespace koppla::coupling
