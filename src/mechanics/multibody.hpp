#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "koppla/mechanics/joint.hpp"
#include "koppla/mechanics/rotation.hpp"
#include "koppla/solver/attach.hpp"
#include "koppla/solver/equations.hpp"

namespace koppla::mechanics {

/// A rigid body at the start. Its frame has its origin in the centre of mass and the principal axes of inertia.
struct BodySettings {
  std::string name;
  double mass = 1.0;                  ///< kg, > 0
  Vector inertia{1.0, 1.0, 1.0};      ///< kg m2, each > 0; of a planar body z alone counts
  Vector position{};                  ///< m, centre of mass in K_0
  Vector velocity{};                  ///< m/s, in K_0
  std::vector<double> rotation = {};  ///< parameters of the system's Rotation; empty: axes parallel to K_0
  Vector angularVelocity{};           ///< rad/s, in the body's frame
};

/// A named place on a body.
struct MarkerSettings {
  std::string name;
  std::string body;
  Place place{};
  bool loads = false;  ///< has ports: its motion as outputs, force and moment on it as inputs
};

/// A spring and damper between two points, relaxed where they meet: force on the first one, per component in K_0,
/// -stiffness (p1 - p2) - damping (p1' - p2').
struct PointSpring {
  std::string name;
  std::string first;        ///< marker
  std::string second = {};  ///< marker; empty: the point `ground`
  Vector ground{};          ///< m, in K_0
  Vector stiffness{};       ///< N/m, >= 0
  Vector damping{};         ///< N s/m, >= 0
};

/// A torsion spring and damper, in the plane only: moment on the first body
/// -stiffness (phi1 - phi2 - relaxed) - damping (phi1' - phi2').
struct TorsionSpring {
  std::string name;
  std::string first;        ///< body
  std::string second = {};  ///< body; empty: ground
  double stiffness = 0.0;   ///< N m/rad, >= 0
  double damping = 0.0;     ///< N m s/rad, >= 0
  double relaxed = 0.0;     ///< rad
};

/// Loads that grow linearly with time: force + forceRate t, moment + momentRate t.
struct AppliedForce {
  std::string name;
  std::string marker;
  Vector force{};       ///< N, in K_0
  Vector forceRate{};   ///< N/s
  Vector moment{};      ///< N m, in the body's frame
  Vector momentRate{};  ///< N m/s
};

/// A rigid joint inside the system. The rotations of `joint` need not be given, they are the system's.
struct InternalJoint {
  std::string name;
  Joint joint{};
  std::string first;        ///< body
  std::string second = {};  ///< body; empty: ground, where the joint's second place is given in K_0
};

/// How internal joints are kept.
enum class InternalConstraints : std::uint8_t {
  accelerationLevel,  ///< g'' = 0: the defect drifts with the errors of the integrator
  baumgarte,          ///< g'' + 2 rate g' + rate^2 g = 0
  stabilisedIndex2    ///< g = 0 and g' = 0 as algebraic equations (Gear, Gupta, Leimkuhler)
};

struct MultibodySettings {
  Rotation rotation = Rotation::planar;  ///< of all bodies
  Vector gravity{};                      ///< m/s2, in K_0
  std::vector<BodySettings> bodies = {};
  std::vector<MarkerSettings> markers = {};
  std::vector<PointSpring> springs = {};
  std::vector<TorsionSpring> torsionSprings = {};
  std::vector<AppliedForce> forces = {};
  std::vector<InternalJoint> joints = {};
  InternalConstraints constraints = InternalConstraints::accelerationLevel;
  double rate = 0.0;  ///< 1/s, of Baumgarte's stabilisation, > 0
};

/// The share of one system in a joint with a body of another system.
struct Coupling {
  /// Where the multipliers of the joint come from.
  enum class Source : std::uint8_t {
    multipliers,  ///< they are an input
    law           ///< from the laws of a flexible joint and the partner's motion, evaluated here
  };
  std::string name;
  Joint joint{};
  solver::Side side = solver::Side::first;  ///< which of the joint's bodies belongs to this system
  std::string body;                         ///< that body
  Source source = Source::multipliers;
  Laws laws = {};           ///< one per row of the joint where they are the source, none otherwise
  bool projection = false;  ///< multipliers mu in the kinematic equations as well (Lu's method 3), rigid joints only
};

/// Rigid bodies in the plane or in space, in absolute coordinates, with springs, internal rigid joints and shares in
/// joints with bodies of other systems; docs/mechanics.md has the equations. Vectors of ports have three scalars; in
/// the plane positions and forces have two, angles and moments have one.
///
/// Outputs, for each body: "<body>.position" (m, centre of mass in K_0), "<body>.rotation" (parameters),
/// "<body>.velocity" (m/s), "<body>.angular_velocity" (rad/s, body's frame), "<body>.acceleration" (m/s2),
/// "<body>.angular_acceleration" (rad/s2). Output "energy" (J): of motion, weight and springs. For each marker with
/// loads: outputs "<marker>.position", "<marker>.velocity", "<marker>.rotation", "<marker>.angular_velocity", inputs
/// "<marker>.force" (N, in K_0) and "<marker>.moment" (N m, body's frame).
class Multibody final : public solver::Equations {
 public:
  /// Throws core::InputError for settings that describe no such system, with all mistakes of names and numbers; for
  /// an internal joint that is redundant or that the start values do not meet.
  explicit Multibody(MultibodySettings settings);
  ~Multibody() override;

  /// Adds loads of a joint to a body; to be called before integrate(). New inputs: "<name>.lambda" (unless from laws),
  /// "<name>.mu" with projection, and of the partner's body what its share of the joint reads: "<name>.position",
  /// "<name>.rotation", "<name>.velocity", "<name>.angular_velocity". New output from laws: "<name>.lambda".
  void couple(const Coupling& coupling);

  /// Whether joints inside do not see a projection and drift under it: those at the level of accelerations.
  [[nodiscard]] bool driftsUnderProjection() const;

  [[nodiscard]] const subsystem::Description& describe() const override;
  void set(subsystem::PortIndex port, std::span<const core::Value> values) override;
  [[nodiscard]] core::Value parameter(subsystem::PortIndex port) const override;

  [[nodiscard]] std::size_t stateCount() const override;
  /// Multipliers lambda, then mu, of internal joints in stabilised index-2 form.
  [[nodiscard]] std::size_t algebraicCount() const override;
  void initialStates(std::span<double> x) const override;
  void derivatives(double t, std::span<const double> x, std::span<const double> u, std::span<double> dx) const override;
  void outputs(double t, std::span<const double> x, std::span<const double> u, std::span<double> y) const override;
  /// In the plane, without projection and without algebraic equations.
  [[nodiscard]] bool secondOrder() const override;

 private:
  struct System;
  std::unique_ptr<System> system_;
};

}  // namespace koppla::mechanics
