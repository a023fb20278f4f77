// Internal joints as algebraic equations: g = 0 and g' = 0 under Radau IIA.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/mechanics/detail/joint_equations.hpp"
#include "koppla/mechanics/multibody.hpp"

#include "motions.hpp"
#include "simulation.hpp"
#include "spatial_four_bar.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::mechanics {
namespace {

using detail::Level;
using solver::Kind;
using std::numbers::pi;
using std::numbers::sqrt2;
using subsystem::Slot;
using subsystem::Status;
using test::adaptive;
using test::Simulation;

constexpr double kMass = 0.7;    // kg
constexpr double kLength = 1.2;  // m
constexpr double kInertia = kMass * kLength * kLength / 12.0;
constexpr double kGravity = 9.81;  // m/s2

/// A planar rod that a pin at its start holds to the origin.
MultibodySettings pendulum(double phi) {
  MultibodySettings system;
  system.gravity = {0.0, -kGravity, 0.0};
  system.bodies = {{.name = "rod",
                    .mass = kMass,
                    .inertia = {1.0, 1.0, kInertia},
                    .position = {kLength / 2.0 * std::cos(phi), kLength / 2.0 * std::sin(phi), 0.0},
                    .rotation = {phi}}};
  system.markers = {{.name = "tip", .body = "rod", .place = {.at = {kLength / 2.0, 0.0, 0.0}}, .loads = true}};
  system.joints = {{.name = "pin",
                    .joint = {.kind = JointKind::revolute, .first = {.at = {-kLength / 2.0, 0.0, 0.0}}},
                    .first = "rod"}};
  system.constraints = InternalConstraints::stabilisedIndex2;
  return system;
}

MultibodySettings stabilised(MultibodySettings system) {
  system.constraints = InternalConstraints::stabilisedIndex2;
  return system;
}

/// Both tips begin to move with that speed (m/s), rod 1's along x and rod 4's along y; the coupler turns about z.
void push(MultibodySettings& fourBar, double speed) {
  std::vector<BodySettings>& rods = fourBar.bodies;
  rods[0].velocity = {0.5 * speed, 0.0, 0.0};
  rods[0].angularVelocity = {0.0, speed, 0.0};
  rods[1].velocity = {0.75 * speed, 0.25 * speed, 0.0};
  rods[2].velocity = {0.25 * speed, 0.75 * speed, 0.0};
  rods[1].angularVelocity = rods[2].angularVelocity = {0.0, speed, 0.0};  // their y axes stand upright
  rods[3].velocity = {0.0, 0.5 * speed, 0.0};
  rods[3].angularVelocity = {-speed, 0.0, 0.0};
}

detail::Motion motionOf(const Simulation& simulation, const MultibodySettings& system, const std::string& body) {
  detail::Motion motion;
  if (body.empty()) {
    const std::vector<double> none(parameterCount(system.rotation), 0.0);
    motion.orient(system.rotation, none);
    return motion;
  }
  const auto read = [&](const char* quantity, Eigen::Vector3d& into, bool spin) {
    const std::vector<double> values = simulation.output(body + quantity);
    for (std::size_t i = 0; i < values.size(); ++i)
      into[static_cast<Eigen::Index>(spin ? 3 - values.size() + i : i)] = values[i];
  };
  motion.orient(system.rotation, simulation.output(body + ".rotation"));
  read(".position", motion.r, false);
  read(".velocity", motion.v, false);
  read(".angular_velocity", motion.w, true);
  return motion;
}

/// Of all internal joints.
double largestDefect(Level level, const Simulation& simulation, const MultibodySettings& system) {
  koppla::test::Largest largest;
  for (const InternalJoint& internal : system.joints) {
    Joint joint = internal.joint;
    joint.firstRotation = joint.secondRotation = system.rotation;
    const Eigen::VectorXd g =
        test::defect(detail::JointEquations(joint), level, motionOf(simulation, system, internal.first),
                     motionOf(simulation, system, internal.second));
    largest.see(g.cwiseAbs().maxCoeff());
  }
  return largest;
}

/// Largest values over a run.
struct Violations {
  koppla::test::Largest position;
  koppla::test::Largest velocity;
  koppla::test::Largest energy;  ///< J, against the start

