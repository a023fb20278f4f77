#pragma once

#include <array>
#include <random>
#include <string>
#include <vector>

#include "koppla/mechanics/detail/joint_equations.hpp"

namespace koppla::mechanics::test {

using Random = std::mt19937;

/// A smooth function of time with known derivatives: offset + a sin(b t + c).
class Sway {
 public:
  /// With values in offset +- 0.5 and rates of order 1.
  Sway(Random& random, double offset);
  [[nodiscard]] double at(double t) const;
  [[nodiscard]] double rate(double t) const;
  [[nodiscard]] double acceleration(double t) const;

 private:
  double offset_;
  double amplitude_;
  double frequency_;
  double phase_;
};

/// A random smooth motion of a body whose orientation is a product of three turns (in the plane: one). Velocities are
/// known from those turns, without the matrices B and P that are under test.
class SmoothMotion {
 public:
  SmoothMotion(Rotation rotation, Random& random);
  [[nodiscard]] detail::Motion at(double t) const;

 private:
  [[nodiscard]] Eigen::Vector3d angularVelocity(double t) const;

  Rotation rotation_;
  std::vector<Sway> position_;
  std::vector<Sway> angles_;
};

/// A motion that belongs to no time: all entries are independent.
detail::Motion anyMotion(Rotation rotation, Random& random);

/// Derivatives by central differences of sixth order.
template <class F>
auto derivative(const F& f, double t, double h = 4e-3) {
  return ((45.0 * (f(t + h) - f(t - h)) - 9.0 * (f(t + 2 * h) - f(t - 2 * h)) + (f(t + 3 * h) - f(t - 3 * h))) /
          (60.0 * h))
      .eval();
}
template <class F>
auto secondDerivative(const F& f, double t, double h = 2e-2) {
  return ((270.0 * (f(t + h) + f(t - h)) - 27.0 * (f(t + 2 * h) + f(t - 2 * h)) + 2.0 * (f(t + 3 * h) + f(t - 3 * h)) -
           490.0 * f(t)) /
          (180.0 * h * h))
      .eval();
}

struct NamedJoint {
  std::string name;
  Joint joint;
};

/// Every kind in space with every pair of rotations, every alignment, and what there is in the plane, at random places.
std::vector<NamedJoint> everyJoint(Random& random);

Place randomPlace(Random& random, bool inPlane);
std::vector<double> randomMultipliers(std::size_t count, Random& random);

/// g, g' or g'' as a vector.
Eigen::VectorXd defect(const detail::JointEquations& equations, detail::Level level, const detail::Motion& first,
                       const detail::Motion& second);

}  // namespace koppla::mechanics::test
