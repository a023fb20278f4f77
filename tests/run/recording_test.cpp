#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/subsystem/detail/wrapper.hpp"

#include "fmu_system.hpp"
#include "support/figure.hpp"

namespace koppla::run {
namespace {

using test::gain;
using test::integrator;
using test::makeSystem;
using test::MemoryRecorder;

coupling::System clocks() {
  return makeSystem({{"t", test::clockSignal()}, {"g", gain(2.0)}}, {{"t.y", "g.u"}});
}

MemoryRecorder& recorded(MemoryRecorder& recorder, Settings settings) {
  core::Log log;
  run::Run run(clocks(), std::move(settings), log, &recorder);
  EXPECT_TRUE(run.initialise().ok());
  EXPECT_TRUE(run.simulate().ok());
  run.end();
  return recorder;
}

TEST(Recording, WithoutAnIntervalEveryCommunicationPointIsARow) {
  Settings settings;
  settings.step = 0.25;
  MemoryRecorder recorder;
  EXPECT_EQ(recorded(recorder, settings).times, (std::vector<double>{0.0, 0.25, 0.5, 0.75, 1.0}));
  EXPECT_TRUE(recorder.completed);
  EXPECT_EQ(recorder.of("g.y"), (std::vector<double>{0.0, 0.5, 1.0, 1.5, 2.0}));
}

TEST(Recording, AnIntervalThinsRowsWithoutChangingTheSteps) {
  Settings settings;
  settings.step = 0.001;
  settings.outputInterval = 0.1;
  MemoryRecorder recorder;
  recorded(recorder, settings);
  ASSERT_EQ(recorder.times.size(), 11U);
  for (std::size_t i = 0; i <= 10; ++i) EXPECT_DOUBLE_EQ(recorder.times[i], 0.1 * static_cast<double>(i));
  test::showEqual({"nicolai N8", "rows", "11 rows of 1000 steps at an interval of 100 steps"},
                  static_cast<double>(recorder.times.size()), 11.0);
}

TEST(Recording, RowsOffTheGridStandAtTheNextCommunicationPointAndTheEndIsAlwaysThere) {
  Settings settings;
  settings.step = 0.25;
  settings.outputInterval = 0.3;
  MemoryRecorder recorder;
  EXPECT_EQ(recorded(recorder, settings).times, (std::vector<double>{0.0, 0.5, 0.75, 1.0}));
}

TEST(Recording, RowsOfALateStartStandOnTheInterval) {
  Settings settings;
  settings.start = 1.7e9;
  settings.end = 1.7e9 + 10.0;
  settings.step = 0.01;
  settings.outputInterval = 0.1;
  MemoryRecorder recorder;
  recorded(recorder, settings);
  EXPECT_EQ(recorder.times.size(), 101U);
}

TEST(Recording, VariablesAreChosenByPatternAndInputsMayBeAmongThem) {
  Settings settings;
  settings.step = 0.5;
  settings.variables = {"g.*"};
  MemoryRecorder recorder;
  recorded(recorder, settings);
  EXPECT_EQ(recorder.columns.size(), 2U);
  EXPECT_EQ(recorder.of("g.u"), (std::vector<double>{0.0, 0.5, 1.0}));
}

TEST(Recording, APatternThatFitsNothingIsAnErrorWithASuggestion) {
  core::Log log;
  MemoryRecorder recorder;
  Settings settings;
  settings.step = 0.5;
  settings.variables = {"g.z"};
  try {
    const run::Run run(clocks(), settings, log, &recorder);
    FAIL();
  } catch (const core::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("Did you mean 'g."), std::string::npos) << error.what();
  }
}

TEST(Recording, AMillionStepsEndExactlyAtTheEnd) {
  core::Log log;
  Settings settings;
  settings.end = 10.0;
  settings.step = 1e-5;
  run::Run run(clocks(), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  EXPECT_EQ(run.statistics().acceptedSteps, 1'000'000U);
  test::showEqual({"nicolai N9", "run-end", "exactly 10 s after a run of 1e6 steps"}, run.time(), 10.0);
}

TEST(Recording, AChainOfAHundredGainsIsRightAtTheStartAndNoStepLate) {
  std::vector<test::Part> parts;
  std::vector<test::Link> links;
  for (int i = 100; i > 0; --i) parts.push_back({"g" + std::to_string(i), gain(1.0, 1.0)});
  parts.push_back({"g0", test::clockSignal()});
  for (int i = 0; i < 100; ++i) links.push_back({"g" + std::to_string(i) + ".y", "g" + std::to_string(i + 1) + ".u"});
  core::Log log;
  Settings settings;
  settings.step = 0.25;
  MemoryRecorder recorder;
  run::Run run(makeSystem(std::move(parts), links), settings, log, &recorder);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  EXPECT_EQ(recorder.of("g100.y"), (std::vector<double>{100.0, 100.25, 100.5, 100.75, 101.0}));
}

/// A recorder whose reader goes away, in a call of one kind.
class BrokenPipe final : public results::Recorder {
 public:
  enum class In { begin, row, flush, complete };
  explicit BrokenPipe(In in) : in_(in) {}

  void begin(const std::vector<results::Column>& /*columns*/) override { write(In::begin); }
  void row(double /*time*/, const core::Values& /*values*/) override {
    if (++rows == 3) write(In::row);
  }
  void flush() override { write(In::flush); }
  void complete() override { write(In::complete); }
  void abandon() override {
    ++abandoned;
    write(in_);
  }

  int rows = 0;
  int abandoned = 0;

 private:
  void write(In now) const {
    if (now == in_) throw core::FileError("The pipe broke.", "Mend it.");
  }
  In in_;
};

TEST(Recording, WhatCannotBeWrittenIsAnOutcomeThatIsToldOnce) {
  using In = BrokenPipe::In;
  for (const In in : {In::begin, In::row, In::flush, In::complete}) {
    Settings settings;
    settings.step = 0.25;
    core::Log log;
    std::vector<std::string> said;
    log.addSink([&](core::Severity, std::string_view, std::string_view message) { said.emplace_back(message); });
    BrokenPipe recorder(in);
    {
      run::Run run(clocks(), settings, log, &recorder);
      Outcome outcome = run.initialise();
      if (outcome.ok()) outcome = run.simulate();
      EXPECT_EQ(outcome.ok(), in == In::complete);
      const Outcome closed = run.close();
      if (outcome.ok()) outcome = closed;
      EXPECT_EQ(outcome.kind, OutcomeKind::outputFailed);
      EXPECT_EQ(outcome.message, "The pipe broke. Mend it.");
      EXPECT_EQ(closed.ok(), in != In::complete) << "what is known already";
      EXPECT_EQ(run.end().ok(), closed.ok());
    }
    EXPECT_EQ(said, std::vector<std::string>{}) << "that is up to the caller";
    EXPECT_EQ(recorder.abandoned, in == In::complete ? 0 : 1);
    EXPECT_EQ(recorder.rows, in == In::begin ? 0 : in == In::row ? 3 : in == In::flush ? 2 : 5);
  }
}

/// A subsystem that has no room for its files.
class Homeless final : public subsystem::detail::Wrapper {
 public:
  Homeless() : Wrapper(test::makeSubsystem(test::clockSignal())) {}
  void enterInitialisation(const subsystem::Experiment& /*experiment*/) override {
    throw core::FileError("The disk is full.", "Make room.");
  }
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    return inner().advance(step, u, y);
  }
};

TEST(Recording, ASubsystemWithoutRoomForItsFilesIsAnOutcomeToo) {
  coupling::System system;
  system.members.push_back({"a", std::make_unique<Homeless>(), {}});
  core::Log log;
  MemoryRecorder recorder;
  Settings settings;
  settings.step = 0.25;
  run::Run run(std::move(system), settings, log, &recorder);
  const Outcome outcome = run.initialise();
  EXPECT_EQ(outcome.kind, OutcomeKind::outputFailed);
  EXPECT_EQ(outcome.message, "The disk is full. Make room.");
}

TEST(Recording, ResultsAreCompleteBeforeSubsystemsAreTerminated) {
  std::vector<std::string> ends;
  class Ending final : public results::Recorder {
   public:
    explicit Ending(std::vector<std::string>& told) : ends_(told) {}
    void begin(const std::vector<results::Column>& /*columns*/) override {}
    void row(double /*time*/, const core::Values& /*values*/) override {}
    void complete() override { ends_.emplace_back("results"); }
    void abandon() override { ends_.emplace_back("abandoned"); }

   private:
    std::vector<std::string>& ends_;
  };
  core::Log log;
  log.addSink([&](core::Severity, std::string_view, std::string_view message) {
    if (message.find("fmi2Terminate") != std::string_view::npos) ends.emplace_back("subsystem");
  });
  Ending recorder(ends);
  Settings settings;
  settings.step = 0.25;
  run::Run run(test::fmuSystem({{"bad", "Failing", {{"call", std::string("terminate")}}}}, {}, log), settings, log,
               &recorder);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  EXPECT_TRUE(run.end().ok());
  EXPECT_EQ(ends, (std::vector<std::string>{"results", "subsystem"}));
}

TEST(Statistics, CountsAreExact) {
  core::Log log;
  Settings settings;
  settings.step = 0.001;
  settings.algorithm.kind = coupling::AlgorithmKind::newton;
  MemoryRecorder recorder;
  run::Run run(test::fmuSystem({{"prey", "LotkaVolterraPrey"}, {"predator", "LotkaVolterraPredator"}},
                               {{"prey.x", "predator.x"}, {"predator.y", "prey.y"}}, log),
               settings, log, &recorder);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  const Statistics statistics = run.statistics();
  EXPECT_EQ(statistics.acceptedSteps, 1000U);
  EXPECT_EQ(statistics.output.count, 1001U);
  EXPECT_EQ(statistics.algorithm.count, 1000U);
  // Each evaluation steps every member once, each Jacobian once per input; all but the first of a step restore before.
  const CycleStatistics& cycle = statistics.cycles.at(0);
  const std::uint64_t steps = cycle.evaluations + cycle.jacobians;
  test::showFigure({"nicolai N7", "counts", "doStep = evaluations + Jacobian probes, getState = steps"},
                   std::to_string(statistics.members[0].step.count) + " of " + std::to_string(steps) + ", " +
                       std::to_string(statistics.members[0].save.count) + " of 1000",
                   statistics.members[0].step.count == steps && statistics.members[1].step.count == steps &&
                       statistics.members[0].save.count == 1000 && statistics.members[0].restore.count == steps - 1000);
}

TEST(Statistics, ErrorTestsAndTheirFailuresAreThoseThatSubsystemsSee) {
  // Every attempt is a whole step and two halves, so the steps of a member tell how many there were.
  std::vector<std::pair<double, double>> wholes;
  std::size_t steps = 0;
  test::Formula watched = test::integrator(-40.0, 1.0);
  watched.step = [&, inner = watched.step](std::vector<double>& x, double t1, double h, const std::vector<double>& u) {
    if (steps++ % 3 == 0) wholes.emplace_back(t1 - h, h);
    inner(x, t1, h, u);
  };
  core::Log log;
  Settings settings;
  settings.step = 0.5;  // far too long
  settings.algorithm.kind = coupling::AlgorithmKind::jacobi;
  settings.stepControl = {.kind = stepping::StepControlKind::doubleStep,
                          .estimate = stepping::Estimate::nicolai,
                          .minStep = 1e-6,
                          .maxStep = 0.5,
                          .rtol = 1e-3,
                          .atol = 1e-3};
  MemoryRecorder recorder;
  run::Run run(test::makeSystem({{"a", watched}, {"b", test::integrator(40.0, 0.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}),
               settings, log, &recorder);
  ASSERT_TRUE(run.initialise().ok());
  const Outcome outcome = run.simulate();
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  std::size_t failures = 0;  // attempts from where the next one begins as well
  for (std::size_t i = 0; i + 1 < wholes.size(); ++i)
    if (wholes[i + 1].first < wholes[i].first + 0.5 * wholes[i].second) ++failures;
  const Statistics statistics = run.statistics();
  EXPECT_EQ(steps, statistics.members[0].step.count);
  EXPECT_EQ(recorder.times.size(), wholes.size() - failures + 1);
  EXPECT_EQ(statistics.acceptedSteps, wholes.size() - failures);
  EXPECT_GT(failures, 3U);
  test::showFigure({"nicolai N7", "error-tests", "tests and failures as subsystems see them, 3 doStep each"},
                   fmt::format("{} of {}, {} of {}", statistics.errorTest.count, wholes.size(),
                               statistics.errorTestFailures, failures),
                   statistics.errorTest.count == wholes.size() && statistics.errorTestFailures == failures &&
                       steps == 3 * wholes.size());
}

/// Whoever looks up from an iteration, after 1, 2, 4, ... of them at first, sees the step that is being solved.
TEST(Progress, InsideAnIterationIsThatOfItsStep) {
  constexpr double kStep = 0.125;  // s, exact
  double end = 0.0;
  test::Formula watched = integrator(-1.0, 1.0);
  watched.step = [&end, step = watched.step](auto& x, double t1, double h, const auto& u) {
    end = t1;
    step(x, t1, h, u);
  };
  Settings settings;
  settings.step = kStep;
  settings.end = 8.0;
  settings.algorithm.kind = coupling::AlgorithmKind::iteratedGaussSeidel;
  settings.algorithm.predictor = 0;
  core::Log log;
  run::Run run(makeSystem({{"x", watched}, {"g", gain(1.0)}}, {{"x.y", "g.u"}, {"g.y", "x.u"}}), settings, log);
  std::size_t seen = 0;
  run.onProgress([&](const Progress& progress) {
    if (progress.iteration == 0) return;
    ++seen;
    EXPECT_EQ(progress.time, end - kStep);
    EXPECT_EQ(static_cast<double>(progress.steps), progress.time / kStep);
  });
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  EXPECT_GE(seen, 4U);
}

}  // namespace
}  // namespace koppla::run
