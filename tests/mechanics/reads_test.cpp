#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "koppla/mechanics/detail/joint_equations.hpp"

#include "motions.hpp"
#include "support/figure.hpp"

namespace koppla::mechanics::reads_test {
namespace {

using detail::JointEquations;
using detail::Loads;
using detail::Motion;
using detail::Side;
using Reads = JointEquations::Reads;

/// The motion with NaN wherever nothing may be read.
Motion onlyWhatIsRead(Motion motion, const Reads& reads) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  motion.a.setConstant(kNan);
  motion.dw.setConstant(kNan);
  if (!reads.position) motion.r.setConstant(kNan);
  if (!reads.velocity) motion.v.setConstant(kNan);
  if (!reads.angularVelocity) motion.w.setConstant(kNan);
  if (!reads.rotation) {
    motion.parameters.setConstant(kNan);
    motion.T.setConstant(kNan);
  }
  return motion;
}

Laws springs(std::size_t count) {
  Laws laws;
  for (std::size_t k = 0; k < count; ++k)
    laws.push_back(std::make_shared<subsystem::SpringDamper>(2.0 + static_cast<double>(k), 0.3));
  return laws;
}

TEST(Reads, AreAllThatLoadsAndLawsUseOfTheOtherBody) {
  test::Random random(12);
  for (const auto& [name, joint] : test::everyJoint(random)) {
    const JointEquations equations(joint);
    const Laws laws = springs(equations.rows());
    for (const Side side : {Side::first, Side::second})
      for (const bool evaluatesLaw : {false, true}) {
        const bool isFirst = side == Side::first;
        const Motion own = test::anyMotion(isFirst ? joint.firstRotation : joint.secondRotation, random);
        const Motion other = test::anyMotion(isFirst ? joint.secondRotation : joint.firstRotation, random);
        std::vector<double> lambda = test::randomMultipliers(equations.rows(), random);
        const auto loads = [&](const Motion& seen) {
          if (evaluatesLaw) equations.evaluate(laws, isFirst ? own : seen, isFirst ? seen : own, lambda);
          return equations.loads(side, lambda, own, seen);
        };
        const Loads expected = loads(other);
        const Loads obtained = loads(onlyWhatIsRead(other, equations.reads(side, evaluatesLaw)));
        EXPECT_EQ(obtained.force, expected.force) << name;
        EXPECT_EQ(obtained.moment, expected.moment) << name;
      }
  }
}

/// How many coupling variables a decomposition has: each subsystem takes multipliers unless it evaluates the law
/// itself, and what it reads of the other body.
struct Counts {
  std::size_t first;
  std::size_t second;
  std::size_t conditions;
  bool operator==(const Counts&) const = default;
};

Counts count(const Joint& joint, bool firstEvaluates, bool secondEvaluates, std::size_t multipliersPerRow = 1) {
  const JointEquations equations(joint);
  const std::size_t multipliers = multipliersPerRow * equations.rows();
  const std::size_t ofSecond = scalars(equations.reads(Side::first, firstEvaluates), joint.secondRotation);
  const std::size_t ofFirst = scalars(equations.reads(Side::second, secondEvaluates), joint.firstRotation);
  return {(firstEvaluates ? 0 : multipliers) + ofSecond, (secondEvaluates ? 0 : multipliers) + ofFirst,
          (firstEvaluates && secondEvaluates ? 0 : multipliers) + ofSecond + ofFirst};
}

Joint ofKind(JointKind kind, Rotation rotation = Rotation::cardan) {
  Joint joint{.kind = kind, .firstRotation = rotation, .secondRotation = rotation};
  if (rotation == Rotation::planar) joint.first.axis = joint.second.axis = {1.0, 0.0, 0.0};
  return joint;
}

/// Lu (66) to (74): force/force, force/displacement, displacement/displacement.
TEST(Counts, OfFlexibleJointsAreThoseOfTheirDecompositions) {
  EXPECT_EQ(count(ofKind(JointKind::atpoint), false, false), (Counts{3, 3, 3}));
  EXPECT_EQ(count(ofKind(JointKind::atpoint), false, true), (Counts{3, 12, 15}));
  EXPECT_EQ(count(ofKind(JointKind::atpoint), true, true), (Counts{12, 12, 24}));
  EXPECT_EQ(count(ofKind(JointKind::inplane), false, false), (Counts{4, 7, 10}));
  EXPECT_EQ(count(ofKind(JointKind::inplane), false, true), (Counts{4, 12, 16}));
  EXPECT_EQ(count(ofKind(JointKind::inplane), true, true), (Counts{12, 12, 24}));
  EXPECT_EQ(count(ofKind(JointKind::perpendicular), false, false), (Counts{4, 4, 7}));
  EXPECT_EQ(count(ofKind(JointKind::perpendicular), false, true), (Counts{4, 6, 10}));
  EXPECT_EQ(count(ofKind(JointKind::perpendicular), true, true), (Counts{6, 6, 12}));
  // atpoint and perpendicular share what they read.
  EXPECT_EQ(count(ofKind(JointKind::universal), false, true), (Counts{7, 12, 19}));
}

/// Lu, sec. 3.2.2: one multiplier per row, two with the projection of velocities.
TEST(Counts, OfRigidJointsAreThoseOfTheMethods) {
  std::vector<std::string> each;
  for (const std::size_t multipliersPerRow : {1U, 2U})
    for (const JointKind kind :
         {JointKind::atpoint, JointKind::inplane, JointKind::perpendicular, JointKind::universal}) {
      const Counts counts = count(ofKind(kind), false, false, multipliersPerRow);
      each.push_back(fmt::format("{}/{}/{}", counts.first, counts.second, counts.conditions));
    }
  const std::string obtained = fmt::format("{}", fmt::join(each, " "));
  koppla::test::showFigure(
      {"lu R13", "counts",
       "inputs of both sides and conditions of atpoint, inplane, perpendicular, atpoint + perpendicular; the same with "
       "mu: 3/3/3 4/7/10 4/4/7 7/7/10 6/6/6 5/8/11 5/5/8 11/11/14"},
      obtained, obtained == "3/3/3 4/7/10 4/4/7 7/7/10 6/6/6 5/8/11 5/5/8 11/11/14");
}

TEST(Counts, OfOtherRigidJointsFollow) {
  EXPECT_EQ(count(ofKind(JointKind::revolute), false, false).conditions, 11U);
  EXPECT_EQ(count(ofKind(JointKind::revolute), false, false, 2).conditions, 16U);
  // Lu, App. C.
  EXPECT_EQ(count(ofKind(JointKind::inplane, Rotation::eulerParameters), false, false, 2).conditions, 13U);
  EXPECT_EQ(count(ofKind(JointKind::perpendicular, Rotation::eulerParameters), false, false, 2).conditions, 10U);
  // Nothing is read of the other body where the rotation parameters are held equal.
  Joint fixed = ofKind(JointKind::fixed);
  fixed.alignment = Alignment::parameters;
  EXPECT_EQ(count(fixed, false, false), (Counts{6, 6, 6}));
}

/// The crank and slotted lever: u = (lambda, phi_2, x_S1, y_S1, phi_1).
TEST(Counts, InThePlaneAreThoseOfTheSlottedLever) {
  EXPECT_EQ(count(ofKind(JointKind::inplane, Rotation::planar), false, false), (Counts{2, 4, 5}));
  EXPECT_EQ(count(ofKind(JointKind::atpoint, Rotation::planar), true, true), (Counts{6, 6, 12}));
}

}  // namespace
}  // namespace koppla::mechanics::reads_test
