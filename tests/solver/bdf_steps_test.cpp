// Every question that the BDF integrator asks its equations, against the method written down once more.

#include <cmath>

#include <gtest/gtest.h>

#include "bdf_reference.hpp"
#include "rig.hpp"

namespace koppla::solver::test::bdf_steps_test {
namespace {

/// From 0 to 1 at that time, within some milliseconds: a jump would make the last digits of its place visible.
double rise(double t, double at) {
  return 0.5 * (1.0 + std::tanh(500.0 * (t - at)));
}

/// Van der Pol's equation, pushed from t = 3 s on: steps grow, shrink and are rejected.
std::vector<double> vanDerPol(double t, const std::vector<double>& x) {
  return {x[1], 5.0 * (1.0 - x[0] * x[0]) * x[1] - x[0] + 20.0 * rise(t, 3.0)};
}

/// A slow and a fast decay towards something that moves, and rises at 1.5 s.
std::vector<double> stiff(double t, const std::vector<double>& x) {
  const double target = std::cos(3.0 * t) + rise(t, 1.5);
  return {-2.0 * x[0] + 0.5 * x[1] * x[1], -1e4 * (x[1] + 0.3 * std::pow(x[1], 3) - target)};
}

/// Runs both through macro steps that end at the given times, in single steps.
void compare(const Derivatives& f, const std::vector<double>& x0, IntegratorSettings settings,
             const std::vector<double>& ends) {
  settings.restart = false;
  std::vector<Question> questions;
  Rig rig(equations(asking(f, x0, questions)), settings);
  BdfReference reference(f, x0, settings);
  questions.clear();
  double t = 0.0;
  for (const double end : ends)
    while (t < end) {
      const subsystem::StepResult result = rig.step(t, end, {}, true);
      ASSERT_EQ(result.status, subsystem::Status::ok) << rig.system->failure();
      const double expected = reference.step(end);
      ASSERT_NEAR(result.reached, expected, 1e-3 * (expected - t) + 1e-7);
      const double tolerance = settings.rtol + settings.atol;
      for (std::size_t i = 0; i < x0.size(); ++i)
        ASSERT_NEAR(rig.y[i], reference.states()[i], 0.5 * tolerance) << "t = " << t;
      t = result.reached;
    }
  expectSame(questions, reference.questions(), 1e-4);
  const subsystem::Effort effort = rig.system->effort();
  EXPECT_EQ(effort.microSteps, reference.effort().microSteps);
  EXPECT_EQ(effort.rejectedMicroSteps, reference.effort().rejectedMicroSteps);
  EXPECT_GT(effort.rejectedMicroSteps, 0U) << "too easy to show anything";
  EXPECT_EQ(effort.jacobians, reference.effort().jacobians);
  EXPECT_EQ(effort.correctorIterations, reference.effort().correctorIterations);
  EXPECT_EQ(effort.rightHandSides, reference.questions().size());
}

IntegratorSettings bdf(double rtol, double atol) {
  IntegratorSettings settings = with(Kind::bdf);
  settings.rtol = rtol;
  settings.atol = atol;
  return settings;
}

const std::vector<double> kVanDerPol{2.0, 0.3};

TEST(BdfSteps, VaryOrderAndLengthAsTheMethodSays) {
  for (const double tolerance : {1e-4, 1e-5, 1e-6}) {
    SCOPED_TRACE(tolerance);
    compare(vanDerPol, kVanDerPol, bdf(tolerance, 0.1 * tolerance), {12.0});
    compare(stiff, {1.0, -0.5}, bdf(0.1 * tolerance, tolerance), {4.0});
  }
}

TEST(BdfSteps, EndWithEveryMacroStep) {
  compare(vanDerPol, kVanDerPol, bdf(1e-5, 1e-5), {0.7, 1.4, 2.1, 2.8, 3.5, 3.6, 3.7, 6.0, 6.01, 12.0});
  compare(stiff, {1.0, -0.5}, bdf(1e-4, 1e-6), {1e-3, 0.5, 1.0, 1.5, 2.0, 2.5});
}

TEST(BdfSteps, KeepToTheLongestAndBeginWithTheFirst) {
  IntegratorSettings settings = bdf(1e-4, 1e-5);
  settings.microStep = 0.03;
  compare(vanDerPol, kVanDerPol, settings, {6.0});
  settings.firstMicroStep = 2e-3;
  compare(vanDerPol, kVanDerPol, settings, {6.0});
}

TEST(BdfSteps, OfAGivenOrderFollowTheNote) {
  for (unsigned order = 1; order <= 5; ++order) {
    SCOPED_TRACE(order);
    IntegratorSettings settings = bdf(1e-4, 1e-5);
    settings.order = order;
    compare(vanDerPol, kVanDerPol, settings, {5.0, 9.0});
    settings.firstMicroStep = 1e-3;
    compare(vanDerPol, kVanDerPol, settings, {5.0, 9.0});
    settings.firstMicroStep = 0.05;
    settings.microStep = 0.1;
    compare(vanDerPol, kVanDerPol, settings, {5.0, 9.0});
  }
}

/// An explicit step of that length is wrong, and the order rises from 1.
TEST(BdfSteps, RiseToAGivenOrderWhereTheFirstIsTooLong) {
  for (const unsigned order : {2U, 4U}) {
    SCOPED_TRACE(order);
    IntegratorSettings settings = bdf(1e-5, 1e-5);
    settings.order = order;
    settings.firstMicroStep = 0.5;
    compare(vanDerPol, kVanDerPol, settings, {6.0});
    settings.firstMicroStep = 0.05;
    const Derivatives decay = [](double t, const std::vector<double>& x) -> std::vector<double> {
      return {-2.0 * x[0] + 0.5 * x[1] * x[1], -300.0 * (x[1] - std::cos(3.0 * t))};
    };
    compare(decay, {1.0, -0.5}, settings, {3.0});
  }
}

TEST(BdfSteps, IterateAsFarAndRenewAsOftenAsAsked) {
  for (const double newton : {1e-6, 1e-3, 0.5}) {
    IntegratorSettings settings = bdf(1e-5, 1e-5);
    settings.newtonTolerance = newton;
    SCOPED_TRACE(newton);
    compare(vanDerPol, kVanDerPol, settings, {7.0});
    settings.renewal = {true, false, false};
    compare(vanDerPol, kVanDerPol, settings, {7.0});
    settings.renewal = {false, true};
    compare(vanDerPol, kVanDerPol, settings, {7.0});
  }
}

}  // namespace
}  // namespace koppla::solver::test::bdf_steps_test
