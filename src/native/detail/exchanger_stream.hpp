#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "koppla/native/detail/band_matrix.hpp"

namespace koppla::native::detail {

/// What a stream is made of and how it enters.
struct StreamState {
  double heatCapacity = 0.0;  ///< J/(m3.K)
  double conductivity = 0.0;  ///< W/(m.K)
  double flow = 0.0;          ///< m3/s
  double inlet = 0.0;         ///< temperature there
  double cellLength = 0.0;    ///< m, along the axis
};

/// A stream with developed laminar flow through a tube (inner radius 0) or an annulus, in rings of equal thickness.
/// Marched downstream station by station: upwind along the axis, conduction across it. Allocates only when it is made.
class ExchangerStream {
 public:
  ExchangerStream(double innerRadius, double outerRadius, std::size_t rings);

  /// The temperatures of the streams' walls are those of the first station that it passes, and so on. A tube has no
  /// inner wall.
  void enter(const StreamState& state);
  void pass(double innerWall, double outerWall);

  [[nodiscard]] double nextToInnerWall() const { return temperatures_.front(); }
  [[nodiscard]] double nextToOuterWall() const { return temperatures_.back(); }
  /// Mean over the flow at the station passed last.
  [[nodiscard]] double bulk() const;
  /// From a wall to the middle of the ring next to it, W/(m2.K).
  [[nodiscard]] double heatTransfer(double conductivity) const { return conductivity / (thickness_ / 2.0); }

 private:
  double inner_, outer_, thickness_;
  std::vector<double> flowShares_;            ///< of the rings; their sum is 1
  std::vector<double> carried_;               ///< W/(m.K), by the flow of each ring
  double innerWall_ = 0.0, outerWall_ = 0.0;  ///< W/(m.K), conductances to the walls
  BandMatrix matrix_;
  std::vector<double> temperatures_;  ///< of the rings, at the station passed last
};

}  // namespace koppla::native::detail
