// Iterations that end well and may still not be what was meant, and those that others would give up.

#include <cmath>

#include <gtest/gtest.h>

#include "fmu_system.hpp"

namespace koppla::run::iteration_doubts_test {
namespace {

using coupling::AcceleratorKind;
using coupling::AlgorithmKind;
using test::Formula;
using test::gain;
using test::makeSystem;

struct Told {
  Outcome outcome;
  double value = 0.0;  ///< of a.y at the end
  std::string warnings;
  Statistics statistics;
};

/// y = F(u, t) in the member a, passed back by b; steps of 0.1 s to 1 s.
Told iterate(std::function<double(double u, double t)> answer, Settings settings, bool linear = false) {
  Formula b = gain(1.0);
  Formula a{.inputs = {"u"}, .outputs = {"y"}, .states = {}, .output = [answer](const auto&, double t, const auto& u) {
              return std::vector<double>{answer(u[0], t)};
            }};
  a.capabilities.linear = b.capabilities.linear = linear;
  Told told;
  core::Log log;
  log.addSink(
      [&](core::Severity, std::string_view, std::string_view text) { told.warnings += std::string(text) + "\n"; },
      core::Severity::warning);
  run::Run run(makeSystem({{"a", a}, {"b", b}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}), std::move(settings), log);
  told.outcome = run.initialise();
  if (told.outcome.ok()) told.outcome = run.simulate();
  told.value = std::get<double>(run.value("a.y"));
  run.end();
  told.statistics = run.statistics();
  return told;
}

Settings tenSteps(AcceleratorKind kind = AcceleratorKind::automatic) {
  Settings settings;
  settings.step = 0.1;
  settings.algorithm.kind = AlgorithmKind::iteratedGaussSeidel;
  settings.algorithm.acceleration.kind = kind;
  return settings;
}

/// The solution of y = F(y) that plain iteration from `u` comes to.
double plainly(const std::function<double(double, double)>& answer, double u, double t) {
  for (int i = 0; i < 10000; ++i) u = answer(u, t);
  return u;
}

TEST(IterationDoubts, TheFirstGuessBehindAJumpDoesNotLeadToAnotherSolution) {
  const auto exponential = [](double u, double t) { return 0.1 * std::exp(0.7 * u) + (t > 0.55 ? 1.5 : 0.0); };
  const Told told = iterate(exponential, tenSteps());
  ASSERT_TRUE(told.outcome.ok()) << told.outcome.message;
  EXPECT_NEAR(told.value, plainly(exponential, 0.0, 1.0), 1e-4);
  const auto cubic = [](double u, double t) { return 0.2 * std::pow(0.6 * u, 3) + (t > 0.55 ? 1.5 : 0.0); };
  EXPECT_NEAR(iterate(cubic, tenSteps()).value, plainly(cubic, 0.0, 1.0), 1e-4);
}

TEST(IterationDoubts, TheOnlySolutionIsFoundWhereItRepelsAndIsCalledDoubtful) {
  // y = 2 y - 1 has the solution 1, from which plain iteration moves away.
  Settings settings = tenSteps();
  settings.algorithm.initialisation = coupling::Initialisation::startValues;
  const Told told = iterate([](double u, double) { return 2.0 * u - 1.0; }, settings);
  ASSERT_TRUE(told.outcome.ok()) << told.outcome.message;
  EXPECT_NEAR(told.value, 1.0, 1e-5);
  EXPECT_GT(told.statistics.cycles[0].suspicious, 0U);
  EXPECT_NE(told.warnings.find("may be another solution"), std::string::npos) << told.warnings;
}

TEST(IterationDoubts, OfLinearMembersThereIsNoOtherSolution) {
  Settings settings = tenSteps();
  settings.algorithm.initialisation = coupling::Initialisation::startValues;
  const Told told = iterate([](double u, double) { return 2.0 * u - 1.0; }, settings, true);
  EXPECT_NEAR(told.value, 1.0, 1e-5);
  EXPECT_EQ(told.statistics.cycles.at(0).suspicious, 0U);
  EXPECT_EQ(told.warnings, "");
}

TEST(IterationDoubts, AGainJustBelowOneIsSolved) {
  Settings settings = tenSteps();
  settings.algorithm.atol = settings.algorithm.rtol = 1e-8;
  const Told told = iterate([](double u, double t) { return 0.9999 * u + 1.0 + std::sin(t); }, settings);
  ASSERT_TRUE(told.outcome.ok()) << told.outcome.message;
  EXPECT_NEAR(told.value / (1e4 * (1.0 + std::sin(1.0))), 1.0, 1e-6);
}

TEST(IterationDoubts, AnIterationThatCreepsSaysHowFarItMayBeOff) {
  Settings settings = tenSteps(AcceleratorKind::none);
  settings.algorithm.initialisation = coupling::Initialisation::startValues;
  settings.algorithm.maxIterations = 100000;
  settings.algorithm.test = coupling::ConvergenceTest::residual;
  const Told told = iterate([](double u, double) { return 0.99 * u + 1.0; }, settings);
  ASSERT_TRUE(told.outcome.ok()) << told.outcome.message;
  // Error over residual: 1 / (1 - 0.99).
  EXPECT_NE(told.warnings.find("100 times the tolerance"), std::string::npos) << told.warnings;
}

TEST(IterationDoubts, ValuesBelowTheAbsoluteToleranceAreNamed) {
  const auto tiny = [](double u, double t) { return -0.5 * u + 1e-9 * (1.0 + t); };
  Settings settings = tenSteps();
  settings.algorithm.atol = 1e-6;
  EXPECT_NE(iterate(tiny, settings).warnings.find("b.y (at most 1.3"), std::string::npos) << "u = 2/3 1e-9 (1 + t)";
  for (const std::optional<double> atol : {std::optional<double>(1e-15), std::optional<double>()}) {
    settings.algorithm.atol = atol;
    EXPECT_EQ(iterate(tiny, settings).warnings, "");
  }
}

TEST(IterationDoubts, ValuesThatFlowBackInNoGroupAreNamed) {
  Settings settings = tenSteps();
  settings.algorithm.convergence.push_back({.name = "forward", .variables = {"a.y"}});
  EXPECT_NE(iterate([](double u, double) { return 0.5 * u + 1.0; }, settings).warnings.find("b.y"), std::string::npos);
}

TEST(IterationDoubts, AForceThatAppearsFromNothingHasNotExploded) {
  // a waits for what b tells; b jumps by 1e7 at 0.45 s: u = 1e7 - u / 2, solved by 2/3 1e7.
  const Formula contact{
      .inputs = {"u"}, .outputs = {"y"}, .states = {}, .output = [](const auto&, double t, const auto& u) {
        return std::vector<double>{t > 0.45 ? 1e7 - 0.5 * u[0] : 0.0};
      }};
  core::Log log;
  for (const AcceleratorKind kind : {AcceleratorKind::automatic, AcceleratorKind::none, AcceleratorKind::aitken}) {
    run::Run run(makeSystem({{"a", gain(1.0, 0.1)}, {"b", contact}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}), tenSteps(kind),
                 log);
    ASSERT_TRUE(run.initialise().ok());
    const Outcome outcome = run.simulate();
    ASSERT_TRUE(outcome.ok()) << outcome.message;
    EXPECT_NEAR(std::get<double>(run.value("b.y")) / (1e7 / 1.5), 1.0, 1e-4);
  }
}

TEST(IterationDoubts, NewtonDoesNotSolveWhatHasNoSolution) {
  Settings settings = tenSteps();
  settings.algorithm.kind = AlgorithmKind::newton;
  const Told told = iterate([](double u, double t) { return (t > 0.45 ? 1.0 : 0.5) * u + 1.0; }, settings);
  EXPECT_FALSE(told.outcome.ok());
}

TEST(IterationDoubts, QuasiNewtonActsOnTheCutWhateverIsAskedOfRelaxations) {
  Settings settings = tenSteps(AcceleratorKind::iqnIls);
  settings.algorithm.acceleration.values = coupling::Accelerated::all;
  const Told told = iterate([](double u, double t) { return -3.0 * u + 1.0 + std::sin(t); }, settings);
  ASSERT_TRUE(told.outcome.ok()) << told.outcome.message;
  EXPECT_NEAR(told.value, (1.0 + std::sin(1.0)) / 4.0, 1e-4);
}

}  // namespace
}  // namespace koppla::run::iteration_doubts_test
