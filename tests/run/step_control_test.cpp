// Step control in odd situations: nobody is left behind, nothing runs for ever, no broken value is kept.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "fmu_system.hpp"

namespace koppla::run {
namespace {

using coupling::AlgorithmKind;
using coupling::WithoutConvergence;
using stepping::StepControlKind;
using test::Formula;
using test::gain;
using test::integrator;
using test::makeSystem;

/// Its own clock: adds up the steps that it really made.
Formula stopwatch() {
  return {.inputs = {"u"},
          .outputs = {"elapsed"},
          .states = {0.0},
          .step = [](auto& x, double, double h, const auto&) { x[0] += h; },
          .output = [](const auto& x, double, const auto&) { return x; },
          .feedThrough = false};
}

/// A relay against an integrator: has no solution, so no iteration converges, and a stopwatch behind it.
coupling::System relayLoop() {
  Formula relay = gain(1);
  relay.output = [](const auto&, double, const auto& u) { return std::vector<double>{u[0] > 0.0 ? -1.0 : 1.0}; };
  return makeSystem({{"relay", relay}, {"x", integrator()}, {"watch", stopwatch()}},
                    {{"x.y", "relay.u"}, {"relay.y", "x.u"}, {"x.y", "watch.u"}});
}

Settings controlled(StepControlKind kind) {
  Settings settings;
  settings.step = 0.1;
  settings.algorithm.kind = AlgorithmKind::iteratedGaussSeidel;
  settings.stepControl.kind = kind;
  return settings;
}

TEST(StepControl, AStepThatIsAcceptedAnywayHasSteppedEverybody) {
  for (const StepControlKind kind : {StepControlKind::convergence, StepControlKind::doubleStep}) {
    Settings settings = controlled(kind);
    settings.stepControl.minStep = settings.stepControl.maxStep = 0.1;
    settings.algorithm.withoutConvergence = WithoutConvergence::accept;
    core::Log log;
    run::Run run(relayLoop(), settings, log);
    ASSERT_TRUE(run.initialise().ok());
    ASSERT_TRUE(run.simulate().ok());
    EXPECT_NEAR(std::get<double>(run.value("watch.elapsed")), 1.0, 1e-12);
  }
}

TEST(StepControl, LateTimesWithShortStepsComeToAnEnd) {
  // The rounding of t is larger than a billionth of the least step here.
  Settings settings = controlled(StepControlKind::convergence);
  settings.start = 10000.0;
  settings.end = 10000.001;
  settings.step = 0.0007;
  settings.stepControl.minStep = 1e-5;
  core::Log log;
  run::Run run(relayLoop(), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  EXPECT_EQ(run.simulate().kind, OutcomeKind::notConverged);
}

TEST(StepControl, AStepBelowTheResolutionOfTimeIsNeverTaken) {
  Settings settings = controlled(StepControlKind::convergence);
  settings.start = 1e9;
  settings.end = 1e9 + 1.0;
  core::Log log;
  run::Run run(relayLoop(), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  EXPECT_EQ(run.simulate().kind, OutcomeKind::notConverged);
}

TEST(StepControl, ABrokenValueIsNotKeptBecauseTheStepIsUntested) {
  Formula bad = test::clockSignal();
  bad.output = [](const auto&, double t, const auto&) { return std::vector<double>{t > 0.5 ? std::nan("") : t}; };
  Settings settings = controlled(StepControlKind::convergence);
  settings.step = settings.stepControl.maxStep = 0.01;
  settings.stepControl.untestedBelow = 0.01;
  core::Log log;
  run::Run run(makeSystem({{"bad", bad}, {"g", gain(1)}}, {{"bad.y", "g.u"}}), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  EXPECT_EQ(run.simulate().kind, OutcomeKind::notFinite);
}

TEST(StepControl, ASettingThatIsNoRunIsRefused) {
  core::Log log;
  Settings settings;
  EXPECT_THROW(run::Run(relayLoop(), settings, log), core::InputError);
  settings.step = 0.1;
  settings.end = settings.start;
  EXPECT_THROW(run::Run(relayLoop(), settings, log), core::InputError);
}

}  // namespace
}  // namespace koppla::run
