// What every integrated subsystem does, whatever solver is inside.

#include "koppla/solver/integrate.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "koppla/core/error.hpp"

#include "rig.hpp"

namespace koppla::solver::test {
namespace {

using subsystem::Slot;
using subsystem::Status;

/// x' = u1 + 0 u2, y = (x, x + 3 u2): a quadrature of u1 with a feed-through of u2.
Model quadrature() {
  return linearModel({"rate", "direct"}, {"x", "y"}, {{0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 0.0, 0.0, 3.0}}, {0.5});
}

/// x' = -x^2 + u, y = x^2 + sin t + u^2, secondary output y2 = x: nothing about it is linear.
Model nonlinear() {
  Model model;
  model.inputs = {"u"};
  model.outputs = {"y", "x"};
  model.x0 = {1.0};
  model.f = [](double, auto x, auto u, auto dx) { dx[0] = -x[0] * x[0] + u[0]; };
  model.g = [](double t, auto x, auto u, auto y) {
    y[0] = x[0] * x[0] + std::sin(t) + u[0] * u[0];
    y[1] = x[0];
  };
  return model;
}

/// A pendulum, w'' = -sin w + u.
Model pendulum() {
  Model model;
  model.inputs = {"u"};
  model.outputs = {"w", "v"};
  model.x0 = {0.5, 0.0};
  model.f = [](double, auto x, auto u, auto dx) {
    dx[0] = x[1];
    dx[1] = -std::sin(x[0]) + u[0];
  };
  model.g = [](double, auto x, auto, auto y) { std::copy(x.begin(), x.end(), y.begin()); };
  model.secondOrder = true;
  return model;
}

class EveryIntegrator : public testing::TestWithParam<Kind> {
 protected:
  /// Every kind can integrate an oscillator.
  [[nodiscard]] static std::unique_ptr<Equations> model() { return equations(oscillator({2.0, 8.0, 0.4, 1.0, 0.0})); }
};

TEST_P(EveryIntegrator, FollowsATrajectoryToTheEndOfTheStep) {
  // w = t^2 solves 2 w'' + 0.4 w' + 8 w = 4 + 0.8 t + 8 t^2; over [1, 1.5], t = 1 + s/2:
  // force = 12.8 + 8.4 s + 2 s^2.
  Rig rig(equations(oscillator({2.0, 8.0, 0.4, 1.0, 2.0})), with(GetParam(), 1e-3));
  const subsystem::StepResult result = rig.step(1.0, 1.5, {12.8, 8.4, 2.0});
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.reached, 1.5);
  EXPECT_NEAR(rig.y[0], 2.25, GetParam() == Kind::ode1 ? 1e-2 : 1e-5);
  EXPECT_NEAR(rig.y[1], 3.0, GetParam() == Kind::ode1 ? 1e-2 : 1e-5);
}

TEST_P(EveryIntegrator, RepeatsARestoredStepBitByBit) {
  const Kind kind = GetParam();
  rc::detail::checkGTest([kind] {
    // Lengths from 1 to 40 ms; the slot is left, other steps are taken, and the first one is repeated.
    const auto lengths = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 40)));
    const auto force = *rc::gen::inRange(-100, 100);
    IntegratorSettings settings = with(kind, 0.01);
    settings.alpha = kind == Kind::newmark ? -0.1 : 0.0;
    Rig rig(model(), settings);
    const std::vector<double> u{0.1 * force, 0.3, -0.2};
    double t = 0.0;
    for (const int length : lengths) {
      const double next = t + 1e-3 * length;
      RC_ASSERT(rig.system->save(Slot::macroStep) == Status::ok);
      rig.step(t, next, u);
      const std::vector<double> once = rig.y;
      rig.step(next, next + 0.1, u);
      RC_ASSERT(rig.system->restore(Slot::macroStep) == Status::ok);
      rig.step(t, 0.5 * (t + next), u);
      RC_ASSERT(rig.system->restore(Slot::macroStep) == Status::ok);
      rig.step(t, next, u);
      RC_ASSERT(rig.y == once);
      t = next;
    }
  });
}

TEST_P(EveryIntegrator, TakesSingleStepsToTheEnd) {
  IntegratorSettings settings = with(GetParam(), 0.1);
  settings.restart = false;
  Rig rig(model(), settings);
  ASSERT_TRUE(rig.system->describe().capabilities.ownSteps);
  EXPECT_EQ(rig.system->describe().capabilities.microStep, 0.1);
  double t = 0.0;
  std::uint64_t steps = 0;
  while (t < 0.35) {
    const subsystem::StepResult result = rig.step(t, 0.35, {0.0}, true);
    ASSERT_EQ(result.status, Status::ok);
    ASSERT_GT(result.reached, t);
    ASSERT_LE(result.reached - t, 0.1 * (1.0 + 1e-6));
    t = result.reached;
    ASSERT_EQ(rig.system->effort().microSteps, ++steps);
  }
  EXPECT_EQ(t, 0.35);
  const bool chooses = GetParam() == Kind::cvodeAdams || GetParam() == Kind::cvodeBdf || GetParam() == Kind::bdf;
  if (GetParam() == Kind::radau)
    EXPECT_GE(steps, 4U);  // the longest first, shorter where the tolerances ask for it
  else
    EXPECT_EQ(steps == 4U, !chooses);  // 0.1, 0.2, 0.3, 0.35
}

