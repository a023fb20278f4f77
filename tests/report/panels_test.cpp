#include "koppla/report/panels.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "support/message_of.hpp"

namespace koppla::report::panels_test {
namespace {

using core::Type;
using Numbers = std::vector<double>;

results::Series series(std::string name, std::string unit, Type type = Type::real, Numbers numbers = {0, 1}) {
  return {std::move(name), std::move(unit), "", type, std::move(numbers), {}};
}

results::Table table(std::vector<results::Series> all) {
  results::Table result;
  result.time = {0, 1};
  result.series = std::move(all);
  return result;
}

TEST(Panels, HoldOneUnitEach) {
  const results::Table all = table({series("a.x", "m"), series("a.v", "m/s"), series("b.x", "m")});
  const std::vector<Panel> panels = makePanels(all, {}, 6);
  ASSERT_EQ(panels.size(), 2U);
  EXPECT_EQ(panels[0].curves, (std::vector<const results::Series*>{&all.series[0], &all.series[2]}));
  EXPECT_EQ(panels[1].unit, "m/s");
}

TEST(Panels, KeepBooleansApart) {
  const results::Table all = table({series("a.k", ""), series("a.on", "", Type::boolean)});
  EXPECT_EQ(makePanels(all, {}, 6).size(), 2U);
}

TEST(Panels, AreSplitWhereTooManyCurvesShareAUnit) {
  const results::Table all = table({series("a", "m"), series("b", "m"), series("c", "m")});
  const std::vector<Panel> panels = makePanels(all, {}, 2);
  ASSERT_EQ(panels.size(), 2U);
  EXPECT_EQ(panels[0].curves.size(), 2U);
}

TEST(Panels, LeaveTextsOutUnlessTheyAreAskedForByName) {
  results::Table all = table({series("a.x", "m")});
  all.series.push_back({"a.mode", "", "", Type::string, {}, {"on", "off"}});
  EXPECT_EQ(makePanels(all, std::vector<std::string>{"a.*"}, 6).size(), 1U);
  EXPECT_THROW(makePanels(all, std::vector<std::string>{"a.mode"}, 6), core::InputError);
}

TEST(Panels, SayWhyNothingCanBeDrawn) {
  EXPECT_THROW(makePanels(table({}), {}, 6), core::InputError);
  EXPECT_THROW(makePanels(table({series("a.x", "m")}), std::vector<std::string>{"b.*"}, 6), core::InputError);
  EXPECT_THROW(makePanels(table(std::vector<results::Series>(1000, series("a", "m"))), {}, 6), core::InputError);
  results::Table noRows = table({series("a.x", "m", Type::real, {})});
  noRows.time.clear();
  EXPECT_THROW(makePanels(noRows, {}, 6), core::InputError);
}

TEST(Panels, SayWhatIsWrongWithWhichFile) {
  const auto said = [](results::Table drawn, std::vector<std::string> patterns = {}) {
    drawn.source = "r.csv";
    return test::messageOf<core::InputError>([&] { makePanels(drawn, patterns, 6); });
  };
  results::Table texts = table({series("a.x", "m")});
  texts.series.push_back({"a.mode", "", "", Type::string, {}, {"on", "off"}});
  EXPECT_EQ(said(texts, {"a.mode"}), "r.csv: 'a.mode' holds texts, which cannot be drawn. Leave it out.");
  EXPECT_EQ(said(table({})), "r.csv: There is no variable to draw. Record some.");
  results::Table noRows = table({series("a.x", "m", Type::real, {})});
  noRows.time.clear();
  EXPECT_EQ(said(noRows), "r.csv: There are no rows to draw. Run the simulation first.");
  EXPECT_EQ(said(table(std::vector<results::Series>(49, series("a", "m")))),
            "r.csv: 49 variables are too many for one picture. Choose up to 48 by name or pattern, such as 'mass.*'.");
}

TEST(Panels, HoldUpToFortyEightCurvesInOrder) {
  const results::Table all = table(std::vector<results::Series>(48, series("a", "m")));
  const std::vector<Panel> panels = makePanels(all, {}, 7);
  ASSERT_EQ(panels.size(), 7U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(panels[i].curves.size(), 7U);
  EXPECT_EQ(panels[6].curves.size(), 6U);
  EXPECT_EQ(panels[1].curves[2], &all.series[9]);
}

TEST(Panel, IsNamedAfterWhatItsCurvesShare) {
  const results::Table all = table({series("a.x", "m"), series("b.x", "m"), series("b.y", "m"), series("p.T[1]", "K"),
                                    series("p.T[2]", "K"), series("q[1]", "W"), series("q[2]", "W")});
  const auto quantity = [&](std::vector<std::string> patterns) {
    return makePanels(all, patterns, 6).front().quantity();
  };
  EXPECT_EQ(quantity({"a.x"}), "a.x");
  EXPECT_EQ(quantity({"*.x"}), "x");
  EXPECT_EQ(quantity({"b.*"}), "value");
  EXPECT_EQ(quantity({"p.T[*]"}), "T");
  EXPECT_EQ(quantity({"p.T[1]"}), "p.T[1]");
  EXPECT_EQ(quantity({"q[*]"}), "q");
}

TEST(Panel, RangeCoversFiniteValuesAndLeavesAirAroundAConstant) {
  const auto range = [](Numbers numbers, Type type = Type::real) {
    const results::Series curve = series("x", "", type, std::move(numbers));
    return Panel{"", {&curve}}.range();
  };
  EXPECT_EQ(range({-1, NAN, INFINITY, 3}).low, -1.0);
  EXPECT_EQ(range({-1, NAN, INFINITY, 3}).high, 3.0);
  EXPECT_LT(range({5, 5}).low, 5.0);
  EXPECT_GT(range({5, 5}).high, 5.0);
  EXPECT_LT(range({0, 0}).low, 0.0);
  EXPECT_LT(range({NAN, NAN}).low, range({NAN, NAN}).high);
  EXPECT_LT(range({5e-324, 5e-324}).low, 5e-324) << "a tenth of it is 0";
  EXPECT_GT(range({5e-324, 5e-324}).high, 5e-324);
  EXPECT_EQ(range({-8e307, 8e307}).low, -8e307);
  EXPECT_LT(range({1.75e308, 1.75e308}).low, 1.75e308);
  EXPECT_TRUE(std::isfinite(range({1.75e308, 1.75e308}).high));
  EXPECT_EQ(range({1, 1}, Type::boolean).low, 0.0);
  EXPECT_EQ(range({1, 1}, Type::boolean).high, 1.0);
  EXPECT_EQ(range({NAN, NAN}).low, 0.0);
  EXPECT_EQ(range({NAN, NAN}).high, 1.0);
  EXPECT_EQ(range({4, -2}).high, 4.0);
  EXPECT_EQ(range({4, -2}).low, -2.0);
}

void expectRange(Range range, double low, double high) {
  EXPECT_EQ(range.low, low);
  EXPECT_EQ(range.high, high);
}

/// A tenth on both sides, 1 around zero; what differs by more than a ten-billionth of a thousandth is no constant.
TEST(WithAir, IsATenthAroundAConstant) {
  expectRange(withAir({5.0, 5.0}), 4.5, 5.5);
  expectRange(withAir({-5.0, -5.0}), -5.5, -4.5);
  expectRange(withAir({0.0, 0.0}), -1.0, 1.0);
  expectRange(withAir({-3.0, 7.0}), -3.0, 7.0);
  expectRange(withAir({1.0, 1.0 + 1.5e-13}), 1.0, 1.0 + 1.5e-13);
  expectRange(withAir({-1.0 - 1.5e-13, -1.0}), -1.0 - 1.5e-13, -1.0);
  const double hardly = 1.0 + 0.7e-13;
  expectRange(withAir({1.0, hardly}), 1.0 - 0.1 * hardly, hardly + 0.1 * hardly);
  expectRange(withAir({-hardly, -1.0}), -hardly - 0.1 * hardly, -1.0 + 0.1 * hardly);
}

/// Denormal numbers have the rounding of the smallest normal one.
TEST(WithAir, IsALengthThatCanBeDividedAroundDenormalNumbers) {
  using Limits = std::numeric_limits<double>;
  const double rounding = 1e-13 * Limits::min();
  const double tiny = Limits::denorm_min();
  expectRange(withAir({tiny, tiny}), tiny - rounding, tiny + rounding);
  expectRange(withAir({0.0, rounding}), -rounding, 2.0 * rounding);
  expectRange(withAir({0.0, rounding + tiny}), 0.0, rounding + tiny);
  expectRange(withAir({0.0, 1.5 * rounding}), 0.0, 1.5 * rounding);
}

TEST(WithAir, IsFiniteAroundTheLargestNumbers) {
  constexpr double kMost = std::numeric_limits<double>::max();
  expectRange(withAir({kMost, kMost}), kMost - 0.1 * kMost, kMost);
  expectRange(withAir({-kMost, -kMost}), -kMost, -kMost + 0.1 * kMost);
}

TEST(TimeRange, GoesFromTheFirstToTheLastRow) {
  results::Table rows;
  rows.time = {-1.0, 2.0, 5.0};
  expectRange(timeRange(rows), -1.0, 5.0);
  rows.time = {5.0};
  expectRange(timeRange(rows), 4.5, 5.5);
}

TEST(Panel, IsWholeWhereNoCurveIsReal) {
  const results::Series count = series("n", "", Type::integer);
  const results::Series choice = series("k", "", Type::enumeration);
  const results::Series real = series("x", "");
  EXPECT_TRUE((Panel{"", {&count, &choice}}.whole()));
  EXPECT_FALSE((Panel{"", {&count, &real}}.whole()));
  EXPECT_FALSE((Panel{"", {&real, &count}}.whole()));
}

struct Corner {
  double t;
  double y;
  bool connected;
  bool operator==(const Corner&) const = default;
};

std::vector<Corner> corners(const Numbers& time, const results::Series& curve) {
  std::vector<Corner> result;
  trace(time, curve, [&](double t, double y, bool connected) { result.push_back({t, y, connected}); });
  return result;
}

TEST(Trace, RealsGoStraightWithGapsAtNotANumber) {
  EXPECT_EQ(corners({0, 1, 2, 3}, series("x", "", Type::real, {1, 2, NAN, 4})),
            (std::vector<Corner>{{0, 1, false}, {1, 2, true}, {3, 4, false}}));
}

TEST(Trace, AllOthersGoInSteps) {
  EXPECT_EQ(corners({0, 1}, series("n", "", Type::integer, {3, 5})),
            (std::vector<Corner>{{0, 3, false}, {1, 3, true}, {1, 5, true}}));
}

TEST(Panels, KeepPowersOfTenApartAndLeaveOutWhatHasNone) {
  results::Table all = table({series("K", ""), series("residual", "", Type::real, {1000.0, 0.0})});
  all.series[1].decades = true;
  const std::vector<Panel> panels = makePanels(all, {}, 6);
  ASSERT_EQ(panels.size(), 2U);
  EXPECT_FALSE(panels[0].decades());
  EXPECT_TRUE(panels[1].decades());
  EXPECT_LE(panels[1].range().low, 3.0);
  EXPECT_GE(panels[1].range().high, 3.0);
  EXPECT_TRUE(std::isnan(drawn(all.series[1], 1)));
}

}  // namespace
}  // namespace koppla::report::panels_test
