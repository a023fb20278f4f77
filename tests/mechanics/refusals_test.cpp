// Every mistake in the settings of a multibody system is told with its place, its value and the remedy, and nothing
// else is: each case spoils one number or name of a system that has one of everything.

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/mechanics/detail/joint_equations.hpp"
#include "koppla/mechanics/multibody.hpp"

#include "motions.hpp"

namespace koppla::mechanics::refusals_test {
namespace {

using std::numbers::pi;
using Spoil = std::function<void(MultibodySettings&)>;
using Texts = std::vector<std::string>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Two rods in a row, pinned to the ground and to each other, with springs and loads.
MultibodySettings everything() {
  MultibodySettings system;
  system.gravity = {0.5, -9.81, 0.0};
  system.bodies = {{.name = "a"}, {.name = "b", .position = {1.0, 0.0, 0.0}}};
  system.markers = {{.name = "m", .body = "a", .place = {.at = {0.5, 0.0, 0.0}}},
                    {.name = "n", .body = "b", .place = {.at = {-0.5, 0.0, 0.0}}}};
  system.springs = {{.name = "s", .first = "m", .second = "n", .stiffness = {1.0, 0.0, 0.0}},
                    {.name = "g", .first = "m", .ground = {0.5, 0.25, 0.0}, .damping = {0.0, 1.0, 0.0}}};
  system.torsionSprings = {{.name = "t", .first = "a", .second = "b"}, {.name = "u", .first = "a"}};
  system.forces = {{.name = "f", .marker = "m", .force = {1.0, 2.0, 0.0}, .moment = {0.0, 0.0, 1.0}}};
  system.joints = {
      {.name = "j",
       .joint = {.kind = JointKind::revolute, .first = {.at = {0.5, 0.0, 0.0}}, .second = {.at = {-0.5, 0.0, 0.0}}},
       .first = "a",
       .second = "b"},
      {.name = "k",
       .joint = {.kind = JointKind::atpoint, .first = {.at = {-0.5, 0.0, 0.0}}, .second = {.at = {-0.5, 0.0, 0.0}}},
       .first = "a"}};
  return system;
}

/// One body in space.
MultibodySettings inSpace(Rotation rotation, const std::vector<double>& parameters = {}) {
  MultibodySettings system;
  system.rotation = rotation;
  system.bodies = {{.name = "b", .rotation = parameters}};
  return system;
}

Texts problemsOf(const std::function<void()>& call) {
  Texts texts;
  try {
    call();
  } catch (const core::InputError& error) {
    for (const core::Problem& problem : error.problems()) texts.push_back(problem.message + " | " + problem.remedy);
  }
  return texts;
}

Texts refused(const MultibodySettings& system) {
  return problemsOf([&] { const Multibody made(system); });
}

Texts spoilt(const Spoil& spoil) {
  MultibodySettings system = everything();
  spoil(system);
  return refused(system);
}

using S = MultibodySettings;

TEST(Refusals, NothingIsSaidOfASystemInOrder) {
  EXPECT_EQ(refused(everything()), Texts{});
  EXPECT_EQ(spoilt([](S& s) { s.bodies[1].inertia = {0.0, -1.0, 1.0}; }), Texts{}) << "in the plane z alone counts";
  EXPECT_EQ(spoilt([](S& s) { s.bodies[1].rotation = {0.0}; }), Texts{});
  EXPECT_EQ(spoilt([](S& s) { s.rate = -1.0; }), Texts{}) << "only Baumgarte's form has a rate";
}

TEST(Refusals, OfMassAndInertia) {
  for (const auto& [mass, text] :
       std::vector<std::pair<double, std::string>>{{0.0, "0"}, {-1.5, "-1.5"}, {kInfinity, "inf"}, {kNan, "nan"}})
    EXPECT_EQ(spoilt([&](S& s) { s.bodies[1].mass = mass; }),
              Texts{"Body b: the mass is " + text + " kg. | It must be greater than zero."});
  for (const auto& [inertia, text] :
       std::vector<std::pair<double, std::string>>{{0.0, "0"}, {-0.5, "-0.5"}, {kInfinity, "inf"}})
    EXPECT_EQ(spoilt([&](S& s) { s.bodies[1].inertia[2] = inertia; }),
              Texts{"Body b: the moment of inertia about z is " + text + " kg m2. | It must be greater than zero."});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    MultibodySettings system = inSpace(Rotation::cardan);
    system.bodies[0].inertia[axis] = 0.0;
    EXPECT_EQ(refused(system), Texts{std::string("Body b: the moment of inertia about ") + "xyz"[axis] +
                                     " is 0 kg m2. | It must be greater than zero."});
  }
}

TEST(Refusals, OfVectorsThatLeaveThePlane) {
  struct Case {
    std::string what;
    std::function<Vector&(S&)> vector;
    bool inPlane;
  };
  const std::vector<Case> cases{
      {"The system: the gravity", [](S& s) -> Vector& { return s.gravity; }, true},
      {"Body b: the position", [](S& s) -> Vector& { return s.bodies[1].position; }, true},
      {"Body b: the velocity", [](S& s) -> Vector& { return s.bodies[1].velocity; }, true},
      {"Body b: the angular velocity", [](S& s) -> Vector& { return s.bodies[1].angularVelocity; }, false},
      {"Marker n: the point", [](S& s) -> Vector& { return s.markers[1].place.at; }, true},
      {"Spring g: the point on the ground", [](S& s) -> Vector& { return s.springs[1].ground; }, true},
      {"Force f: the force", [](S& s) -> Vector& { return s.forces[0].force; }, true},
      {"Force f: the rate of the force", [](S& s) -> Vector& { return s.forces[0].forceRate; }, true},
      {"Force f: the moment", [](S& s) -> Vector& { return s.forces[0].moment; }, false},
      {"Force f: the rate of the moment", [](S& s) -> Vector& { return s.forces[0].momentRate; }, false}};
  for (const Case& c : cases) {
    const auto with = [&](const Vector& vector) { return spoilt([&](S& s) { c.vector(s) = vector; }); };
    if (c.inPlane) {
      EXPECT_EQ(with({1.0, 0.25, 0.5}),
                Texts{c.what + " (1, 0.25, 0.5) leaves the plane. | In a planar system z is 0."});
    } else {
      const std::string remedy = " leaves the plane. | In a planar system x and y are 0.";
      EXPECT_EQ(with({1.0, 0.0, 0.0}), Texts{c.what + " (1, 0, 0)" + remedy});
      EXPECT_EQ(with({0.0, -2.0, 0.0}), Texts{c.what + " (0, -2, 0)" + remedy});
    }
    for (std::size_t i = 0; i < 3; ++i)
      for (const double bad : {kInfinity, kNan}) {
        Vector vector{};
        vector[i] = bad;
        EXPECT_EQ(with(vector), Texts{c.what + " is not finite. | Give finite numbers."});
      }
  }
  MultibodySettings space = inSpace(Rotation::cardan);
  space.gravity = {1.0, 2.0, 3.0};
  space.bodies[0].angularVelocity = {1.0, 2.0, 3.0};
  EXPECT_EQ(refused(space), Texts{});
}

TEST(Refusals, OfRotationsThatAreNone) {
  EXPECT_EQ(spoilt([](S& s) {
              s.bodies[1].rotation = {0.0, 0.0};
            }),
            Texts{"Body b: the rotation is given by 2 numbers. | 'planar' takes 1 finite ones."});
  EXPECT_EQ(spoilt([](S& s) { s.bodies[1].rotation = {kNan}; }),
            Texts{"Body b: the rotation is given by 1 numbers. | 'planar' takes 1 finite ones."});
  EXPECT_EQ(refused(inSpace(Rotation::eulerParameters, {1.0, 0.0, 0.0})),
            Texts{"Body b: the rotation is given by 3 numbers. | 'euler-parameters' takes 4 finite ones."});
  EXPECT_EQ(refused(inSpace(Rotation::eulerParameters, {0.0, 0.0, 1.5, 2.0})),
            Texts{"Body b: the length of the Euler parameters is 2.5. | It must be 1."});
}

/// Within a millionth of length 1 they are meant to have it, and are given it.
TEST(Refusals, EulerParametersMayBeRounded) {
  for (const double off : {-0.9e-6, 0.9e-6}) {
    const std::vector<double> q{0.6 * (1.0 + off), 0.0, -0.8 * (1.0 + off), 0.0};
    const Multibody made(inSpace(Rotation::eulerParameters, q));
    std::vector<double> x(made.stateCount());
    made.initialStates(x);
    EXPECT_NEAR(x[3], 0.6, 1e-15);
    EXPECT_NEAR(x[5], -0.8, 1e-15);
    EXPECT_EQ(refused(inSpace(Rotation::eulerParameters, {0.6 * (1.0 + 2.0 * off), 0.0, 0.8 * (1.0 + 2.0 * off), 0.0}))
                  .size(),
              1U);
  }
}

/// The largest entry of B is 1 / sin(theta) where phi is 0.
TEST(Refusals, OfAnglesThatAreAsGoodAsSingular) {
  EXPECT_EQ(refused(inSpace(Rotation::euler, {0.0, 1.0 / 0.9e9, 0.0})), Texts{});
  for (const double theta : {1.0 / 1.1e9, 0.0})
    EXPECT_EQ(refused(inSpace(Rotation::euler, {0.0, theta, 0.0})),
              Texts{"Body b: the rotation parameters 'euler' are singular at the start. | Take other parameters; "
                    "euler-parameters are never singular."});
}

TEST(Refusals, OfNamesThatAreNotThere) {
  const std::string bodies = ", which is not there. | Known: a, b.";
  const std::string markers = ", which is not there. | Known: m, n.";
  EXPECT_EQ(spoilt([](S& s) { s.markers[1].body = "c"; }), Texts{"Marker n names the body 'c'" + bodies});
  EXPECT_EQ(spoilt([](S& s) { s.springs[0].first = "x"; }), Texts{"Spring s names the marker 'x'" + markers});
  EXPECT_EQ(spoilt([](S& s) { s.springs[0].second = "x"; }), Texts{"Spring s names the marker 'x'" + markers});
  EXPECT_EQ(spoilt([](S& s) { s.torsionSprings[0].first = "c"; }),
            Texts{"Torsion spring t names the body 'c'" + bodies});
  EXPECT_EQ(spoilt([](S& s) { s.torsionSprings[0].second = "c"; }),
            Texts{"Torsion spring t names the body 'c'" + bodies});
  EXPECT_EQ(spoilt([](S& s) { s.forces[0].marker = "x"; }), Texts{"Force f names the marker 'x'" + markers});
  EXPECT_EQ(spoilt([](S& s) { s.joints[0].first = "c"; }), Texts{"Joint j names the body 'c'" + bodies});
  EXPECT_EQ(spoilt([](S& s) { s.joints[0].second = "c"; }), Texts{"Joint j names the body 'c'" + bodies});
  MultibodySettings bare;
  bare.bodies = {{.name = "a"}};
  bare.forces = {{.name = "f", .marker = "m"}};
  EXPECT_EQ(refused(bare), Texts{"Force f names the marker 'm', which is not there. | There is no marker."});
}

TEST(Refusals, OfNamesThatAreMissingOrTaken) {
  const std::string remedy = " | Bodies, markers, springs, forces and joints of one system have different names.";
  const auto rename = [](const std::string& name) {
    return std::vector<std::pair<std::string, Spoil>>{
        {"body", [=](S& s) { s.bodies.push_back({.name = name}); }},
        {"marker", [=](S& s) { s.markers.push_back({.name = name, .body = "a"}); }},
        {"spring", [=](S& s) { s.springs[1].name = name; }},
        {"torsion spring", [=](S& s) { s.torsionSprings[1].name = name; }},
        {"force", [=](S& s) { s.forces[0].name = name; }},
        {"joint", [=](S& s) { s.joints[1].name = name; }}};
  };
  for (const auto& [kind, spoil] : rename(""))
    EXPECT_EQ(spoilt(spoil), Texts{"A " + kind + " has no name. | Give it one."});
  for (const auto& [kind, spoil] : rename("a"))
    EXPECT_EQ(spoilt(spoil), Texts{"The name a of a " + kind + " is taken." + remedy});
  EXPECT_EQ(refused({}), Texts{"The system has no bodies. | Give at least one."});
}

TEST(Refusals, OfSpringsThatPush) {
  const Texts told{"Spring s: a stiffness or damping is negative or not finite. | Give numbers from zero on."};
  for (std::size_t i = 0; i < 3; ++i)
    for (const double bad : {-1.0, kInfinity, kNan}) {
      EXPECT_EQ(spoilt([&](S& s) { s.springs[0].stiffness[i] = bad; }), told);
      EXPECT_EQ(spoilt([&](S& s) { s.springs[0].damping[i] = bad; }), told);
    }
  const Texts torsion{
      "Torsion spring t: stiffness or damping are negative, or a number is not finite. | Give numbers from zero on, "
      "and "
      "a finite angle."};
  for (const double bad : {-1.0, kInfinity}) {
    EXPECT_EQ(spoilt([&](S& s) { s.torsionSprings[0].stiffness = bad; }), torsion);
    EXPECT_EQ(spoilt([&](S& s) { s.torsionSprings[0].damping = bad; }), torsion);
  }
  EXPECT_EQ(spoilt([&](S& s) { s.torsionSprings[0].relaxed = kInfinity; }), torsion);
  EXPECT_EQ(spoilt([&](S& s) { s.torsionSprings[0].relaxed = -1.0; }), Texts{});
  MultibodySettings space = inSpace(Rotation::cardan);
  space.torsionSprings = {{.name = "t", .first = "b"}};
  EXPECT_EQ(refused(space), Texts{"Torsion spring t turns about one axis, the bodies turn in space. | Torsion springs "
                                  "belong to planar systems."});
}

TEST(Refusals, OfJointsThatHoldNothing) {
  EXPECT_EQ(spoilt([](S& s) { s.joints[0].second = "a"; }),
            Texts{"Joint j connects the body a with itself. | Name two bodies, or one and ground."});
  EXPECT_EQ(spoilt([](S& s) { s.joints[0].joint.scaled = true; }),
            Texts{"Joint j is rigid and scaled. | Only moments of flexible joints can be scaled."});
  const Texts kind = spoilt([](S& s) { s.joints[0].joint.kind = JointKind::planar; });
  ASSERT_EQ(kind.size(), 1U);
  EXPECT_TRUE(kind[0].starts_with("Joint j: A joint of kind 'planar' has no meaning between planar bodies."))
      << kind[0];
  for (const auto& [rate, text] : std::vector<std::pair<double, std::string>>{{0.0, "0"}, {-2.0, "-2"}, {kNan, "nan"}})
    EXPECT_EQ(spoilt([&](S& s) {
                s.constraints = InternalConstraints::baumgarte;
                s.rate = rate;
              }),
              Texts{"The rate of Baumgarte's stabilisation is " + text +
                    " 1/s. | Give a rate greater than zero, or keep internal joints at the acceleration level."});
}

/// Of the joint's place and of its rate, in units of a millionth.
TEST(Refusals, OfAStartThatAJointDoesNotFit) {
  EXPECT_EQ(spoilt([](S& s) { s.bodies[1].position[1] = 0.9e-6; }), Texts{});
  EXPECT_EQ(spoilt([](S& s) { s.bodies[1].velocity[1] = -0.9e-6; }), Texts{});
  EXPECT_EQ(spoilt([](S& s) { s.bodies[1].position[1] = -1.5e-6; }),
            Texts{"The bodies do not fit the joint j at the start: its position defect is 1.5e-06. | Start values must "
                  "meet the joint to 1e-06; correct positions, rotations or the places of its bodies."});
  EXPECT_EQ(spoilt([](S& s) { s.bodies[1].velocity[1] = 1.5e-6; }),
            Texts{"The bodies do not fit the joint j at the start: its velocity defect is 1.5e-06. | Start values must "
                  "meet the joint to 1e-06; correct velocities or angular velocities of its bodies."});
}

/// A guide along y through the tip of a rod that a pin holds at x = 0: the more of x it says, the less it repeats.
TEST(Refusals, OfAJointThatSaysNothingNew) {
  MultibodySettings system = everything();
  system.joints.push_back({.name = "again",
                           .joint = {.kind = JointKind::inplane,
                                     .first = {.at = {-0.5, 0.0, 0.0}},
                                     .second = {.at = {-0.5, 0.0, 0.0}, .axis = {3.0, 4.0, 0.0}}},
                           .first = "a"});
  EXPECT_EQ(refused(system), Texts{"The joint again is redundant: some of what it holds is held already. | Take a kind "
                                   "with fewer conditions, or leave the joint out."});
}

/// A body that a pin holds by its centre, and a guide at a distance d of it: the smallest eigenvalue of the scaled
/// matrix is 1 - 1 / sqrt(1 + d^2).
TEST(Refusals, OfAJointThatSaysHardlyAnythingNew) {
  for (const auto& [eigenvalue, refusals] : {std::pair{1.4e-10, 0U}, std::pair{0.7e-10, 1U}}) {
    MultibodySettings system;
    system.bodies = {{.name = "b"}};
    const Vector at{std::sqrt(2.0 * eigenvalue), 0.0, 0.0};
    system.joints = {
        {.name = "pin", .joint = {.kind = JointKind::atpoint}, .first = "b"},
        {.name = "guide",
         .joint = {.kind = JointKind::inplane, .first = {.at = at}, .second = {.at = at, .axis = {0.0, 1.0, 0.0}}},
         .first = "b"}};
    EXPECT_EQ(refused(system).size(), refusals) << eigenvalue;
  }
}

Texts coupled(const std::function<void(Coupling&)>& spoil, Rotation rotation = Rotation::cardan) {
  Multibody system(inSpace(rotation));
  Coupling coupling;
  coupling.name = "joint";
  coupling.body = "b";
  coupling.joint.firstRotation = rotation;
  coupling.joint.secondRotation = Rotation::eulerParameters;
  spoil(coupling);
  return problemsOf([&] { system.couple(coupling); });
}

Laws laws(std::size_t count) {
  return Laws(count, std::make_shared<subsystem::SpringDamper>(1.0, 1.0));
}

TEST(Refusals, OfSharesInJoints) {
  EXPECT_EQ(coupled([](Coupling&) {}), Texts{});
  EXPECT_EQ(coupled([](Coupling& c) { c.name.clear(); }), Texts{"A coupling has no name. | Give it one."});
  EXPECT_EQ(coupled([](Coupling& c) { c.body = "x"; }),
            Texts{"The coupling joint names the body 'x', which is not there. | Name a body of the system."});
  EXPECT_EQ(
      coupled([](Coupling& c) { c.side = solver::Side::second; }),
      Texts{"The coupling joint takes the rotation of b as 'euler-parameters', but the system has 'cardan'. | Give "
            "the joint the rotation of the system on its side."});
  EXPECT_EQ(coupled([](Coupling& c) {
              c.side = solver::Side::second;
              std::swap(c.joint.firstRotation, c.joint.secondRotation);
            }),
            Texts{});
  EXPECT_EQ(coupled([](Coupling& c) { c.laws = laws(1); }),
            Texts{"The coupling joint has 1 laws. | Laws are given where they are evaluated, not where multipliers "
                  "arrive."});
  EXPECT_EQ(coupled([](Coupling& c) { c.source = Coupling::Source::law; }),
            Texts{"The coupling joint has 0 laws. | A atpoint joint of these bodies takes 3, one per row."});
  EXPECT_EQ(coupled([](Coupling& c) {
              c.source = Coupling::Source::law;
              c.laws = laws(3);
            }),
            Texts{});
  EXPECT_EQ(coupled([](Coupling& c) { c.projection = true; }), Texts{});
  EXPECT_EQ(coupled([](Coupling& c) {
              c.source = Coupling::Source::law;
              c.laws = laws(3);
              c.projection = true;
            }),
            Texts{"The coupling joint has laws and a projection. | Only rigid joints, whose multipliers are an input, "
                  "take a projection."});
}

TEST(Refusals, OfASecondShareOfTheSameName) {
  Multibody system(inSpace(Rotation::cardan));
  Coupling coupling;
  coupling.name = "joint";
  coupling.body = "b";
  system.couple(coupling);  // a ball joint has no port but lambda
  const Texts taken{"The system has ports joint.* already. | Give the coupling another name."};
  EXPECT_EQ(problemsOf([&] { system.couple(coupling); }), taken);
  coupling.name = "other";
  coupling.source = Coupling::Source::law;
  coupling.joint.kind = JointKind::perpendicular;
  coupling.joint.second.axis = {1.0, 0.0, 0.0};
  coupling.laws = laws(1);
  EXPECT_EQ(problemsOf([&] { system.couple(coupling); }), Texts{});
}

/// Directions that are parallel to 1e-9 rad are taken for parallel.
TEST(Refusals, OfDirectionsThatAreNearlyParallel) {
  Joint joint;
  joint.kind = JointKind::revolute;
  for (const double size : {1.0, 100.0}) {
    joint.first.cross = {1.5e-9 * size, 0.0, size};
    EXPECT_EQ(problemsOf([&] { rows(joint); }), Texts{});
    joint.first.cross = {0.7e-9 * size, 0.0, size};
    EXPECT_EQ(problemsOf([&] { rows(joint); }).size(), 1U);
  }
  joint = {.kind = JointKind::inplane, .firstRotation = Rotation::planar, .secondRotation = Rotation::planar};
  joint.second.axis = {1.0, 0.0, -0.7e-9};
  EXPECT_EQ(problemsOf([&] { rows(joint); }), Texts{});
  joint.second.axis = {1.0, 0.0, -1.5e-9};
  EXPECT_EQ(problemsOf([&] { rows(joint); }).size(), 1U);
}

TEST(Refusals, OfPlanarBodiesWithBodiesInSpaceWhicheverIsFirst) {
  for (const bool firstIsPlanar : {false, true}) {
    Joint joint;
    (firstIsPlanar ? joint.firstRotation : joint.secondRotation) = Rotation::planar;
    EXPECT_EQ(problemsOf([&] { rows(joint); }),
              Texts{"A joint cannot hold a planar body to a body in space. | Describe both bodies in space, or both in "
                    "the plane."});
  }
  Joint joint{.firstRotation = Rotation::planar, .secondRotation = Rotation::planar};
  joint.second.at = {0.0, 0.0, 0.5};
  EXPECT_EQ(
      problemsOf([&] { rows(joint); }),
      Texts{"The point (0, 0, 0.5) of a joint between planar bodies is not in their plane. | Give a point with z = "
            "0."});
}

TEST(Refusals, OfPlacesThatAreNotFinite) {
  for (const bool first : {true, false})
    for (std::size_t i = 0; i < 3; ++i) {
      Joint joint;
      (first ? joint.first : joint.second).at[i] = kNan;
      EXPECT_EQ(problemsOf([&] { rows(joint); }).size(), 1U) << first << i;
      joint = {.kind = JointKind::universal};
      joint.first.axis = {1.0, 0.0, 0.0};
      (first ? joint.first : joint.second).axis[i] = kInfinity;
      EXPECT_EQ(problemsOf([&] { rows(joint); }).size(), 1U) << first << i;
      joint = {.kind = JointKind::revolute};
      joint.first.cross[i] = kInfinity;
      EXPECT_EQ(problemsOf([&] { rows(joint); }).size(), 1U) << i;
    }
}

/// Axes at 170 and -170 degrees in their bodies: parallel where the second body has turned by 340 degrees less one
/// turn, -20 degrees, more than the first.
TEST(PlanarTranslational, TurnsTheShortWay) {
  Joint joint{.kind = JointKind::translational, .firstRotation = Rotation::planar, .secondRotation = Rotation::planar};
  const double angle = 170.0 * pi / 180.0;
  joint.first.axis = {std::cos(angle), std::sin(angle), 0.0};
  joint.second.axis = {std::cos(angle), -std::sin(angle), 0.0};
  detail::Motion first;
  detail::Motion second;
  first.orient(Rotation::planar, std::array{0.3});
  second.orient(Rotation::planar, std::array{0.3 - 20.0 * pi / 180.0});
  EXPECT_NEAR(test::defect(detail::JointEquations(joint), detail::Level::position, first, second)[1], 0.0, 1e-14);
}

}  // namespace
}  // namespace koppla::mechanics::refusals_test
