#pragma once

#include <cstdint>
#include <memory>

#include "koppla/solver/equations.hpp"

/// The thermal pair of M. Jung, Adaptive Relaxation, dissertation 2013, sec. 5.2.1: a wall that conducts heat to a face
/// that radiates it. Temperatures at the ports are in degrees Celsius.
namespace koppla::native {

struct WallConduction {
  double heldTemperature = 500.0;  ///< degC, of the face that is held
  double thickness = 0.1;          ///< m
  double conductivity = 5.0;       ///< W/(m.K)
};

/// T1 = T0 - q t / lambda, Jung (5.2), which is printed with the other sign: heat that leaves would heat the wall.
std::unique_ptr<solver::Equations> wallConduction(const WallConduction& settings = {});

/// The emissivity over the temperature: constant, or linear between three points and constant outside.
enum class Emissivity : std::uint8_t {
  constant,
  a,    ///< 0.8 at -200 degC, 0.4 at 200 degC, 0.7 at 300 degC
  b,    ///< 0.8 at 0 degC, 0.4 at 400 degC, 0.7 at 600 degC
  b480  ///< as b with the third point at 480 degC: the pair needs relaxation
};

struct RadiatingFace {
  Emissivity emissivity = Emissivity::constant;
  double constantEmissivity = 0.8;  ///< only where it is constant
  double surroundings = 20.0;       ///< degC
};

/// q = sigma eps(T1) (T1^4 - T_U^4) with absolute temperatures, sigma = 5.67e-8 W/(m2.K4), Jung (5.3).
std::unique_ptr<solver::Equations> radiatingFace(const RadiatingFace& settings = {});

}  // namespace koppla::native
