// The recursion of a macro step, entry by entry, against the same recursion written down in the test.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/run/recursion.hpp"

#include "state_member.hpp"
#include "support/formula_subsystem.hpp"
#include "support/message_of.hpp"

namespace koppla::run::recursion_matrix_test {
namespace {

using coupling::AlgorithmKind;
using koppla::test::messageOf;
using test_support::make;
using test_support::StateModel;
using ::testing::AllOf;
using ::testing::HasSubstr;

using Vector = std::vector<double>;

/// x1' = x1 + h (0.3 x2 + 2 u0 + 5 u1), x2' = 0.5 x2 - h x1 + 3 h u0, y = x1 - 2 x2.
StateModel first(bool linear = true) {
  return {.states = {0.0, 0.0},
          .step =
              [](const Vector& x, double h, const StateModel::Input& u) {
                return Vector{x[0] + h * (0.3 * x[1] + 2.0 * u(0, 0) + 5.0 * u(0, 1)),
                              0.5 * x[1] - h * x[0] + 3.0 * h * u(0, 0)};
              },
          .output = [](const Vector& x) { return Vector{x[0] - 2.0 * x[1]}; },
          .degree = 1,
          .linear = linear};
}

/// x' = 0.9 x + h (7 u0 - u1 + 11 v0), y = 4 x, z = -x.
StateModel second(bool linear = true) {
  return {.inputs = {"u", "v"},
          .outputs = {"y", "z"},
          .states = {0.0},
          .step =
              [](const Vector& x, double h, const StateModel::Input& u) {
                return Vector{0.9 * x[0] + h * (7.0 * u(0, 0) - u(0, 1) + 11.0 * u(1, 0))};
              },
          .output =
              [](const Vector& x) {
                return Vector{4.0 * x[0], -x[0]};
              },
          .degree = 1,
          .linear = linear};
}

/// first.u = 0.25 second.y + 3, second.u = -0.5 first.y, second.v = second.z + 0.125 first.y.
coupling::System system(bool linear = true) {
  coupling::System made;
  made.members.push_back({"first", make(first(linear)), {}});
  made.members.push_back({"second", make(second(linear)), {}});
  koppla::test::connect(made, {{"second.y", "first.u", 0.25, linear ? 3.0 : 0.0},
                               {"first.y", "second.u", -0.5},
                               {"second.z", "second.v"},
                               {"first.y", "second.v", 0.125}});
  return made;
}

Settings settingsOf(AlgorithmKind kind, unsigned degree) {
  Settings settings;
  settings.algorithm.kind = kind;
  settings.algorithm.degree = degree;
  return settings;
}

/// Columns of a linear map of n numbers.
template <typename Map>
Vector columns(std::size_t n, Map map) {
  Vector result(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    Vector w(n, 0.0);
    w[j] = 1.0;
    const Vector next = map(w);
    for (std::size_t i = 0; i < n; ++i) result[i * n + j] = next[i];
  }
  return result;
}

/// w = (x1, x2, x; first.y, second.y, second.z now; the same one step earlier): Jacobi's method with lines through the
/// last two samples, u(s) = y(n) + s (y(n) - y(n-1)).
Vector jacobiStep(const Vector& w, double h, unsigned degree) {
  const auto at = [&](std::size_t output, unsigned power) {
    if (power == 0) return w[3 + output];
    return degree > 0 ? w[3 + output] - w[6 + output] : 0.0;
  };
  const StateModel a = first();
  const StateModel b = second();
  const Vector xa = a.step({w[0], w[1]}, h, [&](std::size_t, unsigned k) { return 0.25 * at(1, k); });
  const Vector xb = b.step({w[2]}, h, [&](std::size_t input, unsigned k) {
    return input == 0 ? -0.5 * at(0, k) : at(2, k) + 0.125 * at(0, k);
  });
  const Vector ya = a.output(xa);
  const Vector yb = b.output(xb);
  Vector next{xa[0], xa[1], xb[0], ya[0], yb[0], yb[1]};
  if (degree > 0) next.insert(next.end(), w.begin() + 3, w.begin() + 6);
  return next;
}

void expectEqual(const Vector& found, const Vector& expected, double within) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], within) << i;
}

