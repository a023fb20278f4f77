// Where the marks of axes are, by the rules that choose them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/report/axis.hpp"

namespace koppla::report::axis_rules_test {
namespace {

using Texts = std::vector<std::string>;

Texts texts(const Axis& axis) {
  Texts result;
  for (const Tick& tick : axis.ticks) result.push_back(tick.text);
  return result;
}

Axis plain(Range range, std::size_t mostTicks) {
  return valueAxis(range, {"x", "m", mostTicks, false, false});
}
Axis whole(Range range, std::size_t mostTicks) {
  return valueAxis(range, {"n", "", mostTicks, true, false});
}
Axis widened(Range range, std::size_t mostTicks) {
  return valueAxis(range, {"x", "m", mostTicks, false, true});
}

double stepOf(const Axis& axis) {
  return axis.ticks.at(1).at - axis.ticks.at(0).at;
}

/// 1, 2 and 5 times powers of ten, ascending.
std::vector<double> roundSteps() {
  std::vector<double> steps;
  for (int power = -4; power <= 5; ++power)
    for (const double factor : {1.0, 2.0, 5.0}) steps.push_back(factor * std::pow(10.0, power));
  return steps;
}

TEST(ValueAxisMarks, AreAsDenseAsRoundStepsAllow) {
  for (double length = 0.013; length < 9e4; length *= 1.37)
    for (std::size_t most = 4; most <= 12; ++most) {
      const std::vector<double> steps = roundSteps();
      const double least = length / static_cast<double>(most - 1);
      const double step = *std::find_if(steps.begin(), steps.end(), [&](double s) { return s >= least; });
      EXPECT_NEAR(stepOf(plain({0.0, length}, most)), step, 1e-9 * step) << length << " in " << most;
    }
}

/// A step may be short of what is needed by a billionth of itself, for rounding.
TEST(ValueAxisMarks, ForgiveRounding) {
  EXPECT_DOUBLE_EQ(stepOf(plain({0.0, 1.0 + 0.5e-9}, 6)), 0.2);
  EXPECT_DOUBLE_EQ(stepOf(plain({0.0, 1.0 + 1.5e-9}, 6)), 0.5);
  // The mark at an end that misses it by less than a billionth of a step.
  EXPECT_EQ(texts(plain({0.1e-9, 1.0 - 0.1e-9}, 6)), (Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(texts(plain({0.3e-9, 1.0}, 6)), (Texts{"0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(texts(plain({0.0, 1.0 - 0.3e-9}, 6)), (Texts{"0.0", "0.2", "0.4", "0.6", "0.8"}));
}

TEST(ValueAxisMarks, AreTwoAtLeast) {
  EXPECT_EQ(texts(plain({0.0, 1.0}, 2)), (Texts{"0", "1"}));
  EXPECT_EQ(texts(plain({0.0, 1.0}, 1)), (Texts{"0", "1"}));
  EXPECT_EQ(texts(plain({0.0, 1.0}, 0)), (Texts{"0", "1"}));
  EXPECT_EQ(texts(plain({0.5, 1.5}, 2)), (Texts{"0.5", "1.0", "1.5"})) << "of whole ones only 1 is there";
  EXPECT_EQ(texts(plain({-0.3, 1.2}, 2)), (Texts{"0", "1"})) << "zero has no sign";
}

TEST(ValueAxisMarks, HaveTheDecimalsOfTheirStep) {
  EXPECT_EQ(texts(plain({0.0, 0.3}, 4)), (Texts{"0.0", "0.1", "0.2", "0.3"}));
  EXPECT_EQ(texts(plain({0.0, 0.03}, 4)), (Texts{"0.00", "0.01", "0.02", "0.03"}));
  EXPECT_EQ(texts(plain({2.0, 2.002}, 3)), (Texts{"2.000", "2.001", "2.002"}));
  EXPECT_EQ(texts(plain({0.0, 3.0}, 4)), (Texts{"0", "1", "2", "3"}));
  EXPECT_EQ(texts(plain({0.0, 30.0}, 4)), (Texts{"0", "10", "20", "30"}));
  EXPECT_EQ(texts(plain({-0.5, 0.0}, 2)), (Texts{"-0.5", "0.0"}));
}

TEST(ValueAxisPower, IsAMultipleOfThreeForValuesFromAHundredThousandAndBelowAHundredth) {
  EXPECT_EQ(plain({0.0, 99999.0}, 3).powerOfTen, 0);
  EXPECT_EQ(plain({0.0, 1e5}, 3).powerOfTen, 3);
  EXPECT_EQ(plain({-1e5, 1.0}, 3).powerOfTen, 3);
  EXPECT_EQ(plain({0.0, 1.9e5}, 3).powerOfTen, 3);
  EXPECT_EQ(plain({0.0, 999999.0}, 3).powerOfTen, 3);
  EXPECT_EQ(plain({0.0, 1e6}, 3).powerOfTen, 6);
  EXPECT_EQ(plain({0.0, 1e9}, 3).powerOfTen, 9);
  EXPECT_EQ(plain({0.0, 1e-2}, 3).powerOfTen, 0);
  EXPECT_EQ(plain({0.0, 1.1e-2}, 3).powerOfTen, 0);
  EXPECT_EQ(plain({0.0, 0.9e-2}, 3).powerOfTen, -3);
  EXPECT_EQ(plain({0.0, 1e-3}, 3).powerOfTen, -3);
  EXPECT_EQ(plain({0.0, 0.9e-3}, 3).powerOfTen, -6);
}

TEST(ValueAxisPower, KeepsMarksExact) {
  const Axis large = plain({0.0, 3e5}, 4);
  EXPECT_EQ(texts(large), (Texts{"0", "100", "200", "300"}));
  EXPECT_EQ(large.ticks[3].at, 3e5);
  EXPECT_EQ(large.range.high, 3e5);
  const Axis small = plain({0.0, 13e-6}, 14);
  EXPECT_EQ(small.label, "x / (10⁻⁶ m)");
  ASSERT_EQ(small.ticks.size(), 14U);
  EXPECT_EQ(small.ticks[13].at, 13e-6);
}

TEST(ValueAxisWhole, HasNoMarkBetweenWholeNumbers) {
  EXPECT_EQ(texts(whole({0.0, 1.0}, 6)), (Texts{"0", "1"}));
  EXPECT_EQ(texts(whole({0.2, 1.4}, 6)), (Texts{"1"})) << "there is no other one";
  EXPECT_EQ(texts(whole({0.0, 9.0}, 4)), (Texts{"0", "5"})) << "3 is no round step";
  // 1 is a thousandth of the unit here.
  EXPECT_EQ(texts(whole({123456.0, 123459.0}, 12)), (Texts{"123.456", "123.457", "123.458", "123.459"}));
  EXPECT_EQ(texts(plain({123456.0, 123459.0}, 7)).size(), 7U);
  // Where the unit is smaller than 1 nothing but 0 is whole.
  EXPECT_EQ(texts(whole({0.0, 4e-6}, 5)), (Texts{"0", "1", "2", "3", "4"}));
}

TEST(ValueAxisToTicks, BeginsAndEndsWithAMark) {
  const Axis axis = widened({-0.9, 0.95}, 6);
  EXPECT_EQ(texts(axis), (Texts{"-1.0", "-0.5", "0.0", "0.5", "1.0"}));
  const Axis same = widened({0.0, 1.0}, 6);
  EXPECT_EQ(same.range.low, 0.0);
  EXPECT_EQ(same.range.high, 1.0);
  EXPECT_EQ(texts(same).size(), 6U);
  EXPECT_EQ(plain({-0.9, 0.95}, 6).range.low, -0.9);
}

/// From 0 to 6 there are seven marks of step 1, one too many.
TEST(ValueAxisToTicks, TakesALargerStepWhereTheEndsMakeTooManyMarks) {
  const Axis axis = widened({0.5, 5.4}, 6);
  EXPECT_EQ(axis.range.low, 0.0);
  EXPECT_EQ(axis.range.high, 6.0);
  EXPECT_EQ(texts(axis), (Texts{"0", "2", "4", "6"}));
  EXPECT_EQ(texts(widened({0.5, 5.4}, 7)), (Texts{"0", "1", "2", "3", "4", "5", "6"}));
}

/// Three marks at most here, and four of step 0.2 from -6 to -5.4.
TEST(ValueAxisToTicks, HasThreeMarksWhereFewAreAskedFor) {
  for (const std::size_t most : {3U, 2U}) {
    const Axis axis = widened({-5.9, -5.5}, most);
    EXPECT_EQ(axis.range.low, -6.0);
    EXPECT_EQ(axis.range.high, -5.5);
    EXPECT_EQ(texts(axis), (Texts{"-6.0", "-5.5"}));
  }
}

/// Up to 1.3 times the length; 2 is exactly that of 2 / 1.3.
TEST(ValueAxisToTicks, WastesLessThanAThirdOfTheRoom) {
  EXPECT_EQ(widened({0.0, 1.52}, 3).range.high, 1.52);
  EXPECT_EQ(widened({0.0, 2.0 / 1.3}, 3).range.high, 2.0);
  EXPECT_EQ(widened({0.0, 1.55}, 3).range.high, 2.0);
  EXPECT_EQ(texts(widened({0.0, 1.52}, 3)), (Texts{"0", "1"}));
}

TEST(ValueAxisToTicks, WidensInTheUnitOfTheData) {
  const Axis axis = widened({-0.9e6, 0.95e6}, 6);
  EXPECT_EQ(axis.range.low, -1e6);
  EXPECT_EQ(axis.range.high, 1e6);
  EXPECT_EQ(texts(axis), (Texts{"-1000", "-500", "0", "500", "1000"}));
}

TEST(ValueAxis, HasAirAroundAConstant) {
  const Axis axis = plain({5.0, 5.0}, 3);
  EXPECT_EQ(axis.range.low, 4.5);
  EXPECT_EQ(axis.range.high, 5.5);
  EXPECT_EQ(texts(axis), (Texts{"4.5", "5.0", "5.5"}));
}

constexpr double kHour = 3600.0;
constexpr double kDay = 24.0 * kHour;
constexpr double kYear = 365.0 * kDay;

std::string labelOf(double length) {
  return timeAxis({0.0, length}, 6).label;
}

TEST(TimeAxis, ChangesItsUnitAtTheLengthsItNames) {
  constexpr double kLess = 1.0 - 1e-12;
  EXPECT_EQ(labelOf(3.0 * kYear), "time / a");
  EXPECT_EQ(labelOf(3.0 * kYear * kLess), "time / d");
  EXPECT_EQ(labelOf(10.0 * kDay), "time / d");
  EXPECT_EQ(labelOf(10.0 * kDay * kLess), "time / h");
  EXPECT_EQ(labelOf(2.0 * kHour), "time / h");
  EXPECT_EQ(labelOf(2.0 * kHour * kLess), "time / s");
  EXPECT_EQ(labelOf(1e-2), "time / s");
  EXPECT_EQ(labelOf(1e-2 * kLess), "time / ms");
  EXPECT_EQ(labelOf(1e-5), "time / ms");
  EXPECT_EQ(labelOf(1e-5 * kLess), "time / µs");
  EXPECT_EQ(labelOf(1e-8), "time / µs");
  EXPECT_EQ(labelOf(1e-8 * kLess), "time / ns");
  EXPECT_EQ(labelOf(1e-12), "time / ns");
  EXPECT_EQ(labelOf(1e-12 * kLess), "time / (10⁻¹² s)");
}

TEST(TimeAxis, GoesUpToAMillionYears) {
  EXPECT_EQ(labelOf(1e6 * kYear), "time / a");
  EXPECT_EQ(labelOf(1.01e6 * kYear), "time / (10¹² s)");
  EXPECT_EQ(timeAxis({-1.01e6 * kYear, 0.0}, 6).label, "time / (10¹² s)");
  EXPECT_EQ(timeAxis({2e6 * kYear, 2e6 * kYear + 100.0 * kDay}, 6).label, "time / (10¹² s)");
}

/// Beside those of hours, whose parts of days have a test of their own.
TEST(TimeAxis, MarksRoundNumbersOfItsUnit) {
  EXPECT_EQ(texts(timeAxis({0.0, 4.0 * kYear}, 5)), (Texts{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(timeAxis({0.0, 4.0 * kYear}, 5).ticks[3].at, 3.0 * kYear);
  EXPECT_EQ(texts(timeAxis({0.0, 20.0 * kDay}, 5)), (Texts{"0", "5", "10", "15", "20"}));
  EXPECT_EQ(timeAxis({0.0, 20.0 * kDay}, 5).ticks[1].at, 5.0 * kDay);
  EXPECT_EQ(texts(timeAxis({0.0, 10.0}, 5)), (Texts{"0", "5", "10"}));
  EXPECT_EQ(texts(timeAxis({0.0, 4e-3}, 5)), (Texts{"0", "1", "2", "3", "4"}));
  EXPECT_DOUBLE_EQ(timeAxis({0.0, 4e-3}, 5).ticks[1].at, 1e-3);
  EXPECT_EQ(texts(timeAxis({0.0, 4e-6}, 5)), (Texts{"0", "1", "2", "3", "4"}));
  EXPECT_DOUBLE_EQ(timeAxis({0.0, 4e-6}, 5).ticks[1].at, 1e-6);
  EXPECT_EQ(texts(timeAxis({0.0, 4e-9}, 5)), (Texts{"0", "1", "2", "3", "4"}));
  EXPECT_DOUBLE_EQ(timeAxis({0.0, 4e-9}, 5).ticks[1].at, 1e-9);
  EXPECT_EQ(timeAxis({0.0, 10.0}, 5).powerOfTen, 0);
}

double stepInHours(double hours, std::size_t mostTicks) {
  const Axis axis = timeAxis({0.0, hours * kHour}, mostTicks);
  EXPECT_EQ(axis.label, "time / h");
  return stepOf(axis) / kHour;
}

TEST(TimeAxis, DividesDaysIntoWholeParts) {
  EXPECT_DOUBLE_EQ(stepInHours(2.0, 5), 0.5);
  EXPECT_DOUBLE_EQ(stepInHours(2.0, 4), 1.0);
  EXPECT_DOUBLE_EQ(stepInHours(6.0, 7), 1.0);
  EXPECT_DOUBLE_EQ(stepInHours(6.0, 6), 2.0);
  EXPECT_DOUBLE_EQ(stepInHours(12.0, 7), 2.0);
  EXPECT_DOUBLE_EQ(stepInHours(12.0, 6), 3.0);
  EXPECT_DOUBLE_EQ(stepInHours(12.0, 5), 3.0);
  EXPECT_DOUBLE_EQ(stepInHours(12.0, 4), 6.0);
  EXPECT_DOUBLE_EQ(stepInHours(48.0, 9), 6.0);
  EXPECT_DOUBLE_EQ(stepInHours(48.0, 8), 12.0);
  EXPECT_DOUBLE_EQ(stepInHours(96.0, 9), 12.0);
  EXPECT_DOUBLE_EQ(stepInHours(96.0, 8), 24.0);
  EXPECT_DOUBLE_EQ(stepInHours(192.0, 9), 24.0);
  EXPECT_DOUBLE_EQ(stepInHours(192.0, 8), 48.0);
  EXPECT_DOUBLE_EQ(stepInHours(192.0, 5), 48.0);
  EXPECT_DOUBLE_EQ(stepInHours(192.0, 4), 100.0) << "beyond, round numbers";
  EXPECT_DOUBLE_EQ(stepInHours(12.0 * (1.0 + 0.5e-9), 5), 3.0) << "rounding is forgiven";
  EXPECT_DOUBLE_EQ(stepInHours(12.0 * (1.0 + 1.5e-9), 5), 6.0);
  EXPECT_DOUBLE_EQ(stepInHours(4.0 * (1.0 + 0.5e-9), 9), 0.5);
  EXPECT_DOUBLE_EQ(stepInHours(4.0 * (1.0 + 1.5e-9), 9), 1.0);
}

TEST(TimeAxis, HasAirAroundAnInstant) {
  const Axis axis = timeAxis({100.0 * kDay, 100.0 * kDay}, 6);
  EXPECT_EQ(axis.label, "time / d") << "20 days";
  EXPECT_DOUBLE_EQ(axis.range.low, 90.0 * kDay);
  EXPECT_DOUBLE_EQ(axis.range.high, 110.0 * kDay);
}

TEST(HorizontalAxis, IsTheTimeOrTheCountThatStandsForIt) {
  results::Table table;
  table.time = {1.0, 4.0, 8.0};
  EXPECT_EQ(horizontalAxis(table, 15).label, "time / s");
  EXPECT_EQ(texts(horizontalAxis(table, 15)).size(), 15U) << "halves";
  table.over = "iteration";
  const Axis count = horizontalAxis(table, 5);
  EXPECT_EQ(count.label, "iteration");
  EXPECT_EQ(count.range.low, 1.0) << "nothing is added";
  EXPECT_EQ(count.range.high, 8.0);
  EXPECT_EQ(texts(horizontalAxis(table, 15)), (Texts{"1", "2", "3", "4", "5", "6", "7", "8"}));
}

TEST(VerticalAxis, IsThatOfThePanel) {
  results::Series real{"a.x", "m", "", core::Type::real, {0.0, 1.0}, {}};
  const Axis axis = verticalAxis({"m", {&real}}, {-0.1, 0.95}, 6, false);
  EXPECT_EQ(axis.label, "a.x / m");
  EXPECT_EQ(axis.range.low, -0.1);
  EXPECT_EQ(texts(axis), (Texts{"0.0", "0.5"}));
  EXPECT_EQ(verticalAxis({"m", {&real}}, {0.0, 0.95}, 6, true).range.high, 1.0);
  const results::Series count{"n", "", "", core::Type::integer, {0.0, 1.0}, {}};
  EXPECT_EQ(texts(verticalAxis({"", {&count}}, {0.0, 1.0}, 6, false)), (Texts{"0", "1"}));
  real.decades = true;
  const Axis decades = verticalAxis({"m", {&real}}, {0.0, 2.0}, 6, false);
  EXPECT_EQ(decades.label, "a.x / m");
  EXPECT_EQ(texts(decades), (Texts{"10⁰", "10¹", "10²"}));
}

TEST(DecadeAxisMarks, AreAtMostSoMany) {
  EXPECT_EQ(texts(decadeAxis({0.0, 1.0}, 5, "x")), (Texts{"10⁰", "10¹"}));
  EXPECT_EQ(texts(decadeAxis({-2.0, 2.0}, 5, "x")), (Texts{"10⁻²", "10⁻¹", "10⁰", "10¹", "10²"}));
  EXPECT_EQ(texts(decadeAxis({-2.0, 3.0}, 5, "x")), (Texts{"10⁻²", "10⁰", "10²"}));
  EXPECT_EQ(texts(decadeAxis({-2.0, 0.0}, 2, "x")), (Texts{"10⁻²", "10⁰"}));
  EXPECT_EQ(texts(decadeAxis({-2.0, 0.0}, 1, "x")), (Texts{"10⁻²", "10⁰"})) << "but two";
  EXPECT_EQ(texts(decadeAxis({-2.0, 0.0}, 0, "x")), (Texts{"10⁻²", "10⁰"}));
  EXPECT_EQ(texts(decadeAxis({8.5, 12.5}, 9, "x")), (Texts{"10⁹", "10¹⁰", "10¹¹", "10¹²"}));
}

TEST(DecadeAxisMarks, ForgiveRounding) {
  EXPECT_EQ(texts(decadeAxis({-2.0 + 0.5e-9, 1.0 - 0.5e-9}, 9, "x")), (Texts{"10⁻²", "10⁻¹", "10⁰", "10¹"}));
  EXPECT_EQ(texts(decadeAxis({-2.0 + 1.5e-9, 1.0 - 1.5e-9}, 9, "x")), (Texts{"10⁻¹", "10⁰"}));
}

TEST(DecadeAxisMarks, AreOneTwoAndFiveWhereThereIsOnePowerAtMost) {
  EXPECT_EQ(texts(decadeAxis({-2.4, -1.2}, 5, "x")), (Texts{"5·10⁻³", "10⁻²", "2·10⁻²", "5·10⁻²"}));
  EXPECT_EQ(texts(decadeAxis({0.2, 0.8}, 5, "x")), (Texts{"2·10⁰", "5·10⁰"}));
  const Axis ends = decadeAxis({std::log10(2.0), 1.0 + std::log10(2.0)}, 5, "x");
  EXPECT_EQ(texts(ends), (Texts{"2·10⁰", "5·10⁰", "10¹", "2·10¹"})) << "those at the ends as well";
  EXPECT_DOUBLE_EQ(ends.ticks[1].at, std::log10(5.0));
  EXPECT_DOUBLE_EQ(ends.ticks[2].at, 1.0);
  EXPECT_DOUBLE_EQ(ends.ticks[3].at, std::log10(20.0));
  EXPECT_EQ(ends.range.low, std::log10(2.0));
  EXPECT_EQ(ends.powerOfTen, 0);
  EXPECT_EQ(ends.label, "x");
}

/// From 5.7 to 8.6 there is none of 1, 2, 5 and 10.
TEST(DecadeAxisMarks, AreRoundNumbersWhereNoneOfTheseIsThere) {
  const Axis axis = decadeAxis({std::log10(5.7) - 3.0, std::log10(8.6) - 3.0}, 10, "x");
  EXPECT_EQ(texts(axis), (Texts{"6·10⁻³", "7·10⁻³", "8·10⁻³"}));
  EXPECT_DOUBLE_EQ(axis.ticks[0].at, std::log10(0.006));
  EXPECT_DOUBLE_EQ(axis.ticks[2].at, std::log10(0.008));
  EXPECT_EQ(axis.label, "x");
  EXPECT_EQ(texts(decadeAxis({std::log10(5.7), std::log10(8.6)}, 5, "x")), (Texts{"6·10⁰", "8·10⁰"}))
      << "they are twice as wide as others";
  EXPECT_EQ(texts(decadeAxis({std::log10(3.13) + 2.0, std::log10(3.26) + 2.0}, 8, "x")),
            (Texts{"3.15·10²", "3.20·10²", "3.25·10²"}));
  EXPECT_EQ(texts(decadeAxis({0.6, 0.75}, 8, "x")), (Texts{"5·10⁰"})) << "one of these is enough";
}

TEST(AxisLabel, PutsAPowerBeforeTheUnit) {
  EXPECT_EQ(axisLabel("p", "Pa", 3), "p / (10³ Pa)");
  EXPECT_EQ(axisLabel("v", "m/s", 3), "v / (10³ m/s)");
  EXPECT_EQ(axisLabel("v", "m/s", 0), "v / (m/s)");
  EXPECT_EQ(axisLabel("n", "", 15), "n / 10¹⁵");
  EXPECT_EQ(axisLabel("n", "", -236), "n / 10⁻²³⁶");
  EXPECT_EQ(axisLabel("n", "", 478), "n / 10⁴⁷⁸");
}

}  // namespace
}  // namespace koppla::report::axis_rules_test