  void runTo(double end, Simulation& simulation, const MultibodySettings& system) {
    const double start = simulation.scalar("energy");
    for (int k = 1; k <= 100; ++k) {
      simulation.advanceTo(end * k / 100.0);
      position.see(largestDefect(Level::position, simulation, system));
      velocity.see(largestDefect(Level::velocity, simulation, system));
      energy.see(std::abs(simulation.scalar("energy") - start));
    }
  }
};

/// The same motion with the joints in Baumgarte's form, by an explicit method with steps that leave no error to be
/// seen.
Simulation byBaumgarte(MultibodySettings system) {
  system.constraints = InternalConstraints::baumgarte;
  system.rate = 10.0;
  return {std::make_unique<Multibody>(system), test::fixedSteps(1e-3)};
}

TEST(StabilisedIndex2, JointsHoldToTheToleranceAndTheMotionIsThatOfOtherForms) {
  constexpr double kTolerance = 1e-8;
  MultibodySettings fourBar = stabilised(test::spatialFourBar());
  push(fourBar, 1.0);
  koppla::test::Largest position;
  koppla::test::Largest velocity;
  for (const MultibodySettings& system : {pendulum(0.3), fourBar}) {
    Simulation simulation(std::make_unique<Multibody>(system), adaptive(Kind::radau, kTolerance));
    Violations run;
    run.runTo(10.0, simulation, system);
    position.see(run.position);
    velocity.see(run.velocity);
    EXPECT_LE(run.energy, 10.0 * kTolerance) << "J";
    Simulation other = byBaumgarte(system);
    other.advanceTo(10.0);
    // Local errors of 1e-8 add up and grow over several turns.
    for (const BodySettings& body : system.bodies)
      for (std::size_t i = 0; i < simulation.output(body.name + ".position").size(); ++i)
        EXPECT_NEAR(simulation.scalar(body.name + ".position", i), other.scalar(body.name + ".position", i), 1e-6)
            << body.name << i;
  }
  koppla::test::showAtMost(
      {"schmoll R43", "multibody-position",
       "position constraints of a pendulum and a spatial four-bar linkage over 10 s, tolerance 1e-8"},
      position, kTolerance);
  koppla::test::showAtMost(
      {"schmoll R43", "multibody-velocity",
       "velocity constraints of a pendulum and a spatial four-bar linkage over 10 s, tolerance 1e-8"},
      velocity, kTolerance);
}

TEST(StabilisedIndex2, FourBarLinkageFollowsItsReference) {
  MultibodySettings system = stabilised(test::spatialFourBar());
  system.forces = {{.name = "push", .marker = "centre", .forceRate = {1.0, 0.0, 0.0}}};
  Simulation simulation(std::make_unique<Multibody>(system),
                        {.kind = Kind::radauFixed, .microStep = 0.01, .rtol = 1e-10, .atol = 1e-12});
  simulation.advanceTo(2.0);
  const std::vector<double> place{0.5449843, 0.3191988, 0.9297859};
  const std::vector<double> angles{1.6033070, -0.4433776, 0.0};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(simulation.scalar("rod2.position", i), place[i], 1e-7) << i;
    EXPECT_NEAR(simulation.scalar("rod2.rotation", i), angles[i], 1e-7) << i;
  }
  EXPECT_LE(largestDefect(Level::position, simulation, system), 1e-13);
  EXPECT_LE(largestDefect(Level::velocity, simulation, system), 1e-12);
}

