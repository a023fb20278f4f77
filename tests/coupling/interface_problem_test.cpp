#include "koppla/coupling/interface_problem.hpp"

#include <gtest/gtest.h>

#include "support/formula_subsystem.hpp"

namespace koppla::coupling {
namespace {

using test::gain;
using test::integrator;
using test::makeSystem;

/// x' = 2 u with u = 3 x: over a held step of length h = 0.5 x answers x0 + h 2 u, u answers 3 x.
struct Loop {
  System system = makeSystem({{"g", gain(3.0)}, {"x", integrator(2.0, 1.0)}}, {{"g.y", "x.u"}, {"x.y", "g.u"}});
  Network network{system, findCycles(system), 1e100};
};

constexpr subsystem::Step kHalfSecond{0.0, 0.5, false};

TEST(InterfaceProblem, InSequenceOnlyTheValueThatFlowsBackIsUnknown) {
  Loop loop;
  const InterfaceProblem sequence(loop.network, {0, 2}, Form::sequence);
  EXPECT_EQ(sequence.coupled(), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(sequence.cut(), (std::vector<std::size_t>{1}));
  const InterfaceProblem parallel(loop.network, {0, 2}, Form::parallel);
  EXPECT_EQ(parallel.cut(), (std::vector<std::size_t>{0, 1}));
}

TEST(InterfaceProblem, EveryEvaluationStartsFromTheSameStates) {
  Loop loop;
  InterfaceProblem problem(loop.network, {0, 2}, Form::sequence);
  ASSERT_FALSE(problem.begin(kHalfSecond, {}));
  const std::vector<double> sent{1.0};
  for (int i = 0; i < 3; ++i) {
    problem.send(sent);
    ASSERT_FALSE(problem.evaluate());
    EXPECT_EQ(problem.answered(problem.cut()), (std::vector<double>{1.0 + 0.5 * 2.0 * 3.0}));
    EXPECT_EQ(problem.sent(problem.cut()), sent);
  }
}

TEST(InterfaceProblem, TheJacobianOfTheCutIsTheProductAlongTheChain) {
  Loop loop;
  InterfaceProblem problem(loop.network, {0, 2}, Form::sequence);
  ASSERT_FALSE(problem.begin(kHalfSecond, {}));
  ASSERT_FALSE(problem.evaluate());
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(problem.sensitivities(blocks));
  const std::vector<double> jacobian = problem.cutJacobian(blocks);
  ASSERT_EQ(jacobian.size(), 1U);
  EXPECT_NEAR(jacobian[0], 0.5 * 2.0 * 3.0, 1e-8);  // h k 3, differences of a linear map
}

TEST(InterfaceProblem, InParallelTheJacobianHasOneBlockPerMember) {
  Loop loop;
  InterfaceProblem problem(loop.network, {0, 2}, Form::parallel);
  ASSERT_FALSE(problem.begin(kHalfSecond, {}));
  ASSERT_FALSE(problem.evaluate());
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(problem.sensitivities(blocks));
  const std::vector<double> jacobian = problem.cutJacobian(blocks);
  const std::vector<double> expected{0.0, 3.0, 1.0, 0.0};  // d(g, x) / d(g, x)
  ASSERT_EQ(jacobian.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(jacobian[i], expected[i], 1e-8) << i;
}

}  // namespace
}  // namespace koppla::coupling
