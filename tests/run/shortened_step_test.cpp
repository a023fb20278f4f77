// Steps that subsystems refuse: what is tried next, how long, and who asks to end in them.

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/subsystem/detail/wrapper.hpp"

#include "fmu_system.hpp"
#include "support/integer_member.hpp"

namespace koppla::run::shortened_step_test {
namespace {

using coupling::AlgorithmKind;
using test::gain;
using test::integrator;
using test::makeSystem;
using ::testing::Contains;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Lengths of the steps that were tried from 0 on, where a member reaches what it is told.
struct Tried {
  explicit Tried(std::function<double(const subsystem::Step&)> reach, double step = 1.0) {
    coupling::System system;
    system.members.push_back({"refuser",
                              std::make_unique<test::IntegerMember>([](auto n, auto) { return n + 1; },
                                                                    [this, reach](const subsystem::Step& now) {
                                                                      if (now.t0 == 0.0) lengths.push_back(now.t1);
                                                                      EXPECT_NEAR(now.length, now.t1 - now.t0, 1e-12);
                                                                      return reach(now);
                                                                    }),
                              {}});
    Settings settings;
    settings.step = settings.end = step;
    settings.onDiscard = OnDiscard::shorten;
    core::Log log;
    run::Run run(std::move(system), settings, log);
    EXPECT_TRUE(run.initialise().ok());
    outcome = run.simulate();
    statistics = run.statistics();
  }

  std::vector<double> lengths;
  Outcome outcome;
  Statistics statistics;
};

/// Who gets nowhere is asked for half, again and again.
TEST(ShortenedStep, WhoGetsNowhereIsAskedForHalf) {
  const Tried tried([](const subsystem::Step& step) { return step.t1 - step.t0 > 0.1 ? step.t0 : step.t1; });
  EXPECT_TRUE(tried.outcome.ok());
  EXPECT_THAT(tried.lengths, ElementsAre(1.0, 0.5, 0.25, 0.125, 0.0625));
  EXPECT_LE(tried.statistics.largestStep, 0.1);
  EXPECT_EQ(tried.statistics.discardedSteps, tried.statistics.repeatedSteps);
  EXPECT_GE(tried.statistics.discardedSteps, 4U);
  EXPECT_EQ(tried.statistics.convergenceFailures, 0U);
}

/// Twice everybody goes to where it got; who then still does not get there is asked for half at most.
TEST(ShortenedStep, WhoKeepsRefusingIsBelievedTwice) {
  const auto most = [](double part) {
    return Tried([part](const subsystem::Step& step) {
             const double h = step.t1 - step.t0;
             return h > 0.1 ? step.t0 + part * h : step.t1;
           })
        .lengths;
  };
  EXPECT_THAT(most(0.75), ElementsAre(1.0, 0.75, 0.5625, 0.28125, 0.140625, 0.0703125));
  EXPECT_THAT(most(0.25), ElementsAre(1.0, 0.25, 0.0625));
  EXPECT_THAT(most(0.375), ElementsAre(1.0, 0.375, 0.140625, DoubleEq(0.375 * 0.140625)));
}

/// A hundred times, and no more.
TEST(ShortenedStep, AHundredRepetitionsAreEnough) {
  const Tried tried([](const subsystem::Step& step) { return step.t0; });
  EXPECT_EQ(tried.outcome.kind, OutcomeKind::subsystemFailed);
  EXPECT_THAT(tried.outcome.message, HasSubstr("Shorter steps did not help"));
  EXPECT_EQ(tried.lengths.size(), 101U);
  EXPECT_EQ(tried.statistics.discardedSteps, 101U);
  EXPECT_EQ(tried.statistics.repeatedSteps, 100U);
  EXPECT_EQ(tried.statistics.acceptedSteps, 0U);
}

// --- Who asks to end -------------------------------------------------------------------------------------------------

/// Asks to end at a time, beyond which it does not go, from a given trial on.
class Ending final : public subsystem::detail::Wrapper {
 public:
  Ending(std::unique_ptr<Subsystem> inner, double end, int* tries)
      : Wrapper(std::move(inner)), end_(end), tries_(tries) {}
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    asks_ = step.t1 > end_;
    if (asks_ && tries_ != nullptr) ++*tries_;
    if (asks_) return {subsystem::Status::discard, std::max(step.t0, end_)};
    return inner().advance(step, u, y);
  }
  [[nodiscard]] bool asksToEnd() const override { return asks_; }
  subsystem::Status restore(subsystem::Slot slot) override {
    asks_ = false;
    return inner().restore(slot);
  }

