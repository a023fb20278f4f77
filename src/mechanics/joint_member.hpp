#pragma once

#include <cstddef>
#include <memory>

#include "koppla/mechanics/joint.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::mechanics {

/// A rigid joint as a static subsystem that compares the motion of two bodies. Inputs, for each `side` of "first" and
/// "second": "side.position" (m, centre of mass), "side.rotation" (parameters), "side.velocity" (m/s),
/// "side.angular_velocity" (rad/s, body's frame), "side.acceleration" (m/s^2), "side.angular_acceleration" (rad/s^2).
/// Vectors have three scalars; in the plane positions and their derivatives have two, angles and theirs have one.
/// Outputs, one scalar per row: "position_defect", "velocity_defect", "acceleration_defect", and the multipliers
/// "lambda" and "mu", which belong to the caller: their places in y stay as they are.
///
/// Whatever is not bound is neither read nor written; an input that is not bound has the value 0 or what was set.
std::unique_ptr<subsystem::Subsystem> rigidJoint(const Joint& joint);

/// A rigid link between two points without orientation, such as markers of FMUs, with this number of coordinates.
/// Ports as those of a joint, without rotations and angular velocities; defects are first - second.
std::unique_ptr<subsystem::Subsystem> rigidLink(std::size_t components);

/// A flexible joint evaluated in the coupling (force/force): ports as those of a rigid one without accelerations and
/// without "mu"; "lambda" follows from the laws, one per row. Throws core::InputError for another number of laws.
std::unique_ptr<subsystem::Subsystem> flexibleJoint(const Joint& joint, Laws laws);

}  // namespace koppla::mechanics
