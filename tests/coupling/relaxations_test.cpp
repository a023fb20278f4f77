// What relaxations refuse, what they say, and the factors that they end at.

#include <functional>
#include <limits>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/coupling/accelerator.hpp"
#include "koppla/coupling/adaptive_relaxation.hpp"
#include "koppla/coupling/field_weights.hpp"
#include "koppla/coupling/scalar_secant.hpp"

#include "support/message_of.hpp"

namespace koppla::coupling::relaxations_test {
namespace {

using Reals = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Reals next(Accelerator& accelerator, const Reals& sent, Reals answered) {
  accelerator.learn(sent, answered);
  accelerator.propose(answered);
  return answered;
}

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

}  // namespace
}  // namespace koppla::coupling::relaxations_test
