// Every question that Radau IIA asks its equations, against the method written down once more.

#include <cmath>

#include <gtest/gtest.h>

#include "radau_reference.hpp"
#include "rig.hpp"

namespace koppla::solver::test::radau_steps_test {
namespace {

/// From 0 to 1 at that time, within some milliseconds: a jump would make the last digits of its place visible.
double rise(double t, double at) {
  return 0.5 * (1.0 + std::tanh(500.0 * (t - at)));
}

/// Van der Pol's equation, pushed from t = 3 s on.
std::vector<double> vanDerPol(double t, const std::vector<double>& x) {
  return {x[1], 20.0 * (1.0 - x[0] * x[0]) * x[1] - x[0] + 20.0 * rise(t, 3.0)};
}

/// A slow and a fast decay towards something that rises at 1.5 s.
std::vector<double> stiff(double t, const std::vector<double>& x) {
  const double target = std::cos(3.0 * t) + rise(t, 1.5);
  return {-2.0 * x[0] + 0.5 * x[1] * x[1], -1e4 * (x[1] + 0.3 * std::pow(x[1], 3) - target)};
}

/// x' = -z w, 0 = z - x^2 (1 + w) - sin 3t, 0 = w^3 + w - x - z / 10.
std::vector<double> algebraic(double t, const std::vector<double>& x) {
  return {-x[1] * x[2], x[1] - x[0] * x[0] * (1.0 + x[2]) - std::sin(3.0 * t),
          std::pow(x[2], 3) + x[2] - x[0] - 0.1 * x[1]};
}

struct Work {
  std::uint64_t steps, rejected;
};

/// Runs both through macro steps that end at the given times.
Work compare(const Derivatives& f, const std::vector<double>& x0, std::size_t algebraic,
             const IntegratorSettings& settings, const std::vector<double>& ends) {
  std::vector<Question> questions;
  Model model = asking(f, x0, questions);
  model.algebraic = algebraic;
  Rig rig(equations(model), settings);
  RadauReference reference(f, x0, algebraic, settings);
  questions.clear();
  double t = 0.0;
  for (const double end : ends) {
    EXPECT_EQ(rig.step(t, end).status, subsystem::Status::ok) << rig.system->failure();
    reference.step(t, end);
    for (std::size_t i = 0; i < x0.size(); ++i)
      EXPECT_NEAR(rig.y[i], reference.states()[i], 0.5 * (settings.rtol + settings.atol)) << "t = " << end;
    t = end;
  }
  expectSame(questions, reference.questions(), 3e-3);
  const subsystem::Effort effort = rig.system->effort();
  EXPECT_EQ(effort.microSteps, reference.effort().microSteps);
  EXPECT_EQ(effort.rejectedMicroSteps, reference.effort().rejectedMicroSteps);
  EXPECT_EQ(effort.jacobians, reference.effort().jacobians);
  EXPECT_EQ(effort.rightHandSides, reference.questions().size());
  return {effort.microSteps, effort.rejectedMicroSteps};
}

IntegratorSettings radau(double rtol, double atol, double microStep = 0.0) {
  IntegratorSettings settings = with(Kind::radau, microStep);
  settings.rtol = rtol;
  settings.atol = atol;
  return settings;
}

const std::vector<double> kVanDerPol{2.0, 0.3};

TEST(RadauSteps, HaveTheLengthsOfTheMethod) {
  for (const double tolerance : {1e-3, 3e-4, 3e-5}) {
    SCOPED_TRACE(tolerance);
    EXPECT_GT(compare(vanDerPol, kVanDerPol, 0, radau(tolerance, 0.1 * tolerance), {12.0}).rejected, 0U);
    EXPECT_GT(compare(stiff, {1.0, -0.5}, 0, radau(0.1 * tolerance, tolerance), {4.0}).rejected, 0U);
  }
}

TEST(RadauSteps, BeginAnewInEveryMacroStep) {
  std::vector<double> ends;
  for (int k = 1; k <= 12; ++k) ends.push_back(0.75 * k);
  compare(vanDerPol, kVanDerPol, 0, radau(1e-4, 1e-5), ends);
  compare(stiff, {1.0, -0.5}, 0, radau(1e-4, 1e-5), ends);
}

TEST(RadauSteps, KeepToTheLongest) {
  EXPECT_GE(compare(vanDerPol, kVanDerPol, 0, radau(1e-4, 1e-5, 0.2), {10.0}).steps, 50U);
  compare(stiff, {1.0, -0.5}, 0, radau(1e-3, 1e-4, 0.13), {1.0, 2.5});
}

TEST(RadauSteps, SolveAlgebraicEquationsAlike) {
  // Unknowns that fit x = 1 at the start: z - 1 - w = 0, w^3 + w - 1 - z / 10 = 0.
  double w = 0.7;
  for (int k = 0; k < 50; ++k) w -= (w * w * w + 0.9 * w - 1.1) / (3.0 * w * w + 0.9);
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    SCOPED_TRACE(tolerance);
    compare(algebraic, {1.0, 1.0 + w, w}, 2, radau(tolerance, 0.3 * tolerance), {0.01, 2.0, 3.5});
    compare(algebraic, {1.0, 1.0 + w, w}, 2, radau(0.3 * tolerance, tolerance), {1.5, 4.0});
  }
}

/// What is steep against its own size at every length.
TEST(RadauSteps, SayThatNoneIsShortEnough) {
  std::vector<Question> questions;
  const Derivatives wall = [](double t, const std::vector<double>&) {
    return std::vector<double>{t < 0.5 ? 1.0 : 1e300};
  };
  Rig rig(equations(asking(wall, {0.0}, questions)), radau(1e-6, 1e-6));
  const subsystem::StepResult result = rig.step(0.0, 1.0);
  EXPECT_EQ(result.status, subsystem::Status::error);
  EXPECT_EQ(result.reached, 0.0);
  EXPECT_EQ(rig.system->failure().find(
                "Radau failed: no step is short enough for the tolerances; looser ones may help (at t = 0."),
            0U)
      << rig.system->failure();
  EXPECT_LE(questions.size(), 4000U);
  // Time without length is no step.
  EXPECT_EQ(rig.step(1.0, 1.0).status, subsystem::Status::ok);
}

/// Of a linear model df/dx is known: nothing is differenced.
TEST(RadauSteps, OfALinearModelNeedNoDifferences) {
  for (const Kind kind : {Kind::radau, Kind::radauFixed}) {
    Rig rig(equations(oscillator({1.0, 4.0, 0.2, 1.0, 0.0})), with(kind, 0.25));
    ASSERT_EQ(rig.step(0.0, 2.0, {0.0}).status, subsystem::Status::ok);
    EXPECT_EQ(rig.system->effort().jacobians, 0U);
    EXPECT_NEAR(rig.y[0], freeMotion({1.0, 4.0, 0.2, 1.0, 0.0}, 2.0).first, 1e-4);
  }
}

}  // namespace
}  // namespace koppla::solver::test::radau_steps_test
