#include "koppla/study/reference.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace koppla::study {
namespace {

results::Series series(std::string name, std::vector<double> numbers, core::Type type = core::Type::real) {
  return {std::move(name), "", "", type, std::move(numbers), {}};
}

results::Table table(std::vector<double> time, std::vector<results::Series> all) {
  results::Table result;
  result.time = std::move(time);
  result.series = std::move(all);
  return result;
}

double valueAt(const TableReference& reference, double t) {
  std::vector<double> y(reference.names().size());
  return reference.values(t, y) ? y.front() : std::nan("");
}

double cubic(double t) {
  return 1.0 - 2.0 * t + 0.5 * t * t + 0.25 * t * t * t;
}

TEST(TableReference, IsExactForCubicsAlsoAtItsEnds) {
  const std::vector<double> times{0.0, 0.3, 1.0, 1.5, 2.5, 3.0};
  std::vector<double> values;
  for (const double t : times) values.push_back(cubic(t));
  const TableReference reference(table(times, {series("a.x", values)}), BetweenRows::cubic);
  for (const double t : {0.0, 0.1, 0.5, 1.2, 2.0, 2.9, 3.0}) EXPECT_NEAR(valueAt(reference, t), cubic(t), 1e-13) << t;
}

TEST(TableReference, HasNoValuesBeyondItsRows) {
  const TableReference reference(table({0.0, 1.0}, {series("a.x", {1, 2})}), BetweenRows::cubic);
  EXPECT_TRUE(std::isnan(valueAt(reference, -0.1)));
  EXPECT_TRUE(std::isnan(valueAt(reference, 1.1)));
  EXPECT_EQ(valueAt(reference, 0.5), 1.5);
}

TEST(TableReference, MaySkipWhatIsBetweenItsRows) {
  const TableReference reference(table({0.0, 0.1, 0.2, 0.3}, {series("a.x", {1, 2, 3, 4})}), BetweenRows::skip);
  EXPECT_EQ(valueAt(reference, 3 * 0.1), 4.0) << "0.30000000000000004 is 0.3";
  EXPECT_TRUE(std::isnan(valueAt(reference, 0.25)));
}

TEST(TableReference, DoesNotInterpolateAcrossAJump) {
  const TableReference reference(table({0.0, 1.0, 2.0, 2.0, 3.0, 4.0}, {series("a.x", {0, 1, 2, 10, 10, 10})}),
                                 BetweenRows::cubic);
  EXPECT_DOUBLE_EQ(valueAt(reference, 1.5), 1.5);
  EXPECT_DOUBLE_EQ(valueAt(reference, 2.5), 10.0);
  EXPECT_EQ(valueAt(reference, 2.0), 10.0) << "the side that the next step starts from";
}

TEST(TableReference, HoldsWhatIsNoReal) {
  const TableReference reference(table({0.0, 1.0, 2.0}, {series("a.n", {1, 5, 5}, core::Type::integer)}),
                                 BetweenRows::cubic);
  EXPECT_EQ(valueAt(reference, 0.9), 1.0);
}

TEST(TableReference, LeavesTextsOut) {
  results::Series names{"a.name", "", "", core::Type::string, {}, {"u", "v"}};
  const TableReference reference(table({0.0, 1.0}, {names, series("a.x", {1, 2})}), BetweenRows::cubic);
  EXPECT_EQ(reference.names(), std::vector<std::string>{"a.x"});
}

/// The polynomial through all rows from `first` to `last`, at t.
double lagrange(const std::vector<double>& times, const std::vector<double>& values, std::size_t first,
                std::size_t last, double t) {
  double sum = 0.0;
  for (std::size_t k = first; k <= last; ++k) {
    double product = values[k];
    for (std::size_t other = first; other <= last; ++other)
      if (other != k) product *= (t - times[other]) / (times[k] - times[other]);
    sum += product;
  }
  return sum;
}

TEST(TableReference, TakesTheTwoRowsOnEitherSide) {
  // No polynomial of a low degree, and times that are not even.
  const std::vector<double> times{-2.0, -1.0, 0.5, 1.0, 2.5, 3.0, 4.5, 5.0};
  std::vector<double> values;
  for (const double t : times) values.push_back(std::exp(t) - 3.0 * t);
  const TableReference reference(table(times, {series("a.x", values)}), BetweenRows::cubic);
  const std::size_t last = times.size() - 1;
  for (std::size_t after = 1; after <= last; ++after) {
    const double t = 0.25 * times[after - 1] + 0.75 * times[after];
    // The two before and the two behind; at an end what lies next.
    const std::size_t first = after == 1 ? 0 : after == last ? last - 3 : after - 2;
    EXPECT_NEAR(valueAt(reference, t), lagrange(times, values, first, first + 3, t), 1e-12) << t;
    EXPECT_EQ(valueAt(reference, times[after]), values[after]);
  }
}

TEST(TableReference, TakesFewerRowsWhereThereAreNoMore) {
  const std::vector<double> times{1.0, 2.0, 4.0};
  const std::vector<double> values{3.0, 8.0, -2.0};
  const TableReference three(table(times, {series("a.x", values)}), BetweenRows::cubic);
  for (const double t : {1.25, 1.75, 2.5, 3.5})
    EXPECT_NEAR(valueAt(three, t), lagrange(times, values, 0, 2, t), 1e-13) << t;
  const TableReference one(table({0.0}, {series("a.x", {7.0})}), BetweenRows::cubic);
  EXPECT_EQ(valueAt(one, 0.0), 7.0);
  EXPECT_TRUE(std::isnan(valueAt(one, 0.5)));
  EXPECT_TRUE(std::isnan(valueAt(one, -0.5)));
  const TableReference none(table({}, {series("a.x", {})}), BetweenRows::cubic);
  EXPECT_TRUE(std::isnan(valueAt(none, 0.0)));
}

TEST(TableReference, TakesRowsOfOneSideOfAJumpOnly) {
  // Jumps after row 1 and after row 6: sides of 2, 5 and 2 rows.
  const std::vector<double> times{0.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 6.0};
  const std::vector<double> values{1.0, 2.0, 5.0, -3.0, 4.0, 9.0, 0.0, 20.0, 30.0};
  const TableReference reference(table(times, {series("a.x", values)}), BetweenRows::cubic);
  EXPECT_NEAR(valueAt(reference, 0.5), 1.5, 1e-14);
  EXPECT_NEAR(valueAt(reference, 1.5), lagrange(times, values, 2, 5, 1.5), 1e-13);
  EXPECT_NEAR(valueAt(reference, 2.5), lagrange(times, values, 2, 5, 2.5), 1e-13);
  EXPECT_NEAR(valueAt(reference, 3.5), lagrange(times, values, 3, 6, 3.5), 1e-13);
  EXPECT_NEAR(valueAt(reference, 4.5), lagrange(times, values, 3, 6, 4.5), 1e-13);
  EXPECT_NEAR(valueAt(reference, 5.5), 25.0, 1e-13);
  EXPECT_EQ(valueAt(reference, 1.0), 5.0);
  EXPECT_EQ(valueAt(reference, 5.0), 20.0);
}

TEST(TableReference, AJumpAtAnEndCountsToo) {
  const TableReference reference(table({0.0, 0.0, 1.0, 2.0, 2.0}, {series("a.x", {5, 1, 2, 3, 9})}), BetweenRows::skip);
  EXPECT_EQ(valueAt(reference, 0.0), 1.0);
  EXPECT_EQ(valueAt(reference, 1.0), 2.0);
  EXPECT_EQ(valueAt(reference, 2.0), 9.0);
  const TableReference only(table({0.0, 0.0}, {series("a.x", {5, 1})}), BetweenRows::skip);
  EXPECT_EQ(valueAt(only, 0.0), 1.0);
}

TEST(TableReference, AnInstantIsMetInSpiteOfRoundingAndNoMore) {
  // Rows that are a second apart at great times: a double there has a rounding of 1.2e-7 s.
  const double start = 1e9;
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> times{start, start + 1.0, start + 2.0};
    if (sign < 0.0) times = {-start - 2.0, -start - 1.0, -start};
    const TableReference reference(table(times, {series("a.x", {1, 2, 3})}), BetweenRows::skip);
    for (std::size_t i = 0; i < 3; ++i)
      for (const double off : {-1.0, 0.0, 1.0}) {
        const double rounding = off * 4.0 * 1.2e-7;
        EXPECT_EQ(valueAt(reference, times[i] + rounding), static_cast<double>(i + 1))
            << sign << " " << i << " " << off;
      }
    // Eight roundings, 1.8e-6 s, are the limit.
    EXPECT_TRUE(std::isnan(valueAt(reference, times[0] - 2.5e-6)));
    EXPECT_TRUE(std::isnan(valueAt(reference, times[1] - 2.5e-6)));
    EXPECT_TRUE(std::isnan(valueAt(reference, times[1] + 2.5e-6)));
    EXPECT_TRUE(std::isnan(valueAt(reference, times[2] + 2.5e-6)));
  }
}

