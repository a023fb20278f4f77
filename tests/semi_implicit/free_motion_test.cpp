#include "koppla/coupling/free_motion.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace koppla::coupling {
namespace {

constexpr double kH = 1e-3;  // s

Constraint baumgarte(double betaOverH, double gammaOverH2 = 0.0) {
  return {.member = 0,
          .method = ConstraintMethod::baumgarte,
          .lambda = 0,
          .mu = 0,
          .position = 0,
          .velocity = 0,
          .beta = betaOverH * kH,
          .gamma = gammaOverH2 * kH * kH};
}

/// beta = 2 tau, gamma = tau^2.
Constraint index1(double tauOverH) {
  return baumgarte(2.0 * tauOverH, tauOverH * tauOverH);
}

Constraint weighted(double a, double b) {
  return {.member = 0,
          .method = ConstraintMethod::weightedMultipliers,
          .lambda = 0,
          .mu = 0,
          .position = 0,
          .velocity = 0,
          .velocityWeight = a,
          .accelerationWeight = b};
}

Constraint projected() {
  return {
      .member = 0, .method = ConstraintMethod::stabilisedIndex2, .lambda = 0, .mu = 0, .position = 0, .velocity = 0};
}

double growth(const Constraint& constraint, unsigned degree, double relaxation = 1.0) {
  return growthOfFreeMotion(constraint, degree, relaxation, kH);
}

// The figures of section 7.4 of the note on Lu.

TEST(FreeMotion, OfIndex3IsWeakWithDegree0AndUnstableAbove) {
  EXPECT_NEAR(growth(baumgarte(0.0), 0), 1.0, 1e-6);
  EXPECT_NEAR(growth(baumgarte(0.0), 1), 2.0 + std::sqrt(3.0), 1e-9);
  EXPECT_NEAR(growth(baumgarte(0.0), 2), 5.34, 0.005);
}

TEST(FreeMotion, OfIndex2IsDeadBeatAtHalfTheStep) {
  for (const double beta : {0.1, 1.0, 7.0})
    EXPECT_NEAR(growth(baumgarte(beta), 0), std::fabs(beta - 0.5) / (beta + 0.5), 1e-9);
  Constraint standard = baumgarte(0.0);
  standard.beta.reset();
  EXPECT_LT(growth(standard, 0), 1e-5);  // a double root at 0
  EXPECT_NEAR(growth(baumgarte(1.0), 1), 1.37, 0.005);
  EXPECT_NEAR(growth(baumgarte(100.0), 1), 1.003, 0.0005);
}

TEST(FreeMotion, OfIndex1IsStableFromALengthOfTheParametersOn) {
  EXPECT_NEAR(growth(index1(1.0), 0), 0.53, 0.005);
  EXPECT_NEAR(growth(index1(100.0), 0), 0.99, 0.005);
  EXPECT_GT(growth(index1(0.2886), 1), 1.0);
  EXPECT_LT(growth(index1(0.2888), 1), 1.0);
  EXPECT_GT(growth(index1(0.499), 2), 1.0);
  EXPECT_LT(growth(index1(0.501), 2), 1.0);
  EXPECT_GT(growth(index1(0.767), 3), 1.0);
  EXPECT_LT(growth(index1(0.769), 3), 1.0);
}

TEST(FreeMotion, OfWeightedMultipliersDependsOnTheirWeights) {
  EXPECT_LT(growth(weighted(1, 0), 0), 1e-5);
  EXPECT_NEAR(growth(weighted(1, 1), 0), 0.577, 0.0005);
  EXPECT_NEAR(growth(weighted(0, 1), 0), 0.707, 0.0005);
  EXPECT_NEAR(growth(weighted(2, 2), 0), 0.632, 0.0005);
  EXPECT_NEAR(growth(weighted(1, 1), 1), 0.577, 0.0005);
  EXPECT_NEAR(growth(weighted(1, 0), 1), 2.0, 1e-9);
  EXPECT_NEAR(growth(weighted(0, 1), 1), 1.0, 1e-6);
  EXPECT_NEAR(growth(weighted(1, 1), 2), 1.13, 0.005);
  EXPECT_NEAR(growth(weighted(1.2, 1.2), 2), 0.91, 0.005);
  EXPECT_NEAR(growth(weighted(2, 2), 2), 0.589, 0.0005);
  EXPECT_NEAR(growth(weighted(10, 10), 3), 0.97, 0.005);
}

TEST(FreeMotion, OfStabilisedIndex2NeedsRelaxationAboveDegree0) {
  for (const double omega : {1.0, 0.9, 0.7}) EXPECT_NEAR(growth(projected(), 0, omega), std::sqrt(1.0 - omega), 1e-6);
  EXPECT_NEAR(growth(projected(), 1, 1.0), 1.0, 1e-6);
  EXPECT_NEAR(growth(projected(), 1, 0.9), 0.50, 0.005);
  EXPECT_NEAR(growth(projected(), 1, 0.7), 0.548, 0.0005);
  EXPECT_NEAR(growth(projected(), 2, 0.7), 0.40, 0.005);
  EXPECT_GT(growth(projected(), 2, 0.84), 1.0);  // the note prints 0.82 for the limit; it is 5/6
  EXPECT_LT(growth(projected(), 2, 0.82), 1.0);
  EXPECT_NEAR(growth(projected(), 3, 0.6), 0.56, 0.005);
}

/// Table 7.3, d = 0.1: loss of stability at c = 1.9e5 N/m with degree 1, none with degree 0; m = (1, 2), H = 5e-3 s.
TEST(FreeMotion, OfASpringIsStableWithDegree0AndLimitedWithDegree1) {
  constexpr double H = 5e-3;
  constexpr double kMass = 2.0 / 3.0;
  for (const double c : {1.0, 1e5, 1e9}) EXPECT_LE(growthOfFreeMotion(c * H * H / kMass, 0.0, 0), 1.0 + 1e-9) << c;
  EXPECT_LE(growthOfFreeMotion(1e5 * H * H / kMass, 0.0, 1), 1.0 + 1e-9);
  EXPECT_GT(growthOfFreeMotion(4e5 * H * H / kMass, 0.0, 1), 1.0);
}

}  // namespace
}  // namespace koppla::coupling
