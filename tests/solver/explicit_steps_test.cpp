// Where explicit methods ask for derivatives, and what they make of the answers: against their formulas as they are
// printed.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "koppla/core/interruption.hpp"

#include "questions.hpp"
#include "rig.hpp"

namespace koppla::solver::test::explicit_steps_test {
namespace {

using Vector = std::vector<double>;

/// Two states that see each other and the time.
Vector coupled(double t, const Vector& x) {
  return {std::cos(2.0 * t) - x[0] * x[1], 0.5 * x[0] - x[1] * x[1] + t};
}

struct Formula {
  Kind kind;
  Vector c;
  std::vector<Vector> a;
  Vector b;
};

/// Schmoll (C.1)-(C.8); ode5: J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980).
const std::vector<Formula> kFormulas{
    {Kind::ode1, {0.0}, {{}}, {1.0}},
    {Kind::ode2, {0.0, 1.0}, {{}, {1.0}}, {0.5, 0.5}},
    {Kind::ode3, {0.0, 1.0 / 3.0, 2.0 / 3.0}, {{}, {1.0 / 3.0}, {0.0, 2.0 / 3.0}}, {0.25, 0.0, 0.75}},
    {Kind::ode4,
     {0.0, 0.5, 0.5, 1.0},
     {{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
     {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}},
    {Kind::ode5,
     {0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0},
     {{},
      {0.2},
      {3.0 / 40.0, 9.0 / 40.0},
      {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
      {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
      {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0}},
     {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}}};

/// One step of length h from x at t.
Vector stepped(const Formula& formula, double t, double h, const Vector& x, std::vector<Question>& questions) {
  std::vector<Vector> slopes;
  const auto moved = [&](const Vector& weights) {
    Vector result = x;
    for (std::size_t l = 0; l < weights.size(); ++l)
      for (std::size_t i = 0; i < x.size(); ++i) result[i] += h * weights[l] * slopes[l][i];
    return result;
  };
  for (std::size_t i = 0; i < formula.c.size(); ++i) {
    questions.push_back({t + formula.c[i] * h, moved(formula.a[i])});
    slopes.push_back(coupled(questions.back().t, questions.back().x));
  }
  return moved(formula.b);
}

TEST(ExplicitSteps, FollowTheirFormulas) {
  for (const Formula& formula : kFormulas) {
    SCOPED_TRACE(word(formula.kind));
    std::vector<Question> asked, expected;
    Rig rig(equations(asking(coupled, {0.5, -0.25}, asked)), with(formula.kind, 0.1));
    asked.clear();
    ASSERT_EQ(rig.step(2.0, 2.75).status, subsystem::Status::ok);
    Vector x{0.5, -0.25};
    for (int k = 0; k < 8; ++k) x = stepped(formula, 2.0 + 0.75 * k / 8.0, 0.75 / 8.0, x, expected);
    expectSame(asked, expected, 1e-14);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(rig.y[i], x[i], 1e-14);
  }
}

/// Nodes at the end of a step are met exactly, and no question lies behind it.
TEST(ExplicitSteps, MeetTheEndExactly) {
  for (const Kind kind : {Kind::ode2, Kind::ode4, Kind::ode5}) {
    std::vector<Question> asked;
    Rig rig(equations(asking(coupled, {0.5, -0.25}, asked)), with(kind, 0.1));
    const double t1 = 0.3 + 0.4;  // no sum of tenths
    asked.clear();
    rig.step(0.3, t1);
    EXPECT_EQ(asked.back().t, t1) << word(kind);
  }
}

/// Velocity Verlet of two masses: the forces see the velocity predicted with the old acceleration.
TEST(ExplicitSteps, OfCentralDifferencesFollowTheirFormulas) {
  const Derivatives f = [](double t, const Vector& x) -> Vector {
    return {x[2], x[3], -4.0 * x[0] + x[1] - 0.3 * x[2] + std::sin(t), x[0] - 2.0 * x[1] * x[1] - 0.2 * x[3]};
  };
  std::vector<Question> asked, expected;
  Vector x{0.5, -0.25, 1.0, 2.0};
  Model model = asking(f, x, asked);
  model.secondOrder = true;
  Rig rig(equations(model), with(Kind::centralDifferences, 0.05));
  asked.clear();
  ASSERT_EQ(rig.step(1.0, 1.2).status, subsystem::Status::ok);
  const auto accelerations = [&](double t, const Vector& at) {
    expected.push_back({t, at});
    const Vector dx = f(t, at);
    return Vector{dx[2], dx[3]};
  };
  const double h = 0.05;
  Vector a = accelerations(1.0, x);
  for (int k = 1; k <= 4; ++k) {
    Vector seen = x;
    for (std::size_t i = 0; i < 2; ++i) {
      const double half = x[2 + i] + h / 2.0 * a[i];
      x[i] += h * half;
      seen[i] = x[i];
      seen[2 + i] = half + h / 2.0 * a[i];
      x[2 + i] = half;
    }
    a = accelerations(1.0 + k * h, seen);
    for (std::size_t i = 0; i < 2; ++i) x[2 + i] += h / 2.0 * a[i];
  }
  expectSame(asked, expected, 1e-14);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(rig.y[i], x[i], 1e-14) << i;
}

/// Steps of fixed length fail where the states cease to be finite, and say when.
TEST(ExplicitSteps, EndWhereAStateIsNoNumber) {
  for (const Kind kind : {Kind::ode1, Kind::ode4}) {
    Model model;
    model.outputs = {"a", "b"};
    model.x0 = {1.0, 2.0};
    model.f = [](double t, auto, auto, auto dx) {
      dx[0] = 1.0;
      dx[1] = t > 0.35 ? std::numeric_limits<double>::infinity() : 0.0;
    };
    model.g = [](double, auto x, auto, auto y) { std::ranges::copy(x, y.begin()); };
    Rig rig(equations(model), with(kind, 0.1));
    const subsystem::StepResult result = rig.step(0.0, 1.0);
    EXPECT_EQ(result.status, subsystem::Status::error);
    EXPECT_EQ(result.reached, 0.0);
    EXPECT_EQ(rig.system->failure(), std::string("State 2 of 2 ceased to be a finite number at t = ") +
                                         (kind == Kind::ode1 ? "0.5" : "0.4") + " s. Shorter micro steps may help.");
  }
}

/// Of millions of micro steps in one step the user must not wait for the end: every 4096 of them look.
TEST(ExplicitSteps, LookWhetherTheUserWantsToEnd) {
  const auto stepsTaken = [](int steps) {
    std::vector<Question> asked;
    const Derivatives still = [](double, const Vector&) { return Vector{1.0}; };
    Rig rig(equations(asking(still, {0.0}, asked)), with(Kind::ode1, 1.0));
    const subsystem::Status status = rig.step(0.0, steps).status;
    EXPECT_EQ(rig.system->effort().microSteps, asked.size());
    return std::pair(status, rig.system->effort().microSteps);
  };
  EXPECT_EQ(stepsTaken(9000), std::pair(subsystem::Status::ok, std::uint64_t{9000}));
  core::requestInterruption();
  const auto few = stepsTaken(4095), many = stepsTaken(9000);
  core::forgetInterruption();
  EXPECT_EQ(few, std::pair(subsystem::Status::ok, std::uint64_t{4095}));
  EXPECT_EQ(many, std::pair(subsystem::Status::error, std::uint64_t{4096}));
}

}  // namespace
}  // namespace koppla::solver::test::explicit_steps_test
