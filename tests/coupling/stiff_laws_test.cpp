// Force laws that the coupling evaluates, watched for being too stiff: a law between a fixed point and a free mass.

#include "koppla/coupling/stiff_laws.hpp"

#include <gtest/gtest.h>

#include "koppla/coupling/free_motion.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::stiff_laws_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;

constexpr Step kStep{1.0, 1.5, false};
constexpr double kH = 0.5;
constexpr double kMass = 2.0;

/// The law F = c x + d v on the first point; the second one, a free mass, gets -F, which moves it by the integrals of
/// what a force at the end of the step adds to its course: l(s) = s or (s^2 + s) / 2. Another member stands before
/// them.
struct Spring {
  double c, d;
  unsigned degree;
  System system{};
  std::optional<Network> network{};
  std::optional<Approximation> approximation{};
  std::optional<InterfaceProblem> problem{};
  std::optional<StiffLaws> laws{};
  std::vector<Sensitivity> blocks{};

  Spring(double stiffness, double damping, unsigned ofDegree, bool inTheCycle = true)
      : c(stiffness * kMass / (kH * kH)), d(damping * kMass / kH), degree(ofDegree) {
    const double integral = degree == 0 ? 1.0 : degree == 1 ? 0.5 : 5.0 / 12.0;
    const double second = degree == 0 ? 0.5 : degree == 1 ? 1.0 / 6.0 : 1.0 / 8.0;
    Script other;
    other.ports = {out("y")};
    Script mass;
    mass.ports = {in("w"), in("f"), out("x"), out("v")};
    mass.capabilities.linear = true;
    mass.evaluate = [=](double, std::span<const double> u, std::span<double> y, Binding&) {
      y[0] = -second * kH * kH / kMass * u[1];
      y[1] = -integral * kH / kMass * u[1];
      return Status::ok;
    };
    Script law;
    law.ports = {in("nothing"), in("x"), in("v"), out("f")};
    law.capabilities.isStatic = true;
    law.evaluate = [this](double, std::span<const double> u, std::span<double> y, Binding&) {
      y[0] = c * u[0] + d * u[1];
      return Status::ok;
    };
    add(system, "other", std::move(other));
    add(system, "mass", std::move(mass));
    add(system, "law", std::move(law));
    connect(system, {{"other.y", "mass.w"}, {"mass.x", "law.x"}, {"mass.v", "law.v"}, {"law.f", "mass.f"}});
    system.laws = {{2, 3, 1, 2}};
    network.emplace(system, std::vector<Cycle>{{{0}, false}, {{1, 2}, true}}, 1e100);
    approximation.emplace(network->outputs().size(), degree, std::vector<std::size_t>{});
    for (unsigned i = degree + 1; i-- > 0;) approximation->add(kStep.t0 - kH * i, network->outputs());
    problem.emplace(*network, inTheCycle ? Block{1, 3} : Block{0, 1}, Form::parallel, &*approximation);
    laws.emplace(*network, *problem, degree);
  }
  std::vector<StiffLaws::Finding> examine(double stiffness, double damping) {
    c = stiffness * kMass / (kH * kH);
    d = damping * kMass / kH;
    approximation->begin(kStep.t0, kStep.t1);
    EXPECT_FALSE(problem->begin(kStep, {}));
    EXPECT_FALSE(problem->evaluate());
    EXPECT_FALSE(problem->sensitivities(blocks));
    return laws->examine(*problem, blocks);
  }
};

TEST(StiffLaws, AreJudgedByTheMotionOfFreePoints) {
  struct Case {
    unsigned degree;
    double stiffness, damping;
  };
  int told = 0;
  for (const Case& c : {Case{1, 11.0, 0.0}, Case{1, 13.0, 0.0}, Case{1, 40.0, 3.0}, Case{1, 0.5, 9.0},
                        Case{2, 1.0, 0.0}, Case{2, 20.0, 1.0}, Case{1, 2.0, 0.5}, Case{2, 6.0, 6.0}}) {
    Spring spring(c.stiffness, c.damping, c.degree);
    const double growth = growthOfFreeMotion(c.stiffness, c.damping, c.degree);
    const auto findings = spring.examine(c.stiffness, c.damping);
    ASSERT_EQ(findings.size(), growth > 1.001 ? 1U : 0U) << c.degree << ' ' << c.stiffness << ' ' << c.damping;
    if (findings.empty()) continue;
    ++told;
    EXPECT_EQ(findings[0].position, 2U);
    EXPECT_NEAR(findings[0].growth, growth, 1e-4 * growth);
    EXPECT_TRUE(spring.examine(10.0 * c.stiffness, c.damping).empty()) << "once";
  }
  EXPECT_GE(told, 3);
  EXPECT_LE(told, 7);
}

/// They are looked at again when they have become a quarter stiffer, or damp as much more.
TEST(StiffLaws, AreExaminedWhereTheyHaveChanged) {
  Spring spring(11.0, 0.0, 1);
  EXPECT_TRUE(spring.examine(11.0, 0.0).empty()) << "the limit is 12";
  EXPECT_TRUE(spring.examine(13.5, 0.0).empty()) << "not looked at";
  EXPECT_EQ(spring.examine(13.9, 0.0).size(), 1U);
  Spring damped(1.0, 1.0, 1);
  EXPECT_TRUE(damped.examine(1.0, 1.0).empty());
  EXPECT_EQ(damped.examine(1.0, 40.0).size(), growthOfFreeMotion(1.0, 40.0, 1) > 1.001 ? 1U : 0U);
}

TEST(StiffLaws, AreStableWithHeldForces) {
  Spring spring(1e6, 0.0, 0);
  EXPECT_TRUE(spring.examine(1e6, 0.0).empty());
}

TEST(StiffLaws, OfOtherCyclesAreNotWatched) {
  Spring spring(100.0, 0.0, 1, false);
  spring.approximation->begin(kStep.t0, kStep.t1);
  ASSERT_FALSE(spring.problem->begin(kStep, {}));
  ASSERT_FALSE(spring.problem->evaluate());
  ASSERT_FALSE(spring.problem->sensitivities(spring.blocks));
  EXPECT_TRUE(spring.laws->examine(*spring.problem, spring.blocks).empty());
}

/// A law that pushes instead of pulling has no mass to be stiff for.
TEST(StiffLaws, ThatDoNotRestoreAreNone) {
  Spring spring(-100.0, 0.0, 1);
  EXPECT_NO_THROW(static_cast<void>(spring.examine(0.0, 0.0)));
  EXPECT_TRUE(spring.examine(0.0, 0.0).empty());
}

}  // namespace
}  // namespace koppla::coupling::stiff_laws_test
