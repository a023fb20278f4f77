#include "koppla/results/alignment.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace koppla::results {
namespace {

using Numbers = std::vector<double>;

/// The series at the instants of the reference.
Numbers linearAt(const Numbers& times, const Numbers& values, const Numbers& reference) {
  Numbers result;
  for (const Sample& sample : align(times, reference)) result.push_back(sample.linear(values));
  return result;
}

Numbers heldAt(const Numbers& times, const Numbers& values, const Numbers& reference) {
  Numbers result;
  for (const Sample& sample : align(times, reference)) result.push_back(values[sample.held]);
  return result;
}

TEST(Align, RunsInAStraightLineBetweenRows) {
  EXPECT_EQ(linearAt({0, 1, 3}, {0, 10, 30}, {0, 0.5, 1, 2, 3}), (Numbers{0, 5, 10, 20, 30}));
}

TEST(Align, HoldsTheValueSinceTheLastRow) {
  EXPECT_EQ(heldAt({0, 1, 3}, {7, 8, 9}, {0, 0.5, 1, 2, 3}), (Numbers{7, 7, 8, 8, 9}));
}

TEST(Align, LeavesOutInstantsThatAreNotReached) {
  const std::vector<Sample> samples = align(Numbers{1, 2}, Numbers{0, 1, 2, 3});
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].row, 1U);
  EXPECT_EQ(samples[1].row, 2U);
  EXPECT_TRUE(align({}, Numbers{0, 1}).empty());
  EXPECT_TRUE(align(Numbers{0, 1}, {}).empty());
}

TEST(Align, PairsTheSidesOfAJump) {
  EXPECT_EQ(linearAt({0, 1, 1, 2}, {0, 1, 5, 6}, {0, 1, 1, 2}), (Numbers{0, 1, 5, 6}));
}

TEST(Align, TakesTheLimitsOfTheRightSidesNextToAJump) {
  EXPECT_EQ(linearAt({0, 1, 1, 2}, {0, 1, 5, 6}, {0.5, 1.5}), (Numbers{0.5, 5.5}));
}

TEST(Align, PairsFirstAndLastWhereOneHasRowsInBetween) {
  EXPECT_EQ(linearAt({0, 1, 1, 1, 2}, {0, 1, 3, 5, 6}, {0, 1, 1, 2}), (Numbers{0, 1, 5, 6}));
  EXPECT_EQ(linearAt({0, 1, 1, 2}, {0, 1, 5, 6}, {0, 1, 1, 1, 2}), (Numbers{0, 1, 1, 5, 6}));
}

TEST(Align, AJumpOfTheReferenceAloneMeetsOneValue) {
  EXPECT_EQ(linearAt({0, 2}, {0, 2}, {0, 1, 1, 2}), (Numbers{0, 1, 1, 2}));
}

TEST(Align, ASingleRowAtAJumpMayBeEitherSide) {
  const std::vector<Sample> samples = align(Numbers{0, 1, 1, 2}, Numbers{0, 1, 2});
  EXPECT_EQ(samples[1].held, 1U);
  EXPECT_EQ(samples[1].other, 2U);
}

TEST(Align, SeesOneInstantThroughRounding) {
  const double sum = 0.1 + 0.1 + 0.1;  // not 0.3
  ASSERT_NE(sum, 0.3);
  EXPECT_EQ(heldAt({0, sum, sum, 1}, {1, 2, 3, 4}, {0, 0.3, 0.3, 1}), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(heldAt({0, sum, 1}, {1, 2, 3}, {0, 0.3, 1}), (Numbers{1, 2, 3}));
  EXPECT_EQ(heldAt({0, 0.3, 1}, {1, 2, 3}, {0, sum, 1}), (Numbers{1, 2, 3}));
}

TEST(Align, RoundingAtTheEndsDoesNotLeaveThemOut) {
  EXPECT_EQ(linearAt({0, 1.0 - 1e-16}, {0, 1}, {0, 1}).size(), 2U);
  EXPECT_EQ(linearAt({1e-16, 1.0}, {0, 1}, {0, 1}).size(), 2U);
}

}  // namespace
}  // namespace koppla::results
