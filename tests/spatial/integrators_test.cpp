// Subsystems under different integrators: backward differences, Radau IIA and explicit ones, down to tolerances of
// 1e-10, with stiff supports and with joints inside (the note on Lu's thesis, sections 8.7, 8.9, 8.13).

#include <cmath>

#include <gtest/gtest.h>

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "two_bodies.hpp"

namespace koppla::test::integrators_test {
namespace {

constexpr double kTolerance = 1e-10;
constexpr double kAllowed = 1.5;

Changes under(const std::string& integrator, const std::vector<std::string>& subsystems) {
  Changes result;
  for (const std::string& subsystem : subsystems)
    result =
        result + Changes{subsystem + ".integrator=" + integrator, subsystem + ".rtol=1e-10", subsystem + ".atol=1e-10"};
  return result;
}

TEST(Integrators, FollowTheSameMotionToTheirTolerance) {
  // Coupling alike, only the bodies' solvers differ. What is left is their global errors, which lie one to three
  // decades above the local ones; CVODE begins anew in each of 100 macro steps.
  const Changes coupling{"link.joint=inplane", "link.decomposition=force-displacement", "algorithm.degree=1"};
  const results::Table fine =
      simulate(mechanism("two-bodies"), coupling + steps(2e-3, 20, {"first", "second"}) +
                                            Changes{"first.integrator=ode5", "second.integrator=ode5"});
  for (const std::string integrator : {"cvode-bdf", "radau", "cvode-adams"}) {
    const results::Table table = simulate(mechanism("two-bodies"), coupling + under(integrator, {"first", "second"}));
    showAtMost({"lu R36", integrator, "tolerance 1e-10, two bodies in space: 24 states at most three decades above it"},
               errorOf(table, fine, statesOfBoth()), 1e3 * kTolerance);
  }
}

TEST(Integrators, StiffOnesHoldAStiffSupport) {
  // Rod 1 on 1e8 N/m and 1e5 N s/m; the lower rod has nothing stiff in it and an explicit solver.
  constexpr double kPhi1 = 0.77380290;
  constexpr double kPhi2 = -2.23129587;
  for (const std::string integrator : {"cvode-bdf", "radau"}) {
    const results::Table table =
        simulate(mechanism("supported-pendulum"), under(integrator, {"upper"}) + Changes{"lower.integrator=ode5"});
    const double share = test::largestOf(std::fabs(endOf(table, "upper.rod1.rotation").front() - kPhi1) / 4.7e-7,
                                         std::fabs(endOf(table, "lower.rod2.rotation").front() - kPhi2) / 3.0e-6);
    showAtMost({"lu R36", "support-" + integrator,
                "support with 1e8 N/m and 1e5 N s/m, tolerance 1e-10: errors of both angles <= 1.5 times the table"},
               share, kAllowed);
  }
}

TEST(Integrators, JointsInsideAreStabilised) {
  const results::Table whole = simulate(wholeSystem("joined-four-bar"), {});
  for (const std::string integrator : {"cvode-bdf", "radau", "ode5"}) {
    const Changes stabilised{"left.constraints=baumgarte", "left.rate=50", "right.constraints=baumgarte",
                             "right.rate=50"};
    const results::Table table = simulate(mechanism("spatial-four-bar"), under(integrator, {"left", "right"}) +
                                                                             steps(1e-2, 4, {"left", "right"}) +
                                                                             stabilised + Changes{"weld.beta=5e-3"});
    // Integrated well, stabilisation costs nothing: the bound is that of subsystems without it.
    showAtMost({"lu R36", "constraints-" + integrator,
                "joints inside by Baumgarte, rate 50 1/s, tolerance 1e-10, H = 1e-2 s: pose error <= 1.7e-7"},
               errorOf(table, whole,
                       {{"left.rod2.position", "whole.rod2.position"}, {"left.rod2.rotation", "whole.rod2.rotation"}}),
               1.7e-7);
  }
}

}  // namespace
}  // namespace koppla::test::integrators_test
