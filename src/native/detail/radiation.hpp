#pragma once

namespace koppla::native::detail {

inline constexpr double kStefanBoltzmann = 5.67e-8;  ///< W/(m2.K4), as Jung has it
inline constexpr double kZeroCelsius = 273.15;       ///< K

}  // namespace koppla::native::detail
