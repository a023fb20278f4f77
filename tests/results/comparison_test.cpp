#include "koppla/results/comparison.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace koppla::results {
namespace {

using Numbers = std::vector<double>;

Series series(std::string name, Numbers numbers, core::Type type = core::Type::real) {
  return {std::move(name), "m", "", type, std::move(numbers), {}};
}

Series texts(std::string name, std::vector<std::string> values) {
  return {std::move(name), "", "", core::Type::string, {}, std::move(values)};
}

Table table(Numbers time, std::vector<Series> all) {
  Table result;
  result.time = std::move(time);
  result.series = std::move(all);
  return result;
}

constexpr Tolerances kExact{0.0, 0.0};

TEST(Compare, ATableEqualsItself) {
  const Table same = table({0, 1, 1, 2}, {series("x", {1, 2, 3, 4}), texts("s", {"a", "b", "b", ""})});
  const Comparison comparison = compare(same, same, kExact);
  EXPECT_TRUE(comparison.equal());
  EXPECT_EQ(comparison.variables.size(), 2U);
  EXPECT_EQ(comparison.variables[0].maxError, 0.0);
}

TEST(Compare, TellsWhatIsAllowedAlsoWhereNothingDiffers) {
  const Table same = table({2, 3}, {series("x", {10, 20})});
  const Comparison comparison = compare(same, same, {0.25, 0.5});
  EXPECT_EQ(comparison.variables.at(0).time, 2.0);
  EXPECT_EQ(comparison.variables.at(0).allowed, 3.0);
  EXPECT_EQ(comparison.variables.at(0).share, 0.0);
  EXPECT_EQ(comparison.tolerances.rtol, 0.25);
  EXPECT_EQ(comparison.tolerances.atol, 0.5);
}

TEST(Compare, ALinearFunctionIsTheSameOnEveryGrid) {
  const Comparison comparison =
      compare(table({0, 4}, {series("x", {1, 9})}), table({0, 0.5, 1, 3, 4}, {series("x", {1, 2, 3, 7, 9})}), kExact);
  EXPECT_TRUE(comparison.equal());
  EXPECT_EQ(comparison.variables.at(0).maxError, 0.0);
}

RC_GTEST_PROP(Compare, ALinearFunctionIsTheSameOnAnyGridUpToRounding, ()) {
  const auto grid = [] {
    Numbers times{0.0};
    for (const unsigned part : *rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(1U, 1000U)))
      times.push_back(times.back() + part * 1e-3);
    times.push_back(1e3);
    return times;
  };
  const double slope = *rc::gen::inRange(-100, 100) * 0.1;
  const auto line = [slope](const Numbers& times) {
    Numbers values;
    for (const double t : times) values.push_back(3.0 + slope * t);
    return table(times, {series("x", values)});
  };
  RC_ASSERT(compare(line(grid()), line(grid()), {1e-12, 1e-11}).equal());
}

TEST(Compare, AllowsAtolPlusRtolTimesTheReferencePointByPoint) {
  // Allowed at 100: 0.5 + 0.01 * 100 = 1.5; at 0: 0.5.
  const Tolerances tolerances{0.01, 0.5};
  const Table reference = table({0, 1}, {series("x", {100, 0})});
  EXPECT_TRUE(compare(table({0, 1}, {series("x", {101.5, 0.5})}), reference, tolerances).equal());
  EXPECT_FALSE(compare(table({0, 1}, {series("x", {101.6, 0})}), reference, tolerances).equal());

  const Comparison comparison = compare(table({0, 1}, {series("x", {101, 0.75})}), reference, tolerances);
  ASSERT_EQ(comparison.variables.size(), 1U);
  const VariableComparison& x = comparison.variables[0];
  EXPECT_FALSE(x.equal) << "1 of 1.5 allowed is fine, 0.75 of 0.5 is not";
  EXPECT_EQ(x.maxError, 1.0);
  EXPECT_EQ(x.time, 1.0);
  EXPECT_EQ(x.error, 0.75);
  EXPECT_EQ(x.allowed, 0.5);
  EXPECT_EQ(x.share, 1.5);
}

TEST(Compare, TheSidesOfAJumpAreComparedEachWithItsOwn) {
  const Table reference = table({0, 1, 1, 2}, {series("x", {0, 1, -1, 0})});
  EXPECT_TRUE(compare(table({0, 0.5, 1, 1, 2}, {series("x", {0, 0.5, 1, -1, 0})}), reference, kExact).equal());
  const Comparison swapped = compare(table({0, 1, 1, 2}, {series("x", {0, -1, 1, 0})}), reference, kExact);
  EXPECT_EQ(swapped.variables.at(0).maxError, 2.0);
}

