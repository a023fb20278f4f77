#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/core/error.hpp"

#include "loops.hpp"
#include "support/allocations.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test {
namespace {

using coupling::Accelerator;
using coupling::AdaptiveParameters;
using coupling::AdaptiveSet;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double relax(Accelerator& accelerator, double sent, double answered) {
  double value = answered;
  accelerator.learn({&sent, 1}, {&value, 1});
  accelerator.propose({&value, 1});
  return value;
}

// The relaxed answers to a sequence of results, the start value being the first one sent.
std::vector<double> factorsOf(Accelerator& accelerator, double start, const std::vector<double>& results) {
  std::vector<double> factors;
  double sent = start;
  for (const double result : results) {
    sent = relax(accelerator, sent, result);
    factors.push_back(accelerator.factors()[0]);
  }
  return factors;
}

TEST(AdaptiveRelaxation, TraceOfTheWall) {
  struct Row {
    double T1, raw, K, omega, relaxed;
  };
  const std::array<Row, 8> rows{{
      {499.00000000, 15789.26777288, 0.0, 1.0000000000, 15789.26777288},
      {184.21464454, 1649.83978885, -0.89835361, 0.8870944684, 3246.25942155},
      {435.07481157, 11076.89988939, -0.66672146, 0.7953535390, 9474.38703022},
      {310.51225940, 4929.05318072, -0.65214888, 0.7137024267, 6230.37123185},
      {375.39257536, 7689.67626734, -0.44903902, 0.6500605870, 7179.00791984},
      {356.41984160, 6791.05682018, -0.32551327, 0.5997546369, 6946.33244892},
      {361.07335102, 7004.09506281, -0.23707282, 0.5597059903, 6978.66252993},
      {360.42674940, 6974.21150529, -0.14027321, 0.5300585372, 6976.30322632},
  }};
  const Outcome outcome = relaxOne(wall(emissivityLin(), 5.0), adaptive("L/NL(1,a)"));
  ASSERT_GE(outcome.trace.size(), rows.size());
  test::Largest worst;
  double before = 50.0;
  double beforeThat = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Iteration& obtained = outcome.trace[i];
    const double K = i == 0 ? 0.0 : (obtained.raw - before) / (before - beforeThat);
    beforeThat = std::exchange(before, obtained.raw);
    for (const auto& [value, expected] :
         {std::pair{obtained.x, rows[i].T1}, std::pair{obtained.raw, rows[i].raw}, std::pair{K, rows[i].K},
          std::pair{obtained.factor, rows[i].omega}, std::pair{obtained.next, rows[i].relaxed}}) {
      EXPECT_NEAR(value, expected, 1e-6) << "iteration " << i + 1;
      worst.see(std::fabs(value - expected));
    }
  }
  showAtMost({"jung 18", "trace-L/NL(1,a)", "T1, q, K, omega, relaxed q of 8 iterations to 1e-6"}, worst, 1e-6);
}

TEST(AdaptiveRelaxation, FactorsOfTheWallForTheOtherAlgorithms) {
  const std::array<std::pair<std::string_view, std::array<double, 7>>, 2> sequences{{
      {"L(1,a)", {0.8945369653, 0.8112286658, 0.7358236194, 0.6754488840, 0.6240219654, 0.5795923399, 0.5415231085}},
      {"NL(1,a)", {0.8907259826, 0.7938760064, 0.7049038372, 0.6375661363, 0.5875651797, 0.5501655753, 0.5245860460}},
  }};
  for (const auto& [set, factors] : sequences) {
    const Outcome outcome = relaxOne(wall(emissivityLin(), 5.0), adaptive(set));
    ASSERT_GT(outcome.trace.size(), factors.size());
    test::Largest worst;
    for (std::size_t i = 0; i < factors.size(); ++i) worst.see(std::fabs(outcome.trace[i + 1].factor - factors[i]));
    showAtMost({"jung 18", fmt::format("trace-{}", set), "omega of iterations 2 to 8 to 1e-6"}, worst, 1e-6);
  }
}

