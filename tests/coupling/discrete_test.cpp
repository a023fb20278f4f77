// Cycles through which integers flow: they are copied, compared and never unknowns.

#include <gtest/gtest.h>

#include "koppla/coupling/coupled_step.hpp"

#include "support/figure.hpp"
#include "support/integer_member.hpp"

namespace koppla::coupling::discrete_test {
namespace {

/// out = in + increment, at the end of every step.
std::unique_ptr<subsystem::Subsystem> adder(std::int32_t increment) {
  return std::make_unique<test::IntegerMember>([increment](auto, auto in) { return in + increment; });
}

struct Solved {
  StepOutcome outcome;
  std::uint64_t evaluations;
  std::vector<std::int32_t> integers;
};

Solved solveOnce(std::int32_t increment, const AlgorithmSettings& settings) {
  System system;
  system.members.push_back({"a", adder(increment), {}});
  system.members.push_back({"b", adder(0), {}});
  system.connections = {{{0, 1}, {1, 0}}, {{1, 1}, {0, 0}}};
  const auto cycles = findCycles(system);
  Network network(system, cycles, 1e100);
  CoupledStep step(network, cycles, settings, false);
  step.begin(0.0);
  const StepOutcome outcome = step.solve({{0.0, 0.1, false}, {}, false, false});
  return {outcome, step.iteratedCycles().at(0)->evaluations, network.discreteOutputs({0, 2}).integers};
}

TEST(DiscreteValues, AnIntegerThatKeepsChangingIsNotConverged) {
  int refused = 0;
  for (const AlgorithmKind kind :
       {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::iteratedJacobi, AlgorithmKind::newton}) {
    const Solved counting = solveOnce(1, {.kind = kind, .maxIterations = 5});
    EXPECT_EQ(counting.evaluations, 5U);
    if (!counting.outcome.converged()) ++refused;
  }
  test::showEqual({"nicolai N3", "discrete-compared", "3 of 3 algorithms not converged while an integer changes"},
                  refused, 3);
}

TEST(DiscreteValues, LeftOutOfTheTestTheyDoNotHoldItUp) {
  const Solved ignored =
      solveOnce(1, {.kind = AlgorithmKind::iteratedGaussSeidel, .maxIterations = 5, .discrete = DiscreteTest::ignore});
  test::showFigure(
      {"nicolai N3", "discrete-left-out", "converged after 1 evaluation"},
      std::to_string(ignored.evaluations) + (ignored.outcome.converged() ? ", converged" : ", not converged"),
      ignored.outcome.converged() && ignored.evaluations == 1);
}

TEST(DiscreteValues, IntegersThatStayConverge) {
  const Solved still = solveOnce(0, {.kind = AlgorithmKind::newton, .maxIterations = 5});
  EXPECT_TRUE(still.outcome.converged());
  EXPECT_EQ(still.integers, (std::vector<std::int32_t>{0, 0}));
}

}  // namespace
}  // namespace koppla::coupling::discrete_test