TEST(Compare, AReferenceWithOneRowAtAJumpMayShowEitherSide) {
  const Table results =
      table({0, 1, 1, 2}, {series("x", {0, 0, 1, 1}), series("b", {0, 0, 1, 1}, core::Type::boolean)});
  EXPECT_TRUE(compare(results, table({0, 1, 2}, {series("x", {0, 0, 1}), series("b", {0, 1, 1})}), kExact).equal());
  EXPECT_TRUE(compare(results, table({0, 1, 2}, {series("x", {0, 1, 1}), series("b", {0, 0, 1})}), kExact).equal());
  EXPECT_FALSE(compare(results, table({0, 1, 2}, {series("x", {0, 0.5, 1})}), kExact).equal());
}

TEST(Compare, IntegersAndBooleansKeepTheirValueBetweenRows) {
  const Table reference = table({0, 1, 2}, {series("on", {0, 0, 1})});
  EXPECT_TRUE(compare(table({0, 2}, {series("on", {0, 1}, core::Type::boolean)}), reference, kExact).equal());
  EXPECT_FALSE(compare(table({0, 2}, {series("on", {0, 1})}), reference, kExact).equal()) << "a real would be 0.5";
}

TEST(Compare, TextsMustBeTheSame) {
  const Table reference = table({0, 1, 2}, {texts("mode", {"off", "off", "on"})});
  EXPECT_TRUE(compare(table({0, 2}, {texts("mode", {"off", "on"})}), reference, kExact).equal());
  const Comparison comparison = compare(table({0, 1, 2}, {texts("mode", {"off", "on", "on"})}), reference, kExact);
  EXPECT_FALSE(comparison.equal());
  EXPECT_EQ(comparison.variables.at(0).time, 1.0);
  EXPECT_EQ(comparison.variables.at(0).remark, "'on' instead of 'off'");
}

TEST(Compare, NumbersNeverEqualTexts) {
  EXPECT_FALSE(compare(table({0}, {series("x", {1})}), table({0}, {texts("x", {"1"})}), kExact).equal());
}

TEST(Compare, AMissingVariableIsADifferenceAnAdditionalOneIsNot) {
  const Table both = table({0, 1}, {series("x", {0, 1}), series("y", {0, 1})});
  const Table one = table({0, 1}, {series("x", {0, 1})});
  const Comparison missing = compare(one, both, kExact);
  EXPECT_FALSE(missing.equal());
  EXPECT_EQ(missing.missing, std::vector<std::string>{"y"});
  const Comparison extra = compare(both, one, kExact);
  EXPECT_TRUE(extra.equal());
  EXPECT_EQ(extra.extra, std::vector<std::string>{"y"});
}

/// The same unit may be written in several ways; only what both tell can differ.
TEST(Compare, AnotherUnitIsTold) {
  const auto with = [](const std::string& unit) {
    Table made = table({0, 1}, {series("x", {0, 1})});
    made.series[0].unit = unit;
    return made;
  };
  const Comparison comparison = compare(with("mm"), with("m"), kExact);
  EXPECT_TRUE(comparison.equal());
  ASSERT_EQ(comparison.otherUnits.size(), 1U);
  EXPECT_EQ(comparison.otherUnits[0].name, "x");
  EXPECT_EQ(comparison.otherUnits[0].unit, "mm");
  EXPECT_EQ(comparison.otherUnits[0].referenceUnit, "m");
  EXPECT_EQ(verdict(comparison).substr(verdict(comparison).rfind(',')), ", but for units");
  for (const auto& [ours, theirs] : {std::pair{"m", "m"}, {"", "m"}, {"m", ""}})
    EXPECT_TRUE(compare(with(ours), with(theirs), kExact).otherUnits.empty());
}

TEST(Compare, UnitsOfTextsAreNotLookedAt) {
  const auto inUnit = [](Series made, const std::string& unit) {
    made.unit = unit;
    return table({0}, {std::move(made)});
  };
  const Table numbers = inUnit(series("x", {1}), "m");
  const Table words = inUnit(texts("x", {"1"}), "mm");
  EXPECT_TRUE(compare(words, numbers, kExact).otherUnits.empty());
  EXPECT_TRUE(compare(numbers, words, kExact).otherUnits.empty());
  EXPECT_TRUE(compare(words, inUnit(texts("x", {"1"}), "m"), kExact).otherUnits.empty());
}

TEST(Compare, OnlyChosenVariablesCount) {
  const Table reference = table({0, 1}, {series("a.x", {0, 1}), series("b.x", {0, 1})});
  const Table results = table({0, 1}, {series("a.x", {0, 1}), series("b.x", {5, 5}), series("c", {0, 0})});
  const Comparison comparison = compare(results, reference, kExact, std::vector<std::string>{"a.*"});
  EXPECT_TRUE(comparison.equal());
  EXPECT_EQ(comparison.variables.size(), 1U);
  EXPECT_TRUE(comparison.extra.empty());
}