TEST(AdaptiveRelaxation, AdaptsFirstAfterTheSecondIteration) {
  unsigned asDemanded = 0;
  for (const AdaptiveSet& set : coupling::adaptiveSets()) {
    const Outcome outcome = relaxOne(wall(emissivityLin(), 5.0), adaptive(set.name));
    const double first = set.parameters.first;
    if (outcome.trace[0].factor == first && outcome.trace[1].factor != first) ++asDemanded;
  }
  showEqual({"jung 22", "second-iteration", "omega_1 = omega_0, omega_2 differs: 12 of 12 sets"}, asDemanded, 12);
}

TEST(AdaptiveRelaxation, AValueWithoutStartValueNeedsOneIterationMore) {
  const auto accelerator = makeRelaxation(adaptive("L/NL(1,a)"), 1);
  accelerator->begin();
  EXPECT_EQ(relax(*accelerator, 8.0, 8.0), 8.0);  // nobody sent it
  EXPECT_EQ(relax(*accelerator, 8.0, 4.0), 4.0);
  EXPECT_EQ(accelerator->factors()[0], 1.0);
  relax(*accelerator, 4.0, 6.0);
  EXPECT_LT(accelerator->factors()[0], 1.0);
}

TEST(AdaptiveRelaxation, KnowsTheTwelveSetsByName) {
  struct Row {
    std::string_view name;
    double first, influence, lower, upper, gain, slope, mass;
  };
  const std::array<Row, 12> table{{
      {"L(1,a)", 1.0, 0.05, 1.0, 1.0, 1.1111, 0.0, 0.8},
      {"L(1,b)", 1.0, 0.02, 1.0, 1.0, 2.2222, 0.0, 0.8},
      {"L(0.7,a)", 0.7, 0.03, 1.0, 1.0, 1.6667, 0.0, 0.8},
      {"L(0.7,b)", 0.7, 0.05, 1.0, 0.6667, 2.7778, 0.0, 0.8},
      {"NL(1,a)", 1.0, 0.03, 1.0, 0.6667, 5.0, 2.2778, 0.8},
      {"NL(1,b)", 1.0, 0.04, 1.0, 0.6667, 5.0, 0.6444, 0.8},
      {"NL(0.7,a)", 0.7, 0.09, 1.0, 0.4, 2.2222, 1.1889, 0.8},
      {"NL(0.7,b)", 0.7, 0.09, 1.0, 0.6667, 5.0, 1.1889, 0.8},
      {"L/NL(1,a)", 1.0, 0.03, 1.0, 1.0, 3.8889, 2.2778, 0.8},
      {"L/NL(1,b)", 1.0, 0.03, 1.0, 1.0, 3.8889, 1.1889, 0.8},
      {"L/NL(0.7,a)", 0.7, 0.04, 1.0, 1.0, 3.3333, 1.1889, 0.8},
      {"L/NL(0.7,b)", 0.7, 0.09, 1.0, 1.0, 1.6667, 5.0, 0.8},
  }};
  unsigned found = 0;
  for (const Row& row : table) {
    const AdaptiveParameters p = adaptive(row.name, 0.01).adaptive;
    const bool linear = p.steering == coupling::Steering::linear;
    EXPECT_EQ(linear, row.name.starts_with("L("));
    EXPECT_EQ(p.steering == coupling::Steering::nonLinear, row.name.starts_with("NL("));
    if (p.first == row.first && p.influence == row.influence && p.lower == row.lower && p.upper == row.upper &&
        p.gain == row.gain && (linear || p.slope == row.slope) && p.mass == row.mass && p.margin == 0.01)
      ++found;
  }
  EXPECT_EQ(coupling::adaptiveSets().size(), table.size());
  showEqual({"jung 19", "sets", "12 sets with the calibrated parameters"}, found, 12);
}