TEST(RecursionMatrix, IsThatOfTheStep) {
  core::Log log;
  for (const unsigned degree : {0U, 1U})
    for (const bool linear : {true, false}) {
      MacroStepRecursion recursion(system(linear), settingsOf(AlgorithmKind::jacobi, degree), log);
      const std::size_t n = degree == 0 ? 6 : 9;
      ASSERT_EQ(recursion.size(), n);
      for (const double H : {0.5, 0.125}) {
        SCOPED_TRACE(std::to_string(degree) + (linear ? " linear " : " differences ") + std::to_string(H));
        expectEqual(recursion.matrix(H), columns(n, [&](const Vector& w) { return jacobiStep(w, H, degree); }),
                    linear ? 1e-13 : 1e-8);
      }
    }
}

/// What a run would do that keeps the coupling error.
TEST(RecursionMatrix, HasTheDegreeThatStepControlChooses) {
  core::Log log;
  Settings settings = settingsOf(AlgorithmKind::jacobi, 0);
  settings.stepControl.kind = stepping::StepControlKind::doubleStep;
  MacroStepRecursion recursion(system(true), settings, log);
  ASSERT_EQ(recursion.size(), 9U);
  expectEqual(recursion.matrix(0.5), columns(9, [](const Vector& w) { return jacobiStep(w, 0.5, 1); }), 1e-13);
}

/// Where the run begins, how large the members' states are, and what a run would do about steps is not part of it.
TEST(RecursionMatrix, DoesNotDependOnTheRun) {
  core::Log log;
  coupling::System made;
  StateModel a = first();
  StateModel b = second();
  a.variableStep = a.saves = b.variableStep = b.saves = false;
  a.states = {1e20, -3e20};
  b.states = {2e20};
  made.members.push_back({"first", make(a), {}});
  made.members.push_back({"second", make(b), {}});
  koppla::test::connect(made, {{"second.y", "first.u", 0.25},
                               {"first.y", "second.u", -0.5},
                               {"second.z", "second.v"},
                               {"first.y", "second.v", 0.125}});
  Settings settings = settingsOf(AlgorithmKind::jacobi, 1);
  settings.start = 5.0;
  settings.end = 6.0;
  settings.step = 0.3;  // does not divide the interval
  settings.stepControl.kind = stepping::StepControlKind::doubleStep;
  settings.onDiscard = OnDiscard::shorten;
  settings.explosionLimit = 1e-3;
  MacroStepRecursion recursion(std::move(made), settings, log);
  expectEqual(recursion.matrix(0.5), columns(9, [](const Vector& w) { return jacobiStep(w, 0.5, 1); }), 1e-13);
}

/// What is exchanged may be tiny: y = 1e-12 x, u = 1e12 times that. x' = x - h k x' in each iteration, so that the
/// converged step is x / (1 + h k)^2 and its like: p' = p - h q', q' = q + h p'.
TEST(RecursionMatrix, IsThatOfTheConvergedSchemeHoweverTinyValuesAre) {
  for (const auto acceleration : {coupling::AcceleratorKind::automatic, coupling::AcceleratorKind::none})
    for (const double scale : {1.0, 1e-12}) {
      const auto integrator = [&] {
        return make(
            {.states = {0.0},
             .step = [](const Vector& x, double h, const StateModel::Input& u) { return Vector{x[0] + h * u(0, 0)}; },
             .output = [scale](const Vector& x) { return Vector{scale * x[0]}; }});
      };
      coupling::System made;
      made.members.push_back({"p", integrator(), {}});
      made.members.push_back({"q", integrator(), {}});
      koppla::test::connect(made, {{"q.y", "p.u", -1.0 / scale}, {"p.y", "q.u", 1.0 / scale}});
      Settings settings = settingsOf(AlgorithmKind::iteratedGaussSeidel, 0);
      settings.algorithm.acceleration.kind = acceleration;
      settings.algorithm.rtol = 0.1;
      settings.algorithm.atol = 0.1;
      settings.algorithm.maxIterations = 2;
      core::Log log;
      MacroStepRecursion recursion(std::move(made), settings, log);
      // The new outputs are the held inputs: (p, q)' = (p - h q, q + h p) / (1 + h^2). With h = 0.9 a plain iteration
      // takes more than a hundred steps.
      for (const double h : {0.25, 0.9}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(acceleration)) + " " + std::to_string(scale));
        const double d = 1.0 + h * h;
        const Vector m = recursion.matrix(h);
        ASSERT_EQ(m.size(), 16U);
        EXPECT_NEAR(m[0], 1.0 / d, 1e-9);
        EXPECT_NEAR(m[1], -h / d, 1e-9);
        EXPECT_NEAR(m[4], h / d, 1e-9);
        EXPECT_NEAR(m[5], 1.0 / d, 1e-9);
        EXPECT_NEAR(m[8] / scale, 1.0 / d, 1e-9);
        EXPECT_NEAR(m[13] / scale, 1.0 / d, 1e-9);
        EXPECT_NEAR(recursion.spectralRadius(h), 1.0 / std::sqrt(d), 1e-9);
      }
    }
}

