// Recursions by probes: they find what the matrix of a macro step says, where both are known.

#include <array>
#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/native/expressions.hpp"
#include "koppla/run/probed_recursion.hpp"
#include "koppla/solver/integrate.hpp"

#include "support/formula_subsystem.hpp"
#include "support/message_of.hpp"
#include "two_mass.hpp"
#include "veiled.hpp"

namespace koppla::test::probes_test {
namespace {

using coupling::AlgorithmKind;

/// The states of members are nobody's business.
coupling::System withoutStates(coupling::System system) {
  return veiled(std::move(system), [](subsystem::Capabilities& can) { can.states = can.linear = false; });
}

run::Settings settingsOf(AlgorithmKind kind, unsigned degree, double step) {
  run::Settings settings;
  settings.algorithm.kind = kind;
  settings.algorithm.degree = degree;
  settings.step = step;
  return settings;
}

/// By probes and by the matrix.
struct Radii {
  run::ProbedRadius probed;
  double exact;
};

Radii radiiOf(const TwoMassCase& c) {
  const run::Settings settings = settingsOf(c.algorithm, c.degree, c.H);
  core::Log log;
  run::MacroStepRecursion matrix(twoMassSystem(c), settings, log);
  run::ProbedRecursion probes(withoutStates(twoMassSystem(c)), settings, log);
  return {probes.spectralRadius(c.H), matrix.spectralRadius(c.H)};
}

TEST(Probes, FindTheRadiusOfTheMatrixUnderEveryAlgorithm) {
  for (const AlgorithmKind kind :
       {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::newton, AlgorithmKind::iteratedGaussSeidel})
    for (const unsigned degree : {0U, 1U, 3U, 5U})
      for (const double H : {1e-5, 5e-5, 2e-4, 1e-3}) {
        const auto [probed, exact] = radiiOf({.H = H, .degree = degree, .algorithm = kind});
        const std::string what = fmt::format("kind {} degree {} H {}", static_cast<int>(kind), degree, H);
        // What matters is the distance from 1. What iterations leave open is noise.
        const double within = kind == AlgorithmKind::iteratedGaussSeidel ? 0.05 : 0.01;
        EXPECT_NEAR(probed.value - 1.0, exact - 1.0, within * std::fabs(exact - 1.0)) << what;
        EXPECT_LE(probed.uncertainty, 0.1 * std::fabs(exact - 1.0)) << what;
      }
}

// Schmoll notes, 10.3, force and displacement, table 2.1, Jacobi.
TEST(Probes, FindTheLimitsOfTheTwoMassOscillator) {
  constexpr std::array kLimits{1.4353e-5, 2.4630e-4, 5.6650e-4, 3.8222e-4, 2.0163e-4, 1.1849e-4};
  for (unsigned degree = 0; degree < kLimits.size(); ++degree) {
    core::Log log;
    run::ProbedRecursion probes(withoutStates(twoMassSystem({.degree = degree, .algorithm = AlgorithmKind::jacobi})),
                                settingsOf(AlgorithmKind::jacobi, degree, 1e-4), log);
    const auto limit = probes.criticalStep({0.8 * kLimits.at(degree), 1.2 * kLimits.at(degree)});
    ASSERT_TRUE(limit) << degree;
    EXPECT_NEAR(*limit, kLimits.at(degree), 1e-3 * kLimits.at(degree)) << degree;
  }
}

/// x1' = -omega x2, x2' = omega x1, by explicit Euler's method with |1 + i omega H|, in two subsystems.
coupling::System rotation(double omega) {
  return makeSystem({{"first", integrator(-omega, 1.0)}, {"second", integrator(omega)}},
                    {{"second.y", "first.u"}, {"first.y", "second.u"}});
}

TEST(Probes, KnowWhatHeldInputsDo) {
  core::Log log;
  run::ProbedRecursion probes(rotation(3.0), settingsOf(AlgorithmKind::jacobi, 0, 0.1), log);
  for (const double H : {1e-3, 0.1, 0.5}) {
    const run::ProbedRadius radius = probes.spectralRadius(H);
    EXPECT_NEAR(radius.value, std::hypot(1.0, 3.0 * H), 1e-8) << H;
    EXPECT_FALSE(probes.isStable(radius)) << H;
  }
  run::ProbedRecursion symplectic(rotation(3.0), settingsOf(AlgorithmKind::gaussSeidel, 0, 0.1), log);
  EXPECT_TRUE(symplectic.isStable(symplectic.spectralRadius(0.9 * 2.0 / 3.0)));
  EXPECT_FALSE(symplectic.isStable(symplectic.spectralRadius(1.1 * 2.0 / 3.0)));
}

TEST(Probes, CallWhatExplodesAtOnceUnstable) {
  core::Log log;
  run::ProbedRecursion probes(rotation(1e60), settingsOf(AlgorithmKind::jacobi, 0, 0.1), log);
  const run::ProbedRadius radius = probes.spectralRadius(0.1);
  EXPECT_FALSE(probes.isStable(radius));
  EXPECT_TRUE(std::isinf(radius.value));
}

/// Units are nobody's concern: newtons beside nanometres.
TEST(Probes, DoNotDependOnUnits) {
  core::Log log;
  const auto radius = [&](double unit) {
    coupling::System system = makeSystem({{"first", integrator(-3.0 * unit, 1.0)}, {"second", integrator(3.0 / unit)}},
                                         {{"second.y", "first.u"}, {"first.y", "second.u"}});
    return run::ProbedRecursion(std::move(system), settingsOf(AlgorithmKind::jacobi, 0, 0.1), log)
        .spectralRadius(0.1)
        .value;
  };
  EXPECT_NEAR(radius(1e9), std::hypot(1.0, 0.3), 1e-6);
  EXPECT_NEAR(radius(1e-9), std::hypot(1.0, 0.3), 1e-6);
}

std::unique_ptr<subsystem::Subsystem> formula(const native::ExpressionModel& model) {
  return solver::integrate(native::expressions(model), {.kind = solver::Kind::ode4});
}

/// x' = -0.01 x from 1, and b' = -3 x c, c' = 3 x b from rest: not linear, and at t a rotation of 3 exp(-0.01 t) 1/s.
coupling::System fadingRotation() {
  const auto turning = [](double sign) {
    return formula({.inputs = {{.name = "x"}, {.name = "u"}},
                    .states = {{.name = "y", .start = 0.0, .derivative = sign > 0 ? "3*x*u" : "-3*x*u"}},
                    .outputs = {{.name = "y", .formula = "y"}}});
  };
  coupling::System system;
  system.members.push_back({"fading",
                            formula({.states = {{.name = "x", .start = 1.0, .derivative = "-0.01*x"}},
                                     .outputs = {{.name = "x", .formula = "x"}}}),
                            {}});
  system.members.push_back({"b", turning(-1.0), {}});
  system.members.push_back({"c", turning(1.0), {}});
  connect(system, {{"fading.x", "b.x"}, {"fading.x", "c.x"}, {"b.y", "c.u"}, {"c.y", "b.u"}});
  return system;
}

constexpr double kStep = 0.1;  // s

/// What a disturbance grows by in a step with held inputs, less 1.
double growthAt(double t) {
  return std::hypot(1.0, 3.0 * std::exp(-0.01 * t) * kStep) - 1.0;
}

TEST(Probes, BeginWhereARunHasComeTo) {
  for (const double t : {0.0, 100.0}) {
    core::Log log;
    run::ProbedRecursion probes(withoutStates(fadingRotation()), settingsOf(AlgorithmKind::jacobi, 0, kStep), log,
                                {.at = t});
    EXPECT_NEAR(probes.instant(), t, 1e-9);
    const run::ProbedRadius radius = probes.spectralRadius(kStep);
    // The rotation fades by 1 % a second while it is followed, and the growth by twice as much.
    const double seconds = static_cast<double>(radius.steps) * kStep;
    EXPECT_LE(radius.value - 1.0, growthAt(t) + radius.uncertainty) << t;
    EXPECT_GE(radius.value - 1.0, growthAt(t + seconds) - radius.uncertainty) << t;
    EXPECT_LE(seconds, 24.5 * kStep);
    EXPECT_FALSE(probes.isStable(radius)) << t;
  }
}

TEST(Probes, AreNotNeededWhereStatesAreKnownAtAnInstant) {
  for (const double t : {0.0, 100.0}) {
    core::Log log;
    run::MacroStepRecursion matrix(fadingRotation(), settingsOf(AlgorithmKind::jacobi, 0, kStep), log, {.at = t});
    EXPECT_NEAR(matrix.spectralRadius(kStep) - 1.0, growthAt(t), 1e-6) << t;
  }
}

TEST(Probes, LeaveTheSystemAsItWas) {
  core::Log log;
  run::ProbedRecursion probes(withoutStates(twoMassSystem({})), settingsOf(AlgorithmKind::gaussSeidel, 2, 1e-3), log);
  const double before = probes.spectralRadius(1e-3).value;
  (void)probes.spectralRadius(1e-2);
  EXPECT_EQ(probes.spectralRadius(1e-3).value, before);
}

std::string refusalOf(coupling::System system, const run::RecursionSettings& how = {}) {
  core::Log log;
  return messageOf<core::InputError>([&] {
    const run::ProbedRecursion probes(std::move(system), settingsOf(AlgorithmKind::jacobi, 0, kStep), log, how);
  });
}

TEST(Probes, NameWhoCannotBeProbed) {
  const auto unrepeatable = [](coupling::System system) {
    return veiled(std::move(system), [](subsystem::Capabilities& can) { can.saveRestore = can.states = false; });
  };
  const std::string refusal = refusalOf(unrepeatable(fadingRotation()));
  EXPECT_NE(refusal.find("neither give states nor return to a saved one: fading, b, c."), std::string::npos) << refusal;
  const std::string alone = refusalOf(makeSystem({{"only", integrator()}}, {}));
  EXPECT_NE(alone.find("nothing to probe"), std::string::npos) << alone;
  const std::string early = refusalOf(rotation(3.0), {.at = -1.0});
  EXPECT_NE(early.find("before the start: -1 s"), std::string::npos) << early;
}

TEST(Probes, TakeNoStepThatMembersDoNotTake) {
  core::Log log;
  run::ProbedRecursion probes(veiled(rotation(3.0), [](subsystem::Capabilities& can) { can.variableStep = false; }),
                              settingsOf(AlgorithmKind::jacobi, 0, kStep), log);
  EXPECT_NEAR(probes.spectralRadius(kStep).value, std::hypot(1.0, 0.3), 1e-8);
  const std::string refusal = messageOf<core::InputError>([&] { (void)probes.spectralRadius(2.0 * kStep); });
  EXPECT_NE(refusal.find("'first' takes steps of one length only, 0.1 s, not 0.2 s."), std::string::npos) << refusal;
}

TEST(Probes, TellOfWhatHappensOnTheWay) {
  // 1.005 per step: 1e150 after 7e4 steps.
  const std::string refusal = refusalOf(rotation(1.0), {.at = 1e4});
  EXPECT_NE(refusal.find("on the way to 10000 s"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace koppla::test::probes_test
