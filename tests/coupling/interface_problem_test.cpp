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
    problem.send(problem.cut(), sent);
    ASSERT_FALSE(problem.evaluate());
    std::vector<double> read(1);
    problem.readAnswered(problem.cut(), read);
    EXPECT_EQ(read, (std::vector<double>{1.0 + 0.5 * 2.0 * 3.0}));
    problem.readSent(problem.cut(), read);
    EXPECT_EQ(read, sent);
  }
}

TEST(InterfaceProblem, WhatIsPassedOnInPlaceOfAnAnswerReachesTheNextMember) {
  Loop loop;
  InterfaceProblem problem(loop.network, {0, 2}, Form::sequence);
  ASSERT_FALSE(problem.begin({0.0, 0.5, false}, {}));
  problem.send(problem.cut(), std::vector<double>{3.0});
  const auto half = [&](std::size_t position) {
    const std::vector<std::size_t> own{loop.network.outputsOf(position).first};
    std::vector<double> value(1);
    problem.readAnswered(own, value);
    value[0] *= 0.5;
    problem.send(own, value);
  };
  ASSERT_FALSE(problem.evaluate(half));
  // The first member answers 3 * 3 and passes on 4.5; the second integrates 2 * 4.5 over 0.5 s from 1.
  std::vector<double> answers(2);
  problem.readAnswered({0, 1}, answers);
  EXPECT_EQ(answers, (std::vector<double>{9.0, 5.5}));
  EXPECT_EQ(loop.network.outputs()[0], 4.5);
  problem.keepAnswers();
  EXPECT_EQ(loop.network.outputs()[0], 9.0);
}

TEST(InterfaceProblem, TheJacobianOfTheCutIsTheProductAlongTheChain) {
  Loop loop;
  InterfaceProblem problem(loop.network, {0, 2}, Form::sequence);
  ASSERT_FALSE(problem.begin(kHalfSecond, {}));
  ASSERT_FALSE(problem.evaluate());
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(problem.sensitivities(blocks));
  const std::vector<Derivative> jacobian = problem.derivatives(blocks, problem.cut());
  ASSERT_EQ(jacobian.size(), 1U);
  EXPECT_NEAR(jacobian[0].value, 0.5 * 2.0 * 3.0, 1e-8);  // h k 3, differences of a linear map
}

TEST(InterfaceProblem, InParallelTheJacobianHasOneBlockPerMember) {
  Loop loop;
  InterfaceProblem problem(loop.network, {0, 2}, Form::parallel);
  ASSERT_FALSE(problem.begin(kHalfSecond, {}));
  ASSERT_FALSE(problem.evaluate());
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(problem.sensitivities(blocks));
  std::vector<double> jacobian(4, 0.0);  // d(g, x) / d(g, x)
  for (const Derivative& d : problem.derivatives(blocks, problem.cut())) jacobian[2 * d.row + d.column] = d.value;
  const std::vector<double> expected{0.0, 3.0, 1.0, 0.0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(jacobian[i], expected[i], 1e-8) << i;
}

}  // namespace
}  // namespace koppla::coupling
