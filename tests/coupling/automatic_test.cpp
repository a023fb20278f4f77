// The acceleration that nobody has to choose: for one value and for several.

#include <algorithm>

#include <Eigen/Core>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/coupling/accelerator.hpp"
#include "koppla/coupling/adaptive_relaxation.hpp"
#include "koppla/coupling/field_weights.hpp"
#include "koppla/coupling/scalar_secant.hpp"

namespace koppla::coupling::automatic_test {
namespace {

using Reals = std::vector<double>;

Reals next(Accelerator& accelerator, const Reals& sent, Reals answered) {
  accelerator.learn(sent, answered);
  accelerator.propose(answered);
  return answered;
}

struct Secant {
  ScalarSecant secant{};
  Secant() { secant.begin(); }
  double operator()(double sent, double answered) {
    secant.learn(sent, answered);
    return secant.propose();
  }
};

TEST(ScalarSecant, HasAFactorOfAMillionAtMost) {
  for (const double slope : {1.0 - 0.5e-6, 1.0 - 2e-6}) {
    Secant secant;
    secant(0.0, 1.0);
    secant(1.0, 1.0 + slope);
    EXPECT_NEAR(secant.secant.factor(), slope > 1.0 - 1e-6 ? 1e6 : 0.5e6, 1.0);
  }
}

TEST(ScalarSecant, StepsDoubleWhereTheAnswersMoveAway) {
  Secant secant;  // F = 1.5 u + 1
  EXPECT_EQ(secant(0.0, 1.0), 1.0);
  EXPECT_EQ(secant(1.0, 2.5), 3.0);
  EXPECT_TRUE(secant.secant.guarded());
  EXPECT_EQ(secant(3.0, 5.5), 7.0);
  EXPECT_EQ(secant(7.0, 11.5), 15.0);
}

TEST(ScalarSecant, AnswersThatKeepTheirDistanceTellNoSlope) {
  Secant secant;  // F = u + 1
  EXPECT_EQ(secant(0.0, 1.0), 1.0);
  EXPECT_EQ(secant(1.0, 2.0), 2.0);
  EXPECT_FALSE(secant.secant.slope());
  EXPECT_FALSE(secant.secant.guarded());
  EXPECT_EQ(secant.secant.retreat(), 1.25);
  EXPECT_EQ(secant.secant.retreat(), 1.0625);
}

TEST(ScalarSecant, AResidualThatIsLargerThanTwiceTheLastStepIsTheNextOne) {
  Secant secant;  // residuals 1, 8: slope 8
  EXPECT_EQ(secant(0.0, 1.0), 1.0);
  EXPECT_EQ(secant(1.0, 9.0), 9.0);
  EXPECT_TRUE(secant.secant.guarded());
}

TEST(ScalarSecant, GivesInToTheSolutionFromWhichStepsHaveFledInVain) {
  Secant secant;  // F = 3 u + 2 repels from -1
  EXPECT_EQ(secant(0.0, 2.0), 2.0);
  EXPECT_EQ(secant(2.0, 8.0), 2.0 + 6.0);
  EXPECT_EQ(secant.secant.retreat(), 2.0 - 3.0);
  EXPECT_EQ(secant.secant.factor(), -0.5);
  EXPECT_FALSE(secant.secant.guarded());
  // In this step it goes there without being asked again, however far it is sent.
  EXPECT_EQ(secant(1.0, 5.0), -1.0);
  EXPECT_FALSE(secant.secant.guarded());
  // In the next one it flees again.
  secant.secant.begin();
  EXPECT_EQ(secant(0.0, 2.0), 2.0);
  EXPECT_EQ(secant(2.0, 8.0), 8.0);
  EXPECT_TRUE(secant.secant.guarded());
}

/// Residuals of one sign on each side: the secant of the ends of the enclosure where that of the last two points leaves
/// it.
TEST(ScalarSecant, StaysInsideByTheSecantOfTheEnds) {
  Secant secant;
  secant(0.0, 3.0);  // r = 3
  // r = -1 between 0 and 8: a slope of a half.
  EXPECT_EQ(secant(8.0, 7.0), 6.0);
  // r = -2 at 7, a slope of 2: steps flee by twice the last one, which stays inside.
  EXPECT_EQ(secant(7.0, 5.0), 3.0);
  // r = -4 at 1: they would flee by 8; instead the secant through (0, 3) and (1, -4).
  EXPECT_DOUBLE_EQ(secant(1.0, -3.0), 3.0 / 7.0);
}

TEST(ScalarSecant, EnclosuresThatDoNotShrinkAreHalved) {
  Secant secant;
  secant(0.0, 1.0);
  secant(16.0, 15.0);  // r = -1: between 0 and 16
  double u = 15.5;
  double proposed = 0.0;
  // Points near the right end, residual -1e-3: the enclosure is not halved by them.
  for (int i = 0; i < 3; ++i) {
    proposed = secant(u, u - 1e-3);
    u -= 0.5;
  }
  EXPECT_EQ(proposed, 0.5 * (0.0 + 14.5));
}

TEST(ScalarSecant, EnclosuresAreOfOneStep) {
  Secant secant;
  secant(0.0, 1.0);
  secant(4.0, 3.0);  // between 0 and 4
  secant.secant.begin();
  EXPECT_EQ(secant(2.0, 7.0), 7.0);
  secant.secant.begin();
  EXPECT_EQ(secant(2.0, -3.0), -3.0);
}

TEST(ScalarSecant, AnEnclosureThatIsContradictedIsForgotten) {
  Secant secant;
  secant(0.0, 1.0);
  secant(4.0, 3.0);                          // enclosed by 0 and 4
  secant(5.0, 6.0);                          // r = 1 beyond the right end: nothing is enclosed any more
  const double proposed = secant(6.0, 7.5);  // r = 1.5
  EXPECT_GT(proposed, 6.0);
  Secant other;
  other(0.0, 1.0);
  other(4.0, 3.0);
  other(-1.0, -2.0);  // r = -1 before the left end
  EXPECT_LT(other(-2.0, -3.5), -2.0);
}

TEST(Automatic, OneValueIsASecantAndSaysSo) {
  const auto accelerator = makeAccelerator({}, {.size = 1});
  EXPECT_TRUE(accelerator->canRetreat());
  EXPECT_TRUE(accelerator->hasRemark());
  EXPECT_EQ(accelerator->takeRemark(),
            "one unknown: secant that keeps away from solutions which repel plain iteration");
  EXPECT_FALSE(accelerator->hasRemark());
  accelerator->begin();
  EXPECT_EQ(next(*accelerator, {0.0}, {1.0}), Reals{1.0});
  EXPECT_FALSE(accelerator->hasRemark());
  EXPECT_EQ(next(*accelerator, {1.0}, {3.0}), Reals{3.0});
  EXPECT_EQ(
      accelerator->takeRemark(),
      "the answers move away from what is sent (K >= 1): no extrapolation back to where they come from, steps that "
      "grow instead");
  EXPECT_EQ(accelerator->doings().method, "secant");
  EXPECT_EQ(accelerator->doings().smallestFactor, 1.0);
  EXPECT_EQ(accelerator->doings().columns, 0U);
  next(*accelerator, {3.0}, {7.0});
  EXPECT_FALSE(accelerator->hasRemark()) << "once";
  Reals send{0.0};
  accelerator->retreat(send);
  EXPECT_EQ(send, Reals{-1.0});
  EXPECT_EQ(accelerator->doings().largestFactor, -1.0);
}

std::string remarkFor(std::size_t size) {
  return makeAccelerator({}, {.size = size})->takeRemark();
}

TEST(Automatic, SeveralValuesAreAQuasiNewtonMethodAndSaySo) {
  const auto text = [](std::size_t size, std::size_t differences) {
    return fmt::format(
        "{} unknowns: quasi-Newton by weighted least squares over at most {} differences of past iterations", size,
        differences);
  };
  EXPECT_EQ(remarkFor(2), text(2, 2));
  EXPECT_EQ(remarkFor(99), text(99, 99));
  EXPECT_EQ(remarkFor(1000), text(1000, 100));
  EXPECT_EQ(remarkFor(400000), text(400000, 50)) << "so many that a proposal is quick";
}

TEST(Automatic, RetreatsByAQuarterOfTheWay) {
  const auto accelerator = makeAccelerator({}, {.size = 2});
  accelerator->begin();
  Reals send = next(*accelerator, {1.0, 2.0}, {3.0, 10.0});
  EXPECT_EQ(send, (Reals{3.0, 10.0}));
  EXPECT_TRUE(accelerator->canRetreat());
  accelerator->retreat(send);
  EXPECT_EQ(send, (Reals{1.5, 4.0}));
  accelerator->retreat(send);
  EXPECT_EQ(send, (Reals{1.125, 2.5}));
  EXPECT_EQ(accelerator->doings().method, "none");
  EXPECT_EQ(accelerator->doings().columns, 0U);
}

/// Sent 1 and answered 1.1, then sent 1.1 and answered 0.5: the relative residual grows from 1/11 to 6/5, by 13.2.
TEST(Automatic, AProposalThatLeadsFarAwayIsTakenBack) {
  for (const bool later : {false, true}) {
    const auto accelerator = makeAccelerator({}, {.size = 2});
    accelerator->begin();
    if (later) {
      next(*accelerator, {1.0, 1.0}, {1.0, 1.0});
      accelerator->accept();
      accelerator->begin();
    }
    next(*accelerator, {1.0, 1.0}, {1.1, 1.1});
    // So often in a row; before a step was accepted more often.
    const int most = later ? 3 : 10;
    for (int i = 0; i < most; ++i) {
      const Reals send = next(*accelerator, {1.1, 1.1}, {0.5, 0.5});
      EXPECT_NEAR(send[0], 1.0 + 0.1 / 13.2, 1e-12) << i;
      EXPECT_NEAR(send[1], 1.0 + 0.1 / 13.2, 1e-12) << i;
      EXPECT_EQ(accelerator->doings().columns, 0U) << "nothing is learned from it";
    }
    next(*accelerator, {1.1, 1.1}, {0.5, 0.5});
    EXPECT_EQ(accelerator->doings().columns, 1U) << "then it is";
  }
}

TEST(Automatic, AModerateGrowthIsNotTakenBack) {
  // The residual grows by 2.8 or by 3.2 in units of the answers.
  for (const double growth : {2.8, 3.2}) {
    const auto accelerator = makeAccelerator({}, {.size = 2});
    accelerator->begin();
    next(*accelerator, {1.0, 1.0}, {1.25, 1.25});  // 0.2 of the answer
    const double answered = 1.25 / (1.0 + 0.2 * growth);
    next(*accelerator, {1.25, 1.25}, {answered, answered});
    EXPECT_EQ(accelerator->doings().columns, growth < 3.0 ? 1U : 0U);
  }
}

/// The residual has grown by more than a number can say.
TEST(Automatic, AProposalThatLeadsBeyondAllMeasureIsTakenBackToAMillionth) {
  const auto accelerator = makeAccelerator({}, {.size = 2});
  accelerator->begin();
  next(*accelerator, {1.0, 1.0}, {1.5, 1.5});
  const Reals send = next(*accelerator, {1e150, 1e150}, {1e-160, 1e-160});
  EXPECT_NEAR(send[0] / 1e144, 1.0, 1e-12);
}

/// Two unknowns, two differences: a third one takes the place of the first.
TEST(Automatic, TellsHowManyDifferencesItUsesAndDrops) {
  const auto accelerator = makeAccelerator({}, {.size = 2});
  accelerator->begin();
  const std::vector<Reals> answers{{1.0, 1.0}, {1.25, 1.0}, {1.25, 1.5}, {1.5, 1.25}};
  for (unsigned i = 0; i < 4; ++i) {
    next(*accelerator, {1.0, 2.0}, answers[i]);
    EXPECT_EQ(accelerator->doings().columns, std::min(2U, i)) << i;
    EXPECT_EQ(accelerator->doings().dropped, i == 3 ? 1U : 0U) << i;
    EXPECT_EQ(accelerator->doings().method, i == 0 ? "none" : "weighted-least-squares");
  }
}

TEST(Automatic, BeginsAnewAtTheBestValuesWhereNothingImproves) {
  const auto accelerator = makeAccelerator({}, {.size = 2});
  static_cast<void>(accelerator->takeRemark());
  accelerator->begin();
  const auto text = [](const char* factor) {
    return fmt::format(
        "no progress for 20 iterations: all differences are forgotten, and the iteration begins anew at the "
        "best values with a factor of {}",
        factor);
  };
  for (const auto& [factor, name] : {std::pair{0.1, "0.1"}, std::pair{0.01, "0.01"}}) {
    const int plain = factor == 0.1 ? 20 : 19;
    for (int i = 0; i < plain; ++i) {
      EXPECT_EQ(next(*accelerator, {1.0, 2.0}, {2.0, 4.0}), (Reals{2.0, 4.0}));
      EXPECT_FALSE(accelerator->hasRemark());
    }
    const Reals send = next(*accelerator, {1.0, 2.0}, {2.0, 4.0});
    EXPECT_NEAR(send[0], 1.0 + factor, 1e-12);
    EXPECT_NEAR(send[1], 2.0 + 2.0 * factor, 1e-12);
    EXPECT_EQ(accelerator->takeRemark(), text(name));
  }
}

TEST(Automatic, TheBestValuesAreThoseWithTheSmallestResidual) {
  const auto accelerator = makeAccelerator({}, {.size = 2});
  accelerator->begin();
  next(*accelerator, {1.0, 1.0}, {2.0, 2.0});
  next(*accelerator, {3.0, 3.0}, {4.0, 4.0});  // a quarter of the answers
  for (int i = 0; i < 19; ++i) next(*accelerator, {1.0, 1.0}, {2.0, 2.0});
  const Reals send = next(*accelerator, {1.0, 1.0}, {2.0, 2.0});
  EXPECT_NEAR(send[0], 3.1, 1e-12);
}

/// u = (2 u1 + 1, -u2 / 2 + 1) repels along u1 from -1.
TEST(Automatic, BoundsItsFactorsWhereAnswersMoveAway) {
  const auto accelerator = makeAccelerator({}, {.size = 2});
  static_cast<void>(accelerator->takeRemark());
  accelerator->begin();
  const auto F = [](const Reals& u) { return Reals{2.0 * u[0] + 1.0, -0.5 * u[1] + 1.0}; };
  Reals u{0.0, 0.0};
  int told = 0;
  for (int i = 0; i < 6; ++i) {
    const Reals before = u;
    u = next(*accelerator, u, F(u));
    EXPECT_GT(u[0], before[0]) << "not back to -1";
    if (!accelerator->hasRemark()) continue;
    ++told;
    EXPECT_EQ(accelerator->takeRemark(),
              "in some direction the answers move away from what is sent (K >= 1): bounded factors instead of "
              "extrapolation until the residual falls");
  }
  EXPECT_EQ(told, 1);
  // The way there has led nowhere: the solution that repels after all.
  accelerator->learn(u, F(u));
  accelerator->propose(u);
  accelerator->retreat(u);
  EXPECT_NEAR(u[0], -1.0, 1e-2);
  EXPECT_NEAR(u[1], 2.0 / 3.0, 1e-2);
}

}  // namespace
}  // namespace koppla::coupling::automatic_test
