// Equations with unknowns and nothing else: integrate() makes a static subsystem of them.
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/solver/static_function.hpp"

#include "rig.hpp"
#include "support/allocations.hpp"
#include "support/figure.hpp"

namespace koppla::solver::test {
namespace {

using koppla::test::showFigure;
using subsystem::Slot;
using subsystem::Status;
using testing::HasSubstr;

constexpr auto kUnknowns = [](double, auto z, auto, auto y) { std::copy(z.begin(), z.end(), y.begin()); };

/// Unknowns from a start, which are the outputs as well, with residuals of them and the input u.
template <typename Residuals>
Model unknowns(std::vector<double> start, Residuals residuals) {
  Model model;
  model.inputs = {"u"};
  for (std::size_t i = 0; i < start.size(); ++i) model.outputs.push_back("z" + std::to_string(i));
  model.algebraic = start.size();
  model.x0 = std::move(start);
  model.f = [residuals](double, auto z, auto u, auto r) { residuals(z, u[0], r); };
  model.g = kUnknowns;
  return model;
}

/// Kepler's equation 0 = E - e sin E - M: the eccentric anomaly E of a body on an ellipse from its mean anomaly M.
constexpr double kEccentricity = 0.6;
double meanAnomaly(double E) {
  return E - kEccentricity * std::sin(E);
}
Model kepler() {
  return unknowns({-1.0}, [](auto z, double M, auto r) { r[0] = meanAnomaly(z[0]) - M; });
}

/// 0 = z^2 + u from 1: z = sqrt(-u), and nothing for positive u.
Model root() {
  return unknowns({1.0}, [](auto z, double u, auto r) { r[0] = z[0] * z[0] + u; });
}

/// A subsystem that has been initialised with the input u0, and what it has done since.
struct Solver : Rig {
  explicit Solver(Model model, double u0 = 0.0, const IntegratorSettings& settings = {})
      : Rig(integrate(equations(std::move(model)), settings), false, {u0}), before(system->effort()) {}

  Status evaluate(double u) {
    before = system->effort();
    return system->evaluate(0.5, std::vector{u}, y);
  }
  /// Of the last evaluation.
  [[nodiscard]] std::uint64_t corrections() const {
    return system->effort().correctorIterations - before.correctorIterations;
  }

  subsystem::Effort before;
};

TEST(StaticSolver, FindsTheUnknownsWhicheverTheIntegratorIs) {
  // A point at the distance u from the origin, 30 degrees above the horizontal.
  const Model point = unknowns({1.0, 1.0}, [](auto z, double u, auto r) {
    r[0] = z[0] * z[0] + z[1] * z[1] - u * u;
    r[1] = z[1] - z[0] / std::sqrt(3.0);
  });
  for (const Kind kind : kKinds) {
    Solver solver(point, 2.0, with(kind));
    EXPECT_NEAR(solver.y[0], std::sqrt(3.0), 1e-9) << word(kind);
    EXPECT_NEAR(solver.y[1], 1.0, 1e-9);
    // A step ends with the inputs at its end.
    ASSERT_EQ(solver.step(0.0, 0.1, {2.0, 2.0}).status, Status::ok);
    EXPECT_NEAR(solver.y[0], 2.0 * std::sqrt(3.0), 1e-9) << word(kind);
    EXPECT_NEAR(solver.y[1], 2.0, 1e-9);
  }
}

TEST(StaticSolver, MakesAStaticSubsystem) {
  const auto system = integrate(equations(kepler()), with(Kind::cvodeBdf, 0.1));
  const subsystem::Capabilities& capabilities = system->describe().capabilities;
  EXPECT_TRUE(capabilities.isStatic);
  EXPECT_TRUE(capabilities.saveRestore);
  EXPECT_TRUE(capabilities.evaluatesBetweenSteps);
  EXPECT_FALSE(capabilities.ownSteps);
  EXPECT_EQ(system->states(), std::vector<double>{});
}

TEST(StaticSolver, IsAsAccurateAsTheTolerancesDemand) {
  for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-13}) {
    IntegratorSettings settings;
    settings.rtol = tolerance;
    settings.atol = 0.0;
    Solver solver(kepler(), meanAnomaly(0.1), settings);
    for (double E = 0.1; E < 6.0; E += 0.1) {
      ASSERT_EQ(solver.evaluate(meanAnomaly(E)), Status::ok) << solver.system->failure();
      EXPECT_NEAR(solver.y[0], E, std::fmax(tolerance, 5e-15) * E);
    }
  }
}

