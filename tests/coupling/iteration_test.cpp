#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/coupling/coupled_step.hpp"

#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::iteration_test {
namespace {

using test::Formula;
using test::gain;
using test::integrator;
using test::makeSystem;

/// One macro step of a system by an algorithm, with the outputs that it left.
struct Solved {
  StepOutcome outcome;
  double norm = 0.0;
  std::vector<double> outputs;
  std::uint64_t evaluations = 0;
};

Solved solveOnce(System system, const AlgorithmSettings& settings, std::vector<double> start, double h) {
  const auto cycles = findCycles(system);
  Network network(system, cycles, 1e100);
  std::ranges::copy(start, network.outputs().begin());
  CoupledStep step(network, cycles, settings, false);
  step.begin(0.0);
  Solved solved;
  solved.outcome = step.solve({{0.0, h, false}, {}, false, false});
  solved.outputs.assign(network.outputs().begin(), network.outputs().end());
  for (const auto& cycle : step.iteratedCycles()) {
    solved.evaluations += cycle->evaluations;
    solved.norm = cycle->algorithm->solution().norm;
  }
  return solved;
}

/// Parts 2 and 3 of the control loop with events (Nicolai, sec. 4) as they stand at t = 1.4: x1 = 1, x2 = 0, x4 = 2.4.
System controlLoop() {
  const Formula part2{
      .inputs = {"x4"}, .outputs = {"x3"}, .states = {}, .output = [](const auto&, double, const auto& u) {
        return std::vector<double>{u[0] < 2.5 ? 3.0 : 0.0};
      }};
  return makeSystem({{"part2", part2}, {"part3", integrator(2.0, 2.4)}},
                    {{"part2.x3", "part3.u"}, {"part3.y", "part2.x4"}});
}

TEST(FixedPoint, TheReportsNormOnItsAlternatingStep) {
  // At [1.4, 1.5] the values alternate 3 / 0 / 3 / 0 and the report prints these norms.
  const std::vector<double> printed{8824.0, 38243.0, 150259.0, 38243.0};
  for (unsigned k = 1; k <= printed.size(); ++k) {
    const AlgorithmSettings settings{.kind = AlgorithmKind::iteratedGaussSeidel,
                                     .maxIterations = k,
                                     .rtol = 1e-5,
                                     .atol = 1e-5,
                                     .norm = Norm::nicolai,
                                     .acceleration = {.kind = AcceleratorKind::none}};
    const Solved solved = solveOnce(controlLoop(), settings, {3.0, 2.4}, 0.1);
    EXPECT_FALSE(solved.outcome.converged());
    EXPECT_EQ(solved.evaluations, k);
    EXPECT_EQ(solved.outputs[0], k % 2 == 1 ? 3.0 : 0.0);
    test::showWithin({"nicolai N3", "wrms-" + std::to_string(k), "WRMS " + std::to_string(int(printed[k - 1]))},
                     solved.norm, printed[k - 1], 0.5);
  }
}

/// x' = -x + y, y = c x, one implicit step by held y(h): the fixed point solves x1 = x0 e^-h + (1 - e^-h) c x1.
System linearLoop(double c) {
  const Formula lag{
      .inputs = {"u"},
      .outputs = {"y"},
      .states = {1.0},
      .step = [](auto& x, double, double h, const auto& u) { x[0] = u[0] + (x[0] - u[0]) * std::exp(-h); },
      .output = [](const auto& x, double, const auto&) { return x; },
      .feedThrough = false};
  return makeSystem({{"g", gain(c)}, {"lag", lag}}, {{"g.y", "lag.u"}, {"lag.y", "g.u"}});
}

double linearSolution(double c, double h) {
  return std::exp(-h) / (1.0 - c * (1.0 - std::exp(-h)));
}

TEST(FixedPoint, InSequenceAndInParallelMeetTheSameSolution) {
  for (const AlgorithmKind kind : {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::iteratedJacobi}) {
    const Solved solved =
        solveOnce(linearLoop(0.8), {.kind = kind, .maxIterations = 100, .rtol = 1e-12, .atol = 1e-12}, {0.8, 1.0}, 0.1);
    ASSERT_TRUE(solved.outcome.converged());
    EXPECT_NEAR(solved.outputs[1], linearSolution(0.8, 0.1), 1e-10);
  }
}

TEST(Newton, ALinearCycleNeedsOneCorrectionEvenWhereIterationDiverges) {
  // Loop gain over the step: c (1 - e^-h) = -9.5 for c = -100, h = 0.1; fixed-point iteration would explode.
  const Solved solved =
      solveOnce(linearLoop(-100.0), {.kind = AlgorithmKind::newton, .rtol = 1e-9, .atol = 1e-9}, {-100.0, 1.0}, 0.1);
  ASSERT_TRUE(solved.outcome.converged());
  EXPECT_NEAR(solved.outputs[1], linearSolution(-100.0, 0.1), 1e-9);
  EXPECT_LE(solved.evaluations, 3U);
}

RC_GTEST_PROP(Newton, AgreesWithIterationWhereThatConverges, ()) {
  const double c = *rc::gen::inRange(-90, 90) / 100.0;
  const double h = *rc::gen::inRange(1, 100) / 100.0;
  const AlgorithmSettings tight{.kind = AlgorithmKind::newton, .maxIterations = 200, .rtol = 1e-11, .atol = 1e-11};
  AlgorithmSettings iterated = tight;
  iterated.kind = AlgorithmKind::iteratedGaussSeidel;
  const Solved a = solveOnce(linearLoop(c), tight, {c, 1.0}, h);
  const Solved b = solveOnce(linearLoop(c), iterated, {c, 1.0}, h);
  RC_ASSERT(a.outcome.converged() && b.outcome.converged());
  RC_ASSERT(std::fabs(a.outputs[1] - b.outputs[1]) < 1e-9);
}

TEST(Newton, AProbeThatLeavesTheModelsDomainIsTriedBackward) {
  // a = sqrt(1 - u) - 1 lives on u <= 1; x' = a from x(0) = 1 stays there, but a forward probe at u = 1 does not.
  const Formula root{.inputs = {"u"}, .outputs = {"y"}, .states = {}, .output = [](const auto&, double, const auto& u) {
                       return std::vector<double>{std::sqrt(1.0 - u[0]) - 1.0};
                     }};
  const Solved solved =
      solveOnce(makeSystem({{"a", root}, {"x", integrator(1.0, 1.0)}}, {{"a.y", "x.u"}, {"x.y", "a.u"}}),
                {.kind = AlgorithmKind::newton, .maxIterations = 100, .rtol = 1e-9, .atol = 1e-9}, {-1.0, 1.0}, 0.1);
  ASSERT_FALSE(solved.outcome.fault);
  ASSERT_TRUE(solved.outcome.converged());
  // x = 1 + 0.1 (sqrt(1 - x) - 1): with s = sqrt(1 - x), s^2 + 0.1 s - 0.1 = 0.
  const double s = (-0.1 + std::sqrt(0.01 + 0.4)) / 2.0;
  EXPECT_NEAR(solved.outputs[1], 1.0 - s * s, 1e-8);
}

TEST(Explicit, JacobiDelaysFeedbackByOneStepAndGaussSeidelDoesNot) {
  const AlgorithmSettings jacobi{.kind = AlgorithmKind::jacobi};
  const AlgorithmSettings seidel{.kind = AlgorithmKind::gaussSeidel};
  const auto system = [] {
    return makeSystem({{"t", test::clockSignal()}, {"g", gain(10.0)}, {"end", gain(1.0)}},
                      {{"t.y", "g.u"}, {"g.y", "end.u"}});
  };
  EXPECT_EQ(solveOnce(system(), jacobi, {0.0, 0.0}, 1.0).outputs[1], 0.0);
  EXPECT_EQ(solveOnce(system(), seidel, {0.0, 0.0}, 1.0).outputs[1], 10.0);
}

}  // namespace
}  // namespace koppla::coupling::iteration_test
