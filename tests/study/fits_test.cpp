// Runs that differ in one setting only, and the orders of convergence of these.

#include "koppla/study/fits.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace koppla::study::fits_test {
namespace {

using Points = std::vector<std::size_t>;

Axis words(const std::string& name, const std::vector<std::string>& values) {
  Axis axis{{name}, {}};
  for (const std::string& value : values) axis.values.push_back({value, std::nullopt});
  return axis;
}

Axis numbers(const std::string& name, const std::vector<double>& values) {
  Axis axis{{name}, {}};
  for (const double value : values) axis.values.push_back({std::to_string(value), value});
  return axis;
}

Row row(Status status, double error) {
  Row result;
  result.status = status;
  result.error = error;
  return result;
}

/// Errors 3 h^2, of runs that all went well.
std::vector<Row> quadratic(const std::vector<double>& steps) {
  std::vector<Row> rows;
  for (const double h : steps) rows.push_back(row(Status::ok, 3.0 * h * h));
  return rows;
}

Study studyOver(const std::vector<double>& steps, double from, double to) {
  Study study;
  study.grid = Grid({numbers("simulation.step", steps)});
  study.fit = FitSettings{.axis = 0, .from = from, .to = to};
  return study;
}

TEST(SeriesAlong, AnAxisHoldsTheRunsThatDifferInItOnly) {
  // Points 0 to 11: a in {p, q}, b in {u, v, w}, c in {s, t}; the last one varies fastest.
  const Grid grid({words("a", {"p", "q"}), words("b", {"u", "v", "w"}), words("c", {"s", "t"})});
  const std::vector<RunSeries> middle = seriesAlong(grid, 1);
  ASSERT_EQ(middle.size(), 4U);
  EXPECT_EQ(middle[0].label, "a = p, c = s");
  EXPECT_EQ(middle[0].points, (Points{0, 2, 4}));
  EXPECT_EQ(middle[1].label, "a = p, c = t");
  EXPECT_EQ(middle[1].points, (Points{1, 3, 5}));
  EXPECT_EQ(middle[2].label, "a = q, c = s");
  EXPECT_EQ(middle[2].points, (Points{6, 8, 10}));
  EXPECT_EQ(middle[3].label, "a = q, c = t");
  EXPECT_EQ(middle[3].points, (Points{7, 9, 11}));
  const std::vector<RunSeries> first = seriesAlong(grid, 0);
  ASSERT_EQ(first.size(), 6U);
  EXPECT_EQ(first[4].label, "b = w, c = s");
  EXPECT_EQ(first[4].points, (Points{4, 10}));
}

TEST(SeriesAlong, TheOnlyAxisHasOneSeriesWithoutALabel) {
  const std::vector<RunSeries> all = seriesAlong(Grid({words("a", {"p", "q"})}), 0);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].label, "");
  EXPECT_EQ(all[0].points, (Points{0, 1}));
}

TEST(FitAll, GivesNothingWithoutAFit) {
  Study study = studyOver({0.1, 0.2}, 0.0, 1.0);
  study.fit.reset();
  EXPECT_TRUE(fitAll(study, quadratic({0.1, 0.2})).empty());
}

TEST(FitAll, GivesTheOrderOfEachSeries) {
  Study study;
  study.grid = Grid({words("k", {"one", "two"}), numbers("h", {0.4, 0.2, 0.1})});
  study.fit = FitSettings{.axis = 1};
  std::vector<Row> rows = quadratic({0.4, 0.2, 0.1});
  for (const double h : {0.4, 0.2, 0.1}) rows.push_back(row(Status::ok, 5.0 * h));
  const std::vector<Fit> fits = fitAll(study, rows);
  ASSERT_EQ(fits.size(), 2U);
  EXPECT_EQ(fits[0].series.label, "k = one");
  EXPECT_NEAR(fits[0].slope.slope, 2.0, 1e-12);
  EXPECT_NEAR(fits[0].slope.at(1.0), 3.0, 1e-12);
  EXPECT_EQ(fits[1].series.label, "k = two");
  EXPECT_NEAR(fits[1].slope.slope, 1.0, 1e-12);
  EXPECT_NEAR(fits[1].slope.at(1.0), 5.0, 1e-12);
}

/// How many of the runs at these steps count between `from` and `to`.
std::size_t countedOf(const std::vector<double>& steps, double from, double to) {
  return fitAll(studyOver(steps, from, to), quadratic(steps)).at(0).slope.points;
}

TEST(FitAll, EndsOfTheRangeCountInSpiteOfTheirRounding) {
  // 10^-1.75 is often written as 0.0178, which is a thousandth more; a tenth of that is certainly meant.
  EXPECT_EQ(countedOf({0.01, 0.02, 0.03, 0.04}, 0.02, 0.03), 2U) << "the ends themselves";
  EXPECT_EQ(countedOf({1.9999e-2, 3.0001e-2}, 0.02, 0.03), 2U) << "not quite inside";
  EXPECT_EQ(countedOf({std::pow(10.0, -1.75), 0.1}, 0.0178, 1.0), 2U);
  EXPECT_EQ(countedOf({std::pow(10.0, -1.75), 0.001}, 0.0, 0.01778), 2U);
  EXPECT_EQ(countedOf({1.997e-2, 3.0045e-2}, 0.02, 0.03), 0U) << "three halves of a thousandth are no rounding";
  EXPECT_EQ(countedOf({1e-3, 1.0}, 0.02, 0.03), 0U);
  EXPECT_EQ(countedOf({0.999, 1.001 * 2.0}, 1.0, 2.0), 2U) << "a thousandth is";
}

TEST(FitAll, RunsWithoutATrueErrorAreLeftOut) {
  const std::vector<double> steps{0.4, 0.2, 0.1, 0.05, 0.025, 0.0125, 0.00625};
  std::vector<Row> rows = quadratic(steps);
  rows[1].status = Status::unstable;
  rows[2].status = Status::limitedByReference;
  rows[3].status = Status::failed;
  rows[4].status = Status::endedEarly;
  rows[5].error = 0.0;  // by chance; it has no logarithm
  const std::vector<Fit> fits = fitAll(studyOver(steps, 0.0, 1.0), rows);
  ASSERT_EQ(fits.size(), 1U);
  EXPECT_EQ(fits[0].slope.points, 2U);
  EXPECT_NEAR(fits[0].slope.slope, 2.0, 1e-12);
}

TEST(FitAll, ErrorsAboveOneCountAsWell) {
  const std::vector<Row> rows{row(Status::ok, 12.0), row(Status::ok, 3.0), row(Status::ok, 0.75)};
  const std::vector<Fit> fits = fitAll(studyOver({0.4, 0.2, 0.1}, 0.0, 1.0), rows);
  EXPECT_EQ(fits.at(0).slope.points, 3U);
  EXPECT_NEAR(fits.at(0).slope.slope, 2.0, 1e-12);
}

}  // namespace
}  // namespace koppla::study::fits_test