TEST(StaticSolver, StartsFromTheLastSolution) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  constexpr int kCalls = 1000;
  Solver warm(kepler(), 0.0);
  std::uint64_t mostWarm = 0;
  std::uint64_t fewestCold = 1000;
  std::uint64_t allWarm = 0;
  std::uint64_t allCold = 0;
  for (int k = 1; k < kCalls; ++k) {
    const double E = kTurn * k / kCalls;
    ASSERT_EQ(warm.evaluate(meanAnomaly(E)), Status::ok);
    ASSERT_NEAR(warm.y[0], E, 1e-9);
    mostWarm = std::max(mostWarm, warm.corrections());
    allWarm += warm.corrections();
    Solver cold(kepler(), meanAnomaly(E));
    ASSERT_NEAR(cold.y[0], E, 1e-9);
    const std::uint64_t corrections = cold.system->effort().correctorIterations;
    allCold += corrections;
    fewestCold = std::min(fewestCold, corrections);
  }
  EXPECT_GE(warm.system->effort().jacobians, allWarm);
  showFigure({"schmoll R51", "warm-start",
              "corrections a call for Kepler's equation with slowly varying input: at most 2 warm, more than 2 cold"},
             fmt::format("at most {} warm, at least {} cold; {} and {} in all", mostWarm, fewestCold, allWarm, allCold),
             mostWarm <= 2 && fewestCold > 2);
}

TEST(StaticSolver, TinyChangesOfInputsAreSeen) {
  // As differences for derivatives make them: a start within the tolerances is no solution yet.
  Solver solver(kepler(), meanAnomaly(1.0));
  const double before = solver.y[0];
  const double change = 1.5e-8;
  solver.evaluate(meanAnomaly(1.0) + change);
  const double slope = 1.0 / (1.0 - kEccentricity * std::cos(1.0));
  EXPECT_NEAR((solver.y[0] - before) / change, slope, 1e-4 * slope);
}

TEST(StaticSolver, TellsDerivativesOfItsSolution) {
  Solver solver(kepler(), meanAnomaly(1.0));
  std::vector<double> column(1);
  ASSERT_EQ(solver.system->differentiate(0, column), Status::ok);
  EXPECT_NEAR(column[0], 1.0 / (1.0 - kEccentricity * std::cos(1.0)), 1e-7);
}

TEST(StaticSolver, DampsCorrectionsThatLeadAstray) {
  // Undamped, Newton's iteration on the arc tangent diverges from everywhere beyond 1.39.
  Solver solver(unknowns({10.0}, [](auto z, double u, auto r) { r[0] = std::atan(z[0] - u); }), 3.0);
  EXPECT_NEAR(solver.y[0], 3.0, 1e-9);
  // A logarithm has no value where the first whole correction leads.
  Solver domain(unknowns({10.0}, [](auto z, double u, auto r) { r[0] = std::log(z[0]) - u; }), 0.0);
  EXPECT_NEAR(domain.y[0], 1.0, 1e-9);
}

TEST(StaticSolver, DoesNotDependOnTheUnitsOfResiduals) {
  const auto solved = [](double first, double second) {
    return Solver(unknowns({2.0, 0.5},
                           [=](auto z, double, auto r) {
                             r[0] = first * (z[0] * z[1] - 2.0);
                             r[1] = second * (z[0] - z[1] * z[1] - 1.0);
                           }))
        .system->effort()
        .correctorIterations;
  };
  EXPECT_EQ(solved(1e12, 1e-12), solved(1.0, 1.0));
  EXPECT_EQ(solved(1e-12, 1.0), solved(1.0, 1.0));
}

TEST(StaticSolver, StopsWhereThereIsNoSolution) {
  Solver solver(root(), -4.0);
  ASSERT_NEAR(solver.y[0], 2.0, 1e-9);
  ASSERT_EQ(solver.evaluate(0.25), Status::error);
  // z^2 + 1/4 is never smaller than 1/4.
  EXPECT_THAT(solver.system->failure(), HasSubstr("test: no solution was found"));
  EXPECT_THAT(solver.system->failure(), HasSubstr("the largest residual is 0.25"));
  EXPECT_THAT(solver.system->failure(), HasSubstr("of the unknown 1 of 1"));
  EXPECT_THAT(solver.system->failure(), HasSubstr("(at t = 0.5 s)"));
  EXPECT_NEAR(solver.y[0], 2.0, 1e-9) << "nothing is returned";

  const subsystem::StepResult result = solver.step(0.5, 0.6, {0.25});
  EXPECT_EQ(result.status, Status::error);
  EXPECT_EQ(result.reached, 0.5);
  EXPECT_THAT(solver.system->failure(), HasSubstr("test: no solution was found"));
}

