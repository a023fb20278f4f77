#pragma once

#include <cstdint>
#include <memory>

#include "koppla/solver/equations.hpp"

/// A counter-flow heat exchanger, a stand-in for the one of D. Jung, Adaptive Relaxation, dissertation 2013, sec. 6.1:
/// one of its 16 tubes with its share of the main pipe, in rings. Hot water flows through the tube, cold water against
/// it through the annulus between tube and shell. Axial cells are counted from the hot inlet; temperatures are in
/// degrees Celsius.
namespace koppla::native {

struct ExchangerGeometry {
  std::int32_t axialCells = 70;  ///< 2 .. kMostAxialCells
  double length = 0.7;           ///< m
  double tubeInside = 5e-3;      ///< m, inner radius of the tube
  double tubeOutside = 6e-3;     ///< m
  double shell = 25e-3;          ///< m, radius of a sixteenth of the area of the main pipe
};

inline constexpr std::int32_t kMostAxialCells = 10000;
inline constexpr std::int32_t kMostRadialCells = 1000;

struct HeatExchangerFlow {
  ExchangerGeometry geometry{};
  std::int32_t radialCells = 12;                   ///< of each stream, 2 .. kMostRadialCells
  double density = 1000.0;                         ///< kg/m3
  double heatCapacity = 4184.0;                    ///< J/(kg.K)
  double conductivity = 9e-7 * 1e3 * 4184.0 / 7.;  ///< W/(m.K), viscosity 9e-7 m2/s, Prandtl number 7
  double hotFlow = 225e-3 / 3600.0 / 16.0;         ///< m3/s
  double coldFlow = 225e-3 / 3600.0 / 16.0;        ///< m3/s
  double hotInlet = 90.0;                          ///< degC
  double coldInlet = 10.0;                         ///< degC
};

/// Both streams in developed laminar flow: wall temperatures in, temperatures of the rings next to the walls and
/// coefficients of heat transfer out. Upwind differences along the flow, no axial conduction.
std::unique_ptr<solver::Equations> heatExchangerFlow(const HeatExchangerFlow& settings = {});

struct HeatExchangerWalls {
  ExchangerGeometry geometry{};
  double tubeConductivity = 380.0;  ///< W/(m.K), copper
  double shellConductivity = 20.0;  ///< W/(m.K), stainless steel
  double shellThickness = 2e-3;     ///< m
  double shellShare = 0.25;         ///< of the shell's metal and its radiating face; the rest is another tube's
  double emissivity = 0.8;
  double surroundings = 20.0;  ///< degC
};

/// Tube and shell, one temperature for each axial cell: what the flow gives in, wall temperatures out. Both conduct
/// heat along the axis, the shell radiates to the surroundings; the ends are insulated.
std::unique_ptr<solver::Equations> heatExchangerWalls(const HeatExchangerWalls& settings = {});

}  // namespace koppla::native
