#include "koppla/report/axis.hpp"

#include <algorithm>
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
}

}  // namespace
}  // namespace koppla::report::axis_test
