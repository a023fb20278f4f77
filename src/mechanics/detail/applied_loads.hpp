#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "koppla/mechanics/detail/bodies.hpp"

namespace koppla::mechanics::detail {

/// Springs, dampers and loads over time inside one system.
class AppliedLoads {
 public:
  /// The settings have been checked for names and numbers.
  explicit AppliedLoads(const MultibodySettings& settings);

  void add(double t, std::span<const Motion> motions, std::span<Loads> loads) const;
  /// J, of the springs.
  [[nodiscard]] double energy(std::span<const Motion> motions) const;

 private:
  struct Point {
    std::size_t body;    ///< kGround: `at` is in K_0
    Eigen::Vector3d at;  ///< m
  };
  struct Spring {
    Point first, second;
    Eigen::Vector3d stiffness, damping;
  };
  struct Torsion {
    std::size_t first, second;
    double stiffness, damping, relaxed;
  };
  struct Force {
    Point point;
    Eigen::Vector3d force, forceRate, moment, momentRate;
  };
  static Point pointOf(const MultibodySettings& settings, const std::string& marker);
  static Eigen::Vector3d position(const Point& point, std::span<const Motion> motions);
  static Eigen::Vector3d velocity(const Point& point, std::span<const Motion> motions);
  static double twist(const Torsion& spring, std::span<const Motion> motions);

  std::vector<Spring> springs_;
  std::vector<Torsion> torsions_;
  std::vector<Force> forces_;
};

}  // namespace koppla::mechanics::detail
