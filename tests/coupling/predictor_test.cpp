#include "koppla/coupling/predictor.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace koppla::coupling {
namespace {

double power(double t, unsigned degree) {
  return std::pow(t, static_cast<double>(degree));
}

double predicted(Predictor& predictor, double t, std::size_t value = 0) {
  predictor.begin(std::vector<double>{t});
  return predictor.predict(0, value);
}

// Whole numbers at whole times: every prediction of a sufficient degree is exact.
TEST(Predictor, FindsTheDegreeOfAPolynomial) {
  for (unsigned degree = 0; degree <= Predictor::kHighest; ++degree) {
    Predictor predictor(1, std::nullopt, {});
    for (int t = 1; t <= 10; ++t) predictor.add(t, std::vector<double>{power(t, degree)});
    EXPECT_EQ(predicted(predictor, 11.0), power(11.0, degree));
    EXPECT_EQ(predictor.degree(), degree);
  }
}

TEST(Predictor, ADegreeIsChosenOnceItHasPredictedWell) {
  Predictor predictor(1, std::nullopt, {});
  predictor.add(1.0, std::vector<double>{1.0});
  predictor.add(2.0, std::vector<double>{2.0});
  EXPECT_EQ(predicted(predictor, 3.0), 2.0);  // a line is possible, but has not been tried
  predictor.add(3.0, std::vector<double>{3.0});
  EXPECT_EQ(predicted(predictor, 4.0), 4.0);
}

TEST(Predictor, HoldsASignalWithoutOrder) {
  Predictor predictor(1, std::nullopt, {});
  for (int t = 1; t <= 20; ++t) predictor.add(t, std::vector<double>{t % 3 == 0 ? 2.0 : 1.0});
  predicted(predictor, 21.0);
  EXPECT_EQ(predictor.degree(), 0U);
}

TEST(Predictor, BeginsAnewBehindAJump) {
  Predictor predictor(1, std::nullopt, {});
  for (int t = 1; t <= 8; ++t) predictor.add(t, std::vector<double>{power(t, 3)});
  predictor.clear();
  predictor.add(9.0, std::vector<double>{-5.0});
  EXPECT_EQ(predicted(predictor, 10.0), -5.0);
  EXPECT_EQ(predictor.degree(), 0U);
  predictor.add(10.0, std::vector<double>{-7.0});
  predictor.add(11.0, std::vector<double>{-9.0});
  EXPECT_EQ(predicted(predictor, 12.0), -11.0);
  EXPECT_EQ(predictor.degree(), 1U);
}

TEST(Predictor, AFixedDegreeRisesToItAndStays) {
  Predictor predictor(1, 2, {});
  for (int t = 1; t <= 6; ++t) {
    predictor.add(t, std::vector<double>{power(t, 4)});
    predicted(predictor, t + 1.0);
    EXPECT_EQ(predictor.degree(), std::min(2U, unsigned(t) - 1));
  }
  EXPECT_EQ(predicted(predictor, 7.0), 3.0 * power(6, 4) - 3.0 * power(5, 4) + power(4, 4));
}

TEST(Predictor, HeldValuesKeepTheirLastOne) {
  Predictor predictor(2, std::nullopt, {1});
  for (int t = 1; t <= 6; ++t) predictor.add(t, std::vector<double>{2.0 * t, 2.0 * t});
  EXPECT_EQ(predicted(predictor, 7.0, 0), 14.0);
  EXPECT_EQ(predicted(predictor, 7.0, 1), 12.0);
}

TEST(Predictor, ASampleThatNeverWasChangesNoFixedPrediction) {
  Predictor predictor(1, 1, {});
  for (int t = 1; t <= 3; ++t) predictor.add(t, std::vector<double>{5.0 * t});
  predictor.add(4.0, std::vector<double>{-100.0});
  predictor.takeBack();
  predictor.add(3.5, std::vector<double>{17.5});
  EXPECT_EQ(predicted(predictor, 4.0), 20.0);
}

TEST(Predictor, PreparesSeveralTimesAtOnce) {
  Predictor predictor(1, 1, {});
  predictor.add(0.0, std::vector<double>{0.0});
  predictor.add(1.0, std::vector<double>{4.0});
  predictor.begin(std::vector<double>{1.25, 1.5, 2.0});
  EXPECT_EQ(predictor.predict(0, 0), 5.0);
  EXPECT_EQ(predictor.predict(1, 0), 6.0);
  EXPECT_EQ(predictor.predict(2, 0), 8.0);
}

// Weights that are kept for a time belong to the samples that were there.
TEST(Predictor, PredictsTheSameTimeAnewFromNewSamples) {
  Predictor predictor(1, std::nullopt, {});
  for (int t = 1; t <= 6; ++t) predictor.add(t, std::vector<double>{2.0 * t});
  EXPECT_EQ(predicted(predictor, 8.0), 16.0);
  predictor.add(7.0, std::vector<double>{14.0});
  EXPECT_EQ(predicted(predictor, 8.0), 16.0);
  predictor.takeBack();
  EXPECT_EQ(predicted(predictor, 8.0), 16.0);
  predictor.clear();
  predictor.add(7.0, std::vector<double>{3.0});
  EXPECT_EQ(predicted(predictor, 8.0), 3.0);
}

// On a grid without order all degrees are Lagrange's: sum_i y_i prod_j (t - t_j) / (t_i - t_j).
TEST(Predictor, FindsTheDegreeOnAnUnevenGrid) {
  const std::vector<double> times{0.0, 0.5, 1.5, 1.75, 3.0, 3.5, 5.0, 5.25, 6.5, 8.0, 8.5};
  for (unsigned degree = 1; degree <= Predictor::kHighest; ++degree) {
    Predictor predictor(1, std::nullopt, {});
    for (const double t : times) predictor.add(t, std::vector<double>{1.0 + power(t, degree)});
    EXPECT_NEAR(predicted(predictor, 9.75), 1.0 + power(9.75, degree), 1e-10 * power(9.75, degree));
    EXPECT_GE(predictor.degree(), degree);
  }
}

}  // namespace
}  // namespace koppla::coupling
