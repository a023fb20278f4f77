// Accelerators against their definitions: what they refuse, what they say, and proposals by the formulas of the methods
// with plain matrices.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include <Eigen/Dense>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/coupling/accelerator.hpp"
#include "koppla/coupling/adaptive_relaxation.hpp"
#include "koppla/coupling/field_weights.hpp"
#include "koppla/coupling/scalar_secant.hpp"

#include "support/message_of.hpp"

namespace koppla::coupling::accelerators_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Reals = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Reals next(Accelerator& accelerator, const Reals& sent, Reals answered) {
  accelerator.learn(sent, answered);
  accelerator.propose(answered);
  return answered;
}

// ---- Refusals
// ----------------------------------------------------------------------------------------------------------

std::string refusal(const std::function<void(AdaptiveParameters&)>& change) {
  AdaptiveParameters parameters;
  parameters.lower = 0.5;
  parameters.upper = 0.25;
  change(parameters);
  try {
    checkAdaptive(parameters);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return {};
}

TEST(AdaptiveParameters, AreRefusedOutsideOfTheirRangesOnly) {
  struct Case {
    std::string name;
    double AdaptiveParameters::*parameter;
    Reals good;
    std::vector<std::pair<double, std::string>> bad;
    std::string remedy;
  };
  const std::vector<Case> cases{
      {"influence",
       &AdaptiveParameters::influence,
       {0.0, 0.5, 1.0},
       {{-0.1, "-0.1"}, {1.1, "1.1"}, {kNan, "nan"}},
       "It must lie in [0, 1]."},
      {"lower",
       &AdaptiveParameters::lower,
       {1.0, 0.0625},
       {{0.0, "0"}, {-0.5, "-0.5"}, {1.5, "1.5"}},
       "It must lie in ]0, 1]."},
      {"upper",
       &AdaptiveParameters::upper,
       {1.0, 0.0625},
       {{0.0, "0"}, {-0.5, "-0.5"}, {1.5, "1.5"}},
       "It must lie in ]0, 1]."},
      {"gain",
       &AdaptiveParameters::gain,
       {0.0, 1e9},
       {{-0.5, "-0.5"}, {kInfinity, "inf"}, {kNan, "nan"}},
       "It must not be negative."},
      {"slope",
       &AdaptiveParameters::slope,
       {0.0, 1e9},
       {{-0.5, "-0.5"}, {kInfinity, "inf"}, {kNan, "nan"}},
       "It must not be negative."},
      {"mass", &AdaptiveParameters::mass, {0.0, 1.0}, {{-0.5, "-0.5"}, {1.5, "1.5"}}, "It must lie in [0, 1]."}};
  for (const Case& c : cases) {
    for (const double value : c.good)
      EXPECT_EQ(refusal([&](AdaptiveParameters& p) { p.*c.parameter = value; }), "") << c.name << value;
    for (const auto& [value, text] : c.bad)
      EXPECT_EQ(refusal([&, v = value](AdaptiveParameters& p) { p.*c.parameter = v; }),
                "The adaptive relaxation has " + c.name + " = " + text + ". " + c.remedy);
  }
}

/// Half the distance between the limits is 0.375 here, and its middle 0.875.
TEST(AdaptiveParameters, MarginAndFirstFactorLieBetweenTheLimits) {
  const auto with = [](double margin, double first) {
    return refusal([=](AdaptiveParameters& p) {
      p.margin = margin;
      p.first = first;
    });
  };
  const std::string margins = " It must be positive and less than half the distance between the limits of the factor.";
  EXPECT_EQ(with(0.37, 0.875), "");
  EXPECT_EQ(with(0.375, 0.875), "The adaptive relaxation has margin = 0.375." + margins);
  EXPECT_EQ(with(0.0, 0.875), "The adaptive relaxation has margin = 0." + margins);
  EXPECT_EQ(with(-0.25, 0.875), "The adaptive relaxation has margin = -0.25." + margins);
  const std::string factors = " It must lie between 1 - lower and 1 + upper, and not nearer to them than `margin`.";
  EXPECT_EQ(with(0.125, 0.625), "");
  EXPECT_EQ(with(0.125, 1.125), "");
  EXPECT_EQ(with(0.125, 0.6), "The adaptive relaxation has a first factor = 0.6." + factors);
  EXPECT_EQ(with(0.125, 1.13), "The adaptive relaxation has a first factor = 1.13." + factors);
}

TEST(Relaxation, RefusesFactorsByTheirValue) {
  const auto told = [](double factor, Reals own) {
    return koppla::test::messageOf<core::InputError>([&] {
      relaxation({.kind = AcceleratorKind::constant, .factor = factor}, {.size = own.size(), .factors = own});
    });
  };
  const std::string remedy = " It must be greater than 0 and less than 2.";
  EXPECT_EQ(told(2.0, {}), "The relaxation factor is 2." + remedy);
  EXPECT_EQ(told(0.0, {}), "The relaxation factor is 0." + remedy);
  EXPECT_EQ(told(1.0, {0.5, -0.5}), "The relaxation factor is -0.5." + remedy);
  EXPECT_EQ(told(1.0, {2.5, 0.5}), "The relaxation factor is 2.5." + remedy);
  EXPECT_NO_THROW(relaxation({.kind = AcceleratorKind::none, .factor = 7.0}, {.size = 1}));
  EXPECT_THROW(relaxation({.kind = AcceleratorKind::automatic}, {.size = 1}), core::InternalError);
}

// ---- Relaxations
// -------------------------------------------------------------------------------------------------------

TEST(ConstantRelaxation, HasOneFactorOrOnePerValue) {
  const auto one = makeAccelerator({.kind = AcceleratorKind::constant, .factor = 0.25}, {.size = 2});
  one->begin();
  EXPECT_EQ(next(*one, {1.0, 2.0}, {5.0, -2.0}), (Reals{2.0, 1.0}));
  EXPECT_TRUE(one->factors().empty());
  EXPECT_EQ(one->doings().method, "constant");
  const auto own =
      makeAccelerator({.kind = AcceleratorKind::constant, .factor = 0.25}, {.size = 3, .factors = {0.5, 1.5, 1.0}});
  own->begin();
  EXPECT_EQ(next(*own, {1.0, 2.0, 3.0}, {5.0, 4.0, 7.0}), (Reals{3.0, 5.0, 7.0}));
  EXPECT_EQ(Reals(own->factors().begin(), own->factors().end()), (Reals{0.5, 1.5, 1.0}));
  EXPECT_EQ(own->doings().smallestFactor, 0.5);
  EXPECT_EQ(own->doings().largestFactor, 1.5);
  const auto none = makeAccelerator({.kind = AcceleratorKind::constant, .factor = 0.25}, {.size = 0});
  EXPECT_EQ(none->doings().smallestFactor, 1.0);
  EXPECT_EQ(none->doings().largestFactor, 1.0);
}

TEST(Relaxations, AreNamedInTheHistory) {
  for (const auto& [kind, name] :
       {std::pair{AcceleratorKind::none, "none"}, std::pair{AcceleratorKind::aitken, "aitken"},
        std::pair{AcceleratorKind::aitkenPerScalar, "aitken-per-scalar"},
        std::pair{AcceleratorKind::adaptive, "adaptive"}})
    for (const std::size_t size : {0U, 2U}) {
      const auto accelerator = makeAccelerator({.kind = kind, .factor = 0.5}, {.size = size});
      EXPECT_EQ(accelerator->doings().method, name);
      EXPECT_FALSE(accelerator->canRetreat());
      EXPECT_FALSE(accelerator->hasRemark());
      const bool perValue = kind == AcceleratorKind::aitkenPerScalar || kind == AcceleratorKind::adaptive;
      EXPECT_EQ(accelerator->factors().size(), perValue ? size : 0U);
    }
}

/// Residuals r and then r + change lead to the factor -first r / change.
double aitkenAfter(AcceleratorKind kind, double first, double residual, double change, std::string* remark = nullptr) {
  const auto accelerator = makeAccelerator({.kind = kind, .factor = first}, {.size = 1});
  accelerator->begin();
  next(*accelerator, {0.0}, {residual});
  next(*accelerator, {0.0}, {residual + change});
  if (remark != nullptr) *remark = accelerator->takeRemark();
  return accelerator->doings().largestFactor;
}

TEST(Aitken, AFactorThatCollapsesIsSetBack) {
  for (const AcceleratorKind kind : {AcceleratorKind::aitken, AcceleratorKind::aitkenPerScalar}) {
    std::string remark;
    EXPECT_DOUBLE_EQ(aitkenAfter(kind, 0.5, 1.0, -0.9e6, &remark), 0.5 / 0.9e6);
    EXPECT_EQ(remark, "");
    EXPECT_DOUBLE_EQ(aitkenAfter(kind, 0.5, 1.0, 0.9e6, &remark), -0.5 / 0.9e6);
    EXPECT_EQ(remark, "");
    for (const double change : {-1.1e6, 1.1e6}) {
      EXPECT_EQ(aitkenAfter(kind, 0.5, 1.0, change, &remark), 0.5);
      EXPECT_EQ(remark,
                "Aitken's factor fell below 5e-07 and was set back to 0.5, once: the residuals do not lie on a line.");
    }
  }
}

TEST(Aitken, CountsHowOftenItsFactorCollapsed) {
  for (const AcceleratorKind kind : {AcceleratorKind::aitken, AcceleratorKind::aitkenPerScalar}) {
    const auto accelerator = makeAccelerator({.kind = kind, .factor = 0.25}, {.size = 1});
    accelerator->begin();
    double residual = 1.0;
    for (int i = 0; i < 3; ++i) {
      next(*accelerator, {0.0}, {residual});
      residual *= -1e7;
    }
    EXPECT_TRUE(accelerator->hasRemark());
    EXPECT_EQ(
        accelerator->takeRemark(),
        "Aitken's factor fell below 2.5e-07 and was set back to 0.25, 2 times: the residuals do not lie on a line.");
    EXPECT_FALSE(accelerator->hasRemark());
  }
}

TEST(Aitken, PerScalarDoesNotLearnFromRounding) {
  const auto factorAfter = [](double change) {
    const auto accelerator = makeAccelerator({.kind = AcceleratorKind::aitkenPerScalar, .factor = 0.5}, {.size = 1});
    accelerator->begin();
    next(*accelerator, {-1.0 + 1e-3}, {-1.0});
    next(*accelerator, {-1.0 + 1e-3 + change}, {-1.0});
    return accelerator->doings().largestFactor;
  };
  EXPECT_EQ(factorAfter(0.7e-13), 0.5) << "of a result of 1";
  EXPECT_NE(factorAfter(1.4e-13), 0.5);
}

TEST(Aitken, PerScalarLeavesWhatIsWithinTheToleranceAlone) {
  const auto factorAfter = [](double residual, core::Tolerance tolerance) {
    const auto accelerator =
        relaxation({.kind = AcceleratorKind::aitkenPerScalar, .factor = 0.5}, {.size = 1, .tolerance = tolerance});
    accelerator->begin();
    next(*accelerator, {0.0}, {8.0});
    next(*accelerator, {-8.0 - residual}, {-8.0});
    return accelerator->factors()[0];
  };
  // 0.125 * 8 + 0.5 = 1.5
  EXPECT_EQ(factorAfter(1.5, {0.125, 0.5}), 0.5);
  EXPECT_EQ(factorAfter(-1.5, {0.125, 0.5}), 0.5);
  EXPECT_NE(factorAfter(1.75, {0.125, 0.5}), 0.5);
  EXPECT_EQ(factorAfter(1.0, {0.125, 0.0}), 0.5);
  EXPECT_EQ(factorAfter(0.5, {0.0, 0.5}), 0.5);
  EXPECT_NE(factorAfter(0.5, {0.0, 0.0}), 0.5);
}

TEST(AdaptiveRelaxation, LeavesWhatIsWithinTheToleranceAlone) {
  const auto factorAfter = [](double residual, core::Tolerance tolerance) {
    const auto accelerator = adaptiveRelaxation({}, {.size = 1, .tolerance = tolerance});
    accelerator->begin();
    next(*accelerator, {0.0}, {-7.0});
    next(*accelerator, {-8.0 - residual}, {-8.0});
    return accelerator->factors()[0];
  };
  EXPECT_EQ(factorAfter(1.5, {0.125, 0.5}), 1.0);
  EXPECT_EQ(factorAfter(-1.5, {0.125, 0.5}), 1.0);
  EXPECT_NE(factorAfter(1.75, {0.125, 0.5}), 1.0);
  EXPECT_EQ(factorAfter(0.5, {0.0, 0.5}), 1.0);
  EXPECT_EQ(factorAfter(1.0, {0.125, 0.0}), 1.0);
  EXPECT_NE(factorAfter(0.5, {0.0, 0.0}), 1.0);
}

// ---- One value
// ---------------------------------------------------------------------------------------------------------

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

// ---- Several values
// ------------------------------------------------------------------------------------------------------

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

// ---- Weights of fields
// ---------------------------------------------------------------------------------------------------

FieldWeights weightsOf(Scaling scaling) {
  return FieldWeights(scaling, {.size = 3, .fields = {{0, 2}, {2, 3}}});
}

Reals copyOf(std::span<const double> values) {
  return {values.begin(), values.end()};
}

TEST(FieldWeights, AreReciprocalNormsOfTheLargestValues) {
  FieldWeights weights = weightsOf(Scaling::value);
  EXPECT_EQ(copyOf(weights.weights()), (Reals{1.0, 1.0}));
  EXPECT_TRUE(weights.observe(Reals{9.0, 9.0, 9.0}, Reals{3.0, -4.0, 0.25}, true));
  EXPECT_EQ(copyOf(weights.weights()), (Reals{0.2, 4.0}));
  EXPECT_EQ(copyOf(weights.changes()), (Reals{0.2, 4.0}));
  Reals vector{1.0, 2.0, 3.0};
  weights.apply(vector);
  EXPECT_EQ(vector, (Reals{0.2, 0.4, 12.0}));
  EXPECT_EQ(copyOf(weights.applied(Reals{10.0, 0.0, -1.0})), (Reals{2.0, 0.0, -4.0}));
  // Smaller values change nothing, were there nothing to rescale or not.
  weights.begin();
  EXPECT_TRUE(weights.observe(Reals{9.0, 9.0, 9.0}, Reals{0.0, 1e-3, 0.125}, true));
  EXPECT_EQ(copyOf(weights.weights()), (Reals{0.2, 4.0}));
  EXPECT_EQ(copyOf(weights.changes()), (Reals{1.0, 1.0}));
}

TEST(FieldWeights, ChangeWhereFieldsDifferByMoreThanATenthOfWhatIsInUse) {
  for (const double growth : {10.0, 11.0, 0.5}) {
    FieldWeights weights = weightsOf(Scaling::residual);
    ASSERT_TRUE(weights.observe(Reals{1.0, 0.0, 1.0}, Reals{9.0, 9.0, 9.0}, true));
    EXPECT_EQ(weights.observe(Reals{growth, 0.0, 1.0}, Reals{9.0, 9.0, 9.0}, false), growth > 10.0);
    EXPECT_EQ(weights.weights()[0], growth > 10.0 ? 1.0 / growth : 1.0);
    EXPECT_FALSE(weights.observe(Reals{20.0 * growth, 0.0, 20.0}, Reals{9.0, 9.0, 9.0}, false))
        << "a common factor has no influence";
  }
}

TEST(FieldWeights, OfAFieldThatIsZeroOrNotFiniteStay) {
  for (const double bad : {0.0, kNan, kInfinity}) {
    FieldWeights weights = weightsOf(Scaling::residual);
    ASSERT_TRUE(weights.observe(Reals{0.0, 2.0, 4.0}, Reals{1.0, 1.0, 1.0}, true));
    EXPECT_TRUE(weights.observe(Reals{0.0, bad, 8.0}, Reals{1.0, 1.0, 1.0}, true));
    EXPECT_EQ(copyOf(weights.weights()), (Reals{0.5, 0.125}));
    EXPECT_EQ(copyOf(weights.changes()), (Reals{1.0, 0.5}));
    EXPECT_FALSE(weights.observe(Reals{0.0, bad, 8e3}, Reals{1.0, 1.0, 1.0}, false)) << "one field alone";
    EXPECT_FALSE(weights.observe(Reals{0.0, 0.0, 0.0}, Reals{1.0, 1.0, 1.0}, false));
  }
}

TEST(FieldWeights, ByResidualsMayAddUpTheirShares) {
  FieldWeights weights = weightsOf(Scaling::residualSum);
  weights.begin();
  ASSERT_TRUE(weights.observe(Reals{3.0, 0.0, 4.0}, Reals{1.0, 1.0, 1.0}, true));
  EXPECT_DOUBLE_EQ(weights.weights()[0], 1.0 / 0.6);
  EXPECT_DOUBLE_EQ(weights.weights()[1], 1.0 / 0.8);
  ASSERT_TRUE(weights.observe(Reals{0.0, 80.0, 60.0}, Reals{1.0, 1.0, 1.0}, true));
  EXPECT_DOUBLE_EQ(weights.weights()[0], 1.0 / 1.4);
  ASSERT_TRUE(weights.observe(Reals{0.0, 0.0, 0.0}, Reals{1.0, 1.0, 1.0}, true));
  EXPECT_DOUBLE_EQ(weights.weights()[0], 1.0 / 1.4) << "no residual has no shares";
  weights.begin();
  ASSERT_TRUE(weights.observe(Reals{3.0, 0.0, 4.0}, Reals{1.0, 1.0, 1.0}, true));
  EXPECT_DOUBLE_EQ(weights.weights()[0], 1.0 / 0.6) << "a new step";
}

TEST(FieldWeights, AreNoneWithoutScalingOrFields) {
  FieldWeights none = weightsOf(Scaling::none);
  EXPECT_FALSE(none.observe(Reals{1.0, 2.0, 3.0}, Reals{1.0, 2.0, 3.0}, true));
  const Reals vector{1.0, 2.0, 3.0};
  EXPECT_EQ(none.applied(vector).data(), vector.data());
  FieldWeights one(Scaling::value, {.size = 3});
  EXPECT_FALSE(one.observe(vector, vector, true));
}

// ---- Quasi-Newton methods
// --------------------------------------------------------------------------------------------------

VectorXd vectorOf(const Reals& values) {
  return VectorXd::Map(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// A mildly nonlinear map of five values that moves on from step to step.
Reals answersTo(const Reals& u, int step) {
  const std::size_t n = u.size();
  Reals a(n);
  for (std::size_t i = 0; i < n; ++i)
    a[i] = -1.5 * std::sin(1.0 + static_cast<double>(i)) * u[i] + 0.4 * u[(i + 1) % n] + 0.05 * u[i] * u[i] + 1.0 +
           0.3 * std::cos(static_cast<double>(step) + static_cast<double>(i));
  return a;
}

/// What a method makes of an iteration, by plain matrices. Called as accelerators are.
class Reference {
 public:
  virtual ~Reference() = default;
  virtual void begin() = 0;
  virtual VectorXd next(const VectorXd& u, const VectorXd& a) = 0;
  virtual void accept() = 0;
};

MatrixXd joined(const std::vector<VectorXd>& columns) {
  MatrixXd matrix(columns[0].size(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) matrix.col(static_cast<Eigen::Index>(j)) = columns[j];
  return matrix;
}

VectorXd leastSquares(const MatrixXd& matrix, const VectorXd& right) {
  return matrix.completeOrthogonalDecomposition().solve(right);
}

/// u + beta r + W c, V c = -r: Anderson, and with beta = 1 and columns of earlier steps IQN-ILS.
class LeastSquares final : public Reference {
 public:
  LeastSquares(double factor, double beta, int reused) : factor_(factor), beta_(beta), reused_(reused) {}
  void begin() override {
    v_.resize(kept_);
    w_.resize(kept_);
    last_.reset();
    while (static_cast<int>(counts_.size()) > reused_) {
      v_.erase(v_.begin(), v_.begin() + counts_[0]);
      w_.erase(w_.begin(), w_.begin() + counts_[0]);
      counts_.erase(counts_.begin());
    }
    kept_ = v_.size();
  }
  VectorXd next(const VectorXd& u, const VectorXd& a) override {
    const VectorXd r = a - u;
    const VectorXd g = u + beta_ * r;
    if (last_) {
      v_.push_back(r - last_->first);
      w_.push_back(g - last_->second);
    }
    last_.emplace(r, g);
    if (v_.empty()) return u + factor_ * r;
    return g + joined(w_) * leastSquares(joined(v_), -r);
  }
  void accept() override {
    counts_.push_back(static_cast<std::ptrdiff_t>(v_.size() - kept_));
    kept_ = v_.size();
  }

 private:
  double factor_, beta_;
  int reused_;
  std::vector<VectorXd> v_, w_;  // oldest first
  std::size_t kept_ = 0;
  std::vector<std::ptrdiff_t> counts_;  // of accepted steps
  std::optional<std::pair<VectorXd, VectorXd>> last_;
};

/// J = J_before + (W - J_before V) V^+, next = a - J r.
class MultiVector final : public Reference {
 public:
  /// `single`: only the last accepted step is kept, as if the run had begun with it.
  MultiVector(double factor, Eigen::Index n, bool single = false)
      : factor_(factor), single_(single), before_(MatrixXd::Zero(n, n)) {}
  void begin() override {
    v_.clear();
    w_.clear();
    last_.reset();
  }
  VectorXd next(const VectorXd& u, const VectorXd& a) override {
    const VectorXd r = a - u;
    if (last_) {
      v_.push_back(r - last_->first);
      w_.push_back(a - last_->second);
    }
    last_.emplace(r, a);
    if (v_.empty() && !knows_) return u + factor_ * r;
    return a - jacobian() * r;
  }
  void accept() override {
    if (single_ && !v_.empty())
      before_ = joined(w_) * joined(v_).completeOrthogonalDecomposition().pseudoInverse();
    else
      before_ = jacobian();
    knows_ = knows_ || !v_.empty();
  }

 private:
  [[nodiscard]] MatrixXd jacobian() const {
    if (v_.empty()) return before_;
    const MatrixXd V = joined(v_);
    return before_ + (joined(w_) - before_ * V) * V.completeOrthogonalDecomposition().pseudoInverse();
  }
  double factor_;
  bool single_;
  MatrixXd before_;
  bool knows_ = false;
  std::vector<VectorXd> v_, w_;
  std::optional<std::pair<VectorXd, VectorXd>> last_;
};

/// The good update of H, the inverse Jacobian of r, next = u - H r; where the determinant would shrink to less than a
/// tenth only a part of the update (More and Trangenstein).
class Broyden final : public Reference {
 public:
  Broyden(double factor, Eigen::Index n) : h_(-factor * MatrixXd::Identity(n, n)), kept_(h_) {}
  void begin() override {
    h_ = kept_;
    last_.reset();
  }
  VectorXd next(const VectorXd& u, const VectorXd& a) override {
    const VectorXd r = a - u;
    if (last_) {
      const VectorXd s = u - last_->first;
      const VectorXd y = r - last_->second;
      const double delta = s.dot(h_ * y) / s.squaredNorm();
      double theta = 1.0;
      if (std::fabs(delta) < 0.1) {
        theta = (1.0 - (delta < 0.0 ? -0.1 : 0.1)) / (1.0 - delta);
        ++damped;
      }
      const VectorXd p = theta * (s - h_ * y) / ((1.0 - theta + theta * delta) * s.squaredNorm());
      h_ = (h_ + p * (s.transpose() * h_)).eval();
    }
    last_.emplace(u, r);
    return u - h_ * r;
  }
  void accept() override { kept_ = h_; }
  int damped = 0;

 private:
  MatrixXd h_, kept_;
  std::optional<std::pair<VectorXd, VectorXd>> last_;
};

AccelerationSettings plain(AcceleratorKind kind, unsigned reused = 8) {
  return {.kind = kind, .factor = 0.3, .reusedSteps = reused, .columns = 50, .filter = Filter::none};
}

/// Steps of so many iterations, some of which are thrown away.
void expectSame(const AccelerationSettings& settings, Reference& reference, const std::vector<int>& iterations,
                std::string_view method, std::size_t n = 9) {
  const auto accelerator = quasiNewton(settings, {.size = n});
  for (std::size_t step = 0; step < iterations.size(); ++step) {
    accelerator->begin();
    reference.begin();
    Reals u(n, 0.1 * static_cast<double>(step));
    for (int i = 0; i < iterations[step]; ++i) {
      const Reals answered = answersTo(u, static_cast<int>(step));
      const VectorXd expected = reference.next(vectorOf(u), vectorOf(answered));
      u = accelerators_test::next(*accelerator, u, answered);
      EXPECT_LT((vectorOf(u) - expected).norm(), 1e-8 * (1.0 + expected.norm())) << method << ' ' << step << ' ' << i;
    }
    EXPECT_EQ(accelerator->doings().method, method);
    if (step % 3 == 2) continue;
    accelerator->accept();
    reference.accept();
  }
}

TEST(QuasiNewton, ByLeastSquaresSolvesForTheColumnsOfItsSteps) {
  for (const int reused : {0, 1, 2}) {
    LeastSquares reference(0.3, 1.0, reused);
    expectSame(plain(AcceleratorKind::iqnIls, static_cast<unsigned>(reused)), reference, {3, 3, 4, 3, 2, 4}, "iqn-ils");
  }
}

TEST(QuasiNewton, ByAndersonMixesTheStepsOwnIterations) {
  LeastSquares reference(0.3, 0.3, 0);
  expectSame(plain(AcceleratorKind::anderson), reference, {4, 3, 5, 4}, "anderson");
}

TEST(QuasiNewton, ByMultiVectorUpdatesKeepsAJacobian) {
  MultiVector reference(0.3, 9);
  expectSame(plain(AcceleratorKind::iqnImvj), reference, {4, 3, 4, 3, 2}, "iqn-imvj");
}

TEST(QuasiNewton, ByMultiVectorUpdatesForgetsTheOldestStepAsIfItHadNotBeen) {
  MultiVector reference(0.3, 9, true);
  expectSame(plain(AcceleratorKind::iqnImvj, 1), reference, {3, 3, 4, 3, 2}, "iqn-imvj");
}

TEST(QuasiNewton, ByBroydenUpdatesAnInverse) {
  Broyden reference(0.3, 9);
  expectSame(plain(AcceleratorKind::broyden), reference, {6, 5, 4, 5}, "broyden");
}

/// F(u) = (g u1 + 1, 0): from 0 the relaxed first step is s = 0.3, y = (g - 1) s, and -0.3 (g - 1) the change of the
/// determinant.
TEST(QuasiNewton, ByBroydenKeepsTheDeterminantFromVanishing) {
  int damped = 0;
  for (const double g : {0.9, 1.2, 0.5, -2.0}) {
    Broyden reference(0.3, 2);
    const auto accelerator = quasiNewton(plain(AcceleratorKind::broyden), {.size = 2});
    accelerator->begin();
    reference.begin();
    Reals u{0.0, 0.0};
    for (int i = 0; i < 4; ++i) {
      const Reals answered{g * u[0] + 1.0 + 0.01 * i, 0.5 * u[1] + 0.1 * u[0]};
      const VectorXd expected = reference.next(vectorOf(u), vectorOf(answered));
      u = next(*accelerator, u, answered);
      EXPECT_LT((vectorOf(u) - expected).norm(), 1e-10 * (1.0 + expected.norm())) << g << i;
    }
    damped += reference.damped;
  }
  EXPECT_GT(damped, 1);
}

TEST(QuasiNewton, WithAllDifferencesForgottenRelaxes) {
  for (const AcceleratorKind kind : {AcceleratorKind::iqnImvj, AcceleratorKind::iqnIls}) {
    const auto accelerator = quasiNewton(plain(kind), {.size = 3});
    accelerator->begin();
    next(*accelerator, {0.0, 0.0, 0.0}, {3.0, 1.0, 0.0});
    next(*accelerator, {0.0, 0.0, 1e100}, {2.0, 1.0, 1e100});  // 1e100 per unit of residual
    accelerator->accept();
    accelerator->begin();
    next(*accelerator, {0.0, 1.0, 0.0}, {1.0, 1.5, 0.0});
    next(*accelerator, {0.5, 1.0, 0.0}, {1.0, 1.75, 0.0});
    const Reals send = next(*accelerator, {0.0, 0.0, 0.0}, {1e300, 1e300, 1e300});
    for (const double value : send) EXPECT_DOUBLE_EQ(value, 0.3e300);
    EXPECT_EQ(accelerator->doings().method, "relaxation");
    EXPECT_EQ(accelerator->doings().columns, 0U);
    EXPECT_EQ(accelerator->doings().dropped, 2U);
    EXPECT_TRUE(accelerator->hasRemark());
    EXPECT_EQ(
        accelerator->takeRemark(),
        std::string(kind == AcceleratorKind::iqnIls ? "iqn-ils" : "iqn-imvj") +
            " gave a value that is not finite: all differences are forgotten, and the values are relaxed instead.");
    EXPECT_FALSE(accelerator->hasRemark());
    accelerator->begin();
    EXPECT_DOUBLE_EQ(next(*accelerator, {0.0, 0.0, 0.0}, {1.0, 1.0, 1.0})[1], 0.3);
  }
}

TEST(QuasiNewton, IsNotMadeOfOtherKinds) {
  EXPECT_THROW(quasiNewton({.kind = AcceleratorKind::aitken}, {.size = 2}), std::logic_error);
}

}  // namespace
}  // namespace koppla::coupling::accelerators_test
