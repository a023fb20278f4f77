// Subdivided steps as the inner subsystem sees them.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/interruption.hpp"
#include "koppla/subsystem/subdivided.hpp"

#include "signals.hpp"

namespace koppla::subsystem::test::subdivided_steps_test {
namespace {

using Numbers = std::vector<double>;

Signals::Script clockwork() {
  using enum Causality;
  return {.ports = {portOf("n", input, 1, core::Type::integer), portOf("u", input, 2), portOf("y", output)},
          .value = [](double t, PortIndex, std::size_t) { return t; }};
}

struct Rigged {
  std::unique_ptr<Subsystem> system;
  Numbers y = Numbers(1);

  Rigged(Signals::Script& script, double microStep) : system(subdivide(std::make_unique<Signals>(script), microStep)) {
    prepare(*system, bindingOf({0, 1}, {2}), 2, y);
  }
  StepResult step(double t0, double t1, const Numbers& coefficients = {0.0, 0.0}, bool single = false) {
    return system->advance({t0, t1, false, single},
                           {coefficients.data(), 2, static_cast<std::uint32_t>(coefficients.size() / 2 - 1)}, y);
  }
};

TEST(SubdividedSteps, MicroStepsAreEqualAndMeet) {
  Signals::Script script = clockwork();
  Rigged rig(script, 0.3);
  rig.step(2.0, 3.0);
  ASSERT_EQ(script.asked.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(script.asked[k].step.t0, 2.0 + 0.25 * static_cast<double>(k));
    EXPECT_EQ(script.asked[k].step.t1, 2.25 + 0.25 * static_cast<double>(k));
    EXPECT_EQ(script.asked[k].step.length, 0.25);
  }
}

/// Whatever is rounded on the way.
TEST(SubdividedSteps, TheLastOneEndsWhereTheStepEnds) {
  Signals::Script script = clockwork();
  script.listens = false;
  Rigged rig(script, 0.01);
  for (int n = 0; n < 300; ++n) {
    const double t0 = 0.1 * n;
    const double t1 = 0.1 * n + 0.037;
    EXPECT_EQ(rig.step(t0, t1).reached, t1);
    EXPECT_EQ(rig.y[0], t1);
  }
}

TEST(SubdividedSteps, TheInnerOneGetsTheTrajectoriesThatItTakes) {
  for (const unsigned taken : {0U, 1U, 2U, 3U}) {
    Signals::Script script = clockwork();
    script.capabilities.inputDerivatives = taken;
    Rigged rig(script, 0.5);
    rig.step(3.0, 5.0, {1.0, 5.0, 0.0, -2.0, 8.0, 0.0});  // of s = (t - 3) / 2: 1 + 8 s^2 and 5 - 2 s
    const auto first = [](double t) { return 1.0 + 2.0 * (t - 3.0) * (t - 3.0); };
    const auto integral = [](double t) { return t - 3.0 + 2.0 / 3.0 * std::pow(t - 3.0, 3); };
    ASSERT_EQ(script.asked.size(), 4U);
    for (const Signals::Asked& asked : script.asked) {
      EXPECT_EQ(asked.degree, std::min(taken, 2U));
      const double a = asked.step.t0, b = asked.step.t1;
      EXPECT_NEAR(asked.begin[0], taken == 0 ? (integral(b) - integral(a)) / (b - a) : first(a), 1e-13);
      EXPECT_NEAR(asked.end[0], taken == 0 ? asked.begin[0] : first(b), 1e-13);
      const double middles[]{asked.begin[0], 0.5 * (first(a) + first(b)), first(0.5 * (a + b))};
      EXPECT_NEAR(asked.middle[0], middles[asked.degree], 1e-13);
      EXPECT_NEAR(asked.middle[1], 5.0 - (0.5 * (a + b) - 3.0), 1e-13);
    }
  }
}

/// Inputs jump where time stands still.
TEST(SubdividedSteps, AStepWithoutLengthGetsTheInputsOfItsBegin) {
  Signals::Script script = clockwork();
  Rigged rig(script, 0.5);
  EXPECT_EQ(rig.step(3.0, 3.0, {1.0, 5.0, 7.0, -2.0}).reached, 3.0);
  ASSERT_EQ(script.asked.size(), 1U);
  EXPECT_EQ(script.asked[0].begin, (Numbers{1.0, 5.0}));
}

TEST(SubdividedSteps, ASingleStepIsOneMicroStep) {
  Signals::Script script = clockwork();
  script.capabilities.inputDerivatives = 1;
  Rigged rig(script, 0.5);
  EXPECT_EQ(rig.step(3.0, 5.0, {1.0, 5.0, 8.0, -2.0}, true).reached, 3.5);
  ASSERT_EQ(script.asked.size(), 1U);
  EXPECT_EQ(script.asked[0].step.length, 0.5);
  EXPECT_FALSE(script.asked[0].step.single);
  EXPECT_EQ(script.asked[0].begin, (Numbers{1.0, 5.0}));
  EXPECT_EQ(script.asked[0].end, (Numbers{3.0, 4.5}));
  EXPECT_EQ(rig.system->effort().microSteps, 1U);
}

TEST(SubdividedSteps, TheNextOneBeginsWhereTheInnerOneStands) {
  Signals::Script script = clockwork();
  script.answer = [](const Step& step) { return StepResult{Status::ok, step.t1 + 1e-9}; };
  Rigged rig(script, 0.5);
  EXPECT_EQ(rig.step(3.0, 4.0).reached, 4.0 + 1e-9);
  ASSERT_EQ(script.asked.size(), 2U);
  EXPECT_EQ(script.asked[1].step.t0, 3.5 + 1e-9);
}

TEST(SubdividedSteps, AFailureEndsTheStepAndAWarningIsTold) {
  for (const Status status : {Status::warning, Status::discard, Status::error, Status::fatal}) {
    Signals::Script script = clockwork();
    int calls = 0;
    script.answer = [&](const Step& step) {
      return ++calls == 2 ? StepResult{status, step.t0 + 0.125} : StepResult{Status::ok, step.t1};
    };
    Rigged rig(script, 0.25);
    const StepResult result = rig.step(0.0, 1.0);
    EXPECT_EQ(result.status, status);
    EXPECT_EQ(result.reached, status == Status::warning ? 1.0 : 0.375);
    EXPECT_EQ(calls, status == Status::warning ? 4 : 2);
  }
}

TEST(SubdividedSteps, TheInnerOnesOwnAccountIsPassedOn) {
  Signals::Script script = clockwork();
  Rigged rig(script, 0.25);
  rig.step(0.0, 1.0);
  EXPECT_EQ(rig.system->effort().microSteps, 4U);
  script.effort = {.microSteps = 1, .rightHandSides = 50};
  EXPECT_EQ(rig.system->effort().microSteps, 1U);
  EXPECT_EQ(rig.system->effort().rightHandSides, 50U);
}

/// Whoever takes millions of micro steps looks after every 4096 whether the user wants to end.
TEST(SubdividedSteps, AnInterruptionEndsALongStep) {
  Signals::Script script = clockwork();
  script.listens = false;
  int calls = 0;
  script.answer = [&](const Step& step) {
    ++calls;
    return StepResult{Status::ok, step.t1};
  };
  const double h = std::pow(2.0, -13);
  Rigged rig(script, h);
  EXPECT_EQ(rig.step(0.0, 5000.0 * h).status, Status::ok);
  EXPECT_EQ(calls, 5000);
  core::requestInterruption();
  const StepResult result = rig.step(5000.0 * h, 15000.0 * h);
  core::forgetInterruption();
  EXPECT_EQ(result.status, Status::error);
  EXPECT_EQ(calls, 2 * 4096);
  EXPECT_EQ(result.reached, 8192.0 * h);
}

TEST(SubdividedSteps, SaysWhatItCanDo) {
  Signals::Script script = clockwork();
  script.capabilities.stepDerivatives = true;
  script.capabilities.microStep = 0.125;
  const auto can = [&](double microStep) {
    return subdivide(std::make_unique<Signals>(script), microStep)->describe().capabilities;
  };
  EXPECT_FALSE(can(0.5).stepDerivatives);
  EXPECT_EQ(can(0.5).inputDerivatives, kMaxDegree);
  EXPECT_TRUE(can(0.5).ownSteps);
  EXPECT_FALSE(can(0.0).ownSteps);
  EXPECT_EQ(can(0.5).microStep, 0.5);
  EXPECT_EQ(can(0.0).microStep, 0.125);  // what the inner one does by itself
  script.capabilities.variableStep = false;
  EXPECT_FALSE(can(0.5).ownSteps);
}

TEST(SubdividedSteps, RefusesMicroStepsThatAreNone) {
  Signals::Script script = clockwork();
  for (const double microStep : {-1e-9, -0.5, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_THROW(subdivide(std::make_unique<Signals>(script), microStep), core::InputError) << microStep;
  EXPECT_NO_THROW(subdivide(std::make_unique<Signals>(script), 0.0));
}

}  // namespace
}  // namespace koppla::subsystem::test::subdivided_steps_test
