// Two bodies in space with flexible joints (the note on Lu's thesis, section 8.13): references, energy, errors and
// orders of semi-implicit coupling in every decomposition.

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "two_bodies.hpp"

namespace koppla::test::flexible_joints_test {
namespace {

constexpr double kAllowed = 1.5;
constexpr double kCoarse = 4e-3;  // s
constexpr double kFine = 2e-3;    // s

std::filesystem::path project() {
  return mechanism("two-bodies");
}

const results::Table& reference(const FlexibleJoint& joint) {
  static std::map<std::string, results::Table> known;
  const auto [place, isNew] = known.try_emplace(joint.joint);
  if (isNew) place->second = simulate(project(), changesOf(joint) + byWaveforms());
  return place->second;
}

/// Largest error over all 24 states.
double error(const FlexibleJoint& joint, const std::string& decomposition, unsigned degree, double step,
             const Changes& others = {}) {
  const Changes changes = changesOf(joint) + stepsOf(step) + others +
                          Changes{"link.decomposition=" + decomposition, "algorithm.degree=" + std::to_string(degree)};
  return errorOf(simulate(project(), changes), reference(joint), statesOfBoth());
}

TEST(FlexibleJointsInSpace, LeadToTheReferenceValues) {
  test::Largest largest;
  for (const FlexibleJoint& joint : flexibleJoints()) {
    const results::Table& run = reference(joint);
    largest.see(distance(endOf(run, "first.body.position"), joint.firstEnd),
                distance(endOf(run, "first.body.rotation"), joint.firstAngles),
                distance(endOf(run, "second.body.position"), joint.secondEnd));
  }
  showAtMost({"lu R39", "flexible-references", "end values of four flexible joints to 1e-8"}, largest, 1e-8);
}

/// Energy (J) of both bodies and of the joint's springs, row by row.
std::vector<double> energies(const results::Table& run, const FlexibleJoint& joint) {
  std::vector<double> result(run.time.size(), 0.0);
  const auto defects = elements(run, "link.position_defect");
  EXPECT_EQ(defects.size(), joint.stiffness.size());
  for (std::size_t row = 0; row < result.size(); ++row) {
    for (const char* bodies : {"first.energy", "second.energy"}) result[row] += run.find(bodies)->numbers[row];
    for (std::size_t k = 0; k < defects.size(); ++k)
      result[row] += joint.stiffness[k] * std::pow(defects[k]->numbers[row], 2) / 2.0;
  }
  return result;
}

TEST(FlexibleJointsInSpace, KeepTheEnergyWithoutDampers) {
  test::Largest largest;
  for (const FlexibleJoint& joint : flexibleJoints()) {
    const std::vector<double> energy = energies(simulate(project(), changesOf(joint, false) + byWaveforms()), joint);
    if (joint.energy) {
      // Start values are printed to 5e-11 m; the joint pulls with about 50 N.
      EXPECT_NEAR(energy.front(), *joint.energy, 5e-9) << joint.joint;
    }
    for (const double value : energy) largest.see(std::fabs(value - energy.front()));
  }
  showAtMost({"lu R39", "energy", "energy of undamped flexible joints to 1e-9 J"}, largest, 1e-9);
}

/// Errors at the coarse and at the fine step.
struct Errors {
  double coarse, fine;
};

struct Tabulated {
  std::string joint;
  unsigned degree;
  Errors forceForce, forceDisplacement, displacementDisplacement;
};

const std::array kTable{Tabulated{"atpoint", 0, {7.4e-2, 4.0e-2}, {5.0e-1, 2.2e-1}, {1.06, 4.4e-1}},
                        Tabulated{"atpoint", 1, {3.2e-3, 8.0e-4}, {2.9e-3, 7.2e-4}, {4.7e-3, 1.2e-3}},
                        Tabulated{"inplane", 0, {5.5e-2, 3.0e-2}, {1.2e-1, 5.1e-2}, {1.3e-1, 5.6e-2}},
                        Tabulated{"inplane", 1, {2.1e-3, 5.2e-4}, {2.1e-3, 5.3e-4}, {1.9e-3, 4.6e-4}},
                        Tabulated{"perpendicular", 0, {4.4e-2, 2.3e-2}, {4.0e-2, 2.0e-2}, {2.9e-2, 1.5e-2}},
                        Tabulated{"perpendicular", 1, {5.5e-4, 1.4e-4}, {5.6e-4, 1.4e-4}, {3.1e-4, 7.7e-5}},
                        Tabulated{"universal", 0, {7.5e-2, 4.1e-2}, {4.0e-1, 1.8e-1}, {8.7e-1, 3.7e-1}},
                        Tabulated{"universal", 1, {3.5e-3, 8.8e-4}, {3.2e-3, 8.0e-4}, {4.2e-3, 1.0e-3}}};

TEST(FlexibleJointsInSpace, AreAsAccurateAsTabulatedInEveryDecomposition) {
  std::array<test::Largest, 2> shares;  // of the tabulated errors, by degree
  test::Smallest lowest;                // order with degree 1
  for (const Tabulated& row : kTable) {
    const FlexibleJoint& joint = *std::ranges::find(flexibleJoints(), row.joint, &FlexibleJoint::joint);
    for (const auto& [decomposition, tabulated] :
         {std::pair(kForceForce, row.forceForce), std::pair(kForceDisplacement, row.forceDisplacement),
          std::pair(kDisplacementDisplacement, row.displacementDisplacement)}) {
      const Errors errors{error(joint, decomposition, row.degree, kCoarse),
                          error(joint, decomposition, row.degree, kFine)};
      SCOPED_TRACE(row.joint + " " + decomposition + " " + std::to_string(row.degree));
      EXPECT_LE(errors.coarse, kAllowed * tabulated.coarse);
      EXPECT_LE(errors.fine, kAllowed * tabulated.fine);
      shares[row.degree].see(errors.coarse / tabulated.coarse, errors.fine / tabulated.fine);
      if (row.degree == 1) lowest.see(orderOf(errors.coarse, errors.fine));
    }
  }
  showAtMost({"lu R39", "flexible-errors-k0", "errors of all joints and decompositions, k = 0: <= 1.5 times the table"},
             shares[0], kAllowed);
  showAtMost({"lu R39", "flexible-errors-k1", "the same with k = 1"}, shares[1], kAllowed);
  showFigure({"lu R39", "flexible-orders", "order >= 1.9 with k = 1 in F/F, F/D, D/D"}, std::to_string(lowest),
             lowest >= 1.9);
}

TEST(FlexibleJointsInSpace, DisplacementForceIsTheMirrorImageOfForceDisplacement) {
  test::Smallest lowest;
  for (const FlexibleJoint& joint : flexibleJoints())
    lowest.see(orderOf(error(joint, kDisplacementForce, 1, kCoarse), error(joint, kDisplacementForce, 1, kFine)));
  showFigure({"lu R39", "mirrored-orders", "order >= 1.9 with k = 1 in D/F"}, std::to_string(lowest), lowest >= 1.9);
  // Of joints that look alike from both sides the second body may as well be called the first one. What is left is the
  // rounding of difference quotients.
  test::Largest largest;
  for (const FlexibleJoint& joint : flexibleJoints()) {
    if (joint.joint == "inplane") continue;
    const Changes common = changesOf(joint) + stepsOf(kFine) + Changes{"algorithm.degree=1"};
    const results::Table one = simulate(project(), common + Changes{"link.decomposition=" + kDisplacementForce});
    const results::Table other =
        simulate(project(), common + Changes{"link.decomposition=" + kForceDisplacement,
                                             R"(link.between=["second.point", "first.point"])"});
    largest.see(errorOf(one, other, statesOfBoth()));
  }
  showAtMost({"lu R12", "mirror", "D/F between two bodies is F/D between the same bodies in reverse, to 1e-7"}, largest,
             1e-7);
}

TEST(FlexibleJointsInSpace, TakeLawsOfTheUser) {
  // The table's spring and damper as a formula change nothing.
  const Changes formula{"link.kind=law", "link.force=2000*x + 20*v"};
  const Changes common = stepsOf(kFine) + Changes{"algorithm.degree=1", "link.joint=inplane"};
  test::Largest largest;
  for (const std::string& decomposition :
       {kForceForce, kForceDisplacement, kDisplacementForce, kDisplacementDisplacement}) {
    const Changes together = common + Changes{"link.decomposition=" + decomposition};
    largest.see(errorOf(simulate(project(), together + formula), simulate(project(), together), statesOfBoth()));
  }
  showAtMost(
      {"lu R12", "formulas", "a linear law as a formula moves two bodies as the same spring and damper, to 1e-10"},
      largest, 1e-10);
  // A spring that hardens and a damper that damps less when opening: order 2 as with linear laws.
  const Changes hardening{"link.kind=law", "link.force=2000*x + 2e6*x^3 + (v < 0 ? 20*v : 20*v/(1 + v^2))"};
  test::Smallest lowest;
  for (const std::string joint : {"atpoint", "inplane"}) {
    const Changes law = Changes{"link.joint=" + joint} + hardening;
    const results::Table exact = simulate(project(), law + byWaveforms());
    const Changes linear{"link.joint=" + joint};
    EXPECT_GT(errorOf(exact, simulate(project(), linear + byWaveforms()), statesOfBoth()), 1e-2) << "another motion";
    for (const std::string& decomposition :
         {kForceForce, kForceDisplacement, kDisplacementForce, kDisplacementDisplacement}) {
      const auto errorAt = [&](double step) {
        return errorOf(simulate(project(), law + stepsOf(step) +
                                               Changes{"algorithm.degree=1", "link.decomposition=" + decomposition}),
                       exact, statesOfBoth());
      };
      lowest.see(orderOf(errorAt(kCoarse), errorAt(kFine)));
    }
  }
  showFigure({"lu R12", "nonlinear-laws", "a nonlinear law of the user, k = 1: order >= 1.9 in all decompositions"},
             std::to_string(lowest), lowest >= 1.9);
}

}  // namespace
}  // namespace koppla::test::flexible_joints_test
