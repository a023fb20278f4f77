// What couplings exchange: how many values each side takes, and how many conditions are solved for, counted in projects
// (the note on Lu's thesis, tables 4.3, 5.6 and section 5.7).

#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/figure.hpp"
#include "two_bodies.hpp"

namespace koppla::test {
namespace {

/// Expected and obtained counts of many cases, as one figure.
class Comparison {
 public:
  void compare(const std::string& name, const Counts& obtained, const Counts& expected) {
    EXPECT_EQ(text(obtained), text(expected)) << name;
    ++cases_;
    if (obtained == expected) ++equal_;
  }

  void show(const Demand& demand) const {
    showFigure(demand, fmt::format("{} of {} cases", equal_, cases_), cases_ > 0 && equal_ == cases_);
  }

 private:
  int cases_ = 0;
  int equal_ = 0;
};

/// Of F/F, F/D, D/F and D/D.
struct ByDecomposition {
  std::string joint;
  std::array<Counts, 4> counts;
};

void compareAll(Comparison& comparison, const std::filesystem::path& project, const ByDecomposition& expected,
                const std::string& formula) {
  const std::array decompositions{kForceForce, kForceDisplacement, kDisplacementForce, kDisplacementDisplacement};
  for (std::size_t i = 0; i < decompositions.size(); ++i)
    for (const Changes& law : {Changes{"link.kind=spring-damper", "link.stiffness=2000.0", "link.damping=20.0"},
                               Changes{"link.kind=law", "link.force=" + formula}}) {
      Changes changes = law + Changes{"link.decomposition=" + decompositions[i]};
      if (expected.joint.empty())  // masses on a line, whose exact integrator takes linear laws only
        changes = changes + Changes{"s1.integrator=ode4", "s2.integrator=ode4"};
      else
        changes.push_back("link.joint=" + expected.joint);
      comparison.compare(expected.joint + " " + decompositions[i] + " " + law.front(), countsOf(project, changes),
                         expected.counts[i]);
    }
}

TEST(CountsInProjects, OfForceLawsAreThoseOfTheTable) {
  const std::string law = "2000*x + 1e5*x^3 + 20*v*abs(v)";
  Comparison links;
  compareAll(links, std::filesystem::path(KOPPLA_EXAMPLES_DIR) / "stiff-link" / "bodies.toml",
             {"", {{{1, 1, 1}, {1, 2, 3}, {2, 1, 3}, {2, 2, 4}}}}, law);
  links.show(
      {"lu R12", "scalar-links", "1/1/1, 1/2/3, 2/1/3, 2/2/4 inputs and conditions of a link in F/F, F/D, D/F, D/D"});

  // Motion of a body in space: 3 + 3 + 3 + 3. The second side of inplane needs the place of the first body's point.
  Comparison space;
  for (const ByDecomposition& expected :
       {ByDecomposition{"atpoint", {{{3, 3, 3}, {3, 12, 15}, {12, 3, 15}, {12, 12, 24}}}},
        ByDecomposition{"inplane", {{{4, 7, 10}, {4, 12, 16}, {12, 7, 19}, {12, 12, 24}}}},
        ByDecomposition{"perpendicular", {{{4, 4, 7}, {4, 6, 10}, {6, 4, 10}, {6, 6, 12}}}},
        ByDecomposition{"universal", {{{7, 7, 10}, {7, 12, 19}, {12, 7, 19}, {12, 12, 24}}}}})
    compareAll(space, mechanism("two-bodies"), expected, law);
  space.show({"lu R12", "joints-in-space",
              "atpoint, inplane, perpendicular, atpoint + perpendicular, linear and user's law: as tabulated"});

  space.show({"lu R39", "flexible-counts", "inputs and n_g of flexible joints between two bodies as tabulated"});

  // The same in the plane, where a body moves by 2 + 1 + 2 + 1 numbers; a direction is an angle there, so a point
  // together with a direction is held by 'fixed', whose angles need nothing of the partner.
  Comparison plane;
  for (const ByDecomposition& expected :
       {ByDecomposition{"atpoint", {{{2, 2, 2}, {2, 6, 8}, {6, 2, 8}, {6, 6, 12}}}},
        ByDecomposition{"inplane", {{{2, 4, 5}, {2, 6, 8}, {6, 4, 10}, {6, 6, 12}}}},
        ByDecomposition{"perpendicular", {{{2, 2, 3}, {2, 2, 4}, {2, 2, 4}, {2, 2, 4}}}},
        ByDecomposition{"fixed", {{{3, 3, 3}, {3, 6, 9}, {6, 3, 9}, {6, 6, 12}}}}})
    compareAll(plane, wholeSystem("planar-bodies"), expected, law);
  plane.show({"lu R12", "joints-in-the-plane", "the same with two positions, one angle and their rates per body"});
}

/// Of methods 1 and 2, and of method 3.
struct ByMethod {
  std::string joint;
  Counts forces, withProjection;
};

Counts heldBy(const std::string& joint, const std::string& method, const Changes& rotations = {}) {
  return countsOf(mechanism("two-bodies"),
                  Changes{"link.kind=joint", "link.joint=" + joint, "link.method=" + method} + rotations);
}

TEST(CountsInProjects, OfRigidJointsAreThoseOfTheTable) {
  Comparison comparison;
  for (const ByMethod& expected :
       {ByMethod{"atpoint", {3, 3, 3}, {6, 6, 6}}, ByMethod{"inplane", {4, 7, 10}, {5, 8, 11}},
        ByMethod{"perpendicular", {4, 4, 7}, {5, 5, 8}}, ByMethod{"universal", {7, 7, 10}, {11, 11, 14}},
        // Two perpendicular elements share the rotations that they see.
        ByMethod{"revolute", {8, 8, 11}, {13, 13, 16}}}) {
    for (const std::string method : {"baumgarte", "weighted-multipliers"})
      comparison.compare(expected.joint + " " + method, heldBy(expected.joint, method), expected.forces);
    comparison.compare(expected.joint, heldBy(expected.joint, "stabilised-index-2"), expected.withProjection);
  }
  comparison.show({"lu R13", "counts-in-projects",
                   "inputs and conditions of atpoint, inplane, perpendicular, universal, revolute in methods 1, 2, 3"});
  comparison.show(
      {"lu R39", "rigid-counts", "inputs and n_g of rigid joints between two bodies: 3, 10, 7, 11 and 6, 11, 8, 16"});

  const Changes eulerParameters{"first.rotation=euler-parameters", "first.body.rotation=[1, 0, 0, 0]",
                                "second.rotation=euler-parameters", "second.body.rotation=[1, 0, 0, 0]"};
  Comparison withParameters;
  for (const auto& [joint, expected] : {std::pair("atpoint", Counts{6, 6, 6}), std::pair("inplane", Counts{6, 9, 13}),
                                        std::pair("perpendicular", Counts{6, 6, 10})})
    withParameters.compare(joint, heldBy(joint, "stabilised-index-2", eulerParameters), expected);
  withParameters.show({"lu R13", "counts-euler-parameters",
                       "6, 13, 10 conditions of atpoint, inplane, perpendicular with Euler parameters, method 3"});
}

}  // namespace
}  // namespace koppla::test