/// Central differences of a cubic tell their increment: (f(x + d) - f(x - d)) / 2d = 3 x^2 + d^2, with d a given part
/// of the value or of the nominal value of the output, whichever is larger; that of a state is 1.
TEST(RecursionMatrix, IncrementsArePartsOfValuesOrNominalValues) {
  const auto cubic = [](double y0, double nominal) {
    return make({.states = {y0},
                 .step =
                     [](const Vector& x, double h, const StateModel::Input& u) {
                       const double v = u(0, 0) + 0.5 * u(0, 1);
                       return Vector{std::pow(x[0], 3) + h * std::pow(v, 3)};
                     },
                 .nominals = {nominal},
                 .degree = 1,
                 .linear = false});
  };
  for (const unsigned degree : {0U, 1U}) {
    coupling::System made;
    made.members.push_back({"a", cubic(3.0, 10.0), {}});
    made.members.push_back({"b", cubic(-20.0, 4.0), {}});
    made.members.push_back({"c", cubic(0.5, 0.25), {}});
    koppla::test::connect(made, {{"a.y", "b.u"}, {"b.y", "c.u"}, {"c.y", "a.u"}});
    core::Log log;
    MacroStepRecursion recursion(std::move(made), settingsOf(AlgorithmKind::jacobi, degree), log, {.increment = 0.125});
    const Vector m = recursion.matrix(2.0);
    const std::size_t n = degree == 0 ? 6 : 9;
    ASSERT_EQ(m.size(), n * n);
    const auto slope = [](double x, double size) { return 3.0 * x * x + std::pow(0.125 * size, 2); };
    EXPECT_NEAR(m[0], slope(3.0, 3.0), 1e-9);
    EXPECT_NEAR(m[n + 1], slope(-20.0, 20.0), 1e-9);
    EXPECT_NEAR(m[2 * n + 2], slope(0.5, 1.0), 1e-9);
    // With a line v = y(n) + (y(n) - y(n-1)) / 2: three halves of the newest increment, half of the older one.
    const auto input = [&](double y, double size, double part) {
      return 2.0 * part * (3.0 * y * y + std::pow(part * 0.125 * size, 2));
    };
    const double newest = degree == 0 ? 1.0 : 1.5;
    EXPECT_NEAR(m[n + 3], input(3.0, 10.0, newest), 1e-8);
    EXPECT_NEAR(m[2 * n + 4], input(-20.0, 20.0, newest), 1e-8);
    EXPECT_NEAR(m[5], input(0.5, 0.5, newest), 1e-8);
    if (degree == 0) continue;
    EXPECT_NEAR(m[n + 6], input(3.0, 10.0, -0.5), 1e-8);
    EXPECT_NEAR(m[2 * n + 7], input(-20.0, 20.0, -0.5), 1e-8);
    EXPECT_NEAR(m[8], input(0.5, 0.5, -0.5), 1e-8);
  }
}

// --- What cannot be one ----------------------------------------------------------------------------------------------

