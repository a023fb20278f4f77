#include "koppla/coupling/scalar_secant.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace koppla::coupling {
namespace {

TEST(ScalarSecant, TheThirdEvaluationOfALinearLoopIsItsSolution) {
  ScalarSecant secant;
  secant.begin();
  secant.learn(0.0, 1.0);  // F = 1 - 3 u
  EXPECT_EQ(secant.propose(), 1.0);
  secant.learn(1.0, -2.0);
  EXPECT_EQ(secant.slope(), -3.0);
  EXPECT_EQ(secant.propose(), 0.25);
  EXPECT_EQ(secant.factor(), 0.25);
  EXPECT_FALSE(secant.guarded());
}

TEST(ScalarSecant, StepsGrowAwayFromASolutionThatRepels) {
  // F = 2 u + 1 repels from -1: plain iteration goes through 2^k - 1, and so does the secant at least.
  ScalarSecant secant;
  secant.begin();
  double u = 0.0;
  for (int k = 1; k <= 20; ++k) {
    secant.learn(u, 2.0 * u + 1.0);
    u = secant.propose();
    EXPECT_GE(u, std::pow(2.0, k) - 1.0);
    EXPECT_EQ(secant.guarded(), k > 1);
  }
}

TEST(ScalarSecant, EndsAtTheSolutionThatPlainIterationLeadsTo) {
  // F = 3 tanh u + 0.01 repels from about -0.005 and attracts at 2.9847 and at a negative solution.
  const auto F = [](double u) { return 3.0 * std::tanh(u) + 0.01; };
  double plain = 0.0;
  for (int i = 0; i < 1000; ++i) plain = F(plain);
  ScalarSecant secant;
  secant.begin();
  double u = 0.0;
  for (int i = 0; i < 30; ++i) {
    secant.learn(u, F(u));
    u = secant.propose();
  }
  EXPECT_NEAR(u, plain, 1e-12);
}

TEST(ScalarSecant, RetreatsByQuarters) {
  ScalarSecant secant;
  secant.begin();
  secant.learn(2.0, 3.0);
  EXPECT_EQ(secant.propose(), 3.0);
  EXPECT_EQ(secant.retreat(), 2.25);
  EXPECT_EQ(secant.retreat(), 2.0625);
  EXPECT_EQ(secant.factor(), 0.0625);
}

/// Learned F = 1 - 3 u, then another step begins, at u = 0 with the answer 9.
double firstProposalAfter(double slope, bool accepted) {
  ScalarSecant secant;
  secant.begin();
  secant.learn(0.0, 1.0);
  secant.learn(1.0, 1.0 + slope);
  if (accepted) secant.accept();
  secant.begin();
  secant.learn(0.0, 9.0);
  return secant.propose();
}

TEST(ScalarSecant, TheSlopeOfAnAcceptedStepIsTheNextOnesFirstGuess) {
  EXPECT_EQ(firstProposalAfter(-3.0, true), 2.25);
  EXPECT_EQ(firstProposalAfter(-3.0, false), 9.0);
  EXPECT_EQ(firstProposalAfter(1.5, true), 9.0);
}

TEST(ScalarSecant, DifferencesAtRoundingTellNoSlope) {
  ScalarSecant secant;
  secant.begin();
  secant.learn(0.0, 1.0);
  secant.learn(1.0, -2.0);
  const double u = 0.25;
  const double ulp = std::numeric_limits<double>::epsilon() * u;
  secant.learn(u, u);
  ASSERT_TRUE(secant.slope());
  EXPECT_NEAR(*secant.slope(), -3.0, 1e-12);
  secant.learn(u + ulp, u - 40.0 * ulp);
  secant.learn(u, u + 20.0 * ulp);
  EXPECT_NEAR(*secant.slope(), -3.0, 1e-12);
}

RC_GTEST_PROP(ScalarSecant, NeverLeavesTheIntervalThatEnclosesASolution, ()) {
  // Residuals that fall from plus to minus, with bends: r = a - b u - c u^3 + d sin(5 u).
  const double a = *rc::gen::inRange(-300, 300) / 100.0;
  const double b = *rc::gen::inRange(1, 300) / 100.0;
  const double c = *rc::gen::inRange(0, 500) / 100.0;
  const double d = *rc::gen::inRange(-200, 200) / 100.0;
  const auto r = [&](double u) { return a - b * u - c * u * u * u + d * std::sin(5.0 * u); };
  ScalarSecant secant;
  secant.begin();
  double left = -std::numeric_limits<double>::infinity();
  double right = std::numeric_limits<double>::infinity();
  double u = *rc::gen::inRange(-200, 200) / 100.0;
  bool found = false;
  for (int i = 0; i < 200 && !found; ++i) {
    const double residual = r(u);
    secant.learn(u, u + residual);
    if (residual > 0.0) {
      if (u >= right) right = std::numeric_limits<double>::infinity();
      left = std::isfinite(right) ? std::max(left, u) : u;
    } else {
      if (u <= left) left = -std::numeric_limits<double>::infinity();
      right = std::isfinite(left) ? std::min(right, u) : u;
    }
    found = std::fabs(residual) < 1e-10 || right - left < 1e-10;
    const double next = secant.propose();
    if (std::isfinite(left) && std::isfinite(right) && !found) RC_ASSERT(next > left && next < right);
    u = next;
  }
  RC_ASSERT(found);
}

}  // namespace
}  // namespace koppla::coupling
