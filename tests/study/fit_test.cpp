#include "koppla/study/fit.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/figure.hpp"

namespace koppla::study {
namespace {

TEST(FitSlope, FindsTheOrderOfAPower) {
  std::vector<FitPoint> points;
  for (int k = 12; k <= 20; ++k) {
    const double step = std::pow(10.0, -k / 4.0);
    points.push_back({step, 42.0 * std::pow(step, 3)});
  }
  const Slope slope = fitSlope(points);
  test::showWithin({"schmoll R36", "synthetic-slope", "3 for 42 H^3 on nine quarter decades"}, slope.slope, 3.0, 1e-12);
  EXPECT_NEAR(slope.standardError, 0.0, 1e-12);
  EXPECT_EQ(slope.points, 9U);
  EXPECT_NEAR(slope.at(0.1), 0.042, 1e-12);
}

TEST(FitSlope, TellsHowWellTheLineFits) {
  // y = 0, 1, 1, 2 over x = 0, 1, 2, 3 (as logarithms): slope 0.6, residuals -0.1, 0.3, -0.3, 0.1, so the standard
  // error is sqrt(0.2/2/5).
  const Slope slope = fitSlope(std::vector<FitPoint>{{1, 1}, {10, 10}, {100, 10}, {1000, 100}});
  EXPECT_NEAR(slope.slope, 0.6, 1e-14);
  EXPECT_NEAR(slope.standardError, std::sqrt(0.02), 1e-14);
}

TEST(FitSlope, NeedsTwoSettingsAndForItsErrorThreePoints) {
  EXPECT_TRUE(std::isnan(fitSlope(std::vector<FitPoint>{}).slope));
  EXPECT_TRUE(std::isnan(fitSlope(std::vector<FitPoint>{{0.1, 1.0}}).slope));
  EXPECT_TRUE(std::isnan(fitSlope(std::vector<FitPoint>{{0.1, 1.0}, {0.1, 2.0}}).slope));
  const Slope two = fitSlope(std::vector<FitPoint>{{0.1, 1.0}, {0.01, 0.1}});
  EXPECT_NEAR(two.slope, 1.0, 1e-14);
  EXPECT_TRUE(std::isnan(two.standardError));
}

RC_GTEST_PROP(FitSlope, DoesNotDependOnTheUnits, ()) {
  const auto exponents = *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(-30, 30));
  std::vector<FitPoint> points;
  std::vector<FitPoint> scaled;
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    const FitPoint point{std::pow(10.0, -static_cast<double>(i)), std::pow(10.0, exponents[i] * 0.1)};
    points.push_back(point);
    scaled.push_back({1e3 * point.setting, 0.25 * point.error});
  }
  RC_ASSERT(std::fabs(fitSlope(points).slope - fitSlope(scaled).slope) < 1e-10);
}

TEST(FitSlope, HasAStandardErrorFromThreePoints) {
  // y = 0, 2, 1 over x = 0, 1, 2: slope 1/2, intercept 1/2, residuals -1/2, 1, -1/2: sqrt(1.5/1/2).
  const Slope slope = fitSlope(std::vector<FitPoint>{{1, 1}, {10, 100}, {100, 10}});
  EXPECT_EQ(slope.points, 3U);
  EXPECT_NEAR(slope.slope, 0.5, 1e-14);
  EXPECT_NEAR(slope.intercept, 0.5, 1e-14);
  EXPECT_NEAR(slope.standardError, std::sqrt(0.75), 1e-14);
}

TEST(FitSlope, SettingsThatDifferByRoundingAreTheSame) {
  const double next = std::nextafter(0.3, 1.0);
  const Slope slope = fitSlope(std::vector<FitPoint>{{0.3, 1.0}, {next, 2.0}, {0.3, 4.0}});
  EXPECT_EQ(slope.points, 3U);
  EXPECT_TRUE(std::isnan(slope.slope) && std::isnan(slope.intercept) && std::isnan(slope.standardError));
  // A hundredth of a per mille is a difference.
  EXPECT_FALSE(std::isnan(fitSlope(std::vector<FitPoint>{{0.3, 1.0}, {0.300003, 2.0}}).slope));
}

}  // namespace
}  // namespace koppla::study
