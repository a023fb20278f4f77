// How an iteration that does not converge ends, and what the run makes of it.

#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fmu_system.hpp"

namespace koppla::run {
namespace {

using coupling::AcceleratorKind;
using coupling::AlgorithmKind;
using coupling::WithoutConvergence;
using test::Formula;
using test::gain;
using test::makeSystem;

/// One step from the start values, without acceleration.
Settings oneStep() {
  Settings settings;
  settings.step = 1.0;
  settings.algorithm.kind = AlgorithmKind::iteratedGaussSeidel;
  settings.algorithm.maxIterations = 1000;
  settings.algorithm.initialisation = coupling::Initialisation::startValues;
  settings.algorithm.acceleration.kind = AcceleratorKind::none;
  settings.algorithm.test = coupling::ConvergenceTest::residual;
  return settings;
}

Outcome simulate(coupling::System system, const Settings& settings) {
  core::Log log;
  run::Run run(std::move(system), settings, log);
  Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  return outcome;
}

bool tells(const Outcome& outcome, std::string_view words) {
  return outcome.message.find(words) != std::string::npos;
}

/// u = 1 - u / 2, whose answers carry a noise of 1e-9.
coupling::System noisy() {
  Formula formula = gain(-0.5, 1.0);
  formula.output = [calls = std::make_shared<double>(0.0)](const auto&, double, const auto& u) {
    *calls += 1.0;
    return std::vector<double>{(1.0 - 0.5 * u[0]) * (1.0 + 1e-9 * std::sin(*calls * *calls))};
  };
  return makeSystem({{"noisy", formula}, {"same", gain(1.0)}}, {{"noisy.y", "same.u"}, {"same.y", "noisy.u"}});
}

TEST(IterationEnding, AtThePrecisionOfTheSubsystemsIsStagnation) {
  for (const AcceleratorKind kind : {AcceleratorKind::none, AcceleratorKind::automatic, AcceleratorKind::iqnIls}) {
    Settings settings = oneStep();
    settings.algorithm.acceleration.kind = kind;
    settings.algorithm.atol = settings.algorithm.rtol = 1e-12;
    const Outcome outcome = simulate(noisy(), settings);
    EXPECT_EQ(outcome.kind, OutcomeKind::stagnated) << outcome.message;
    EXPECT_TRUE(tells(outcome, "noisy, same")) << outcome.message;
    EXPECT_TRUE(tells(outcome, "does not fall any further")) << outcome.message;
    settings.algorithm.withoutConvergence = WithoutConvergence::accept;
    EXPECT_TRUE(simulate(noisy(), settings).ok());
    settings.algorithm.atol = settings.algorithm.rtol = 1e-7;
    settings.algorithm.withoutConvergence = WithoutConvergence::stop;
    EXPECT_TRUE(simulate(noisy(), settings).ok());
  }
}

/// A gain whose answers are printed with seven digits.
Formula printed(double k, double b) {
  Formula formula = gain(k, b);
  formula.digits = 7;
  formula.output = [k, b](const auto&, double, const auto& u) {
    return std::vector<double>{std::stod(fmt::format("{:.6e}", k * u[0] + b))};
  };
  return formula;
}

coupling::System printing(double k) {
  return makeSystem({{"first", printed(k, 1.0)}, {"second", printed(1.0, 0.0)}},
                    {{"first.y", "second.u"}, {"second.y", "first.u"}});
}

TEST(IterationEnding, WhatIsReadWithFewDigitsIsNeverSaidToBeMoreExact) {
  // A contracting loop stands still at its seventh digit, where sent and answered are equal.
  for (const double k : {-0.1, -3.0, -30.0})
    for (const AcceleratorKind kind : {AcceleratorKind::none, AcceleratorKind::automatic}) {
      if (kind == AcceleratorKind::none && k < -1.0) continue;
      Settings settings = oneStep();
      settings.algorithm.acceleration.kind = kind;
      settings.algorithm.rtol = 1e-9;
      settings.algorithm.atol = 1e-12;
      const Outcome outcome = simulate(printing(k), settings);
      EXPECT_EQ(outcome.kind, OutcomeKind::stagnated) << k << outcome.message;
      EXPECT_TRUE(tells(outcome, "is read from a file with 7 digits")) << outcome.message;
      EXPECT_TRUE(tells(outcome, "a relative 1e-06")) << outcome.message;
      settings.algorithm.rtol = 1e-5;
      EXPECT_TRUE(simulate(printing(k), settings).ok()) << k;
    }
}

TEST(IterationEnding, SlowConvergenceIsNoStagnation) {
  // u = 0.98 u + 1 ends at 50; the k-th answer is off by 0.98^(k-1) from what was sent: 1e-11 of 50 at k = 1060.
  Settings settings = oneStep();
  settings.algorithm.maxIterations = 2000;
  settings.algorithm.rtol = 1e-11;
  settings.algorithm.atol = 0.0;
  core::Log log;
  run::Run run(
      makeSystem({{"slow", gain(0.98, 1.0)}, {"same", gain(1.0)}}, {{"slow.y", "same.u"}, {"same.y", "slow.u"}}),
      settings, log);
  ASSERT_TRUE(run.initialise().ok());
  const Outcome outcome = run.simulate();
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_NEAR(double(run.statistics().cycles.at(0).evaluations), 1.0 + std::log(1e-11 * 50.0) / std::log(0.98), 1.0);
}

/// u = 1 - 10 u: every iteration is ten times as far off.
coupling::System divergent() {
  return makeSystem({{"a", gain(-10.0, 1.0)}, {"b", gain(1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}});
}

TEST(IterationEnding, AnExplosionIsNoticedWhileValuesAreFinite) {
  const Outcome outcome = simulate(divergent(), oneStep());
  EXPECT_EQ(outcome.kind, OutcomeKind::exploded);
  EXPECT_TRUE(tells(outcome, "cycle a, b exploded in the step from 0 s to 1 s")) << outcome.message;
  EXPECT_TRUE(tells(outcome, "'a.y'")) << outcome.message;
  EXPECT_TRUE(tells(outcome, "1e+06 times")) << outcome.message;
  // Answers are 1, -9, 91, -909, ...: the first evaluation is the measure, the eighth one has 1e6 times as much.
  EXPECT_TRUE(tells(outcome, "in iteration 8:")) << outcome.message;
}

TEST(IterationEnding, AnExplosionIsNeverAccepted) {
  Settings settings = oneStep();
  settings.algorithm.withoutConvergence = WithoutConvergence::accept;
  EXPECT_EQ(simulate(divergent(), settings).kind, OutcomeKind::exploded);
}

/// Also where a cycle before it has only stagnated: nobody behind the one that explodes has taken the step. Where step
/// control gave up at the stagnation, that is found when the step is completed.
TEST(IterationEnding, AnExplosionBehindAStagnationIsNeverAccepted) {
  for (const bool controlled : {false, true}) {
    coupling::System system = noisy();
    coupling::System second = divergent();
    for (coupling::Member& member : second.members) system.members.push_back(std::move(member));
    test::connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
    Settings settings = oneStep();
    settings.algorithm.atol = settings.algorithm.rtol = 1e-12;
    settings.algorithm.withoutConvergence = WithoutConvergence::accept;
    if (controlled)
      settings.stepControl = {.kind = stepping::StepControlKind::convergence, .minStep = 1.0, .maxStep = 1.0};
    const Outcome outcome = simulate(std::move(system), settings);
    EXPECT_EQ(outcome.kind, OutcomeKind::exploded) << outcome.message;
    EXPECT_TRUE(tells(outcome, "cycle a, b exploded")) << outcome.message;
  }
}

TEST(IterationEnding, WithoutThatWatchTheLimitOfAllValuesIsMet) {
  Settings settings = oneStep();
  settings.algorithm.explosionGrowth = 0.0;
  const Outcome outcome = simulate(divergent(), settings);
  EXPECT_EQ(outcome.kind, OutcomeKind::exploded);
  EXPECT_TRUE(tells(outcome, "explosion_limit")) << outcome.message;
  settings.algorithm.maxIterations = 20;
  EXPECT_EQ(simulate(divergent(), settings).kind, OutcomeKind::notConverged);
}

TEST(IterationEnding, ValuesThatAreNotFiniteAreToldApart) {
  Formula broken = gain(-10.0, 1.0);
  broken.output = [](const auto&, double, const auto& u) {
    return std::vector<double>{std::fabs(u[0]) > 1e3 ? std::nan("") : 1.0 - 10.0 * u[0]};
  };
  const Outcome outcome =
      simulate(makeSystem({{"a", broken}, {"b", gain(1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}), oneStep());
  EXPECT_EQ(outcome.kind, OutcomeKind::notFinite);
  EXPECT_TRUE(tells(outcome, "'a.y' is not finite")) << outcome.message;
}

TEST(IterationEnding, TheDefaultRetreatsFromWhereAModelHasNoValues) {
  // u = sqrt(1 - u) lives on u <= 1; plain iteration from u = 0.9 and the secant stay inside, from u = -5 they do not.
  Formula root = gain(1.0);
  root.output = [](const auto&, double, const auto& u) { return std::vector<double>{std::sqrt(1.0 - u[0])}; };
  coupling::System system =
      makeSystem({{"root", root}, {"same", gain(1.0)}}, {{"root.y", "same.u"}, {"same.y", "root.u"}});
  system.members[0].startValues.push_back({0, {-5.0}});
  core::Log log;
  Settings settings = oneStep();
  settings.algorithm.acceleration.kind = AcceleratorKind::automatic;
  settings.algorithm.atol = settings.algorithm.rtol = 1e-10;
  run::Run run(std::move(system), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  const Outcome outcome = run.simulate();
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_NEAR(std::get<double>(run.value("root.y")), (std::sqrt(5.0) - 1.0) / 2.0, 1e-9);
}

TEST(IterationEnding, AStepThatExplodedIsRepeatedShorterWhereStepControlMay) {
  // x' = u, u = -100 x: an iteration multiplies by 100 h, which explodes at h = 1 and converges below 0.01.
  Settings settings = oneStep();
  settings.end = 0.05;
  settings.step = 0.05;
  settings.algorithm.maxIterations = 200;
  settings.algorithm.initialisation = coupling::Initialisation::solve;
  settings.stepControl = {.kind = stepping::StepControlKind::convergence, .maxStep = 0.05};
  core::Log log;
  run::Run run(
      makeSystem({{"gain", gain(-100.0)}, {"x", test::integrator(1.0, 1.0)}}, {{"gain.y", "x.u"}, {"x.y", "gain.u"}}),
      settings, log);
  ASSERT_TRUE(run.initialise().ok());
  const Outcome outcome = run.simulate();
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_GE(run.statistics().repeatedSteps, 1U);
  EXPECT_GE(run.statistics().convergenceFailures, 1U);
  EXPECT_LT(run.statistics().largestStep, 0.01);
  // Implicit Euler lies above e^-5 and below what steps of 0.01 would give.
  EXPECT_GT(std::get<double>(run.value("x.y")), std::exp(-5.0));
  EXPECT_LT(std::get<double>(run.value("x.y")), std::pow(2.0, -5.0));

  settings.stepControl = {};
  run::Run fixed(
      makeSystem({{"gain", gain(-100.0)}, {"x", test::integrator(1.0, 1.0)}}, {{"gain.y", "x.u"}, {"x.y", "gain.u"}}),
      settings, log);
  ASSERT_TRUE(fixed.initialise().ok());
  EXPECT_EQ(fixed.simulate().kind, OutcomeKind::exploded);
}

}  // namespace
}  // namespace koppla::run
