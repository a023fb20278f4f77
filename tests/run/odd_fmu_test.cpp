// Runs of FMUs that do what the standard allows, or nearly: the numbers must be right, or the run must say who is
// wrong.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fmu_system.hpp"

namespace koppla::run::odd_fmu_test {
namespace {

using coupling::AlgorithmKind;
using test::FmuPart;
using test::MemoryRecorder;

FmuPart odd(const std::string& name, const std::string& way, double x0 = 0.0, double at = 0.0) {
  return {name, "Odd", {{"way", way}, {"x0", x0}, {"at", at}}};
}

FmuPart gain(const std::string& name, double k) {
  return {name, "Gain", {{"k", k}}};
}

/// A run from its beginning to its end.
struct Finished {
  Finished(const std::vector<FmuPart>& parts, const std::vector<test::Link>& links, const Settings& settings) {
    core::Log log;
    log.addSink([this](core::Severity, std::string_view, std::string_view text) { messages.emplace_back(text); },
                core::Severity::info);
    run::Run run(test::fmuSystem(parts, links, log), settings, log, &recorder);
    outcome = run.initialise();
    if (outcome.ok()) outcome = run.simulate();
    time = run.time();
    finished = run.finished();
    run.end();
  }

  Outcome outcome;
  double time = 0.0;
  bool finished = false;
  std::vector<std::string> messages;
  MemoryRecorder recorder;
};

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Settings steps(double step, double end, AlgorithmKind kind = AlgorithmKind::jacobi) {
  Settings settings;
  settings.step = step;
  settings.end = end;
  settings.algorithm.kind = kind;
  return settings;
}

// --- Outputs that come with the end of initialisation mode -----------------------------------------------------------

/// The integrator gets -101 in the very first step, with every algorithm: x = -101 * 0.1. A value of initialisation
/// mode would be 0.
TEST(OddFmu, TheFirstStepTakesWhatOutputsAreAfterInitialisation) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::iteratedJacobi,
                                   AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::newton}) {
    Settings settings = steps(0.1, 0.2, kind);
    // The late one comes last, so that the other has to use what is known at the start.
    const Finished run({{"x", "Odd", {}}, {"late", "Odd", {{"way", std::string("late")}, {"x0", -101.0}, {"u", 0.0}}}},
                       {{"late.y", "x.u"}}, settings);
    ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
    EXPECT_EQ(run.recorder.of("late.y")[0], -101.0);
    EXPECT_DOUBLE_EQ(run.recorder.of("x.y")[1], -10.1) << static_cast<int>(kind);
    EXPECT_DOUBLE_EQ(run.recorder.of("x.y")[2], -20.2) << static_cast<int>(kind);
  }
}

/// Extrapolation of degree 1 rests on the value at the start as well: constant values stay what they are.
TEST(OddFmu, HistoriesBeginWithWhatOutputsAreAfterInitialisation) {
  Settings settings = steps(0.1, 0.5);
  settings.algorithm.degree = 1;
  const Finished run({{"x", "Odd", {}}, {"late", "Odd", {{"way", std::string("late")}, {"x0", -101.0}, {"u", 0.0}}}},
                     {{"late.y", "x.u"}}, settings);
  ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
  for (std::size_t k = 0; k <= 5; ++k) EXPECT_NEAR(run.recorder.of("x.y")[k], -10.1 * static_cast<double>(k), 1e-12);
}

/// Who depends on such an output through feed-through meets it while still in initialisation mode: 2 * -101.
TEST(OddFmu, FeedThroughBehindALateOutputIsRightAtTheStart) {
  const Finished run({odd("late", "late", -101.0), gain("twice", 2.0), {"x", "Odd", {}}},
                     {{"late.y", "twice.u"}, {"twice.y", "x.u"}}, steps(0.1, 0.1));
  ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
  EXPECT_EQ(run.recorder.of("twice.y")[0], -202.0);
  EXPECT_DOUBLE_EQ(run.recorder.of("x.y")[1], -20.2);
  bool told = false;
  for (const std::string& message : run.messages)
    told |= says(message, "leaving initialisation") && says(message, "late.y, twice.y");
  EXPECT_TRUE(told);
}

