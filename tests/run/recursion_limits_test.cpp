// Up to which step the recursion of a macro step is stable.

#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/run/recursion.hpp"

#include "state_member.hpp"

namespace koppla::run::recursion_limits_test {
namespace {

using test_support::make;
using Vector = std::vector<double>;

/// One state with a given factor for every step.
MacroStepRecursion scalar(std::function<double(double h)> factor, RecursionSettings how = {}) {
  coupling::System made;
  made.members.push_back(
      {"x",
       make({.inputs = {},
             .states = {1.0},
             .step = [factor](const Vector& x, double h, const auto&) { return Vector{factor(h) * x[0]}; }}),
       {}});
  core::Log log;
  return {std::move(made), Settings{}, log, how};
}

/// The unstable end of an interval of a ten millionth of it.
TEST(RecursionLimits, TheCriticalStepIsTheSmallestUnstableOne) {
  for (int i = 1; i <= 40; ++i) {
    const double limit = 0.37 * i + 1.0 / i;
    auto recursion = scalar([limit](double h) { return h < limit ? 0.5 : -1.5; });
    const auto found = recursion.criticalStep({0.1, 100.0});
    ASSERT_TRUE(found);
    EXPECT_GE(*found, limit);
    EXPECT_LE(*found - limit, 1e-7 * *found);
  }
}

/// Gaps of instability of more than two per cent are found; the end of the range is tried as well.
TEST(RecursionLimits, EveryGapOfMoreThanTwoPerCentIsFound) {
  for (double begin = 0.7; begin < 6.0; begin *= 1.13) {
    auto recursion = scalar([begin](double h) { return h >= begin && h <= 1.03 * begin ? 2.0 : 0.5; });
    const auto found = recursion.criticalStep({0.5, 8.0});
    ASSERT_TRUE(found) << begin;
    EXPECT_NEAR(*found, begin, 1e-7 * begin);
  }
  auto recursion = scalar([](double h) { return h < 2.0 ? 0.5 : 2.0; });
  EXPECT_NEAR(recursion.criticalStep({0.5, 2.0}).value(), 2.0, 2e-7);
  EXPECT_EQ(recursion.criticalStep({0.5, 1.999}), std::nullopt);
  EXPECT_EQ(recursion.criticalStep({2.0, 3.0}), 2.0) << "unstable from the beginning";
  EXPECT_TRUE(recursion.isStable(1.0));
  EXPECT_FALSE(recursion.isStable(2.0));
}

TEST(RecursionLimits, RangesAndStepsThatAreNoneAreRefused) {
  auto recursion = scalar([](double) { return 0.5; });
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double step : {0.0, -1.0, inf, nan}) EXPECT_THROW((void)recursion.matrix(step), core::InputError) << step;
  EXPECT_NO_THROW((void)recursion.matrix(0.5));
  for (const StepRange range : {StepRange{0.0, 1.0}, StepRange{-1.0, 1.0}, StepRange{1.0, 1.0}, StepRange{1.0, 0.5},
                                StepRange{0.5, inf}, StepRange{nan, 1.0}, StepRange{0.5, nan}})
    EXPECT_THROW((void)recursion.criticalStep(range), core::InputError) << range.from << " " << range.to;
  EXPECT_NO_THROW((void)recursion.criticalStep({0.25, 0.5}));
}

/// A radius up to 1 and the allowance is stable.
TEST(RecursionLimits, TheAllowanceIsWhatIsStableBeyondOne) {
  const RecursionSettings half{.allowance = 0.5};
  EXPECT_TRUE(scalar([](double) { return 1.5; }, half).isStable(1.0));
  EXPECT_FALSE(scalar([](double) { return 1.75; }, half).isStable(1.0));
  EXPECT_EQ(half.largestStableText(), "1 + 0.5");
  EXPECT_EQ(RecursionSettings{}.largestStableText(), "1 + 1e-10");
  EXPECT_EQ(RecursionSettings{.allowance = 0.0}.largestStableText(), "1");
}

}  // namespace
}  // namespace koppla::run::recursion_limits_test