TEST(StaticSolver, FailsWithoutForgettingTheLastSolution) {
  Solver one(root(), -400.0);
  Solver other(root(), -400.0);
  ASSERT_EQ(one.evaluate(1.0), Status::error);
  EXPECT_EQ(one.evaluate(-401.0), Status::ok);
  EXPECT_EQ(other.evaluate(-401.0), Status::ok);
  EXPECT_EQ(one.y, other.y);
  EXPECT_EQ(one.corrections(), other.corrections());
  EXPECT_LE(one.corrections(), 2U);
}

TEST(StaticSolver, SaysWhyItCannotSolve) {
  const auto failureOf = [](auto residual) {
    return Solver(unknowns({1.0}, [=](auto z, double, auto r) { r[0] = residual(z[0]); })).system->failure();
  };
  EXPECT_THAT(failureOf([](double) { return 3.0; }),
              HasSubstr("test: the residuals do not determine the unknowns there, their matrix is singular; the "
                        "largest residual is 3"));
  EXPECT_THAT(failureOf([](double z) { return std::sqrt(z - 2.0); }),
              HasSubstr("test: the residual of the unknown 1 of 1 is not a finite number where its solution begins"));
  // Always smaller, never zero.
  EXPECT_THAT(failureOf([](double z) { return std::exp(z); }), HasSubstr("test: no solution was found"));
  EXPECT_THAT(failureOf([](double z) { return 1.0 / z; }), HasSubstr("test: no solution was found"));
  // It jumps over zero.
  EXPECT_THAT(failureOf([](double z) { return z > 0.3 ? z + 1.0 : z - 1.0; }),
              HasSubstr("test: no solution was found"));
}

TEST(StaticSolver, FollowsTheBranchOfItsStart) {
  Solver upper(root(), -1.0);
  Model model = root();
  model.x0 = {-1.0};
  Solver lower(model, -1.0);
  for (double u = -1.0; u > -9.0; u -= 0.5) {
    upper.evaluate(u);
    lower.evaluate(u);
    EXPECT_NEAR(upper.y[0], std::sqrt(-u), 1e-9);
    EXPECT_NEAR(lower.y[0], -std::sqrt(-u), 1e-9);
  }
}

TEST(StaticSolver, RepeatsBitByBitAfterARestore) {
  Solver solver(root(), -400.0);
  solver.system->save(Slot::macroStep);
  const auto repeat = [&] {
    solver.system->restore(Slot::macroStep);
    solver.evaluate(-410.0);
    return std::pair(solver.y[0], solver.corrections());
  };
  const auto first = repeat();
  solver.evaluate(-1e6);
  EXPECT_EQ(repeat(), first);
  // Without it the way back is long: a correction of a square root halves it at best, 1000 to 20 is more than five.
  solver.evaluate(-1e6);
  solver.evaluate(-410.0);
  EXPECT_GT(solver.corrections(), 5U);
  EXPECT_LT(first.second, 5U);
}

TEST(StaticSolver, IsAFunctionForIntegratorsWithItsSlope) {
  std::vector<std::unique_ptr<subsystem::Subsystem>> instances;
  for (int i = 0; i < 2; ++i) instances.push_back(integrate(equations(kepler()), {}));
  StaticFunction anomaly("kepler", std::move(instances), {0}, {.coupling = StaticCoupling::predictor});
  anomaly.begin({0.0, 1.0, {}});
  for (const double E : {0.5, 0.51, 1.0, 1.01}) {
    const double M = meanAnomaly(E);
    anomaly.call(Visit::predicted, 0.0, std::vector{M});
    EXPECT_NEAR(anomaly.values(0.0, std::vector{M})[0], E, 1e-9);
    EXPECT_NEAR(anomaly.values(0.0, std::vector{M + 1.0})[0], E + 1.0 / (1.0 - kEccentricity * std::cos(E)), 1e-4);
  }
}

TEST(StaticSolver, AllocatesNothingOnceItHasBegun) {
  Solver solver(kepler(), meanAnomaly(1.0));
  solver.evaluate(meanAnomaly(1.1));
  const std::size_t before = koppla::test::allocations();
  for (const double E : {1.2, 1.5, 2.0, 3.0}) {
    const std::array<double, 1> M{meanAnomaly(E)};
    solver.system->save(Slot::iteration);
    solver.system->evaluate(1.0, M, solver.y);
    solver.system->restore(Slot::iteration);
    solver.system->advance({1.0, 1.1, false, false}, subsystem::held(M), solver.y);
  }
  EXPECT_EQ(koppla::test::allocations() - before, 0U);
}

}  // namespace
}  // namespace koppla::solver::test
