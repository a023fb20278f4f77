#include "koppla/mechanics/detail/bodies.hpp"

#include <algorithm>

#include <Eigen/Geometry>

namespace koppla::mechanics::detail {

using Eigen::Vector3d;

namespace {

/// Moments of inertia, or their inverses, of the axes about which the body can turn.
Vector3d aboutFreeAxes(Rotation rotation, const Vector3d& values) {
  return rotation == Rotation::planar ? Vector3d(0.0, 0.0, values.z()) : values;
}

std::span<const double> parametersOf(const Motion& motion) {
  return {motion.parameters.data(), static_cast<std::size_t>(motion.parameters.size())};
}

}  // namespace

Vector3d translation(Rotation rotation, const double* values) {
  return {values[0], values[1], rotation == Rotation::planar ? 0.0 : values[2]};
}

Vector3d spin(Rotation rotation, const double* values) {
  if (rotation == Rotation::planar) return {0.0, 0.0, values[0]};
  return {values[0], values[1], values[2]};
}

void writeTranslation(Rotation rotation, const Vector3d& vector, double* values) {
  std::copy_n(vector.data(), translations(rotation), values);
}

void writeSpin(Rotation rotation, const Vector3d& vector, double* values) {
  std::copy_n(vector.data() + 3 - spins(rotation), spins(rotation), values);
}

Vector3d vector(const Vector& values) {
  return {values[0], values[1], values[2]};
}

void addForce(const Motion& body, const Vector3d& point, const Vector3d& force, Loads& loads) {
  loads.force += force;
  loads.moment += point.cross(body.T.transpose() * force);
}

Bodies::Bodies(Rotation rotation, const Vector& gravity, const std::vector<BodySettings>& settings)
    : rotation_(rotation), gravity_(vector(gravity)) {
  for (const BodySettings& body : settings)
    bodies_.push_back({body.mass, aboutFreeAxes(rotation, vector(body.inertia)),
                       aboutFreeAxes(rotation, vector(body.inertia).cwiseInverse()), body});
}

std::size_t Bodies::stateCount() const {
  return count() * (poseScalars() + velocityScalars());
}

void Bodies::initialStates(std::span<double> x) const {
  for (std::size_t i = 0; i < count(); ++i) {
    const BodySettings& start = bodies_[i].start;
    writeTranslation(rotation_, vector(start.position), &x[pose(i)]);
    std::ranges::copy(start.rotation, x.begin() + static_cast<std::ptrdiff_t>(pose(i) + translations(rotation_)));
    writeTranslation(rotation_, vector(start.velocity), &x[velocity(i)]);
    writeSpin(rotation_, vector(start.angularVelocity), &x[velocity(i) + translations(rotation_)]);
  }
}

void Bodies::read(std::span<const double> x, std::span<Motion> motions) const {
  for (std::size_t i = 0; i < count(); ++i) {
    Motion& motion = motions[i];
    motion.r = translation(rotation_, &x[pose(i)]);
    motion.orient(rotation_, x.subspan(pose(i) + translations(rotation_), parameterCount(rotation_)));
    motion.v = translation(rotation_, &x[velocity(i)]);
    motion.w = spin(rotation_, &x[velocity(i) + translations(rotation_)]);
  }
}

void Bodies::weigh(std::span<Loads> loads) const {
  for (std::size_t i = 0; i < count(); ++i) loads[i] = {bodies_[i].mass * gravity_, Vector3d::Zero()};
}

void Bodies::accelerate(std::span<const Loads> loads, std::span<Motion> motions) const {
  for (std::size_t i = 0; i < count(); ++i) {
    const Body& body = bodies_[i];
    Motion& motion = motions[i];
    const Vector3d gyroscopic = motion.w.cross(body.inertia.cwiseProduct(motion.w));
    motion.a = loads[i].force / body.mass;
    motion.dw = body.inverseInertia.cwiseProduct(loads[i].moment - gyroscopic);
  }
}

Loads Bodies::perMass(std::size_t body, const Loads& loads) const {
  return {loads.force / bodies_[body].mass, bodies_[body].inverseInertia.cwiseProduct(loads.moment)};
}

double Bodies::mobility(std::size_t body, const Loads& a, const Loads& b) const {
  return a.force.dot(b.force) / bodies_[body].mass + a.moment.dot(bodies_[body].inverseInertia.cwiseProduct(b.moment));
}

void Bodies::writeRates(std::span<const Motion> motions, std::span<const Loads> projection,
                        std::span<double> dx) const {
  for (std::size_t i = 0; i < count(); ++i) {
    const Motion& motion = motions[i];
    const Parameters rates = rateMatrix(rotation_, parametersOf(motion)) * (motion.w + projection[i].moment);
    writeTranslation(rotation_, motion.v + projection[i].force, &dx[pose(i)]);
    std::copy_n(rates.data(), parameterCount(rotation_), &dx[pose(i) + translations(rotation_)]);
    writeTranslation(rotation_, motion.a, &dx[velocity(i)]);
    writeSpin(rotation_, motion.dw, &dx[velocity(i) + translations(rotation_)]);
  }
}

double Bodies::energy(std::span<const Motion> motions) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < count(); ++i) {
    const Motion& motion = motions[i];
    const Body& body = bodies_[i];
    sum += body.mass * motion.v.squaredNorm() / 2.0 + motion.w.dot(body.inertia.cwiseProduct(motion.w)) / 2.0 -
           body.mass * gravity_.dot(motion.r);
  }
  return sum;
}

}  // namespace koppla::mechanics::detail