TEST(Compare, NothingInCommonIsNotEqual) {
  EXPECT_FALSE(compare(table({0}, {}), table({0}, {}), kExact).equal());
}

TEST(Compare, ResultsMustCoverTheTimeOfTheReference) {
  const Table longer = table({0, 1, 2}, {series("x", {1, 1, 1})});
  const Table shorter = table({0, 1}, {series("x", {1, 1})});
  EXPECT_TRUE(compare(longer, shorter, kExact).equal());
  const Comparison comparison = compare(shorter, longer, kExact);
  EXPECT_FALSE(comparison.equal());
  EXPECT_EQ(comparison.differing(), 0U);
  EXPECT_EQ(comparison.timeRemark, "The results go from 0 s to 1 s, the reference from 0 s to 2 s.");
  EXPECT_FALSE(compare(table({}, {series("x", {})}), shorter, kExact).equal());
  EXPECT_FALSE(compare(shorter, table({}, {series("x", {})}), kExact).equal());
}

TEST(Compare, NotANumberAgreesOnlyWithItself) {
  const Table good = table({0, 1}, {series("x", {1, 2})});
  const Table bad = table({0, 1}, {series("x", {1, NAN})});
  const Tolerances wide{1.0, 1e9};
  EXPECT_FALSE(compare(bad, good, wide).equal());
  EXPECT_FALSE(compare(good, bad, wide).equal());
  EXPECT_TRUE(std::isnan(compare(bad, good, wide).variables.at(0).maxError));
  EXPECT_FALSE(compare(table({0, 1}, {series("x", {NAN, 2})}), bad, wide).equal());

  const Comparison withItself = compare(bad, bad, kExact);
  EXPECT_TRUE(withItself.equal());
  EXPECT_EQ(withItself.variables.at(0).maxError, 0.0);
  const Table nothing = table({0}, {series("x", {NAN})});
  EXPECT_EQ(compare(nothing, nothing, {0.5, 0.25}).variables.at(0).allowed, 0.25);
}

TEST(Compare, TheBetterSideOfAJumpCountsAlsoBesideNotANumber) {
  const Table reference = table({0, 1, 2}, {series("x", {1, 2, 3})});
  EXPECT_TRUE(compare(table({0, 1, 1, 2}, {series("x", {1, 2, NAN, 3})}), reference, kExact).equal());
  EXPECT_TRUE(compare(table({0, 1, 1, 2}, {series("x", {1, NAN, 2, 3})}), reference, kExact).equal());
}

TEST(Compare, InfinityAgreesOnlyWithItself) {
  const Table reference = table({0}, {series("x", {INFINITY})});
  const Tolerances wide{1.0, 1.0};
  EXPECT_TRUE(compare(reference, reference, wide).equal());
  EXPECT_FALSE(compare(table({0}, {series("x", {1})}), reference, wide).equal());
  EXPECT_FALSE(compare(table({0}, {series("x", {-INFINITY})}), reference, wide).equal());
}

/// Errors 1 and 3 where 0.5 is allowed, of values on both sides of zero.
TEST(Compare, ErrorsAreDifferencesAndTheFirstOfEqualSharesIsTold) {
  const Table reference = table({0, 1, 2, 3}, {series("x", {-1, 2, 0, 0})});
  const Comparison comparison = compare(table({0, 1, 2, 3}, {series("x", {-2, -1, 3, 0})}), reference, {0.0, 0.5});
  const VariableComparison& x = comparison.variables.at(0);
  EXPECT_FALSE(x.equal);
  EXPECT_EQ(x.maxError, 3.0);
  EXPECT_EQ(x.error, 3.0);
  EXPECT_EQ(x.time, 1.0);
  EXPECT_EQ(x.share, 6.0);
  EXPECT_FALSE(compare(table({0}, {series("x", {1})}), table({0}, {series("x", {0})}), {0.0, 0.5}).equal());
  EXPECT_TRUE(compare(table({0}, {series("x", {0.5})}), table({0}, {series("x", {0})}), {0.0, 1.0}).equal());
}

TEST(Compare, TheWorstIsTheLargestShareAndNotTheLargestError) {
  // Errors 0.4 of 0.5 and 1 of 1.5.
  const Comparison comparison =
      compare(table({0, 1}, {series("x", {0.4, 101})}), table({0, 1}, {series("x", {0, 100})}), {0.01, 0.5});
  EXPECT_TRUE(comparison.equal());
  EXPECT_EQ(comparison.variables.at(0).time, 0.0);
  EXPECT_EQ(comparison.variables.at(0).error, 0.4);
  EXPECT_EQ(comparison.variables.at(0).maxError, 1.0);
}

