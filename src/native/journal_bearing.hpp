#pragma once

#include <cstdint>
#include <memory>

#include "koppla/solver/equations.hpp"

namespace koppla::native {

enum class FilmSolution : std::uint8_t {
  finiteElements,
  shortBearing  ///< R/B -> infinity, in closed form
};

inline constexpr std::int32_t kElementsTheta = 48;
inline constexpr std::int32_t kElementsZ = 12;

/// The oil film of a journal bearing, Schmoll 5.1.
struct JournalBearing {
  FilmSolution solution = FilmSolution::finiteElements;
  std::int32_t elementsTheta = kElementsTheta;  ///< around the circumference, even, 8 to 2000
  std::int32_t elementsZ = kElementsZ;          ///< across the width, even, 2 to 200
  double ratio = 1.0;                           ///< R/B, radius to width
};

/// Reynolds' equation (5.4) with Guembel's condition; everything is dimensionless. Inputs eps, eps_rate, del_rate;
/// outputs force_r, force_t (5.13), (5.14). An evaluation throws core::SubsystemError unless 0 <= eps < 1.
std::unique_ptr<solver::Equations> journalBearing(const JournalBearing& settings = {});

}  // namespace koppla::native
