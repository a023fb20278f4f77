#include "motions.hpp"

#include <cmath>

#include <Eigen/Geometry>

namespace koppla::mechanics::test {

using Eigen::Vector3d;

namespace {

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution(low, high)(random);
}

Vector3d anyVector(Random& random) {
  return {uniform(random, -1.0, 1.0), uniform(random, -1.0, 1.0), uniform(random, -1.0, 1.0)};
}

/// Axes of the turns, in the order of the product.
std::vector<Vector3d> turnAxes(Rotation rotation) {
  if (rotation == Rotation::planar) return {Vector3d::UnitZ()};
  if (rotation == Rotation::euler) return {Vector3d::UnitZ(), Vector3d::UnitX(), Vector3d::UnitZ()};
  return {Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitZ()};
}

}  // namespace

Sway::Sway(Random& random, double offset)
    : offset_(offset),
      amplitude_(uniform(random, 0.2, 0.5)),
      frequency_(uniform(random, 0.5, 2.0)),
      phase_(uniform(random, 0.0, 6.0)) {}

double Sway::at(double t) const {
  return offset_ + amplitude_ * std::sin(frequency_ * t + phase_);
}
double Sway::rate(double t) const {
  return amplitude_ * frequency_ * std::cos(frequency_ * t + phase_);
}
double Sway::acceleration(double t) const {
  return -frequency_ * frequency_ * (at(t) - offset_);
}

SmoothMotion::SmoothMotion(Rotation rotation, Random& random) : rotation_(rotation) {
  for (std::size_t k = 0; k < (rotation == Rotation::planar ? 2U : 3U); ++k)
    position_.emplace_back(random, uniform(random, -0.5, 0.5));
  // Euler angles are singular where the second one is 0, Cardan angles where it is 90 degrees.
  const double middle = rotation == Rotation::euler ? 1.3 : uniform(random, -0.6, 0.6);
  for (std::size_t k = 0; k < turnAxes(rotation).size(); ++k)
    angles_.emplace_back(random, k == 1 ? middle : uniform(random, -3.0, 3.0));
}

Vector3d SmoothMotion::angularVelocity(double t) const {
  // In the frame of the body: each turn adds its own rate to what came before it, seen from the turned frame.
  Vector3d w = Vector3d::Zero();
  const std::vector<Vector3d> axes = turnAxes(rotation_);
  for (std::size_t k = 0; k < axes.size(); ++k)
    w = Eigen::AngleAxisd(-angles_[k].at(t), axes[k]) * w + axes[k] * angles_[k].rate(t);
  return w;
}

detail::Motion SmoothMotion::at(double t) const {
  detail::Motion motion;
  for (std::size_t k = 0; k < position_.size(); ++k) {
    const auto component = static_cast<Eigen::Index>(k);
    motion.r[component] = position_[k].at(t);
    motion.v[component] = position_[k].rate(t);
    motion.a[component] = position_[k].acceleration(t);
  }
  motion.w = angularVelocity(t);
  motion.dw = derivative([this](double time) { return angularVelocity(time); }, t);
  std::vector<double> parameters;
  if (rotation_ == Rotation::eulerParameters) {
    Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
    const std::vector<Vector3d> axes = turnAxes(rotation_);
    for (std::size_t k = 0; k < axes.size(); ++k)
      q = q * Eigen::Quaterniond(Eigen::AngleAxisd(angles_[k].at(t), axes[k]));
    parameters = {q.w(), q.x(), q.y(), q.z()};
  } else {
    for (const Sway& angle : angles_) parameters.push_back(angle.at(t));
  }
  motion.orient(rotation_, parameters);
  return motion;
}

detail::Motion anyMotion(Rotation rotation, Random& random) {
  detail::Motion motion = SmoothMotion(rotation, random).at(0.0);
  for (Vector3d* vector : {&motion.r, &motion.v, &motion.a}) {
    *vector = anyVector(random);
    if (rotation == Rotation::planar) vector->z() = 0.0;
  }
  for (Vector3d* vector : {&motion.w, &motion.dw}) {
    *vector = anyVector(random);
    if (rotation == Rotation::planar) vector->head<2>().setZero();
  }
  return motion;
}

Place randomPlace(Random& random, bool inPlane) {
  const auto components = [&random, inPlane]() -> Vector {
    return {uniform(random, -1.0, 1.0), uniform(random, -1.0, 1.0), inPlane ? 0.0 : uniform(random, -1.0, 1.0)};
  };
  return {components(), components(), components()};
}

std::vector<double> randomMultipliers(std::size_t count, Random& random) {
  std::vector<double> lambda(count);
  for (double& value : lambda) value = uniform(random, -5.0, 5.0);
  return lambda;
}

std::vector<NamedJoint> everyJoint(Random& random) {
  std::vector<NamedJoint> joints;
  const auto add = [&](JointKind kind, Rotation first, Rotation second, Alignment alignment) {
    const bool inPlane = first == Rotation::planar;
    joints.push_back({std::string(word(kind)) + " " + std::string(word(first)) + " " + std::string(word(second)) + " " +
                          std::string(word(alignment)),
                      {.kind = kind,
                       .first = randomPlace(random, inPlane),
                       .second = randomPlace(random, inPlane),
                       .firstRotation = first,
                       .secondRotation = second,
                       .alignment = alignment}});
  };
  constexpr std::array kInSpace{Rotation::cardan, Rotation::euler, Rotation::eulerParameters};
  for (const JointKind kind : kJointKinds)
    for (const Rotation first : kInSpace)
      for (const Rotation second : kInSpace) add(kind, first, second, Alignment::perpendicular);
  for (const JointKind kind : {JointKind::orientation, JointKind::fixed})
    for (const Rotation rotation : {Rotation::cardan, Rotation::euler})
      add(kind, rotation, rotation, Alignment::parameters);
  for (const JointKind kind :
       {JointKind::atpoint, JointKind::revolute, JointKind::inplane, JointKind::inlinePoint, JointKind::perpendicular,
        JointKind::translational, JointKind::orientation, JointKind::fixed})
    add(kind, Rotation::planar, Rotation::planar, Alignment::perpendicular);
  return joints;
}

Eigen::VectorXd defect(const detail::JointEquations& equations, detail::Level level, const detail::Motion& first,
                       const detail::Motion& second) {
  Eigen::VectorXd g(static_cast<Eigen::Index>(equations.rows()));
  equations.defect(level, first, second, {g.data(), equations.rows()});
  return g;
}

}  // namespace koppla::mechanics::test
