// Against numbers worked out by hand from (2.33) to (2.36) of Schmoll, sec. 2.5.2.

#include "koppla/results/error_measures.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/core/error.hpp"

#include "support/figure.hpp"

namespace koppla::results {
namespace {

TEST(ErrorMeasures, NormalisedErrorIsTheShareOfTheReferencesSpread) {
  // Mean 2, spread 1 + 0 + 1 = 2; errors 0, 0.3 and 0.4 have the squares 0.25: sqrt(0.25/2).
  const Samples reference{1.0, 2.0, 3.0};
  const auto eps = normalisedError(reference, Samples{1.0, 2.3, 2.6});
  ASSERT_TRUE(eps.has_value());
  test::showWithin({"schmoll R35", "nrmse-one", "sqrt(0.125) by hand (2.33)"}, *eps, std::sqrt(0.125), 1e-15);
  EXPECT_EQ(normalisedError(reference, reference), 0.0);
}

TEST(ErrorMeasures, TheMeanIsABadGuessOfErrorOne) {
  EXPECT_DOUBLE_EQ(normalisedError(Samples{1.0, 4.0, 7.0, 0.0}, Samples(4, 3.0)).value(), 1.0);
}

TEST(ErrorMeasures, AConstantReferenceHasNoNormalisedError) {
  EXPECT_EQ(normalisedError(Samples(10, 0.1), Samples(10, 0.1)), std::nullopt);
  EXPECT_EQ(normalisedError(Samples(10, 0.1), Samples(10, 0.2)), std::nullopt);
  EXPECT_EQ(normalisedError(Samples{}, Samples{}), std::nullopt);
}

TEST(ErrorMeasures, NoMeasureLosesWhatIsNotANumber) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Samples> spoilt{{none, 5.0, 5.0}, {5.0, none, 5.0}, {5.0, 5.0, none}};
  for (const Samples& values : spoilt) {
    const Samples sound{5.0, 6.0, 5.0};
    EXPECT_TRUE(std::isnan(normalisedError(values, sound).value_or(0.0)));
    EXPECT_TRUE(std::isnan(normalisedError(sound, values).value_or(0.0)));
    EXPECT_TRUE(std::isnan(combinedError(values)));
    EXPECT_TRUE(std::isnan(weightedErrorAt(values, sound)));
    EXPECT_TRUE(std::isnan(weightedError(std::vector<Samples>{sound}, std::vector<Samples>{values}).sum));
    EXPECT_TRUE(std::isnan(weightedError(std::vector<Samples>{sound}, std::vector<Samples>{values}).mean));
  }
}

TEST(ErrorMeasures, NothingComparedHasNoErrorThatCouldBeSmall) {
  EXPECT_TRUE(std::isnan(weightedErrorAt(Samples{}, Samples{})));
  for (const std::vector<Samples>& nothing : {std::vector<Samples>{}, {Samples{}}}) {
    EXPECT_TRUE(std::isnan(weightedError(nothing, nothing).sum));
    EXPECT_TRUE(std::isnan(weightedError(nothing, nothing).mean));
  }
}

TEST(ErrorMeasures, EveryReferenceValueNeedsAComputedOne) {
  for (const auto& [reference, computed] :
       {std::pair(Samples{1.0, 2.0}, Samples{1.0}), {Samples{1.0}, Samples{1.0, 2.0}}}) {
    EXPECT_THROW(static_cast<void>(normalisedError(reference, computed)), core::InternalError);
    EXPECT_THROW(weightedErrorAt(reference, computed), core::InternalError);
  }
  const std::vector<Samples> one{{1.0, 2.0}};
  const std::vector<Samples> two{{1.0, 2.0}, {1.0, 2.0}};
  EXPECT_THROW(weightedError(one, two), core::InternalError);
  EXPECT_THROW(weightedError(two, one), core::InternalError);
}

TEST(ErrorMeasures, OfASingleValueOrVariable) {
  EXPECT_EQ(normalisedError(Samples{5.0}, Samples{6.0}), std::nullopt) << "one value has no spread";
  EXPECT_DOUBLE_EQ(weightedErrorAt(Samples{1.0}, Samples{-1.0}), 1.0);
  EXPECT_EQ(combinedError(Samples{}), 0.0);
  const WeightedError error =
      weightedError(std::vector<Samples>{{1.0, 3.0, 0.0}}, std::vector<Samples>{{0.0, 0.0, 0.0}});
  EXPECT_DOUBLE_EQ(error.sum, std::sqrt(0.25 + 0.5625));
  EXPECT_DOUBLE_EQ(error.mean, std::sqrt((0.25 + 0.5625) / 3.0));
}

TEST(ErrorMeasures, NormalisedErrorDependsOnNoOffsetOrFactor) {
  const Samples reference{-4.0, 1.0, 0.0, 2.0};
  const Samples computed{-3.0, 1.5, 0.25, 4.0};
  // Mean -0.25, spread 14.0625 + 1.5625 + 0.0625 + 5.0625; squares of errors 1 + 0.25 + 0.0625 + 4.
  const double expected = std::sqrt(5.3125 / 20.75);
  for (const double factor : {1.0, -8.0})
    for (const double offset : {0.0, 64.0}) {
      Samples a = reference;
      Samples b = computed;
      for (Samples* values : {&a, &b})
        for (double& value : *values) value = factor * value + offset;
      EXPECT_DOUBLE_EQ(normalisedError(a, b).value(), expected) << factor << " " << offset;
    }
}

TEST(ErrorMeasures, VariablesCombineAsALength) {
  const Samples errors{3e-3, 0.0, 4e-3};
  test::showWithin({"schmoll R35", "nrmse-several", "5e-3 of 3e-3 and 4e-3 (2.34)"}, combinedError(errors), 5e-3,
                   1e-18);
}

TEST(ErrorMeasures, WeightsTakeTheLargerMagnitude) {
  // 1/(1 + 3) and 2/(1 + 4): sqrt((0.0625 + 0.16)/2), whichever of the two values is the larger.
  const double expected = std::sqrt(0.11125);
  EXPECT_DOUBLE_EQ(weightedErrorAt(Samples{3.0, -2.0}, Samples{2.0, -4.0}), expected);
  EXPECT_DOUBLE_EQ(weightedErrorAt(Samples{2.0, -4.0}, Samples{3.0, -2.0}), expected);
}

TEST(ErrorMeasures, WeightedErrorIsASumOrAMeanOverInstants) {
  // Two variables at two instants: 1/(1 + 1) and 0 at the first, 0 and 3/(1 + 3) at the second; so epst_n^2 = 0.125 and
  // 0.28125.
  const std::vector<Samples> reference{{1.0, 0.0}, {0.0, 3.0}};
  const std::vector<Samples> computed{{0.0, 0.0}, {0.0, 0.0}};
  const WeightedError error = weightedError(reference, computed);
  test::showWithin({"schmoll R35", "wrmse-sum", "sqrt(0.40625) by hand (2.36)"}, error.sum, std::sqrt(0.40625), 1e-15);
  test::showWithin({"schmoll R35", "wrmse-mean", "sqrt(0.203125) by hand, with 1/sqrt(N)"}, error.mean,
                   std::sqrt(0.203125), 1e-15);
}

RC_GTEST_PROP(ErrorMeasures, OnlyTheMeanIsTheSameWhenEveryInstantIsThereTwice, ()) {
  const auto numbers = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-100, 100)));
  Samples once(numbers.begin(), numbers.end());
  Samples twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  const auto errorOf = [](const Samples& values) {
    return weightedError(std::vector<Samples>{Samples(values.size(), 0.5)}, std::vector<Samples>{values});
  };
  RC_ASSERT(std::fabs(errorOf(twice).mean - errorOf(once).mean) <= 1e-12);
  RC_ASSERT(std::fabs(errorOf(twice).sum - std::sqrt(2.0) * errorOf(once).sum) <= 1e-12 * errorOf(twice).sum);
}

}  // namespace
}  // namespace koppla::results
