#include "koppla/mechanics/multibody.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/mechanics/detail/kinematics.hpp"

#include "joined.hpp"
#include "simulation.hpp"
#include "support/allocations.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::mechanics::multibody_test {
namespace {

using solver::Side;
using std::numbers::pi;
using subsystem::Causality;
using test::Part;
using test::Simulation;

/// One free body.
MultibodySettings freeBody(Rotation rotation) {
  MultibodySettings system;
  system.rotation = rotation;
  system.bodies = {{.name = "body", .mass = 2.0, .inertia = {0.2, 0.5, 0.4}}};
  if (rotation == Rotation::euler) system.bodies[0].rotation = {0.2, 1.0, -0.3};
  return system;
}

/// A planar rod that a pin at its start holds to the origin.
MultibodySettings pendulum(double phi) {
  const double length = 1.2;
  const double mass = 0.7;
  MultibodySettings system;
  system.gravity = {0.0, -9.81, 0.0};
  system.bodies = {{.name = "rod",
                    .mass = mass,
                    .inertia = {1.0, 1.0, mass * length * length / 12.0},
                    .position = {length / 2.0 * std::cos(phi), length / 2.0 * std::sin(phi), 0.0},
                    .rotation = {phi}}};
  system.joints = {{.name = "pin",
                    .joint = {.kind = JointKind::revolute, .first = {.at = {-length / 2.0, 0.0, 0.0}}},
                    .first = "rod"}};
  return system;
}

std::string refusal(const MultibodySettings& settings) {
  return test::refusal([&] { Multibody system(settings); });
}

bool says(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    if (text.find(part) == std::string::npos) return false;
  return true;
}

TEST(Multibody, FreeBodyKeepsEnergyAndAngularMomentum) {
  for (const Rotation rotation : {Rotation::cardan, Rotation::euler, Rotation::eulerParameters}) {
    MultibodySettings system = freeBody(rotation);
    // Close to the middle axis of inertia: the body tumbles.
    system.bodies[0].angularVelocity = {0.1, 0.2, 3.0};
    system.bodies[0].velocity = {1.0, 2.0, 3.0};
    Simulation simulation(std::make_unique<Multibody>(system), test::fixedSteps(1e-3));
    const Eigen::Vector3d inertia(0.2, 0.5, 0.4);
    const auto momentum = [&] {
      const Eigen::Vector3d w(simulation.output("body.angular_velocity").data());
      return Eigen::Vector3d(detail::orientation(rotation, simulation.output("body.rotation")) *
                             inertia.cwiseProduct(w));
    };
    const Eigen::Vector3d start = momentum();
    const double energy = simulation.scalar("energy");
    EXPECT_NEAR(energy, 0.5 * 2.0 * 14.0 + 0.5 * (0.2 * 0.01 + 0.5 * 0.04 + 0.4 * 9.0), 1e-14);
    simulation.advanceTo(1.0);
    EXPECT_LE((momentum() - start).norm(), 1e-11) << word(rotation);
    EXPECT_NEAR(simulation.scalar("energy"), energy, 1e-11) << word(rotation);
    EXPECT_NEAR(simulation.scalar("body.position", 2), 3.0, 1e-12);
  }
}

TEST(Multibody, EulerParametersKeepTheirLength) {
  MultibodySettings system = freeBody(Rotation::eulerParameters);
  system.bodies[0].angularVelocity = {1.0, 2.0, 3.0};
  Simulation simulation(std::make_unique<Multibody>(system), test::fixedSteps(1e-3));
  simulation.advanceTo(1.0);
  const std::vector<double> q = simulation.output("body.rotation");
  EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, 1e-12);
}

