// CVODE as a subsystem: its times, its counts, its failures.

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "questions.hpp"
#include "rig.hpp"

namespace koppla::solver::test::cvode_behaviour_test {
namespace {

using subsystem::Effort;
using subsystem::Status;
using Vector = std::vector<double>;

IntegratorSettings cvode(Kind kind, std::optional<bool> restart = {}, double tolerance = 1e-8) {
  IntegratorSettings settings = with(kind);
  settings.atol = settings.rtol = tolerance;
  settings.restart = restart;
  return settings;
}

/// Relaxation oscillations: steps are rejected where they turn.
Vector vanDerPol(double, const Vector& x) {
  return {x[1], 20.0 * (1.0 - x[0] * x[0]) * x[1] - x[0]};
}

Effort difference(const Effort& after, const Effort& before) {
  Effort result;
  result.microSteps = after.microSteps - before.microSteps;
  result.rejectedMicroSteps = after.rejectedMicroSteps - before.rejectedMicroSteps;
  result.rightHandSides = after.rightHandSides - before.rightHandSides;
  result.jacobians = after.jacobians - before.jacobians;
  result.correctorIterations = after.correctorIterations - before.correctorIterations;
  return result;
}

void expectEqual(const Effort& a, const Effort& b) {
  EXPECT_EQ(a.microSteps, b.microSteps);
  EXPECT_EQ(a.rejectedMicroSteps, b.rejectedMicroSteps);
  EXPECT_EQ(a.rightHandSides, b.rightHandSides);
  EXPECT_EQ(a.jacobians, b.jacobians);
  EXPECT_EQ(a.correctorIterations, b.correctorIterations);
}

/// Where it begins anew, a macro step costs what it costs alone.
TEST(CvodeBehaviour, CountsTheEffortOfEveryStep) {
  for (const Kind kind : {Kind::cvodeAdams, Kind::cvodeBdf}) {
    std::vector<Question> asked;
    Rig rig(equations(asking(vanDerPol, {2.0, 0.0}, asked)), cvode(kind));
    Effort before;
    Effort sum;
    for (int k = 0; k < 4; ++k) {
      Rig alone(equations(asking(vanDerPol, rig.system->states(), asked)), cvode(kind));
      ASSERT_EQ(rig.step(7.0 * k, 7.0 * (k + 1)).status, Status::ok);
      ASSERT_EQ(alone.step(0.0, 7.0).status, Status::ok);
      EXPECT_EQ(rig.y, alone.y);
      expectEqual(difference(rig.system->effort(), before), alone.system->effort());
      before = rig.system->effort();
      sum += alone.system->effort();
    }
    expectEqual(before, sum);
    EXPECT_GT(before.rejectedMicroSteps, 0U);
    EXPECT_GT(before.correctorIterations, before.microSteps / 2);
    EXPECT_EQ(before.jacobians > 0, kind == Kind::cvodeBdf);
  }
}

/// x' = cos t, whenever it is.
TEST(CvodeBehaviour, TellsTheEquationsTheTime) {
  const Derivatives f = [](double t, const Vector&) { return Vector{std::cos(t)}; };
  for (const Kind kind : {Kind::cvodeAdams, Kind::cvodeBdf})
    for (const bool restart : {true, false}) {
      std::vector<Question> asked;
      Rig rig(equations(asking(f, {1.0}, asked)), cvode(kind, restart, 1e-10));
      for (int k = 0; k < 5; ++k) {
        asked.clear();
        const double t0 = 100.0 + 0.7 * k, t1 = 100.0 + 0.7 * (k + 1);
        const subsystem::StepResult result = rig.step(t0, t1);
        ASSERT_EQ(result.status, Status::ok);
        EXPECT_EQ(result.reached, t1);
        EXPECT_NEAR(rig.y[0], 1.0 + std::sin(t1) - std::sin(100.0), 1e-8) << word(kind) << restart;
        for (const Question& question : asked) {
          EXPECT_GE(question.t, t0 - 1e-9);
          EXPECT_LE(question.t, t1 + 1e-9);
        }
      }
      // From a time that is not its own it begins anew.
      ASSERT_EQ(rig.step(50.0, 51.0).status, Status::ok);
      EXPECT_NEAR(rig.y[0], 1.0 + std::sin(103.5) - std::sin(100.0) + std::sin(51.0) - std::sin(50.0), 1e-8);
      EXPECT_EQ(rig.step(51.0, 51.0).status, Status::ok) << "a step without length";
    }
}

/// States that were set are where it goes on from.
TEST(CvodeBehaviour, GoesOnFromStatesThatWereSet) {
  for (const bool restart : {true, false}) {
    std::vector<Question> asked;
    const Derivatives decay = [](double, const Vector& x) { return Vector{-x[0]}; };
    Rig rig(equations(asking(decay, {1.0}, asked)), cvode(Kind::cvodeBdf, restart));
    rig.step(0.0, 1.0);
    rig.system->setStates(Vector{5.0});
    rig.step(1.0, 2.0);
    EXPECT_NEAR(rig.y[0], 5.0 * std::exp(-1.0), 1e-6);
  }
}

/// A smaller part of the tolerances asks for more iterations, of Newton's method only.
TEST(CvodeBehaviour, IteratesAsFarAsAsked) {
  const auto effortWith = [](Kind kind, double newton) {
    std::vector<Question> asked;
    IntegratorSettings settings = cvode(kind, {}, 1e-6);
    settings.newtonTolerance = newton;
    Rig rig(equations(asking(vanDerPol, {2.0, 0.0}, asked)), settings);
    EXPECT_EQ(rig.step(0.0, 20.0).status, Status::ok);
    return rig.system->effort();
  };
  const Effort usual = effortWith(Kind::cvodeBdf, 0.1), tight = effortWith(Kind::cvodeBdf, 1e-6);
  EXPECT_GT(static_cast<double>(tight.correctorIterations) / static_cast<double>(tight.microSteps),
            1.5 * static_cast<double>(usual.correctorIterations) / static_cast<double>(usual.microSteps));
  expectEqual(effortWith(Kind::cvodeAdams, 1e-6), effortWith(Kind::cvodeAdams, 0.1));
}

TEST(CvodeBehaviour, NamesTheDerivativeThatIsNoNumber) {
  for (std::size_t state = 0; state < 2; ++state) {
    std::vector<Question> asked;
    bool broken = true;
    const Derivatives f = [&, state](double t, const Vector&) {
      Vector dx{1.0, 1.0};
      if (broken && t > 0.5) dx[state] = std::numeric_limits<double>::infinity();
      return dx;
    };
    Rig rig(equations(asking(f, {0.0, 0.0}, asked)), cvode(Kind::cvodeBdf));
    EXPECT_EQ(rig.step(0.0, 1.0).status, Status::error);
    EXPECT_EQ(rig.system->failure().find("CVODE failed: the derivative of state " + std::to_string(state + 1) +
                                         " of 2 is not a finite number (at t = 0."),
              0U)
        << rig.system->failure();
    broken = false;
    rig.system->setStates(Vector{0.0, 0.0});
    EXPECT_EQ(rig.step(0.0, 1.0).status, Status::ok);
    EXPECT_NEAR(rig.y[state], 1.0, 1e-9);
  }
}

/// A wall that no step gets across ends in a failure in SUNDIALS' own words.
TEST(CvodeBehaviour, GivesUpAtAWall) {
  for (const bool restart : {true, false}) {
    std::vector<Question> asked;
    const Derivatives f = [](double t, const Vector&) { return Vector{t < 0.5 ? 0.0 : 1e300}; };
    Rig rig(equations(asking(f, {0.0}, asked)), cvode(Kind::cvodeBdf, restart));
    EXPECT_EQ(rig.step(0.0, 1.0).status, Status::error);
    EXPECT_EQ(rig.system->failure().find("CVODE failed: "), 0U);
    EXPECT_EQ(rig.system->failure().find("derivative of state"), std::string::npos);
    EXPECT_GT(rig.system->failure().size(), 40U) << rig.system->failure();
    EXPECT_LT(asked.size(), 2000U);
  }
}

TEST(CvodeBehaviour, TakesAStepAgainAfterTheModelThrew) {
  std::vector<Question> asked;
  bool broken = true;
  const Derivatives f = [&](double, const Vector&) {
    if (broken) throw std::runtime_error("not now");
    return Vector{2.0};
  };
  Rig rig(equations(asking(f, {0.0}, asked)), cvode(Kind::cvodeAdams));
  EXPECT_EQ(rig.step(0.0, 1.0).status, Status::error);
  EXPECT_EQ(rig.system->failure(), "The model failed in the step that began at t = 0 s: not now");
  broken = false;
  EXPECT_EQ(rig.step(0.0, 1.0).status, Status::ok);
  EXPECT_NEAR(rig.y[0], 2.0, 1e-9);
}

}  // namespace
}  // namespace koppla::solver::test::cvode_behaviour_test
