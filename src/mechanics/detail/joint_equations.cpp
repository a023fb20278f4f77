#include "koppla/mechanics/detail/joint_equations.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "koppla/core/error.hpp"

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

std::span<const double> values(const Parameters& p) {
  return {p.data(), static_cast<std::size_t>(p.size())};
}

/// Rates of the parameters and, at the level of accelerations, their second derivatives.
Parameters parametersAt(Level level, const Motion& body) {
  if (level == Level::position) return body.parameters;
  const RateMatrix rate = rateMatrix(body.rotation, values(body.parameters));
  Parameters rates = rate * body.w;
  if (level == Level::velocity) return rates;
  return rate * body.dw + rateMatrixDerivative(body.rotation, values(body.parameters), values(rates)) * body.w;
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

std::size_t JointEquations::rowsOf(Base base) const {
  switch (base) {
    case Base::atpoint:
      return points_;
    case Base::parameters:
      return parameters_;
    case Base::inplane:
    case Base::perpendicular:
      break;
  }
  return 1;
}

void JointEquations::defect(Level level, const Motion& first, const Motion& second, std::span<double> g) const {
  std::size_t row = 0;
  for (const Element& element : elements_) {
    const std::size_t count = rowsOf(element.base);
    elementDefect(element, level, first, second, g.subspan(row, count));
    row += count;
  }
}

void JointEquations::elementDefect(const Element& element, Level level, const Motion& first, const Motion& second,
                                   std::span<double> g) const {
  switch (element.base) {
    case Base::atpoint: {
      const Vector3d d = distance(level, first, second);
      for (std::size_t k = 0; k < g.size(); ++k) g[k] = d[static_cast<Eigen::Index>(k)];
      return;
    }
    case Base::inplane:
      g[0] = inplaneDefect(element, level, first, second);
      return;
    case Base::perpendicular:
      g[0] = perpendicularDefect(element, level, first, second);
      return;
    case Base::parameters: {
      const Parameters difference = parametersAt(level, second) - parametersAt(level, first);
      for (std::size_t k = 0; k < g.size(); ++k) g[k] = difference[static_cast<Eigen::Index>(k)];
      if (level == Level::position) g[0] -= angle_;
      return;
    }
  }
}

Vector3d JointEquations::distance(Level level, const Motion& first, const Motion& second) const {
  switch (level) {
    case Level::position:
      return pointPosition(first, firstPoint_) - pointPosition(second, secondPoint_);
    case Level::velocity:
      return pointVelocity(first, firstPoint_) - pointVelocity(second, secondPoint_);
    case Level::acceleration:
      break;
  }
  return pointAcceleration(first, firstPoint_) - pointAcceleration(second, secondPoint_);
}

double JointEquations::inplaneDefect(const Element& element, Level level, const Motion& first,
                                     const Motion& second) const {
  const Vector3d d = distance(Level::position, first, second);
  const Vector3d e = direction(second, element.second);
  if (level == Level::position) return d.dot(e);
  const Vector3d dRate = distance(Level::velocity, first, second);
  const Vector3d eRate = directionRate(second, element.second);
  if (level == Level::velocity) return dRate.dot(e) + d.dot(eRate);
  return distance(Level::acceleration, first, second).dot(e) + 2.0 * dRate.dot(eRate) +
         d.dot(directionAcceleration(second, element.second));
}

double JointEquations::perpendicularDefect(const Element& element, Level level, const Motion& first,
                                           const Motion& second) {
  const Vector3d ei = direction(first, element.first);
  const Vector3d ej = direction(second, element.second);
  if (level == Level::position) return ei.dot(ej);
  const Vector3d eiRate = directionRate(first, element.first);
  const Vector3d ejRate = directionRate(second, element.second);
  if (level == Level::velocity) return eiRate.dot(ej) + ei.dot(ejRate);
  return directionAcceleration(first, element.first).dot(ej) + 2.0 * eiRate.dot(ejRate) +
         ei.dot(directionAcceleration(second, element.second));
}

Loads JointEquations::loads(Side side, std::span<const double> lambda, const Motion& own, const Motion& other) const {
  Loads sum;
  std::size_t row = 0;
  for (const Element& element : elements_) {
    const std::size_t count = rowsOf(element.base);
    addLoads(element, side, lambda.subspan(row, count), own, other, sum);
    row += count;
  }
  return sum;
}

void JointEquations::addLoads(const Element& element, Side side, std::span<const double> lambda, const Motion& own,
                              const Motion& other, Loads& sum) const {
  const bool isFirst = side == Side::first;
  switch (element.base) {
    case Base::atpoint: {
      Vector3d force = Vector3d::Zero();
      for (std::size_t k = 0; k < lambda.size(); ++k)
        force[static_cast<Eigen::Index>(k)] = isFirst ? lambda[k] : -lambda[k];
      sum.force += force;
      sum.moment += (isFirst ? firstPoint_ : secondPoint_).cross(own.T.transpose() * force);
      return;
    }
    case Base::inplane:
      if (isFirst) {
        const Vector3d force = direction(other, element.second) * lambda[0];
        sum.force += force;
        sum.moment += firstPoint_.cross(own.T.transpose() * force);
      } else {
        sum.force -= direction(own, element.second) * lambda[0];
        sum.moment += element.second.cross(own.T.transpose() * (pointPosition(other, firstPoint_) - own.r)) * lambda[0];
      }
      return;
    case Base::perpendicular: {
      const Vector3d& ownAxis = isFirst ? element.first : element.second;
      const Vector3d otherAxis = direction(other, isFirst ? element.second : element.first);
      const Vector3d across = ownAxis.cross(own.T.transpose() * otherAxis);
      // Parallel axes: a scaled moment has no direction, and by symmetry none.
      const double length = scaled_ ? across.norm() : 1.0;
      if (length != 0.0) sum.moment += across * (lambda[0] / length);
      return;
    }
    case Base::parameters: {
      const Eigen::Map<const Parameters> multipliers(lambda.data(), static_cast<Eigen::Index>(lambda.size()));
      const Vector3d moment = rateMatrix(own.rotation, values(own.parameters)).transpose() * multipliers;
      sum.moment += isFirst ? Vector3d(-moment) : moment;
      return;
    }
  }
}

void JointEquations::evaluate(const Laws& laws, const Motion& first, const Motion& second,
                              std::span<double> lambda) const {
  // A joint has at most six rows, so the rates fit on the stack.
  std::array<double, kMaxRows> rates{};
  defect(Level::velocity, first, second, std::span(rates).first(rows_));
  defect(Level::position, first, second, lambda);
  for (std::size_t k = 0; k < rows_; ++k) lambda[k] = laws[k]->force(-lambda[k], -rates.at(k));
}

JointEquations::Reads JointEquations::reads(Side side, bool evaluatesLaw) const {
  Reads all;
  for (const Element& element : elements_) {
    const bool needsPoint = element.base == Base::atpoint || element.base == Base::inplane;
    const bool directs = element.base == Base::inplane || element.base == Base::perpendicular;
    all.position |= needsPoint && (evaluatesLaw || (element.base == Base::inplane && side == Side::second));
    all.rotation |= directs || evaluatesLaw;
    all.velocity |= needsPoint && evaluatesLaw;
    all.angularVelocity |= evaluatesLaw;
  }
  return all;
}

std::size_t scalars(const JointEquations::Reads& reads, Rotation rotation) {
  const bool isPlanar = rotation == Rotation::planar;
  const std::size_t coordinates = isPlanar ? 2 : 3;
  const std::size_t angular = isPlanar ? 1 : 3;
  return (reads.position ? coordinates : 0) + (reads.rotation ? parameterCount(rotation) : 0) +
         (reads.velocity ? coordinates : 0) + (reads.angularVelocity ? angular : 0);
}

}  // namespace koppla::mechanics::detail
