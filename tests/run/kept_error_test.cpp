// Step control that keeps the coupling error: where steps begin, what is repeated, what stays and is told.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/coupling/system.hpp"

#include "fmu_system.hpp"
#include "state_member.hpp"

namespace koppla::run::kept_error_test {
namespace {

using coupling::AlgorithmKind;
using stepping::StepControlKind;
using test::Formula;
using test::integrator;
using test::makeSystem;
using test::MemoryRecorder;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Controlled {
  Controlled(coupling::System system, const Settings& settings) {
    core::Log log;
    log.addSink([this](core::Severity, std::string_view, std::string_view text) { warnings.emplace_back(text); },
                core::Severity::warning);
    Run run(std::move(system), settings, log, {&rows});
    outcome = run.initialise();
    if (outcome.ok()) outcome = run.simulate();
    statistics = run.statistics();
    run.close();
  }

  MemoryRecorder rows;
  Outcome outcome;
  Statistics statistics;
  std::vector<std::string> warnings;
};

Settings controlled(StepControlKind kind, double step = 0.1) {
  Settings settings;
  settings.step = step;
  settings.algorithm.kind = AlgorithmKind::gaussSeidel;
  settings.stepControl.kind = kind;
  settings.stepControl.rtol = 1e-4;
  return settings;
}

Formula course(std::function<double(double)> f, bool saves = true) {
  Formula formula = test::clockSignal();
  formula.output = [f](const auto&, double t, const auto&) { return std::vector<double>{f(t)}; };
  formula.capabilities.saveRestore = saves;
  return formula;
}

/// An integrator that follows a signal of time.
coupling::System following(const std::function<double(double)>& f, bool saves = true) {
  Formula follower = integrator();
  follower.capabilities.saveRestore = saves;
  return makeSystem({{"x", follower}, {"signal", course(f, saves)}}, {{"signal.y", "x.u"}});
}

constexpr StepControlKind kBoth[]{StepControlKind::doubleStep, StepControlKind::predictorCorrector};

/// Nothing is known before the first step: if a value changes by its size in the step that was given, 0.1 s, it changes
/// in this one by what is allowed.
TEST(KeptError, TheFirstStepChangesValuesByTheirTolerance) {
  for (const StepControlKind kind : kBoth) {
    const Controlled run(following([](double t) { return std::cos(t); }), controlled(kind));
    ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
    EXPECT_NEAR(run.rows.times.at(1), 0.1 * 1e-4, 1e-15);
    EXPECT_EQ(run.statistics.errorTestFailures, 0U);
  }
}

/// cos(1000 t) moves a hundred times its size in the step that was given, so the first step is too long.
TEST(KeptError, WhatIsTooLongIsRepeatedWhereMembersCan) {
  for (const StepControlKind kind : kBoth) {
    const Controlled run(following([](double t) { return std::cos(1000.0 * t + 1.0); }), controlled(kind));
    ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
    EXPECT_LT(run.rows.times.at(1), 0.1 * 1e-4);
    EXPECT_GE(run.statistics.errorTestFailures, 1U);
    EXPECT_EQ(run.statistics.repeatedSteps, run.statistics.errorTestFailures);
    EXPECT_THAT(run.warnings, IsEmpty());
  }
}

TEST(KeptError, WhatIsTooLongStaysWhereMembersCannotGoBackAndIsTold) {
  Settings settings = controlled(StepControlKind::predictorCorrector);
  settings.algorithm.degree = 1;
  const Controlled run(following([](double t) { return std::cos(1000.0 * t + 1.0); }, false), settings);
  ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
  EXPECT_NEAR(run.rows.times.at(1), 0.1 * 1e-4, 1e-15);
  EXPECT_GE(run.statistics.errorTestFailures, 1U);
  EXPECT_EQ(run.statistics.repeatedSteps, 0U);
  EXPECT_THAT(run.warnings, ElementsAre(AllOf(HasSubstr("the step from 0 s to 1e-05 s has a coupling error of"),
                                              HasSubstr("since these subsystems cannot repeat a step: x, signal."),
                                              HasSubstr("Further ones are counted as failures of the error test"))));
}

/// The estimate of the source never repeats anything.
TEST(KeptError, SchmollsEstimateRepeatsNothing) {
  Settings settings = controlled(StepControlKind::predictorCorrector, 1e-4);
  settings.stepControl.estimate = stepping::Estimate::schmoll;
  const Controlled run(following([](double t) { return std::cos(1000.0 * t); }), settings);
  ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
  EXPECT_EQ(run.rows.times.at(1), 1e-4);
  EXPECT_GE(run.statistics.errorTestFailures, 1U);
  EXPECT_EQ(run.statistics.repeatedSteps, 0U);
  EXPECT_THAT(run.warnings, IsEmpty());
}

/// What was zero until then has no size that an error could be compared with, and needs no help: x' = max(0, t - 0.5).
TEST(KeptError, AValueMayLeaveZeroAtAnyTime) {
  for (const StepControlKind kind : kBoth) {
    const Controlled run(following([](double t) { return std::fmax(0.0, t - 0.5); }), controlled(kind));
    ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
    EXPECT_NEAR(run.rows.of("x.y").back(), 0.125, 10.0 * 1e-4 * 0.125);
  }
}

/// x' = 1 until 0.3 s, then 2: one subsystem sees it at a communication point only.
TEST(KeptError, AJumpIsMetByShortSteps) {
  for (const StepControlKind kind : kBoth) {
    const Controlled run(following([](double t) { return t < 0.3 ? 1.0 : 2.0; }), controlled(kind));
    ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
    EXPECT_NEAR(run.rows.of("x.y").back(), 0.3 + 1.4, 10.0 * 1e-4 * 1.7);
  }
}

/// A counter that moves by 1 at every communication point: between two of them its value is the one that counts.
TEST(KeptError, WhatChangesAtPointsOnlyHasNoErrorBetweenThem) {
  const auto failures = [](bool discrete) {
    test_support::StateModel counter;
    counter.inputs.clear();
    counter.states = {1.0};
    counter.discrete = discrete;
    counter.step = [](const auto& x, double, const auto&) { return std::vector<double>{x[0] + 1.0}; };
    test_support::StateModel sum;
    sum.states = {0.0};
    sum.degree = 1;
    sum.step = [](const auto& x, double h, const auto& u) { return std::vector<double>{x[0] + h * u(0, 0)}; };
    coupling::System system;
    system.members.push_back({"counter", std::make_unique<test_support::StateMember>(std::move(counter)), {}});
    system.members.push_back({"sum", std::make_unique<test_support::StateMember>(std::move(sum)), {}});
    test::connect(system, {{"counter.y", "sum.u"}});
    Settings settings = controlled(StepControlKind::predictorCorrector);
    settings.stepControl.minStep = 1e-3;
    return Controlled(std::move(system), settings).statistics.errorTestFailures;
  };
  EXPECT_EQ(failures(true), 0U);
  EXPECT_GT(failures(false), 0U);
}

/// What is evaluated at communication points takes a value there, so between them there is nothing to be off by.
TEST(KeptError, WhatOnlyALawTakesHasNoErrorBetweenPoints) {
  const auto failures = [](bool evaluatedAtPoints) {
    Formula signal = course([](double t) { return std::cos(1000.0 * t + 1.0); });
    signal.capabilities.isStatic = true;
    Formula law = test::gain(2.0);
    law.capabilities.isStatic = evaluatedAtPoints;
    Settings settings = controlled(StepControlKind::predictorCorrector);
    settings.stepControl.leastDegree = 0;
    settings.stepControl.minStep = 1e-3;
    return Controlled(
               makeSystem({{"signal", signal}, {"law", law}, {"x", integrator(1.0, 1.0)}}, {{"signal.y", "law.u"}}),
               settings)
        .statistics.errorTestFailures;
  };
  EXPECT_EQ(failures(true), 0U);
  EXPECT_GT(failures(false), 0U);
}

/// An FMU that gives t / 2 and has an input that nobody connects, with what reads it.
coupling::System oddFmu(const std::string& way, core::Log& log) {
  return test::fmuSystem({{"x", "Odd", {{"way", way}}}, {"g", "Gain", {{"k", 1.0}}}}, {{"x.y", "g.u"}}, log);
}

/// Its second halves contradict the whole steps. The first step is so short that what it does wrong is within the
/// tolerance of a value that was zero; none follows.
TEST(KeptError, AnFmuThatGoesBackByItselfStopsTheRun) {
  for (const char* way : {"returns", "forgets"}) {
    core::Log log;
    const Controlled run(oddFmu(way, log), controlled(StepControlKind::doubleStep));
    EXPECT_THAT(run.outcome.kind, AnyOf(OutcomeKind::notConverged, OutcomeKind::subsystemFailed)) << way;
    EXPECT_LT(run.rows.times.back(), 1e-4) << way;
    EXPECT_NEAR(run.rows.of("x.y").back(), 0.5 * run.rows.times.back(), 1e-5) << way;
    EXPECT_FALSE(run.rows.completed);
  }
}

TEST(KeptError, AnFmuWithoutConnectedInputsIsSteppedInHalves) {
  core::Log log;
  Settings settings = controlled(StepControlKind::doubleStep);
  settings.algorithm.degree = 1;
  const Controlled run(oddFmu("", log), settings);
  ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
  EXPECT_NEAR(run.rows.of("x.y").back(), 0.5, 1e-12);
}

}  // namespace
}  // namespace koppla::run::kept_error_test
