// Iterations end where the solution is within the tolerances, not where answers agree with what was sent: in a loop of
// slope g these differ by 1 - g only. Solutions are closed forms.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "fmu_system.hpp"
#include "support/extremes.hpp"

namespace koppla::run::distance_test {
namespace {

using coupling::AcceleratorKind;
using coupling::AlgorithmKind;
using coupling::ConvergenceTest;
using test::Formula;
using test::makeSystem;

constexpr double kStep = 0.05;
constexpr unsigned kSteps = 60;

/// Solution i of a loop at t.
double solution(std::size_t i, double t) {
  return 2.0 + std::sin(t + static_cast<double>(i));
}

/// x = s(t) + J (u - s(t)) with J = Q diag(g) Q^T, Q the reflection at (1, 1, ..., 1), every value in a unit of its
/// own.
struct Loop {
  std::vector<double> g;
  std::vector<double> units{};  ///< all 1 where there are none

  [[nodiscard]] double unit(std::size_t i) const { return units.empty() ? 1.0 : units[i]; }

  [[nodiscard]] std::vector<double> reflected(std::vector<double> v) const {
    double sum = 0.0;
    for (const double value : v) sum += value;
    for (double& value : v) value -= 2.0 * sum / static_cast<double>(v.size());
    return v;
  }
  [[nodiscard]] std::vector<double> answer(double t, std::span<const double> u) const {
    std::vector<double> away(g.size());
    for (std::size_t i = 0; i < g.size(); ++i) away[i] = u[i] / unit(i) - solution(i, t);
    away = reflected(away);
    for (std::size_t i = 0; i < g.size(); ++i) away[i] *= g[i];
    away = reflected(away);
    for (std::size_t i = 0; i < g.size(); ++i) away[i] = unit(i) * (away[i] + solution(i, t));
    return away;
  }
};

struct Ended {
  Outcome outcome;
  test::Largest worst;  ///< of all values in all steps, in tolerances
  std::uint64_t evaluations = 0;
  std::string warnings;
};

Settings settingsOf(AlgorithmKind kind, AcceleratorKind acceleration = AcceleratorKind::automatic) {
  Settings settings;
  settings.step = kStep;
  settings.end = kSteps * kStep;
  settings.algorithm.kind = kind;
  settings.algorithm.acceleration.kind = acceleration;
  return settings;
}

Ended iterate(const Formula& a, const Settings& settings, const Loop& loop = {}) {
  const std::size_t n = a.inputs.size();
  Formula b{.inputs = a.inputs, .outputs = a.outputs, .states = {}, .output = [](const auto&, double, const auto& u) {
              return std::vector<double>(u.begin(), u.end());
            }};
  std::vector<test::Link> connections;
  for (std::size_t i = 0; i < n; ++i) {
    connections.push_back({"a." + a.outputs[i], "b." + a.inputs[i]});
    connections.push_back({"b." + a.outputs[i], "a." + a.inputs[i]});
  }
  Ended ended;
  core::Log log;
  log.addSink(
      [&](core::Severity, std::string_view, std::string_view text) { ended.warnings += std::string(text) + "\n"; },
      core::Severity::warning);
  run::Run run(makeSystem({{"a", a}, {"b", b}}, connections), settings, log);
  ended.outcome = run.initialise();
  for (unsigned step = 0; step < kSteps && ended.outcome.ok(); ++step) {
    ended.outcome = run.step();
    if (!ended.outcome.ok()) break;
    for (std::size_t i = 0; i < n; ++i) {
      const double exact = loop.unit(i) * solution(i, run.time());
      const double error = std::get<double>(run.value("a." + a.outputs[i])) - exact;
      ended.worst.see(std::fabs(error) /
                      core::Tolerance{settings.algorithm.rtol, settings.algorithm.atol}.allowed(exact, 0.0));
    }
  }
  ended.evaluations = run.statistics().cycles.at(0).evaluations;
  return ended;
}

Formula member(const Loop& loop) {
  Formula a{.inputs = {}, .outputs = {}, .states = {}, .output = [loop](const auto&, double t, const auto& u) {
              return loop.answer(t, std::vector<double>(u.begin(), u.end()));
            }};
  for (std::size_t i = 0; i < loop.g.size(); ++i) {
    a.inputs.push_back("u" + std::to_string(i));
    a.outputs.push_back("y" + std::to_string(i));
  }
  return a;
}

Ended iterate(const Loop& loop, const Settings& settings) {
  return iterate(member(loop), settings, loop);
}

struct Method {
  AlgorithmKind kind;
  AcceleratorKind acceleration;
  bool learns;  ///< slopes
};

const std::vector<Method>& methods() {
  static const std::vector<Method> kMethods{{AlgorithmKind::iteratedGaussSeidel, AcceleratorKind::automatic, true},
                                            {AlgorithmKind::iteratedJacobi, AcceleratorKind::automatic, true},
                                            {AlgorithmKind::newton, AcceleratorKind::automatic, true},
                                            {AlgorithmKind::iteratedGaussSeidel, AcceleratorKind::iqnIls, true},
                                            {AlgorithmKind::iteratedGaussSeidel, AcceleratorKind::iqnImvj, true},
                                            {AlgorithmKind::iteratedGaussSeidel, AcceleratorKind::anderson, true},
                                            {AlgorithmKind::iteratedGaussSeidel, AcceleratorKind::none, false},
                                            {AlgorithmKind::iteratedGaussSeidel, AcceleratorKind::constant, false},
                                            {AlgorithmKind::iteratedGaussSeidel, AcceleratorKind::aitken, false},
                                            {AlgorithmKind::iteratedGaussSeidel, AcceleratorKind::broyden,
                                             false}};  // which bounds how far it believes slopes
  return kMethods;
}

/// At most three tolerances, or exit code 4; and learning slopes costs at most two evaluations a step.
void expectNear(const Loop& loop, const std::string& what) {
  for (const Method& method : methods()) {
    const std::string name = what + ", method " + std::to_string(&method - methods().data());
    const Settings settings = settingsOf(method.kind, method.acceleration);
    const Ended ended = iterate(loop, settings);
    const bool ok = ended.outcome.ok();
    EXPECT_TRUE(ok || (!method.learns && ended.outcome.kind == OutcomeKind::notConverged) ||
                (!method.learns && ended.outcome.kind == OutcomeKind::exploded))
        << name << ": " << ended.outcome.message;
    if (!ok) continue;
    EXPECT_LE(ended.worst, 3.0) << name;
    EXPECT_EQ(ended.warnings, "") << name;
    if (!method.learns) continue;
    // The test by residual ends too early where slopes are near 1, so loops in which it does not are compared with,
    // too.
    Settings byResidual = settings;
    byResidual.algorithm.test = ConvergenceTest::residual;
    const Loop mild{std::vector<double>(loop.g.size(), 0.5)};
    const std::uint64_t usual = std::max(iterate(loop, byResidual).evaluations, iterate(mild, byResidual).evaluations);
    EXPECT_LE(ended.evaluations, usual + 2 * kSteps) << name;
  }
}

TEST(Distance, OfOneValueIsWithinTheTolerances) {
  for (const double g : {-5.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999}) expectNear({{g}}, "g = " + std::to_string(g));
}

TEST(Distance, OfSeveralValuesIsWithinTheTolerances) {
  for (const double g : {-5.0, 0.9, 0.99, 0.999, 0.9999, 0.99999}) {
    expectNear({{g, 0.1}}, "two, g = " + std::to_string(g));
    expectNear({{0.2, g, -0.4, 0.7}}, "four, g = " + std::to_string(g));
  }
}

/// Short steps move values by less than tolerances: what each of them leaves open is handed on by the prediction.
TEST(Distance, StaysWithinTheTolerancesOverManyShortSteps) {
  for (const double g : {0.99, 0.999, 0.9999, 0.99999})
    for (const AlgorithmKind kind : {AlgorithmKind::iteratedJacobi, AlgorithmKind::newton}) {
      Settings settings = settingsOf(kind);
      settings.step = 1e-3;
      const Ended ended = iterate(Loop{{g}}, settings);
      EXPECT_TRUE(ended.outcome.ok()) << g << ": " << ended.outcome.message;
      EXPECT_LE(ended.worst, 3.0) << "g = " << g << ", " << static_cast<int>(kind);
    }
}

/// A mean over all values would let one of them be off by the root of their number.
TEST(Distance, OfOneValueIsNotHiddenByManyOthers) {
  constexpr std::size_t kMany = 40;
  const auto answer = [](const auto&, double t, const auto& u) {
    std::vector<double> y(kMany);
    for (std::size_t i = 0; i < kMany; ++i) y[i] = solution(i, t);
    y[0] += 0.9 * (u[0] - y[0]);
    return y;
  };
  Formula a{.inputs = {}, .outputs = {}, .states = {}, .output = answer};
  for (std::size_t i = 0; i < kMany; ++i) {
    a.inputs.push_back("u" + std::to_string(i));
    a.outputs.push_back("y" + std::to_string(i));
  }
  for (const ConvergenceTest convergence : {ConvergenceTest::error, ConvergenceTest::residual}) {
    Settings settings = settingsOf(AlgorithmKind::iteratedGaussSeidel, AcceleratorKind::none);
    settings.algorithm.test = convergence;
    const Ended ended = iterate(a, settings, Loop{std::vector<double>(kMany)});
    ASSERT_TRUE(ended.outcome.ok()) << ended.outcome.message;
    const double bySize = 1.0 + 0.1 * 3.0;            // what sizes of 3 add to tolerances of values from 1 on
    const double mostByResidual = 0.9 / (1.0 - 0.9);  // of the answer, where the residual is one tolerance
    EXPECT_LE(ended.worst, bySize * (convergence == ConvergenceTest::error ? 1.0 : mostByResidual));
  }
}

/// Nobody says how large values are: they show it. Quasi-Newton methods without scaling may not come near where sizes
/// are mixed.
TEST(Distance, IsWithinTheTolerancesForValuesOfAnySize) {
  const std::vector<std::vector<double>> sizes{{1e-12}, {1e-9}, {1e-6},        {1e-4},
                                               {1e3},   {1e12}, {1e-12, 1e12}, {1e-9, 1.0, 1e6}};
  for (const std::vector<double>& units : sizes)
    for (const double g : {0.9, -5.0})
      for (const Method& method : methods()) {
        std::vector<double> slopes{g, 0.3, -0.2};
        slopes.resize(units.size());
        const Ended ended = iterate(Loop{slopes, units}, settingsOf(method.kind, method.acceleration));
        const std::string name = "size " + std::to_string(units.front()) + " of " + std::to_string(units.size()) +
                                 ", g = " + std::to_string(g) + ", method " +
                                 std::to_string(&method - methods().data());
        const bool scales = units.size() == 1 || method.acceleration == AcceleratorKind::automatic;
        EXPECT_TRUE(ended.outcome.ok() || !method.learns || !scales) << name << ": " << ended.outcome.message;
        if (!ended.outcome.ok()) continue;
        EXPECT_LE(ended.worst, 10.0) << name;
      }
}

/// A force at rest is the difference of large ones: 0.3 is none of their digits.
TEST(Distance, OfASmallDifferenceOfLargeValuesIsThatOfRounding) {
  for (const Method& method : methods()) {
    if (!method.learns) continue;
    Formula a{.inputs = {"u0", "u1"},
              .outputs = {"y0", "y1"},
              .states = {},
              .output = [](const auto&, double, const auto& u) {
                const double noise = 1e-13 * std::sin(1e16 * u[1]);
                return std::vector<double>{1000.0 + 0.5 * u[1], 0.5 * (u[0] - 1000.0) - 0.5 * u[1] + noise};
              }};
    const Settings settings = settingsOf(method.kind, method.acceleration);
    const Ended ended = iterate(a, settings);
    EXPECT_TRUE(ended.outcome.ok()) << "method " << &method - methods().data() << ": " << ended.outcome.message;
  }
}

/// The residual alone passes far from there.
TEST(Distance, OfTheTestByResidualIsNotBounded) {
  Settings settings = settingsOf(AlgorithmKind::iteratedGaussSeidel);
  settings.algorithm.test = ConvergenceTest::residual;
  const Ended ended = iterate(Loop{{0.999}}, settings);
  ASSERT_TRUE(ended.outcome.ok());
  EXPECT_GT(ended.worst, 100.0);
}

/// Slopes that change: what was seen long ago does not count.
TEST(Distance, IsWithinTheTolerancesWhereSlopesChange) {
  for (const AlgorithmKind kind : {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::newton}) {
    Formula a{.inputs = {"u0"}, .outputs = {"y0"}, .states = {}, .output = [](const auto&, double t, const auto& u) {
                const double g = 1.0 - std::pow(10.0, -t);  // 0 to 0.999
                return std::vector<double>{solution(0, t) + g * (u[0] - solution(0, t))};
              }};
    const Ended ended = iterate(a, settingsOf(kind));
    ASSERT_TRUE(ended.outcome.ok()) << ended.outcome.message;
    EXPECT_LE(ended.worst, 10.0);
  }
}

/// A loop that becomes stiff at once agrees with what is sent to it, whatever that is.
TEST(Distance, IsWithinTheTolerancesWhereASlopeJumps) {
  for (const double later : {0.99, 0.9999, 0.99999})
    for (const Method& method : methods()) {
      if (!method.learns) continue;
      Formula a = member(Loop{{0.1}});
      a.output = [later](const auto&, double t, const auto& u) {
        return Loop{{t > 0.5 * kSteps * kStep ? later : 0.1}}.answer(t, std::vector<double>(u.begin(), u.end()));
      };
      const Ended ended = iterate(a, settingsOf(method.kind, method.acceleration));
      ASSERT_TRUE(ended.outcome.ok()) << ended.outcome.message;
      EXPECT_LE(ended.worst, 4.0) << later << ", method " << &method - methods().data();
    }
}

/// One slow direction among more values than directions can be seen: it is found by what stays of the residual.
TEST(Distance, OfManyValuesIsNearOrToldToBeFar) {
  for (const double slowest : {0.99, 0.9999})
    for (const Method& method : methods()) {
      if (!method.learns) continue;
      std::vector<double> g(60);
      for (std::size_t i = 0; i < g.size(); ++i) g[i] = 0.5 * std::sin(static_cast<double>(i * i));
      g[7] = slowest;
      const Ended ended = iterate(Loop{g}, settingsOf(method.kind, method.acceleration));
      const std::string name = std::to_string(slowest) + ", method " + std::to_string(&method - methods().data());
      EXPECT_TRUE(ended.outcome.ok() || (slowest > 0.99 && ended.outcome.kind == OutcomeKind::notConverged))
          << name << ended.outcome.message;
      if (!ended.outcome.ok()) continue;
      EXPECT_LE(ended.worst, 10.0) << name;
    }
}

/// A subsystem that solves something inside to 1e-6 answers a little else for every input.
TEST(Distance, ThatCannotBeSeenIsToldAndEndsNoRun) {
  Formula a{.inputs = {"u0"}, .outputs = {"y0"}, .states = {}, .output = [](const auto&, double t, const auto& u) {
              const double noise = 1e-6 * std::sin(1e9 * u[0]);
              return std::vector<double>{solution(0, t) + 0.3 * (u[0] - solution(0, t)) + noise};
            }};
  Settings settings = settingsOf(AlgorithmKind::iteratedGaussSeidel);
  settings.algorithm.rtol = 1e-6;
  settings.algorithm.atol = 0.0;
  settings.algorithm.initialisation = coupling::Initialisation::startValues;
  const Ended ended = iterate(a, settings);
  ASSERT_TRUE(ended.outcome.ok()) << ended.outcome.message;
  EXPECT_LE(ended.worst, 10.0);
}

/// F = K (y - z) with y near z: small differences of large values are as exact as the values that are sent.
TEST(Distance, OfValuesOutsideTheCutIsWithinTheTolerances) {
  constexpr double kStiffness = 1e4;
  const auto force = [](double t) { return 10.0 + 5.0 * std::cos(t); };
  const auto z = [&](double t) { return solution(0, t) - force(t) / kStiffness; };
  const Formula a{.inputs = {"u"}, .outputs = {"y"}, .states = {}, .output = [](const auto&, double t, const auto& u) {
                    return std::vector<double>{solution(0, t) + 0.9 * (u[0] - solution(0, t))};
                  }};
  const Formula b{.inputs = {"y"}, .outputs = {"F"}, .states = {}, .output = [&](const auto&, double t, const auto& y) {
                    return std::vector<double>{kStiffness * (y[0] - z(t))};
                  }};
  const Formula c{.inputs = {"F"}, .outputs = {"u"}, .states = {}, .output = [&](const auto&, double t, const auto& F) {
                    return std::vector<double>{F[0] / kStiffness + z(t)};
                  }};
  for (const double step : {0.05, 0.01}) {
    Settings settings = settingsOf(AlgorithmKind::newton);
    settings.step = step;
    core::Log log;
    run::Run run(makeSystem({{"a", a}, {"b", b}, {"c", c}}, {{"a.y", "b.y"}, {"b.F", "c.F"}, {"c.u", "a.u"}}), settings,
                 log);
    ASSERT_TRUE(run.initialise().ok());
    test::Largest worst;
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(run.step().ok());
      const double exact = force(run.time());
      worst.see(std::fabs(std::get<double>(run.value("b.F")) - exact) / (1e-5 * exact));
    }
    EXPECT_LE(worst, 30.0) << step;
  }
}

/// Slopes are not looked for where no evaluation would be left to make use of them.
TEST(Distance, TwoEvaluationsAStepAreEnoughWhereTheyWere) {
  Settings settings = settingsOf(AlgorithmKind::iteratedGaussSeidel);
  settings.algorithm.maxIterations = 2;
  settings.step = 1e-4;
  const Ended ended = iterate(Loop{{0.2}}, settings);
  EXPECT_TRUE(ended.outcome.ok()) << ended.outcome.message;
}

/// Where residuals are rounding there is nothing to be seen of slopes, and nothing to be gained.
TEST(Distance, IsNotAskedOfRounding) {
  for (const double g : {0.5, -0.7})
    for (const std::size_t n : {1U, 3U}) {
      Loop loop{std::vector<double>(n, g)};
      Formula a = member(loop);
      a.output = [loop](const auto&, double, const auto& u) {
        return loop.answer(0.3, std::vector<double>(u.begin(), u.end()));  // at rest
      };
      Settings settings = settingsOf(AlgorithmKind::iteratedGaussSeidel);
      settings.algorithm.rtol = 1e-13;
      settings.algorithm.atol = 0.0;
      EXPECT_TRUE(iterate(a, settings).outcome.ok()) << g << ' ' << n;
    }
}

TEST(Distance, ThatIsTooLargeIsToldWhereNothingElseIsWrong) {
  Settings settings = settingsOf(AlgorithmKind::iteratedGaussSeidel, AcceleratorKind::none);
  const Ended ended = iterate(Loop{{0.9999}}, settings);
  EXPECT_EQ(ended.outcome.kind, OutcomeKind::notConverged);
  EXPECT_NE(ended.outcome.message.find("what is sent and answered agrees, but the solution is"), std::string::npos)
      << ended.outcome.message;
}

}  // namespace
}  // namespace koppla::run::distance_test