TEST(AdaptiveRelaxation, ASettingsObjectWithoutInputIsTheRecommendedSet) {
  const AdaptiveParameters plain{};
  const AdaptiveParameters recommended = adaptive("L/NL(1,a)", 0.01).adaptive;
  EXPECT_EQ(plain.first, recommended.first);
  EXPECT_EQ(plain.influence, recommended.influence);
  EXPECT_EQ(plain.upper, recommended.upper);
  EXPECT_EQ(plain.gain, recommended.gain);
  EXPECT_EQ(plain.slope, recommended.slope);
  EXPECT_EQ(plain.margin, recommended.margin);
}

TEST(AdaptiveRelaxation, LeavesTheFactorAloneWhereKSaysNothing) {
  struct Case {
    std::string_view name;
    double start;
    std::vector<double> results;
  };
  const std::array<Case, 7> cases{{
      {"zero denominator", 1.0, {1.0, 2.0}},
      {"K = 0", 1.0, {2.0, 2.0}},
      {"noise in the older difference", 1.0, {1.0 + 4e-14, 2.0}},
      {"noise in the newer difference", 1.0, {2.0, 2.0 + 1e-13}},
      {"infinite", 1.0, {2.0, kInfinity}},
      {"not a number", 1.0, {2.0, kNaN}},
      {"overflow of the difference", -1.7e308, {1.7e308, 1.0}},
  }};
  unsigned unchanged = 0;
  for (const Case& c : cases) {
    const auto accelerator = makeRelaxation(adaptive("L/NL(1,a)"), 1);
    accelerator->begin();
    const bool same = factorsOf(*accelerator, c.start, c.results).back() == 1.0;
    EXPECT_TRUE(same) << c.name;
    if (same) ++unchanged;
  }
  showEqual({"jung 24", "special-cases", "7 of 7 leave omega unchanged"}, unchanged, 7);
}

TEST(AdaptiveRelaxation, ASettledValueIsNotSteered) {
  for (const bool guarded : {true, false}) {
    const double rtol = guarded ? 0.1 : 0.0;
    const auto accelerator = coupling::adaptiveRelaxation(adaptive("L/NL(1,a)"), {.size = 1, .tolerance = {rtol, 0.0}});
    accelerator->begin();
    relax(*accelerator, 1.0, 2.0);
    relax(*accelerator, 2.0, 2.1);
    EXPECT_EQ(accelerator->factors()[0] == 1.0, guarded);
  }
}

TEST(AdaptiveRelaxation, ANewStepKeepsFactorAndMassAndForgetsTheHistory) {
  const auto accelerator = makeRelaxation(adaptive("L/NL(1,a)"), 1);
  for (const bool accepted : {true, false}) {
    accelerator->begin();
    const double reached = factorsOf(*accelerator, 0.0, {1.0, 0.5, 0.8}).back();
    if (accepted) accelerator->accept();
    accelerator->begin();
    // Two results give no K; the third one does.
    EXPECT_EQ(factorsOf(*accelerator, 7.0, {9.0}), std::vector<double>{reached});
    relax(*accelerator, 9.0, 8.0);
    EXPECT_NE(accelerator->factors()[0], reached);
  }
}

TEST(AdaptiveRelaxation, TheFirstChangeOfAStepIsNoTurn) {
  // After begin the change before counts as none, so that the mass stays 1 where the sign of d omega turns.
  const auto once = [](bool newStep) {
    const auto accelerator = makeRelaxation(adaptive("L/NL(1,a)"), 1);
    accelerator->begin();
    factorsOf(*accelerator, 0.0, {1.0, 0.5});  // lowers
    const double before = accelerator->factors()[0];
    if (newStep) {
      accelerator->begin();
      factorsOf(*accelerator, 1.0, {0.5, 0.25});  // raises, K = 0.5
    } else {
      relax(*accelerator, 0.5, 0.25);  // the same K
    }
    return accelerator->factors()[0] - before;
  };
  EXPECT_NEAR(once(false) / once(true), 0.8, 1e-12);
}

