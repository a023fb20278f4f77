// What accelerators keep of a step that was rejected, or of one whose slope must not be used: nothing.

#include <vector>

#include <gtest/gtest.h>

#include "koppla/coupling/accelerator.hpp"
#include "koppla/coupling/scalar_secant.hpp"

namespace koppla::test::rejected_step_test {
namespace {

using coupling::Accelerator;

std::vector<double> next(Accelerator& accelerator, const std::vector<double>& sent, std::vector<double> answered) {
  accelerator.learn(sent, answered);
  accelerator.propose(answered);
  return answered;
}

/// The first proposal of a step, at (0, 0) with the answers (9, 6), after a step with F(u) = (1 - u1 / 2, 1 + u2 / 4).
std::vector<double> firstAfter(bool accepted) {
  const auto accelerator = coupling::automaticAcceleration({.size = 2});
  accelerator->begin();
  next(*accelerator, {0.0, 0.0}, {0.0, 0.0});  // an accepted step with nothing to learn
  accelerator->accept();
  accelerator->begin();
  std::vector<double> u{0.0, 0.0};
  for (int k = 0; k < 3; ++k) u = next(*accelerator, u, {1.0 - 0.5 * u[0], 1.0 + 0.25 * u[1]});
  if (accepted) accelerator->accept();
  accelerator->begin();
  return next(*accelerator, {0.0, 0.0}, {9.0, 6.0});
}

TEST(Automatic, LearnsFromAcceptedStepsAndForgetsARejectedOne) {
  EXPECT_EQ(firstAfter(false), (std::vector<double>{9.0, 6.0}));
  // With the slopes -1/2 and 1/4 the solution is (9 / 1.5, 6 / 0.75).
  const std::vector<double> known = firstAfter(true);
  EXPECT_NEAR(known[0], 6.0, 1e-3);
  EXPECT_NEAR(known[1], 8.0, 1e-3);
}

TEST(ScalarSecant, ASlopeThatRepelsIsNotCarriedToTheNextStep) {
  coupling::ScalarSecant secant;
  secant.begin();
  secant.learn(0.0, 1.0);  // F = 1 + 1.5 u
  secant.learn(1.0, 2.5);
  ASSERT_EQ(secant.slope(), 1.5);
  secant.accept();
  secant.begin();
  EXPECT_FALSE(secant.slope());
  secant.learn(0.0, 9.0);
  EXPECT_EQ(secant.propose(), 9.0);
  EXPECT_FALSE(secant.guarded());
  EXPECT_EQ(secant.retreat(), 2.25);  // a shorter move, not one to where that slope has its solution: -18
}

}  // namespace
}  // namespace koppla::test::rejected_step_test
