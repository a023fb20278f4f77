#include "koppla/study/reference.hpp"

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

}  // namespace
}  // namespace koppla::study
