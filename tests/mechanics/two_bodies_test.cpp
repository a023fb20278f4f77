// Two bodies, each a system of its own, with a joint between them: what couple() adds to their equations, checked under
// one solver, where nothing is delayed. Data and reference values: the note on Lu's thesis, section 8.13 (in space) and
// 8.3 (crank and slotted lever).

#include <cmath>
#include <numbers>
#include <optional>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "koppla/core/detail/dense.hpp"
#include "koppla/mechanics/detail/joint_equations.hpp"
#include "koppla/mechanics/detail/kinematics.hpp"
#include "koppla/mechanics/multibody.hpp"

#include "joined.hpp"
#include "simulation.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::mechanics {
namespace {

using detail::JointEquations;
using detail::Level;
using detail::Motion;
using solver::Side;
using Source = Coupling::Source;
using test::Joined;
using test::Part;
using test::Simulation;

struct Start {
  Vector position, angles, velocity, angularVelocity;
};

constexpr Start kFirst{{0.0, 0.0, 0.0}, {0.3, -0.2, 0.4}, {0.3, -0.2, 0.1}, {0.5, -0.4, 0.6}};
constexpr Start kSecond{
    {0.4096459093, 0.1112007269, -0.2196061501}, {-0.1, 0.3, 0.2}, {0.2, 0.1, -0.1}, {-0.3, 0.2, 0.4}};

/// The parameters of another kind for the orientation that Cardan angles give.
std::vector<double> converted(const Vector& cardan, Rotation rotation) {
  const Eigen::Matrix3d T = detail::orientation(Rotation::cardan, cardan);
  if (rotation == Rotation::eulerParameters) {
    const Eigen::Quaterniond q(T);
    return {q.w(), q.x(), q.y(), q.z()};
  }
  if (rotation == Rotation::euler)
    return {std::atan2(T(0, 2), -T(1, 2)), std::acos(T(2, 2)), std::atan2(T(2, 0), T(2, 1))};
  return {cardan.begin(), cardan.end()};
}

std::unique_ptr<Multibody> bodyOnSpring(Rotation rotation, double mass, const Vector& inertia, const Start& start,
                                        const Vector& attachment, const Vector& ground) {
  MultibodySettings system;
  system.rotation = rotation;
  system.gravity = {0.0, 0.0, -9.81};
  system.bodies = {{.name = "body",
                    .mass = mass,
                    .inertia = inertia,
                    .position = start.position,
                    .velocity = start.velocity,
                    .rotation = converted(start.angles, rotation),
                    .angularVelocity = start.angularVelocity}};
  system.markers = {{.name = "hook", .body = "body", .place = {.at = attachment}}};
  system.springs = {{.name = "spring", .first = "hook", .ground = ground, .stiffness = {300.0, 300.0, 300.0}}};
  return std::make_unique<Multibody>(system);
}

std::unique_ptr<Multibody> firstBody(Rotation rotation = Rotation::cardan) {
  return bodyOnSpring(rotation, 1.0, {0.1, 0.15, 0.2}, kFirst, {-0.3, 0.1, 0.0},
                      {-0.3089759191, -0.0051061728, -0.0671402145});
}

std::unique_ptr<Multibody> secondBody(const Start& start, Rotation rotation = Rotation::cardan) {
  return bodyOnSpring(rotation, 2.0, {0.2, 0.3, 0.25}, start, {0.3, 0.05, -0.1},
                      {0.6514920946, 0.2013434911, -0.4090387363});
}

Joint jointOf(JointKind kind, Rotation rotation = Rotation::cardan) {
  Joint joint;
  joint.kind = kind;
  joint.first = {{0.3, 0.1, -0.1}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
  // The revolute joint holds e_x and e_z of the first body at right angles to e_y of the second one.
  if (kind == JointKind::revolute) joint.first = {{0.3, 0.1, -0.1}, {0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}};
  joint.second = {{-0.2, 0.1, 0.2}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  joint.firstRotation = joint.secondRotation = rotation;
  return joint;
}

struct Stiffness {
  double c, d;
};

std::vector<Stiffness> stiffnesses(JointKind kind, bool isDamped) {
  const Stiffness point{2000.0, isDamped ? 20.0 : 0.0};
  const Stiffness axes{50.0, isDamped ? 1.0 : 0.0};
  if (kind == JointKind::atpoint) return {point, point, point};
  if (kind == JointKind::inplane) return {point};
  if (kind == JointKind::perpendicular) return {axes};
  return {point, point, point, axes};
}

Laws lawsOf(const std::vector<Stiffness>& stiffnesses) {
  Laws laws;
  for (const Stiffness& k : stiffnesses) laws.push_back(std::make_shared<subsystem::SpringDamper>(k.c, k.d));
  return laws;
}

Coupling share(const Joint& joint, Side side, Source source, const Laws& laws) {
  return {.name = "joint",
          .joint = joint,
          .side = side,
          .body = "body",
          .source = source,
          .laws = source == Source::law ? laws : Laws{}};
}

/// Multipliers from the side that evaluates the law to the one that does not.
void passLambda(double t, std::span<const double> x1, std::span<const double> x2, Part& first, Part& second) {
  const auto pass = [&](Part& from, std::span<const double> x, Part& to) {
    if (!to.takes("joint.lambda")) return;
    from.read(t, x);
    std::ranges::copy(from.y.of("joint.lambda"), to.u.of("joint.lambda").begin());
  };
  pass(first, x1, second);
  pass(second, x2, first);
}

std::unique_ptr<Joined> flexiblePair(JointKind kind, bool isDamped, Source first, Source second,
                                     Rotation rotation = Rotation::cardan) {
  const Joint joint = jointOf(kind, rotation);
  const Laws laws = lawsOf(stiffnesses(kind, isDamped));
  auto one = firstBody(rotation);
  auto two = secondBody(kSecond, rotation);
  one->couple(share(joint, Side::first, first, laws));
  two->couple(share(joint, Side::second, second, laws));
  return std::make_unique<Joined>(Part(std::move(one), "body"), Part(std::move(two), "body"), passLambda);
}

Motion motionOf(const std::string& side, const Simulation& simulation) {
  Motion motion;
  const auto vector = [&](const char* quantity) { return Eigen::Vector3d(simulation.output(side + quantity).data()); };
  motion.r = vector(".position");
  motion.v = vector(".velocity");
  motion.w = vector(".angular_velocity");
  motion.orient(Rotation::cardan, simulation.output(side + ".rotation"));
  return motion;
}

/// Energy of both bodies and of the springs in the joint: 1/2 c g^2 of every row.
double energyOf(const Simulation& simulation, JointKind kind) {
  const JointEquations equations(jointOf(kind));
  const std::vector<Stiffness> springs = stiffnesses(kind, false);
  std::vector<double> g(equations.rows());
  equations.defect(Level::position, motionOf("first", simulation), motionOf("second", simulation), g);
  double energy = simulation.scalar("energy");
  for (std::size_t k = 0; k < g.size(); ++k) energy += springs[k].c * g[k] * g[k] / 2.0;
  return energy;
}

struct Reference {
  JointKind kind;
  Vector first, angles, second;
  std::optional<double> energy = {};  ///< J, at the start, without dampers
};

const std::array kFlexible{Reference{JointKind::atpoint,
                                     {-0.0063011707, -0.0032333797, -0.0860796031},
                                     {0.3884066344, -0.0039604870, 0.3065768575},
                                     {0.4210422570, 0.1180007718, -0.3345866516},
                                     -3.3581726659},
                           Reference{JointKind::inplane,
                                     {-0.0037651148, 0.0012553222, -0.0709860210},
                                     {0.4328514487, -0.0600767873, 0.3349122127},
                                     {0.4223311926, 0.1186664064, -0.3378070973},
                                     -3.5943213754},
                           Reference{JointKind::perpendicular,
                                     {-0.0046336427, -0.0155609416, -0.0720541091},
                                     {0.4575787732, -0.0397043324, 0.3558798312},
                                     {0.4314212428, 0.0974686095, -0.3360945606},
                                     -3.6661158835},
                           Reference{JointKind::universal,
                                     {0.0000919123, -0.0245840544, -0.0864284288},
                                     {0.4147929955, 0.0077460872, 0.3077138955},
                                     {0.4300302464, 0.1023565254, -0.3305547962}}};

double distance(const std::vector<double>& a, const Vector& b) {
  koppla::test::Largest largest;
  for (std::size_t i = 0; i < 3; ++i) largest.see(std::abs(a.at(i) - b[i]));
  return largest;
}

TEST(TwoBodies, FlexibleJointsLeadToTheReferenceWhoeverEvaluatesTheLaw) {
  for (const Reference& reference : kFlexible)
    for (const auto& [first, second] :
         {std::pair{Source::multipliers, Source::law}, std::pair{Source::law, Source::multipliers},
          std::pair{Source::law, Source::law}}) {
      Simulation simulation(flexiblePair(reference.kind, true, first, second), test::fixedSteps(1e-3));
      simulation.advanceTo(0.2);
      EXPECT_LE(distance(simulation.output("first.position"), reference.first), 1e-8) << word(reference.kind);
      EXPECT_LE(distance(simulation.output("first.rotation"), reference.angles), 1e-8) << word(reference.kind);
      EXPECT_LE(distance(simulation.output("second.position"), reference.second), 1e-8) << word(reference.kind);
    }
}

TEST(TwoBodies, UndampedFlexibleJointsKeepTheEnergy) {
  for (const Reference& reference : kFlexible) {
    Simulation simulation(flexiblePair(reference.kind, false, Source::multipliers, Source::law),
                          test::fixedSteps(2.5e-4));
    const double start = energyOf(simulation, reference.kind);
    if (reference.energy) {
      // Start values are printed to 5e-11 m; the joint pulls with about 50 N.
      EXPECT_NEAR(start, *reference.energy, 5e-9);
    }
    for (int step = 1; step <= 20; ++step) {
      simulation.advanceTo(0.01 * step);
      EXPECT_NEAR(energyOf(simulation, reference.kind), start, 1e-9) << word(reference.kind) << simulation.t();
    }
  }
}

TEST(TwoBodies, MoveAlikeWithAllRotationParameters) {
  koppla::test::Largest largest;
  for (const Rotation rotation : {Rotation::cardan, Rotation::euler, Rotation::eulerParameters})
    for (const Reference& reference : kFlexible) {
      Simulation simulation(flexiblePair(reference.kind, true, Source::law, Source::multipliers, rotation),
                            test::fixedSteps(1e-3));
      simulation.advanceTo(0.2);
      largest.see(distance(simulation.output("first.position"), reference.first),
                  distance(simulation.output("second.position"), reference.second));
    }
  koppla::test::showAtMost(
      {"lu R19", "rotations",
       "end positions of two coupled bodies to 1e-8 with Cardan and Euler angles and Euler parameters"},
      largest, 1e-8);
}

struct RigidCase {
  JointKind kind;
  Start second;
  std::vector<double> lambda;
  Vector firstEnd, secondEnd;
};

const std::array kRigid{RigidCase{JointKind::atpoint,
                                  {{0.4004720046, 0.1290685813, -0.2333841329},
                                   {-0.1055786819, 0.2959103120, 0.1961702105},
                                   {0.1451354368, -0.0114694293, 0.2771602832},
                                   {-0.2434822535, 0.2293565811, 0.4418394559}},
                                  {0.2734276, -0.2935651, 0.4200789},
                                  {-0.0027190700, -0.0024459547, -0.0753710118},
                                  {0.4206172226, 0.1104005816, -0.3071427743}},
                        RigidCase{JointKind::inplane,
                                  {{0.4058277025, 0.1309912853, -0.2204179124},
                                   {-0.1046904761, 0.2992616018, 0.1959363221},
                                   {0.2226209678, -0.0193467420, -0.0944772945},
                                   {-0.2774883803, 0.2, 0.4245579469}},
                                  {-0.3316575},
                                  {-0.0026616094, -0.0007853531, -0.0700146654},
                                  {0.4230532647, 0.1093314716, -0.3370011931}},
                        RigidCase{JointKind::perpendicular,
                                  {{0.4096459093, 0.1112007269, -0.2196061501},
                                   {-0.1531044681, 0.2959904285, 0.3390144481},
                                   {0.2, 0.1, -0.1},
                                   {-0.2870064871, 0.2, 0.3819265782}},
                                  {-0.7315701},
                                  {-0.0049006772, 0.0184672926, -0.0724002218},
                                  {0.4442076690, 0.0763958840, -0.3324937112}},
                        RigidCase{JointKind::revolute,
                                  {{0.3994136686, 0.2233792316, -0.2482580145},
                                   {0.0750392031, 0.3283966185, 0.4150140412},
                                   {0.1034848965, 0.1264744862, 0.2728397101},
                                   {0.0947930878, 0.2296160959, 0.7752511016}},
                                  {-2.6216725, -4.1525293, 2.3055137, -4.7987752, 4.6344313},
                                  {-0.0081692390, -0.0707092733, -0.0336855034},
                                  {0.4507043941, -0.0446374627, -0.3296258533}}};

Motion motionWithAccelerations(Part& part) {
  Motion motion;
  const auto vector = [&](const char* quantity) {
    return Eigen::Vector3d(part.y.of("body" + std::string(quantity)).data());
  };
  motion.r = vector(".position");
  motion.v = vector(".velocity");
  motion.a = vector(".acceleration");
  motion.w = vector(".angular_velocity");
  motion.dw = vector(".angular_acceleration");
  motion.orient(Rotation::cardan, part.y.of("body.rotation"));
  return motion;
}

/// lambda from g'' = 0, which is linear in it.
Joined::Multipliers rigid(const Joint& joint) {
  return [equations = JointEquations(joint)](double t, std::span<const double> x1, std::span<const double> x2,
                                             Part& first, Part& second) {
    const auto rows = static_cast<Eigen::Index>(equations.rows());
    const auto give = [&](const Eigen::VectorXd& lambda) {
      for (Part* const part : {&first, &second}) std::ranges::copy(lambda, part->u.of("joint.lambda").begin());
    };
    const auto acceleration = [&](const Eigen::VectorXd& lambda) {
      give(lambda);
      first.read(t, x1);
      second.read(t, x2);
      Eigen::VectorXd g(rows);
      equations.defect(Level::acceleration, motionWithAccelerations(first), motionWithAccelerations(second),
                       {g.data(), equations.rows()});
      return g;
    };
    const Eigen::VectorXd free = acceleration(Eigen::VectorXd::Zero(rows));
    Eigen::MatrixXd G(rows, rows);
    for (Eigen::Index k = 0; k < rows; ++k) G.col(k) = acceleration(Eigen::VectorXd::Unit(rows, k)) - free;
    give(-core::detail::solve(G, free));
  };
}

TEST(TwoBodies, RigidJointsLeadToTheReference) {
  for (const RigidCase& reference : kRigid) {
    const Joint joint = jointOf(reference.kind);
    auto one = firstBody();
    auto two = secondBody(reference.second);
    one->couple(share(joint, Side::first, Source::multipliers, {}));
    two->couple(share(joint, Side::second, Source::multipliers, {}));
    auto pair = std::make_unique<Joined>(Part(std::move(one), "body"), Part(std::move(two), "body"), rigid(joint));
    std::vector<double> start(pair->stateCount());
    pair->initialStates(start);
    pair->connect(0.0, start);
    for (std::size_t k = 0; k < reference.lambda.size(); ++k) {
      EXPECT_NEAR(pair->first().u.of("joint.lambda")[k], reference.lambda[k], 2e-7) << word(reference.kind) << k;
    }
    Simulation simulation(std::move(pair), test::fixedSteps(1e-3));
    simulation.advanceTo(0.2);
    EXPECT_LE(distance(simulation.output("first.position"), reference.firstEnd), 1e-8) << word(reference.kind);
    EXPECT_LE(distance(simulation.output("second.position"), reference.secondEnd), 1e-8) << word(reference.kind);
  }
}

/// Derivatives of the first body with joint.lambda or joint.mu as given, the other one zero.
struct Rates {
  Eigen::Vector3d velocity, acceleration, angularAcceleration;
  Eigen::VectorXd parameters;
};

Rates ratesOf(Part& part, const std::string& multiplier, const std::vector<double>& values, Rotation rotation) {
  for (const char* name : {"joint.lambda", "joint.mu"}) std::ranges::fill(part.u.of(name), 0.0);
  std::ranges::copy(values, part.u.of(multiplier).begin());
  std::vector<double> x(part.system->stateCount());
  std::vector<double> dx(x.size());
  part.system->initialStates(x);
  part.system->derivatives(0.0, x, part.u.scalars, dx);
  const auto n = static_cast<Eigen::Index>(parameterCount(rotation));
  const Eigen::Map<const Eigen::VectorXd> all(dx.data(), static_cast<Eigen::Index>(dx.size()));
  return {all.segment(0, 3), all.segment(3 + n, 3), all.segment(6 + n, 3), all.segment(3, n)};
}

TEST(TwoBodies, ProjectionTermsAreTheLoadsWithMuAndTurnThroughTheRateMatrix) {
  const Eigen::Vector3d inertia(0.1, 0.15, 0.2);
  koppla::test::Largest largest;
  for (const Rotation rotation : {Rotation::cardan, Rotation::euler, Rotation::eulerParameters})
    for (const JointKind kind :
         {JointKind::atpoint, JointKind::inplane, JointKind::perpendicular, JointKind::revolute}) {
      const Joint joint = jointOf(kind, rotation);
      auto one = firstBody(rotation);
      Coupling coupling = share(joint, Side::first, Source::multipliers, {});
      coupling.projection = true;
      one->couple(coupling);
      EXPECT_FALSE(one->secondOrder());
      Part part(std::move(one), "body");
      if (part.takes("joint.rotation"))
        std::ranges::copy(converted({-0.1, 0.3, 0.2}, rotation), part.u.of("joint.rotation").begin());
      std::vector<double> values;
      for (std::size_t k = 0; k < rows(joint); ++k) values.push_back(0.7 - 0.4 * static_cast<double>(k));
      const Rates none = ratesOf(part, "joint.mu", std::vector<double>(values.size(), 0.0), rotation);
      const Rates loaded = ratesOf(part, "joint.lambda", values, rotation);
      const Rates projected = ratesOf(part, "joint.mu", values, rotation);
      const Eigen::Vector3d force = loaded.acceleration - none.acceleration;  // of 1 kg
      const Eigen::Vector3d moment = inertia.cwiseProduct(loaded.angularAcceleration - none.angularAcceleration);
      const std::vector<double> parameters = converted(kFirst.angles, rotation);
      EXPECT_GT(force.norm() + moment.norm(), 0.1);
      const Eigen::VectorXd turned = detail::rateMatrix(rotation, parameters) * moment;
      largest.see((projected.velocity - none.velocity - force).norm(),
                  (projected.parameters - none.parameters - turned).norm());
      EXPECT_EQ(projected.acceleration, none.acceleration) << "the projection is no load";
      EXPECT_EQ(projected.angularAcceleration, none.angularAcceleration);
      EXPECT_EQ(loaded.velocity, none.velocity);
    }
  koppla::test::showAtMost({"lu R19", "projection", "r' gains V_c and gamma' gains +B Omega_c, to 1e-13"}, largest,
                           1e-13);
}

/// A uniform planar rod at rest, pinned at its start.
std::unique_ptr<Multibody> pinnedRod(double mass, double length, double phi, const Vector& pin) {
  MultibodySettings system;
  system.gravity = {0.0, -9.81, 0.0};
  const Vector start{-length / 2.0, 0.0, 0.0};
  system.bodies = {{.name = "body",
                    .mass = mass,
                    .inertia = {1.0, 1.0, mass * length * length / 12.0},
                    .position = {pin[0] + length / 2.0 * std::cos(phi), pin[1] + length / 2.0 * std::sin(phi), 0.0},
                    .rotation = {phi}}};
  system.joints = {{.name = "pin",
                    .joint = {.kind = JointKind::revolute, .first = {.at = start}, .second = {.at = pin}},
                    .first = "body"}};
  return std::make_unique<Multibody>(system);
}

TEST(TwoBodies, CrankAndLeverWithFlexibleSlotFollowsItsReference) {
  using std::numbers::pi;
  using std::numbers::sqrt2;
  Joint joint;
  joint.kind = JointKind::inplane;
  joint.first.at = {sqrt2 / 2.0, 0.0, 0.0};
  joint.second.axis = {0.0, 1.0, 0.0};
  joint.firstRotation = joint.secondRotation = Rotation::planar;
  const Laws laws = lawsOf({{1e3, 0.0}});
  auto crank = pinnedRod(sqrt2, sqrt2, pi / 4.0, {});
  auto lever = pinnedRod(2.0, 2.0, pi / 2.0, {1.0, 0.0, 0.0});
  crank->couple(share(joint, Side::first, Source::multipliers, laws));
  lever->couple(share(joint, Side::second, Source::law, laws));
  auto pair = std::make_unique<Joined>(Part(std::move(crank), "body"), Part(std::move(lever), "body"), passLambda);
  Simulation simulation(std::move(pair), test::fixedSteps(5e-4));
  struct Row {
    double t, phi1, phi2;
  };
  for (const Row& row :
       {Row{0.25, 0.71678131, 1.51106283}, Row{0.50, 0.54215291, 1.29154361}, Row{1.00, -0.01834039, -0.05398546},
        Row{1.50, -2.21435600, -2.58836329}, Row{2.00, -4.37438975, -3.87216185}}) {
    simulation.advanceTo(row.t);
    EXPECT_NEAR(simulation.scalar("first.rotation"), row.phi1, 1e-7) << row.t;
    EXPECT_NEAR(simulation.scalar("second.rotation"), row.phi2, 1e-7) << row.t;
  }
}

}  // namespace
}  // namespace koppla::mechanics
