// Two masses with a spring and damper between them (Lu, sec. 2.1 and 2.3.1): what the semi-implicit method computes in
// the three ways to cut the system, against the exact solution and regression values.

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "recording_subsystem.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "two_masses.hpp"

namespace koppla::test::flexible_link_test {
namespace {

constexpr auto kForceForce = Decomposition::forceForce;
constexpr auto kForceDisplacement = Decomposition::forceDisplacement;
constexpr auto kDisplacement = Decomposition::displacementDisplacement;

struct Regression {
  Decomposition decomposition;
  unsigned degree;
  double x1, v1, later;  // x1(0.1), v1(0.1), x1(0.5) at H = 1e-3 s
};
const std::vector<Regression> kRegression{{kForceForce, 0, -1.50967989, 33.07570349, 0.01668286},
                                          {kForceForce, 1, -1.52781533, 34.08169751, 0.01531851},
                                          {kForceForce, 2, -1.52754249, 34.08741605, 0.01532659},
                                          {kForceDisplacement, 0, -1.51107947, 33.30186319, 0.01181864},
                                          {kForceDisplacement, 1, -1.52772846, 34.08134022, 0.01526390},
                                          {kForceDisplacement, 2, -1.52754185, 34.08734988, 0.01532707},
                                          {kDisplacement, 0, -1.52601943, 34.07431142, 0.00855978},
                                          {kDisplacement, 1, -1.52759010, 34.08660791, 0.01523489},
                                          {kDisplacement, 2, -1.52753885, 34.08720416, 0.01532722}};

/// The largest relative deviation from the regression values, whose printed digits leave 5e-9 open.
double deviationFromRegression(const FlexibleLink& like) {
  constexpr double kPrinted = 5e-9;
  test::Largest largest;
  for (const Regression& row : kRegression) {
    FlexibleLink link = like;
    link.decomposition = row.decomposition;
    link.degree = row.degree;
    const Motion motion = simulate(link, 0.5);
    EXPECT_TRUE(motion.outcome.ok()) << motion.outcome.message;
    if (!motion.outcome.ok()) return HUGE_VAL;
    const auto look = [&](double obtained, double expected) {
      const double deviation = std::fmax(std::fabs(obtained - expected) - kPrinted, 0.0) / std::fabs(expected);
      largest.see(deviation);
    };
    look(motion.x1[motion.at(0.1)], row.x1);
    look(motion.v1[motion.at(0.1)], row.v1);
    look(motion.x1[motion.at(0.5)], row.later);
  }
  return largest;
}

TEST(FlexibleLink, ValuesAreThoseOfTheTable) {
  const double exactly = deviationFromRegression({});
  showAtMost({"lu R20", "values-exact", "27 values of the table within 1e-8, members integrated exactly"}, exactly,
             1e-8);
  showAtMost({"schmoll R65", "semi-implicit", "27 values of Lu's table within 1e-8"}, exactly, 1e-8);
  showAtMost({"lu R20", "values-ode5", "27 values of the table within 1e-6"},
             deviationFromRegression({.integrator = {.kind = solver::Kind::ode5}}), 1e-6);
  showAtMost({"lu R20", "values-radau", "27 values of the table within 1e-6, tolerance 1e-10"},
             deviationFromRegression({.integrator = {.kind = solver::Kind::radau, .rtol = 1e-10, .atol = 1e-10}}),
             1e-6);
  showAtMost({"lu R20", "values-bdf", "27 values of the table within 1e-6, tolerance 1e-10"},
             deviationFromRegression({.integrator = {.kind = solver::Kind::cvodeBdf, .rtol = 1e-10, .atol = 1e-10}}),
             1e-6);
}

TEST(FlexibleLink, ErrorsFallWithThePowerOfTheStepThatTheDegreePromises) {
  static constexpr std::array kSteps{1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 1e-4};  // s
  struct Row {
    const char* name;
    Decomposition decomposition;
    unsigned degree;
    std::array<double, kSteps.size()> errors;
  };
  const std::vector<Row> table{{"ff-k0", kForceForce, 0, {1.32e-1, 7.24e-2, 3.08e-2, 1.57e-2, 7.95e-3, 1.60e-3}},
                               {"ff-k1", kForceForce, 1, {1.75e-2, 4.36e-3, 6.97e-4, 1.74e-4, 4.35e-5, 1.74e-6}},
                               {"ff-k2", kForceForce, 2, {5.21e-3, 6.61e-4, 4.26e-5, 5.33e-6, 6.66e-7, 5.33e-9}},
                               {"fd-k0", kForceDisplacement, 0, {2.18e-1, 1.05e-1, 4.16e-2, 2.08e-2, 1.04e-2, 2.08e-3}},
                               {"fd-k1", kForceDisplacement, 1, {1.73e-2, 4.31e-3, 6.89e-4, 1.72e-4, 4.30e-5, 1.72e-6}},
                               {"fd-k2", kForceDisplacement, 2, {4.87e-3, 6.18e-4, 3.97e-5, 4.97e-6, 6.22e-7, 4.97e-9}},
                               {"dd-k0", kDisplacement, 0, {3.76e-1, 1.56e-1, 5.66e-2, 2.74e-2, 1.35e-2, 2.67e-3}},
                               {"dd-k1", kDisplacement, 1, {1.24e-2, 3.11e-3, 4.98e-4, 1.24e-4, 3.11e-5, 1.24e-6}},
                               {"dd-k2", kDisplacement, 2, {2.18e-3, 2.76e-4, 1.77e-5, 2.21e-6, 2.77e-7, 2.21e-9}}};
  constexpr std::array kOrders{0.95, 1.95, 2.9};
  test::Largest units;
  for (const Row& row : table) {
    std::array<double, kSteps.size()> obtained{};
    for (std::size_t i = 0; i < kSteps.size(); ++i) {
      const FlexibleLink link{.decomposition = row.decomposition, .degree = row.degree, .H = kSteps.at(i)};
      obtained.at(i) = relativeErrors(link, simulate(link)).x;
      const double lastDigit = std::pow(10.0, std::floor(std::log10(row.errors.at(i)) + 1e-9) - 2.0);
      units.see(std::fabs(obtained.at(i) - row.errors.at(i)) / lastDigit);
    }
    const double order = std::log10(obtained[3] / obtained[5]);
    showFigure({"lu R20", std::string("order-") + row.name, fmt::format("at least {}", kOrders.at(row.degree))},
               fmt::format("{:.3f}", order), order >= kOrders.at(row.degree));
  }
  showAtMost({"lu R20", "errors", "54 relative RMS errors of x1 within 1 in the third digit"}, units, 1.0);
}

TEST(FlexibleLink, AKnownPastGivesTheFullOrderToCubicPolynomials) {
  const auto orderOf = [](bool analyticStart) {
    std::vector<double> errors;
    for (const double H : {2e-3, 1e-3}) {
      const FlexibleLink link{.degree = 3, .H = H, .analyticStart = analyticStart};
      errors.push_back(relativeErrors(link, simulate(link)).x);
    }
    return std::log2(errors[0] / errors[1]);
  };
  showWithin({"lu R4", "order-known-past", "4 +-0.1 for k = 3"}, orderOf(true), 4.0, 0.1);
  showWithin({"lu R4", "order-own-start", "3 +-0.15 for k = 3, which begins with lower degrees"}, orderOf(false), 3.0,
             0.15);
}

/// Stiffer the longer it is: F = 1000 N/m d + 4000 N/m^3 d^3 + 10 N s/m d'.
class CubicSpring final : public subsystem::ForceLaw {
 public:
  [[nodiscard]] double force(double distance, double rate) const override {
    return 1000.0 * distance + 4000.0 * distance * distance * distance + 10.0 * rate;
  }
};

TEST(FlexibleLink, TheFinalUpdateChangesNothingInALinearSystem) {
  test::Largest largest;
  for (const auto decomposition : {kForceForce, kForceDisplacement, kDisplacement})
    for (const unsigned degree : {0U, 1U, 2U}) {
      FlexibleLink link{.decomposition = decomposition, .degree = degree};
      const Motion without = simulate(link);
      link.settings.finalUpdate = true;
      largest.see(relativeDistance(simulate(link), without));
    }
  showAtMost({"lu R9", "linear", "unchanged to 1e-12 in all decompositions, k = 0, 1, 2"}, largest, 1e-12);
}

TEST(FlexibleLink, TheFinalUpdatePassesOnWhatANonlinearLawSays) {
  FlexibleLink link{.degree = 1, .H = 5e-3, .law = std::make_shared<CubicSpring>()};
  const Motion without = simulate(link);
  link.settings.finalUpdate = true;
  EXPECT_GT(relativeDistance(simulate(link), without), 1e-6);
}

TEST(FlexibleLink, RepeatedCorrectionsChangeNothingInALinearSystem) {
  test::Largest largest;
  for (const auto decomposition : {kForceForce, kForceDisplacement, kDisplacement}) {
    FlexibleLink link{.decomposition = decomposition};
    const Motion once = simulate(link);
    link.settings.iterate = true;
    const Motion repeated = simulate(link);
    const std::uint64_t evaluations = repeated.statistics.cycles.front().evaluations;
    EXPECT_GT(evaluations, 2 * repeated.statistics.acceptedSteps);  // else nothing was repeated
    EXPECT_LE(evaluations, 3 * repeated.statistics.acceptedSteps);  // the second correction is the last one
    largest.see(relativeDistance(repeated, once));
  }
  showAtMost({"lu R10", "linear", "the second correction changes nothing beyond 1e-11"}, largest, 1e-11);
}

/// The largest |sent force - force of the motion that it gave| over rtol |force| + atol, at all macro points.
double residualOf(const FlexibleLink& link, double rtol, double atol) {
  coupling::System system = systemOf(link);
  const auto steps = std::make_shared<std::vector<RecordedStep>>();
  system.members[0].subsystem = recordSteps(std::move(system.members[0].subsystem), steps);
  run::Settings settings = settingsOf(link, 0.5);
  settings.algorithm.rtol = rtol;
  settings.algorithm.atol = atol;
  const Motion motion = simulate(std::move(system), settings);
  EXPECT_TRUE(motion.outcome.ok()) << motion.outcome.message;
  test::Largest largest;
  std::size_t step = 0;
  for (std::size_t i = 1; i < motion.t.size(); ++i) {
    while (step + 1 < steps->size() && (*steps)[step + 1].t1 < motion.t[i] + 0.5 * link.H) ++step;
    const double sent = evaluate((*steps)[step].inputs[0], 1.0);
    const double answered = link.law->force(motion.x2[i] - motion.x1[i], motion.v2[i] - motion.v1[i]);
    largest.see(std::fabs(sent - answered) / (rtol * std::fabs(answered) + atol));
  }
  return largest;
}

TEST(FlexibleLink, RepeatedCorrectionsSolveANonlinearSystemToTheTolerance) {
  FlexibleLink link{.H = 5e-3, .integrator = {.kind = solver::Kind::ode5}, .law = std::make_shared<CubicSpring>()};
  const double once = residualOf(link, 1e-9, 1e-9);
  link.settings.iterate = true;
  const double repeated = residualOf(link, 1e-9, 1e-9);
  showFigure({"lu R10", "nonlinear", "largest residual over its tolerance: repeated <= 1, one correction > 1"},
             fmt::format("{:.2g}, {:.2g}", repeated, once), repeated <= 1.0 && once > 1.0);
}

TEST(FlexibleLink, CorrectedMinusPredictedValuesCanChooseTheStep) {
  // With k = 1 the difference grows with H^2, so a hundredth of the tolerance takes a tenth of the step.
  struct Controlled {
    double error;
    double steps;
  };
  const auto run = [](double tolerance) {
    const FlexibleLink link{.degree = 1};
    run::Settings settings = settingsOf(link, 1.0);
    settings.stepControl = {.kind = stepping::StepControlKind::predictorCorrector,
                            .estimate = stepping::Estimate::schmoll,
                            .rtol = tolerance,
                            .atol = tolerance,
                            .safety = 0.95};
    const Motion motion = simulate(systemOf(link), settings);
    EXPECT_TRUE(motion.outcome.ok()) << motion.outcome.message;
    EXPECT_GT(motion.statistics.largestStep, 2.0 * motion.statistics.smallestStep);
    return Controlled{relativeErrors(link, motion).x, static_cast<double>(motion.statistics.acceptedSteps)};
  };
  const Controlled loose = run(1e-2);
  const Controlled tight = run(1e-4);
  showWithin({"lu R10", "estimate", "a hundredth of the tolerance: 10 times the steps +-20 %"},
             tight.steps / loose.steps, 10.0, 2.0);
  EXPECT_LT(tight.error, 0.1 * loose.error);
}

TEST(FlexibleLink, EveryMemberRunsTwiceAndOncePerValueThatItTakes) {
  struct Row {
    Decomposition decomposition;
    double first, second;
  };
  for (const bool formulas : {false, true}) {
    bool all = true;
    std::string counts;
    for (const Row& row : {Row{kForceForce, 3, 3}, Row{kForceDisplacement, 3, 4}, Row{kDisplacement, 4, 4}}) {
      FlexibleLink link{.decomposition = row.decomposition};
      if (formulas) link.settings.sensitivities = coupling::SensitivityKind::formulas;
      const Motion motion = simulate(link, 0.1);
      const double steps = static_cast<double>(motion.statistics.acceptedSteps);
      const double first = static_cast<double>(motion.statistics.members[0].step.count) / steps;
      const double second = static_cast<double>(motion.statistics.members[1].step.count) / steps;
      all = all && first == (formulas ? 2.0 : row.first) && second == (formulas ? 2.0 : row.second);
      counts += fmt::format("{}{} + {}", counts.empty() ? "" : ", ", first, second);
    }
    showFigure({"lu R8", formulas ? "flexible-formulas" : "flexible",
                formulas ? "2 + 2 in F/F, F/D, D/D" : "3 + 3 in F/F, 3 + 4 in F/D, 4 + 4 in D/D"},
               counts, all);
  }
}

}  // namespace
}  // namespace koppla::test::flexible_link_test
