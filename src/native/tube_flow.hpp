#pragma once

#include <cstdint>
#include <memory>
#include <numbers>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::native {

/// The flow in an elastic tube, one-dimensional, density 1 kg/m3; the area is given. After Degroote et al., Comput.
/// Struct. 86 (2008) 2224, whose example has these defaults.
struct TubeFlow {
  std::int32_t nodes = 101;                  ///< kFewestTubeNodes .. kMostTubeNodes
  double length = 10.0;                      ///< m
  double youngsModulus = 1e4;                ///< N/m2, of a wall of 1 m: c^2 = E / (2 r0)
  double radius = std::numbers::inv_sqrtpi;  ///< m, at rest
  double meanVelocity = 10.0;                ///< m/s, at the inlet, and everywhere at the start
  double velocityAmplitude = 3.0;            ///< m/s
  double frequency = 5.0;                    ///< Hz
  double newtonTolerance = 1e-10;            ///< |residual| < tolerance |(p, v)|
};

inline constexpr std::int32_t kFewestTubeNodes = 3;
inline constexpr std::int32_t kMostTubeNodes = 10000;

/// Input a, outputs p and v, vectors over the nodes. A solver of its own: every step is one implicit step, with the
/// area at its end. Newton's method starts at the state before the step, so that a repeated step is the same bit by
/// bit.
std::unique_ptr<subsystem::Subsystem> tubeFlow(const TubeFlow& settings = {});

}  // namespace koppla::native
