#include "koppla/stepping/step_controller.hpp"

#include <cmath>

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
  StepController control({.kind = StepControlKind::doubleStep, .minStep = 1e-5, .maxStep = 1.0}, 0.1, 0.0, 10.0);
  EXPECT_TRUE(control.estimatesError());
  EXPECT_DOUBLE_EQ(control.judge({0.1, true, 0.81}).next, 0.1);
  EXPECT_EQ(control.judge({0.1, true, 1.0}).decision, Decision::accept);
  EXPECT_EQ(control.judge({0.1, true, 4.0}).decision, Decision::repeat);
  EXPECT_DOUBLE_EQ(control.judge({0.1, true, 4.0}).next, 0.1 * 0.9 / 2.0);
  EXPECT_DOUBLE_EQ(control.judge({0.1, true, 1e9}).next, 0.1 * 0.2);
  EXPECT_DOUBLE_EQ(control.judge({0.1, true, 0.0}).next, 0.2);
  EXPECT_DOUBLE_EQ(control.judge({0.1, true, std::nan("")}).next, 0.1 * 0.2);
  EXPECT_DOUBLE_EQ(control.judge({0.1, false, {}}).next, 0.1 * 0.2);
}

}  // namespace
}  // namespace koppla::stepping