TEST_P(EveryIntegrator, StartsFromStatesThatWereSet) {
  IntegratorSettings settings = with(GetParam(), 0.01);
  settings.restart = true;  // otherwise there is more to the past than the states
  Rig first(model(), settings), second(model(), settings);
  first.step(0.0, 0.3, {1.0});
  second.step(0.0, 0.1, {-5.0});
  second.system->setStates(first.system->states());
  first.step(0.3, 0.6, {1.0});
  second.step(0.3, 0.6, {1.0});
  EXPECT_EQ(first.y, second.y);
}

INSTANTIATE_TEST_SUITE_P(All, EveryIntegrator, testing::ValuesIn(kKinds), [](const auto& tested) {
  std::string name(word(tested.param));
  std::erase(name, '-');
  return name;
});

TEST(Integrate, WordsReadBack) {
  for (const Kind kind : kKinds) EXPECT_EQ(kindNamed(word(kind)), kind);
  EXPECT_EQ(kindNamed("ode6"), std::nullopt);
}

TEST(Integrate, ARestThatIsOnlyRoundingBelongsToTheStep) {
  Rig rig(equations(quadrature()), with(Kind::ode1, 0.1));
  EXPECT_EQ(rig.step(0.2, 0.30000000000000004, {1.0, 0.0}, true).reached, 0.30000000000000004);
  rig.step(0.0, 0.30000000000000004, {1.0, 0.0});
  EXPECT_EQ(rig.system->effort().microSteps, 1U + 3U);
}

TEST(Integrate, CountsTheEffortExactly) {
  Rig rig(equations(quadrature()), with(Kind::ode4, 0.1));
  rig.step(0.0, 1.0, {1.0, 0.0});
  rig.step(1.0, 1.25, {1.0, 0.0});  // 2.5 micro steps: 3
  const subsystem::Effort effort = rig.system->effort();
  EXPECT_EQ(effort.microSteps, 13U);
  EXPECT_EQ(effort.rightHandSides, 4U * 13U);
  EXPECT_EQ(effort.rejectedMicroSteps, 0U);
  EXPECT_EQ(effort.jacobians, 0U);
}

TEST(Integrate, OutputsSeeTheInputsAtTheEndOfTheStep) {
  // Rate 1 + 2 s over half a second: x grows by 1/2 (1 + 1) = 1. Direct input 5 - 3 s: 2 at the end.
  Rig rig(equations(quadrature()), with(Kind::ode2), true);
  rig.step(2.0, 2.5, {1.0, 5.0, 2.0, -3.0});
  EXPECT_DOUBLE_EQ(rig.y[0], 1.5);
  EXPECT_DOUBLE_EQ(rig.y[1], 1.5 + 3.0 * 2.0);
  EXPECT_DOUBLE_EQ(rig.y[2], 3.0);                       // x' = rate(1)
  EXPECT_DOUBLE_EQ(rig.y[3], 3.0 + 3.0 * (-3.0 / 0.5));  // x' + 3 u2'
}

TEST(Integrate, DerivativesOfNonlinearOutputsAreDifferences) {
  Rig rig(equations(nonlinear()), with(Kind::ode4, 1e-3), true);
  rig.step(0.0, 1.0, {0.0, 0.5});  // u = t / 2
  const double x = rig.y[1];
  const double dx = -x * x + 0.5;
  EXPECT_NEAR(rig.y[3], dx, 1e-9);
  EXPECT_NEAR(rig.y[2], 2.0 * x * dx + std::cos(1.0) + 2.0 * 0.5 * 0.5, 1e-9);
}

TEST(Integrate, SensitivitiesAreThoseOfTheInstant) {
  Rig linear(equations(quadrature()), with(Kind::ode1));
  std::vector<double> column(2, -1.0);
  ASSERT_EQ(linear.system->differentiate(1, column), Status::ok);
  EXPECT_EQ(column, (std::vector<double>{0.0, 3.0}));
  Rig curved(equations(nonlinear()), with(Kind::ode1));
  const std::vector<double> u{1.5};
  ASSERT_EQ(curved.system->evaluate(0.0, u, curved.y), Status::ok);
  ASSERT_EQ(curved.system->differentiate(0, column), Status::ok);
  EXPECT_NEAR(column[0], 3.0, 1e-9);
  EXPECT_EQ(column[1], 0.0);
}

