// Overshoot as the inner subsystem sees it: which micro steps it is asked for, and what becomes of its answers.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <support/allocations.hpp>

#include "koppla/core/error.hpp"
#include "koppla/subsystem/overshoot.hpp"
#include "koppla/subsystem/phases.hpp"

#include "signals.hpp"

namespace koppla::subsystem::test::overshoot_steps_test {
namespace {

using Numbers = std::vector<double>;

/// Two inputs and an output, e^t.
Signals::Script exponential() {
  return {.ports = {portOf("u", Causality::input), portOf("w", Causality::input), portOf("y", Causality::output)},
          .value = [](double t, PortIndex, std::size_t) { return std::exp(t); }};
}

/// Around such a subsystem, bound and initialised; inputs are held at zero unless given.
struct Rigged {
  std::unique_ptr<Subsystem> system;
  Numbers y = Numbers(1);

  Rigged(Signals::Script& script, double microStep, unsigned degree, double start = 0.0, Past past = {})
      : system(overshoot(std::make_unique<Signals>(script), microStep, degree, std::move(past))) {
    prepare(*system, bindingOf({0, 1}, {2}), 2, y, start);
  }
  StepResult step(double t0, double t1, const Numbers& coefficients = {0.0, 0.0}) {
    return system->advance({t0, t1, false},
                           {coefficients.data(), 2, static_cast<std::uint32_t>(coefficients.size() / 2 - 1)}, y);
  }
};

TEST(OvershootSteps, ThePastIsAskedForAtTheMicroStepsBeforeTheStart) {
  Signals::Script script = exponential();
  Numbers instants;
  Rigged rig(script, 0.25, 3, 10.0, [&](double t, std::span<double> y) {
    instants.push_back(t);
    y[0] = t * t * t;
  });
  std::ranges::sort(instants);
  EXPECT_EQ(instants, (Numbers{9.25, 9.5, 9.75}));
}

/// The cubic through the last two of them, the start and the first micro step.
TEST(OvershootSteps, ThePastIsUsedFromTheFirstStepOn) {
  Signals::Script script = exponential();
  script.value = [](double t, PortIndex, std::size_t) { return std::fabs(t - 9.0) * (t - 9.0); };
  Rigged rig(script, 1.0, 3, 10.0, [](double t, std::span<double> y) { y[0] = std::fabs(t - 9.0) * (t - 9.0); });
  rig.step(10.0, 10.5);
  // Values -1, 0, 1, 4 at 8, 9, 10, 11, and at 10.5 the weights 1/16, -5/16, 15/16, 5/16.
  EXPECT_NEAR(rig.y[0], (-1.0 + 15.0 + 20.0) / 16.0, 1e-13);
}

TEST(OvershootSteps, AHitOfACommunicationPointIsToleratedToAMillionthOfTheStep) {
  for (const auto& [microStep, microSteps] : {std::pair(1.0 - 0.5e-6, 1U), std::pair(1.0 - 1.5e-6, 2U)}) {
    Signals::Script script = exponential();
    Rigged rig(script, microStep, 1);
    rig.step(0.0, 1.0);
    EXPECT_EQ(script.asked.size(), microSteps) << microStep;
  }
  Signals::Script script = exponential();  // of the step, wherever it lies
  Rigged rig(script, 0.0999, 1, 1000.0);
  rig.step(1000.0, 1000.1);
  EXPECT_EQ(script.asked.size(), 2U);
}

TEST(OvershootSteps, TheInnerOneGetsTheTrajectoriesThatItTakes) {
  for (const unsigned taken : {0U, 1U, 2U}) {
    Signals::Script script = exponential();
    script.capabilities.inputDerivatives = taken;
    Rigged rig(script, 0.5, 1, 3.0);
    const auto second = [](double t) { return 5.0 - (t - 3.0); };                   // 5 - 2 s on a step of 2 s
    const auto first = [](double t) { return 1.0 + 2.0 * (t - 3.0) * (t - 3.0); };  // 1 + 8 s^2
    rig.step(3.0, 5.0, {1.0, 5.0, 0.0, -2.0, 8.0, 0.0});
    ASSERT_EQ(script.asked.size(), 4U);
    for (const Signals::Asked& asked : script.asked) {
      EXPECT_EQ(asked.degree, taken);
      const double a = asked.step.t0, b = asked.step.t1;
      if (taken == 0) {  // the means
        const auto integral = [](double t) { return t - 3.0 + 2.0 / 3.0 * std::pow(t - 3.0, 3); };
        EXPECT_NEAR(asked.begin[0], (integral(b) - integral(a)) / (b - a), 1e-13);
        EXPECT_NEAR(asked.begin[1], second(0.5 * (a + b)), 1e-13);
        continue;
      }
      EXPECT_NEAR(asked.begin[0], first(a), 1e-13);
      EXPECT_NEAR(asked.end[0], first(b), 1e-13);
      EXPECT_NEAR(asked.middle[0], taken == 1 ? 0.5 * (first(a) + first(b)) : first(0.5 * (a + b)), 1e-13);
      EXPECT_NEAR(asked.begin[1], second(a), 1e-13);
      EXPECT_NEAR(asked.end[1], second(b), 1e-13);
    }
  }
}

TEST(OvershootSteps, ADiscardedMicroStepIsTriedTenTimes) {
  Signals::Script script = exponential();
  script.answer = [](const Step& step) { return StepResult{Status::discard, step.t0}; };
  Rigged rig(script, 0.5, 1, 2.0);
  const StepResult result = rig.step(2.0, 3.0);
  EXPECT_EQ(result.status, Status::discard);
  EXPECT_EQ(result.reached, 2.0);
  EXPECT_EQ(script.asked.size(), 10U);
  EXPECT_EQ(rig.system->effort().rejectedMicroSteps, 9U);
  EXPECT_EQ(rig.system->effort().microSteps, 0U);
}

/// The first attempt of each micro step stops after a fifth of it.
TEST(OvershootSteps, ADiscardedMicroStepGoesOnFromWhereTheInnerOneStands) {
  Signals::Script script = exponential();
  script.capabilities.inputDerivatives = 1;
  int calls = 0;
  script.answer = [&](const Step& step) {
    if (++calls % 2 == 0) return StepResult{Status::ok, step.t1};
    return StepResult{Status::discard, step.t0 + 0.2 * (step.t1 - step.t0)};
  };
  Rigged rig(script, 0.5, 1, 2.0);
  EXPECT_EQ(rig.step(2.0, 3.0, {0.0, 0.0, 1.0, 0.0}).status, Status::ok);
  ASSERT_EQ(script.asked.size(), 4U);
  const Numbers begins{2.0, 2.1, 2.5, 2.6}, ends{2.5, 2.5, 3.0, 3.0};
  for (std::size_t i = 0; i < 4; ++i) {
    const Signals::Asked& asked = script.asked[i];
    EXPECT_NEAR(asked.step.t0, begins[i], 1e-14);
    EXPECT_EQ(asked.step.t1, ends[i]);
    EXPECT_NEAR(asked.step.length, ends[i] - begins[i], 1e-14);
    EXPECT_NEAR(asked.begin[0], begins[i] - 2.0, 1e-14);
    EXPECT_NEAR(asked.end[0], ends[i] - 2.0, 1e-14);
    EXPECT_EQ(asked.step.returnsBefore, i > 0) << "whoever repeats the step goes back to before its first part";
  }
  EXPECT_EQ(rig.system->effort().rejectedMicroSteps, 2U);
  EXPECT_EQ(rig.system->effort().microSteps, 2U);
}

TEST(OvershootSteps, WhatWasReachedLiesInTheStep) {
  Signals::Script script = exponential();
  script.answer = [](const Step& step) { return StepResult{Status::discard, 0.5 * (step.t0 + step.t1)}; };
  Rigged late(script, 1.0, 1, 4.0);
  EXPECT_EQ(late.step(4.0, 4.25).reached, 4.25);  // the inner one is close to 5
  script.answer = [](const Step&) { return StepResult{Status::discard, 3.0}; };
  Rigged early(script, 1.0, 1, 4.0);
  EXPECT_EQ(early.step(4.0, 4.25).reached, 4.0);
  script.answer = [](const Step&) { return StepResult{Status::error, 4.125}; };
  Rigged inside(script, 1.0, 1, 4.0);
  EXPECT_EQ(inside.step(4.0, 4.25).reached, 4.125);
}

TEST(OvershootSteps, AnErrorEndsTheStepAndAWarningIsTold) {
  for (const Status status : {Status::warning, Status::error, Status::fatal}) {
    Signals::Script script = exponential();
    int calls = 0;
    script.answer = [&](const Step& step) { return StepResult{++calls == 2 ? status : Status::ok, step.t1}; };
    Rigged rig(script, 0.25, 1);
    EXPECT_EQ(rig.step(0.0, 1.0).status, status);
    EXPECT_EQ(calls, status == Status::warning ? 4 : 2);
  }
}

TEST(OvershootSteps, TheInnerOnesOwnAccountCountsWhereItIsLarger) {
  Signals::Script script = exponential();
  int calls = 0;
  script.answer = [&](const Step& step) {
    return ++calls % 2 == 1 ? StepResult{Status::discard, step.t0} : StepResult{Status::ok, step.t1};
  };
  script.effort = {.microSteps = 3, .rejectedMicroSteps = 1, .rightHandSides = 50};
  Rigged rig(script, 0.25, 1);
  EXPECT_EQ(rig.system->effort().microSteps, 3U);
  EXPECT_EQ(rig.system->effort().rejectedMicroSteps, 1U);
  rig.step(0.0, 1.0);
  EXPECT_EQ(rig.system->effort().microSteps, 4U);
  EXPECT_EQ(rig.system->effort().rejectedMicroSteps, 4U);
  EXPECT_EQ(rig.system->effort().rightHandSides, 50U);
}

TEST(OvershootSteps, NothingIsAllocatedInSteps) {
  Signals::Script script = exponential();
  script.listens = false;
  Rigged rig(script, 0.07, 3);
  const Numbers coefficients{1.0, 2.0, 3.0, 4.0};
  const std::size_t before = koppla::test::allocations();
  for (int n = 0; n < 10; ++n) {
    for (const Slot slot : {Slot::macroStep, Slot::iteration}) rig.system->save(slot);
    for (const Slot slot : {Slot::iteration, Slot::macroStep}) {
      rig.step(0.1 * n, 0.1 * (n + 1), coefficients);
      rig.system->restore(slot);
    }
    rig.step(0.1 * n, 0.1 * (n + 1), coefficients);
  }
  EXPECT_EQ(koppla::test::allocations(), before);
}

/// Between communication points the inner one stands elsewhere.
TEST(OvershootSteps, WhatNeedsTheInnerOneAtTheCommunicationPointIsNotOffered) {
  Signals::Script script = exponential();
  script.capabilities = {.saveRestore = true,
                         .inputDerivatives = 1,
                         .stepDerivatives = true,
                         .ownSteps = true,
                         .states = true,
                         .evaluatesBetweenSteps = true,
                         .microStep = 0.125};
  const auto system = overshoot(std::make_unique<Signals>(script), 0.5, 1);
  const Capabilities& can = system->describe().capabilities;
  EXPECT_TRUE(can.saveRestore && can.variableStep);
  EXPECT_FALSE(can.stepDerivatives || can.ownSteps || can.states || can.evaluatesBetweenSteps);
  EXPECT_EQ(can.inputDerivatives, kMaxDegree);
  EXPECT_EQ(can.microStep, 0.5);
}

TEST(OvershootSteps, TheInnerOneLeavesInitialisationToo) {
  Signals::Script script = exponential();
  const Rigged rig(script, 0.5, 1);
  EXPECT_EQ(script.left, 1);
}

TEST(OvershootSteps, RefusesMicroStepsThatAreNone) {
  Signals::Script script = exponential();
  for (const double microStep : {0.0, -0.5, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_THROW(overshoot(std::make_unique<Signals>(script), microStep, 1), core::InputError) << microStep;
  EXPECT_NO_THROW(overshoot(std::make_unique<Signals>(script), 1e-9, kMaxDegree));
}

/// A phase inside begins on the branch nearest to zero.
TEST(OvershootSteps, MemoryOfTheInnerOneBeginsWithZeros) {
  Signals::Script script = exponential();
  script.ports[2].unit = "rad";
  script.value = [](double, PortIndex, std::size_t) { return -2.5; };
  const auto system = overshoot(unwrapPhases(std::make_unique<Signals>(script), {2}), 0.5, 1);
  Numbers y(1);
  prepare(*system, bindingOf({0, 1}, {2}), 2, y);
  EXPECT_EQ(y[0], -2.5);
}

}  // namespace
}  // namespace koppla::subsystem::test::overshoot_steps_test
