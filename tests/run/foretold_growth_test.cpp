// What linear algebra says of a run beforehand, against recursions in closed form.

#include "koppla/run/foretold_growth.hpp"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/native/linear_state_space.hpp"
#include "koppla/solver/integrate.hpp"

#include "support/formula_subsystem.hpp"
#include "support/matches.hpp"

namespace koppla::run::foretold_growth_test {
namespace {

using coupling::AlgorithmKind;
using ::testing::HasSubstr;

constexpr double kOmega = 3.0;  // 1/s

/// x' = a x + u.
std::unique_ptr<subsystem::Subsystem> firstOrder(double a, solver::IntegratorSettings by) {
  native::LinearStateSpace model;
  model.A = {{a}};
  model.B = {{1.0}};
  model.C = {{1.0}};
  model.D = {{0.0}};
  model.inputs = {"u"};
  model.outputs = {"x"};
  return solver::integrate(native::linearStateSpace(model), by);
}

/// x1' = a x1 - omega x2, x2' = a x2 + omega x1, cut into two: the model grows by exp(a t).
SystemMaker rotation(double a = 0.0, solver::IntegratorSettings by = {.kind = solver::Kind::exact}) {
  return [a, by](const Settings&) {
    coupling::System system;
    system.members.push_back({"first", firstOrder(a, by), {}});
    system.members.push_back({"second", firstOrder(a, by), {}});
    koppla::test::connect(system, {{"second.x", "first.u", -kOmega}, {"first.x", "second.u", kOmega}});
    return system;
  };
}

Settings settingsOf(AlgorithmKind kind, double step, double end) {
  Settings settings;
  settings.algorithm.kind = kind;
  settings.algorithm.degree = 0;
  settings.step = step;
  settings.end = end;
  return settings;
}

/// The first number behind these words.
double numberBehind(const std::string& words, const std::string& text) {
  const auto found = test::matches(text, words + "([0-9.e+-]+)");
  return found.empty() ? std::nan("") : std::stod(found.front()[1]);
}

TEST(ForetoldGrowth, TellsTheGrowthOfHeldInputsAndTheStepThatKeepsItSmall) {
  constexpr double kStep = 0.1;
  constexpr double kEnd = 100.0;
  const std::string text = foretellGrowth(rotation(), settingsOf(AlgorithmKind::jacobi, kStep, kEnd));
  // Explicit Euler: sqrt(1 + (omega H)^2) per step.
  const double perStep = std::hypot(1.0, kOmega * kStep);
  EXPECT_THAT(text, HasSubstr("The coupling is unstable with simulation.step = 0.1"));
  EXPECT_NEAR(numberBehind("disturbances grow ", text), perStep, 1e-3);
  EXPECT_NEAR(numberBehind("times per step, by ", text), kEnd / kStep * std::log10(perStep), 0.1);
  // exp(omega^2 H / 2 t) is 2 at the end.
  const double small = 2.0 * std::log(2.0) / (kOmega * kOmega * kEnd);
  const double told = numberBehind("keeps them small: simulation.step = ", text);
  EXPECT_LE(told, small * (1.0 + 1e-3));
  EXPECT_GE(told, small * 0.98);
  EXPECT_NEAR(numberBehind("simulation.step = " + std::string("[0-9.]+ \\("), text), kStep / small,
              0.02 * kStep / small);
}

TEST(ForetoldGrowth, OffersWhatKeepsDisturbancesSmallAndNothingElse) {
  const std::string text = foretellGrowth(rotation(), settingsOf(AlgorithmKind::jacobi, 0.1, 100.0));
  // Symplectic and implicit Euler.
  EXPECT_THAT(text, HasSubstr("algorithm.kind = \"gauss-seidel\""));
  EXPECT_THAT(text, HasSubstr("algorithm.kind = \"iterated-gauss-seidel\""));
  // Beyond its limit of 2 / omega, symplectic Euler is none.
  const std::string beyond = foretellGrowth(rotation(), settingsOf(AlgorithmKind::jacobi, 0.7, 100.0));
  EXPECT_THAT(beyond, HasSubstr("The coupling is unstable"));
  EXPECT_THAT(beyond, Not(HasSubstr("\"gauss-seidel\"")));
  EXPECT_THAT(beyond, HasSubstr("\"iterated-gauss-seidel\""));
}

TEST(ForetoldGrowth, BeginsWhereARunWouldNoticeIt) {
  // Per step sqrt(1 + (omega H)^2); a run notices a factor of 400.
  const double steps = std::log(400.0) / std::log(std::hypot(1.0, kOmega * 0.1));
  const auto textAfter = [&](double share) {
    return foretellGrowth(rotation(), settingsOf(AlgorithmKind::jacobi, 0.1, 0.1 * share * steps));
  };
  EXPECT_EQ(textAfter(0.98), "");
  EXPECT_NE(textAfter(1.02), "");
}

TEST(ForetoldGrowth, OfTheModelItselfIsNotAccused) {
  // exp(2 t): 1e8 times until the end, in any step; symplectic Euler keeps the rest of the motion.
  EXPECT_EQ(foretellGrowth(rotation(2.0), settingsOf(AlgorithmKind::gaussSeidel, 0.01, 9.0)), "");
  EXPECT_EQ(foretellGrowth(rotation(2.0), settingsOf(AlgorithmKind::newton, 0.01, 9.0)), "");
  // Held inputs add omega^2 H / 2 = 0.9 to an exponent of 0.3.
  EXPECT_NE(foretellGrowth(rotation(0.3), settingsOf(AlgorithmKind::jacobi, 0.2, 20.0)), "");
}

TEST(ForetoldGrowth, OfStableCouplingIsNone) {
  EXPECT_EQ(foretellGrowth(rotation(), settingsOf(AlgorithmKind::gaussSeidel, 0.9 * 2.0 / kOmega, 1e5)), "");
  EXPECT_NE(foretellGrowth(rotation(), settingsOf(AlgorithmKind::gaussSeidel, 1.1 * 2.0 / kOmega, 1e5)), "");
  EXPECT_EQ(foretellGrowth(rotation(), settingsOf(AlgorithmKind::newton, 0.5, 1e5)), "");
}

TEST(ForetoldGrowth, IsNotToldWhereNobodyKnows) {
  Settings unstable = settingsOf(AlgorithmKind::jacobi, 0.1, 100.0);
  ASSERT_NE(foretellGrowth(rotation(), unstable), "");
  // Members that are not linear, or do not give their states.
  EXPECT_EQ(foretellGrowth(rotation(0.0, {.kind = solver::Kind::radau}), unstable), "");
  const auto formulas = [](const Settings&) {
    return koppla::test::makeSystem(
        {{"first", koppla::test::integrator(-kOmega)}, {"second", koppla::test::integrator(kOmega)}},
        {{"second.y", "first.u"}, {"first.y", "second.u"}});
  };
  EXPECT_EQ(foretellGrowth(formulas, unstable), "");
  // Ten million micro steps would be long.
  EXPECT_EQ(foretellGrowth(rotation(0.0, {.kind = solver::Kind::ode4, .microStep = 1e-8}), unstable), "");
  // Steps that nobody knows yet.
  unstable.stepControl.kind = stepping::StepControlKind::doubleStep;
  EXPECT_EQ(foretellGrowth(rotation(), unstable), "");
}

TEST(ForetoldGrowth, IsNotToldWhereTheRunIgnoresIt) {
  Settings unstable = settingsOf(AlgorithmKind::jacobi, 0.1, 100.0);
  ASSERT_NE(foretellGrowth(rotation(), unstable), "");
  unstable.onInstability = OnInstability::ignore;
  EXPECT_EQ(foretellGrowth(rotation(), unstable), "");
}

}  // namespace
}  // namespace koppla::run::foretold_growth_test
