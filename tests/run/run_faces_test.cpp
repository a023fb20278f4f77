// What a run tells of itself: values by name, the order, rows, words; and how far it goes.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/subsystem/detail/wrapper.hpp"

#include "fmu_system.hpp"
#include "state_member.hpp"
#include "support/message_of.hpp"

namespace koppla::run::run_faces_test {
namespace {

using coupling::AlgorithmKind;
using koppla::test::messageOf;
using test::Formula;
using test::gain;
using test::integrator;
using test::makeSystem;
using test::MemoryRecorder;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Settings steps(double step, double end = 1.0, AlgorithmKind kind = AlgorithmKind::jacobi) {
  Settings settings;
  settings.step = step;
  settings.end = end;
  settings.algorithm.kind = kind;
  return settings;
}

// --- Values ----------------------------------------------------------------------------------------------------------

TEST(RunFaces, ValuesAreOfTheirTypes) {
  core::Log log;
  run::Run run(test::fmuSystem({{"a",
                                 "FeedThrough",
                                 {{"realIn", 2.5},
                                  {"integerIn", std::int32_t{-7}},
                                  {"booleanIn", true},
                                  {"stringIn", std::string("text")},
                                  {"enumerationIn", std::int32_t{7}}}},
                                {"b", "FeedThrough"}},
                               {}, log),
               steps(0.5), log);
  ASSERT_TRUE(run.initialise().ok());
  EXPECT_EQ(run.value("a.realOut"), core::Value(2.5));
  EXPECT_EQ(run.value("a.integerOut"), core::Value(std::int32_t{-7}));
  EXPECT_EQ(run.value("a.booleanOut"), core::Value(true));
  EXPECT_EQ(run.value("b.booleanOut"), core::Value(false));
  EXPECT_EQ(run.value("a.stringOut"), core::Value(std::string("text")));
  EXPECT_EQ(run.value("b.stringOut"), core::Value(std::string()));
  EXPECT_EQ(run.value("a.enumerationOut"), core::Value(std::int32_t{7}));
  EXPECT_EQ(run.value("a.bus.signal[2]"), core::Value(0.0));
}

/// A port of several scalars of any type.
class Several final : public subsystem::detail::Wrapper {
 public:
  explicit Several(core::Type type) : Wrapper(test::makeSubsystem(gain(1.0))) { description().ports[1].type = type; }
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    return inner().advance(step, u, y);
  }
  void observe(std::span<const subsystem::PortIndex> /*ports*/, core::Values& into) override {
    into = {{1.5, 2.5}, {1, 2}, {1, 0}, {"first", "second"}};
  }
};

TEST(RunFaces, TheValueOfAFieldIsItsFirst) {
  using enum core::Type;
  const std::vector<std::pair<core::Type, core::Value>> firsts{{real, 1.5},
                                                               {integer, std::int32_t{1}},
                                                               {enumeration, std::int32_t{1}},
                                                               {boolean, true},
                                                               {string, std::string("first")}};
  for (const auto& [type, first] : firsts) {
    coupling::System system;
    system.members.push_back({"several", std::make_unique<Several>(type), {}});
    core::Log log;
    run::Run run(std::move(system), steps(0.5), log);
    EXPECT_EQ(run.value("several.y"), first);
  }
}

Formula named(const std::string& output) {
  Formula formula = gain(1.0);
  formula.outputs = {output};
  return formula;
}

/// Of a member that is there its ports are proposed, else members; a part of a joint one has its name in the port's.
TEST(RunFaces, NamesThatAreNoneAreToldWithNearOnes) {
  core::Log log;
  coupling::System system =
      makeSystem({{"engine", named("speed")}, {"gearbox", named("spend")}, {"joined", named("left.speeds")}}, {});
  system.members[2].joint = true;
  run::Run run(std::move(system), steps(0.5), log);
  ASSERT_TRUE(run.initialise().ok());
  const auto refusal = [&](const char* name) { return messageOf<core::InputError>([&] { (void)run.value(name); }); };
  EXPECT_EQ(run.value("left.speeds"), core::Value(0.0));
  EXPECT_THAT(refusal("engine.spee"),
              AllOf(HasSubstr("There is no variable 'engine.spee'."), HasSubstr("'engine.speed'"),
                    Not(HasSubstr("gearbox")), Not(HasSubstr("left"))));
  EXPECT_THAT(refusal("gearbox.spee"), AllOf(HasSubstr("'gearbox.spend'"), Not(HasSubstr("engine"))));
  EXPECT_THAT(refusal("gearbo"), HasSubstr("'gearbox'"));
  EXPECT_THAT(refusal("left.speed"), HasSubstr("'left.speeds'"));
  EXPECT_THAT(refusal("joined.left.speeds"), Not(HasSubstr("'joined'")));
}

// --- Order -----------------------------------------------------------------------------------------------------------

TEST(RunFaces, TheOrderTellsClosedCycles) {
  core::Log log;
  const run::Run run(
      makeSystem({{"last", gain(1.0)}, {"a", gain(0.5)}, {"b", gain(0.5)}, {"source", test::clockSignal()}},
                 {{"source.y", "a.u", 0.5}, {"b.y", "a.u", 0.5}, {"a.y", "b.u"}, {"b.y", "last.u"}}),
      steps(0.5, 1.0, AlgorithmKind::iteratedGaussSeidel), log);
  const std::vector<EvaluationGroup> order = run.order();
  ASSERT_EQ(order.size(), 3U);
  EXPECT_THAT(order[0].members, ElementsAre("source"));
  EXPECT_FALSE(order[0].closed);
  EXPECT_THAT(order[1].members, ::testing::UnorderedElementsAre("a", "b"));
  EXPECT_TRUE(order[1].closed);
  EXPECT_THAT(order[2].members, ElementsAre("last"));
  EXPECT_FALSE(order[2].closed);
}

// --- How far it goes -------------------------------------------------------------------------------------------------

/// No further than the first communication point at or after a time.
TEST(RunFaces, ARunGoesAsFarAsItIsAsked) {
  core::Log log;
  run::Run run(makeSystem({{"x", integrator()}}, {}), steps(0.25), log);
  EXPECT_THROW((void)run.step(), core::InternalError);
  EXPECT_THROW((void)run.simulate(), core::InternalError);
  ASSERT_TRUE(run.initialise().ok());
  const auto until = [&](double t) {
    EXPECT_TRUE(run.simulate(t).ok());
    return run.time();
  };
  EXPECT_EQ(until(-1.0), 0.0);
  EXPECT_EQ(until(0.0), 0.0);
  EXPECT_EQ(until(0.1), 0.25);
  EXPECT_EQ(until(0.25), 0.25);
  EXPECT_EQ(until(0.5), 0.5);
  EXPECT_TRUE(run.step().ok());
  EXPECT_EQ(run.time(), 0.75);
  EXPECT_FALSE(run.finished());
  EXPECT_EQ(until(100.0), 1.0);
  EXPECT_TRUE(run.finished());
  EXPECT_TRUE(run.step().ok());
  EXPECT_EQ(run.time(), 1.0);
  EXPECT_EQ(run.statistics().acceptedSteps, 4U);
}

/// Step by step, in every kind of walk, one step is one.
TEST(RunFaces, EveryAlgorithmTakesOneStepAtATime) {
  std::vector<Settings> all;
  for (const AlgorithmKind kind :
       {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::newton})
    for (const unsigned degree : {0U, 1U}) {
      all.push_back(steps(0.25, 1.0, kind));
      all.back().algorithm.degree = degree;
    }
  all.push_back(all[0]);
  all.back().onDiscard = OnDiscard::shorten;
  all.push_back(all[0]);
  all.back().stepControl.kind = stepping::StepControlKind::predictorCorrector;
  all.back().stepControl.minStep = all.back().stepControl.maxStep = 0.25;
  for (std::size_t i = 0; i < all.size(); ++i) {
    core::Log log;
    MemoryRecorder recorder;
    run::Run run(makeSystem({{"x", integrator(-1.0, 1.0)}, {"g", gain(1.0)}}, {{"x.y", "g.u"}, {"g.y", "x.u"}}), all[i],
                 log, &recorder);
    ASSERT_TRUE(run.initialise().ok());
    for (int n = 1; n <= 4; ++n) {
      ASSERT_TRUE(run.step().ok()) << i;
      EXPECT_EQ(run.time(), 0.25 * n) << i;
      EXPECT_EQ(recorder.times.size(), static_cast<std::size_t>(n) + 1) << i;
    }
    EXPECT_TRUE(run.finished());
    EXPECT_TRUE(run.end().ok());
    EXPECT_TRUE(recorder.completed);
  }
}

/// Asked in its last step to be interrupted, it is complete; before that it says where it was.
TEST(RunFaces, AnInterruptionAtTheEndIsNone) {
  for (const std::size_t at : {3U, 4U}) {
    class Asking final : public results::Recorder {
     public:
      void begin(const std::vector<results::Column>& /*columns*/) override {}
      void row(double /*time*/, const core::Values& /*values*/) override {
        if (rows++ == at) run->interrupt();
      }
      void complete() override { completed = true; }
      void abandon() override {}
      std::size_t rows = 0;
      std::size_t at = 0;
      run::Run* run = nullptr;
      bool completed = false;
    };
    Asking recorder;
    recorder.at = at;
    core::Log log;
    run::Run run(makeSystem({{"x", integrator()}}, {}), steps(0.25), log, &recorder);
    recorder.run = &run;
    ASSERT_TRUE(run.initialise().ok());
    const Outcome outcome = run.simulate();
    run.end();
    EXPECT_EQ(outcome.ok(), at == 4) << outcome.message;
    EXPECT_EQ(recorder.completed, at == 4);
    if (at == 3) {
      EXPECT_EQ(outcome.kind, OutcomeKind::interrupted);
      EXPECT_EQ(outcome.message, "Interrupted at 0.75 s of 1 s.");
    }
  }
}

// --- Rows ------------------------------------------------------------------------------------------------------------

/// Rows of an interval stand at the first communication point that is not before theirs.
TEST(RunFaces, RowsStandAtTheFirstPointThatIsNotBeforeTheirs) {
  for (const double start : {0.0, 2.0, -3.0})
    for (const double interval : {0.25, 0.5, 0.75, 0.3, 1.0, 5.0, 0.1}) {
      Settings settings = steps(0.25, start + 4.0);
      settings.start = start;
      settings.outputInterval = interval;
      core::Log log;
      MemoryRecorder recorder;
      run::Run run(makeSystem({{"x", test::clockSignal()}}, {}), settings, log, &recorder);
      ASSERT_TRUE(run.initialise().ok());
      ASSERT_TRUE(run.simulate().ok());
      std::vector<double> expected{start};
      for (int n = 1; n <= 16; ++n) {
        const double before = 0.25 * (n - 1), now = 0.25 * n;
        const bool due = std::floor(now / interval + 1e-6) > std::floor(before / interval + 1e-6);
        if (due || n == 16) expected.push_back(start + now);
      }
      EXPECT_EQ(recorder.times, expected) << start << " " << interval;
    }
}

// --- Words -----------------------------------------------------------------------------------------------------------

/// A history of iterations is asked for in vain where nothing is iterated, or not by plain iteration.
TEST(RunFaces, AHistoryThatNobodyWritesIsToldInAdvance) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::iteratedJacobi,
                                   AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::newton})
    for (const bool asked : {true, false}) {
      core::Log log;
      std::vector<std::string> said;
      log.addSink([&](core::Severity, std::string_view, std::string_view text) { said.emplace_back(text); });
      MemoryRecorder history;
      const run::Run run(makeSystem({{"x", integrator(-1.0)}, {"g", gain(1.0)}}, {{"x.y", "g.u"}, {"g.y", "x.u"}}),
                         steps(0.25, 1.0, kind), log, Recorders(nullptr, asked ? &history : nullptr));
      const bool writes = kind == AlgorithmKind::iteratedJacobi || kind == AlgorithmKind::iteratedGaussSeidel;
      EXPECT_THAT(said, Contains(HasSubstr("results.iterations: only iterated-gauss-seidel and iterated-jacobi"))
                            .Times(asked && !writes ? 1 : 0))
          << static_cast<int>(kind);
    }
}

