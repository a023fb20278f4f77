// Steps that are tried again: nothing of the rejected attempt is left, and every failure is counted.

#include <gtest/gtest.h>

#include "koppla/subsystem/detail/wrapper.hpp"

#include "fmu_system.hpp"
#include "support/integer_member.hpp"

namespace koppla::run::repeated_step_test {
namespace {

using coupling::AlgorithmKind;
using stepping::StepControlKind;
using test::Formula;
using test::integrator;
using test::makeSystem;

TEST(RepeatedStep, BeginsWithTheIntegersOfTheFirstAttempt) {
  // The counter has done its step when the one behind it refuses: the repeated, shorter step must begin with what the
  // counter said before. Steps of 0.1 s become two of 0.05 s each, and the listener adds 0 + 1 + 2 + 3.
  coupling::System system;
  system.members.push_back({"counter", std::make_unique<test::IntegerMember>([](auto n, auto) { return n + 1; }), {}});
  system.members.push_back(
      {"listener", std::make_unique<test::IntegerMember>([](auto n, auto in) { return n + in; }), {}});
  system.members.push_back({"refuser",
                            std::make_unique<test::IntegerMember>([](auto n, auto) { return n; },
                                                                  [](const subsystem::Step& step) {
                                                                    return step.t1 - step.t0 > 0.06 ? step.t0 : step.t1;
                                                                  }),
                            {}});
  test::connect(system, {{"counter.out", "listener.in"}, {"listener.out", "refuser.in"}});
  Settings settings;
  settings.step = 0.1;
  settings.end = 0.2;
  settings.algorithm.kind = AlgorithmKind::jacobi;
  settings.onDiscard = OnDiscard::shorten;
  core::Log log;
  run::Run run(std::move(system), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  const Outcome outcome = run.simulate();
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_EQ(run.statistics().acceptedSteps, 4U);
  EXPECT_EQ(std::get<std::int32_t>(run.value("counter.out")), 4);
  EXPECT_EQ(std::get<std::int32_t>(run.value("listener.out")), 0 + 1 + 2 + 3);
}

TEST(RepeatedStep, ASubsystemThatAlwaysGetsNearlyThereIsAskedForLess) {
  // It does 0.01 s at most, but of every longer step it claims 99.9 %: by its word alone a hundred repetitions would
  // shorten 0.1 s to 0.09 s.
  coupling::System system;
  system.members.push_back({"eager",
                            std::make_unique<test::IntegerMember>([](auto n, auto) { return n + 1; },
                                                                  [](const subsystem::Step& step) {
                                                                    const double h = step.t1 - step.t0;
                                                                    return h > 0.01 ? step.t0 + 0.999 * h : step.t1;
                                                                  }),
                            {}});
  Settings settings;
  settings.step = settings.end = 0.1;
  settings.onDiscard = OnDiscard::shorten;
  core::Log log;
  run::Run run(std::move(system), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  const Outcome outcome = run.simulate();
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_GE(std::get<std::int32_t>(run.value("eager.out")), 10);
}

/// y = 1 - t, which asks to end in the step in which it becomes negative, and only there: it stops at 1 s.
class Falling final : public subsystem::detail::Wrapper {
 public:
  Falling() : Wrapper(test::makeSubsystem(integrator(1.0, 1.0))) {}
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    const bool crosses = 1.0 - step.t0 > 0.0 && 1.0 - step.t1 < 0.0;
    asks_ = crosses;
    if (crosses) return {subsystem::Status::discard, 1.0};
    return inner().advance(step, u, y);
  }
  [[nodiscard]] bool asksToEnd() const override { return asks_; }
  subsystem::Status restore(subsystem::Slot slot) override {
    asks_ = false;
    return inner().restore(slot);
  }

 private:
  bool asks_ = false;
};

TEST(RepeatedStep, AWishToEndIsNotForgottenByARepetitionThatStopsThere) {
  for (const double step : {0.3, 0.7}) {
    coupling::System system;
    system.members.push_back({"falling", std::make_unique<Falling>(), {}});
    Settings settings;
    settings.step = step;
    settings.end = 2.0;
    settings.onDiscard = OnDiscard::shorten;
    core::Log log;
    run::Run run(std::move(system), settings, log);
    ASSERT_TRUE(run.initialise().ok());
    const Outcome outcome = run.simulate();
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    EXPECT_EQ(run.time(), 1.0);
    EXPECT_NE(outcome.message, "");
  }
}

TEST(RepeatedStep, LengthsAreCountedAsTheyWereMeant) {
  // t(3) - t(2) and others are 0.1 s up to rounding only, which is nobody's step.
  for (const OnDiscard onDiscard : {OnDiscard::stop, OnDiscard::shorten}) {
    Settings settings;
    settings.step = 0.1;
    settings.onDiscard = onDiscard;
    core::Log log;
    run::Run run(makeSystem({{"x", integrator()}}, {}), settings, log);
    ASSERT_TRUE(run.initialise().ok());
    ASSERT_TRUE(run.simulate().ok());
    EXPECT_EQ(run.statistics().smallestStep, 0.1);
    EXPECT_EQ(run.statistics().largestStep, 0.1);
  }
}

/// y = t^2, and x' = y.
coupling::System parabola() {
  Formula square = test::clockSignal();
  square.output = [](const auto&, double t, const auto&) { return std::vector<double>{t * t}; };
  return makeSystem({{"square", square}, {"x", integrator()}}, {{"square.y", "x.u"}});
}

Settings doubleSteps(double atol) {
  Settings settings;
  settings.step = 0.1;
  settings.algorithm.kind = AlgorithmKind::jacobi;
  settings.stepControl.kind = StepControlKind::doubleStep;
  settings.stepControl.estimate = stepping::Estimate::nicolai;
  settings.stepControl.rtol = 0.0;
  settings.stepControl.atol = atol;
  return settings;
}

TEST(DoubleStep, TheMiddleOfATrialIsNoSampleOfTheNextStep) {
  // Inputs follow the line through the last two communication points, at distance H. Of a step from t the first half
  // has the slope (t^2 - (t - H)^2) / H = 2 t - H and the second, which begins at m = t + H/2, (m^2 - t^2) / (H/2).
  constexpr double kStep = 0.1;
  Settings settings = doubleSteps(1e9);
  settings.stepControl.minStep = settings.stepControl.maxStep = kStep;
  settings.algorithm.degree = 1;
  core::Log log;
  run::Run run(parabola(), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  double x = 0.0;
  for (int n = 0; n < 10; ++n) {
    const double t = n * kStep, half = kStep / 2.0, m = t + half;
    const double first = n == 0 ? 0.0 : 2.0 * t - kStep;  // there is nothing before the start
    x += t * t * half + first * half * half / 2.0;
    x += m * m * half + (2.0 * t + half) * half * half / 2.0;
  }
  EXPECT_NEAR(std::get<double>(run.value("x.y")), x, 1e-12);
}

TEST(DoubleStep, FailuresOfTheErrorTestAreCounted) {
  // Of y = t^2 the ends agree and the slopes differ: h/2 (2 t + h - (2 t + 3/2 h)) = -h^2 / 4. With h = 0.1 and a
  // tolerance of 0.0025 / 4 the first attempt is off by 4 tolerances; the next one, 0.9 / sqrt(4) as long, by 0.81, and
  // all that follow have its length.
  core::Log log;
  Settings settings = doubleSteps(0.0025 / 4.0);
  settings.end = 0.45;
  run::Run run(parabola(), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  const Statistics statistics = run.statistics();
  EXPECT_EQ(statistics.errorTestFailures, 1U);
  EXPECT_EQ(statistics.convergenceFailures, 0U);
  EXPECT_EQ(statistics.repeatedSteps, 1U);
  EXPECT_EQ(statistics.acceptedSteps, 10U);
}

}  // namespace
}  // namespace koppla::run::repeated_step_test
