#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "loops.hpp"
#include "support/allocations.hpp"
#include "support/figure.hpp"

namespace koppla::test {
namespace {

using coupling::AccelerationSettings;
using coupling::Accelerator;
using coupling::AcceleratorKind;

double next(Accelerator& accelerator, double sent, double answered) {
  double value = answered;
  accelerator.learn({&sent, 1}, {&value, 1});
  accelerator.propose({&value, 1});
  return value;
}

std::vector<double> next(Accelerator& accelerator, const std::vector<double>& sent, std::vector<double> answered) {
  accelerator.learn(sent, answered);
  accelerator.propose(answered);
  return answered;
}

AccelerationSettings perScalar(double first = 1.0) {
  return {.kind = AcceleratorKind::aitkenPerScalar, .factor = first};
}

TEST(Unrelaxed, SendsTheAnswersBitByBit) {
  const auto accelerator = makeRelaxation(unrelaxed(), 1);
  accelerator->begin();
  EXPECT_EQ(next(*accelerator, 1e17, 0.1), 0.1);
  EXPECT_EQ(accelerator->doings().method, "none");
}

TEST(ConstantRelaxation, GoesThePartOfTheWay) {
  const auto accelerator = makeRelaxation(constantFactor(0.5), 1);
  accelerator->begin();
  EXPECT_EQ(next(*accelerator, 1.0, 3.0), 2.0);
  EXPECT_EQ(accelerator->doings().smallestFactor, 0.5);
  EXPECT_EQ(accelerator->doings().largestFactor, 0.5);
}

TEST(ConstantRelaxation, RefusesFactorsOutsideTheOpenInterval) {
  unsigned refused = 0;
  for (const double omega : {0.0, 2.0, -0.5, 2.5, std::numeric_limits<double>::quiet_NaN()}) {
    try {
      makeRelaxation(constantFactor(omega), 1);
    } catch (const core::InputError&) {
      ++refused;
    }
  }
  EXPECT_NO_THROW(makeRelaxation(constantFactor(1.999), 1));
  showEqual({"jung 15", "limits", "factors 0, 2, -0.5, 2.5, NaN: 5 refused"}, refused, 5);
}

TEST(Aitken, SolvesALinearLoopInTwoUpdates) {
  for (const AccelerationSettings& settings : {aitken(), perScalar()}) {
    const auto accelerator = makeRelaxation(settings, 1);
    accelerator->begin();
    const auto F = [](double u) { return -3.0 * u + 8.0; };
    double u = next(*accelerator, 0.0, F(0.0));
    EXPECT_EQ(u, 8.0);
    u = next(*accelerator, u, F(u));
    EXPECT_DOUBLE_EQ(u, 2.0);
    EXPECT_DOUBLE_EQ(accelerator->doings().largestFactor, 0.25);
  }
}

TEST(Aitken, OneFactorIsTheProjectionOntoTheChangeOfTheResidual) {
  const auto accelerator = makeRelaxation(aitken(0.5), 2);
  accelerator->begin();
  next(*accelerator, {0.0, 0.0}, {1.0, 2.0});  // r = (1, 2)
  // r = (2, -1), change (1, -3): omega = -0.5 (1 - 6) / 10
  const std::vector<double> sent{0.0, 0.0};
  EXPECT_EQ(next(*accelerator, sent, {2.0, -1.0}), (std::vector<double>{0.5, -0.25}));
  EXPECT_DOUBLE_EQ(accelerator->doings().largestFactor, 0.25);
}

TEST(Aitken, PerScalarTreatsEveryValueByItself) {
  const auto accelerator = makeRelaxation(perScalar(), 2);
  accelerator->begin();
  std::vector<double> u{0.0, 0.0};
  const auto F = [](const std::vector<double>& v) { return std::vector<double>{-3.0 * v[0] + 8.0, 0.5 * v[1] + 1.0}; };
  u = next(*accelerator, u, F(u));
  u = next(*accelerator, u, F(u));
  EXPECT_DOUBLE_EQ(u[0], 2.0);
  EXPECT_DOUBLE_EQ(u[1], 2.0);
  ASSERT_EQ(accelerator->factors().size(), 2U);
  EXPECT_DOUBLE_EQ(accelerator->factors()[0], 0.25);
  EXPECT_DOUBLE_EQ(accelerator->factors()[1], 2.0);
}

TEST(Aitken, KeepsTheFactorWhereTheResidualStays) {
  for (const AccelerationSettings& settings : {aitken(0.5), perScalar(0.5)}) {
    const auto accelerator = makeRelaxation(settings, 1);
    accelerator->begin();
    next(*accelerator, 0.0, 1.0);
    EXPECT_EQ(next(*accelerator, 0.5, 1.5), 1.0);
    EXPECT_EQ(accelerator->doings().largestFactor, 0.5);
  }
}

TEST(Aitken, KeepsTheFactorWhereAnswersAreNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const AccelerationSettings& settings : {aitken(0.5), perScalar(0.5)}) {
    const auto accelerator = makeRelaxation(settings, 1);
    accelerator->begin();
    next(*accelerator, 0.0, 1.0);
    next(*accelerator, 0.5, nan);
    next(*accelerator, 0.5, 1.0);
    EXPECT_EQ(accelerator->doings().largestFactor, 0.5);
  }
}

TEST(Aitken, AValueThatNobodySentHasNoResidualToLearnFrom) {
  for (const AccelerationSettings& settings : {aitken(0.5), perScalar(0.5)}) {
    const auto accelerator = makeRelaxation(settings, 1);
    accelerator->begin();
    EXPECT_EQ(next(*accelerator, 3.0, 3.0), 3.0);
    EXPECT_EQ(next(*accelerator, 3.0, 5.0), 4.0);
    EXPECT_FALSE(accelerator->hasRemark());
    EXPECT_TRUE(accelerator->takeRemark().empty());
  }
}

TEST(Aitken, TellsOfACollapsedFactorAndBeginsAnew) {
  const auto accelerator = makeRelaxation(aitken(0.5), 2);
  accelerator->begin();
  next(*accelerator, {0.0, 0.0}, {1.0, 0.0});
  // The change of the residual is orthogonal to the residual.
  EXPECT_EQ(next(*accelerator, {0.0, 0.0}, {1.0, 4.0}), (std::vector<double>{0.5, 2.0}));
  EXPECT_TRUE(accelerator->hasRemark());
  EXPECT_NE(accelerator->takeRemark().find("set back to 0.5"), std::string::npos);
  EXPECT_FALSE(accelerator->hasRemark());
  EXPECT_TRUE(accelerator->takeRemark().empty());
}

TEST(Aitken, ALaterStepBeginsWithTheSmallerOfTheLastAndTheFirstFactor) {
  for (const AccelerationSettings& settings : {aitken(0.5), perScalar(0.5)}) {
    const auto accelerator = makeRelaxation(settings, 1);
    // Residuals 1 and r give the factor -0.5 / (r - 1).
    const auto firstOfNextStep = [&](double r) {
      accelerator->begin();
      next(*accelerator, 0.0, 1.0);
      next(*accelerator, 0.0, r);
      accelerator->accept();
      accelerator->begin();
      return next(*accelerator, 0.0, 1.0);
    };
    EXPECT_DOUBLE_EQ(firstOfNextStep(0.5), 0.5);    // last one 1
    EXPECT_DOUBLE_EQ(firstOfNextStep(3.0), -0.25);  // last one -0.25
  }
}

TEST(Aitken, PerScalarLeavesASettledValueAlone) {
  const auto accelerator = coupling::relaxation(perScalar(0.5), {.size = 1, .tolerance = {1e-3, 0.0}});
  accelerator->begin();
  next(*accelerator, 1.0, 2.0);
  next(*accelerator, 1.5, 1.5001);
  EXPECT_EQ(accelerator->factors()[0], 0.5);
}

/// What was sent instead of a proposal, such as a move that is to show slopes, says nothing of factors: a change of the
/// residual that belongs to a longer move would make them collapse.
TEST(Relaxation, LearnsNoFactorFromAnotherMoveThanItProposed) {
  for (const AccelerationSettings& settings : {aitken(), perScalar(), adaptive("L/NL(1,a)")}) {
    const auto accelerator = makeRelaxation(settings, 1);
    accelerator->begin();
    next(*accelerator, 1.0, 1.0 + 1e-8);
    const double factor = accelerator->doings().smallestFactor;
    accelerator->overrule();
    next(*accelerator, 1.1, 1.05 + 1e-8);  // slope 0.5
    EXPECT_EQ(accelerator->doings().smallestFactor, factor);
    EXPECT_FALSE(accelerator->hasRemark());
  }
}

TEST(Relaxation, AllocatesNothingInItsSteps) {
  for (const AccelerationSettings& settings :
       {unrelaxed(), constantFactor(0.5), aitken(), perScalar(), adaptive("L/NL(1,a)")}) {
    const auto accelerator = makeRelaxation(settings, 3);
    const std::array<double, 3> sent{1.0, 2.0, 3.0};
    std::array<double, 3> answered{0.0, 0.0, 0.0};
    const std::size_t before = allocations();
    for (int step = 0; step < 3; ++step) {
      accelerator->begin();
      for (int i = 0; i < 5; ++i) {
        for (std::size_t k = 0; k < 3; ++k) answered[k] = std::cos(static_cast<double>(k) + 3.0 * i + step);
        accelerator->learn(sent, answered);
        accelerator->propose(answered);
        (void)accelerator->doings();
        (void)accelerator->takeRemark();
      }
      accelerator->accept();
    }
    EXPECT_EQ(allocations(), before);
  }
}

}  // namespace
}  // namespace koppla::test
