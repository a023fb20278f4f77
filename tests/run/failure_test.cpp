// What a run does when something goes wrong: the right outcome, a message with who, where and what to do, all rows
// kept.

#include <cmath>

#include <gtest/gtest.h>

#include "fmu_system.hpp"

namespace koppla::run::failure_test {
namespace {

using coupling::AlgorithmKind;
using test::Formula;
using test::gain;
using test::integrator;
using test::makeSystem;
using test::MemoryRecorder;

Settings tenSteps() {
  Settings settings;
  settings.step = 0.1;
  return settings;
}

Outcome simulate(coupling::System system, const Settings& settings, MemoryRecorder& recorder) {
  core::Log log;
  run::Run run(std::move(system), settings, log, &recorder);
  Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  return outcome;
}

TEST(Failure, AnExplosionStopsTheRunWithItsPlaceAndKeepsTheRows) {
  // x doubles tenfold every step: 10^k passes 1e3 in step 4.
  Formula growing = integrator();
  growing.step = [](auto& x, double, double, const auto&) { x[0] *= 10.0; };
  growing.states = {1.0};
  Settings settings = tenSteps();
  settings.explosionLimit = 1e3;
  MemoryRecorder recorder;
  const Outcome outcome = simulate(makeSystem({{"x", growing}, {"g", gain(1)}}, {{"x.y", "g.u"}}), settings, recorder);
  EXPECT_EQ(outcome.kind, OutcomeKind::exploded);
  EXPECT_NE(outcome.message.find("'x.y' exploded to 10000"), std::string::npos) << outcome.message;
  EXPECT_EQ(recorder.times.size(), 4U);
  EXPECT_TRUE(recorder.abandoned);
  EXPECT_FALSE(recorder.completed);
}

TEST(Failure, ANonFiniteRecordedVariableStopsTheRunToo) {
  Formula bad = gain(1);
  bad.output = [](const auto&, double t, const auto&) { return std::vector<double>{t > 0.45 ? std::nan("") : 0.0}; };
  MemoryRecorder recorder;
  const Outcome outcome = simulate(makeSystem({{"lonely", bad}}, {}), tenSteps(), recorder);
  EXPECT_EQ(outcome.kind, OutcomeKind::notFinite);
  EXPECT_NE(outcome.message.find("lonely.y"), std::string::npos) << outcome.message;
  EXPECT_EQ(recorder.times.size(), 5U);
}

TEST(Failure, ABrokenLastRowLeavesTheResultsPartial) {
  Formula bad = test::clockSignal();
  bad.output = [](const auto&, double t, const auto&) { return std::vector<double>{t >= 1.0 ? std::nan("") : t}; };
  MemoryRecorder recorder;
  const Outcome outcome = simulate(makeSystem({{"bad", bad}}, {}), tenSteps(), recorder);
  EXPECT_EQ(outcome.kind, OutcomeKind::notFinite);
  EXPECT_EQ(recorder.times.size(), 10U);
  EXPECT_FALSE(recorder.completed);
  EXPECT_TRUE(recorder.abandoned);
}

TEST(Failure, ADiscardedStepStopsWithTheTimeReachedAndTheRemedy) {
  core::Log log;
  MemoryRecorder recorder;
  Settings settings = tenSteps();
  const Outcome outcome = simulate(
      test::fmuSystem({{"d", "Discarding", {{"maxStep", 0.04}, {"wall", 100.0}}}}, {}, log), settings, recorder);
  EXPECT_EQ(outcome.kind, OutcomeKind::subsystemFailed);
  EXPECT_NE(outcome.message.find("reached 0.04 s"), std::string::npos) << outcome.message;
  EXPECT_NE(outcome.message.find("on_discard"), std::string::npos) << outcome.message;
}

TEST(Failure, ADiscardedStepIsRepeatedToWhereTheSubsystemGotIfAsked) {
  core::Log log;
  MemoryRecorder recorder;
  Settings settings = tenSteps();
  settings.onDiscard = OnDiscard::shorten;
  const Outcome outcome = simulate(
      test::fmuSystem({{"d", "Discarding", {{"maxStep", 0.04}, {"wall", 100.0}}}}, {}, log), settings, recorder);
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  // 0.1 = 0.04 + 0.04 + 0.02: three steps for one, and the grid is met again.
  EXPECT_EQ(recorder.times.size(), 31U);
  EXPECT_DOUBLE_EQ(recorder.times[1], 0.04);
  EXPECT_EQ(recorder.times[3], 0.1);
  EXPECT_EQ(recorder.times.back(), 1.0);
}

TEST(Failure, AFailingFmuIsQuotedWithNameAndTime) {
  core::Log log;
  MemoryRecorder recorder;
  const Outcome outcome =
      simulate(test::fmuSystem({{"bad", "Failing", {{"call", std::string("doStep")}, {"at", 0.45}}}}, {}, log),
               tenSteps(), recorder);
  EXPECT_EQ(outcome.kind, OutcomeKind::subsystemFailed);
  EXPECT_NE(outcome.message.find("'bad'"), std::string::npos) << outcome.message;
  EXPECT_NE(outcome.message.find("fmi2DoStep"), std::string::npos) << outcome.message;
  EXPECT_FALSE(recorder.completed);
}

TEST(Failure, AnUnsolvableInitialLoopIsReportedWithItsOutputs) {
  MemoryRecorder recorder;
  const Outcome outcome = simulate(
      makeSystem({{"a", gain(1.0, 1.0)}, {"b", gain(1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}), tenSteps(), recorder);
  EXPECT_EQ(outcome.kind, OutcomeKind::notConverged);
  EXPECT_NE(outcome.message.find("a.y, b.y"), std::string::npos) << outcome.message;
}

TEST(Failure, AnExplicitAlgorithmOnAnAlgebraicLoopWarnsWithTheGain) {
  for (const bool explicitly : {true, false}) {
    core::Log log;
    std::vector<std::string> warnings;
    log.addSink([&](core::Severity, std::string_view, std::string_view message) { warnings.emplace_back(message); },
                core::Severity::warning);
    Settings settings = tenSteps();
    settings.algorithm.kind = explicitly ? AlgorithmKind::gaussSeidel : AlgorithmKind::newton;
    run::Run run(makeSystem({{"a", gain(2.0, 1.0)}, {"b", gain(2.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}), settings,
                 log);
    ASSERT_TRUE(run.initialise().ok());
    ASSERT_EQ(warnings.size(), explicitly ? 1U : 0U);
    if (explicitly) {
      EXPECT_NE(warnings[0].find("a.y, b.y"), std::string::npos) << warnings[0];
      EXPECT_NE(warnings[0].find("growth per step: 4)"), std::string::npos) << warnings[0];
      EXPECT_NE(warnings[0].find("diverge"), std::string::npos) << warnings[0];
    }
  }
}

TEST(Failure, AnInterruptedRunEndsAfterTheStepAndSaysWhere) {
  core::Log log;
  MemoryRecorder recorder;
  run::Run run(makeSystem({{"x", integrator()}}, {}), tenSteps(), log, &recorder);
  ASSERT_TRUE(run.initialise().ok());
  run.interrupt();
  EXPECT_EQ(run.simulate().kind, OutcomeKind::interrupted);
  run.end();
  EXPECT_EQ(recorder.times.size(), 2U);
  EXPECT_TRUE(recorder.abandoned);
}

}  // namespace
}  // namespace koppla::run::failure_test