/// Who ends a run without asking how that went reads it in the log.
TEST(RunFaces, WhatNobodyAskedForIsLogged) {
  class Failing final : public results::Recorder {
   public:
    void begin(const std::vector<results::Column>& /*columns*/) override {}
    void row(double /*time*/, const core::Values& /*values*/) override {}
    void complete() override { throw core::FileError("The pipe broke.", "Mend it."); }
    void abandon() override {}
  };
  for (const bool closes : {true, false}) {
    core::Log log;
    std::vector<std::string> said;
    log.addSink([&](core::Severity, std::string_view who, std::string_view text) {
      said.push_back(std::string(who) + ": " + std::string(text));
    });
    Failing recorder;
    {
      run::Run run(makeSystem({{"x", integrator()}}, {}), steps(0.5), log, &recorder);
      ASSERT_TRUE(run.initialise().ok());
      ASSERT_TRUE(run.simulate().ok());
      if (closes) {
        EXPECT_FALSE(run.close().ok());
      }
    }
    if (closes)
      EXPECT_THAT(said, IsEmpty());
    else
      EXPECT_THAT(said, ElementsAre("run: The pipe broke. Mend it."));
  }
}

/// Who was never used has nothing to say, and members are terminated once however often a run is ended.
TEST(RunFaces, MembersAreTerminatedOnce) {
  int terminated = 0;
  core::Log log;
  {
    coupling::System system;
    system.members.push_back({"a",
                              test_support::make({.inputs = {},
                                                  .states = {1.0},
                                                  .step = [](const auto& x, double, const auto&) { return x; },
                                                  .terminated = &terminated}),
                              {}});
    run::Run one(std::move(system), steps(0.5), log);
    ASSERT_TRUE(one.initialise().ok());
    run::Run other(std::move(one));
    EXPECT_TRUE(other.end().ok());
    EXPECT_TRUE(other.end().ok());
    EXPECT_EQ(terminated, 1);
  }
  EXPECT_EQ(terminated, 1);
}

}  // namespace
}  // namespace koppla::run::run_faces_test