TEST(AdaptiveRelaxation, SixDoublesPerValue) {
  constexpr std::size_t values = 165244;
  const std::size_t before = allocatedBytes();
  const auto accelerator = makeRelaxation(adaptive("L/NL(1,a)"), values);
  std::vector<double> sent;  // ours, allocated later
  const auto bytes = static_cast<double>(allocatedBytes() - before);
  // The object itself adds less than a thousandth.
  showAtMost({"jung 20", "doubles", "at most 6 doubles per quantity"}, std::round(bytes / 8.0 / values * 1e3) / 1e3,
             6.0);
  showAtMost({"jung 20", "memory", "165 244 quantities in less than 10 MB"}, bytes / 1e6, 10.0);

  sent.assign(values, 0.0);
  std::vector<double> answered(values);
  const std::size_t allocated = allocations();
  accelerator->begin();
  for (int i = 0; i < 3; ++i) {
    std::ranges::fill(answered, 1.0 / (i + 1));
    accelerator->learn(sent, answered);
    accelerator->propose(sent);
  }
  EXPECT_EQ(allocations(), allocated);
  EXPECT_EQ(accelerator->factors().size(), values);
  EXPECT_EQ(accelerator->doings().smallestFactor, accelerator->doings().largestFactor);
}

TEST(AdaptiveRelaxation, EveryValueIsTreatedAsIfItWereAlone) {
  const Loop one = verticalPlate(125.0);
  const Loop other = horizontalPlate(125.0);
  const Outcome alone = relaxOne(one, adaptive("L/NL(1,a)"), {.tolerance = 0.0, .cap = 20});
  const Outcome amongOthers = relaxOne(together(one, other), adaptive("L/NL(1,a)"), {.tolerance = 0.0, .cap = 20});
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(alone.trace[i].next, amongOthers.trace[i].next);
}

TEST(AdaptiveRelaxation, RefusesParametersOutsideTheirRange) {
  const auto refused = [](auto change) {
    auto settings = adaptive("L/NL(1,a)");
    change(settings.adaptive);
    try {
      makeRelaxation(settings, 1);
      return false;
    } catch (const core::InputError&) {
      return true;
    }
  };
  EXPECT_FALSE(refused([](AdaptiveParameters&) {}));
  EXPECT_TRUE(refused([](AdaptiveParameters& p) { p.influence = 1.1; }));
  EXPECT_TRUE(refused([](AdaptiveParameters& p) { p.lower = 0.0; }));
  EXPECT_TRUE(refused([](AdaptiveParameters& p) { p.upper = 1.5; }));
  EXPECT_TRUE(refused([](AdaptiveParameters& p) { p.gain = -1.0; }));
  EXPECT_TRUE(refused([](AdaptiveParameters& p) { p.slope = kNaN; }));
  EXPECT_TRUE(refused([](AdaptiveParameters& p) { p.mass = 2.0; }));
  EXPECT_TRUE(refused([](AdaptiveParameters& p) { p.margin = 0.0; }));
  EXPECT_TRUE(refused([](AdaptiveParameters& p) { p.first = 2.0; }));
}

RC_GTEST_PROP(AdaptiveRelaxation, FactorsStayInTheOpenIntervalWhateverIsAnswered, ()) {
  const auto sets = coupling::adaptiveSets();
  const AdaptiveSet& set = sets[*rc::gen::inRange<std::size_t>(0, sets.size())];
  const auto accelerator = makeRelaxation(adaptive(set.name, *rc::gen::element(1e-6, 0.01)), 1);
  const auto answers = *rc::gen::container<std::vector<double>>(rc::gen::oneOf(
      rc::gen::arbitrary<double>(), rc::gen::element(0.0, -1.0, 1.0, 1e308, -1e308, 1e-308, kInfinity, kNaN)));
  accelerator->begin();
  double sent = *rc::gen::arbitrary<double>();
  for (const double answered : answers) {
    const double proposed = relax(*accelerator, sent, answered);
    sent = std::isfinite(proposed) ? proposed : 0.0;
    const double omega = accelerator->factors()[0];
    RC_ASSERT(omega > 1.0 - set.parameters.lower && omega < 1.0 + set.parameters.upper);
  }
}

}  // namespace
}  // namespace koppla::test
