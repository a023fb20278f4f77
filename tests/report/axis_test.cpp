#include "koppla/report/axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace koppla::report::axis_test {
namespace {

std::vector<std::string> texts(const Axis& axis) {
  std::vector<std::string> result;
  for (const Tick& tick : axis.ticks) result.push_back(tick.text);
  return result;
}

using Texts = std::vector<std::string>;

TEST(ValueAxis, MarksRoundNumbers) {
  EXPECT_EQ(texts(valueAxis({0.0, 1.0}, {"x", "m", 6, false, false})),
            (Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(texts(valueAxis({-130.0, 70.0}, {"x", "m", 6, false, false})), (Texts{"-100", "-50", "0", "50"}));
}

TEST(ValueAxis, WidensToMarksWhereThatCostsLittle) {
  const Axis axis = valueAxis({-0.9, 0.95}, {"x", "m", 6, false, true});
  EXPECT_EQ(axis.range.low, -1.0);
  EXPECT_EQ(axis.range.high, 1.0);
  const Axis tight = valueAxis({-2.0, 0.1}, {"x", "m", 3, false, true});
  EXPECT_EQ(tight.range.low, -2.0);
  EXPECT_EQ(tight.range.high, 0.1) << "to 2 would leave half of the room empty";
}

TEST(ValueAxis, SharesAPowerOfTen) {
  const Axis large = valueAxis({0.0, 2e5}, {"p", "Pa", 5, false, false});
  EXPECT_EQ(large.label, "p / (10³ Pa)");
  EXPECT_EQ(texts(large), (Texts{"0", "50", "100", "150", "200"}));
  EXPECT_DOUBLE_EQ(large.ticks[1].at, 5e4);
  EXPECT_EQ(valueAxis({0.0, 4e-6}, {"x", "", 5, false, false}).label, "x / 10⁻⁶");
}

TEST(ValueAxis, MarksWholeNumbersOnlyWhereThereAreNoOthers) {
  EXPECT_EQ(texts(valueAxis({-0.04, 1.04}, {"on", "", 6, true, false})), (Texts{"0", "1"}));
}

RC_GTEST_PROP(ValueAxis, HasTwoMarksAtLeastAndFewAtMostAllInside, ()) {
  const double low = *rc::gen::inRange(-1000000, 1000000) * 1e-3;
  const double length = *rc::gen::inRange(1, 1000000) * 1e-4;
  const auto most = *rc::gen::inRange<std::size_t>(3, 12);
  const bool widen = *rc::gen::arbitrary<bool>();
  const Axis axis = valueAxis({low, low + length}, {"x", "m", most, false, widen});
  RC_ASSERT(axis.range.low <= low + 1e-9 * length);
  RC_ASSERT(axis.range.high >= low + length - 1e-9 * length);
  RC_ASSERT(axis.ticks.size() >= 2U);
  RC_ASSERT(axis.ticks.size() <= std::max<std::size_t>(most, 5));
  for (const Tick& tick : axis.ticks) {
    RC_ASSERT(axis.position(tick.at) >= -1e-6);
    RC_ASSERT(axis.position(tick.at) <= 1.0 + 1e-6);
  }
}

/// All ranges between numbers that are hard to calculate with.
std::vector<Range> hardRanges() {
  using Limits = std::numeric_limits<double>;
  std::vector<double> ends{0.0};
  for (const double end : {Limits::denorm_min(), 2.0 * Limits::denorm_min(), 1e-320, Limits::min(), 1e-300, 1.0,
                           1.0 + Limits::epsilon(), 1e15, 8e307, Limits::max()})
    ends.insert(ends.end(), {-end, end});
  std::ranges::sort(ends);
  std::vector<Range> result;
  for (std::size_t low = 0; low < ends.size(); ++low)
    for (std::size_t high = low; high < ends.size(); ++high) result.push_back({ends[low], ends[high]});
  return result;
}

/// The axis covers the range and has its marks, short ones, on it. Denormal numbers are rounded to a thousandth of the
/// shortest range that is drawn.
void expectSound(const Axis& axis, Range range) {
  constexpr double kRounded = 1e-3;
  constexpr std::size_t kLongest = 24;
  const testing::ScopedTrace scope(__FILE__, __LINE__, testing::Message() << range.low << " to " << range.high);
  EXPECT_TRUE(std::isfinite(axis.range.low) && std::isfinite(axis.range.high));
  EXPECT_GE(axis.position(range.low), -kRounded);
  EXPECT_LE(axis.position(range.high), 1.0 + kRounded);
  for (const Tick& tick : axis.ticks) {
    EXPECT_GE(axis.position(tick.at), -kRounded) << tick.text;
    EXPECT_LE(axis.position(tick.at), 1.0 + kRounded) << tick.text;
    EXPECT_LE(tick.text.size(), kLongest) << tick.text;
  }
}

TEST(ValueAxis, FitsEveryFiniteRange) {
  for (const Range range : hardRanges())
    for (const std::size_t most : {2U, 3U, 6U, 12U})
      for (const bool widen : {false, true}) {
        const Axis axis = valueAxis(range, {"x", "m", most, false, widen});
        expectSound(axis, range);
        EXPECT_GE(axis.ticks.size(), 2U) << range.low << " to " << range.high;
        EXPECT_LE(axis.ticks.size(), std::max<std::size_t>(most, 5)) << range.low << " to " << range.high;
        expectSound(valueAxis(range, {"n", "", most, true, widen}), range);
      }
}

TEST(ValueAxis, TellsThePowersOfTheLargestAndTheSmallestNumbers) {
  const Axis large = valueAxis({-1.5e308, 1.5e308}, {"x", "", 4, false, false});
  EXPECT_EQ(large.label, "x / 10³⁰⁶");
  EXPECT_EQ(texts(large), (Texts{"-100", "0", "100"}));
  EXPECT_DOUBLE_EQ(large.ticks[2].at, 1e308);
  const Axis small = valueAxis({0.0, 4e-320}, {"x", "", 5, false, false});
  EXPECT_EQ(small.label, "x / 10⁻³²¹");
  EXPECT_EQ(texts(small), (Texts{"0", "10", "20", "30"})) << "as a double the end is just below 40";
}

TEST(TimeAxis, FitsEveryFiniteRange) {
  for (const Range range : hardRanges())
    for (const std::size_t most : {2U, 3U, 6U, 12U}) expectSound(timeAxis(range, most), range);
  EXPECT_EQ(timeAxis({0.0, 2e-15}, 3).label, "time / (10⁻¹⁵ s)");
  EXPECT_EQ(timeAxis({0.0, 5e20}, 6).label, "time / (10¹⁸ s)");
}

TEST(TimeAxis, ChoosesAUnitThatSuitsTheLength) {
  EXPECT_EQ(timeAxis({0.0, 1.0}, 6).label, "time / s");
  EXPECT_EQ(timeAxis({0.0, 1000.0}, 6).label, "time / s");
  EXPECT_EQ(timeAxis({0.0, 5e-3}, 6).label, "time / ms");
  EXPECT_EQ(timeAxis({0.0, 5e-6}, 6).label, "time / µs");
  EXPECT_EQ(timeAxis({0.0, 5e-9}, 6).label, "time / ns");
  EXPECT_EQ(timeAxis({0.0, 30.0 * 86400.0}, 6).label, "time / d");
  EXPECT_EQ(timeAxis({0.0, 20.0 * 365.0 * 86400.0}, 6).label, "time / a");
}

TEST(TimeAxis, MarksPartsOfADayInHours) {
  const Axis axis = timeAxis({0.0, 86400.0}, 6);
  EXPECT_EQ(axis.label, "time / h");
  EXPECT_EQ(texts(axis), (Texts{"0", "6", "12", "18", "24"}));
  EXPECT_EQ(axis.ticks[1].at, 6.0 * 3600.0);
}

TEST(AxisLabel, DividesTheQuantityByItsUnit) {
  EXPECT_EQ(axisLabel("x", "m"), "x / m");
  EXPECT_EQ(axisLabel("v", "m/s"), "v / (m/s)");
  EXPECT_EQ(axisLabel("n", ""), "n");
  EXPECT_EQ(axisLabel("n", "", -12), "n / 10⁻¹²");
}

TEST(Axis, PositionGoesFromZeroToOne) {
  const Axis axis{{-1e308, 1e308}, {}, 0, ""};
  EXPECT_EQ(axis.position(-1e308), 0.0);
  EXPECT_EQ(axis.position(0.0), 0.5);
  EXPECT_EQ(axis.position(1e308), 1.0);
  const Axis smallest{{0.0, 1e-323}, {}, 0, ""};  // of two denormal steps
  EXPECT_EQ(smallest.position(5e-324), 0.5);
}

}  // namespace
}  // namespace koppla::report::axis_test
