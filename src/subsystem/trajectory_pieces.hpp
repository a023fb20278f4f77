#pragma once

#include <vector>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::subsystem {

/// Pieces of trajectories for a subsystem that is given a long step and takes short ones. Memory for the coefficients
/// is kept, so that cutting allocates nothing.
class TrajectoryPieces {
 public:
  TrajectoryPieces() = default;
  /// For that many inputs and a subsystem that takes trajectories of that degree.
  TrajectoryPieces(std::size_t inputs, unsigned degree);

  /// The piece from `begin` on, of that length, both in units of the whole step; it may lie beyond the step. A piece of
  /// too high a degree is replaced by its mean where only values are taken (degree 0), else by the polynomial that
  /// meets it at degree + 1 equidistant points, the ends included. Valid until the next call.
  Trajectory cut(const Trajectory& whole, double begin, double length);

 private:
  unsigned degree_ = 0;
  std::vector<double> coefficients_;
};

}  // namespace koppla::subsystem
