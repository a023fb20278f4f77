#pragma once

#include <cstddef>
#include <vector>

namespace koppla::coupling {

/// The spline through values at the ends of `pieces` equal pieces of a step, as a linear map from these values to the
/// powers of every piece, in its own s from 0 to 1. The map depends on neither time nor values, so it is made once.
///
///     degree 0: piecewise constant, the value at the end of each piece
///     degree p: the B-spline of degree p, p - 1 times differentiable, whose knots are the points but for the p - 1
///               next to the ends (not a knot, de Boor, A Practical Guide to Splines, ch. IV); of an odd number of
///               those one more is left out at the beginning
///
/// With fewer pieces than degrees the degree is the number of pieces: one polynomial through all points.
class Spline {
 public:
  Spline(unsigned pieces, unsigned degree);

  [[nodiscard]] unsigned pieces() const { return pieces_; }
  [[nodiscard]] unsigned degree() const { return degree_; }
  /// What the value at a point, 0 to pieces(), adds to the coefficient of s^power of a piece.
  [[nodiscard]] double weight(unsigned piece, unsigned power, unsigned point) const {
    return weights_[place(piece, power, point)];
  }

 private:
  [[nodiscard]] std::size_t place(unsigned piece, unsigned power, unsigned point) const {
    return (static_cast<std::size_t>(piece) * (degree_ + 1) + power) * (pieces_ + 1) + point;
  }
  void solve();

  unsigned pieces_;
  unsigned degree_;
  std::vector<double> weights_;
};

}  // namespace koppla::coupling