TEST(Compare, WhereNothingIsAllowedTheLargestErrorIsTheWorstAndTheFirstOfEqualOnes) {
  const Table reference = table({0, 1, 2, 3, 4}, {series("x", {0, 0, 0, 0, 0})});
  const Comparison comparison = compare(table({0, 1, 2, 3, 4}, {series("x", {0, 0.25, 2, 2, 1})}), reference, kExact);
  const VariableComparison& x = comparison.variables.at(0);
  EXPECT_EQ(x.share, INFINITY);
  EXPECT_EQ(x.error, 2.0);
  EXPECT_EQ(x.time, 2.0);
}

TEST(Compare, AnErrorThatIsNotANumberStaysTheLargest) {
  const Table reference = table({0, 1, 2}, {series("x", {0, 0, 0})});
  const Comparison comparison = compare(table({0, 1, 2}, {series("x", {0, NAN, 5})}), reference, {0.0, 1.0});
  EXPECT_TRUE(std::isnan(comparison.variables.at(0).maxError));
  EXPECT_EQ(comparison.variables.at(0).share, INFINITY);
}

TEST(Compare, TextsAndNumbersThatDifferHaveTheErrorOne) {
  const Table words = table({0.5, 1}, {texts("x", {"a", "b"})});
  const Table numbers = table({0.5, 1}, {series("x", {1, 2})});
  const VariableComparison ours = compare(words, numbers, kExact).variables.at(0);
  const VariableComparison theirs = compare(numbers, words, kExact).variables.at(0);
  EXPECT_EQ(ours.remark, "texts instead of numbers");
  EXPECT_EQ(theirs.remark, "numbers instead of texts");
  const VariableComparison other =
      compare(table({0.5, 1}, {texts("x", {"a", "c"})}), words, {1.0, 1e9}).variables.at(0);
  EXPECT_EQ(other.remark, "'c' instead of 'b'");
  EXPECT_EQ(other.time, 1.0);
  for (const VariableComparison& x : {ours, theirs, other}) {
    EXPECT_FALSE(x.equal);
    EXPECT_EQ(x.maxError, 1.0);
    EXPECT_EQ(x.error, 1.0);
    EXPECT_EQ(x.share, INFINITY);
  }
}

TEST(Compare, ATextAtAJumpMayBeThatOfEitherSide) {
  const Table results = table({0, 1, 1, 2}, {texts("s", {"a", "b", "c", "c"})});
  EXPECT_TRUE(compare(results, table({0, 1, 2}, {texts("s", {"a", "b", "c"})}), kExact).equal());
  EXPECT_TRUE(compare(results, table({0, 1, 2}, {texts("s", {"a", "c", "c"})}), kExact).equal());
  EXPECT_FALSE(compare(results, table({0, 1, 2}, {texts("s", {"a", "a", "c"})}), kExact).equal());
}

TEST(Compare, WhatIsHeldInOneOfBothIsHeld) {
  const Table steps = table({0, 2}, {series("on", {0, 1}, core::Type::integer)});
  const Table line = table({0, 2}, {series("on", {0, 1})});
  const Table between = table({0, 1, 2}, {series("on", {0, 0, 1}, core::Type::integer)});
  EXPECT_TRUE(compare(steps, table({0, 1, 2}, {series("on", {0, 0, 1})}), kExact).equal());
  EXPECT_TRUE(compare(line, between, kExact).equal()) << "the reference says what it is";
}

TEST(Compare, TheUnitIsTheReferencesOrElseOurs) {
  Series bare = series("x", {0});
  bare.unit = "";
  Series inFeet = series("x", {0});
  inFeet.unit = "ft";
  EXPECT_EQ(compare(table({0}, {series("x", {0})}), table({0}, {inFeet}), kExact).variables.at(0).unit, "ft");
  EXPECT_EQ(compare(table({0}, {series("x", {0})}), table({0}, {bare}), kExact).variables.at(0).unit, "m");
  EXPECT_EQ(compare(table({0}, {series("x", {0})}), table({0}, {bare}), kExact).variables.at(0).name, "x");
}

TEST(Compare, SaysWhichOfBothHasNoRows) {
  const Table rows = table({0, 1}, {series("x", {1, 1})});
  const Table none = table({}, {series("x", {})});
  EXPECT_EQ(compare(none, rows, kExact).timeRemark, "The results have no rows.");
  EXPECT_EQ(compare(rows, none, kExact).timeRemark, "The reference has no rows.");
  EXPECT_EQ(compare(none, none, kExact).timeRemark, "The reference has no rows.");
  EXPECT_EQ(compare(rows, table({-1.5, 0.5}, {series("x", {1, 1})}), kExact).timeRemark,
            "The results go from 0 s to 1 s, the reference from -1.5 s to 0.5 s.");
  EXPECT_EQ(compare(none, rows, kExact).variables.at(0).share, 0.0) << "nothing was compared";
}

}  // namespace
}  // namespace koppla::results
