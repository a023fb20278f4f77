// The first macro steps in steps of the master: how many, how long, and that they can be taken one at a time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/native/linear_state_space.hpp"
#include "koppla/solver/integrate.hpp"

#include "fmu_system.hpp"

namespace koppla::run::start_up_steps_test {
namespace {

using ::testing::HasSubstr;

constexpr double kMacroStep = 0.25;       // s
constexpr double kMicroStep = 0.0078125;  // s, of the master: 32 in a macro step

std::unique_ptr<subsystem::Subsystem> lag(solver::Kind kind, double microStep) {
  native::LinearStateSpace model;
  model.A = {{-1.0}};
  model.B = {{1.0}};
  model.C = {{1.0}};
  model.D = {{0.0}};
  model.inputs = {"u"};
  model.outputs = {"x"};
  return solver::integrate(native::linearStateSpace(model), {.kind = kind, .microStep = microStep});
}

coupling::System pair() {
  coupling::System system;
  system.members.push_back({"master", lag(solver::Kind::ode4, kMicroStep), {}});
  system.members.push_back({"slave", lag(solver::Kind::exact, 100.0), {}});
  koppla::test::connect(system, {{"master.x", "slave.u"}, {"slave.x", "master.u", -1.0, 1.0}});
  return system;
}

Settings started(unsigned degree) {
  Settings settings;
  settings.step = kMacroStep;
  settings.algorithm.kind = coupling::AlgorithmKind::gaussSeidel;
  settings.algorithm.degree = degree;
  settings.algorithm.startUp = coupling::StartUp::masterSlave;
  return settings;
}

/// As many macro steps as the degree has, each in 32 steps of the master, then one step each.
TEST(StartUpSteps, AreAsManyAsTheDegree) {
  for (const unsigned degree : {0U, 1U, 2U, 3U}) {
    core::Log log;
    run::Run run(pair(), started(degree), log);
    ASSERT_TRUE(run.initialise().ok());
    for (int n = 1; n <= 4; ++n) {
      const Outcome outcome = run.step();
      ASSERT_TRUE(outcome.ok()) << outcome.message;
      EXPECT_EQ(run.time(), kMacroStep * n);
    }
    EXPECT_TRUE(run.finished());
    const Statistics statistics = run.statistics();
    EXPECT_EQ(statistics.acceptedSteps, 4U);
    EXPECT_EQ(statistics.smallestStep, kMacroStep);
    EXPECT_EQ(statistics.largestStep, kMacroStep);
    const std::uint64_t solutions = degree * 32U + (4U - degree);
    EXPECT_EQ(statistics.algorithm.count, solutions) << degree;
    EXPECT_EQ(statistics.members[0].step.count, solutions) << degree;
    EXPECT_EQ(statistics.members[1].step.count, solutions) << degree;
  }
}

/// A run goes as far as it is asked while it starts, and no further.
TEST(StartUpSteps, EndWhereTheyAreAsked) {
  core::Log log;
  run::Run run(pair(), started(3), log);
  ASSERT_TRUE(run.initialise().ok());
  for (const auto& [until, expected] :
       {std::pair(0.1, 0.25), std::pair(0.25, 0.25), std::pair(0.5, 0.5), std::pair(0.6, 0.75), std::pair(1.0, 1.0)}) {
    ASSERT_TRUE(run.simulate(until).ok());
    EXPECT_EQ(run.time(), expected) << until;
  }
}

/// y = t + 5 t^2 and rtol = 0.1, so the first step of y, which is zero, is a tenth of the one that was given, 1 s. The
/// line through 0 and y(0.1) = 0.15 promises 0.3 for y(0.2) = 0.4: off by a quarter of it, where a tenth is allowed, as
/// a value counts as new only as long as it is zero.
TEST(StartUpSteps, AreWhatTheErrorTestOfTheNextOneBeginsWith) {
  native::LinearStateSpace parabola;
  parabola.A = {{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
  parabola.C = {{1.0, 0.0, 0.0}};
  parabola.outputs = {"x"};
  parabola.x0 = {0.0, 1.0, 10.0};
  coupling::System system;
  system.members.push_back(
      {"master",
       solver::integrate(native::linearStateSpace(parabola), {.kind = solver::Kind::ode4, .microStep = kMicroStep}),
       {}});
  system.members.push_back({"slave", lag(solver::Kind::exact, 100.0), {}});
  koppla::test::connect(system, {{"master.x", "slave.u"}});
  Settings settings = started(1);
  settings.step = 1.0;
  settings.algorithm.kind = coupling::AlgorithmKind::jacobi;
  settings.stepControl.kind = stepping::StepControlKind::predictorCorrector;
  settings.stepControl.rtol = 0.1;
  settings.stepControl.maxStep = 1.0;
  core::Log log;
  run::Run run(std::move(system), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.step().ok());
  EXPECT_DOUBLE_EQ(run.time(), 0.1);
  ASSERT_TRUE(run.step().ok());
  EXPECT_GE(run.statistics().errorTestFailures, 1U);
  EXPECT_LT(run.time(), 0.2);
}

TEST(StartUpSteps, CanBeInterrupted) {
  core::Log log;
  run::Run run(pair(), started(2), log);
  ASSERT_TRUE(run.initialise().ok());
  run.interrupt();
  const Outcome outcome = run.simulate();
  EXPECT_EQ(outcome.kind, OutcomeKind::interrupted);
  EXPECT_THAT(outcome.message, HasSubstr("Interrupted at 0 s, during start-up."));
  EXPECT_EQ(run.time(), 0.0);
  EXPECT_EQ(run.statistics().members[0].step.count, 1U);
}

}  // namespace
}  // namespace koppla::run::start_up_steps_test
