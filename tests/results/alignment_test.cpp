#include "koppla/results/alignment.hpp"

#include <algorithm>
#include <limits>
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

/// All grids of a few rows, with all jumps that they can have, at instants that are whole or half.
std::vector<Numbers> grids(std::size_t most, const Numbers& instants) {
  std::vector<Numbers> all{{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == most) continue;
    for (const double t : instants) {
      if (!all[i].empty() && t < all[i].back()) continue;
      Numbers longer = all[i];
      longer.push_back(t);
      all.push_back(longer);
    }
  }
  return all;
}

bool same(const Sample& a, const Sample& b) {
  return a.row == b.row && a.before == b.before && a.after == b.after && a.weight == b.weight && a.held == b.held &&
         a.other == b.other;
}

/// What align() promises of one row of the reference, looked up row by row.
std::vector<Sample> byDefinition(const Numbers& times, const Numbers& reference) {
  std::vector<Sample> samples;
  for (std::size_t row = 0; row < reference.size(); ++row) {
    const double t = reference[row];
    std::vector<std::size_t> here;
    std::vector<std::size_t> before;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] == t) here.push_back(i);
      if (times[i] < t) before.push_back(i);
    }
    const auto sides = static_cast<std::size_t>(std::count(reference.begin(), reference.end(), t));
    const auto side =
        row - static_cast<std::size_t>(std::find(reference.begin(), reference.end(), t) - reference.begin());
    if (here.empty()) {
      if (before.empty() || before.size() == times.size()) continue;  // not reached
      const std::size_t left = before.back();
      samples.push_back({row, left, left + 1, (t - times[left]) / (times[left + 1] - times[left]), left, left});
    } else if (sides == 1) {
      samples.push_back({row, here.front(), here.front(), 0.0, here.front(), here.back()});
    } else {
      const std::size_t paired = side + 1 == sides  ? here.size() - 1
                                 : here.size() == 1 ? 0
                                                    : std::min(side, here.size() - 2);
      samples.push_back({row, here[paired], here[paired], 0.0, here[paired], here[paired]});
    }
  }
  return samples;
}

TEST(Align, OnAllSmallGridsIsWhatItPromises) {
  std::size_t wrong = 0;
  std::size_t compared = 0;
  const std::vector<Numbers> references = grids(4, {0.0, 0.5, 1.0, 1.5, 2.0, 3.0});
  for (const Numbers& times : grids(5, {0.5, 1.0, 2.5}))
    for (const Numbers& reference : references) {
      const std::vector<Sample> found = align(times, reference);
      const std::vector<Sample> expected = byDefinition(times, reference);
      ++compared;
      if (!std::equal(found.begin(), found.end(), expected.begin(), expected.end(), same)) ++wrong;
    }
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(compared, 10'000U);
}

/// Two rows of the times count as the sides of a jump at t = 0 where they are near enough.
bool isSame(double instant, const Numbers& reference, std::size_t row) {
  const Numbers times{-10.0, instant, instant, 10.0};
  for (const Sample& sample : align(times, reference))
    if (sample.row == row) return sample.held == 1 && sample.other == 2;
  return false;
}

TEST(Align, InstantsAreTheSameWithinATenBillionthOfTheReferencesLength) {
  const Numbers reference{-3.0, 0.0, 1.0};  // 4 s
  for (const double sign : {1.0, -1.0}) {
    EXPECT_TRUE(isSame(sign * 3.99e-10, reference, 1)) << sign;
    EXPECT_FALSE(isSame(sign * 4.01e-10, reference, 1)) << sign;
  }
  EXPECT_TRUE(isSame(0.4e-10, Numbers{0.0, 0.5}, 0)) << "one length of another reference";
  EXPECT_FALSE(isSame(0.6e-10, Numbers{0.0, 0.5}, 0));
}

TEST(Align, InstantsAreTheSameWithinFourRoundingsOfASingleOne) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  for (const double sign : {1.0, -1.0}) {
    EXPECT_TRUE(isSame(1.0 + sign * 4.0 * kEpsilon, Numbers{1.0}, 0)) << sign;
    EXPECT_FALSE(isSame(1.0 + sign * 5.0 * kEpsilon, Numbers{1.0}, 0)) << sign;
    EXPECT_TRUE(isSame(-1.0 + sign * 4.0 * kEpsilon, Numbers{-1.0}, 0)) << "of its magnitude";
  }
}

TEST(Align, RowsOfTheReferenceWithinRoundingAreTheSidesOfAJump) {
  const Numbers times{0.0, 1.0, 1.0, 2.0};
  const std::vector<Sample> near = align(times, Numbers{0.0, 1.0, 1.0 + 1.9e-10, 2.0});
  ASSERT_EQ(near.size(), 4U);
  EXPECT_EQ(near[1].held, 1U);
  EXPECT_EQ(near[1].other, 1U);
  EXPECT_EQ(near[2].held, 2U);
  EXPECT_EQ(near[2].before, 2U);
  EXPECT_EQ(near[2].after, 2U);
  const std::vector<Sample> apart = align(times, Numbers{0.0, 1.0, 1.0 + 2.1e-10, 2.0});
  EXPECT_EQ(apart[1].other, 2U) << "a single row, which may be either side";
  EXPECT_EQ(apart[2].after, 3U);
}

TEST(Align, RowsOfTheReferenceFourRoundingsApartAreTheSidesOfAJump) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const Numbers times{0.0, 1.0, 1.0, 2.0};
  EXPECT_EQ(align(times, Numbers{1.0, 1.0 + 4.0 * kEpsilon}).at(0).other, 1U);
  EXPECT_EQ(align(times, Numbers{1.0, 1.0 + 6.0 * kEpsilon}).at(0).other, 2U) << "a single row";
}

/// The row that is one instant but for rounding is held; reals run through it in their straight lines.
TEST(Align, ARowBesideTheInstantByRoundingIsThatOfTheInstant) {
  const double off = 1e-11;
  for (const double sign : {1.0, -1.0}) {
    const Numbers times{0.0, 1.0 + sign * off, 3.0};
    const std::vector<Sample> samples = align(times, Numbers{0.0, 1.0, 2.0});
    ASSERT_EQ(samples.size(), 3U);
    EXPECT_EQ(samples[1].held, 1U);
    EXPECT_EQ(samples[1].other, 1U);
    EXPECT_NEAR(samples[1].linear(Numbers{0.0, 10.0, 50.0}), 10.0, 1e-9);
    EXPECT_NE(samples[1].linear(Numbers{0.0, 10.0, 50.0}), 10.0) << "neighbours count by their distance";
  }
  for (const Numbers& times : {Numbers{off, 3.0}, Numbers{-3.0, -off}}) {
    const std::vector<Sample> samples = align(times, Numbers{-2.0, 0.0, 2.0});
    const std::size_t end = times[0] > 0.0 ? 0 : 1;
    const auto atZero = std::find_if(samples.begin(), samples.end(), [](const Sample& s) { return s.row == 1; });
    ASSERT_NE(atZero, samples.end());
    EXPECT_EQ(atZero->before, end) << "there is no row beyond";
    EXPECT_EQ(atZero->after, end);
    EXPECT_EQ(atZero->held, end);
  }
}

TEST(Align, RoundingAtTheEndsDoesNotLeaveThemOut) {
  EXPECT_EQ(linearAt({0, 1.0 - 1e-16}, {0, 1}, {0, 1}).size(), 2U);
  EXPECT_EQ(linearAt({1e-16, 1.0}, {0, 1}, {0, 1}).size(), 2U);
}

}  // namespace
}  // namespace koppla::results