/// The same in a circle that is no algebraic loop, whatever the order of the steps: here both gains come before the
/// integrator of x' = -x, x(0) = 3, whose output they take.
TEST(OddFmu, FeedThroughBehindALateOutputIsRightAtTheStartOfACircle) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::newton}) {
    const Finished run({gain("twice", 2.0), gain("half", -0.5), odd("late", "late", 3.0)},
                       {{"late.y", "twice.u"}, {"twice.y", "half.u"}, {"half.y", "late.u"}}, steps(0.1, 0.1, kind));
    ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
    EXPECT_EQ(run.recorder.of("twice.y")[0], 6.0) << static_cast<int>(kind);
    EXPECT_EQ(run.recorder.of("half.y")[0], -3.0) << static_cast<int>(kind);
  }
}

// --- Who may return to where -----------------------------------------------------------------------------------------

/// x' = -x by an integrator and a gain; implicit coupling of held inputs: x(n+1) = x(n) / (1 + h).
TEST(OddFmu, IteratedStepsAreToldThatNobodyGoesBackBeforeTheirBeginning) {
  for (const AlgorithmKind kind :
       {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::iteratedJacobi, AlgorithmKind::newton}) {
    Settings settings = steps(0.1, 1.0, kind);
    settings.algorithm.rtol = 1e-10;
    settings.algorithm.atol = 1e-12;
    settings.algorithm.maxIterations = 100;
    for (const char* way : {"returns", "forgets"}) {
      const Finished run({odd("x", way, 1.0), gain("g", -1.0)}, {{"x.y", "g.u"}, {"g.y", "x.u"}}, settings);
      ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
      EXPECT_NEAR(run.recorder.of("x.y").back(), std::pow(1.1, -10.0), 1e-8) << way << " " << static_cast<int>(kind);
    }
  }
}

/// Where (k - 1) 0.1 + 0.1 is less than k 0.1, such as k = 6, an FMU's own clock would stand
/// before the beginning of the step, and so would the states that it saves there.
TEST(OddFmu, AnFmuThatDropsStatesOlderThanTheStepStillReturns) {
  ASSERT_LT(0.1 * 5 + 0.1, 0.1 * 6);
  for (const AlgorithmKind kind :
       {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::iteratedJacobi, AlgorithmKind::newton}) {
    Settings settings = steps(0.1, 5.0, kind);
    settings.algorithm.rtol = 1e-10;
    settings.algorithm.atol = 1e-12;
    settings.algorithm.maxIterations = 100;
    const Finished run({odd("x", "drops", 1.0), gain("g", -1.0)}, {{"x.y", "g.u"}, {"g.y", "x.u"}}, settings);
    ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
    EXPECT_NEAR(run.recorder.of("x.y").back(), std::pow(1.1, -50.0), 1e-8) << static_cast<int>(kind);
  }
}

/// One that takes no other step than the nominal one cannot be helped: it is right until its clock stands before a
/// step's beginning, and stopped there. The first such beginning is 6 * 0.1.
TEST(OddFmu, AnFmuThatCannotReturnFromThereStopsTheRun) {
  Settings settings = steps(0.1, 5.0, AlgorithmKind::iteratedGaussSeidel);
  settings.algorithm.rtol = 1e-10;
  settings.algorithm.atol = 1e-12;
  settings.algorithm.maxIterations = 100;
  const Finished run({odd("culprit", "exact-drops", 1.0, 0.1), gain("g", -1.0)},
                     {{"culprit.y", "g.u"}, {"g.y", "culprit.u"}}, settings);
  EXPECT_EQ(run.outcome.kind, OutcomeKind::subsystemFailed);
  EXPECT_TRUE(says(run.outcome.message, "'culprit'") && says(run.outcome.message, "fmi2SetFMUstate"))
      << run.outcome.message;
  ASSERT_EQ(run.recorder.times.size(), 7U);
  EXPECT_NEAR(run.recorder.of("culprit.y").back(), std::pow(1.1, -6.0), 1e-8);
}

