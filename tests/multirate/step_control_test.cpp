#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "two_mass.hpp"

/// Schmoll, sec. 5.4 and 11.4: macro step control by predictor and corrector, without repetition.
namespace koppla::test::step_control_test {
namespace {

using stepping::Controller;

TwoMassCase controlled(double tolerance, unsigned degree, Controller controller) {
  TwoMassCase c;
  c.degree = degree;
  c.H = 1e-5;
  c.skipLocal = 0;
  for (solver::IntegratorSettings* settings : {&c.first, &c.second}) {
    settings->kind = solver::Kind::ode5;
    settings->microStep = 1e-5;  // its error is 1.2e-11 (sec. 13.1), far below that of the coupling
  }
  c.stepControl.kind = stepping::StepControlKind::predictorCorrector;
  c.stepControl.estimate = stepping::Estimate::schmoll;
  c.stepControl.controller = controller;
  c.stepControl.minStep = 1e-5;
  c.stepControl.maxStep = 1e-2;
  c.stepControl.safety = 0.95;
  c.stepControl.grow = 4.0;
  c.stepControl.shrink = 4.0;
  c.stepControl.rtol = tolerance;  // rho = 1
  c.stepControl.atol = tolerance;
  return c;
}

struct Expected {
  double global;
  double meanStep;
};

struct Deviation {
  test::Largest global, meanStep;
};

using Row = std::array<Expected, 5>;  // p = 1..5

/// Largest deviations of global error and mean step from a row of the note.
Deviation worstOf(double tolerance, Controller controller, const Row& row) {
  Deviation worst;
  for (unsigned p = 1; p <= 5; ++p) {
    const TwoMassErrors errors = errorsOf(controlled(tolerance, p, controller));
    const Expected& expected = row[p - 1];
    const double global = std::fabs(errors.global / expected.global - 1.0);
    const double step = std::fabs(errors.meanStep / expected.meanStep - 1.0);
    EXPECT_LE(global, tolerance > 1e-3 ? 0.3 : 0.2) << "TOL " << tolerance << ", p = " << p << ": " << errors.global;
    EXPECT_LE(step, 0.05) << "TOL " << tolerance << ", p = " << p << ": " << errors.meanStep;
    worst.global.see(global);
    worst.meanStep.see(step);
    // The note: local errors meet the tolerance as long as the step is not bound by its minimum.
    if (errors.meanStep > 1.5e-5) {
      EXPECT_LE(errors.local, 3.0 * tolerance) << "TOL " << tolerance << ", p = " << p;
    }
  }
  return worst;
}

TEST(PredictorCorrector, PiControlHasTheErrorsAndStepsOfTheNote) {
  const Deviation sharp4 =
      worstOf(1e-4, Controller::proportionalIntegral,
              {{{4.5e-3, 1.3e-5}, {1.2e-3, 4.8e-5}, {1.2e-3, 1.1e-4}, {5.3e-4, 1.4e-4}, {3.3e-4, 1.2e-4}}});
  const Deviation sharp6 =
      worstOf(1e-6, Controller::proportionalIntegral,
              {{{4.2e-3, 1.0e-5}, {5.5e-5, 1.4e-5}, {1.3e-5, 3.6e-5}, {5.8e-6, 6.5e-5}, {6.2e-6, 8.4e-5}}});
  const Deviation sharp8 =
      worstOf(1e-8, Controller::proportionalIntegral,
              {{{4.2e-3, 1.0e-5}, {5.4e-5, 1.0e-5}, {7.5e-7, 1.4e-5}, {6.0e-8, 2.7e-5}, {7.0e-8, 4.6e-5}}});
  const Deviation loose =
      worstOf(1e-2, Controller::proportionalIntegral,
              {{{2.4e-1, 9.7e-5}, {9.2e-2, 2.3e-4}, {9.2e-2, 2.9e-4}, {4.0e-2, 2.2e-4}, {3.8e-3, 1.3e-4}}});
  showAtMost({"schmoll R13", "pi", "global errors within 20 %, TOL <= 1e-4"},
             largestOf(sharp4.global, sharp6.global, sharp8.global), 0.2);
  showAtMost({"schmoll R13", "pi-loose", "global errors within 30 %, TOL = 1e-2"}, loose.global, 0.3);
  showAtMost({"schmoll R13", "pi-steps", "mean H within 5 %"},
             largestOf(sharp4.meanStep, sharp6.meanStep, sharp8.meanStep, loose.meanStep), 0.05);
}

TEST(PredictorCorrector, IControlHasTheErrorsAndStepsOfTheNote) {
  const Deviation sharp4 =
      worstOf(1e-4, Controller::integral,
              {{{5.0e-3, 1.4e-5}, {2.0e-3, 5.2e-5}, {2.5e-3, 1.2e-4}, {1.4e-3, 1.5e-4}, {1.6e-3, 1.2e-4}}});
  const Deviation sharp6 =
      worstOf(1e-6, Controller::integral,
              {{{4.2e-3, 1.0e-5}, {5.6e-5, 1.5e-5}, {2.2e-5, 4.0e-5}, {1.2e-5, 7.1e-5}, {1.7e-5, 8.8e-5}}});
  const Deviation loose =
      worstOf(1e-2, Controller::integral,
              {{{4.5e-1, 7.9e-5}, {2.2e-1, 2.2e-4}, {2.4e-1, 2.9e-4}, {1.2e-1, 2.2e-4}, {1.0e-1, 1.2e-4}}});
  showAtMost({"schmoll R13", "i", "global errors within 20 %, TOL <= 1e-4"}, largestOf(sharp4.global, sharp6.global),
             0.2);
  showAtMost({"schmoll R13", "i-loose", "global errors within 30 %, TOL = 1e-2"}, loose.global, 0.3);
}

TEST(PredictorCorrector, IsStableUnlessTheToleranceIsAbsurd) {
  test::Largest worst;
  for (const Controller controller : {Controller::integral, Controller::proportionalIntegral})
    for (unsigned p = 0; p <= 5; ++p)
      for (const double tolerance : {1e-2, 1e-3}) worst.see(errorsOf(controlled(tolerance, p, controller)).global);
  showAtMost({"schmoll R13", "stable", "global error below 10 for all p, TOL <= 1e-2"}, worst, 10.0);
  EXPECT_TRUE(errorsOf(controlled(1e-1, 0, Controller::integral)).unstable());
  EXPECT_TRUE(errorsOf(controlled(1e-1, 1, Controller::integral)).unstable());
  const TwoMassErrors held = errorsOf(controlled(1e-2, 0, Controller::integral));
  showFigure({"schmoll R13", "p0", "p = 0, TOL = 1e-2: global about 1, mean H 1.0e-5 to 1.5e-5 s"},
             fmt::format("{:.2f}, {:.2e} s", held.global, held.meanStep),
             held.global > 0.5 && held.global < 1.5 && held.meanStep >= 1.0e-5 && held.meanStep <= 1.5e-5);
  // H_crit of table 10.3 for Jacobi, p = 3, 4, 5.
  const std::array<double, 3> critical{3.8222e-4, 2.0163e-4, 1.1849e-4};
  test::Largest beyond;
  for (unsigned p = 3; p <= 5; ++p)
    beyond.see(errorsOf(controlled(1e-1, p, Controller::proportionalIntegral)).meanStep / critical[p - 3]);
  showAtMost({"schmoll R13", "limit", "mean H <= 1.2 H_crit at TOL = 1e-1, p = 3, 4, 5"}, beyond, 1.2);
}

TEST(PredictorCorrector, StepsStayWithinTheirBounds) {
  test::Largest widest;
  bool inside = true;
  for (unsigned p = 0; p <= 5; ++p)
    for (const double tolerance : {1e-1, 1e-3, 1e-6}) {
      const TwoMassErrors errors = errorsOf(controlled(tolerance, p, Controller::proportionalIntegral));
      for (std::size_t i = 0; i + 2 < errors.steps.size(); ++i) {  // the last one ends at the end of the run
        const double rounding = 1.0 + 1e-9;
        const double factor = errors.steps[i + 1] / errors.steps[i];
        widest.see(factor, 1.0 / factor);
        inside = inside && errors.steps[i] >= 1e-5 / rounding && errors.steps[i] <= 1e-2 * rounding &&
                 factor <= 4.0 * rounding && factor >= 0.25 / rounding;
      }
    }
  showFigure({"schmoll R14", "bounds", "every H in [1e-5, 1e-2] s, every factor in [0.25, 4]"},
             fmt::format("largest factor {:.6g}, all inside: {}", double(widest), inside), inside);
}

TEST(PredictorCorrector, NoStepIsRepeated) {
  const TwoMassErrors errors = errorsOf(controlled(1e-3, 2, Controller::proportionalIntegral));
  EXPECT_EQ(errors.statistics.algorithm.count, errors.statistics.acceptedSteps);
  EXPECT_EQ(errors.statistics.members.at(0).restore.count, 0U);
}

}  // namespace
}  // namespace koppla::test::step_control_test
