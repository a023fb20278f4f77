#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/results/comparison.hpp"

namespace koppla::results::comparison_text_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

VariableComparison variable(std::string name, double share) {
  VariableComparison result;
  result.name = std::move(name);
  result.share = share;
  result.equal = share <= 1.0;
  return result;
}

Series series(std::string name, std::vector<double> numbers) {
  return {std::move(name), "m", "", core::Type::real, std::move(numbers), {}};
}

Table table(std::vector<double> time, std::vector<Series> all) {
  Table result;
  result.time = std::move(time);
  result.series = std::move(all);
  return result;
}

constexpr Tolerances kExact{0.0, 0.0};

TEST(ComparisonText, EndsWithTheVerdict) {
  const Table reference = table({0, 1}, {series("x", {0, 1}), series("y", {0, 1}), series("z", {2, 2})});
  const Comparison same = compare(reference, reference, {1e-6, 1e-9});
  EXPECT_EQ(verdict(same), "equal within rtol = 1e-06, atol = 1e-09");
  EXPECT_TRUE(text(same).ends_with(verdict(same) + "\n"));

  const Table results = table({0, 1}, {series("x", {0, 1.5}), series("y", {0.25, 1}), series("z", {2, 2})});
  EXPECT_EQ(verdict(compare(results, reference, {0.0, 0.125})),
            "different: 2 of 3 variables; worst x at t = 1 s: off by 0.5 m, allowed 0.125");
}

TEST(ComparisonText, ListsTheWorstFirstAndWhatIsMissing) {
  const Table reference =
      table({0}, {series("fine", {0}), series("bad", {0}), series("worse", {0}), series("gone", {0})});
  const Table results = table({0}, {series("fine", {0}), series("bad", {1}), series("worse", {2}), series("new", {0})});
  const Comparison comparison = compare(results, reference, kExact);
  const std::string all = text(comparison);
  EXPECT_LT(all.find("worse"), all.find("bad "));
  EXPECT_LT(all.find("bad "), all.find("fine"));
  EXPECT_NE(all.find("missing in the results: gone\n"), std::string::npos);
  EXPECT_NE(all.find("not in the reference: new\n"), std::string::npos);
  EXPECT_NE(text(comparison, 1).find("... and 2 more"), std::string::npos);
}

TEST(ComparisonText, IsATableAListOfWhatIsMissingAndTheVerdict) {
  Comparison comparison;
  comparison.tolerances = {1e-3, 0.25};
  VariableComparison fine = variable("a.x", 0.5);
  fine.unit = "m";
  fine.maxError = 0.125;
  fine.error = 0.0625;
  fine.allowed = 0.125;
  fine.time = 2.5;
  VariableComparison bad = variable("body.velocity", 2.0);
  bad.maxError = 1234.5;
  bad.error = 3.0;
  bad.allowed = 1.5;
  bad.time = 1.0 / 3.0;
  VariableComparison words = variable("mode", kInfinity);
  words.maxError = words.error = 1.0;
  words.time = 4.0;
  words.remark = "'on' instead of 'off'";
  comparison.variables = {fine, bad, words};
  comparison.missing = {"gone", "lost"};
  comparison.extra = {"new"};
  comparison.timeRemark = "The results have no rows.";
  EXPECT_EQ(text(comparison),
            "variable       largest error    worst error       allowed   at time/s\n"
            "mode                                                                4  different: 'on' instead of 'off'\n"
            "body.velocity       1.23e+03              3           1.5    0.333333  different\n"
            "a.x                  0.125 m       0.0625 m         0.125         2.5\n"
            "missing in the results: gone, lost\n"
            "not in the reference: new\n"
            "The results have no rows.\n"
            "different: 2 of 3 variables; worst mode at t = 4 s: 'on' instead of 'off'; 2 variables missing; "
            "the time is not covered\n");
}

TEST(ComparisonText, NamesThatAreShorterThanTheirHeadAreFilledUp) {
  Comparison comparison;
  comparison.variables = {variable("x", 0.0)};
  EXPECT_EQ(text(comparison),
            "variable  largest error    worst error       allowed   at time/s\n"
            "x                     0              0             0           0\n"
            "equal within rtol = 1e-06, atol = 1e-09\n");
}

TEST(ComparisonText, NamesOtherUnits) {
  Comparison comparison;
  comparison.variables = {variable("x", 0.0)};
  comparison.otherUnits = {{"x", "mm", "m"}};
  EXPECT_EQ(text(comparison),
            "variable  largest error    worst error       allowed   at time/s\n"
            "x                     0              0             0           0\n"
            "in another unit, compared by their numbers: x (mm, reference m)\n"
            "equal within rtol = 1e-06, atol = 1e-09, but for units\n");
}

