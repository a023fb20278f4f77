#pragma once

#include <span>
#include <vector>

#include "koppla/coupling/approximation.hpp"
#include "koppla/coupling/spline.hpp"

namespace koppla::coupling {

/// Coupling variables inside one macro step (waveform iteration): samples of all outputs at points t0 + j (t1 - t0) /
/// m, j = 0, ..., m, and the splines through them, as one polynomial per piece between two points.
class Waveform {
 public:
  /// `points`: m. `held`: values that change at points only, so that they are constant in between: what they are at the
  /// end of a piece.
  Waveform(std::size_t values, unsigned points, unsigned degree, std::vector<std::size_t> held);

  [[nodiscard]] unsigned points() const { return spline_.pieces(); }

  /// A step begins with these values, and nothing is known yet of what comes: they stay.
  void begin(std::span<const double> y);

  /// All values at point j, 0 to points().
  [[nodiscard]] std::span<double> at(unsigned point) { return {samples_.data() + point * values_, values_}; }
  [[nodiscard]] std::span<const double> at(unsigned point) const {
    return {samples_.data() + point * values_, values_};
  }
  /// Renews the splines of these values after their samples have changed.
  void fit(Block block);

  /// All values between points j and j + 1.
  [[nodiscard]] Courses piece(unsigned j) const {
    return {powers_.data() + j * (spline_.degree() + 1) * values_, values_, spline_.degree(), spline_.degree()};
  }
  /// All values at point j as constants.
  [[nodiscard]] Courses heldAt(unsigned point) const {
    return {samples_.data() + point * values_, values_, 0, spline_.degree()};
  }
  /// Where point j of a step lies (s); the last one is exactly its end.
  [[nodiscard]] double time(const subsystem::Step& step, unsigned point) const {
    return point == points() ? step.t1 : step.t0 + (step.t1 - step.t0) * point / points();
  }

 private:
  [[nodiscard]] double* power(unsigned piece, unsigned k) {
    return powers_.data() + (piece * (spline_.degree() + 1) + k) * values_;
  }

  std::size_t values_;
  Spline spline_;
  std::vector<std::size_t> held_;
  std::vector<double> samples_;  ///< point by point
  std::vector<double> powers_;   ///< piece by piece, power by power
};

}  // namespace koppla::coupling