/// Iterations, probes, shortened and double steps all go back.
TEST(OddFmu, AnFmuThatDoesNotReturnStopsTheRunBeforeItsFirstStep) {
  std::vector<Settings> all;
  for (const AlgorithmKind kind :
       {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::iteratedJacobi, AlgorithmKind::newton})
    all.push_back(steps(0.1, 1.0, kind));
  all.push_back(steps(0.1, 1.0));
  all.back().onDiscard = OnDiscard::shorten;
  all.push_back(steps(0.1, 1.0, AlgorithmKind::gaussSeidel));
  all.back().stepControl.kind = stepping::StepControlKind::doubleStep;
  for (const Settings& settings : all) {
    const Finished run({odd("culprit", "stays", 1.0), gain("g", -1.0)}, {{"culprit.y", "g.u"}, {"g.y", "culprit.u"}},
                       settings);
    EXPECT_EQ(run.outcome.kind, OutcomeKind::subsystemFailed) << run.outcome.message;
    EXPECT_TRUE(says(run.outcome.message, "'culprit'") && says(run.outcome.message, "fmi2SetFMUstate") &&
                says(run.outcome.message, "gauss-seidel"))
        << run.outcome.message;
    EXPECT_EQ(run.recorder.times.size(), 1U);
    EXPECT_FALSE(run.recorder.completed);
  }
}

/// Nobody asks it to return.
TEST(OddFmu, AnFmuThatDoesNotReturnIsUsedWhereNoStepIsRepeated) {
  const Finished run({odd("x", "stays", 1.0), gain("g", -1.0)}, {{"x.y", "g.u"}, {"g.y", "x.u"}}, steps(0.1, 1.0));
  ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
}

Settings doubleSteps(double end) {
  Settings settings = steps(0.1, end, AlgorithmKind::gaussSeidel);
  settings.stepControl.kind = stepping::StepControlKind::doubleStep;
  settings.stepControl.maxStep = 0.1;
  return settings;
}

/// Its second halves contradict the whole steps, so that no step passes the error test once it has something to go back
/// to: x = t / 2 is right so far, and nothing wrong follows.
TEST(OddFmu, AnFmuThatGoesBackByItselfInSecondHalvesStopsTheRun) {
  for (const char* way : {"returns", "forgets"}) {
    Settings settings = doubleSteps(5.0);
    settings.stepControl.estimate = stepping::Estimate::nicolai;  // from the first step on
    const Finished run({odd("culprit", way), gain("g", 1.0)}, {{"culprit.y", "g.u"}}, settings);
    EXPECT_EQ(run.outcome.kind, OutcomeKind::notConverged) << run.outcome.message;
    ASSERT_EQ(run.recorder.times.size(), 2U) << way;
    EXPECT_DOUBLE_EQ(run.recorder.of("culprit.y").back(), 0.05);
    EXPECT_FALSE(run.recorder.completed);
  }
}

/// Pieces of a waveform behind the first one may be repeated from before.
TEST(OddFmu, AnFmuThatGoesBackByItselfInAWaveformStopsTheRunWithItsName) {
  Settings settings = steps(0.1, 5.0, AlgorithmKind::iteratedGaussSeidel);
  settings.algorithm.waveform = 2;
  settings.algorithm.degree = 1;
  const Finished run({odd("culprit", "returns"), gain("g", 0.0)},
                     {{"culprit.y", "g.u"}, {"g.y", "culprit.u", 1.0, 0.5}}, settings);
  EXPECT_EQ(run.outcome.kind, OutcomeKind::subsystemFailed);
  EXPECT_TRUE(says(run.outcome.message, "'culprit'")) << run.outcome.message;
}

/// At rest for long, and then moved by a step of its input: neither is accused, and the answer is right.
TEST(OddFmu, ASystemAtRestIsNotAccused) {
  for (const double x0 : {0.0, 3.0}) {
    const Finished run({{"x", "Odd", {{"u", 0.0}, {"x0", x0}}}, gain("g", 1.0)}, {{"x.y", "g.u"}}, doubleSteps(10.0));
    ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
    EXPECT_EQ(run.recorder.of("g.y").back(), x0);
  }
}

TEST(OddFmu, AMovingSystemIsRightInHalvesAndWaveforms) {
  const Finished halves({odd("x", ""), gain("g", 1.0)}, {{"x.y", "g.u"}}, doubleSteps(5.0));
  ASSERT_TRUE(halves.outcome.ok()) << halves.outcome.message;
  EXPECT_NEAR(halves.recorder.of("x.y").back(), 2.5, 1e-12);
}

// --- Step sizes ------------------------------------------------------------------------------------------------------

/// 0.07 + 0.01 - 0.07 is 0.009999999999999995 in doubles: an FMU that takes 0.01 only must get that, 100 times.
TEST(OddFmu, StepsOnTheGridHaveTheLengthThatIsMeant) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::iteratedGaussSeidel}) {
    const Finished run({odd("x", "exact", 0.0, 0.01), gain("g", 0.0)}, {{"x.y", "g.u"}, {"g.y", "x.u", 1.0, 0.5}},
                       steps(0.01, 1.0, kind));
    ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
    EXPECT_EQ(run.recorder.times.size(), 101U);
    EXPECT_NEAR(run.recorder.of("x.y").back(), 0.5, 1e-13);
  }
}

