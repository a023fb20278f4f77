#include "koppla/mechanics/detail/joint_equations.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "motions.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::mechanics::joint_equations_test {
namespace {

using detail::JointEquations;
using detail::Level;
using detail::Loads;
using detail::Motion;
using detail::Side;
using Eigen::Vector3d;

const Joint kPlanar{.firstRotation = Rotation::planar, .secondRotation = Rotation::planar};

Joint ofKind(JointKind kind, Joint joint = {}) {
  joint.kind = kind;
  return joint;
}

TEST(JointKinds, AreNamedBothWays) {
  for (const JointKind kind : kJointKinds) EXPECT_EQ(jointKindNamed(word(kind)), kind);
  EXPECT_EQ(word(JointKind::inlinePoint), "inline");
  EXPECT_FALSE(jointKindNamed("spherical"));
  for (const Alignment alignment : kAlignments) EXPECT_EQ(alignmentNamed(word(alignment)), alignment);
  EXPECT_FALSE(alignmentNamed("parallel"));
}

/// Three rows per atpoint, one per inplane and perpendicular: the combinations of Lu, sec. 2.2.2.4.
TEST(JointRows, FollowFromTheCombinationsOfBaseElements) {
  const std::vector<std::pair<JointKind, std::size_t>> expected{
      {JointKind::atpoint, 3},     {JointKind::inplane, 1},  {JointKind::perpendicular, 1},
      {JointKind::universal, 4},   {JointKind::revolute, 5}, {JointKind::translational, 5},
      {JointKind::cylindrical, 4}, {JointKind::planar, 3},   {JointKind::inlinePoint, 2},
      {JointKind::orientation, 3}, {JointKind::fixed, 6}};
  for (const auto& [kind, count] : expected) EXPECT_EQ(rows(ofKind(kind)), count) << word(kind);
  for (const auto& [kind, count] : {std::pair{JointKind::orientation, 3U}, std::pair{JointKind::fixed, 6U}})
    EXPECT_EQ(rows(ofKind(kind, {.alignment = Alignment::parameters})), count) << word(kind);
}

/// In the plane a body has three degrees of freedom; a joint takes as many as it has rows.
TEST(JointRows, InThePlaneAreThoseOfPlanarBodies) {
  Joint inPlane = kPlanar;
  inPlane.first.axis = inPlane.second.axis = {1.0, 0.0, 0.0};
  const std::vector<std::pair<JointKind, std::size_t>> expected{
      {JointKind::atpoint, 2},     {JointKind::revolute, 2},      {JointKind::inplane, 1},
      {JointKind::inlinePoint, 1}, {JointKind::perpendicular, 1}, {JointKind::translational, 2},
      {JointKind::orientation, 1}, {JointKind::fixed, 3}};
  for (const auto& [kind, count] : expected) EXPECT_EQ(rows(ofKind(kind, inPlane)), count) << word(kind);
}

/// The jacobian of g with respect to the twelve velocities has full rank for every kind: no row says twice what
/// another one says.
TEST(JointRows, AreIndependentForABodyThatObeysTheJoint) {
  const Motion still;
  for (const JointKind kind : kJointKinds) {
    Joint joint = ofKind(kind);
    // A perpendicular element is singular for parallel axes, which perpendicular and universal forbid anyway.
    if (kind == JointKind::perpendicular || kind == JointKind::universal) joint.first.axis = {1.0, 0.0, 0.0};
    const JointEquations equations(joint);
    const auto count = static_cast<Eigen::Index>(equations.rows());
    EXPECT_LT(test::defect(equations, Level::position, still, still).norm(), 1e-15) << word(kind);
    Eigen::MatrixXd jacobian(count, 12);
    for (Eigen::Index column = 0; column < 12; ++column) {
      Motion first;
      Motion second;
      Motion& moved = column < 6 ? first : second;
      (column % 6 < 3 ? moved.v : moved.w)[column % 3] = 1.0;
      jacobian.col(column) = test::defect(equations, Level::velocity, first, second);
    }
    EXPECT_EQ(Eigen::FullPivLU<Eigen::MatrixXd>(jacobian).rank(), count) << word(kind);
  }
}

/// Lu R14: the derivatives of every joint equation against those of its values along random motions.
TEST(JointDefects, AtVelocityAndAccelerationLevelAreTimeDerivatives) {
  test::Random random(14);
  koppla::test::Largest worst;
  for (int sample = 0; sample < 5; ++sample)
    for (const auto& [name, joint] : test::everyJoint(random)) {
      const JointEquations equations(joint);
      const test::SmoothMotion first(joint.firstRotation, random);
      const test::SmoothMotion second(joint.secondRotation, random);
      const auto g = [&](double t) { return test::defect(equations, Level::position, first.at(t), second.at(t)); };
      const double t = 0.3;
      const Motion i = first.at(t);
      const Motion j = second.at(t);
      const double velocity = (test::defect(equations, Level::velocity, i, j) - test::derivative(g, t)).norm();
      const double acceleration =
          (test::defect(equations, Level::acceleration, i, j) - test::secondDerivative(g, t)).norm();
      EXPECT_LT(velocity, 1e-6) << name;
      EXPECT_LT(acceleration, 1e-6) << name;
      worst.see(velocity, acceleration);
    }
  koppla::test::showAtMost({"lu R14", "differences", "g' and g'' of all kinds against differences of g to 1e-6"}, worst,
                           1e-6);
}

/// Lu (128) to (160): what the loads do to both bodies is lambda g', whether the joint is obeyed or not. So they do no
/// work where it is.
TEST(JointLoads, HaveThePowerOfTheMultipliersOnTheRatesOfTheDefects) {
  test::Random random(13);
  koppla::test::Largest worst;
  for (int sample = 0; sample < 100; ++sample)
    for (const auto& [name, joint] : test::everyJoint(random)) {
      const JointEquations equations(joint);
      const Motion first = test::anyMotion(joint.firstRotation, random);
      const Motion second = test::anyMotion(joint.secondRotation, random);
      const std::vector<double> lambda = test::randomMultipliers(equations.rows(), random);
      const Loads onFirst = equations.loads(Side::first, lambda, first, second);
      const Loads onSecond = equations.loads(Side::second, lambda, second, first);
      const double power = onFirst.force.dot(first.v) + onFirst.moment.dot(first.w) + onSecond.force.dot(second.v) +
                           onSecond.moment.dot(second.w);
      const Eigen::VectorXd rates = test::defect(equations, Level::velocity, first, second);
      const auto multipliers = Eigen::VectorXd::Map(lambda.data(), rates.size());
      const double size = onFirst.force.norm() * first.v.norm() + onFirst.moment.norm() * first.w.norm() +
                          onSecond.force.norm() * second.v.norm() + onSecond.moment.norm() * second.w.norm();
      const double deviation = std::abs(power - multipliers.dot(rates)) / size;
      EXPECT_LT(deviation, 1e-14) << name;
      worst.see(deviation);
    }
  koppla::test::showAtMost(
      {"lu R13", "power", "power of the loads = lambda . g' for any motion, all kinds, to 1e-14 of its terms"}, worst,
      1e-14);
}

/// In the plane loads stay in the plane: forces in x and y, moments about z.
TEST(JointLoads, OfPlanarBodiesStayInThePlane) {
  test::Random random(15);
  for (const auto& [name, joint] : test::everyJoint(random)) {
    if (joint.firstRotation != Rotation::planar) continue;
    const JointEquations equations(joint);
    const Motion own = test::anyMotion(Rotation::planar, random);
    const Motion other = test::anyMotion(Rotation::planar, random);
    const std::vector<double> lambda = test::randomMultipliers(equations.rows(), random);
    for (const Side side : {Side::first, Side::second}) {
      const Loads loads = equations.loads(side, lambda, own, other);
      EXPECT_EQ(loads.force.z(), 0.0) << name;
      EXPECT_EQ(loads.moment.head<2>().norm(), 0.0) << name;
    }
  }
}

/// Lu, sec. 8.7 of the benchmarks: first = rod 2, g = (p_2 - p_3, gamma_3 - gamma_2), M_2 = r x T^T lambda_F - B^T
/// lambda_M.
TEST(FixedByParameters, HasTheSignsOfTheSpatialFourBar) {
  Joint joint = ofKind(JointKind::fixed, {.alignment = Alignment::parameters});
  joint.first.at = {0.0, 0.0, -0.5};
  joint.second.at = {0.0, 0.0, 0.5};
  test::Random random(7);
  const Motion rod2 = test::anyMotion(Rotation::cardan, random);
  const Motion rod3 = test::anyMotion(Rotation::cardan, random);
  const JointEquations equations(joint);
  const Eigen::VectorXd g = test::defect(equations, Level::position, rod2, rod3);
  const double alpha2 = rod2.parameters[0];
  const double alpha3 = rod3.parameters[0];
  const double beta2 = rod2.parameters[1];
  const double beta3 = rod3.parameters[1];
  EXPECT_NEAR(g[0], rod2.r.x() - 0.5 * std::sin(beta2) - rod3.r.x() - 0.5 * std::sin(beta3), 1e-14);
  EXPECT_NEAR(
      g[1],
      rod2.r.y() + 0.5 * std::sin(alpha2) * std::cos(beta2) - rod3.r.y() + 0.5 * std::sin(alpha3) * std::cos(beta3),
      1e-14);
  EXPECT_NEAR(
      g[2],
      rod2.r.z() - 0.5 * std::cos(alpha2) * std::cos(beta2) - rod3.r.z() - 0.5 * std::cos(alpha3) * std::cos(beta3),
      1e-14);
  for (Eigen::Index k = 0; k < 3; ++k) EXPECT_EQ(g[3 + k], rod3.parameters[k] - rod2.parameters[k]);

  const std::array lambda{0.0, 0.0, 0.0, 0.4, -0.3, 0.9};
  const Vector3d couple(lambda[3], lambda[4], lambda[5]);
  const auto b = [](const Motion& rod) { return detail::rateMatrix(Rotation::cardan, {rod.parameters.data(), 3}); };
  EXPECT_LT((equations.loads(Side::first, lambda, rod2, rod3).moment + b(rod2).transpose() * couple).norm(), 1e-15);
  EXPECT_LT((equations.loads(Side::second, lambda, rod3, rod2).moment - b(rod3).transpose() * couple).norm(), 1e-15);
}

/// A slider in the plane: its axis stays parallel to the guide's, whatever angles they have in their bodies.
TEST(PlanarTranslational, HoldsTheAxesParallel) {
  Joint joint = ofKind(JointKind::translational, kPlanar);
  joint.first.axis = {0.0, 2.0, 0.0};
  joint.second.axis = {1.0, 0.0, 0.0};
  const JointEquations equations(joint);
  Motion slider;
  slider.orient(Rotation::planar, std::array{-0.25 * std::numbers::pi});
  Motion guide;
  guide.orient(Rotation::planar, std::array{0.25 * std::numbers::pi});
  slider.r = guide.T * Vector3d(0.7, 0.0, 0.0);
  EXPECT_LT(test::defect(equations, Level::position, slider, guide).norm(), 1e-15);
  slider.r = guide.T * Vector3d(0.7, 0.1, 0.0);
  slider.orient(Rotation::planar, std::array{-0.25 * std::numbers::pi + 0.2});
  const Eigen::VectorXd g = test::defect(equations, Level::position, slider, guide);
  EXPECT_NEAR(g[0], 0.1, 1e-15);
  EXPECT_NEAR(g[1], -0.2, 1e-15);
}

TEST(Places, CountOnlyWithTheirDirections) {
  Joint joint = ofKind(JointKind::revolute);
  Joint longer = joint;
  longer.first.axis = {0.0, 0.0, 3.0};
  longer.first.cross = {5.0, 0.0, 7.0};  // its part across the axis is along x
  longer.second.axis = {0.0, 0.0, 0.01};
  test::Random random(8);
  const Motion first = test::anyMotion(Rotation::cardan, random);
  const Motion second = test::anyMotion(Rotation::cardan, random);
  EXPECT_LT((test::defect(JointEquations(joint), Level::position, first, second) -
             test::defect(JointEquations(longer), Level::position, first, second))
                .norm(),
            1e-15);
}

/// The message says what is wrong with which value, the remedy what to do.
void expectRefused(const Joint& joint, const std::string& message, const std::string& remedy) {
  try {
    rows(joint);
    FAIL() << "was not refused: " << message;
  } catch (const core::InputError& error) {
    EXPECT_NE(error.problems()[0].message.find(message), std::string::npos) << error.what();
    EXPECT_NE(error.problems()[0].remedy.find(remedy), std::string::npos) << error.what();
  }
}

TEST(Places, WithoutDirectionsAreRefused) {
  Joint joint = ofKind(JointKind::revolute);
  joint.first.cross = {0.0, 0.0, -2.0};
  expectRefused(joint, "(0, 0, -2) of a joint is parallel to its axis (0, 0, 1)", "away from the axis");
  joint = ofKind(JointKind::inplane);
  joint.second.axis = {0.0, 0.0, 0.0};
  expectRefused(joint, "has no direction", "not 0");
  joint.second.axis = {0.0, std::nan(""), 0.0};
  expectRefused(joint, "has no direction", "finite");
  joint = ofKind(JointKind::atpoint);
  joint.first.at = {0.0, std::numeric_limits<double>::infinity(), 0.0};
  expectRefused(joint, "cannot stand at (0, inf, 0)", "finite");
}

TEST(Places, AreNotJudgedByDirectionsThatTheKindDoesNotUse) {
  Joint joint = ofKind(JointKind::inplane);
  joint.second.axis = {1.0, 0.0, 0.0};  // parallel to the default cross
  joint.first.axis = {0.0, 0.0, 0.0};
  EXPECT_EQ(rows(joint), 1U);
}

TEST(PlanarJoints, RefuseWhatIsNotInThePlane) {
  for (const JointKind kind : {JointKind::universal, JointKind::cylindrical, JointKind::planar})
    expectRefused(ofKind(kind, kPlanar), "has no meaning between planar bodies", "Use atpoint");
  expectRefused(ofKind(JointKind::inplane, kPlanar), "axis (0, 0, 1)", "z = 0");
  Joint joint = ofKind(JointKind::atpoint, kPlanar);
  joint.first.at = {0.0, 0.0, 0.1};
  expectRefused(joint, "point (0, 0, 0.1)", "z = 0");
  joint = ofKind(JointKind::atpoint);
  joint.firstRotation = Rotation::planar;
  expectRefused(joint, "planar body to a body in space", "both");
}

TEST(AlignmentByParameters, NeedsTheSameThreeAngles) {
  Joint joint = ofKind(JointKind::fixed, {.alignment = Alignment::parameters});
  joint.secondRotation = Rotation::euler;
  expectRefused(joint, "cardan and euler", "same angles");
  joint.firstRotation = joint.secondRotation = Rotation::eulerParameters;
  expectRefused(joint, "Euler parameters", "'perpendicular'");
  expectRefused(ofKind(JointKind::revolute, {.alignment = Alignment::parameters}), "'revolute'", "'fixed'");
}

}  // namespace
}  // namespace koppla::mechanics::joint_equations_test
