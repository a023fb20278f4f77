#include <array>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/coupling/adaptive_relaxation.hpp"

#include "loops.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test {
namespace {

using coupling::AdaptiveParameters;
using coupling::SteeredFactor;

// One line of the table of update steps: d omega for L(1,a), NL(1,a), L/NL(1,a), L/NL(1,b).
struct Update {
  double omega;
  double K;
  double mass;
  double change;
  std::array<double, 4> steps;
  double massAfter;
};

constexpr std::array<std::string_view, 4> kSets{"L(1,a)", "NL(1,a)", "L/NL(1,a)", "L/NL(1,b)"};

constexpr std::array<Update, 8> kUpdates{{
    {1.00, -0.5, 1.0, 0.0, {-0.0833325000, -0.0889540883, -0.0931499885, -0.0698344779}, 1.0},
    {1.00, 0.5, 1.0, 0.0, {0.0833325000, 0.0889540883, 0.0931499885, 0.0698344779}, 1.0},
    {0.60, -2.0, 1.0, -0.1, {-0.0999990000, -0.0834449116, -0.0783707859, -0.0702594117}, 1.0},
    {1.50, 0.9, 1.0, 0.05, {0.0527772500, 0.0819943956, 0.0564795742, 0.0454222603}, 1.0},
    {1.50, -0.9, 1.0, 0.05, {-0.0422218000, -0.0655955165, -0.0451836593, -0.0363378082}, 0.8},
    {0.40, 0.05, 0.64, 0.01, {0.0209064576, 0.0101112412, 0.0137706620, 0.0123325226}, 0.896},
    {1.90, 50.0, 1.0, 0.01, {0.0999990000, -0.2333010000, 0.0146014874, 0.0145417685}, 1.0},
    {0.05, -50.0, 1.0, -0.01, {-0.0499990000, -0.0008823104, -0.0073007437, -0.0072708843}, 1.0},
}};

TEST(Steering, OneStepAsInTheTableOfUpdates) {
  for (std::size_t set = 0; set < kSets.size(); ++set) {
    const AdaptiveParameters parameters = adaptive(kSets[set]).adaptive;
    test::Largest worst;
    for (const Update& row : kUpdates) {
      const SteeredFactor after = coupling::steer(parameters, {row.omega, row.mass, row.change}, row.K);
      const double error =
          test::largestOf(std::fabs(after.omega - row.omega - row.steps[set]), std::fabs(after.mass - row.massAfter));
      EXPECT_LE(error, 1e-9) << kSets[set] << " omega " << row.omega << " K " << row.K;
      EXPECT_DOUBLE_EQ(after.change, after.omega - row.omega);
      worst.see(error);
    }
    showAtMost({"jung 18", fmt::format("update-{}", kSets[set]), "steps and masses of 8 updates to 1e-9"}, worst, 1e-9);
  }
}

TEST(Steering, NonLinearByDivisionEndsAtTheLimits) {
  AdaptiveParameters parameters = adaptive("NL(1,a)").adaptive;
  parameters.divides = true;
  const SteeredFactor nearLimit{1.0 + parameters.upper - 1e-3, 1.0, 0.0};
  EXPECT_LT(coupling::steer(parameters, nearLimit, 0.9).omega - nearLimit.omega, 1e-5);
}

TEST(Steering, MassFallsWithEveryTurnAndRecovers) {
  const AdaptiveParameters parameters = adaptive("L/NL(1,a)").adaptive;
  SteeredFactor factor;
  factor = coupling::steer(parameters, factor, 0.1);
  EXPECT_EQ(factor.mass, 1.0);
  factor = coupling::steer(parameters, factor, -0.1);
  EXPECT_DOUBLE_EQ(factor.mass, 0.8);
  factor = coupling::steer(parameters, factor, 0.1);
  EXPECT_DOUBLE_EQ(factor.mass, 0.64);
  factor = coupling::steer(parameters, factor, 0.1);
  EXPECT_DOUBLE_EQ(factor.mass, 0.896);
  factor = coupling::steer(parameters, factor, 0.1);
  EXPECT_EQ(factor.mass, 1.0);
}

RC_GTEST_PROP(Steering, KeepsTheFactorBetweenItsLimitsAndFollowsTheSignOfK, ()) {
  const auto sets = coupling::adaptiveSets();
  AdaptiveParameters parameters = sets[*rc::gen::inRange<std::size_t>(0, sets.size())].parameters;
  parameters.margin = *rc::gen::element(1e-6, 0.01);
  const double low = 1.0 - parameters.lower + parameters.margin;
  const double high = 1.0 + parameters.upper - parameters.margin;
  SteeredFactor factor{parameters.first, 1.0, 0.0};
  for (const int exponent : *rc::gen::container<std::vector<int>>(rc::gen::inRange(-300, 300))) {
    const double K = (*rc::gen::arbitrary<bool>() ? 1.0 : -1.0) * std::pow(10.0, exponent);
    const SteeredFactor after = coupling::steer(parameters, factor, K);
    RC_ASSERT(after.omega >= low && after.omega <= high);
    RC_ASSERT((after.omega - factor.omega) * K >= 0.0);
    RC_ASSERT(after.mass > 0.0 && after.mass <= 1.0);
    factor = after;
  }
}

TEST(Steering, IsNeverFrozenAtALimit) {
  unsigned frozen = 0;
  for (const coupling::AdaptiveSet& set : coupling::adaptiveSets()) {
    for (const double margin : {1e-6, 0.01}) {
      AdaptiveParameters parameters = set.parameters;
      parameters.margin = margin;
      for (const double limit : {1.0 - parameters.lower + margin, 1.0 + parameters.upper - margin}) {
        const double K = limit < 1.0 ? 0.5 : -0.5;
        SteeredFactor factor = coupling::steer(parameters, {limit, 1.0, 0.0}, K);
        if (factor.omega == limit) ++frozen;
        // The cosine of NL is flat at its zeros: it comes back, but slowly, and only with a margin that is not tiny.
        if (margin < 0.01) continue;
        for (int i = 0; i < 1000; ++i) factor = coupling::steer(parameters, factor, K);
        EXPECT_GT(std::fabs(factor.omega - limit), 0.1) << set.name;
      }
    }
  }
  showEqual({"jung 23", "not-frozen", "12 sets leave either limit at the first K that points away: 0 stay"}, frozen, 0);
}

}  // namespace
}  // namespace koppla::test
