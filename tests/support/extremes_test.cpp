#include "support/extremes.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace koppla::test::extremes_test {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

TEST(Extremes, AreThoseOfTheNumbersShown) {
  Largest largest;
  Smallest smallest;
  for (const double value : {-2.0, -3.0, -1.0}) {
    largest.see(value);
    smallest.see(value);
  }
  EXPECT_EQ(largest, -1.0);
  EXPECT_EQ(smallest, -3.0);
  largest.see(5.0, 7.0, 6.0);
  smallest.see(5.0, -7.0, 6.0);
  EXPECT_EQ(largest, 7.0);
  EXPECT_EQ(smallest, -7.0);
}

TEST(Extremes, OfNothingMeetNoLimit) {
  EXPECT_FALSE(Largest() <= 1.0);
  EXPECT_FALSE(Smallest() >= 1.0);
  EXPECT_TRUE(std::isnan(largestOf(std::vector<double>{})));
  EXPECT_TRUE(std::isnan(smallestOf(std::vector<double>{})));
}

TEST(Extremes, KeepWhatIsNotANumberWhereverItStands) {
  for (const std::vector<double>& values : {std::vector{kNone, 1.0, 2.0}, {1.0, kNone, 2.0}, {1.0, 2.0, kNone}}) {
    EXPECT_TRUE(std::isnan(largestOf(values)));
    EXPECT_TRUE(std::isnan(smallestOf(values)));
    EXPECT_TRUE(std::isnan(largestOf(values[0], values[1], values[2])));
  }
}

}  // namespace
}  // namespace koppla::test::extremes_test
