#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace koppla::mechanics {

/// How the orientation of a body is described. The parameters give the matrix T that turns coordinates in the body's
/// frame into coordinates in the inertial frame.
enum class Rotation : std::uint8_t {
  planar,           ///< one angle about z; the body moves in the plane z = 0
  cardan,           ///< (alpha, beta, gamma), T = Rx(alpha) Ry(beta) Rz(gamma); singular at cos(beta) = 0
  euler,            ///< (psi, theta, phi), T = Rz(psi) Rx(theta) Rz(phi); singular at sin(theta) = 0
  eulerParameters,  ///< a unit quaternion (q0, q1, q2, q3); never singular
};

inline constexpr std::array kRotations{Rotation::planar, Rotation::cardan, Rotation::euler, Rotation::eulerParameters};

/// 1, 3, 3 or 4.
std::size_t parameterCount(Rotation rotation);

/// The word in project files and messages, such as "euler-parameters", and back.
std::string_view word(Rotation rotation);
std::optional<Rotation> rotationNamed(std::string_view word);

}  // namespace koppla::mechanics
