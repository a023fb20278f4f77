// How steps are chosen where the coupling error is to be kept.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/stepping/step_controller.hpp"

namespace koppla::stepping::coupling_error_steps_test {
namespace {

using Decision = Verdict::Decision;

StepController controller(StepControlKind kind, double minStep = 1e-5) {
  return {{.kind = kind, .minStep = minStep, .maxStep = 1.0, .safety = 0.9}, 0.1, 0.0, 10.0};
}

/// The error is of the order that the report names: h 0.9 error^(-1/order), at least a fifth and at most twice.
TEST(CouplingErrorSteps, DoubleStepsFollowTheOrderOfTheError) {
  for (const unsigned order : {1U, 2U, 4U}) {
    StepController control = controller(StepControlKind::doubleStep);
    EXPECT_EQ(control.judge({0.1, true, 1.0, order}).decision, Decision::accept);
    const Verdict failed = control.judge({0.1, true, 1.5, order});
    EXPECT_EQ(failed.decision, Decision::repeat);
    EXPECT_DOUBLE_EQ(failed.next, 0.1 * 0.9 * std::pow(1.5, -1.0 / order));
    EXPECT_DOUBLE_EQ(control.judge({0.1, true, 1e9, order}).next, 0.1 * 0.2);
    EXPECT_DOUBLE_EQ(control.judge({0.1, true, std::nan(""), order}).next, 0.1 * 0.2);
    EXPECT_DOUBLE_EQ(controller(StepControlKind::doubleStep).judge({0.1, true, 0.0, order}).next, 0.2);
    EXPECT_DOUBLE_EQ(controller(StepControlKind::doubleStep).judge({0.1, true, 0.75, order}).next,
                     0.1 * 0.9 * std::pow(0.75, -1.0 / order));
  }
}

/// Or it would fail again.
TEST(CouplingErrorSteps, RightBehindAFailureNoStepGrows) {
  for (const StepControlKind kind : {StepControlKind::doubleStep, StepControlKind::predictorCorrector}) {
    StepController control = controller(kind);
    EXPECT_EQ(control.judge({0.1, true, 2.0, 2}).decision, Decision::repeat);
    EXPECT_EQ(control.judge({0.05, true, 1e-3, 2}).next, 0.05);
    EXPECT_GT(control.judge({0.05, true, 1e-3, 2}).next, 0.05) << "but then";
  }
}

TEST(CouplingErrorSteps, PredictionRepeatsWhatFailsWhereThatIsPossible) {
  StepController control = controller(StepControlKind::predictorCorrector);
  const Verdict failed = control.judge({0.1, true, 4.0, 2});
  EXPECT_EQ(failed.decision, Decision::repeat);
  EXPECT_DOUBLE_EQ(failed.next, 0.1 * 0.9 / 2.0);
  EXPECT_EQ(control.judge({0.1, true, 1.0, 2}).decision, Decision::accept);
  const Verdict unsolved = control.judge({0.1, false, {}, 2});
  EXPECT_EQ(unsolved.decision, Decision::repeat);
  EXPECT_DOUBLE_EQ(unsolved.next, 0.1 * 0.2);
}

/// In front of a jump, and where members cannot go back.
TEST(CouplingErrorSteps, PredictionKeepsWhatFailsAtTheLeastStepOrForGood) {
  StepController control = controller(StepControlKind::predictorCorrector, 1e-3);
  EXPECT_EQ(control.judge({1e-3, true, 4.0, 2}).decision, Decision::accept);
  EXPECT_EQ(control.judge({1e-3, false, {}, 2}).decision, Decision::giveUp);
  StepController forward = controller(StepControlKind::predictorCorrector, 1e-3);
  const Verdict kept = forward.judge({0.1, true, 4.0, 2, false});
  EXPECT_EQ(kept.decision, Decision::accept);
  EXPECT_DOUBLE_EQ(kept.next, 0.1 * 0.9 / 2.0);
  EXPECT_EQ(forward.judge({0.1, false, {}, 2, false}).decision, Decision::giveUp);
}

/// Values that change by their size in the step that was given change in the first one by what is allowed.
TEST(CouplingErrorSteps, TheFirstStepIsThePartThatTheToleranceAllows) {
  StepControlSettings settings{.kind = StepControlKind::doubleStep};
  EXPECT_DOUBLE_EQ(StepController(settings, 0.1, 0.0, 10.0).beginHeld(1e-5), 1e-6);
  settings.maxStep = 1e-7;
  EXPECT_DOUBLE_EQ(StepController(settings, 0.1, 0.0, 10.0).beginHeld(1e-5), 1e-7 * 1e-5);
  settings.maxStep = 0.0;
  settings.minStep = 1e-4;
  EXPECT_DOUBLE_EQ(StepController(settings, 0.1, 0.0, 10.0).beginHeld(1e-5), 1e-4);
}

/// A least step that nobody gave leaves room below the first one, but not more than times can tell.
TEST(CouplingErrorSteps, TheFirstStepMayBeRepeatedWithAShorterOne) {
  StepController control({.kind = StepControlKind::doubleStep}, 0.1, 0.0, 10.0);
  const double first = control.beginHeld(1e-8);
  EXPECT_DOUBLE_EQ(first, 1e-9);
  EXPECT_EQ(control.judge({first, true, 1e9, 1}).decision, Decision::repeat);
  StepController late({.kind = StepControlKind::doubleStep}, 0.1, 1e6, 1e6 + 10.0);
  EXPECT_GE(late.beginHeld(1e-12), 8.0 * std::pow(2.0, -52) * 1e6);
}

}  // namespace
}  // namespace koppla::stepping::coupling_error_steps_test