TEST(StabilisedIndex2, EveryRotationIsTurnedByTheProjection) {
  for (const Rotation rotation : {Rotation::cardan, Rotation::euler, Rotation::eulerParameters}) {
    // A top on a ball joint, set going so that it does not stay in one plane.
    MultibodySettings top;
    top.rotation = rotation;
    top.gravity = {0.0, 0.0, -kGravity};
    const std::vector<double> parameters = rotation == Rotation::eulerParameters ? std::vector{1.0, 0.0, 0.0, 0.0}
                                           : rotation == Rotation::euler         ? std::vector{0.0, pi / 2.0, 0.0}
                                                                                 : std::vector{0.0, 0.0, 0.0};
    detail::Motion start;
    start.orient(rotation, parameters);
    const Eigen::Vector3d arm(0.3, 0.0, 0.0);  // from the ball to the centre of mass, in the body's frame
    const Eigen::Vector3d r = start.T * arm;
    const Eigen::Vector3d v = start.T * Eigen::Vector3d(3.0, -1.0, 2.0).cross(arm);
    top.bodies = {{.name = "top",
                   .mass = 2.0,
                   .inertia = {0.2, 0.5, 0.4},
                   .position = {r[0], r[1], r[2]},
                   .velocity = {v[0], v[1], v[2]},
                   .rotation = parameters,
                   .angularVelocity = {3.0, -1.0, 2.0}}};
    top.joints = {
        {.name = "ball", .joint = {.kind = JointKind::atpoint, .first = {.at = {-0.3, 0.0, 0.0}}}, .first = "top"}};
    top.constraints = InternalConstraints::stabilisedIndex2;
    Simulation simulation(std::make_unique<Multibody>(top), adaptive(Kind::radau, 1e-8));
    Violations run;
    run.runTo(0.5, simulation, top);
    EXPECT_LE(run.position, 1e-8) << word(rotation);
    EXPECT_LE(run.velocity, 1e-8) << word(rotation);
    EXPECT_LE(run.energy, 1e-6) << word(rotation);
  }
}

/// A pendulum with inputs: forces at its tip, and multipliers of a joint "joint" at its tip with another system.
class Driven {
 public:
  explicit Driven(const solver::IntegratorSettings& settings, const MultibodySettings& system = pendulum(0.3)) {
    auto made = std::make_unique<Multibody>(system);
    made->couple({.name = "joint",
                  .joint = {.kind = JointKind::atpoint,
                            .first = {.at = {kLength / 2.0, 0.0, 0.0}},
                            .firstRotation = Rotation::planar,
                            .secondRotation = Rotation::planar},
                  .body = "rod",
                  .projection = true});
    rod_ = solver::integrate(std::move(made), settings);
    const subsystem::Description& description = rod_->describe();
    subsystem::Binding binding;
    binding.inputs = {*description.find("tip.force"), *description.find("joint.lambda"), *description.find("joint.mu")};
    for (const char* port : {"rod.rotation", "rod.angular_velocity", "rod.angular_acceleration", "rod.position"})
      binding.outputs.push_back(*description.find(port));
    rod_->bind(binding);
    rod_->enterInitialisation({0.0, 1.0, {}});
    rod_->evaluate(0.0, u, y);
    rod_->leaveInitialisation();
  }

  void advance(double t0, double t1) {
    ASSERT_EQ(rod_->advance({t0, t1, false, false}, {u.data(), 6, 0}, y).status, Status::ok) << rod_->failure();
  }
  [[nodiscard]] subsystem::Subsystem& rod() { return *rod_; }
  [[nodiscard]] double phi() const { return y[0]; }
  [[nodiscard]] double angularAcceleration() const { return y[2]; }
  /// (J + m l^2/4) phi'' = l e_phi . (force + lambda) - m g l/2 cos(phi)
  [[nodiscard]] double expectedAcceleration() const {
    const double across = -std::sin(phi()) * (u[0] + u[2]) + std::cos(phi()) * (u[1] + u[3]);
    return (kLength * across - kMass * kGravity * kLength / 2.0 * std::cos(phi())) / (4.0 * kInertia);
  }

