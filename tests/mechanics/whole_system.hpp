#pragma once

#include <optional>
#include <vector>

#include "koppla/mechanics/detail/joint_equations.hpp"

namespace koppla::mechanics::test {

struct Body {
  detail::Motion start;
  double mass = 1.0;
  Eigen::Vector3d inertia = Eigen::Vector3d::Ones();
};

/// An undamped spring of relaxed length 0 between a point of a body and a fixed point.
struct Hanger {
  std::size_t body;
  Eigen::Vector3d at;
  Eigen::Vector3d ground;
  double stiffness;
};

/// Rigid without laws. Without a second body the joint holds to the ground, which stands still at the origin.
struct Hold {
  Joint joint;
  std::size_t first;
  std::optional<std::size_t> second;
  Laws laws;
};

/// Bodies and joints as one system without any coupling: rigid joints by their multipliers at the level of
/// accelerations, the classical Runge-Kutta method. What coupled runs are to converge to.
class WholeSystem {
 public:
  WholeSystem(std::vector<Body> bodies, std::vector<Hold> holds, std::vector<Hanger> hangers, Eigen::Vector3d gravity);

  void advance(double duration, int steps);

  [[nodiscard]] const detail::Motion& body(std::size_t index) const { return motions_[index]; }
  /// Multipliers of a joint at this instant.
  [[nodiscard]] std::vector<double> multipliers(std::size_t hold) const;
  /// Kinetic energy, gravity, hangers; not what flexible joints store. J.
  [[nodiscard]] double energy() const;

 private:
  struct Connection {
    detail::JointEquations equations;
    std::size_t first;
    std::optional<std::size_t> second;
    Laws laws;
    Eigen::Index row;  ///< of the first multiplier of a rigid joint
  };
  using Motions = std::vector<detail::Motion>;

  [[nodiscard]] const detail::Motion& second(const Connection& connection, const Motions& motions) const;
  /// Fills in the accelerations and gives the multipliers of all rigid joints.
  Eigen::VectorXd accelerate(Motions& motions) const;
  [[nodiscard]] Eigen::VectorXd appliedLoads(const Motions& motions) const;
  void addLoads(const Connection& connection, std::span<const double> lambda, const Motions& motions,
                Eigen::Ref<Eigen::VectorXd> loads) const;
  /// start + h times the rates of `rates`.
  [[nodiscard]] static Motions moved(const Motions& start, const Motions& rates, double h);

  std::vector<Body> bodies_;
  std::vector<Connection> connections_;
  std::vector<Hanger> hangers_;
  Eigen::Vector3d gravity_;
  Eigen::Index rigidRows_ = 0;
  Motions motions_;
  detail::Motion spatialGround_;
  detail::Motion planarGround_;
};

}  // namespace koppla::mechanics::test