TEST(ComparisonText, NamesOtherUnitsAlsoWhereNumbersDiffer) {
  Comparison comparison;
  comparison.variables = {variable("x", 2.0)};
  comparison.timeRemark = "The results have no rows.";
  comparison.otherUnits = {{"x", "mm", "m"}, {"y", "N", "kN"}};
  const std::string all = text(comparison);
  EXPECT_NE(all.find("compared by their numbers: x (mm, reference m), y (N, reference kN)\n"), std::string::npos)
      << all;
  EXPECT_TRUE(all.ends_with("; the time is not covered; units differ\n")) << all;
}

TEST(ComparisonText, WithoutVariablesThereIsNoTable) {
  Comparison comparison;
  comparison.extra = {"a", "b"};
  EXPECT_EQ(text(comparison), "not in the reference: a, b\ndifferent: no variable in common\n");
  comparison.extra.clear();
  comparison.missing = {"a"};
  EXPECT_EQ(text(comparison), "missing in the results: a\ndifferent: 1 variable missing\n");
}

TEST(ComparisonText, ShowsAsManyVariablesAsAskedFor) {
  Comparison comparison;
  for (int i = 1; i <= 4; ++i) comparison.variables.push_back(variable("x" + std::to_string(i), 0.1 * i));
  const auto line = [](const std::string& name) {
    return name + "                    0              0             0           0\n";
  };
  const std::string head = "variable  largest error    worst error       allowed   at time/s\n";
  const std::string end = "equal within rtol = 1e-06, atol = 1e-09\n";
  EXPECT_EQ(text(comparison, 2), head + line("x4") + line("x3") + "... and 2 more, none worse\n" + end);
  EXPECT_EQ(text(comparison, 3), head + line("x4") + line("x3") + line("x2") + "... and 1 more, none worse\n" + end);
  for (const std::size_t rows : {4U, 5U})
    EXPECT_EQ(text(comparison, rows), head + line("x4") + line("x3") + line("x2") + line("x1") + end);
  EXPECT_EQ(text(comparison, 0), "... and 4 more, none worse\n" + end);
}

TEST(ComparisonText, FortyVariablesAreShownUnlessAskedOtherwise) {
  Comparison comparison;
  for (int i = 0; i < 40; ++i) comparison.variables.push_back(variable("x", 0.5));
  EXPECT_EQ(text(comparison).find("more, none worse"), std::string::npos);
  comparison.variables.push_back(variable("x", 0.5));
  EXPECT_NE(text(comparison).find("... and 1 more, none worse\n"), std::string::npos);
}

TEST(ComparisonText, TwelveNamesAreListed) {
  Comparison comparison;
  for (char name = 'a'; name <= 'l'; ++name) comparison.missing.emplace_back(1, name);
  const std::string twelve = "missing in the results: a, b, c, d, e, f, g, h, i, j, k, l";
  EXPECT_EQ(text(comparison), twelve + "\ndifferent: 12 variables missing\n");
  comparison.missing.emplace_back("m");
  EXPECT_EQ(text(comparison), twelve + ", ... (13 in all)\ndifferent: 13 variables missing\n");
}

TEST(ComparisonText, OfEqualSharesTheLargerErrorIsTheWorseThenTheFirst) {
  Comparison comparison;
  for (const auto& [name, error] : {std::pair("small", 1.0), std::pair("large", 3.0), std::pair("also", 3.0)}) {
    comparison.variables.push_back(variable(name, kInfinity));
    comparison.variables.back().error = error;
  }
  comparison.variables.push_back(variable("fine", 0.5));
  comparison.variables.back().error = 9.0;
  const std::string all = text(comparison);
  EXPECT_LT(all.find("large"), all.find("also"));
  EXPECT_LT(all.find("also"), all.find("small"));
  EXPECT_LT(all.find("small"), all.find("fine"));
  EXPECT_EQ(verdict(comparison), "different: 3 of 4 variables; worst large at t = 0 s: off by 3, allowed 0");
}

TEST(ComparisonText, TheVerdictTellsTheTolerancesThatWereUsed) {
  Comparison comparison;
  comparison.tolerances = {0.125, 3.0};
  comparison.variables = {variable("x", 1.0)};
  EXPECT_EQ(verdict(comparison), "equal within rtol = 0.125, atol = 3");
  comparison.timeRemark = "The results end early.";
  EXPECT_EQ(verdict(comparison), "different: the time is not covered");
}

}  // namespace
}  // namespace koppla::results::comparison_text_test
