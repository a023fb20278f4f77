#include "koppla/run/recursion.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/native/expressions.hpp"
#include "koppla/native/linear_state_space.hpp"
#include "koppla/solver/integrate.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::test {
namespace {

using coupling::AlgorithmKind;
constexpr double kOmega = 3.0;  // 1/s

/// x' = u, exactly integrated; its own steps are longer than any macro step here.
std::unique_ptr<subsystem::Subsystem> exactIntegrator() {
  native::LinearStateSpace model;
  model.A = {{0.0}};
  model.B = {{1.0}};
  model.C = {{1.0}};
  model.D = {{0.0}};
  model.inputs = {"u"};
  model.outputs = {"x"};
  return solver::integrate(native::linearStateSpace(model), {.kind = solver::Kind::exact, .microStep = 100.0});
}

/// x1' = -omega x2, x2' = omega x1, cut into two integrators.
run::MacroStepRecursion rotation(AlgorithmKind kind, unsigned degree, double offset = 0.0,
                                 coupling::AcceleratorKind acceleration = coupling::AcceleratorKind::automatic) {
  coupling::System system;
  system.members.push_back({"first", exactIntegrator(), {}});
  system.members.push_back({"second", exactIntegrator(), {}});
  connect(system, {{"second.x", "first.u", -kOmega, offset}, {"first.x", "second.u", kOmega}});
  run::Settings settings;
  settings.algorithm.kind = kind;
  settings.algorithm.degree = degree;
  settings.algorithm.acceleration.kind = acceleration;
  core::Log log;
  return {std::move(system), settings, log};
}

TEST(Recursion, OfJacobiWithHeldInputsIsExplicitEuler) {
  auto recursion = rotation(AlgorithmKind::jacobi, 0);
  for (const double H : {0.01, 0.3}) EXPECT_NEAR(recursion.spectralRadius(H), std::hypot(1.0, kOmega * H), 1e-12);
  EXPECT_EQ(recursion.criticalStep({1e-3, 1.0}), 1e-3);
}

TEST(Recursion, OfGaussSeidelWithHeldInputsIsSymplecticEuler) {
  for (const AlgorithmKind kind : {AlgorithmKind::gaussSeidel, AlgorithmKind::masterSlave}) {
    auto recursion = rotation(kind, 0);
    EXPECT_NEAR(recursion.spectralRadius(0.3), 1.0, 1e-12);
    const auto limit = recursion.criticalStep({1e-3, 2.0});
    ASSERT_TRUE(limit);
    EXPECT_NEAR(*limit, 2.0 / kOmega, 2e-7);  // the allowance is reached a little behind the limit
  }
}

TEST(Recursion, OfIteratedAlgorithmsIsThatOfTheConvergedScheme) {
  constexpr double H = 0.1;
  for (const AlgorithmKind kind :
       {AlgorithmKind::iteratedJacobi, AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::newton}) {
    // Degree 0: implicit Euler. Degree 1: the trapezoidal rule.
    EXPECT_NEAR(rotation(kind, 0).spectralRadius(H), 1.0 / std::hypot(1.0, kOmega * H), 1e-9);
    EXPECT_NEAR(rotation(kind, 1).spectralRadius(H), 1.0, 1e-9);
  }
}

TEST(Recursion, DoesNotDependOnOffsets) {
  EXPECT_NEAR(rotation(AlgorithmKind::jacobi, 2, 7.0).spectralRadius(0.1),
              rotation(AlgorithmKind::jacobi, 2).spectralRadius(0.1), 1e-12);
}

TEST(Recursion, HasStatesAndSamplesForEveryDegree) {
  EXPECT_EQ(rotation(AlgorithmKind::jacobi, 0).size(), 2U + 2U);
  EXPECT_EQ(rotation(AlgorithmKind::jacobi, 3).size(), 2U + 4U * 2U);
}

TEST(Recursion, OfAnIterationThatDivergesSaysSo) {
  // Plain iterations contract only for omega H < 1 here.
  auto recursion = rotation(AlgorithmKind::iteratedGaussSeidel, 0, 0.0, coupling::AcceleratorKind::none);
  try {
    (void)recursion.spectralRadius(1.0);
    FAIL() << "should have thrown";
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("newton"), std::string::npos) << error.what();
  }
}

TEST(Recursion, OfANonlinearModelBelongsToTheInitialPoint) {
  native::ExpressionModel model;
  model.states = {{.name = "x", .start = 1.0, .derivative = "-2*x - x^3"}};
  coupling::System system;
  system.members.push_back({"decay", solver::integrate(native::expressions(model), {.kind = solver::Kind::ode1}), {}});
  core::Log log;
  run::MacroStepRecursion recursion(std::move(system), {}, log);
  // d/dx (-2 x - x^3) = -5 at x = 1, explicit Euler: 1 - 5 H.
  EXPECT_NEAR(recursion.spectralRadius(0.1), 0.5, 1e-8);
  const auto limit = recursion.criticalStep({1e-2, 1.0});
  ASSERT_TRUE(limit);
  EXPECT_NEAR(*limit, 0.4, 1e-6);
}

TEST(Recursion, NamesMembersWithoutStates) {
  core::Log log;
  try {
    const run::MacroStepRecursion recursion(makeSystem({{"closed", integrator()}}, {}), {}, log);
    FAIL() << "should have thrown";
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("closed"), std::string::npos) << error.what();
  }
}

TEST(Recursion, RefusesStepsThatAreNone) {
  auto recursion = rotation(AlgorithmKind::jacobi, 0);
  EXPECT_THROW((void)recursion.matrix(0.0), core::InputError);
  EXPECT_THROW((void)recursion.criticalStep({1.0, 0.1}), core::InputError);
}

TEST(Recursion, InMasterSlaveModeKnowsNoStepButTheMasters) {
  coupling::System system;
  native::LinearStateSpace model;
  model.A = {{-1.0}};
  model.B = {{1.0}};
  model.C = {{1.0}};
  model.D = {{0.0}};
  model.inputs = {"u"};
  model.outputs = {"x"};
  system.members.push_back(
      {"master",
       solver::integrate(native::linearStateSpace(model), {.kind = solver::Kind::ode4, .microStep = 0.01}),
       {}});
  system.members.push_back({"slave", exactIntegrator(), {}});
  connect(system, {{"master.x", "slave.u"}, {"slave.x", "master.u", -1.0}});
  run::Settings settings;
  settings.algorithm.kind = AlgorithmKind::masterSlave;
  core::Log log;
  run::MacroStepRecursion recursion(std::move(system), settings, log);
  EXPECT_NO_THROW((void)recursion.matrix(0.01));
  EXPECT_THROW((void)recursion.matrix(0.02), core::InputError);
}

}  // namespace
}  // namespace koppla::test
