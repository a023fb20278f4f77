#pragma once

#include <cstdint>
#include <memory>

#include "koppla/solver/equations.hpp"

/// The flow pair of M. Jung, Adaptive Relaxation, dissertation 2013, sec. 5.2.2: a plate in a stream, on a hinge with a
/// torsion spring. The moment is divided by the stiffness of the spring: M/c is the angle to which it turns the plate.
namespace koppla::native {

/// How the plate stands without a stream.
enum class PlateRest : std::uint8_t { vertical, horizontal };

struct PlateFlow {
  PlateRest rest = PlateRest::vertical;
  double density = 140.0;  ///< kg/m3, of the stream
  double beta = 1.3;       ///< all other figures in one: c_w v^2 A h / (4 c) at 140 kg/m3
};

/// M/c = B cos(phi) (vertical) or B sin(phi) (horizontal), B = beta rho / 140; Jung (5.4)-(5.8).
std::unique_ptr<solver::Equations> plateFlow(const PlateFlow& settings = {});

struct HingedPlate {
  double restAngle = 0.0;  ///< rad; a horizontal plate needs some, 0.001 degrees with Jung, to feel the stream
};

/// phi = M/c + phi0; Jung (5.7).
std::unique_ptr<solver::Equations> hingedPlate(const HingedPlate& settings = {});

}  // namespace koppla::native
