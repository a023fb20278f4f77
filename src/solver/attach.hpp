#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "koppla/solver/equations.hpp"
#include "koppla/subsystem/force_law.hpp"

namespace koppla::solver {

/// Which of the two points of a force law the body's marker is: x1 or x2.
enum class Side : std::uint8_t { first, second };

/// Equations of a body with a force law composed into them, so that the law is solved with the body (Schmoll, sec.
/// 2.3.1 and 2.3.2). New inputs "<name>.position" (m) and "<name>.velocity" (m/s): the motion of the partner's point.
/// New output "<name>.force" (N): what belongs to the partner's force input. The body's own share is added to what
/// arrives at the marker's force input, which stays, as all ports and markers do, where it was.
///
/// Throws core::InputError where position or velocity of the marker depend on its force at one instant: the law would
/// then be an equation to solve.
std::unique_ptr<Equations> attach(std::unique_ptr<Equations> body, const subsystem::Marker& marker, Side side,
                                  std::shared_ptr<const subsystem::ForceLaw> law, const std::string& name);

}  // namespace koppla::solver
