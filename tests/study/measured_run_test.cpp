#include "koppla/study/measured_run.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "support/figure.hpp"

namespace koppla::study::measured_run_test {
namespace {

results::Table table(std::vector<double> time, std::vector<double> x) {
  results::Table result;
  result.time = std::move(time);
  result.series.push_back({"a.x", "", "", core::Type::real, std::move(x), {}});
  return result;
}

ErrorSettings settings(Measure measure, unsigned skip = 0) {
  ErrorSettings result;
  result.measure = measure;
  result.skip = skip;
  return result;
}

/// A run that completed with errors 9, 0, 0.3, 0.4 at t = 0, 1, 2, 3 against kReference.
const std::vector<double> kTimes{0, 1, 2, 3};
const std::vector<double> kComputed{9.0, 1.0, 2.3, 2.6};

TableReference reference() {
  return {table(kTimes, {0.0, 1.0, 2.0, 3.0}), BetweenRows::cubic};
}

TEST(Measure, TheStartIsNoMacroTime) {
  const MeasuredError error = measure(table(kTimes, kComputed), reference(), settings(Measure::nrmse));
  EXPECT_EQ(error.problem, "");
  EXPECT_DOUBLE_EQ(error.total, std::sqrt(0.125)) << "0.25 by the spread 2 of 1, 2, 3";
}

TEST(Measure, FirstMacroStepsCanBeSkipped) {
  // Left are 2, 3 with mean 2.5 and spread 0.5.
  const MeasuredError error = measure(table(kTimes, kComputed), reference(), settings(Measure::nrmse, 1));
  test::showWithin({"schmoll R35", "skipped-steps", "sqrt(0.25/0.5) without the first of three macro steps"},
                   error.total, std::sqrt(0.5), 1e-15);
  EXPECT_EQ(measure(table(kTimes, kComputed), reference(), settings(Measure::nrmse, 3)).problem,
            "All 3 macro steps are skipped.");
}

TEST(Measure, WeightedErrorsAreThoseOfTheirDefinition) {
  const double sum = std::pow(0.3 / 3.3, 2) + std::pow(0.4 / 4.0, 2);
  EXPECT_NEAR(measure(table(kTimes, kComputed), reference(), settings(Measure::wrmse)).total, std::sqrt(sum / 3.0),
              1e-15);
  EXPECT_NEAR(measure(table(kTimes, kComputed), reference(), settings(Measure::wrmseSum)).total, std::sqrt(sum), 1e-15);
}

TEST(Measure, SaysWhyThereIsNoError) {
  const TableReference constant(table(kTimes, {5, 5, 5, 5}), BetweenRows::cubic);
  EXPECT_EQ(
      measure(table(kTimes, kComputed), constant, settings(Measure::nrmse)).problem,
      "The reference of 'a.x' is constant at the 3 compared times, so its NRMSE has no denominator. Leave it out, or "
      "choose measure = \"wrmse\".");
  EXPECT_EQ(measure(table(kTimes, kComputed), constant, settings(Measure::wrmse)).problem, "");
  const TableReference tooShort(table({0, 1, 2}, {0, 1, 2}), BetweenRows::cubic);
  EXPECT_EQ(measure(table(kTimes, kComputed), tooShort, settings(Measure::nrmse)).problem,
            "The reference has no values at the last time, 3 s.");
  results::Table other = table(kTimes, kComputed);
  other.series.front().name = "a.y";
  EXPECT_EQ(measure(other, reference(), settings(Measure::nrmse)).problem, "The reference has no 'a.y'.");
}

TEST(Measure, OnlyTimesInsideTheWindowCount) {
  ErrorSettings how = settings(Measure::wrmseSum);
  const double whole = measure(table(kTimes, kComputed), reference(), how).total;
  double parts = 0.0;
  for (const auto& [from, to] : {std::pair(0.5, 1.0), std::pair(1.5, 2.5), std::pair(2.5, 9.0)}) {
    how.from = from;
    how.to = to;
    parts += std::pow(measure(table(kTimes, kComputed), reference(), how).total, 2);
  }
  koppla::test::showWithin(
      {"schmoll R57", "window", "the squares of the windows' sums make up that of the whole, 1e-12"},
      parts / (whole * whole), 1.0, 1e-12);
  how.from = 7.0;
  EXPECT_EQ(measure(table(kTimes, kComputed), reference(), how).problem,
            "No macro step lies between from = 7 s and to = 9 s.");
}

TEST(Measure, ALimitOfTheWindowIsMetInSpiteOfRounding) {
  const auto rising = [](double scale) {
    std::vector<double> times, values;
    for (int n = 0; n <= 10; ++n) {
      times.push_back(n * 0.1);
      values.push_back(scale * n);
    }
    return table(times, values);
  };
  ErrorSettings how = settings(Measure::wrmseSum);
  how.from = 0.3;  // 3 * 0.1 and 7 * 0.1 are a little more
  how.to = 0.7;
  double sum = 0.0;
  for (int n = 3; n <= 7; ++n) sum += std::pow(0.1 * n / (1.0 + 1.1 * n), 2);
  EXPECT_NEAR(measure(rising(1.1), TableReference(rising(1.0), BetweenRows::cubic), how).total, std::sqrt(sum), 1e-12);
}

/// Two variables beside one that is not measured; the reference has them in another order.
TEST(Measure, TakesEachVariableByItsNameAndInTheOrderOfTheTable) {
  results::Table computed = table(kTimes, {0.0, 1.1, 2.0, 2.7});
  computed.series.push_back({"b.not", "", "", core::Type::real, {7, 7, 7, 7}, {}});
  computed.series.push_back({"a.y", "", "", core::Type::real, {0.0, 5.0, 3.0, 4.5}, {}});
  results::Table exact = table(kTimes, {0.0, 5.0, 2.0, 4.0});
  exact.series.front().name = "a.y";
  exact.series.push_back({"c.more", "", "", core::Type::real, {1, 2, 3, 4}, {}});
  exact.series.push_back({"a.x", "", "", core::Type::real, {0.0, 1.0, 2.0, 3.0}, {}});
  const TableReference reference(exact, BetweenRows::cubic);
  ErrorSettings how = settings(Measure::nrmse);
  how.variables = {{"a.*", {}}};
  // (2.33), (2.34): by the spreads 2 of 1, 2, 3 and 42/9 of 5, 2, 4.
  const double ofX = std::sqrt((0.01 + 0.09) / 2.0);
  const double ofY = std::sqrt((1.0 + 0.25) / (42.0 / 9.0));
  const MeasuredError error = measure(computed, reference, how);
  ASSERT_EQ(error.perVariable.size(), 2U);
  EXPECT_NEAR(error.perVariable[0], ofX, 1e-14);
  EXPECT_NEAR(error.perVariable[1], ofY, 1e-14);
  EXPECT_NEAR(error.total, std::hypot(ofX, ofY), 1e-14);
  // (2.35), (2.36)
  const double x1 = 0.1 / 2.1, x2 = 0.0, x3 = 0.3 / 4.0, y1 = 0.0, y2 = 1.0 / 4.0, y3 = 0.5 / 5.5;
  how.measure = Measure::wrmseSum;
  const MeasuredError sum = measure(computed, reference, how);
  ASSERT_EQ(sum.perVariable.size(), 2U);
  EXPECT_NEAR(sum.perVariable[0], std::sqrt(x1 * x1 + x2 * x2 + x3 * x3), 1e-14);
  EXPECT_NEAR(sum.perVariable[1], std::sqrt(y1 * y1 + y2 * y2 + y3 * y3), 1e-14);
  const double both = (x1 * x1 + y1 * y1 + x2 * x2 + y2 * y2 + x3 * x3 + y3 * y3) / 2.0;
  EXPECT_NEAR(sum.total, std::sqrt(both), 1e-14);
  how.measure = Measure::wrmse;
  const MeasuredError mean = measure(computed, reference, how);
  EXPECT_NEAR(mean.perVariable.at(1), std::sqrt((y1 * y1 + y2 * y2 + y3 * y3) / 3.0), 1e-14);
  EXPECT_NEAR(mean.total, std::sqrt(both / 3.0), 1e-14);
}

TEST(Measure, TimesThatTheReferenceDoesNotHaveDoNotCount) {
  // It has no value at 1, and one at the end.
  const TableReference sparse(table({0, 2, 3}, {0, 2, 3}), BetweenRows::skip);
  EXPECT_DOUBLE_EQ(measure(table(kTimes, kComputed), sparse, settings(Measure::nrmse)).total, std::sqrt(0.25 / 0.5));
  const TableReference none(table({0.5, 1.5}, {0, 2}), BetweenRows::skip);
  EXPECT_EQ(measure(table(kTimes, kComputed), none, settings(Measure::nrmse)).problem,
            "The reference has no values at the last time, 3 s.");
  ErrorSettings early = settings(Measure::nrmse);
  early.to = 1.5;
  EXPECT_EQ(measure(table(kTimes, kComputed), none, early).problem,
            "The reference has no values at the last time, 1 s.");
}

TEST(Measure, AWindowMayHaveOneEndOnly) {
  ErrorSettings how = settings(Measure::wrmseSum);
  how.from = 1.5;
  const double late = std::sqrt(std::pow(0.3 / 3.3, 2) + std::pow(0.4 / 4.0, 2));
  EXPECT_NEAR(measure(table(kTimes, kComputed), reference(), how).total, late, 1e-15);
  how.from = 3.5;
  EXPECT_EQ(measure(table(kTimes, kComputed), reference(), how).problem,
            "No macro step lies between from = 3.5 s and to = inf s.");
  how = settings(Measure::wrmseSum);
  how.to = 2.0;
  EXPECT_NEAR(measure(table(kTimes, kComputed), reference(), how).total, 0.3 / 3.3, 1e-15);
  how.to = 0.5;
  EXPECT_EQ(measure(table(kTimes, kComputed), reference(), how).problem,
            "No macro step lies between from = -inf s and to = 0.5 s.");
  how.to = -0.5;
  EXPECT_EQ(measure(table(kTimes, kComputed), reference(), how).problem,
            "No macro step lies between from = -inf s and to = -0.5 s.");
}

TEST(Measure, ALimitOfTheWindowIsMissedByMoreThanRounding) {
  const auto at = [](double t) { return table({t - 1000.0, t}, {0.0, 1.0}); };
  const auto counts = [&](double t, double from, double to) {
    ErrorSettings how = settings(Measure::wrmse);
    how.from = from;
    how.to = to;
    return measure(at(t), TableReference(at(t), BetweenRows::cubic), how).problem.empty();
  };
  for (const double t : {100.0, -100.0}) {
    const double rounding = 1e-9 * 100.0;
    EXPECT_TRUE(counts(t, t + 0.9 * rounding, t + 1.0));
    EXPECT_FALSE(counts(t, t + 1.1 * rounding, t + 1.0));
    EXPECT_TRUE(counts(t, t - 1.0, t - 0.9 * rounding));
    EXPECT_FALSE(counts(t, t - 1.0, t - 1.1 * rounding));
  }
  EXPECT_TRUE(counts(0.0, 0.0, 1.0)) << "the instant 0 has no rounding";
  EXPECT_TRUE(counts(0.0, -1.0, 0.0));
}

TEST(Measure, ARunWithoutRowsHasNoMacroSteps) {
  EXPECT_EQ(measure(table({}, {}), reference(), settings(Measure::nrmse)).problem, "All 0 macro steps are skipped.");
  EXPECT_EQ(measure(table({0.0}, {1.0}), reference(), settings(Measure::nrmse)).problem,
            "All 0 macro steps are skipped.");
}

/// A reference that starts anew: y = 2 p - 3 q + 10 (t - t0) of the states p and q at t0.
class FromStates : public Reference {
 public:
  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }
  [[nodiscard]] bool values(double /*t*/, std::span<double> /*y*/) const override { return false; }
  [[nodiscard]] std::vector<std::string> states() const override { return {"s.p", "s.q"}; }
  void valuesFrom(double t0, std::span<const double> states, double t, std::span<double> y) const override {
    y[0] = 2.0 * states[0] - 3.0 * states[1] + 10.0 * (t - t0);
  }

