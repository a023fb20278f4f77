#include "koppla/stepping/step_controller.hpp"

#include <cmath>
#include <utility>

#include <gtest/gtest.h>

namespace koppla::stepping {
namespace {

using Decision = Verdict::Decision;

TEST(StepController, FixedKeepsItsStepAndGivesUpWithoutConvergence) {
  StepController fixed({}, 0.1, 0.0, 10.0);
  EXPECT_EQ(fixed.first(), 0.1);
  EXPECT_EQ(fixed.judge({0.1, true, {}}).decision, Decision::accept);
  EXPECT_EQ(fixed.judge({0.1, true, {}}).next, 0.1);
  EXPECT_EQ(fixed.judge({0.1, false, {}}).decision, Decision::giveUp);
  EXPECT_FALSE(fixed.untested(1e-12));
}

TEST(StepController, ByConvergenceDividesByFiveAndDoublesUpToTheLargest) {
  StepController control({.kind = StepControlKind::convergence, .maxStep = 0.14, .untestedBelow = 0.005}, 0.2, 0.0,
                         10.0);
  EXPECT_EQ(control.first(), 0.14);
  EXPECT_EQ(control.judge({0.1, false, {}}).decision, Decision::repeat);
  EXPECT_DOUBLE_EQ(control.judge({0.1, false, {}}).next, 0.02);
  EXPECT_DOUBLE_EQ(control.judge({0.02, true, {}}).next, 0.04);
  EXPECT_EQ(control.judge({0.1, true, {}}).next, 0.14);
  EXPECT_TRUE(control.untested(0.005));
  EXPECT_EQ(control.judge({0.004, false, {}}).decision, Decision::accept);
}

TEST(StepController, AtTheLeastStepAFailureIsFinal) {
  StepController control({.kind = StepControlKind::convergence, .minStep = 0.01}, 0.1, 0.0, 10.0);
  EXPECT_DOUBLE_EQ(control.judge({0.03, false, {}}).next, 0.01);
  EXPECT_EQ(control.judge({0.01, false, {}}).decision, Decision::giveUp);
}

TEST(StepController, DoubleStepScalesByTheRootOfTheError) {
  StepController control(
      {.kind = StepControlKind::doubleStep, .estimate = Estimate::nicolai, .minStep = 1e-5, .maxStep = 1.0}, 0.1, 0.0,
      10.0);
  EXPECT_DOUBLE_EQ(control.judge({0.1, true, 0.81}).next, 0.1);
  EXPECT_EQ(control.judge({0.1, true, 1.0}).decision, Decision::accept);
  EXPECT_EQ(control.judge({0.1, true, 4.0}).decision, Decision::repeat);
  EXPECT_DOUBLE_EQ(control.judge({0.1, true, 4.0}).next, 0.1 * 0.9 / 2.0);
  EXPECT_DOUBLE_EQ(control.judge({0.1, true, 1e9}).next, 0.1 * 0.2);
  EXPECT_DOUBLE_EQ(control.judge({0.1, true, 0.0}).next, 0.2);
  EXPECT_DOUBLE_EQ(control.judge({0.1, true, std::nan("")}).next, 0.1 * 0.2);
  EXPECT_DOUBLE_EQ(control.judge({0.1, false, {}}).next, 0.1 * 0.2);
}

/// Schmoll (2.30) to (2.32) with order k = 2, safety q = 0.95: H q e^(-1/k), then H q e^(-0.7/k) e_prev^(0.4/k).
TEST(StepController, PredictionFollowsTheFormulasOfTheNote) {
  StepControlSettings settings{
      .kind = StepControlKind::predictorCorrector, .estimate = Estimate::schmoll, .minStep = 1e-3, .maxStep = 1.0};
  settings.controller = Controller::integral;
  settings.safety = 0.95;
  StepController integral(settings, 0.1, 0.0, 10.0);
  for (int k = 0; k < 2; ++k) {  // the last error does not matter
    const Verdict verdict = integral.judge({0.1, true, 0.25, 2});
    EXPECT_EQ(verdict.decision, Decision::accept);
    EXPECT_DOUBLE_EQ(verdict.next, 0.1 * 0.95 * 2.0);
  }
  settings.controller = Controller::proportionalIntegral;
  StepController both(settings, 0.1, 0.0, 10.0);
  EXPECT_DOUBLE_EQ(both.judge({0.1, true, 0.25, 2}).next, 0.1 * 0.95 * 2.0);
  EXPECT_DOUBLE_EQ(both.judge({0.1, true, 4.0, 2}).next, 0.1 * 0.95 * std::pow(4.0, -0.35) * std::pow(0.25, 0.2));
  EXPECT_DOUBLE_EQ(both.judge({0.1, true, 1.0, 2}).next, 0.1 * 0.95 * std::pow(4.0, 0.2));
  // No step is repeated: who does not converge gives up, at the step it was.
  const Verdict failed = both.judge({0.1, false, 0.25, 2});
  EXPECT_EQ(failed.decision, Decision::giveUp);
  EXPECT_EQ(failed.next, 0.1);
}

TEST(StepController, PredictionStaysWithinItsBounds) {
  StepControlSettings settings{
      .kind = StepControlKind::predictorCorrector, .estimate = Estimate::schmoll, .minStep = 0.01, .maxStep = 0.3};
  settings.controller = Controller::integral;
  settings.safety = 0.95;
  StepController control(settings, 0.1, 0.0, 10.0);
  EXPECT_DOUBLE_EQ(control.judge({0.1, true, 1e-12, 2}).next, 0.2);   // at most twice as long
  EXPECT_DOUBLE_EQ(control.judge({0.2, true, 0.0, 2}).next, 0.3);     // at most the longest
  EXPECT_DOUBLE_EQ(control.judge({0.1, true, 1e12, 2}).next, 0.02);   // at least a fifth
  EXPECT_DOUBLE_EQ(control.judge({0.02, true, 1e12, 2}).next, 0.01);  // at least the shortest
  EXPECT_DOUBLE_EQ(control.judge({0.1, true, {}, 2}).next, 0.095);    // as if the error were just tolerable
}

/// A trillionth of the run, but no less than 8 units of the last digit of its times.
TEST(StepController, WithoutALeastStepItIsAPartOfTheRunThatTimesCanTell) {
  StepController ofRun({.kind = StepControlKind::convergence}, 0.1, 2.0, 12.0);
  EXPECT_DOUBLE_EQ(ofRun.judge({3e-11, false, {}}).next, 1e-11);
  EXPECT_EQ(ofRun.judge({1e-11, false, {}}).decision, Decision::giveUp);
  const double epsilon = std::pow(2.0, -52);
  for (const auto& [start, end] : {std::pair(1e9, 1e9 + 10.0), std::pair(-1e9 - 10.0, -1e9)}) {
    StepController late({.kind = StepControlKind::convergence}, 0.1, start, end);
    EXPECT_DOUBLE_EQ(late.judge({5e-6, false, {}}).next, 8.0 * epsilon * (1e9 + 10.0));
  }
}

TEST(StepController, WithoutALongestStepItIsTheWholeRun) {
  StepController control({.kind = StepControlKind::doubleStep, .estimate = Estimate::nicolai}, 100.0, 2.0, 12.0);
  EXPECT_EQ(control.first(), 10.0);
  EXPECT_EQ(control.judge({8.0, true, 0.0}).next, 10.0);
  StepController before({.kind = StepControlKind::convergence}, 0.1, -12.0, -2.0);
  EXPECT_EQ(before.judge({8.0, true, {}}).next, 10.0);
}

/// While nothing happens there is no error; a run has so many steps all the same.
TEST(StepController, WhereTheCouplingErrorIsKeptTheLongestStepIsAFiftiethOfTheRun) {
  for (const StepControlKind kind : {StepControlKind::doubleStep, StepControlKind::predictorCorrector}) {
    StepController control({.kind = kind}, 0.1, 2.0, 12.0);
    EXPECT_EQ(control.judge({0.15, true, 0.0}).next, 0.2);
    StepController guessed({.kind = kind}, 1.0, 2.0, 12.0);
    EXPECT_EQ(guessed.beginHeld(0.1), 0.1) << "a part of the step that was given, whatever its length";
    StepController longer({.kind = kind, .maxStep = 1.0}, 0.1, 2.0, 12.0);
    EXPECT_EQ(longer.judge({0.8, true, 0.0}).next, 1.0) << "one that is given is obeyed";
    StepController least({.kind = kind, .minStep = 0.5}, 0.1, 2.0, 12.0);
    EXPECT_EQ(least.first(), 0.5) << "and so is a least one";
  }
}

/// Whatever is tolerable is accepted, nothing beyond.
TEST(StepController, AnErrorAboveOneIsRepeated) {
  StepController control(
      {.kind = StepControlKind::doubleStep, .estimate = Estimate::nicolai, .minStep = 1e-5, .maxStep = 1.0}, 0.1, 0.0,
      10.0);
  for (const double error : {1.000001, 1.5, 2.0, 3.9}) {
    EXPECT_EQ(control.judge({0.1, true, error}).decision, Decision::repeat) << error;
    EXPECT_DOUBLE_EQ(control.judge({0.1, true, error}).next, 0.1 * 0.9 / std::sqrt(error));
  }
}

/// Ends of steps are rounded, and a step that was cut to a limit counts as one of that length.
TEST(StepController, LimitsAreMetAlsoByStepsThatAreLongerByARounding) {
  StepController control({.kind = StepControlKind::convergence, .minStep = 0.01, .untestedBelow = 0.002}, 0.1, 0.0,
                         10.0);
  EXPECT_EQ(control.judge({0.01 * (1.0 + 5e-10), false, {}}).decision, Decision::giveUp);
  EXPECT_EQ(control.judge({0.01 * (1.0 + 5e-9), false, {}}).decision, Decision::repeat);
  EXPECT_TRUE(control.untested(0.002 * (1.0 + 5e-10)));
  EXPECT_FALSE(control.untested(0.002 * (1.0 + 5e-9)));
}

/// Steps of double-step control that are accepted without a test double as others do.
TEST(StepController, UntestedStepsGrow) {
  StepController control(
      {.kind = StepControlKind::doubleStep, .estimate = Estimate::nicolai, .maxStep = 1.0, .untestedBelow = 0.01}, 0.1,
      0.0, 10.0);
  const Verdict verdict = control.judge({0.01, false, {}});
  EXPECT_EQ(verdict.decision, Decision::accept);
  EXPECT_DOUBLE_EQ(verdict.next, 0.02);
  StepController byConvergence({.kind = StepControlKind::convergence, .untestedBelow = 0.01}, 0.1, 0.0, 10.0);
  EXPECT_DOUBLE_EQ(byConvergence.judge({0.01, false, {}}).next, 0.02);
}

/// The first step lies between both limits, whichever of them is the larger one; a fixed one is what it is.
TEST(StepController, TheFirstStepIsBroughtBetweenTheLimits) {
  const auto first = [](StepControlKind kind, double least, double most) {
    return StepController({.kind = kind, .minStep = least, .maxStep = most}, 0.1, 0.0, 10.0).first();
  };
  EXPECT_EQ(first(StepControlKind::doubleStep, 0.2, 1.0), 0.2);
  EXPECT_EQ(first(StepControlKind::doubleStep, 0.01, 0.05), 0.05);
  EXPECT_EQ(first(StepControlKind::doubleStep, 0.01, 1.0), 0.1);
  EXPECT_EQ(first(StepControlKind::doubleStep, 2.0, 1.0), 1.0);
  EXPECT_EQ(first(StepControlKind::fixed, 0.2, 1.0), 0.1);
}

}  // namespace
}  // namespace koppla::stepping