TEST(Integrate, IsEvaluatedBetweenStepsWithoutMoving) {
  Rig rig(equations(quadrature()), with(Kind::ode2));
  rig.step(0.0, 1.0, {1.0, 0.0});
  const std::vector<double> u{100.0, 10.0};
  ASSERT_EQ(rig.system->evaluate(1.0, u, rig.y), Status::ok);
  EXPECT_EQ(rig.y, (std::vector<double>{1.5, 31.5}));
  EXPECT_EQ(rig.system->states(), std::vector<double>{1.5});
}

TEST(Integrate, InputsThatNobodyBindsKeepTheirStartValues) {
  const std::unique_ptr<subsystem::Subsystem> system = integrate(equations(quadrature()), with(Kind::ode1));
  const core::Value two = 2.0;
  const core::Value nine = 9.0;
  system->set(0, {&two, 1});
  system->set(4, {&nine, 1});
  system->bind({.inputs = {1}, .outputs = {2}, .discreteInputs = {}, .discreteOutputs = {}});
  system->enterInitialisation({0.0, 1.0, {}});
  system->leaveInitialisation();
  const std::vector<double> direct{4.0};
  double x = 0.0;
  system->advance({0.0, 1.0, false}, subsystem::held(direct), {&x, 1});
  EXPECT_EQ(x, 2.5);
  core::Values seen;
  const std::vector<subsystem::PortIndex> all{0, 1, 2, 3, 4};
  system->observe(all, seen);
  EXPECT_EQ(seen.reals, (std::vector<double>{2.0, 4.0, 2.5, 14.5, 9.0}));
}

TEST(Integrate, StatesThatExplodeAreNamed) {
  // x' = 1e200 x: overflows in the second micro step of 1 s.
  Rig rig(equations(linearModel({}, {"height"}, {{1e200}, {}, {1.0}, {}}, {1.0})), with(Kind::ode1, 1.0));
  EXPECT_EQ(rig.step(0.0, 5.0).status, Status::error);
  EXPECT_EQ(rig.system->failure(),
            "State 1 of 1 (height) ceased to be a finite number at t = 2 s. Shorter micro steps may help.");
}

TEST(Integrate, ModelsThatThrowAreFailuresWithTheirWords) {
  for (const Kind kind : {Kind::ode2, Kind::cvodeBdf, Kind::radau, Kind::radauFixed}) {
    Model model = nonlinear();
    model.f = [](double, auto, auto, auto) { throw std::runtime_error("the valve is missing"); };
    Rig rig(equations(std::move(model)), with(kind));
    EXPECT_EQ(rig.step(1.0, 2.0, {0.0}).status, Status::error);
    EXPECT_EQ(rig.system->failure(), "The model failed in the step that began at t = 1 s: the valve is missing");
  }
}

TEST(Integrate, NonFiniteDerivativesAreFailures) {
  for (const Kind kind : kKinds) {
    if (kind == Kind::exact) continue;
    Model model = pendulum();
    model.f = [](double t, auto, auto, auto dx) {
      dx[0] = 1.0;
      dx[1] = t > 0.5 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    };
    Rig rig(equations(std::move(model)), with(kind, 0.1));
    EXPECT_EQ(rig.step(0.0, 1.0, {0.0}).status, Status::error) << word(kind);
    // Methods of several stages spread it to the first state before anybody looks.
    EXPECT_NE(rig.system->failure().find(" of 2"), std::string::npos) << rig.system->failure();
    EXPECT_NE(rig.system->failure().find("t = 0."), std::string::npos) << rig.system->failure();
  }
}

TEST(Integrate, RefusesAnIntegratorThatDoesNotFit) {
  EXPECT_THROW(integrate(equations(nonlinear()), with(Kind::exact)), core::InputError);
  EXPECT_THROW(integrate(equations(quadrature()), with(Kind::newmark)), core::InputError);
  EXPECT_THROW(integrate(equations(quadrature()), with(Kind::centralDifferences)), core::InputError);
  EXPECT_THROW(integrate(equations(quadrature()), with(Kind::ode1, -1.0)), core::InputError);
  IntegratorSettings settings = with(Kind::newmark);
  settings.alpha = -0.4;
  EXPECT_THROW(integrate(equations(pendulum()), settings), core::InputError);
  const Model gain = linearModel({"u"}, {"y"}, {{}, {}, {}, {2.0}}, {});
  for (const Kind kind : {Kind::cvodeBdf, Kind::radau, Kind::radauFixed})
    EXPECT_THROW(integrate(equations(gain), with(kind)), core::InputError);
}

TEST(Integrate, ModelsWithoutStatesAreFunctionsOfTheirInputs) {
  for (const Kind kind : {Kind::ode1, Kind::exact}) {
    Rig rig(equations(linearModel({"u"}, {"y"}, {{}, {}, {}, {2.0}}, {})), with(kind));
    EXPECT_EQ(rig.step(0.0, 1.0, {1.0, 3.0}).status, Status::ok);
    EXPECT_EQ(rig.y[0], 8.0);
  }
}

}  // namespace
}  // namespace koppla::solver::test
