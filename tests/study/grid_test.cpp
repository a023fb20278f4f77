#include "koppla/study/grid.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/figure.hpp"

namespace koppla::study {
namespace {

using Numbers = std::vector<double>;

Axis axis(std::vector<std::string> names, const std::vector<std::string>& values) {
  Axis result{std::move(names), {}};
  for (const std::string& value : values) result.values.push_back({value, std::nullopt});
  return result;
}

TEST(DecadeValues, AreExactPowersOfTen) {
  const Numbers values = decadeValues(1e-3, 1e-4, 4).value();
  const Numbers expected{1e-3, std::pow(10.0, -3.25), std::pow(10.0, -3.5), std::pow(10.0, -3.75), 1e-4};
  test::showFigure({"schmoll R36", "quarter-decades", "1e-3, 10^-3.25, 10^-3.5, 10^-3.75, 1e-4, exactly"},
                   std::to_string(values.size()) + " values, exact", values == expected);
}

TEST(DecadeValues, WholeDecadesAreTheNumbersAsWritten) {
  EXPECT_EQ(decadeValues(1e-6, 1e3, 1).value(), (Numbers{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0}));
}

TEST(DecadeValues, RoundedEndsStandForTheGridValuesTheyRound) {
  EXPECT_EQ(decadeValues(5.62e-4, 5.6e-4, 4).value(), Numbers{std::pow(10.0, -3.25)});
  EXPECT_EQ(decadeValues(1.8e-4, 3.2e-4, 4).value(), (Numbers{std::pow(10.0, -3.75), std::pow(10.0, -3.5)}));
  EXPECT_EQ(decadeValues(3e-4, 1e-4, 4), std::nullopt);
  EXPECT_EQ(decadeValues(1e-4, 2e-4, 4), std::nullopt);
}

TEST(LinearValues, HaveBothEndsExactly) {
  EXPECT_EQ(linearValues(0.0, 5.0, 6), (Numbers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(linearValues(0.1, 0.7, 2), (Numbers{0.1, 0.7}));
}

TEST(Grid, TheLastAxisVariesFastest) {
  const Grid grid({axis({"a.x"}, {"1", "2"}), axis({"b.y", "c.y"}, {"u", "v", "w"})});
  ASSERT_EQ(grid.size(), 6U);
  std::vector<std::string> all;
  for (std::size_t point = 0; point < grid.size(); ++point)
    all.push_back(grid.value(point, 0).text + grid.value(point, 1).text);
  EXPECT_EQ(all, (std::vector<std::string>{"1u", "1v", "1w", "2u", "2v", "2w"}));
}

TEST(Grid, NamesOfOneAxisHaveTheSameValue) {
  const Grid grid({axis({"a.x"}, {"1", "2"}), axis({"b.y", "c.y"}, {"u", "v", "w"})});
  std::vector<std::string> settings;
  for (const project::Override& change : grid.overrides(4)) settings.push_back(change.name + "=" + change.value);
  EXPECT_EQ(settings, (std::vector<std::string>{"a.x=2", "b.y=v", "c.y=v"}));
  EXPECT_EQ(grid.axisOf("c.y"), 1U);
  EXPECT_EQ(grid.axisOf("c.x"), std::nullopt);
}

TEST(Grid, NamesOfOneAxisMayHaveValuesOfTheirOwn) {
  Axis pairs{{"a.x", "b.y"}, {}};
  pairs.values = {{"1, u", std::nullopt, {}, {"1", "u"}}, {"2, v", std::nullopt, {}, {"2", "v"}}};
  const Grid grid({pairs});
  std::vector<std::string> settings;
  for (const project::Override& change : grid.overrides(1)) settings.push_back(change.name + "=" + change.value);
  EXPECT_EQ(settings, (std::vector<std::string>{"a.x=2", "b.y=v"}));
  EXPECT_EQ(grid.axes()[0].name(), "a.x, b.y");
  EXPECT_FALSE(grid.axes()[0].numeric());
}

TEST(Grid, TheCrossHoldsEveryValueAtLeastOnce) {
  const Grid grid({axis({"a.x"}, {"1", "2"}), axis({"b.y"}, {"u", "v", "w"})});
  EXPECT_EQ(grid.cross(), (std::vector<std::size_t>{0, 3, 1, 2}));
}

TEST(DecadeValues, StandForNoOthersThanThoseTheyRound) {
  // Two digits are off by 0.0055 of a decade at most; 0.01 of one is something else.
  for (const double off : {-0.01, 0.01}) {
    EXPECT_FALSE(decadeValues(std::pow(10.0, -3.25 + off), 1e-3, 4)) << off;
    EXPECT_FALSE(decadeValues(1e-3, std::pow(10.0, -3.25 + off), 4)) << off;
  }
  for (const double off : {-0.0055, 0.0055}) EXPECT_TRUE(decadeValues(std::pow(10.0, -3.25 + off), 1e-3, 4)) << off;
  // Where they are near to each other, a quarter of their distance.
  for (const double off : {-0.3, 0.3})
    EXPECT_FALSE(decadeValues(std::pow(10.0, (7.0 + off) / 100.0), 10.0, 100)) << off;
  for (const double off : {-0.2, 0.2})
    EXPECT_EQ(decadeValues(std::pow(10.0, (99.0 + off) / 100.0), 10.0, 100).value(),
              (Numbers{std::pow(10.0, 0.99), 10.0}));
  EXPECT_FALSE(decadeValues(0.0, 1.0, 4)) << "0 is on no grid of decades";
}

TEST(LinearValues, MayGoDown) {
  EXPECT_EQ(linearValues(4.0, -2.0, 4), (Numbers{4, 2, 0, -2}));
}

TEST(Axis, IsNamedByItsFirstNameWhereAllHaveTheSameValue) {
  const Axis same = axis({"b.y", "c.y"}, {"u", "v"});
  EXPECT_EQ(same.name(), "b.y");
  EXPECT_EQ(same.nameWith(same.values[1]), "b.y = v");
  EXPECT_EQ(axis({"b.y", "c.y"}, {}).name(), "b.y") << "it has no values yet";
  Axis labelled = same;
  labelled.labelled = true;
  EXPECT_EQ(labelled.nameWith(labelled.values[1]), "v");
}

TEST(Axis, IsNumericWhereAllOfItsValuesAre) {
  Axis mixed = axis({"b.y"}, {"1", "u"});
  EXPECT_FALSE(mixed.numeric());
  mixed.values[0].number = 1.0;
  EXPECT_FALSE(mixed.numeric());
  mixed.values[1].number = 0.0;
  EXPECT_TRUE(mixed.numeric());
}

TEST(Grid, OverridesHaveThePlaceOfTheirValue) {
  Axis placed = axis({"a.x"}, {"1", "2"});
  placed.values[1].place = {"s.toml", 5, 11};
  const std::vector<project::Override> overrides = Grid({placed}).overrides(1);
  ASSERT_EQ(overrides.size(), 1U);
  EXPECT_EQ(overrides[0].place.line, 5U);
  EXPECT_EQ(overrides[0].place.column, 11U);
}

TEST(Grid, WithoutAxesIsOnePoint) {
  const Grid grid({});
  EXPECT_EQ(grid.size(), 1U);
  EXPECT_TRUE(grid.overrides(0).empty());
  EXPECT_EQ(grid.cross(), std::vector<std::size_t>{0});
}

TEST(Grid, TheCrossOfThreeAxesLeavesCombinationsOut) {
  const Grid grid({axis({"a.x"}, {"1", "2"}), axis({"b.y"}, {"u", "v", "w"}), axis({"c.z"}, {"p", "q"})});
  EXPECT_EQ(grid.cross(), (std::vector<std::size_t>{0, 6, 2, 4, 1}));
  EXPECT_EQ(grid.choice(9), (std::vector<std::size_t>{1, 1, 1}));
}

}  // namespace
}  // namespace koppla::study
