// What a user sees of bodies and joints before anything moves: names, sizes, units and meanings of their ports, what
// may be set, and what depends on what.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/mechanics/joint_member.hpp"
#include "koppla/mechanics/multibody.hpp"

#include "joined.hpp"
#include "simulation.hpp"

namespace koppla::mechanics::ports_test {
namespace {

using subsystem::Causality;
using subsystem::PortIndex;
using Lines = std::vector<std::string>;

/// "input name[size] unit: meaning", and what may be set and begins with 0.
Lines linesOf(const subsystem::Description& description) {
  Lines lines;
  for (const subsystem::Port& port : description.ports) {
    EXPECT_EQ(port.settable, port.causality == Causality::input) << port.name;
    EXPECT_EQ(port.type, core::Type::real);
    lines.push_back(
        fmt::format("{} {}[{}] {}: {}", word(port.causality), port.name, port.size, port.unit, port.description));
  }
  return lines;
}

TEST(JointPorts, OfARigidJointAreTheMotionOfBothBodies) {
  Lines expected;
  for (const auto& [body, rotation] : {std::pair{"first", "[3] rad"}, std::pair{"second", "[4] "}}) {
    expected.push_back(fmt::format("input {}.position[3] m: centre of mass, inertial frame", body));
    expected.push_back(fmt::format("input {}.rotation{}: orientation", body, rotation));
    expected.push_back(fmt::format("input {}.velocity[3] m/s: of the centre of mass, inertial frame", body));
    expected.push_back(fmt::format("input {}.angular_velocity[3] rad/s: body's frame", body));
    expected.push_back(fmt::format("input {}.acceleration[3] m/s2: of the centre of mass", body));
    expected.push_back(fmt::format("input {}.angular_acceleration[3] rad/s2: body's frame", body));
  }
  expected.push_back("output lambda[5] : multipliers of the loads");
  expected.push_back("output mu[5] : multipliers of the projection of velocities");
  for (const char* level : {"position", "velocity", "acceleration"})
    expected.push_back(fmt::format("output {}_defect[5] : what the equations of the joint are away from 0", level));
  const auto joint = rigidJoint({.kind = JointKind::revolute, .secondRotation = Rotation::eulerParameters});
  EXPECT_EQ(linesOf(joint->describe()), expected);
  EXPECT_EQ(joint->describe().kind, "coupling condition");
  EXPECT_EQ(joint->describe().model, "rigid revolute joint");
}

TEST(JointPorts, OfAFlexibleJointAreMotionsAndLaws) {
  Lines expected;
  for (const char* body : {"first", "second"}) {
    expected.push_back(fmt::format("input {}.position[2] m: centre of mass, inertial frame", body));
    expected.push_back(fmt::format("input {}.rotation[1] rad: orientation", body));
    expected.push_back(fmt::format("input {}.velocity[2] m/s: of the centre of mass, inertial frame", body));
    expected.push_back(fmt::format("input {}.angular_velocity[1] rad/s: body's frame", body));
  }
  expected.push_back("output lambda[2] : multipliers of the loads");
  for (const char* level : {"position", "velocity"})
    expected.push_back(fmt::format("output {}_defect[2] : what the equations of the joint are away from 0", level));
  const auto joint = flexibleJoint({.firstRotation = Rotation::planar, .secondRotation = Rotation::planar},
                                   Laws(2, std::make_shared<subsystem::SpringDamper>(1.0, 1.0)));
  const subsystem::Description& description = joint->describe();
  EXPECT_EQ(linesOf(description), expected);
  EXPECT_EQ(description.model, "flexible atpoint joint");
  // Laws use positions and velocities.
  for (PortIndex input = 0; input < 8; ++input) {
    EXPECT_TRUE(description.feedsThrough(input, *description.find("lambda"))) << input;
    const bool moves = description.ports[input].name.find("velocity") != std::string::npos;
    EXPECT_EQ(description.feedsThrough(input, *description.find("position_defect")), !moves) << input;
    EXPECT_TRUE(description.feedsThrough(input, *description.find("velocity_defect"))) << input;
  }
}

TEST(JointPorts, OfARigidLinkAreTheMotionsOfTwoPoints) {
  Lines expected;
  for (const char* body : {"first", "second"}) {
    expected.push_back(fmt::format("input {}.position[2] m: of a point", body));
    expected.push_back(fmt::format("input {}.velocity[2] m/s: of a point", body));
    expected.push_back(fmt::format("input {}.acceleration[2] m/s2: of a point", body));
  }
  expected.push_back("output lambda[2] N: force on the first point; the second one gets the opposite");
  expected.push_back("output mu[2] m/s: projection of velocities");
  expected.push_back("output position_defect[2] m: first - second");
  expected.push_back("output velocity_defect[2] m/s: first - second");
  expected.push_back("output acceleration_defect[2] m/s2: first - second");
  const auto link = rigidLink(2);
  const subsystem::Description& description = link->describe();
  EXPECT_EQ(linesOf(description), expected);
  EXPECT_EQ(description.model, "rigid link");
  // Inputs are position, velocity, acceleration of the first point, then of the second one.
  const auto dependencies = [&](const char* output) { return *description.dependenciesOf(*description.find(output)); };
  const auto sorted = [](std::vector<PortIndex> ports) {
    std::ranges::sort(ports);
    return ports;
  };
  EXPECT_EQ(sorted(dependencies("position_defect")), (std::vector<PortIndex>{0, 3}));
  EXPECT_EQ(sorted(dependencies("velocity_defect")), (std::vector<PortIndex>{0, 1, 3, 4}));
  EXPECT_EQ(sorted(dependencies("acceleration_defect")), (std::vector<PortIndex>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(dependencies("lambda").empty());
  EXPECT_TRUE(dependencies("mu").empty());
}

TEST(JointPorts, BelongToMembersThatAreEvaluatedAnyTime) {
  for (const auto& [member, linear] : {std::pair{rigidJoint({}), false}, std::pair{rigidLink(1), true}}) {
    const subsystem::Capabilities& can = member->describe().capabilities;
    EXPECT_TRUE(can.saveRestore);
    EXPECT_TRUE(can.variableStep);
    EXPECT_EQ(can.inputDerivatives, subsystem::kMaxDegree);
    EXPECT_TRUE(can.states);
    EXPECT_TRUE(can.evaluatesBetweenSteps);
    EXPECT_TRUE(can.isStatic);
    EXPECT_EQ(can.linear, linear);
  }
}

/// A body "b" with a marker "tip" that has ports, and one "mark" that has none.
MultibodySettings bodyWithMarkers(Rotation rotation) {
  MultibodySettings system;
  system.rotation = rotation;
  system.bodies = {{.name = "b"}};
  system.markers = {{.name = "mark", .body = "b"},
                    {.name = "tip", .body = "b", .place = {.at = {0.5, 0.25, 0.0}}, .loads = true}};
  return system;
}

/// The motion of a place, with sizes of vectors, of rotations and of spins.
Lines motionLines(const std::string& name, const std::string& point, int size, const std::string& rotation, int spin) {
  return {fmt::format("output {}.position[{}] m: position of the {} in K_0", name, size, point),
          fmt::format("output {}.rotation{}: rotation parameters of the body", name, rotation),
          fmt::format("output {}.velocity[{}] m/s: velocity of the {} in K_0", name, size, point),
          fmt::format("output {}.angular_velocity[{}] rad/s: angular velocity in the body's frame", name, spin)};
}

Lines bodyLines(int size, const std::string& rotation, int spin) {
  Lines lines = motionLines("b", "centre of mass", size, rotation, spin);
  lines.push_back(fmt::format("output b.acceleration[{}] m/s2: acceleration of the centre of mass in K_0", size));
  lines.push_back(
      fmt::format("output b.angular_acceleration[{}] rad/s2: angular acceleration in the body's frame", spin));
  lines.emplace_back("output energy[1] J: energy of motion, weight and springs");
  for (const std::string& line : motionLines("tip", "marker", size, rotation, spin)) lines.push_back(line);
  lines.push_back(fmt::format("input tip.force[{}] N: force at the marker in K_0", size));
  lines.push_back(fmt::format("input tip.moment[{}] N m: moment at the marker in the body's frame", spin));
  return lines;
}

TEST(BodyPorts, AreMotionsOfBodiesAndMarkers) {
  const Multibody planar(bodyWithMarkers(Rotation::planar));
  EXPECT_EQ(linesOf(planar.describe()), bodyLines(2, "[1] rad", 1));
  const Multibody spatial(bodyWithMarkers(Rotation::eulerParameters));
  EXPECT_EQ(linesOf(spatial.describe()), bodyLines(3, "[4] ", 3));
  EXPECT_EQ(planar.describe().kind, "native");
  EXPECT_EQ(planar.describe().model, "multibody");
  ASSERT_EQ(planar.describe().markers.size(), 1U);
  const subsystem::Marker& marker = planar.describe().markers[0];
  EXPECT_EQ(marker.name, "tip");
  EXPECT_EQ(planar.describe().ports[marker.position].name, "tip.position");
  EXPECT_EQ(planar.describe().ports[marker.velocity].name, "tip.velocity");
  EXPECT_EQ(planar.describe().ports[marker.force].name, "tip.force");
  for (const subsystem::Port& port : planar.describe().ports)
    EXPECT_EQ(port.start, port.causality == Causality::input ? std::optional<core::Value>(0.0) : std::nullopt);
}

Coupling shareOf(JointKind kind, Coupling::Source source) {
  Coupling coupling;
  coupling.name = "joint";
  coupling.joint.kind = kind;
  coupling.joint.first.axis = {0.0, 1.0, 0.0};
  coupling.joint.secondRotation = Rotation::eulerParameters;
  coupling.body = "b";
  coupling.source = source;
  if (source == Coupling::Source::law)
    coupling.laws = Laws(rows(coupling.joint), std::make_shared<subsystem::SpringDamper>(1.0, 1.0));
  return coupling;
}

TEST(BodyPorts, OfASharedJointAreMultipliersAndWhatIsReadOfThePartner) {
  Multibody system(bodyWithMarkers(Rotation::cardan));
  const std::size_t before = system.describe().ports.size();
  Coupling rigid = shareOf(JointKind::perpendicular, Coupling::Source::multipliers);
  rigid.projection = true;
  system.couple(rigid);
  Coupling soft = shareOf(JointKind::universal, Coupling::Source::law);
  soft.name = "soft";
  system.couple(soft);
  const Lines all = linesOf(system.describe());
  EXPECT_EQ(Lines(all.begin() + static_cast<std::ptrdiff_t>(before), all.end()),
            (Lines{"input joint.lambda[1] : multipliers of the joint: loads",
                   "input joint.mu[1] : multipliers of the joint: projection of the velocities",
                   "input joint.rotation[4] : rotation parameters of the partner's body",
                   "input soft.position[3] m: position of the partner's body",
                   "input soft.rotation[4] : rotation parameters of the partner's body",
                   "input soft.velocity[3] m/s: velocity of the partner's body",
                   "input soft.angular_velocity[3] rad/s: angular velocity of the partner's body, in its frame",
                   "output soft.lambda[4] : multipliers of the joint, from its laws"}));
  const subsystem::Description& description = system.describe();
  const PortIndex lambda = *description.find("soft.lambda");
  for (PortIndex port = 0; port < description.ports.size(); ++port) {
    const bool own = description.ports[port].name.starts_with("soft.") && port != lambda;
    if (description.ports[port].causality == Causality::input) {
      EXPECT_EQ(description.feedsThrough(port, lambda), own) << description.ports[port].name;
    }
  }
  for (const char* quantity : {"position", "rotation", "velocity", "angular_velocity"})
    EXPECT_TRUE(description.feedsThrough(*description.find(fmt::format("soft.{}", quantity)),
                                         *description.find("b.acceleration")))
        << quantity;
}

TEST(BodyPorts, TakeFiniteNumbersOnly) {
  Multibody system(bodyWithMarkers(Rotation::planar));
  const PortIndex force = *system.describe().find("tip.force");
  const auto told = [&](const char* port, const std::vector<core::Value>& values) {
    return test::refusal([&] { system.set(*system.describe().find(port), values); });
  };
  const std::string remedy = "'tip.force' was not given as 2 finite real numbers. Give one for each component.";
  EXPECT_EQ(told("b.position", {1.0, 2.0}), "multibody: 'b.position' is an output. Only inputs can be set.");
  EXPECT_EQ(told("tip.force", {1.0}), "multibody: " + remedy);
  EXPECT_EQ(told("tip.force", {1.0, 2.0, 3.0}), "multibody: " + remedy);
  EXPECT_EQ(told("tip.force", {1.0, std::nan("")}), "multibody: " + remedy);
  EXPECT_EQ(told("tip.force", {std::int32_t{1}, 2.0}), "multibody: " + remedy);
  EXPECT_EQ(system.describe().ports[force].start, std::optional<core::Value>(0.0)) << "nothing was taken";
  EXPECT_EQ(told("tip.force", {1.0, 2.0}), "");
  EXPECT_FALSE(system.describe().ports[force].start) << "no one number is that of all components";
  EXPECT_EQ(told("tip.force", {3.0, 3.0}), "");
  EXPECT_EQ(system.describe().ports[force].start, std::optional<core::Value>(3.0));
  EXPECT_THROW(static_cast<void>(system.parameter(force)), core::InternalError);
}

/// Three rods in a row, the first one pinned, and a fourth one pinned alone.
MultibodySettings chain() {
  MultibodySettings system;
  for (int i = 0; i < 4; ++i) {
    const std::string name = fmt::format("b{}", i);
    system.bodies.push_back({.name = name, .position = {static_cast<double>(i), 0.0, 0.0}});
    system.markers.push_back({.name = fmt::format("m{}", i), .body = name, .loads = true});
  }
  const auto hinge = [&](const std::string& name, int i, const std::string& second) {
    const Vector end{-0.5, 0.0, 0.0};
    const Vector ground{static_cast<double>(i) - 0.5, 0.0, 0.0};
    system.joints.push_back({.name = name,
                             .joint = {.kind = JointKind::revolute,
                                       .first = {.at = end},
                                       .second = {.at = second.empty() ? ground : Vector{0.5, 0.0, 0.0}}},
                             .first = fmt::format("b{}", i),
                             .second = second});
  };
  hinge("h0", 0, "");
  hinge("h2", 2, "b1");
  hinge("h1", 1, "b0");
  hinge("h3", 3, "");
  return system;
}

TEST(BodyPorts, ALoadFeedsTheBodiesThatJointsConnectWithItsOwn) {
  const Multibody system(chain());
  const subsystem::Description& description = system.describe();
  for (int loaded = 0; loaded < 4; ++loaded)
    for (int moved = 0; moved < 4; ++moved)
      for (const char* load : {"force", "moment"})
        for (const char* acceleration : {"acceleration", "angular_acceleration"})
          EXPECT_EQ(description.feedsThrough(*description.find(fmt::format("m{}.{}", loaded, load)),
                                             *description.find(fmt::format("b{}.{}", moved, acceleration))),
                    (loaded == 3) == (moved == 3))
              << loaded << moved;
}

TEST(BodyPorts, JointsInsideDriftUnderAProjectionAtTheLevelOfAccelerationsOnly) {
  MultibodySettings system = chain();
  EXPECT_TRUE(Multibody(system).driftsUnderProjection());
  system.rate = 1.0;
  for (const InternalConstraints kept : {InternalConstraints::baumgarte, InternalConstraints::stabilisedIndex2}) {
    system.constraints = kept;
    EXPECT_FALSE(Multibody(system).driftsUnderProjection());
  }
  EXPECT_FALSE(Multibody(bodyWithMarkers(Rotation::planar)).driftsUnderProjection()) << "no joints inside";
}

TEST(BodyPorts, EquationsAreOfSecondOrderInThePlaneWithoutMultipliersOfTheirOwn) {
  MultibodySettings system = bodyWithMarkers(Rotation::planar);
  EXPECT_TRUE(Multibody(system).secondOrder());
  system.constraints = InternalConstraints::stabilisedIndex2;
  EXPECT_TRUE(Multibody(system).secondOrder()) << "no joints inside";
  EXPECT_FALSE(Multibody(bodyWithMarkers(Rotation::cardan)).secondOrder());
  MultibodySettings stabilised = chain();
  EXPECT_TRUE(Multibody(stabilised).secondOrder());
  stabilised.constraints = InternalConstraints::stabilisedIndex2;
  EXPECT_FALSE(Multibody(stabilised).secondOrder());
  for (const bool projection : {false, true}) {
    Multibody coupled(bodyWithMarkers(Rotation::planar));
    Coupling coupling;
    coupling.name = "joint";
    coupling.body = "b";
    coupling.joint.firstRotation = coupling.joint.secondRotation = Rotation::planar;
    coupling.projection = projection;
    coupled.couple(coupling);
    EXPECT_EQ(coupled.secondOrder(), !projection);
  }
}

/// Two guides hold both ends of a rod at y = 0: where the rod stands upright they say the same.
TEST(Multibody, SaysWhereInternalJointsComeToHoldTheSameMotionTwice) {
  MultibodySettings system;
  system.bodies = {{.name = "b"}};
  for (const double end : {-1.0, 1.0})
    system.joints.push_back(
        {.name = end < 0.0 ? "left" : "right",
         .joint = {.kind = JointKind::inplane, .first = {.at = {end, 0.0, 0.0}}, .second = {.axis = {0.0, 1.0, 0.0}}},
         .first = "b"});
  test::Part part(std::make_unique<Multibody>(system), "b");
  std::vector<double> x(part.system->stateCount());
  part.system->initialStates(x);
  EXPECT_NO_THROW(part.read(0.0, x));
  x[2] = std::numbers::pi / 2.0;
  EXPECT_THROW(part.read(0.0, x), core::SubsystemError);
}

}  // namespace
}  // namespace koppla::mechanics::ports_test