 private:
  double end_;
  int* tries_;
  bool asks_ = false;
};

struct Finished {
  Outcome outcome;
  double time = 0.0;
  std::vector<std::string> warnings;
  Statistics statistics;
};

Finished simulate(coupling::System system, Settings settings) {
  Finished finished;
  core::Log log;
  log.addSink([&](core::Severity, std::string_view, std::string_view text) { finished.warnings.emplace_back(text); },
              core::Severity::warning);
  run::Run run(std::move(system), std::move(settings), log);
  finished.outcome = run.initialise();
  if (finished.outcome.ok()) finished.outcome = run.simulate();
  finished.time = run.time();
  finished.statistics = run.statistics();
  return finished;
}

/// before -> a <-> b -> after, one of which asks to end at a time.
coupling::System chain(std::size_t which, double end, int* tries = nullptr) {
  coupling::System system =
      makeSystem({{"before", integrator()}, {"a", gain(0.5)}, {"b", integrator(-1.0, 1.0)}, {"after", integrator()}},
                 {{"before.y", "a.u", 0.5}, {"b.y", "a.u", 0.5}, {"a.y", "b.u"}, {"b.y", "after.u"}});
  auto& inner = system.members[which].subsystem;
  inner = std::make_unique<Ending>(std::move(inner), end, tries);
  return system;
}

Settings iterated(OnDiscard onDiscard) {
  Settings settings;
  settings.step = 0.25;
  settings.algorithm.kind = AlgorithmKind::iteratedGaussSeidel;
  settings.onDiscard = onDiscard;
  return settings;
}

/// Only in a cycle may the values that made it ask be those of an iterate.
TEST(ShortenedStep, AnEndInACycleIsDoubtedAndNoOther) {
  for (std::size_t which = 0; which < 4; ++which) {
    const Finished finished = simulate(chain(which, 0.6), iterated(OnDiscard::stop));
    const std::vector<std::string> names{"before", "a", "b", "after"};
    EXPECT_TRUE(finished.outcome.ok()) << finished.outcome.message;
    EXPECT_EQ(finished.time, 0.5) << which;
    EXPECT_THAT(finished.outcome.message,
                HasSubstr("The subsystem '" + names[which] + "' asked to end the simulation at 0.6 s"));
    EXPECT_THAT(finished.warnings,
                Contains(HasSubstr("the subsystem '" + names[which] + "' asked to end inside the step"))
                    .Times(which == 1 || which == 2 ? 1 : 0))
        << which;
    EXPECT_EQ(finished.statistics.acceptedSteps, 2U);
    EXPECT_EQ(finished.statistics.discardedSteps, 1U);
  }
}

/// Alone it has simply come to the end, in a step that is as short.
TEST(ShortenedStep, AnEndAloneIsAStepOfItsOwn) {
  coupling::System system = makeSystem({{"x", integrator()}}, {});
  system.members[0].subsystem = std::make_unique<Ending>(std::move(system.members[0].subsystem), 0.625, nullptr);
  Settings settings;
  settings.step = 0.25;
  const Finished finished = simulate(std::move(system), settings);
  EXPECT_TRUE(finished.outcome.ok());
  EXPECT_EQ(finished.time, 0.625);
  EXPECT_EQ(finished.statistics.acceptedSteps, 3U);
  EXPECT_EQ(finished.statistics.smallestStep, 0.125);
  EXPECT_EQ(finished.statistics.largestStep, 0.25);
  EXPECT_THAT(finished.outcome.message, HasSubstr("asked to end the simulation at 0.625 s of 1 s."));
}

/// Where the step begins there is nothing to shorten: outside of cycles it is believed at once, in one when ten shorter
/// steps have been tried, since iterates of shorter steps are nearer to the solution.
TEST(ShortenedStep, AnEndAtTheBeginningOfAStepIsBelieved) {
  for (std::size_t which = 0; which < 4; ++which) {
    int tries = 0;
    const Finished finished = simulate(chain(which, 0.5, &tries), iterated(OnDiscard::shorten));
    EXPECT_TRUE(finished.outcome.ok()) << finished.outcome.message;
    EXPECT_EQ(finished.time, 0.5) << which;
    EXPECT_THAT(finished.outcome.message, HasSubstr("asked to end the simulation at 0.5 s of 1 s."));
    const bool inCycle = which == 1 || which == 2;
    EXPECT_EQ(tries, inCycle ? 11 : 1) << which;
    EXPECT_THAT(finished.warnings,
                Contains(HasSubstr("asked to end inside the step that begins at 0.5 s")).Times(inCycle ? 1 : 0));
    EXPECT_EQ(finished.statistics.acceptedSteps, 2U);
  }
}

/// Further on everybody goes there, and the run is over there where it need not be asked again.
TEST(ShortenedStep, AnEndInsideAStepIsReachedByAll) {
  for (std::size_t which = 0; which < 4; ++which) {
    const Finished finished = simulate(chain(which, 0.625), iterated(OnDiscard::shorten));
    EXPECT_TRUE(finished.outcome.ok()) << finished.outcome.message;
    EXPECT_EQ(finished.time, 0.625) << which;
    EXPECT_THAT(finished.outcome.message, HasSubstr("asked to end the simulation at 0.625 s of 1 s."));
  }
}

// --- Predictor and corrector -----------------------------------------------------------------------------------------

/// Steps that are chosen by the error of prediction.
Statistics predicted(const std::vector<test::Part>& parts, const std::vector<test::Link>& links, double rtol,
                     double atol) {
  Settings settings;
  settings.step = 1e-3;
  settings.algorithm.kind = AlgorithmKind::gaussSeidel;
  settings.algorithm.degree = 1;
  settings.stepControl.kind = stepping::StepControlKind::predictorCorrector;
  settings.stepControl.rtol = rtol;
  settings.stepControl.atol = atol;
  settings.stepControl.minStep = 1e-6;
  settings.stepControl.maxStep = 0.5;
  return simulate(makeSystem(parts, links), settings).statistics;
}

test::Formula course(std::function<double(double)> f) {
  test::Formula formula = test::clockSignal();
  formula.output = [f](const auto&, double t, const auto&) { return std::vector<double>{f(t)}; };
  return formula;
}

/// It does not matter which output moves, and with a relative tolerance not in which unit.
TEST(ShortenedStep, ErrorsOfPredictionAreThoseOfAllOutputs) {
  const auto wave = course([](double t) { return std::sin(6.0 * t); });
  const auto rest = course([](double) { return 1.0; });
  const std::vector<test::Link> links{{"p.y", "x.u"}, {"q.y", "x.v"}};
  test::Formula sum = gain(1.0);
  sum.inputs = {"u", "v"};
  const auto steps = [&](const test::Formula& p, const test::Formula& q, double rtol, double atol) {
    return predicted({{"p", p}, {"q", q}, {"x", sum}}, links, rtol, atol).acceptedSteps;
  };
  const std::uint64_t moving = steps(wave, rest, 0.0, 1e-3);
  EXPECT_EQ(steps(rest, wave, 0.0, 1e-3), moving);
  EXPECT_GT(moving, steps(rest, rest, 0.0, 1e-3));
  const auto grown = [](double factor) { return course([factor](double t) { return factor * std::exp(3.0 * t); }); };
  const std::uint64_t relative = steps(grown(1.0), grown(2.0), 1e-3, 0.0);
  EXPECT_EQ(steps(grown(1024.0), grown(2048.0), 1e-3, 0.0), relative);
  EXPECT_EQ(steps(grown(-1024.0), grown(2048.0), 1e-3, 0.0), relative);
  EXPECT_GT(relative, 10U);
}

}  // namespace
}  // namespace koppla::run::shortened_step_test
