// How joints are put together from base elements, and what is refused; joint_equations.cpp evaluates them.

#include <cmath>
#include <numbers>
#include <string>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/mechanics/detail/joint_equations.hpp"

namespace koppla::mechanics::detail {

namespace {

using Eigen::Vector3d;

/// Directions that differ by less than this (rad) are taken for parallel.
constexpr double kParallel = 1e-9;

Vector3d vector(const Vector& v) {
  return {v[0], v[1], v[2]};
}

std::string text(const Vector& v) {
  return fmt::format("({}, {}, {})", v[0], v[1], v[2]);
}

Vector3d point(const Vector& at) {
  Vector3d p = vector(at);
  if (!p.allFinite())
    throw core::InputError(fmt::format("A joint cannot stand at {}.", text(at)), "Give three finite coordinates.");
  return p;
}

Vector3d axisOf(const Place& place) {
  const Vector3d axis = vector(place.axis);
  const double length = axis.norm();
  if (!std::isfinite(length) || length == 0.0)
    throw core::InputError(fmt::format("The axis {} of a joint has no direction.", text(place.axis)),
                           "Give a vector of finite length that is not 0.");
  return axis / length;
}

Vector3d crossOf(const Place& place) {
  const Vector3d axis = axisOf(place);
  const Vector3d given = vector(place.cross);
  const Vector3d across = given - axis.dot(given) * axis;
  if (!across.allFinite() || across.norm() <= kParallel * given.norm())
    throw core::InputError(fmt::format("The direction cross {} of a joint is parallel to its axis {}.",
                                       text(place.cross), text(place.axis)),
                           "Give a cross that points away from the axis, best at right angles to it.");
  return across.normalized();
}

Vector3d thirdOf(const Place& place) {
  return axisOf(place).cross(crossOf(place));
}

void requireInPlane(const Vector& at) {
  if (at[2] != 0.0)
    throw core::InputError(
        fmt::format("The point {} of a joint between planar bodies is not in their plane.", text(at)),
        "Give a point with z = 0.");
}

Vector3d planarAxisOf(const Place& place) {
  Vector3d axis = axisOf(place);
  if (std::abs(axis.z()) > kParallel)
    throw core::InputError(
        fmt::format("The axis {} of a joint between planar bodies is not in their plane.", text(place.axis)),
        "Give an axis with z = 0.");
  return axis;
}

/// The angle in [-pi, pi] that differs from this one by full turns.
double wrapped(double angle) {
  return std::remainder(angle, 2.0 * std::numbers::pi);
}

}  // namespace

JointEquations::JointEquations(const Joint& joint)
    : firstPoint_(point(joint.first.at)), secondPoint_(point(joint.second.at)), scaled_(joint.scaled) {
  const bool firstIsPlanar = joint.firstRotation == Rotation::planar;
  if (firstIsPlanar != (joint.secondRotation == Rotation::planar))
    throw core::InputError("A joint cannot hold a planar body to a body in space.",
                           "Describe both bodies in space, or both in the plane.");
  if (firstIsPlanar)
    addForPlane(joint);
  else
    addForSpace(joint);
}

void JointEquations::addAtpoint() {
  elements_.push_back({Base::atpoint, Vector3d::Zero(), Vector3d::Zero()});
  rows_ += points_;
}

void JointEquations::addInplane(const Vector3d& normal) {
  elements_.push_back({Base::inplane, Vector3d::Zero(), normal});
  ++rows_;
}

void JointEquations::addPerpendicular(const Vector3d& first, const Vector3d& second) {
  elements_.push_back({Base::perpendicular, first, second});
  ++rows_;
}

void JointEquations::addParameters() {
  elements_.push_back({Base::parameters, Vector3d::Zero(), Vector3d::Zero()});
  rows_ += parameters_;
}

void JointEquations::addParallelAxes(const Joint& joint) {
  const Vector3d axis = axisOf(joint.second);
  addPerpendicular(crossOf(joint.first), axis);
  addPerpendicular(thirdOf(joint.first), axis);
}

void JointEquations::addOnAxis(const Joint& joint) {
  addInplane(crossOf(joint.second));
  addInplane(thirdOf(joint.second));
}

void JointEquations::addOrientation(const Joint& joint) {
  if (joint.alignment == Alignment::perpendicular) {
    addParallelAxes(joint);
    addPerpendicular(crossOf(joint.first), thirdOf(joint.second));
    return;
  }
  if (joint.firstRotation != joint.secondRotation)
    throw core::InputError(fmt::format("Rotation parameters of two kinds ({} and {}) cannot be held equal.",
                                       word(joint.firstRotation), word(joint.secondRotation)),
                           "Use the same angles for both bodies, or the alignment 'perpendicular'.");
  if (joint.firstRotation == Rotation::eulerParameters)
    throw core::InputError("Four Euler parameters cannot be held equal by the three moments of a joint.",
                           "Use cardan or euler angles for both bodies, or the alignment 'perpendicular'.");
  addParameters();
}

void JointEquations::addForSpace(const Joint& joint) {
  if (joint.alignment == Alignment::parameters && joint.kind != JointKind::fixed &&
      joint.kind != JointKind::orientation)
    throw core::InputError(fmt::format("A joint of kind '{}' does not hold all rotations, so it cannot hold rotation "
                                       "parameters equal.",
                                       word(joint.kind)),
                           "Use the alignment 'perpendicular', or the kinds 'fixed' or 'orientation'.");
  switch (joint.kind) {
    case JointKind::atpoint:
      addAtpoint();
      return;
    case JointKind::inplane:
      addInplane(axisOf(joint.second));
      return;
    case JointKind::perpendicular:
      addPerpendicular(axisOf(joint.first), axisOf(joint.second));
      return;
    case JointKind::universal:
      addAtpoint();
      addPerpendicular(axisOf(joint.first), axisOf(joint.second));
      return;
    case JointKind::revolute:
      addAtpoint();
      addParallelAxes(joint);
      return;
    case JointKind::translational:
      addOnAxis(joint);
      addParallelAxes(joint);
      addPerpendicular(crossOf(joint.first), thirdOf(joint.second));
      return;
    case JointKind::cylindrical:
      addOnAxis(joint);
      addParallelAxes(joint);
      return;
    case JointKind::planar:
      addInplane(axisOf(joint.second));
      addParallelAxes(joint);
      return;
    case JointKind::inlinePoint:
      addOnAxis(joint);
      return;
    case JointKind::orientation:
      addOrientation(joint);
      return;
    case JointKind::fixed:
      addAtpoint();
      addOrientation(joint);
      return;
  }
}

void JointEquations::addForPlane(const Joint& joint) {
  requireInPlane(joint.first.at);
  requireInPlane(joint.second.at);
  points_ = 2;
  parameters_ = 1;
  const auto normalToAxis = [&joint] { return Vector3d::UnitZ().cross(planarAxisOf(joint.second)); };
  switch (joint.kind) {
    case JointKind::atpoint:
    case JointKind::revolute:
      addAtpoint();
      return;
    case JointKind::inplane:
      addInplane(planarAxisOf(joint.second));
      return;
    case JointKind::perpendicular:
      addPerpendicular(planarAxisOf(joint.first), planarAxisOf(joint.second));
      return;
    case JointKind::inlinePoint:
      addInplane(normalToAxis());
      return;
    case JointKind::translational: {
      const Vector3d first = planarAxisOf(joint.first);
      const Vector3d second = planarAxisOf(joint.second);
      angle_ = wrapped(std::atan2(first.y(), first.x()) - std::atan2(second.y(), second.x()));
      addInplane(normalToAxis());
      addParameters();
      return;
    }
    case JointKind::orientation:
      addParameters();
      return;
    case JointKind::fixed:
      addAtpoint();
      addParameters();
      return;
    case JointKind::universal:
    case JointKind::cylindrical:
    case JointKind::planar:
      break;
  }
  throw core::InputError(fmt::format("A joint of kind '{}' has no meaning between planar bodies.", word(joint.kind)),
                         "Use atpoint, revolute, inplane, inline, perpendicular, translational, orientation or fixed, "
                         "or describe both bodies in space.");
}

}  // namespace koppla::mechanics::detail