 private:
  std::vector<std::string> names_{"a.x"};
};

TEST(Measure, LocalErrorsAreThoseOfTheStepFromTheComputedStates) {
  results::Table run = table({0.0, 1.0, 3.0, 4.0}, {0.0, 5.0, 6.0, 30.0});
  run.series.push_back({"s.p", "", "", core::Type::real, {1.0, 2.0, 4.0, 99.0}, {}});
  run.series.push_back({"s.q", "", "", core::Type::real, {0.5, -1.0, 3.0, 99.0}, {}});
  ErrorSettings how = settings(Measure::nrmse);
  how.variables = {{"a.x", {}}};
  how.reference = ErrorReference::local;
  const std::array<double, 3> exact{2.0 - 1.5 + 10.0, 4.0 + 3.0 + 20.0, 8.0 - 9.0 + 10.0};
  const std::array<double, 3> computed{5.0, 6.0, 30.0};
  const double mean = (exact[0] + exact[1] + exact[2]) / 3.0;
  double error = 0.0, spread = 0.0;
  for (std::size_t n = 0; n < 3; ++n) {
    error += std::pow(exact.at(n) - computed.at(n), 2);
    spread += std::pow(exact.at(n) - mean, 2);
  }
  EXPECT_NEAR(measure(run, FromStates(), how).total, std::sqrt(error / spread), 1e-13);
  how.reference = ErrorReference::global;
  EXPECT_EQ(measure(run, FromStates(), how).problem, "The reference has no values at the last time, 4 s.");
}

}  // namespace
}  // namespace koppla::study::measured_run_test