/// An explicit algorithm whose step explodes is unstable; an iteration that does has no converged scheme.
TEST(RecursionMatrix, ExplosionsAreInfiniteOrNoScheme) {
  const auto loop = [](AlgorithmKind kind, double factor) {
    const auto member = [factor] {
      return make({.states = {1.0}, .step = [factor](const Vector& x, double, const StateModel::Input& u) {
                     return Vector{x[0] + factor * u(0, 0)};
                   }});
    };
    coupling::System made;
    made.members.push_back({"a", member(), {}});
    made.members.push_back({"b", member(), {}});
    koppla::test::connect(made, {{"a.y", "b.u"}, {"b.y", "a.u"}});
    Settings settings = settingsOf(kind, 0);
    settings.algorithm.acceleration.kind = coupling::AcceleratorKind::none;
    core::Log log;
    return MacroStepRecursion(std::move(made), settings, log);
  };
  EXPECT_EQ(loop(AlgorithmKind::jacobi, 1e160).spectralRadius(1.0), std::numeric_limits<double>::infinity());
  EXPECT_LT(loop(AlgorithmKind::jacobi, 1e140).spectralRadius(1.0), std::numeric_limits<double>::infinity());
  for (const double factor : {1e160, 3.0})
    EXPECT_THAT(messageOf<core::InputError>(
                    [&] { (void)loop(AlgorithmKind::iteratedGaussSeidel, factor).spectralRadius(1.0); }),
                AllOf(HasSubstr("does not converge in a macro step of 1 s"), HasSubstr("\"newton\"")));
}

TEST(RecursionMatrix, MembersWithoutStatesAreNamed) {
  const auto refusal = [](bool a, bool b, bool c) {
    coupling::System made;
    for (const auto& [name, has] : {std::pair("a", a), std::pair("b", b), std::pair("c", c)}) {
      StateModel model = first();
      model.hasStates = has;
      made.members.push_back({name, make(model), {}});
    }
    core::Log log;
    try {
      const MacroStepRecursion recursion(std::move(made), settingsOf(AlgorithmKind::jacobi, 0), log);
      return std::string();
    } catch (const core::InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refusal(true, true, true), "");
  EXPECT_THAT(refusal(false, true, true), HasSubstr("these give none: a."));
  EXPECT_THAT(refusal(true, false, false), HasSubstr("these give none: b, c."));
  EXPECT_THAT(refusal(false, false, false), HasSubstr("these give none: a, b, c."));
}

/// A static member has no states to give.
TEST(RecursionMatrix, StaticMembersNeedNoStates) {
  koppla::test::Formula law = koppla::test::gain(-2.0);
  law.capabilities.isStatic = true;
  law.capabilities.linear = true;
  coupling::System made;
  made.members.push_back(
      {"x",
       make({.states = {0.0},
             .step = [](const Vector& x, double h, const StateModel::Input& u) { return Vector{x[0] + h * u(0, 0)}; }}),
       {}});
  made.members.push_back({"law", koppla::test::makeSubsystem(law), {}});
  koppla::test::connect(made, {{"x.y", "law.u"}, {"law.y", "x.u"}});
  core::Log log;
  MacroStepRecursion recursion(std::move(made), settingsOf(AlgorithmKind::jacobi, 0), log);
  EXPECT_NEAR(recursion.spectralRadius(0.25), 0.5, 1e-12);  // x' = -2 x, held
}

TEST(RecursionMatrix, SlopesAndFailuresAreRefused) {
  core::Log log;
  Settings slopes = settingsOf(AlgorithmKind::jacobi, 1);
  slopes.algorithm.samples = coupling::Samples::valuesAndSlopes;
  EXPECT_THAT(messageOf<core::InputError>([&] { const MacroStepRecursion recursion(system(), slopes, log); }),
              HasSubstr("polynomials through values"));
  coupling::System failing = system();
  StateModel model = first();
  model.fails = true;
  failing.members[0].subsystem = make(model);
  EXPECT_THAT(messageOf<core::InputError>([&] {
                const MacroStepRecursion recursion(std::move(failing), settingsOf(AlgorithmKind::jacobi, 0), log);
              }),
              AllOf(HasSubstr("'first' failed"), HasSubstr("it was told to fail"),
                    HasSubstr("The recursion begins with members that are initialised")));
}

/// Members are terminated once, by whoever holds the recursion last.
TEST(RecursionMatrix, MembersAreTerminatedAtTheEnd) {
  int terminated = 0;
  {
    coupling::System made;
    StateModel model = first();
    model.terminated = &terminated;
    made.members.push_back({"a", make(model), {}});
    made.members.push_back({"b", make(model), {}});
    core::Log log;
    MacroStepRecursion one(std::move(made), settingsOf(AlgorithmKind::jacobi, 0), log);
    const MacroStepRecursion other(std::move(one));
    EXPECT_EQ(terminated, 0);
  }
  EXPECT_EQ(terminated, 2);
}

}  // namespace
}  // namespace koppla::run::recursion_matrix_test