/// Two pieces of a step of 0.02 are 0.01 long each.
TEST(OddFmu, PiecesOfAWaveformHaveTheLengthThatIsMeant) {
  Settings settings = steps(0.02, 1.0, AlgorithmKind::iteratedGaussSeidel);
  settings.algorithm.waveform = 2;
  settings.algorithm.degree = 1;
  const Finished run({odd("x", "exact", 0.0, 0.01), gain("g", 0.0)}, {{"x.y", "g.u"}, {"g.y", "x.u", 1.0, 0.5}},
                     settings);
  ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
  EXPECT_NEAR(run.recorder.of("x.y").back(), 0.5, 1e-13);
}

/// A rest of half a billionth of a step is no step of its own, but x' = 0.5 is recorded where it stands: at the end.
TEST(OddFmu, TheLastStepLeadsToTheEnd) {
  for (const double rest : {5e-11, -5e-11}) {
    const Finished run({odd("x", "")}, {}, steps(0.1, 1.0 + rest));
    ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
    ASSERT_EQ(run.recorder.times.size(), 11U);
    EXPECT_EQ(run.recorder.times.back(), 1.0 + rest);
    EXPECT_NEAR(run.recorder.of("x.y").back(), 0.5 * (1.0 + rest), 1e-14);
  }
}

// --- Inputs that cannot be read --------------------------------------------------------------------------------------

/// In the loop y = u is what the start value of the hidden input says: nothing else determines it.
TEST(OddFmu, AnInputThatCannotBeReadBeginsWithItsStartValue) {
  const Finished run({odd("x", "hides"), gain("g", 1.0)}, {{"g.y", "x.u"}}, steps(0.1, 1.0));
  ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
  bool told = false;
  for (const std::string& message : run.messages) told |= says(message, "'u' cannot be read") && says(message, "0.5");
  EXPECT_TRUE(told);
}

// --- FMUs that ask to end --------------------------------------------------------------------------------------------

/// x = 0.5 t at its own end, which is a communication point but for rounding.
TEST(OddFmu, AnEndAtACommunicationPointIsTheEndOfTheRun) {
  for (const AlgorithmKind kind :
       {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::newton}) {
    Settings settings = steps(0.1, 1.0, kind);
    settings.outputInterval = 0.25;
    const Finished run({gain("before", 1.0), odd("clock", "ends", 0.0, 0.7), odd("x", "")},
                       {{"clock.y", "before.u"}, {"before.y", "x.u"}}, settings);
    ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
    EXPECT_TRUE(says(run.outcome.message, "'clock' asked to end the simulation at 0.7 s of 1 s"))
        << run.outcome.message;
    EXPECT_TRUE(run.finished);
    EXPECT_DOUBLE_EQ(run.time, 0.7);
    EXPECT_TRUE(run.recorder.completed);
    ASSERT_EQ(run.recorder.times.size(), 4U);  // 0, 0.3, 0.5 and the end
    EXPECT_DOUBLE_EQ(run.recorder.times.back(), 0.7);
    EXPECT_DOUBLE_EQ(run.recorder.of("clock.y").back(), 0.35);
  }
}

TEST(OddFmu, AnEndInsideAStepIsReachedByAnFmuAlone) {
  const Finished run({odd("clock", "ends", 0.0, 0.73)}, {}, steps(0.1, 1.0));
  ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
  EXPECT_DOUBLE_EQ(run.time, 0.73);
  EXPECT_DOUBLE_EQ(run.recorder.times.back(), 0.73);
  EXPECT_DOUBLE_EQ(run.recorder.of("clock.y").back(), 0.365);
  EXPECT_TRUE(run.recorder.completed);
}

/// The other has gone to 0.8 s or stayed at 0.7 s: no row can be right there.
TEST(OddFmu, AnEndInsideAStepThatNobodyCanRepeatEndsAtTheLastAcceptedPoint) {
  for (const bool first : {true, false}) {
    std::vector<FmuPart> parts{odd("clock", "ends", 0.0, 0.73), odd("x", "")};
    if (!first) std::swap(parts[0], parts[1]);
    const Finished run(parts, {}, steps(0.1, 1.0));
    ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
    EXPECT_TRUE(says(run.outcome.message, "0.73 s")) << run.outcome.message;
    EXPECT_DOUBLE_EQ(run.time, 0.7);
    EXPECT_DOUBLE_EQ(run.recorder.times.back(), 0.7);
    EXPECT_DOUBLE_EQ(run.recorder.of("x.y").back(), 0.35);
    EXPECT_TRUE(run.recorder.completed);
  }
}