TEST(Multibody, PinnedRodMovesAsAPendulumInItsAngle) {
  const double phi0 = 0.3;
  Simulation simulation(std::make_unique<Multibody>(pendulum(phi0)), test::fixedSteps(5e-4));
  simulation.advanceTo(1.5);
  // (J + m l^2/4) phi'' = -m g l/2 cos(phi), classical Runge-Kutta steps.
  const auto acceleration = [](double phi) { return -1.5 * 9.81 / 1.2 * std::cos(phi); };
  double phi = phi0;
  double omega = 0.0;
  const double h = 1e-4;
  for (int i = 0; i < 15000; ++i) {
    const double a1 = acceleration(phi);
    const double w2 = omega + h / 2 * a1;
    const double a2 = acceleration(phi + h / 2 * omega);
    const double w3 = omega + h / 2 * a2;
    const double a3 = acceleration(phi + h / 2 * w2);
    const double w4 = omega + h * a3;
    const double a4 = acceleration(phi + h * w3);
    phi += h / 6 * (omega + 2 * w2 + 2 * w3 + w4);
    omega += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  EXPECT_NEAR(simulation.scalar("rod.rotation"), phi, 1e-9);
  EXPECT_NEAR(simulation.scalar("rod.angular_velocity"), omega, 1e-9);
  EXPECT_NEAR(simulation.scalar("rod.position", 0), 0.6 * std::cos(phi), 1e-9);
}

TEST(Multibody, BaumgarteStabilisationBringsADefectBack) {
  // A defect that the start may have, and what is left of it after 0.2 s at 50/s: (1 + rate t) exp(-rate t).
  MultibodySettings system = pendulum(-pi / 2.0);
  system.bodies[0].position[1] -= 9e-7;
  const auto lengthAfter = [&](InternalConstraints kept) {
    system.constraints = kept;
    system.rate = 50.0;
    Simulation simulation(std::make_unique<Multibody>(system), test::fixedSteps(1e-3));
    simulation.advanceTo(0.2);
    return -simulation.scalar("rod.position", 1) - 0.6;
  };
  EXPECT_NEAR(lengthAfter(InternalConstraints::accelerationLevel), 9e-7, 1e-12);
  EXPECT_NEAR(lengthAfter(InternalConstraints::baumgarte), 9e-7 * 11.0 * std::exp(-10.0), 1e-12);
}

TEST(Multibody, ForceAndMomentAtAMarkerActOnItsBody) {
  MultibodySettings system = freeBody(Rotation::cardan);
  system.bodies[0].rotation = {0.4, -0.3, 0.2};
  system.bodies[0].angularVelocity = {1.0, -2.0, 0.5};
  system.bodies[0].velocity = {0.1, 0.2, 0.3};
  const Eigen::Vector3d point(0.1, 0.2, -0.3);
  system.markers = {{.name = "tip", .body = "body", .place = {.at = {0.1, 0.2, -0.3}}, .loads = true}};
  Part part(std::make_unique<Multibody>(system), "body");
  const Eigen::Vector3d force(3.0, -1.0, 2.0);
  const Eigen::Vector3d moment(0.2, 0.3, -0.4);
  std::ranges::copy(force, part.u.of("tip.force").begin());
  std::ranges::copy(moment, part.u.of("tip.moment").begin());
  std::vector<double> x(part.system->stateCount());
  part.system->initialStates(x);
  part.read(0.0, x);
  const auto vector = [&](const char* port) { return Eigen::Vector3d(part.y.of(port).data()); };
  const Eigen::Matrix3d T = detail::orientation(Rotation::cardan, system.bodies[0].rotation);
  const Eigen::Vector3d inertia(0.2, 0.5, 0.4);
  const Eigen::Vector3d w(1.0, -2.0, 0.5);
  const Eigen::Vector3d angularMomentumRate =
      inertia.cwiseProduct(vector("body.angular_acceleration")) + w.cross(inertia.cwiseProduct(w));
  const double forceError = (2.0 * vector("body.acceleration") - force).norm();
  const double momentError = (angularMomentumRate - moment - point.cross(T.transpose() * force)).norm();
  koppla::test::showAtMost(
      {"lu R38", "frames", "a turned body takes forces along K_0 and moments along its own axes, to 1e-14"},
      koppla::test::largestOf(forceError, momentError), 1e-14);
  EXPECT_LE((vector("tip.position") - T * point).norm(), 1e-14);
  EXPECT_LE((vector("tip.velocity") - Eigen::Vector3d(0.1, 0.2, 0.3) - T * w.cross(point)).norm(), 1e-14);
  EXPECT_EQ(vector("tip.angular_velocity"), w);
  EXPECT_EQ(vector("tip.rotation"), Eigen::Vector3d(0.4, -0.3, 0.2));
}

TEST(Multibody, GivesAccelerationsWithTheInputsAtTheEndOfAStep) {
  MultibodySettings system = freeBody(Rotation::eulerParameters);
  system.markers = {{.name = "tip", .body = "body", .loads = true}};
  const auto integrated = solver::integrate(std::make_unique<Multibody>(system), test::fixedSteps(0.0));
  const subsystem::Description& description = integrated->describe();
  subsystem::Binding binding;
  binding.inputs = {*description.find("tip.force")};
  std::size_t states = 0;
  for (const char* name : {"body.position", "body.rotation", "body.velocity", "body.angular_velocity"}) {
    binding.outputs.push_back(*description.find(name));
    states += description.ports[binding.outputs.back()].size;
  }
  binding.outputs.push_back(*description.find("body.acceleration"));
  integrated->bind(binding);
  integrated->enterInitialisation({0.0, 1.0, {}});
  std::vector<double> y(states + 3);
  const std::vector<double> force{1.0, 0.0, 0.0, 0.0, 3.0, 0.0};  // (1, 3 s, 0) N
  integrated->evaluate(0.0, std::span(force).first(3), y);
  integrated->leaveInitialisation();
  integrated->advance({0.0, 0.5, false, false}, {force.data(), 3, 1}, y);
  koppla::test::showEqual({"lu R37", "states", "13 numbers of a body with Euler parameters"},
                          static_cast<double>(states), 13.0);
  koppla::test::showEqual({"lu R37", "acceleration", "3 N / 2 kg at the end of a step"}, y[states + 1], 1.5);
  EXPECT_NEAR(y[1], 3.0 / 0.5 / 2.0 * 0.125 / 6.0, 1e-15) << "m y'' = 3 s with s = t / 0.5";
}

TEST(Multibody, SpringsActOnBothOfTheirBodies) {
  MultibodySettings system;
  system.bodies = {{.name = "one", .mass = 1.0, .inertia = {1.0, 1.0, 0.5}},
                   {.name = "two", .mass = 4.0, .inertia = {1.0, 1.0, 2.0}, .position = {1.0, 0.5, 0.0}}};
  system.bodies[1].velocity = {0.2, 0.0, 0.0};
  system.bodies[1].rotation = {0.3};
  system.bodies[1].angularVelocity = {0.0, 0.0, 0.1};
  system.markers = {{.name = "m1", .body = "one"}, {.name = "m2", .body = "two"}};
  system.springs = {
      {.name = "s", .first = "m1", .second = "m2", .stiffness = {10.0, 20.0, 0.0}, .damping = {5.0, 0.0, 0.0}}};
  system.torsionSprings = {
      {.name = "t", .first = "one", .second = "two", .stiffness = 3.0, .damping = 2.0, .relaxed = 0.1}};
  Simulation simulation(std::make_unique<Multibody>(system), test::fixedSteps(1e-3));
  EXPECT_NEAR(simulation.scalar("one.acceleration", 0), 10.0 + 5.0 * 0.2, 1e-14);
  EXPECT_NEAR(simulation.scalar("one.acceleration", 1), 20.0 * 0.5, 1e-14);
  EXPECT_NEAR(simulation.scalar("two.acceleration", 0), -11.0 / 4.0, 1e-14);
  EXPECT_NEAR(simulation.scalar("one.angular_acceleration"), (3.0 * 0.4 + 2.0 * 0.1) / 0.5, 1e-14);
  EXPECT_NEAR(simulation.scalar("two.angular_acceleration"), -(3.0 * 0.4 + 2.0 * 0.1) / 2.0, 1e-14);
  const double springs = 0.5 * (10.0 * 1.0 + 20.0 * 0.25) + 0.5 * 3.0 * 0.16;
  EXPECT_NEAR(simulation.scalar("energy"), springs + 0.5 * 4.0 * 0.04 + 0.5 * 2.0 * 0.01, 1e-14);
}

TEST(Multibody, LoadsGrowWithTime) {
  MultibodySettings system = freeBody(Rotation::planar);
  system.markers = {{.name = "centre", .body = "body"}};
  system.forces = {{.name = "push",
                    .marker = "centre",
                    .force = {1.0, 0.0, 0.0},
                    .forceRate = {0.0, 6.0, 0.0},
                    .moment = {0.0, 0.0, 0.8},
                    .momentRate = {0.0, 0.0, 2.4}}};
  Simulation simulation(std::make_unique<Multibody>(system), test::fixedSteps(0.0));
  simulation.advanceTo(2.0);
  EXPECT_NEAR(simulation.scalar("body.position", 0), 0.5 / 2.0 * 4.0, 1e-13);
  EXPECT_NEAR(simulation.scalar("body.position", 1), 3.0 / 6.0 * 8.0, 1e-13);
  EXPECT_NEAR(simulation.scalar("body.rotation"), 2.0 / 2.0 * 4.0 + 6.0 / 6.0 * 8.0, 1e-13);
}

TEST(Multibody, PlanarSystemsAreOfSecondOrder) {
  EXPECT_FALSE(Multibody(freeBody(Rotation::cardan)).secondOrder());
  Simulation newmark(std::make_unique<Multibody>(pendulum(0.3)), {.kind = solver::Kind::newmark, .microStep = 1e-4});
  Simulation rungeKutta(std::make_unique<Multibody>(pendulum(0.3)), test::fixedSteps(1e-3));
  newmark.advanceTo(0.5);
  rungeKutta.advanceTo(0.5);
  EXPECT_NEAR(newmark.scalar("rod.rotation"), rungeKutta.scalar("rod.rotation"), 1e-6);
}

std::size_t sizeOf(const Multibody& system, const std::string& port) {
  const auto found = system.describe().find(port);
  return found ? system.describe().ports[*found].size : 0;
}

TEST(Multibody, PortsFollowTheRotation) {
  const Multibody planar(freeBody(Rotation::planar));
  EXPECT_EQ(sizeOf(planar, "body.position"), 2U);
  EXPECT_EQ(sizeOf(planar, "body.rotation"), 1U);
  EXPECT_EQ(sizeOf(planar, "body.angular_acceleration"), 1U);
  EXPECT_EQ(planar.stateCount(), 6U);
  EXPECT_EQ(Multibody(freeBody(Rotation::cardan)).stateCount(), 12U);
  const Multibody quaternion(freeBody(Rotation::eulerParameters));
  EXPECT_EQ(sizeOf(quaternion, "body.rotation"), 4U);
  EXPECT_EQ(sizeOf(quaternion, "body.velocity"), 3U);
  EXPECT_EQ(quaternion.stateCount(), 13U);
  EXPECT_EQ(quaternion.describe().ports[*quaternion.describe().find("body.velocity")].unit, "m/s");
}

Coupling shareOf(JointKind kind, Side side, Coupling::Source source, bool projection, Rotation rotation) {
  Coupling coupling;
  coupling.name = "joint";
  coupling.joint = {.kind = kind,
                    .first = {{}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}},
                    .second = {{}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                    .firstRotation = rotation,
                    .secondRotation = rotation};
  coupling.side = side;
  coupling.body = "body";
  coupling.source = source;
  coupling.projection = projection;
  if (source == Coupling::Source::law)
    coupling.laws.assign(rows(coupling.joint), std::make_shared<subsystem::SpringDamper>(1.0, 1.0));
  return coupling;
}

std::size_t inputsOf(const Coupling& coupling, Rotation rotation) {
  Multibody system(freeBody(rotation));
  system.couple(coupling);
  std::size_t count = 0;
  for (const subsystem::Port& port : system.describe().ports)
    if (port.causality == Causality::input) count += port.size;
  return count;
}

/// Scalars that a share adds: Lu's tables, sections 4.3 (laws on one side) and 5.6 (with mu: method 3) of the note.
TEST(Multibody, SharesInJointsReadWhatTheTablesList) {
  using enum JointKind;
  using enum Coupling::Source;
  struct Row {
    JointKind kind;
    std::size_t first, second, firstMu, secondMu, firstLaw, secondLaw;
  };
  for (const Row& row : {Row{atpoint, 3, 3, 6, 6, 12, 12}, Row{inplane, 4, 7, 5, 8, 12, 12},
                         Row{perpendicular, 4, 4, 5, 5, 6, 6}, Row{universal, 7, 7, 11, 11, 12, 12}}) {
    const auto count = [&](Side side, Coupling::Source source, bool projection) {
      return inputsOf(shareOf(row.kind, side, source, projection, Rotation::cardan), Rotation::cardan);
    };
    EXPECT_EQ(count(Side::first, multipliers, false), row.first) << word(row.kind);
    EXPECT_EQ(count(Side::second, multipliers, false), row.second) << word(row.kind);
    EXPECT_EQ(count(Side::first, multipliers, true), row.firstMu) << word(row.kind);
    EXPECT_EQ(count(Side::second, multipliers, true), row.secondMu) << word(row.kind);
    EXPECT_EQ(count(Side::first, law, false), row.firstLaw) << word(row.kind);
    EXPECT_EQ(count(Side::second, law, false), row.secondLaw) << word(row.kind);
  }
}

TEST(Multibody, DeclaresFeedThroughWhereItIs) {
  MultibodySettings system = pendulum(0.3);
  system.bodies.push_back({.name = "free"});
  system.markers = {{.name = "tip", .body = "rod", .loads = true}};
  Multibody multibody(system);
  Coupling coupling = shareOf(JointKind::inplane, Side::second, Coupling::Source::multipliers, true, Rotation::planar);
  coupling.joint.first = coupling.joint.second = {.axis = {0.0, 1.0, 0.0}};
  coupling.body = "rod";
  multibody.couple(coupling);
  const subsystem::Description& description = multibody.describe();
  const auto feeds = [&](const char* input, const char* output) {
    return description.feedsThrough(*description.find(input), *description.find(output));
  };
  for (const char* input : {"tip.force", "tip.moment", "joint.lambda", "joint.position", "joint.rotation"}) {
    EXPECT_TRUE(feeds(input, "rod.acceleration")) << input;
    EXPECT_TRUE(feeds(input, "rod.angular_acceleration")) << input;
    EXPECT_FALSE(feeds(input, "rod.velocity")) << input;
    EXPECT_FALSE(feeds(input, "energy")) << input;
    EXPECT_FALSE(feeds(input, "free.acceleration")) << "no joint leads there";
  }
  EXPECT_FALSE(feeds("joint.mu", "rod.acceleration"));
}

TEST(Multibody, ProjectionDoesNotEnterInternalJoints) {
  MultibodySettings system = pendulum(0.3);
  system.constraints = InternalConstraints::baumgarte;
  system.rate = 100.0;
  auto made = std::make_unique<Multibody>(system);
  Coupling coupling = shareOf(JointKind::atpoint, Side::first, Coupling::Source::multipliers, true, Rotation::planar);
  coupling.body = "rod";
  made->couple(coupling);
  Part part(std::move(made), "rod");
  std::vector<double> x(part.system->stateCount());
  std::vector<double> dx(x.size());
  part.system->initialStates(x);
  part.system->derivatives(0.0, x, part.u.scalars, dx);
  const std::vector<double> without = dx;
  part.u.of("joint.mu")[0] = 0.5;
  part.system->derivatives(0.0, x, part.u.scalars, dx);
  EXPECT_EQ(dx[0], without[0] + 0.5);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_EQ(dx[i], without[i]) << "accelerations follow the states v and omega";
}

TEST(Multibody, EvaluatesWithoutAllocation) {
  MultibodySettings system = pendulum(0.3);
  system.bodies.push_back({.name = "body", .position = {1.2 * std::cos(0.3), 1.2 * std::sin(0.3), 0.0}});
  system.joints.push_back({.name = "hinge",
                           .joint = {.kind = JointKind::atpoint, .first = {.at = {0.6, 0.0, 0.0}}},
                           .first = "rod",
                           .second = "body"});
  system.markers = {{.name = "tip", .body = "body", .loads = true}};
  system.springs = {{.name = "spring", .first = "tip", .stiffness = {1.0, 1.0, 0.0}}};
  system.rate = 10.0;
  for (const InternalConstraints kept : {InternalConstraints::baumgarte, InternalConstraints::stabilisedIndex2}) {
    system.constraints = kept;
    auto made = std::make_unique<Multibody>(system);
    Coupling coupling = shareOf(JointKind::atpoint, Side::second, Coupling::Source::law, false, Rotation::planar);
    made->couple(coupling);
    Part part(std::move(made), "body");
    std::vector<double> x(part.system->stateCount());
    std::vector<double> dx(x.size());
    part.system->initialStates(x);
    const std::size_t before = koppla::test::allocations();
    for (int i = 0; i < 100; ++i) {
      part.system->derivatives(0.1 * i, x, part.u.scalars, dx);
      part.read(0.1 * i, x);
    }
    EXPECT_EQ(koppla::test::allocations(), before);
    EXPECT_GT(before, 0U) << "nothing is counted";
  }
}

TEST(Multibody, RefusesBodiesThatCannotBe) {
  MultibodySettings system = freeBody(Rotation::cardan);
  system.bodies[0].mass = 0.0;
  system.bodies[0].inertia[1] = -0.1;
  system.bodies[0].rotation = {0.0, 0.0};
  EXPECT_TRUE(says(refusal(system), {"Body body: the mass is 0 kg", "about y is -0.1", "given by 2 numbers"}))
      << refusal(system);
  system = freeBody(Rotation::euler);
  system.bodies[0].rotation.clear();
  EXPECT_TRUE(says(refusal(system), {"'euler' are singular at the start"})) << refusal(system);
  system = freeBody(Rotation::eulerParameters);
  system.bodies[0].rotation = {1.0, 1.0, 0.0, 0.0};
  EXPECT_TRUE(says(refusal(system), {"the length of the Euler parameters is 1.41"})) << refusal(system);
  system = freeBody(Rotation::planar);
  system.gravity = {0.0, 0.0, -9.81};
  EXPECT_TRUE(says(refusal(system), {"gravity (0, 0, -9.81) leaves the plane"})) << refusal(system);
  EXPECT_TRUE(says(refusal(MultibodySettings{}), {"no bodies"}));
}

TEST(Multibody, RefusesNamesThatAreUnknownOrTaken) {
  MultibodySettings system = pendulum(0.3);
  system.markers = {{.name = "rod", .body = "rob"}};
  system.springs = {{.name = "spring", .first = "tip"}};
  system.forces = {{.name = "", .marker = "rod"}};
  system.joints[0].second = "rod";
  EXPECT_TRUE(says(refusal(system), {"The name rod of a marker is taken", "Marker rod names the body 'rob'",
                                     "Known: rod.", "Spring spring names the marker 'tip'", "A force has no name",
                                     "Joint pin connects the body rod with itself"}))
      << refusal(system);
}

TEST(Multibody, RefusesJointsThatDoNotFitTheStart) {
  MultibodySettings system = pendulum(0.3);
  system.bodies[0].position[0] += 1e-3;
  EXPECT_TRUE(says(refusal(system), {"joint pin at the start", "position defect is 0.001", "1e-06"}))
      << refusal(system);
  system = pendulum(0.3);
  system.bodies[0].velocity[1] = 0.25;
  EXPECT_TRUE(says(refusal(system), {"joint pin", "velocity defect is 0.25"})) << refusal(system);
}

TEST(Multibody, RefusesRedundantJoints) {
  MultibodySettings system = pendulum(0.3);
  InternalJoint second = system.joints[0];
  second.name = "guide";
  second.joint.kind = JointKind::inplane;
  second.joint.second = {.axis = {0.0, 1.0, 0.0}};
  system.joints.push_back(second);
  EXPECT_TRUE(says(refusal(system), {"The joint guide is redundant", "fewer conditions"})) << refusal(system);
}

TEST(Multibody, RefusesJointsWithoutMeaningAndNamesThem) {
  MultibodySettings system = pendulum(0.3);
  system.joints[0].joint.kind = JointKind::universal;
  EXPECT_TRUE(says(refusal(system), {"Joint pin: "})) << refusal(system);
  system = pendulum(0.3);
  system.constraints = InternalConstraints::baumgarte;
  EXPECT_TRUE(says(refusal(system), {"The rate of Baumgarte's stabilisation is 0"})) << refusal(system);
}

TEST(Multibody, RefusesSharesThatDoNotFit) {
  const auto refused = [](const std::function<void(Coupling&)>& spoil) {
    Multibody system(freeBody(Rotation::cardan));
    Coupling coupling = shareOf(JointKind::atpoint, Side::first, Coupling::Source::law, false, Rotation::cardan);
    spoil(coupling);
    return test::refusal([&] { system.couple(coupling); });
  };
  EXPECT_EQ(refused([](Coupling&) {}), "");
  EXPECT_TRUE(says(refused([](Coupling& c) { c.body = "other"; }), {"joint", "'other'"}));
  EXPECT_TRUE(says(refused([](Coupling& c) { c.name = "body"; }), {"ports body.* already"}));
  EXPECT_TRUE(says(refused([](Coupling& c) { c.laws.pop_back(); }), {"has 2 laws", "takes 3"}));
  EXPECT_TRUE(says(refused([](Coupling& c) { c.projection = true; }), {"laws and a projection"}));
  EXPECT_TRUE(says(refused([](Coupling& c) { c.joint.firstRotation = Rotation::euler; }), {"'euler'", "'cardan'"}));
  EXPECT_TRUE(says(refused([](Coupling& c) {
                     c.joint.first.axis = {};
                     c.joint.kind = JointKind::universal;
                   }),
                   {"The coupling joint"}));
}

}  // namespace
}  // namespace koppla::mechanics::multibody_test
