#include "koppla/report/panels.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

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

TEST(Panel, IsNamedAfterWhatItsCurvesShare) {
  const results::Table all =
      table({series("a.x", "m"), series("b.x", "m"), series("b.y", "m"), series("p.T[1]", "K"), series("p.T[2]", "K")});
  const auto quantity = [&](std::vector<std::string> patterns) {
    return makePanels(all, patterns, 6).front().quantity();
  };
  EXPECT_EQ(quantity({"a.x"}), "a.x");
  EXPECT_EQ(quantity({"*.x"}), "x");
  EXPECT_EQ(quantity({"b.*"}), "value");
  EXPECT_EQ(quantity({"p.T[*]"}), "T");
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
