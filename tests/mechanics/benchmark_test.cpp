#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "support/figure.hpp"
#include "whole_system.hpp"

/// Reference solutions of benchmarks for the methods of Lu, computed elsewhere from the equations of motion.
namespace koppla::mechanics {
namespace {

using Eigen::Vector3d;
using test::Body;
using test::Hold;
using test::WholeSystem;

Laws springs(const std::vector<std::pair<double, double>>& coefficients) {
  Laws laws;
  for (const auto& [stiffness, damping] : coefficients)
    laws.push_back(std::make_shared<subsystem::SpringDamper>(stiffness, damping));
  return laws;
}

Body rod(double mass, double length, const Vector3d& pin, double angle) {
  Body body;
  body.mass = mass;
  body.inertia = Vector3d::Constant(mass * length * length / 12.0);
  body.start.orient(Rotation::planar, std::array{angle});
  body.start.r = pin + body.start.T * Vector3d(0.5 * length, 0.0, 0.0);
  return body;
}

Joint inThePlane(JointKind kind, const Vector& first, const Vector& second) {
  Joint joint{.kind = kind, .firstRotation = Rotation::planar, .secondRotation = Rotation::planar};
  joint.first.at = first;
  joint.second.at = second;
  return joint;
}

const double kCrank = std::numbers::sqrt2;  // m, its length
constexpr double kLever = 2.0;              // m

/// The tip of the crank, pinned at (0, 0), slides along the lever, pinned at (1, 0).
WholeSystem slottedLever(Laws laws) {
  Joint slide = inThePlane(JointKind::inplane, {0.5 * kCrank, 0.0, 0.0}, {-0.5 * kLever, 0.0, 0.0});
  slide.second.axis = {0.0, 1.0, 0.0};
  return {{rod(std::numbers::sqrt2, kCrank, Vector3d::Zero(), 0.25 * std::numbers::pi),
           rod(2.0, kLever, Vector3d(1.0, 0.0, 0.0), 0.5 * std::numbers::pi)},
          {Hold{slide, 0, 1, std::move(laws)},
           Hold{inThePlane(JointKind::revolute, {-0.5 * kCrank, 0.0, 0.0}, {0.0, 0.0, 0.0}), 0, std::nullopt, {}},
           Hold{inThePlane(JointKind::revolute, {-0.5 * kLever, 0.0, 0.0}, {1.0, 0.0, 0.0}), 1, std::nullopt, {}}},
          {},
          Vector3d(0.0, -9.81, 0.0)};
}

struct LeverPoint {
  double time;
  double crank;
  double lever;
  double lambda;
};

void expectOnTheWay(WholeSystem& system, const std::vector<LeverPoint>& points, const std::string& what) {
  double time = 0.0;
  for (const LeverPoint& point : points) {
    system.advance(point.time - time, static_cast<int>(std::lround((point.time - time) / 2e-4)));
    time = point.time;
    EXPECT_NEAR(system.body(0).parameters[0], point.crank, 1e-8) << what << " at " << time;
    EXPECT_NEAR(system.body(1).parameters[0], point.lever, 1e-8) << what << " at " << time;
    EXPECT_NEAR(system.multipliers(0)[0], point.lambda, 6e-6) << what << " at " << time;
  }
}

TEST(SlottedLever, WithARigidInplaneJointFollowsTheReferenceAndKeepsItsEnergy) {
  WholeSystem system = slottedLever({});
  EXPECT_NEAR(system.multipliers(0)[0], 5.12482003, 1e-8);
  EXPECT_NEAR(system.energy(), 26.556718, 1e-6);
  const double before = system.energy();
  expectOnTheWay(system,
                 {{0.25, 0.72491989, 1.50837219, 5.47350},
                  {0.50, 0.54374337, 1.29096229, 6.74648},
                  {1.00, -0.01648671, -0.05625333, 5.07917},
                  {1.50, -2.22138804, -2.59666694, 0.07543},
                  {2.00, -4.37561405, -3.87972238, 2.31745}},
                 "rigid");
  koppla::test::showAtMost({"lu R13", "energy", "energy of the slotted lever constant to 1e-6 J over 2 s"},
                           std::abs(system.energy() - before), 1e-6);
}

TEST(SlottedLever, WithAFlexibleInplaneJointFollowsTheReference) {
  WholeSystem system = slottedLever(springs({{1e3, 0.0}}));
  expectOnTheWay(system,
                 {{0.25, 0.71678131, 1.51106283, 10.62729},
                  {0.50, 0.54215291, 1.29154361, 2.09043},
                  {1.00, -0.01834039, -0.05398546, 3.56017},
                  {1.50, -2.21435600, -2.58836329, 8.75662},
                  {2.00, -4.37438975, -3.87216185, 13.47976}},
                 "flexible");
}

/// Two bodies in space, each hung on a spring.
struct Start {
  std::array<double, 3> position;
  std::array<double, 3> angles;
  std::array<double, 3> velocity;
  std::array<double, 3> angularVelocity;
};

Body bodyInSpace(const Start& start, double mass, const Vector3d& inertia) {
  Body body;
  body.mass = mass;
  body.inertia = inertia;
  body.start.orient(Rotation::cardan, start.angles);
  body.start.r = Vector3d::Map(start.position.data());
  body.start.v = Vector3d::Map(start.velocity.data());
  body.start.w = Vector3d::Map(start.angularVelocity.data());
  return body;
}

WholeSystem twoBodies(const Start& second, std::vector<Hold> holds) {
  const Start first{{}, {0.3, -0.2, 0.4}, {0.3, -0.2, 0.1}, {0.5, -0.4, 0.6}};
  return {{bodyInSpace(first, 1.0, {0.1, 0.15, 0.2}), bodyInSpace(second, 2.0, {0.2, 0.3, 0.25})},
          std::move(holds),
          {{0, {-0.3, 0.1, 0.0}, {-0.3089759191, -0.0051061728, -0.0671402145}, 300.0},
           {1, {0.3, 0.05, -0.1}, {0.6514920946, 0.2013434911, -0.4090387363}, 300.0}},
          Vector3d(0.0, 0.0, -9.81)};
}

Joint between(JointKind kind) {
  Joint joint{.kind = kind};
  joint.first = {.at = {0.3, 0.1, -0.1}, .axis = {1.0, 0.0, 0.0}, .cross = {0.0, 1.0, 0.0}};
  joint.second = {.at = {-0.2, 0.1, 0.2}, .axis = {0.0, 1.0, 0.0}, .cross = {1.0, 0.0, 0.0}};
  return joint;
}

/// The revolute joint of the benchmark has its perpendicular elements along x and z of the first body.
Joint revolute() {
  Joint joint = between(JointKind::revolute);
  joint.first.cross = {1.0, 0.0, 0.0};
  joint.first.axis = {0.0, 1.0, 0.0};  // axis x cross = -z
  return joint;
}

void expectNear(const Vector3d& obtained, const Vector3d& expected, double within, const std::string& what) {
  EXPECT_LT((obtained - expected).cwiseAbs().maxCoeff(), within) << what << ": " << obtained.transpose();
}

const Start kFlexibleStart{
    {0.4096459093, 0.1112007269, -0.2196061501}, {-0.1, 0.3, 0.2}, {0.2, 0.1, -0.1}, {-0.3, 0.2, 0.4}};

struct FlexibleCase {
  std::string name;
  std::vector<Hold> holds;
  Vector3d firstPosition;
  Vector3d firstAngles;
  Vector3d secondPosition;
};

TEST(TwoBodiesInSpace, WithFlexibleJointsReachTheReference) {
  const Hold point{between(JointKind::atpoint), 0, 1, springs({{2000, 20}, {2000, 20}, {2000, 20}})};
  const Hold plane{between(JointKind::inplane), 0, 1, springs({{2000, 20}})};
  const Hold angle{between(JointKind::perpendicular), 0, 1, springs({{50, 1}})};
  const Hold both{between(JointKind::universal), 0, 1, springs({{2000, 20}, {2000, 20}, {2000, 20}, {50, 1}})};
  const std::vector<FlexibleCase> cases{{"atpoint",
                                         {point},
                                         {-0.0063011707, -0.0032333797, -0.0860796031},
                                         {0.3884066344, -0.0039604870, 0.3065768575},
                                         {0.4210422570, 0.1180007718, -0.3345866516}},
                                        {"inplane",
                                         {plane},
                                         {-0.0037651148, 0.0012553222, -0.0709860210},
                                         {0.4328514487, -0.0600767873, 0.3349122127},
                                         {0.4223311926, 0.1186664064, -0.3378070973}},
                                        {"perpendicular",
                                         {angle},
                                         {-0.0046336427, -0.0155609416, -0.0720541091},
                                         {0.4575787732, -0.0397043324, 0.3558798312},
                                         {0.4314212428, 0.0974686095, -0.3360945606}},
                                        {"atpoint + perpendicular",
                                         {both},
                                         {0.0000919123, -0.0245840544, -0.0864284288},
                                         {0.4147929955, 0.0077460872, 0.3077138955},
                                         {0.4300302464, 0.1023565254, -0.3305547962}}};
  for (const FlexibleCase& each : cases) {
    WholeSystem system = twoBodies(kFlexibleStart, each.holds);
    system.advance(0.2, 2000);
    expectNear(system.body(0).r, each.firstPosition, 1e-8, each.name);
    expectNear(system.body(0).parameters, each.firstAngles, 1e-8, each.name);
    expectNear(system.body(1).r, each.secondPosition, 1e-8, each.name);
  }
}

/// Stored energy: c |p_i - p_j|^2 / 2, c delta^2 / 2, c (e_i . e_j)^2 / 2, and -c |e_i x e_j| where the moments are
/// scaled.
TEST(TwoBodiesInSpace, WithUndampedFlexibleJointsKeepTheirEnergy) {
  struct Case {
    Joint joint;
    Laws laws;
    std::optional<double> start;  // J, of the benchmark
  };
  Joint scaled = between(JointKind::perpendicular);
  scaled.scaled = true;
  const std::vector<Case> cases{
      {between(JointKind::atpoint), springs({{2000, 0}, {2000, 0}, {2000, 0}}), -3.3581726659},
      {between(JointKind::inplane), springs({{2000, 0}}), -3.5943213754},
      {between(JointKind::perpendicular), springs({{50, 0}}), -3.6661158835},
      {scaled, springs({{50, 0}}), std::nullopt}};
  for (const Case& each : cases) {
    const double stiffness = std::dynamic_pointer_cast<const subsystem::SpringDamper>(each.laws[0])->stiffness();
    const detail::JointEquations equations(each.joint);
    const auto energy = [&](const WholeSystem& system) {
      std::vector<double> g(equations.rows());
      equations.defect(detail::Level::position, system.body(0), system.body(1), g);
      double sum = 0.0;
      for (const double value : g) sum += value * value;
      // |e_i x e_j|^2 = 1 - (e_i . e_j)^2
      return system.energy() + (each.joint.scaled ? -stiffness * std::sqrt(1.0 - sum) : 0.5 * stiffness * sum);
    };
    WholeSystem system = twoBodies(kFlexibleStart, {{each.joint, 0, 1, each.laws}});
    const double before = energy(system);
    if (each.start) {
      EXPECT_NEAR(before, *each.start, 1e-8) << word(each.joint.kind);
    }
    system.advance(0.2, 2000);
    EXPECT_NEAR(energy(system), before, 1e-9) << word(each.joint.kind);
  }
}

struct RigidCase {
  std::string name;
  Joint joint;
  Start start;
  std::vector<double> lambda;
  Vector3d firstPosition;
  Vector3d secondPosition;
};

TEST(TwoBodiesInSpace, WithRigidJointsReachTheReference) {
  const std::vector<RigidCase> cases{
      {"atpoint",
       between(JointKind::atpoint),
       {{0.4004720046, 0.1290685813, -0.2333841329},
        {-0.1055786819, 0.2959103120, 0.1961702105},
        {0.1451354368, -0.0114694293, 0.2771602832},
        {-0.2434822535, 0.2293565811, 0.4418394559}},
       {0.2734276, -0.2935651, 0.4200789},
       {-0.0027190700, -0.0024459547, -0.0753710118},
       {0.4206172226, 0.1104005816, -0.3071427743}},
      {"inplane",
       between(JointKind::inplane),
       {{0.4058277025, 0.1309912853, -0.2204179124},
        {-0.1046904761, 0.2992616018, 0.1959363221},
        {0.2226209678, -0.0193467420, -0.0944772945},
        {-0.2774883803, 0.2, 0.4245579469}},
       {-0.3316575},
       {-0.0026616094, -0.0007853531, -0.0700146654},
       {0.4230532647, 0.1093314716, -0.3370011931}},
      {"perpendicular",
       between(JointKind::perpendicular),
       {{0.4096459093, 0.1112007269, -0.2196061501},
        {-0.1531044681, 0.2959904285, 0.3390144481},
        {0.2, 0.1, -0.1},
        {-0.2870064871, 0.2, 0.3819265782}},
       {-0.7315701},
       {-0.0049006772, 0.0184672926, -0.0724002218},
       {0.4442076690, 0.0763958840, -0.3324937112}},
      // The fifth multiplier belongs to z of the first body, the joint's own third direction is -z.
      {"revolute",
       revolute(),
       {{0.3994136686, 0.2233792316, -0.2482580145},
        {0.0750392031, 0.3283966185, 0.4150140412},
        {0.1034848965, 0.1264744862, 0.2728397101},
        {0.0947930878, 0.2296160959, 0.7752511016}},
       {-2.6216725, -4.1525293, 2.3055137, -4.7987752, -4.6344313},
       {-0.0081692390, -0.0707092733, -0.0336855034},
       {0.4507043941, -0.0446374627, -0.3296258533}}};
  for (const RigidCase& each : cases) {
    WholeSystem system = twoBodies(each.start, {{each.joint, 0, 1, {}}});
    const std::vector<double> lambda = system.multipliers(0);
    ASSERT_EQ(lambda.size(), each.lambda.size()) << each.name;
    for (std::size_t k = 0; k < lambda.size(); ++k) EXPECT_NEAR(lambda[k], each.lambda[k], 1e-6) << each.name << k;
    system.advance(0.2, 2000);
    expectNear(system.body(0).r, each.firstPosition, 1e-8, each.name);
    expectNear(system.body(1).r, each.secondPosition, 1e-8, each.name);
  }
}

}  // namespace
}  // namespace koppla::mechanics
