// The native model "multibody" in project files, and conditions between its markers.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/project/composition.hpp"
#include "koppla/project/parts.hpp"
#include "koppla/project/project.hpp"
#include "koppla/project/reader.hpp"
#include "koppla/project/resolver.hpp"
#include "koppla/results/memory_recorder.hpp"

#include "problem_list.hpp"

namespace koppla::project::multibody_test {
namespace {

using mechanics::JointKind;
using mechanics::MultibodySettings;
using mechanics::Rotation;
using mechanics::Vector;
using test::mistakes;
using test::ProblemList;
using test::problemsOf;

/// A project whose subsystem 'a' has these lines behind its model, the first of them in line 6.
std::string withLines(const std::string& lines) {
  return "format = 1\nsimulation = { end = 1.0, step = 0.01 }\n[[subsystems]]\nname = \"a\"\nmodel = \"multibody\"\n" +
         lines;
}

Reading parseWith(const std::string& text, std::initializer_list<std::string> settings = {}) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(parseOverride(setting));
  return parse(text, "bodies.toml", overrides);
}

const MultibodySettings& settingsOf(const Reading& reading) {
  return std::get<MultibodySettings>(reading.project.subsystems.at(0).model->settings);
}

/// All mistakes, as `koppla check` shows them.
ProblemList problemsIn(const std::string& text) {
  const Reading reading = parseWith(text);
  if (!reading.findings.mistakes.empty()) return mistakes(reading);
  core::Log log;
  return problemsOf([&] { build(reading.project, log); });
}

const std::string kRod = "[[subsystems.bodies]]\nname = \"rod\"\nmass = 2.0\ninertia = 0.5\n";

TEST(MultibodyProjects, DescribeAPlanarSystem) {
  const Reading reading = parseWith(withLines(R"(gravity = [0, -9.81]
integrator = "radau"
rtol = 1e-8
constraints = "baumgarte"
rate = 50
[[subsystems.bodies]]
name = "rod"
mass = 2
inertia = 0.5
position = [1, 2]
velocity = [3, 4]
rotation = 0.25
angular_velocity = 6
[[subsystems.bodies]]
name = "plate"
mass = 1
inertia = 1
[subsystems.markers]
tip = {body = "rod", at = [0.5, 0]}
slot = {body = "plate", at = [0, 1], axis = [0, 1], cross = [0, 0, 1], loads = true}
[[subsystems.springs]]
name = "soft"
first = "tip"
second = "slot"
stiffness = 7
damping = [8, 9]
[[subsystems.springs]]
name = "support"
first = "slot"
ground = [10, 11]
stiffness = [12, 0]
[[subsystems.torsion_springs]]
name = "torsion"
first = "rod"
second = "plate"
stiffness = 13
damping = 14
relaxed = 15
[[subsystems.forces]]
name = "push"
marker = "tip"
force = [16, 17]
force_rate = [18, 19]
moment = 20
moment_rate = 21
[[subsystems.joints]]
name = "slide"
joint = "inline"
first = "tip"
ground = {at = [1.0, 2.0], axis = [0, 1]}
)"));
  ASSERT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(reading.project.subsystems.at(0).model->integrator.kind, solver::Kind::radau);
  const MultibodySettings& system = settingsOf(reading);
  EXPECT_EQ(system.rotation, Rotation::planar);
  EXPECT_EQ(system.gravity, (Vector{0.0, -9.81, 0.0}));
  EXPECT_EQ(system.constraints, mechanics::InternalConstraints::baumgarte);
  EXPECT_EQ(system.rate, 50.0);
  ASSERT_EQ(system.bodies.size(), 2U);
  const mechanics::BodySettings& rod = system.bodies[0];
  EXPECT_EQ(rod.name, "rod");
  EXPECT_EQ(rod.mass, 2.0);
  EXPECT_EQ(rod.inertia[2], 0.5);
  EXPECT_EQ(rod.position, (Vector{1.0, 2.0, 0.0}));
  EXPECT_EQ(rod.velocity, (Vector{3.0, 4.0, 0.0}));
  EXPECT_EQ(rod.rotation, std::vector{0.25});
  EXPECT_EQ(rod.angularVelocity, (Vector{0.0, 0.0, 6.0}));
  ASSERT_EQ(system.markers.size(), 2U);
  EXPECT_FALSE(system.markers[0].loads);
  const mechanics::MarkerSettings& slot = system.markers[1];
  EXPECT_EQ(slot.body, "plate");
  EXPECT_TRUE(slot.loads);
  EXPECT_EQ(slot.place.at, (Vector{0.0, 1.0, 0.0}));
  EXPECT_EQ(slot.place.axis, (Vector{0.0, 1.0, 0.0}));
  EXPECT_EQ(slot.place.cross, (Vector{0.0, 0.0, 1.0}));
  ASSERT_EQ(system.springs.size(), 2U);
  EXPECT_EQ(system.springs[0].second, "slot");
  EXPECT_EQ(system.springs[0].stiffness, (Vector{7.0, 7.0, 0.0}));
  EXPECT_EQ(system.springs[0].damping, (Vector{8.0, 9.0, 0.0}));
  EXPECT_EQ(system.springs[1].second, "");
  EXPECT_EQ(system.springs[1].ground, (Vector{10.0, 11.0, 0.0}));
  ASSERT_EQ(system.torsionSprings.size(), 1U);
  const mechanics::TorsionSpring& torsion = system.torsionSprings[0];
  EXPECT_EQ(torsion.second, "plate");
  EXPECT_EQ(std::vector({torsion.stiffness, torsion.damping, torsion.relaxed}), std::vector({13.0, 14.0, 15.0}));
  ASSERT_EQ(system.forces.size(), 1U);
  EXPECT_EQ(system.forces[0].force, (Vector{16.0, 17.0, 0.0}));
  EXPECT_EQ(system.forces[0].forceRate, (Vector{18.0, 19.0, 0.0}));
  EXPECT_EQ(system.forces[0].moment, (Vector{0.0, 0.0, 20.0}));
  EXPECT_EQ(system.forces[0].momentRate, (Vector{0.0, 0.0, 21.0}));
  ASSERT_EQ(system.joints.size(), 1U);
  EXPECT_EQ(system.joints[0].joint.kind, JointKind::inlinePoint);
  EXPECT_EQ(system.joints[0].first, "rod");
  EXPECT_EQ(system.joints[0].joint.first.at, (Vector{0.5, 0.0, 0.0}));
  EXPECT_EQ(system.joints[0].second, "");
  EXPECT_EQ(system.joints[0].joint.second.at, (Vector{1.0, 2.0, 0.0}));
}

TEST(MultibodyProjects, DescribeASystemInSpace) {
  const Reading reading = parseWith(withLines(R"(rotation = "euler-parameters"
[[subsystems.bodies]]
name = "top"
mass = 1
inertia = [1, 2, 3]
rotation = [0, 1, 0, 0]
angular_velocity = [4, 5, 6]
)"));
  ASSERT_EQ(mistakes(reading), ProblemList{});
  const MultibodySettings& system = settingsOf(reading);
  EXPECT_EQ(system.rotation, Rotation::eulerParameters);
  EXPECT_EQ(system.bodies[0].inertia, (Vector{1.0, 2.0, 3.0}));
  EXPECT_EQ(system.bodies[0].rotation, (std::vector{0.0, 1.0, 0.0, 0.0}));
  EXPECT_EQ(system.bodies[0].angularVelocity, (Vector{4.0, 5.0, 6.0}));
}

TEST(MultibodyProjects, AreChangedFromOutside) {
  const std::string text = withLines(
      kRod +
      "[subsystems.markers]\ntip = {body = \"rod\"}\n[[subsystems.forces]]\nname = \"push\"\nmarker = \"tip\"\n");
  const Reading reading =
      parseWith(text, {"a.gravity=[0, -1]", "a.integrator=ode5", "a.rod.mass=3", "a.push.force=[4, 0]"});
  ASSERT_EQ(mistakes(reading), ProblemList{});
  EXPECT_EQ(settingsOf(reading).gravity, (Vector{0.0, -1.0, 0.0}));
  EXPECT_EQ(settingsOf(reading).bodies[0].mass, 3.0);
  EXPECT_EQ(settingsOf(reading).forces[0].force, (Vector{4.0, 0.0, 0.0}));
  EXPECT_EQ(mistakes(parseWith(text, {"a.rod.maas=3"})),
            ProblemList{"command line 'maas' is not an option of [[bodies]]. Did you mean 'mass'?"});
}

/// The value of a variable at the end of the run.
double endValue(const std::string& text, const std::string& variable,
                std::initializer_list<std::string> settings = {}) {
  Reading reading = parseWith(text, settings);
  EXPECT_EQ(mistakes(reading), ProblemList{});
  core::Log log;
  results::MemoryRecorder recorder;
  run::Run run = makeRun(reading.project, log, &recorder);
  EXPECT_TRUE(run.initialise().ok());
  EXPECT_TRUE(run.simulate().ok());
  return recorder.table().find(variable)->numbers.back();
}

TEST(MultibodyProjects, FallFreely) {
  const std::string text = withLines("gravity = [0, -10]\n" + kRod + "velocity = [1, 5]\n");
  // After 1 s: x = 1 m, y = 5 - 10/2 = 0 m, v = (1, -5) m/s, E = 2/2 (1 + 25) J.
  EXPECT_NEAR(endValue(text, "a.rod.position[1]"), 1.0, 1e-12);
  EXPECT_NEAR(endValue(text, "a.rod.position[2]"), 0.0, 1e-12);
  EXPECT_NEAR(endValue(text, "a.energy"), 26.0, 1e-11);
}

TEST(MultibodyProjects, AreCoupledElementByElement) {
  // A push of (8, -4) N on 2 kg: after 1 s x = 4/2 m, y = -2/2 m. The probe sees y only.
  const std::string text =
      withLines(kRod +
                "[subsystems.markers]\npoint = {body = \"rod\", loads = true}\n"
                "[[subsystems]]\nname = \"push\"\nmodel = \"expressions\"\noutputs = {fx = \"8\", fy = \"-4\"}\n"
                "[[subsystems]]\nname = \"probe\"\nmodel = \"expressions\"\ninputs = {height = 0}\noutputs = {twice = "
                "\"2*height\"}\n"
                "[[connections]]\nfrom = \"push.fy\"\nto = \"a.point.force[2]\"\n"
                "[[connections]]\nfrom = \"push.fx\"\nto = \"a.point.force[1]\"\n"
                "[[connections]]\nfrom = \"a.rod.position[2]\"\nto = \"probe.height\"\n");
  EXPECT_NEAR(endValue(text, "a.rod.position[1]"), 2.0, 1e-12);
  EXPECT_NEAR(endValue(text, "a.rod.position[2]"), -1.0, 1e-12);
  EXPECT_NEAR(endValue(text, "probe.twice"), -2.0, 1e-12);

  // Beside elements a whole port adds up: the velocity of a second rod, (2, 6) m/s, taken for a force.
  const Reading reading =
      parseWith(text + "[[subsystems]]\nname = \"b\"\nmodel = \"multibody\"\n" + kRod + "velocity = [2, 6]\n");
  core::Log log;
  coupling::System system = build(reading.project, log).system;
  const auto portOf = [&](std::size_t member, const char* name) -> coupling::Endpoint {
    return {member, *system.members[member].subsystem->describe().find(name)};
  };
  system.connections.push_back({portOf(3, "rod.velocity"), portOf(0, "point.force")});
  results::MemoryRecorder recorder;
  run::Run run(std::move(system), reading.project.settings, log, &recorder);
  ASSERT_TRUE(run.initialise().ok() && run.simulate().ok());
  EXPECT_NEAR(recorder.table().find("a.rod.position[1]")->numbers.back(), 2.5, 1e-12);
  EXPECT_NEAR(recorder.table().find("a.rod.position[2]")->numbers.back(), 0.5, 1e-12);
}

struct Bad {
  std::string lines;
  ProblemList problems;
};

TEST(MultibodyProjects, MistakesAreNamedWithTheirPlace) {
  const std::string markers = "[subsystems.markers]\ntip = {body = \"rod\", at = [1, 0]}\n";  // in lines 10 and 11
  const std::vector<Bad> all{
      {"gravity = [0, -9.81]\n", {"3:1 There are no bodies. Write [[subsystems.bodies]] with name, mass and inertia."}},
      {"rotation = \"planer\"\n" + kRod,
       {"6:12 'planer' is no value of 'rotation' in [[subsystems]]. Did you mean 'planar'?"}},
      {"gravity = [0, 0, -9.81]\n" + kRod,
       {"6:11 'gravity' in [[subsystems]] leaves the plane: z is -9.81. Give [x, y], or choose rotation = \"cardan\" "
        "for bodies in space."}},
      {"rotation = \"cardan\"\ngravity = [0, -9.81]\n" + kRod,
       {"7:11 'gravity' in [[subsystems]] has 2 components. Give [x, y, z].",
        "11:11 'inertia' in [[bodies]] has 1 components. Give [Jx, Jy, Jz]."}},
      {"constraints = \"baumgarte\"\n" + kRod,
       {"3:1 There is no 'rate' in [[subsystems]]. Write rate = ..., in 1/s, of Baumgarte's stabilisation."}},
      {"[[subsystems.bodies]]\nname = \"rod\"\n",
       {"6:1 There is no 'mass' in [[bodies]]. Write mass = ..., in kg.",
        "6:1 There is no 'inertia' in [[bodies]]. Write inertia = ..., in kg m2, about the centre of mass."}},
      {"[[subsystems.bodies]]\nname = \"rod\"\nmass = 0\ninertia = -1\ncolour = 1\n",
       {"8:8 'mass' in [[bodies]] is 0; it must be above 0.", "9:11 'inertia' in [[bodies]] is -1; it must be above 0.",
        "10:1 'colour' is not an option of [[bodies]]. Known here: name, mass, inertia, position, velocity, rotation, "
        "angular_velocity."}},
      {kRod + "rotation = [1, 2]\n", {"10:12 'rotation' in [[bodies]] has 2 components. The rotation 'planar' has 1."}},
      {kRod + kRod,
       {"11:8 The name 'rod' is used already in line 7. Bodies, markers, springs, forces and joints of one subsystem "
        "have different names."}},
      {kRod + "[subsystems.markers]\ntip = {body = \"rood\"}\n",
       {"11:15 There is no body 'rood' in this subsystem. Did you mean 'rod'?"}},
      {kRod + "[subsystems.markers]\ntip = {position = \"x\"}\n",
       {"11:1 There is no 'body' in tip. Write body = \"...\", the name of a body.",
        "11:8 'position' is not an option of tip. It belongs to [[bodies]]."}},
      {kRod + markers + "[[subsystems.springs]]\nname = \"s\"\nfirst = \"tap\"\n",
       {"12:1 The second end is missing. Write second = \"...\", a marker, or ground = [..., ...], a place of the "
        "ground.",
        "14:9 There is no marker 'tap' in this subsystem. Did you mean 'tip'?"}},
      {kRod + markers + "[[subsystems.springs]]\nname = \"s\"\nfirst = \"tip\"\nground = [0, 0]\nstiffness = [1, -2]\n",
       {"16:13 'stiffness' in [[springs]] is -2; it must be at least 0."}},
      {"rotation = \"cardan\"\n[[subsystems.bodies]]\nname = \"rod\"\nmass = 1\ninertia = [1, 1, 1]\n"
       "[[subsystems.torsion_springs]]\nname = \"t\"\nfirst = \"rod\"\n",
       {"12:8 A torsion spring turns about one axis, the bodies turn in space. Torsion springs belong to rotation = "
        "\"planar\"."}},
      {kRod + markers + "[[subsystems.joints]]\nname = \"j\"\njoint = \"universal\"\nfirst = \"tip\"\nground = {}\n",
       {"14:9 The joint 'j': A joint of kind 'universal' has no meaning between planar bodies. Use atpoint, revolute, "
        "inplane, inline, perpendicular, translational, orientation or fixed, or describe both bodies in space."}},
      {kRod + markers +
           "[[subsystems.joints]]\nname = \"j\"\njoint = \"revolute\"\nfirst = \"tip\"\nsecond = \"tip\"\n",
       {"16:10 The joint 'j' connects the body 'rod' with itself. Name markers on two bodies."}},
  };
  for (const Bad& bad : all) EXPECT_EQ(problemsIn(withLines(bad.lines)), bad.problems) << bad.lines;
}

/// A rod of 2 m and 2 kg, level, that a pin at its left end holds to the origin.
const std::string kPinned =
    "gravity = [0, -10]\n" + kRod +
    "position = [1, 0]\n[subsystems.markers]\nstart = {body = \"rod\", at = [-1, 0]}\n[[subsystems.joints]]\n"
    "name = \"pin\"\njoint = \"revolute\"\nfirst = \"start\"\nground = {at = [0, 0]}\n";

TEST(MultibodyProjects, KeepJointsAsAlgebraicEquations) {
  const std::string text = withLines("constraints = \"stabilised-index-2\"\nintegrator = \"radau\"\n" + kPinned);
  EXPECT_EQ(settingsOf(parseWith(text)).constraints, mechanics::InternalConstraints::stabilisedIndex2);
  for (const std::string integrator : {"radau", "radau-fixed"}) {
    const auto end = [&](const std::string& variable) {
      return endValue(text, variable, {"a.integrator=" + integrator});
    };
    EXPECT_NEAR(std::hypot(end("a.rod.position[1]"), end("a.rod.position[2]")), 1.0, 1e-9) << integrator;
    EXPECT_NEAR(end("a.energy"), 0.0, 1e-4) << integrator;
  }
}

TEST(MultibodyProjects, AlgebraicEquationsSayWhichIntegratorsTakeThem) {
  EXPECT_EQ(
      problemsIn(withLines("constraints = \"stabilised-index-2\"\n" + kPinned)),
      ProblemList{"5:9 The model of 'a' cannot be used: The integrator ode4 does not fit the model multibody, which "
                  "has algebraic equations. Take radau or radau-fixed."});
}

TEST(MultibodyProjects, AJointThatTheStartDoesNotMeetIsNamed) {
  const ProblemList problems = problemsIn(
      withLines(kRod + "[subsystems.markers]\ntip = {body = \"rod\"}\n[[subsystems.joints]]\nname = \"pin\"\njoint = "
                       "\"revolute\"\nfirst = \"tip\"\nground = {at = [5, 0]}\n"));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_TRUE(problems.front().starts_with("5:9 The model of 'a' cannot be used: ")) << problems.front();
  EXPECT_NE(problems.front().find("pin"), std::string::npos) << problems.front();
}

// Conditions between bodies

/// A free body of 1 kg (1 kg m2) called 'body', with a marker 'point' 0.5 m to its right.
std::string freeBody(const std::string& name, const std::string& lines = {}) {
  return "[[subsystems]]\nname = \"" + name +
         "\"\nmodel = \"multibody\"\n[[subsystems.bodies]]\nname = \"body\"\nmass = 1\ninertia = 1\n" + lines +
         "[subsystems.markers]\npoint = {body = \"body\", at = [0.5, 0], axis = [1, 0]}\n";
}

std::string freeBodyInSpace(const std::string& name) {
  return "[[subsystems]]\nname = \"" + name +
         "\"\nmodel = \"multibody\"\nrotation = \"cardan\"\n[[subsystems.bodies]]\nname = \"body\"\nmass = 1\n"
         "inertia = [1, 1, 1]\n[subsystems.markers]\npoint = {body = \"body\", at = [0.5, 0, 0]}\n";
}

const std::string kHead = "format = 1\nsimulation = { end = 0.1, step = 0.01 }\nalgorithm.kind = \"semi-implicit\"\n";

std::string between(const std::string& lines, const std::string& second = "b.point") {
  return "[[conditions]]\nname = \"joint\"\nbetween = [\"a.point\", \"" + second + "\"]\n" + lines;
}

TEST(JointsOfBodies, MistakesAreNamedWithTheirPlace) {
  // Both bodies take 9 lines behind the head's 3: the condition's name stands in line 23.
  const std::string pair = kHead + freeBody("a") + freeBody("b");
  const std::string mixed = kHead + freeBody("a") + freeBodyInSpace("b");
  const std::vector<Bad> all{
      {pair + between("kind = \"joint\"\njoint = \"universal\"\n"),
       {"26:9 The condition 'joint' between 'a.point' and 'b.point': A joint of kind 'universal' has no meaning "
        "between "
        "planar bodies. Use atpoint, revolute, inplane, inline, perpendicular, translational, orientation or fixed, or "
        "describe both bodies in space."}},
      {mixed + between("kind = \"joint\"\njoint = \"atpoint\"\n"),
       {"24:8 The condition 'joint' connects 'a.point' in the plane with 'b.point' in space. Give 'a' a rotation in "
        "space, such as rotation = \"cardan\"."}},
      {pair + between("kind = \"joint\"\njoint = \"atpoint\"\n", "b.poimt"),
       {"24:23 'b' has no marker 'poimt'. Did you mean 'point'?"}},
      {pair + between("kind = \"joint\"\njoint = \"atpoint\"\n", "a.point"),
       {"24:23 The condition 'joint' acts between 'a' and itself. Name markers of two subsystems."}},
      {pair + between("kind = \"spring-damper\"\njoint = \"fixed\"\nstiffness = [1, 2]\n"),
       {"23:8 The condition 'joint' has 2 values of 'stiffness', but a joint of kind 'fixed' between these bodies has "
        "3 "
        "equations. Give one number for all, or one for each."}},
      {kHead + freeBody("a") + "[[subsystems]]\nname = \"b\"\nmodel = \"oscillator-body\"\n" +
           between("kind = \"joint\"\njoint = \"atpoint\"\n"),
       {"18:12 The marker 'a.point' takes no forces of points. Give it loads = true, or name markers of two multibody "
        "models."}}};
  for (const Bad& bad : all) EXPECT_EQ(problemsIn(bad.lines), bad.problems) << bad.lines;
}

TEST(JointsOfBodies, NothingFollowsFromAMistakeInTheBodies) {
  std::string broken = kHead + freeBody("a") + freeBody("b") + between("kind = \"joint\"\njoint = \"fixed\"\n");
  broken.replace(broken.find("mass = 1"), 8, "mass = 0");
  const Reading reading = parseWith(broken);
  core::Log log;
  EXPECT_EQ(mistakes(reading), ProblemList{"9:8 'mass' in [[bodies]] is 0; it must be above 0."});
  // As `read` does it, which also looks at the subsystems where there are mistakes.
  Findings findings;
  const Parts parts(reading.project, log, findings);
  findings.append(resolve(parts.project(), parts.descriptions()).findings);
  EXPECT_EQ(test::list(findings.mistakes), ProblemList{});
}

TEST(JointsOfBodies, WeldedBodiesMoveAsOne) {
  // Bodies at the same place share the push of 4 N: y'' = 4 / (1 + 1) m/s2.
  const std::string pushed = "[[subsystems.forces]]\nname = \"push\"\nmarker = \"centre\"\nforce = [0, 4]\n";
  const std::string first = freeBody("a") + "centre = {body = \"body\", at = [0, 0]}\n" + pushed;
  for (const std::string method : {"baumgarte", "weighted-multipliers", "stabilised-index-2"})
    EXPECT_NEAR(endValue(kHead + first + freeBody("b") +
                             between("kind = \"joint\"\njoint = \"fixed\"\nmethod = \"" + method + "\"\n"),
                         "b.body.position[2]"),
                0.5 * 2.0 * 0.01, 1e-9)
        << method;
}

TEST(JointsOfBodies, FlexibleOnesSwingAtTheirFrequencyInEveryDecomposition) {
  // Two bodies of 1 kg drift apart at 0.2 m/s along x, held by a spring of 50 N/m between points that lie at first on
  // each other: x2 - x1 = 0.2 / w sin(w t) with w = sqrt(50 (1 + 1)) = 10 rad/s.
  const std::string pair = kHead + freeBody("a", "velocity = [-0.1, 0]\n") + freeBody("b", "velocity = [0.1, 0]\n");
  const double exact = 0.01 * std::sin(1.0);
  for (const std::string kind :
       {"kind = \"spring-damper\"\nstiffness = [50, 3]\n", "kind = \"law\"\nforce = \"50*x\"\n"})
    for (const std::string decomposition :
         {"force-force", "force-displacement", "displacement-force", "displacement-displacement"})
      EXPECT_NEAR(endValue(pair + between(kind), "b.body.position[1]",
                           {"joint.decomposition=" + decomposition, "algorithm.degree=2", "simulation.step=1e-3"}),
                  exact, 1e-8)
          << decomposition;
}

TEST(JointsOfBodies, AMarkerWithLoadsHoldsAPointOfAnFmu) {
  std::string body = freeBody("a");
  body.replace(body.find("axis = [1, 0]"), 13, "loads = true");
  const Reading reading = parseWith(kHead + body + R"([[subsystems]]
name = "b"
fmu = "Point.fmu"
[subsystems.markers]
point = {position = "p", velocity = "v", force = "f"}
)" + between("kind = \"joint\"\njoint = \"atpoint\"\n"));
  ASSERT_EQ(mistakes(reading), ProblemList{});
  subsystem::Description fmu;
  using subsystem::Causality;
  for (const auto& [name, causality] :
       {std::pair("p", Causality::output), std::pair("v", Causality::output), std::pair("f", Causality::input)}) {
    subsystem::Port port;
    port.name = name;
    port.causality = causality;
    port.size = 2;
    fmu.ports.push_back(port);
  }
  fmu.indexNames();
  std::vector<std::unique_ptr<solver::Equations>> equations(2);
  equations[0] = makeEquations(*reading.project.subsystems[0].model);
  const subsystem::Description own = equations[0]->describe();
  Findings findings;
  const Composition composition = compose(reading.project, {&own, &fmu}, equations, findings);
  EXPECT_EQ(test::list(findings.mistakes), ProblemList{});
  ASSERT_EQ(composition.joints.size(), 1U);
  EXPECT_EQ(composition.joints[0].member, 2U);
  std::vector<std::string> connections;
  for (const ConnectionEntry& c : composition.project.connections)
    connections.push_back(c.from.subsystem + "." + c.from.port + (c.scale->value < 0.0 ? " -- " : " -> ") +
                          c.to.subsystem + "." + c.to.port);
  EXPECT_EQ(connections, (std::vector<std::string>{"a.point.position -> joint.first.position",
                                                   "a.point.velocity -> joint.first.velocity",
                                                   "b.p -> joint.second.position", "b.v -> joint.second.velocity",
                                                   "joint.lambda -> a.point.force", "joint.lambda -- b.f"}));
}

}  // namespace
}  // namespace koppla::project::multibody_test