  std::vector<double> u = std::vector<double>(6, 0.0);  ///< force, lambda, mu
  std::vector<double> y = std::vector<double>(5, 0.0);  ///< phi, phi', phi'', centre of mass

 private:
  std::unique_ptr<subsystem::Subsystem> rod_;
};

constexpr std::array kBothKinds{Kind::radau, Kind::radauFixed};

TEST(StabilisedIndex2, UnknownsBeginWithTheReactionsAndAreThemInTheEnd) {
  const MultibodySettings system = pendulum(0.0);
  const Multibody equations(system);
  EXPECT_EQ(equations.algebraicCount(), 4U);
  ASSERT_EQ(equations.stateCount(), 10U);
  EXPECT_FALSE(equations.secondOrder());
  std::vector<double> x(10);
  equations.initialStates(x);
  // A level rod that is let go: the pin bears a quarter of the weight.
  EXPECT_NEAR(x[6], 0.0, 1e-14);
  EXPECT_NEAR(x[7], kMass * kGravity / 4.0, 1e-14);
  EXPECT_EQ(x[8], 0.0);
  EXPECT_EQ(x[9], 0.0);
  for (const Kind kind : kBothKinds) {
    Driven driven({.kind = kind, .microStep = 0.001, .rtol = 1e-9, .atol = 1e-9}, system);
    driven.u = {1.0, 2.0, 0.5, -1.0, 0.0, 0.0};
    for (int k = 0; k < 50; ++k) driven.advance(0.01 * k, 0.01 * (k + 1));
    const std::vector<double> states = driven.rod().states();
    ASSERT_EQ(states.size(), 10U);
    // m a = force + lambda of the joint + weight + reaction, with a = l/2 (phi'' e_phi - phi'^2 e_r).
    const double phi = driven.phi();
    const double omega = driven.y[1];
    const double a = driven.expectedAcceleration();
    EXPECT_NEAR(driven.angularAcceleration(), a, 1e-11);
    const double ax = kLength / 2.0 * (-a * std::sin(phi) - omega * omega * std::cos(phi));
    const double ay = kLength / 2.0 * (a * std::cos(phi) - omega * omega * std::sin(phi));
    EXPECT_NEAR(states[6], kMass * ax - 1.5, 1e-5) << word(kind);
    EXPECT_NEAR(states[7], kMass * (ay + kGravity) - 1.0, 1e-5) << word(kind);
    EXPECT_NEAR(states[8], 0.0, 1e-7) << word(kind);
    EXPECT_NEAR(states[9], 0.0, 1e-7) << word(kind);
  }
}

TEST(StabilisedIndex2, AccelerationsBelongToThePresentInputs) {
  Driven driven({.kind = Kind::radauFixed});
  const subsystem::Capabilities& can = driven.rod().describe().capabilities;
  EXPECT_TRUE(can.evaluatesBetweenSteps);
  EXPECT_TRUE(can.directionalDerivatives);
  EXPECT_TRUE(can.saveRestore);
  EXPECT_TRUE(can.states);
  EXPECT_FALSE(can.stepDerivatives);
  EXPECT_EQ(can.outputDerivatives, 0U);
  EXPECT_NEAR(driven.angularAcceleration(), driven.expectedAcceleration(), 1e-12);
  driven.advance(0.0, 0.01);
  EXPECT_NEAR(driven.angularAcceleration(), driven.expectedAcceleration(), 1e-11);
  driven.u = {3.0, -1.0, 0.5, 2.0, 0.0, 0.0};
  driven.rod().evaluate(0.01, driven.u, driven.y);
  EXPECT_NEAR(driven.angularAcceleration(), driven.expectedAcceleration(), 1e-11);
  std::vector<double> dy(5);
  driven.rod().differentiate(3, dy);
  EXPECT_NEAR(dy[2], kLength * std::cos(driven.phi()) / (4.0 * kInertia), 1e-8) << "by lambda_y";
}