/// In a cycle the values that made it ask may be those of an iterate.
TEST(OddFmu, AnEndInsideAnIteratedStepThatNobodyRepeatsIsDoubted) {
  const Finished run({odd("clock", "ends", 0.0, 0.73), gain("g", -1.0)}, {{"clock.y", "g.u"}, {"g.y", "clock.u"}},
                     steps(0.1, 1.0, AlgorithmKind::iteratedGaussSeidel));
  EXPECT_DOUBLE_EQ(run.recorder.times.back(), 0.7);
  bool doubted = false;
  for (const std::string& message : run.messages)
    doubted |= says(message, "'clock' asked to end inside the step that begins at 0.7 s, in an iterate");
  EXPECT_TRUE(doubted);
}

TEST(OddFmu, AnEndInsideAStepThatCanBeRepeatedIsReachedByAll) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::iteratedGaussSeidel}) {
    Settings settings = steps(0.1, 1.0, kind);
    settings.onDiscard = OnDiscard::shorten;
    const Finished run({odd("x", ""), odd("clock", "ends", 0.0, 0.73)}, {}, settings);
    ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
    EXPECT_DOUBLE_EQ(run.time, 0.73);
    EXPECT_DOUBLE_EQ(run.recorder.times.back(), 0.73);
    EXPECT_DOUBLE_EQ(run.recorder.of("x.y").back(), 0.365);
    EXPECT_DOUBLE_EQ(run.recorder.of("clock.y").back(), 0.365);
    EXPECT_TRUE(run.recorder.completed);
  }
}

TEST(OddFmu, StepByStepARunThatIsOverStaysWhereItIs) {
  core::Log log;
  run::Run run(test::fmuSystem({odd("clock", "ends", 0.0, 0.2)}, {}, log), steps(0.1, 1.0), log);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.step().ok());
  EXPECT_FALSE(run.finished());
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = run.step();
    EXPECT_TRUE(outcome.ok() && says(outcome.message, "asked to end")) << outcome.message;
    EXPECT_TRUE(run.finished());
    EXPECT_DOUBLE_EQ(run.time(), 0.2);
  }
}

// --- Threads ---------------------------------------------------------------------------------------------------------

/// Code that is not ours may keep what it works with in memory of a thread: all steps of an instance come from one.
/// With work of 0.2 ms a step threads pay, so that whoever chose by that would begin with one and go on with two.
TEST(OddFmu, TakesAllItsStepsOnOneThread) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::iteratedJacobi})
    for (const unsigned degree : {0U, 1U})
      for (const unsigned threads : {0U, 2U, 5U}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(kind)) + " " + std::to_string(degree) + " " +
                     std::to_string(threads));
        Settings settings = steps(0.1, 1.0, kind);
        settings.algorithm.degree = degree;
        settings.threads = threads;
        const Finished run({odd("a", "threads", 1.0, 2e-4), odd("b", "threads", 0.0, 2e-4)},
                           {{"a.y", "b.u"}, {"b.y", "a.u"}}, settings);
        ASSERT_TRUE(run.outcome.ok()) << run.outcome.message;
        EXPECT_EQ(run.recorder.of("a.calls").back(), 0.0);
        EXPECT_EQ(run.recorder.of("b.calls").back(), threads == 0 ? 0.0 : 1.0);
      }
}

/// Those who did not ask for threads are told that they would pay.
TEST(OddFmu, SaysThatThreadsWouldPay) {
  const Finished run({odd("a", "threads", 1.0, 2e-4), odd("b", "threads", 0.0, 2e-4)}, {{"a.y", "b.u"}, {"b.y", "a.u"}},
                     steps(0.1, 1.0));
  EXPECT_EQ(std::ranges::count_if(run.messages,
                                  [](const std::string& text) {
                                    return says(text, "steps of a, b take long enough") &&
                                           says(text, "simulation.threads = 2 gives each of them a thread");
                                  }),
            1);
}

}  // namespace
}  // namespace koppla::run::odd_fmu_test
