#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "koppla/mechanics/detail/joint_equations.hpp"
#include "koppla/mechanics/detail/kinematics.hpp"
#include "koppla/mechanics/multibody.hpp"

namespace koppla::mechanics::detail {

/// Stands for the inertial frame where a body's number is asked for.
inline constexpr std::size_t kGround = static_cast<std::size_t>(-1);

/// Scalars of a position or velocity, and of an angular velocity, with that rotation.
constexpr std::size_t translations(Rotation rotation) {
  return rotation == Rotation::planar ? 2 : 3;
}
constexpr std::size_t spins(Rotation rotation) {
  return rotation == Rotation::planar ? 1 : 3;
}

/// Vectors of ports and states; in the plane the position has x and y, the angular velocity z.
Eigen::Vector3d translation(Rotation rotation, const double* values);
Eigen::Vector3d spin(Rotation rotation, const double* values);
void writeTranslation(Rotation rotation, const Eigen::Vector3d& vector, double* values);
void writeSpin(Rotation rotation, const Eigen::Vector3d& vector, double* values);

Eigen::Vector3d vector(const Vector& values);

/// Adds a force in K_0 that acts at a point of the body.
void addForce(const Motion& body, const Eigen::Vector3d& point, const Eigen::Vector3d& force, Loads& loads);

/// Free rigid bodies in absolute coordinates. States: (r, rotation parameters) of every body, then (v, omega) of every
/// body, so that planar bodies have the structure (w, v) of systems of second order.
class Bodies {
 public:
  Bodies(Rotation rotation, const Vector& gravity, const std::vector<BodySettings>& settings);

  [[nodiscard]] std::size_t count() const { return bodies_.size(); }
  [[nodiscard]] std::size_t stateCount() const;
  void initialStates(std::span<double> x) const;

  /// Poses and velocities of all bodies from the states; accelerations are left alone.
  void read(std::span<const double> x, std::span<Motion> motions) const;
  /// The bodies' weights and no other loads.
  void weigh(std::span<Loads> loads) const;
  /// m a = F, J omega' + omega x J omega = M, Lu (52), (53).
  void accelerate(std::span<const Loads> loads, std::span<Motion> motions) const;
  /// M^-1 times loads on a body: what they add to its accelerations, a in the place of the force and omega' in that of
  /// the moment.
  [[nodiscard]] Loads perMass(std::size_t body, const Loads& loads) const;
  /// The work of loads `a` on the accelerations that loads `b` cause: an entry of J M^-1 J^T.
  [[nodiscard]] double mobility(std::size_t body, const Loads& a, const Loads& b) const;
  /// r' = v + V_c, gamma' = B (omega + Omega_c), v', omega': Lu (126), (127) with E13, E14. `projection`: V_c in the
  /// place of the force and Omega_c in that of the moment.
  void writeRates(std::span<const Motion> motions, std::span<const Loads> projection, std::span<double> dx) const;
  /// J, of motion and in the field of gravity.
  [[nodiscard]] double energy(std::span<const Motion> motions) const;

 private:
  struct Body {
    double mass;
    Eigen::Vector3d inertia;
    Eigen::Vector3d inverseInertia;  ///< in the plane zero about x and y
    BodySettings start;
  };
  [[nodiscard]] std::size_t poseScalars() const { return translations(rotation_) + parameterCount(rotation_); }
  [[nodiscard]] std::size_t velocityScalars() const { return translations(rotation_) + spins(rotation_); }
  [[nodiscard]] std::size_t pose(std::size_t body) const { return body * poseScalars(); }
  [[nodiscard]] std::size_t velocity(std::size_t body) const {
    return count() * poseScalars() + body * velocityScalars();
  }

  Rotation rotation_;
  Eigen::Vector3d gravity_;
  std::vector<Body> bodies_;
};

}  // namespace koppla::mechanics::detail