TEST(StabilisedIndex2, RepeatedStepsAreTheSameToTheLastDigit) {
  for (const Kind kind : kBothKinds) {
    Driven driven({.kind = kind});
    driven.u = {1.0, 2.0, 3.0, 4.0, 1e-4, -2e-4};
    driven.advance(0.0, 0.01);
    driven.rod().save(Slot::macroStep);
    driven.advance(0.01, 0.02);
    const std::vector<double> y = driven.y;
    const std::vector<double> states = driven.rod().states();
    driven.rod().restore(Slot::macroStep);
    driven.u[2] += 1e-3;  // a probe
    driven.advance(0.01, 0.02);
    EXPECT_NE(driven.y, y);
    driven.rod().restore(Slot::macroStep);
    driven.u[2] = 3.0;
    driven.advance(0.01, 0.02);
    EXPECT_EQ(driven.y, y) << word(kind);
    EXPECT_EQ(driven.rod().states(), states) << word(kind);
  }
}

TEST(StabilisedIndex2, ProjectionOfACouplingMovesBodiesAsTheirJointsAllow) {
  // No load acts, so that v = 0. V = mu and Omega = l/2 e_phi . mu of the coupling are brought onto the motions that
  // the pin allows, with masses as weights: (J + m l^2/4) phi' = m l/2 e_phi . mu + J l/2 e_phi . mu = c (cos(phi) -
  // sin(phi)) for mu = (1, 1) p, thus psi' = sqrt(2) k cos(psi) with psi = phi + pi/4.
  MultibodySettings system = pendulum(-1.0);
  system.gravity = {};
  Driven driven({.kind = Kind::radauFixed, .microStep = 0.005}, system);
  const double p = 0.3;
  driven.u[4] = driven.u[5] = p;
  for (int k = 0; k < 10; ++k) driven.advance(0.05 * k, 0.05 * (k + 1));
  const double k = p * kLength / 2.0 * (kMass + kInertia) / (4.0 * kInertia);
  const double psi = std::asin(std::tanh(sqrt2 * k * 0.5 + std::atanh(std::sin(pi / 4.0 - 1.0))));
  EXPECT_NEAR(driven.phi(), psi - pi / 4.0, 1e-10);
  EXPECT_NEAR(driven.y[1], 0.0, 1e-13) << "velocities do not follow";
  EXPECT_NEAR(driven.y[3], kLength / 2.0 * std::cos(driven.phi()), 1e-13);
  EXPECT_NEAR(driven.y[4], kLength / 2.0 * std::sin(driven.phi()), 1e-13);
}

TEST(StabilisedIndex2, OtherIntegratorsSayWhichToTake) {
  for (const Kind kind : solver::kKinds) {
    const std::string text =
        test::refusal([&] { solver::integrate(std::make_unique<Multibody>(pendulum(0.3)), {.kind = kind}); });
    if (std::ranges::find(kBothKinds, kind) != kBothKinds.end())
      EXPECT_EQ(text, "") << word(kind);
    else
      EXPECT_NE(text.find("Take radau or radau-fixed"), std::string::npos) << text;
  }
  MultibodySettings free = pendulum(0.3);
  free.joints.clear();
  EXPECT_EQ(test::refusal([&] { solver::integrate(std::make_unique<Multibody>(free), {.kind = Kind::ode4}); }), "")
      << "without joints there is no algebraic equation";
}

TEST(StabilisedIndex2, RefusesRedundantJointsByName) {
  MultibodySettings system = pendulum(0.3);
  InternalJoint second = system.joints[0];
  second.name = "guide";
  second.joint.kind = JointKind::inplane;
  second.joint.second = {.axis = {0.0, 1.0, 0.0}};
  system.joints.push_back(second);
  const std::string text = test::refusal([&] { Multibody made(system); });
  EXPECT_NE(text.find("The joint guide is redundant"), std::string::npos) << text;
}

}  // namespace
}  // namespace koppla::mechanics
