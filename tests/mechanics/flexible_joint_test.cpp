#include <functional>
#include <memory>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "koppla/mechanics/detail/joint_equations.hpp"

#include "motions.hpp"

namespace koppla::mechanics {
namespace {

using detail::JointEquations;
using detail::Loads;
using detail::Motion;
using detail::Side;
using Eigen::Vector3d;

constexpr double kStiffness = 7.0;

Laws same(std::size_t count, const std::shared_ptr<const subsystem::ForceLaw>& law) {
  return Laws(count, law);
}

struct Pair {
  Loads first;
  Loads second;
};

Pair loadsOf(const JointEquations& equations, const Laws& laws, const Motion& first, const Motion& second) {
  std::vector<double> lambda(equations.rows());
  equations.evaluate(laws, first, second, lambda);
  return {equations.loads(Side::first, lambda, first, second), equations.loads(Side::second, lambda, second, first)};
}

double power(const Pair& loads, const Motion& first, const Motion& second) {
  return loads.first.force.dot(first.v) + loads.first.moment.dot(first.w) + loads.second.force.dot(second.v) +
         loads.second.moment.dot(second.w);
}

Vector3d vector(const Vector& v) {
  return Vector3d::Map(v.data());
}

Vector3d pointOf(const Place& place, const Motion& body) {
  return body.r + body.T * vector(place.at);
}
Vector3d axisOf(const Place& place, const Motion& body) {
  return body.T * vector(place.axis).normalized();
}

/// Stored energy as a function of where the bodies are (J), from points and axes only.
using Potential = std::function<double(const Joint&, const Motion&, const Motion&)>;

/// Without damping the power of the loads is what the spring gives off.
void expectGivesOff(const Joint& joint, const Potential& potential) {
  test::Random random(42);
  for (int sample = 0; sample < 20; ++sample) {
    Joint placed = joint;
    const bool inPlane = joint.firstRotation == Rotation::planar;
    placed.first = test::randomPlace(random, inPlane);
    placed.second = test::randomPlace(random, inPlane);
    const JointEquations equations(placed);
    const test::SmoothMotion first(joint.firstRotation, random);
    const test::SmoothMotion second(joint.secondRotation, random);
    const auto stored = [&](double t) {
      return Eigen::Matrix<double, 1, 1>(potential(placed, first.at(t), second.at(t)));
    };
    const double t = 0.7;
    const Motion i = first.at(t);
    const Motion j = second.at(t);
    const Laws laws = same(equations.rows(), std::make_shared<subsystem::SpringDamper>(kStiffness, 0.0));
    EXPECT_NEAR(power(loadsOf(equations, laws, i, j), i, j), -test::derivative(stored, t, 1e-3)[0], 1e-8)
        << word(joint.kind) << " of " << word(joint.firstRotation);
  }
}

Joint joint(JointKind kind, Rotation first, Rotation second, bool scaled = false) {
  return {.kind = kind, .firstRotation = first, .secondRotation = second, .scaled = scaled};
}

constexpr std::array<std::pair<Rotation, Rotation>, 3> kPairs{{{Rotation::cardan, Rotation::euler},
                                                               {Rotation::eulerParameters, Rotation::cardan},
                                                               {Rotation::planar, Rotation::planar}}};

TEST(FlexibleAtpoint, GivesOffTheEnergyOfItsLength) {
  for (const auto& [first, second] : kPairs)
    expectGivesOff(joint(JointKind::atpoint, first, second), [](const Joint& at, const Motion& i, const Motion& j) {
      return 0.5 * kStiffness * (pointOf(at.first, i) - pointOf(at.second, j)).squaredNorm();
    });
}

TEST(FlexibleInplane, GivesOffTheEnergyOfItsDistance) {
  for (const auto& [first, second] : kPairs)
    expectGivesOff(joint(JointKind::inplane, first, second), [](const Joint& at, const Motion& i, const Motion& j) {
      const double delta = (pointOf(at.first, i) - pointOf(at.second, j)).dot(axisOf(at.second, j));
      return 0.5 * kStiffness * delta * delta;
    });
}

TEST(FlexiblePerpendicular, GivesOffTheEnergyOfTheCosine) {
  for (const auto& [first, second] : kPairs)
    expectGivesOff(joint(JointKind::perpendicular, first, second),
                   [](const Joint& at, const Motion& i, const Motion& j) {
                     const double cosine = axisOf(at.first, i).dot(axisOf(at.second, j));
                     return 0.5 * kStiffness * cosine * cosine;
                   });
}

TEST(ScaledPerpendicular, GivesOffTheEnergyOfTheSine) {
  for (const auto& [first, second] : kPairs)
    expectGivesOff(joint(JointKind::perpendicular, first, second, true),
                   [](const Joint& at, const Motion& i, const Motion& j) {
                     return -kStiffness * axisOf(at.first, i).cross(axisOf(at.second, j)).norm();
                   });
}

TEST(FlexibleOrientation, ByParametersGivesOffTheEnergyOfTheAngles) {
  for (const Rotation rotation : {Rotation::cardan, Rotation::euler, Rotation::planar}) {
    Joint aligned = joint(JointKind::orientation, rotation, rotation);
    if (rotation != Rotation::planar) aligned.alignment = Alignment::parameters;
    expectGivesOff(aligned, [](const Joint& /*at*/, const Motion& i, const Motion& j) {
      return 0.5 * kStiffness * (i.parameters - j.parameters).squaredNorm();
    });
  }
}

/// The magnitude of a scaled moment is lambda, on both bodies.
TEST(ScaledPerpendicular, HasMomentsOfTheMagnitudeOfItsMultiplier) {
  test::Random random(3);
  Joint scaled = joint(JointKind::perpendicular, Rotation::cardan, Rotation::cardan, true);
  scaled.first = test::randomPlace(random, false);
  const JointEquations equations(scaled);
  const Motion i = test::anyMotion(Rotation::cardan, random);
  const Motion j = test::anyMotion(Rotation::cardan, random);
  const std::array lambda{-2.5};
  EXPECT_NEAR(equations.loads(Side::first, lambda, i, j).moment.norm(), 2.5, 1e-14);
  EXPECT_NEAR(equations.loads(Side::second, lambda, j, i).moment.norm(), 2.5, 1e-14);
}

TEST(ScaledPerpendicular, HasNoMomentBetweenParallelAxes) {
  const JointEquations equations(joint(JointKind::perpendicular, Rotation::cardan, Rotation::cardan, true));
  const Motion still;
  EXPECT_EQ(equations.loads(Side::first, std::array{1.0}, still, still).moment, Vector3d::Zero());
}

/// Damping takes energy whatever the motion is.
TEST(FlexibleJoints, LosePowerToTheirDampers) {
  test::Random random(4);
  for (const auto& [name, each] : test::everyJoint(random)) {
    const JointEquations equations(each);
    const Laws laws = same(equations.rows(), std::make_shared<subsystem::SpringDamper>(0.0, 2.0));
    const Motion i = test::anyMotion(each.firstRotation, random);
    const Motion j = test::anyMotion(each.secondRotation, random);
    const double expected = -2.0 * test::defect(equations, detail::Level::velocity, i, j).squaredNorm();
    EXPECT_NEAR(power(loadsOf(equations, laws, i, j), i, j), expected, 1e-12 * (1.0 - expected)) << name;
  }
}

/// A hardening spring.
class Cubic final : public subsystem::ForceLaw {
 public:
  [[nodiscard]] double force(double distance, double /*rate*/) const override {
    return kStiffness * distance * distance * distance;
  }
};

TEST(FlexibleAtpoint, TakesALawOfItsOwnPerRow) {
  const JointEquations equations(joint(JointKind::atpoint, Rotation::cardan, Rotation::cardan));
  const Laws laws{std::make_shared<Cubic>(), std::make_shared<subsystem::SpringDamper>(3.0, 0.5),
                  std::make_shared<subsystem::SpringDamper>(0.0, 0.0)};
  Motion first;
  first.r = {0.5, 0.2, 9.0};
  first.v = {0.0, 0.4, 9.0};
  const Pair loads = loadsOf(equations, laws, first, Motion{});
  // The first body is displaced in the positive direction, so it is pulled back.
  const Vector3d expected(-kStiffness * 0.125, -(3.0 * 0.2 + 0.5 * 0.4), 0.0);
  EXPECT_LT((loads.first.force - expected).norm(), 1e-15);
  EXPECT_LT((loads.second.force + expected).norm(), 1e-15);
}

}  // namespace
}  // namespace koppla::mechanics
