// Mechanisms of Lu's thesis, each as one system with internal joints, against the reference solutions of its
// monolithic equations in minimal coordinates (tables of section 8 of the note; end times and data as stated there).

#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "koppla/mechanics/multibody.hpp"

#include "simulation.hpp"
#include "spatial_four_bar.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::mechanics::mechanisms_test {
namespace {

using std::numbers::pi;
using std::numbers::sqrt2;
using test::Simulation;

constexpr Vector kGravity{0.0, -9.81, 0.0};
constexpr double kPrinted = 1e-7;  // the tables show eight decimals

Place at(double x) {
  return {.at = {x, 0.0, 0.0}};
}

/// A uniform rod along its x axis, at rest.
BodySettings rod(const std::string& name, double mass, double length, double phi, const Vector& start) {
  const double J = mass * length * length / 12.0;
  return {.name = name,
          .mass = mass,
          .inertia = {J, J, J},
          .position = {start[0] + length / 2.0 * std::cos(phi), start[1] + length / 2.0 * std::sin(phi), 0.0},
          .rotation = {phi}};
}

InternalJoint pin(const std::string& name, const std::string& body, double x, const Vector& ground) {
  return {.name = name, .joint = {.kind = JointKind::atpoint, .first = at(x), .second = {.at = ground}}, .first = body};
}

InternalJoint hinge(const std::string& name, const std::string& first, double x1, const std::string& second,
                    double x2) {
  return {.name = name,
          .joint = {.kind = JointKind::revolute, .first = at(x1), .second = at(x2)},
          .first = first,
          .second = second};
}

/// Two rods in a row, the first one with a torsion spring, not yet attached to anything.
MultibodySettings doublePendulum(double damping, double relaxed) {
  MultibodySettings system;
  system.gravity = kGravity;
  const double c = std::cos(pi / 4.0);
  system.bodies = {rod("rod1", 1.0, 1.0, pi / 4.0, {}), rod("rod2", 1.0, 1.0, -pi / 4.0, {c, c, 0.0})};
  system.torsionSprings = {
      {.name = "torsion", .first = "rod1", .stiffness = 500.0, .damping = damping, .relaxed = relaxed}};
  system.markers = {{.name = "start1", .body = "rod1", .place = at(-0.5)},
                    {.name = "end1", .body = "rod1", .place = at(0.5)},
                    {.name = "start2", .body = "rod2", .place = at(-0.5)}};
  return system;
}

/// Rod 1 whose tip slides along rod 2, both pivoted.
MultibodySettings crankAndLever() {
  MultibodySettings system;
  system.gravity = kGravity;
  system.bodies = {rod("rod1", sqrt2, sqrt2, pi / 4.0, {}), rod("rod2", 2.0, 2.0, pi / 2.0, {1.0, 0.0, 0.0})};
  system.joints = {{.name = "slot",
                    .joint = {.kind = JointKind::inplane,
                              .first = at(sqrt2 / 2.0),
                              .second = {.axis = {0.0, 1.0, 0.0}, .cross = {1.0, 0.0, 0.0}}},
                    .first = "rod1",
                    .second = "rod2"}};
  return system;
}

struct Row {
  double t, phi1, phi2, lambdaX, lambdaY;
};

/// The joint's force from Newton's law of rod 2, which hangs on nothing else: m2 a = -lambda + m2 g.
std::array<double, 2> forceOnRod2(const Simulation& simulation) {
  return {-simulation.scalar("rod2.acceleration", 0), -9.81 - simulation.scalar("rod2.acceleration", 1)};
}

TEST(Mechanisms, DoublePendulumWithFlexibleJointFollowsItsReference) {
  MultibodySettings system = doublePendulum(5.0, 5.0 * pi / 16.0);
  system.joints = {pin("pin", "rod1", -0.5, {})};
  system.springs = {
      {.name = "link", .first = "end1", .second = "start2", .stiffness = {1e5, 1e5, 0.0}, .damping = {1e2, 1e2, 0.0}}};
  Simulation simulation(std::make_unique<Multibody>(system), test::fixedSteps(1e-4));
  for (const Row& row :
       {Row{0.10, 0.99953024, -0.80196358, -13.0307, 11.6539}, Row{0.25, 0.94531618, -1.11879824, 12.1954, -21.2112},
        Row{0.50, 1.00133577, -1.57081362, -3.5862, -6.7146}, Row{1.00, 0.96551845, -2.07815200, -1.9636, -9.6228}}) {
    simulation.advanceTo(row.t);
    EXPECT_NEAR(simulation.scalar("rod1.rotation"), row.phi1, kPrinted) << row.t;
    EXPECT_NEAR(simulation.scalar("rod2.rotation"), row.phi2, kPrinted) << row.t;
    EXPECT_NEAR(forceOnRod2(simulation)[0], row.lambdaX, 1e-4) << row.t;
    EXPECT_NEAR(forceOnRod2(simulation)[1], row.lambdaY, 1e-4) << row.t;
  }
}

TEST(Mechanisms, DoublePendulumWithRigidJointFollowsItsReference) {
  for (const InternalConstraints kept : {InternalConstraints::accelerationLevel, InternalConstraints::baumgarte}) {
    MultibodySettings system = doublePendulum(50.0, pi / 4.0);
    system.joints = {pin("pin", "rod1", -0.5, {}), hinge("hinge", "rod1", 0.5, "rod2", -0.5)};
    system.constraints = kept;
    system.rate = 20.0;
    Simulation simulation(std::make_unique<Multibody>(system), test::fixedSteps(5e-4));
    EXPECT_NEAR(forceOnRod2(simulation)[0], -1.83938, 1e-5);
    EXPECT_NEAR(forceOnRod2(simulation)[1], -0.61312, 1e-5);
    for (const Row& row :
         {Row{0.10, 0.77288670, -0.83685989, 4.62698, -7.56300}, Row{0.25, 0.76156455, -1.09068298, 4.31368, -10.70835},
          Row{0.50, 0.75809734, -1.77479310, -2.19065, -13.41755},
          Row{1.00, 0.77380289, -2.23129559, -4.15981, -7.73840}}) {
      simulation.advanceTo(row.t);
      EXPECT_NEAR(simulation.scalar("rod1.rotation"), row.phi1, kPrinted) << row.t;
      EXPECT_NEAR(simulation.scalar("rod2.rotation"), row.phi2, kPrinted) << row.t;
      EXPECT_NEAR(forceOnRod2(simulation)[0], row.lambdaX, 1e-5) << row.t;
      EXPECT_NEAR(forceOnRod2(simulation)[1], row.lambdaY, 1e-5) << row.t;
    }
  }
}

TEST(Mechanisms, RigidSlotDoesNoWork) {
  MultibodySettings system = crankAndLever();
  system.joints.push_back(pin("pin1", "rod1", -sqrt2 / 2.0, {}));
  system.joints.push_back(pin("pin2", "rod2", -1.0, {1.0, 0.0, 0.0}));
  Simulation simulation(std::make_unique<Multibody>(system), test::fixedSteps(5e-4));
  EXPECT_NEAR(simulation.scalar("energy"), 26.556718, 5e-7);
  const double start = simulation.scalar("energy");
  koppla::test::Largest largest;
  const auto goTo = [&](double t) {
    for (const double begin = simulation.t(); simulation.t() < t - 1e-9;) {
      const double steps = std::round((simulation.t() - begin) / 0.01) + 1.0;
      simulation.advanceTo(begin + 0.01 * steps);
      largest.see(std::abs(simulation.scalar("energy") - start));
    }
  };
  for (const Row& row :
       {Row{0.25, 0.72491989, 1.50837219, 5.47350, 0.0}, Row{0.50, 0.54374337, 1.29096229, 6.74648, 0.0},
        Row{1.00, -0.01648671, -0.05625333, 5.07917, 0.0}, Row{1.50, -2.22138804, -2.59666694, 0.07543, 0.0},
        Row{2.00, -4.37561405, -3.87972238, 2.31745, 0.0}}) {
    goTo(row.t);
    const double phi1 = simulation.scalar("rod1.rotation");
    const double phi2 = simulation.scalar("rod2.rotation");
    EXPECT_NEAR(phi1, row.phi1, kPrinted) << row.t;
    EXPECT_NEAR(phi2, row.phi2, kPrinted) << row.t;
    // Moments about the pin of rod 1: 4 J1 phi1'' = -m1 g l1/2 cos(phi1) + lambda l1 cos(phi1 - phi2).
    const double moment = 4.0 * sqrt2 / 6.0 * simulation.scalar("rod1.angular_acceleration") + 9.81 * std::cos(phi1);
    EXPECT_NEAR(moment, row.lambdaX * sqrt2 * std::cos(phi1 - phi2), 1e-5) << row.t;
  }
  koppla::test::showAtMost({"lu R13", "energy-of-bodies", "energy of pinned rods and slot within 1e-6 J over 2 s"},
                           largest, 1e-6);
}

TEST(Mechanisms, SliderCrankFollowsItsReference) {
  MultibodySettings system;
  system.gravity = kGravity;
  const double phi2 = 5.0 * pi / 6.0;
  const double slider = std::sqrt(3.0);
  system.bodies = {rod("rod1", 1.0, 1.0, pi / 2.0, {}), rod("rod2", 2.0, 2.0, phi2, {slider, 0.0, 0.0})};
  system.markers = {{.name = "centre", .body = "rod1"}, {.name = "slider", .body = "rod2", .place = at(-1.0)}};
  system.forces = {{.name = "push", .marker = "centre", .force = {10.0, 0.0, 0.0}}};
  system.springs = {{.name = "spring", .first = "slider", .ground = {slider, 0.0, 0.0}, .stiffness = {10.0, 0.0, 0.0}}};
  system.joints = {pin("pin", "rod1", -0.5, {}),
                   {.name = "guide",
                    .joint = {.kind = JointKind::inplane, .first = at(-1.0), .second = {.axis = {0.0, 1.0, 0.0}}},
                    .first = "rod2"},
                   hinge("hinge", "rod1", 0.5, "rod2", 1.0)};
  system.constraints = InternalConstraints::baumgarte;
  system.rate = 100.0;
  Simulation simulation(std::make_unique<Multibody>(system), test::fixedSteps(2.5e-4));
  // lambda of the hinge from Newton's law of rod 2 along x, where the guide gives nothing.
  const auto lambdaX = [&] {
    const double x = simulation.scalar("rod2.position") - std::cos(simulation.scalar("rod2.rotation"));
    return -10.0 * (x - slider) - 2.0 * simulation.scalar("rod2.acceleration");
  };
  EXPECT_NEAR(lambdaX(), -4.28571, 1e-5);
  for (const Row& row :
       {Row{0.25, 1.50387980, 2.61928555, -5.14120, 0.0}, Row{0.50, 1.30385747, 2.63832405, -7.20735, 0.0},
        Row{1.00, 0.41038453, 2.94076443, -1.84988, 0.0}, Row{1.50, -1.98904569, 3.61610046, -23.96338, 0.0},
        Row{2.00, -3.71207788, 2.86817859, 11.08648, 0.0}}) {
    simulation.advanceTo(row.t);
    EXPECT_NEAR(simulation.scalar("rod1.rotation"), row.phi1, kPrinted) << row.t;
    EXPECT_NEAR(simulation.scalar("rod2.rotation"), row.phi2, kPrinted) << row.t;
    EXPECT_NEAR(lambdaX(), row.lambdaX, 2e-5) << row.t;
  }
}

TEST(Mechanisms, FourBarLinkageFollowsItsReference) {
  // The coupler's end B lies 2 m from the tip A of rod 1 and 2 m from the pivot C of rod 3, above the line AC.
  const Vector A{std::cos(pi / 4.0), std::sin(pi / 4.0), 0.0};
  const Vector C{2.0, 0.0, 0.0};
  const double distance = std::hypot(C[0] - A[0], C[1] - A[1]);
  const double toC = std::atan2(C[1] - A[1], C[0] - A[0]);
  const double phi21 = toC + std::acos(distance / 4.0);
  const Vector B{A[0] + 2.0 * std::cos(phi21), A[1] + 2.0 * std::sin(phi21), 0.0};
  const double phi3 = std::atan2(B[1] - C[1], B[0] - C[0]);
  ASSERT_NEAR(phi21, 0.69302798, 5e-9);
  ASSERT_NEAR(phi3, 1.44761660, 5e-9);
  MultibodySettings system;
  system.gravity = kGravity;
  system.bodies = {rod("rod1", 1.0, 1.0, pi / 4.0, {}), rod("half21", 1.0, 1.0, phi21, A),
                   rod("half22", 1.0, 1.0, phi21, {(A[0] + B[0]) / 2.0, (A[1] + B[1]) / 2.0, 0.0}),
                   rod("rod3", 2.0, 2.0, phi3, C)};
  system.markers = {{.name = "drive", .body = "rod1"}};
  system.forces = {{.name = "torque", .marker = "drive", .momentRate = {0.0, 0.0, 1.0}}};
  system.joints = {pin("pin1", "rod1", -0.5, {}),
                   hinge("A", "rod1", 0.5, "half21", -0.5),
                   {.name = "middle",
                    .joint = {.kind = JointKind::fixed, .first = at(0.5), .second = at(-0.5)},
                    .first = "half21",
                    .second = "half22"},
                   hinge("B", "half22", 0.5, "rod3", 1.0),
                   pin("pin3", "rod3", -1.0, C)};
  system.constraints = InternalConstraints::baumgarte;
  system.rate = 100.0;
  Simulation simulation(std::make_unique<Multibody>(system), test::fixedSteps(2e-4));
  struct Pose {
    double t, phi1, x21, y21, phi21;
  };
  for (const Pose& row : {Pose{0.25, 0.46264128, 1.21174894, 0.83308458, 0.88441219},
                          Pose{0.50, -0.01861866, 1.11583848, 0.46773750, 1.33663879},
                          Pose{0.75, -0.67797948, 0.71691939, -0.13106982, 1.69495956},
                          Pose{1.00, -2.57621514, -0.55271573, -0.12962107, 0.94795986}}) {
    simulation.advanceTo(row.t);
    EXPECT_NEAR(simulation.scalar("rod1.rotation"), row.phi1, kPrinted) << row.t;
    EXPECT_NEAR(simulation.scalar("half21.position", 0), row.x21, kPrinted) << row.t;
    EXPECT_NEAR(simulation.scalar("half21.position", 1), row.y21, kPrinted) << row.t;
    EXPECT_NEAR(simulation.scalar("half21.rotation"), row.phi21, kPrinted) << row.t;
  }
}

TEST(Mechanisms, SpatialFourBarLinkageFollowsItsReference) {
  MultibodySettings system = test::spatialFourBar();
  system.forces = {{.name = "push", .marker = "centre", .forceRate = {1.0, 0.0, 0.0}}};
  Simulation simulation(std::make_unique<Multibody>(system), test::fixedSteps(1e-3));
  struct Pose {
    double t;
    Vector position, angles;
  };
  for (const Pose& row : {Pose{0.5, {0.2539205, 0.2513000, 0.9999864}, {1.5707965, -0.7801844, 0.0}},
                          Pose{1.0, {0.2821454, 0.2602744, 0.9990996}, {1.5708675, -0.7434068, 0.0}},
                          Pose{1.5, {0.3650994, 0.2832149, 0.9888992}, {1.5734276, -0.6417399, 0.0}},
                          Pose{2.0, {0.5449843, 0.3191988, 0.9297859}, {1.6033070, -0.4433776, 0.0}}}) {
    simulation.advanceTo(row.t);
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(simulation.scalar("rod2.rotation", i), row.angles[i], 6e-8) << row.t << " angle " << i;
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(simulation.scalar("rod2.position", i), row.position[i], 6e-8) << row.t << " coordinate " << i;
  }
}

PointSpring support(const std::string& name, const std::string& marker, const Vector& ground) {
  return {.name = name, .first = marker, .ground = ground, .stiffness = {1e8, 1e8, 0.0}, .damping = {1e5, 1e5, 0.0}};
}

TEST(Mechanisms, StiffSupportOfADoublePendulumNeedsAndFindsAStiffSolver) {
  MultibodySettings system = doublePendulum(50.0, pi / 4.0);
  system.springs = {support("support", "start1", {})};
  system.joints = {hinge("hinge", "rod1", 0.5, "rod2", -0.5)};
  Simulation simulation(std::make_unique<Multibody>(system), test::adaptive(solver::Kind::cvodeBdf, 1e-10));
  simulation.advanceTo(1.0);
  EXPECT_NEAR(simulation.scalar("rod1.rotation"), 0.77380290, kPrinted);
  EXPECT_NEAR(simulation.scalar("rod2.rotation"), -2.23129587, kPrinted);
  EXPECT_NEAR(forceOnRod2(simulation)[0], -4.15981, 1e-5);
  EXPECT_NEAR(forceOnRod2(simulation)[1], -7.73840, 1e-5);
}

TEST(Mechanisms, CrankAndLeverOnStiffSupportsFollowsItsReference) {
  MultibodySettings system = crankAndLever();
  system.markers = {{.name = "start1", .body = "rod1", .place = at(-sqrt2 / 2.0)},
                    {.name = "start2", .body = "rod2", .place = at(-1.0)}};
  system.springs = {support("support1", "start1", {}), support("support2", "start2", {1.0, 0.0, 0.0})};
  system.torsionSprings = {
      {.name = "torsion", .first = "rod1", .stiffness = 100.0, .damping = 5.0, .relaxed = pi / 4.0}};
  Simulation simulation(std::make_unique<Multibody>(system), test::adaptive(solver::Kind::cvodeBdf, 1e-10));
  for (const Row& row : {Row{0.25, 0.73799554, 1.52221454, 0.0, 0.0}, Row{0.5, 0.66140692, 1.43804469, 0.0, 0.0},
                         Row{1.0, 0.63896748, 1.41183613, 0.0, 0.0}}) {
    simulation.advanceTo(row.t);
    EXPECT_NEAR(simulation.scalar("rod1.rotation"), row.phi1, kPrinted) << row.t;
    EXPECT_NEAR(simulation.scalar("rod2.rotation"), row.phi2, kPrinted) << row.t;
  }
}

}  // namespace
}  // namespace koppla::mechanics::mechanisms_test
