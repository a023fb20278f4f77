#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "koppla/mechanics/detail/kinematics.hpp"
#include "koppla/mechanics/joint.hpp"
#include "koppla/solver/attach.hpp"

namespace koppla::mechanics::detail {

using solver::Side;

/// Of any joint.
inline constexpr std::size_t kMaxRows = 6;

enum class Level : std::uint8_t { position, velocity, acceleration };

/// What acts on a body, or corrects its velocities (method 3).
struct Loads {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< in K_0, N
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();  ///< about the centre of mass, in the body's frame, N m
};

/// The equations g = 0 of a joint with their time derivatives, and the loads that belong to them, so that for any
/// motion the power of the loads on both bodies is lambda . g' (unless the joint is scaled); Lu, sec. 2.2.2, 3.2.2.
class JointEquations {
 public:
  /// What is read of a body's motion.
  struct Reads {
    bool position = false;
    bool rotation = false;
    bool velocity = false;
    bool angularVelocity = false;
    bool operator==(const Reads&) const = default;
  };

  /// Throws core::InputError as rows() does.
  explicit JointEquations(const Joint& joint);

  [[nodiscard]] std::size_t rows() const { return rows_; }

  /// g, g' or g'', one number per row. Reads accelerations for g'' only, velocities for g' and g'' only.
  void defect(Level level, const Motion& first, const Motion& second, std::span<double> g) const;

  /// Loads on the body of that side for given multipliers. Reads of `other` only what reads(side, false) says.
  [[nodiscard]] Loads loads(Side side, std::span<const double> lambda, const Motion& own, const Motion& other) const;

  /// Multipliers of a flexible joint from its laws, one law per row. Reads of either body no more than reads(side,
  /// true) says.
  void evaluate(const Laws& laws, const Motion& first, const Motion& second, std::span<double> lambda) const;

  /// What a side reads of the other body: to turn multipliers into loads, or to evaluate the laws as well.
  [[nodiscard]] Reads reads(Side side, bool evaluatesLaw) const;

 private:
  enum class Base : std::uint8_t { atpoint, inplane, perpendicular, parameters };
  /// Directions are unit vectors in the frames of their bodies.
  struct Element {
    Base base;
    Eigen::Vector3d first;   ///< perpendicular: e_i
    Eigen::Vector3d second;  ///< perpendicular: e_j; inplane: the normal
  };

  void addAtpoint();
  void addInplane(const Eigen::Vector3d& normal);
  void addPerpendicular(const Eigen::Vector3d& first, const Eigen::Vector3d& second);
  void addParameters();
  /// The first axis is parallel to the second one.
  void addParallelAxes(const Joint& joint);
  /// The first point lies on the second axis.
  void addOnAxis(const Joint& joint);
  void addOrientation(const Joint& joint);
  void addForPlane(const Joint& joint);
  void addForSpace(const Joint& joint);
  [[nodiscard]] std::size_t rowsOf(Base base) const;
  [[nodiscard]] Eigen::Vector3d distance(Level level, const Motion& first, const Motion& second) const;
  void elementDefect(const Element& element, Level level, const Motion& first, const Motion& second,
                     std::span<double> g) const;
  [[nodiscard]] double inplaneDefect(const Element& element, Level level, const Motion& first,
                                     const Motion& second) const;
  [[nodiscard]] static double perpendicularDefect(const Element& element, Level level, const Motion& first,
                                                  const Motion& second);
  void addLoads(const Element& element, Side side, std::span<const double> lambda, const Motion& own,
                const Motion& other, Loads& sum) const;

  std::vector<Element> elements_;
  Eigen::Vector3d firstPoint_;
  Eigen::Vector3d secondPoint_;
  std::size_t points_ = 3;      ///< coordinates of a point: 3, or 2 in the plane
  std::size_t parameters_ = 3;  ///< rotation parameters that an alignment compares: 3, or 1 in the plane
  double angle_ = 0.0;          ///< rad, in the plane: what the second angle is to be more than the first one
  bool scaled_ = false;
  std::size_t rows_ = 0;
};

/// Number of scalars that these are for a body with this rotation: at most 12 with angles, 13 with Euler parameters, 6
/// in the plane.
std::size_t scalars(const JointEquations::Reads& reads, Rotation rotation);

}  // namespace koppla::mechanics::detail