/// The rounding is that of the greatest time: many rows, which lie near each other beside it.
TEST(TableReference, TheEndThatIsFartherFromZeroTellsTheRounding) {
  constexpr int kRows = 200000;
  std::vector<double> times, values;
  for (int i = 0; i <= kRows; ++i) {
    times.push_back(0.5e9 + 2500.0 * i);
    values.push_back(i);
  }
  const TableReference late(table(times, {series("a.x", values)}), BetweenRows::skip);
  // 1.8e-6 s, and 0.25e-6 s for digits; 1.1e-6 s in all if 0.5e9 s were the greatest.
  EXPECT_EQ(valueAt(late, times[7] + 1.5e-6), 7.0);
  EXPECT_TRUE(std::isnan(valueAt(late, times[7] + 2.5e-6)));
  for (double& t : times) t = -t;
  std::ranges::reverse(times);
  const TableReference early(table(times, {series("a.x", values)}), BetweenRows::skip);
  EXPECT_EQ(valueAt(early, times[7] + 1.5e-6), 7.0);
  EXPECT_TRUE(std::isnan(valueAt(early, times[7] + 2.5e-6)));
}

/// Times that were written with ten digits or so: a part in 1e10 of the distance of rows is none.
TEST(TableReference, AnInstantIsMetInSpiteOfDigitsThatWereCutOff) {
  const std::vector<double> times{100.0, 101.0, 102.0, 103.0};
  const TableReference reference(table(times, {series("a.x", {1, 2, 3, 4})}), BetweenRows::skip);
  // 1e-10 of 3 s in 4 rows is 7.5e-11 s.
  for (const double off : {-7e-11, 7e-11}) EXPECT_EQ(valueAt(reference, 101.0 + off), 2.0) << off;
  for (const double off : {-1.1e-10, 1.1e-10}) EXPECT_TRUE(std::isnan(valueAt(reference, 101.0 + off))) << off;
}

TEST(TableReference, GivesAllOfItsVariables) {
  const results::Series texts{"a.name", "", "", core::Type::string, {}, {"u", "v", "w"}};
  const TableReference reference(
      table({0.0, 1.0, 2.0}, {series("a.n", {1, 5, 7}, core::Type::integer), texts, series("a.x", {0, 1, 4}),
                              series("a.b", {1, 0, 1}, core::Type::boolean), series("a.y", {4, 1, 0})}),
      BetweenRows::cubic);
  EXPECT_EQ(reference.names(), (std::vector<std::string>{"a.n", "a.x", "a.b", "a.y"}));
  std::vector<double> y(4, -99.0);
  ASSERT_TRUE(reference.values(1.0, y));
  EXPECT_EQ(y, (std::vector<double>{5, 1, 0, 1}));
  ASSERT_TRUE(reference.values(1.5, y));
  EXPECT_EQ(y[0], 5.0);
  EXPECT_NEAR(y[1], 2.25, 1e-14);  // t^2
  EXPECT_EQ(y[2], 0.0);
  EXPECT_NEAR(y[3], 0.25, 1e-14);  // (t - 2)^2
}

}  // namespace
}  // namespace koppla::study
