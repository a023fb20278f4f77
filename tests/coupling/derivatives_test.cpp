// Derivatives of a cycle: how far probes go, what they meet, and how members' blocks are put together.

#include <gtest/gtest.h>

#include "koppla/coupling/interface_problem.hpp"

#include "linear_members.hpp"

namespace koppla::coupling::derivatives_test {
namespace {

using namespace koppla::coupling::scripted;

TEST(Probes, GoByAShareOfTheInputThatIsAtLeastItsNominalValue) {
  Ring ring;
  ring.make(Form::parallel, [](Script& a) { a.ports[0].nominal = 6.0; });
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks, {.relative = 0.125, .linear = 0.5}));
  EXPECT_EQ(ring.a.met, (Matrix{{4.0 + 0.75, -8.0}, {4.0, -8.0 + 1.0}})) << "one after the other, each from the start";
  EXPECT_EQ(ring.b.met, (Matrix{{1.0 + 0.125, 2.0}, {1.0, 2.0 + 0.25}}));
  EXPECT_EQ(blocks[0].increments, (Reals{0.75, 1.0}));
  EXPECT_EQ(blocks[0].inputs, 2U);
  EXPECT_EQ(blocks[0].values, (Reals{1.0, 2.0, 0.5, -1.0}));
  EXPECT_EQ(blocks[1].values, (Reals{4.0, 0.0, 0.25, 8.0}));
  EXPECT_EQ(Reals(ring.network->outputs().begin(), ring.network->outputs().end()), (Reals{-12.0, 10.0, 4.0, 16.25}))
      << "outputs are the answers still";
}

TEST(Probes, OfLinearMembersHaveAShareOfTheirOwn) {
  Ring ring;
  ring.make(Form::parallel, [](Script& a) { a.capabilities.linear = true; });
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks, {.relative = 0.125, .linear = 0.5}));
  EXPECT_EQ(blocks[0].increments, (Reals{2.0, 4.0}));
  EXPECT_EQ(blocks[1].increments, (Reals{0.125, 0.25}));
}

TEST(Probes, GoAtLeastAsFarAsTheirSourcesAsk) {
  Ring ring;
  ring.make(
      Form::parallel, [](Script&) {}, false, -2.0);
  // a's inputs are -2 b = (-8, 16).
  const Reals atLeast{0.5, 0.0, 16.0, 0.25};
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks, {.relative = 0.125, .linear = 0.5, .atLeast = atLeast}));
  EXPECT_EQ(blocks[0].increments, (Reals{32.0, 2.0})) << "an input takes twice its source";
  EXPECT_EQ(blocks[1].increments, (Reals{0.5, 0.25}));
}

TEST(Probes, OfOutputsWithANumberOfTheirOwnGoThatFar) {
  Ring ring;
  ring.make(Form::parallel);
  const Reals atLeast(4, 100.0);
  const Reals own{0.0, 0.25, 0.5, 0.0};
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks, {.relative = 0.125, .atLeast = atLeast, .own = own}));
  EXPECT_EQ(blocks[0].increments, (Reals{2.0, 100.0}));
  EXPECT_EQ(blocks[1].increments, (Reals{100.0, 0.5}));
}

/// Two sources of one input: distances add up, of their own numbers the larger one counts.
TEST(Probes, OfASumGoAsFarAsAllItsSourcesTogether) {
  System system;
  Linear a{{{2.0}}};
  Linear b{{{3.0}, {5.0}}};
  add(system, "a", a.script());
  add(system, "b", b.script());
  system.connections = {{{1, 1}, {0, 0}, 1.0, 0.0, 0, 0}, {{1, 1}, {0, 0}, -4.0, 0.0, 1, 0}, {{0, 1}, {1, 0}}};
  Network network(system, inOrder(system), 1e100);
  std::ranges::copy(Reals{1.0, 8.0, 1.0}, network.outputs().begin());
  InterfaceProblem problem(network, {0, 2}, Form::parallel);
  ASSERT_FALSE(problem.begin(kStep, {}));
  ASSERT_FALSE(problem.evaluate());
  const Reals atLeast{0.0, 0.5, 0.25};
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(problem.sensitivities(blocks, {.relative = 1e-6, .atLeast = atLeast}));
  EXPECT_EQ(blocks[0].increments, Reals{0.5 + 4.0 * 0.25});
  const Reals own{0.0, 0.125, 0.25};
  ASSERT_FALSE(problem.sensitivities(blocks, {.relative = 1e-6, .atLeast = atLeast, .own = own}));
  EXPECT_EQ(blocks[0].increments, Reals{0.25 * 4.0});
  // d b / d b by a: rows of b's outputs, (3, 5) * 2 * (1, -4); in sequence b's are the cut.
  EXPECT_EQ(problem.probesOf(0), 1U);
  EXPECT_EQ(problem.probesOf(1), 1U);
  // The smallest change that each value of the cut was probed by: 1 / |scale| of the input's.
  EXPECT_EQ(problem.smallestIncrements(blocks)[1], 1.0);
  EXPECT_EQ(problem.smallestIncrements(blocks)[2], 0.25);
}

TEST(Probes, GoBackwardWhereForwardLeavesTheDomain) {
  Ring ring;
  ring.make(Form::parallel);
  ring.a.status = [](std::span<const double> u) { return u[0] > 4.0 ? Status::discard : Status::ok; };
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks, {.relative = 0.5}));
  EXPECT_EQ(ring.a.met, (Matrix{{6.0, -8.0}, {2.0, -8.0}, {4.0, -4.0}}));
  EXPECT_EQ(blocks[0].values, (Reals{1.0, 2.0, 0.5, -1.0}));
  EXPECT_EQ(blocks[0].increments, (Reals{2.0, 4.0}));
}

TEST(Probes, ThatFindNothingBothWaysGiveNoDerivative) {
  Ring ring;
  ring.make(Form::parallel);
  ring.a.status = [](std::span<const double> u) { return u[0] != 4.0 ? Status::discard : Status::ok; };
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks));
  EXPECT_EQ(blocks[0].increments[0], 0.0);
  EXPECT_EQ(blocks[0].values[0], 0.0);
  EXPECT_EQ(blocks[0].values[2], 0.0);
  EXPECT_NEAR(blocks[0].values[1], 2.0, 1e-8);
  EXPECT_EQ(ring.problem->smallestIncrements(blocks)[2], 0.0);
}

TEST(Probes, ThatFailEndIt) {
  for (const bool restores : {false, true}) {
    Ring ring;
    bool armed = false;
    ring.make(Form::parallel,
              [&](Script& a) { a.restore = [&](Slot) { return armed && restores ? Status::error : Status::ok; }; });
    armed = true;
    if (!restores) ring.a.status = [](auto) { return Status::error; };
    std::vector<Sensitivity> blocks;
    const Fault fault = ring.problem->sensitivities(blocks);
    EXPECT_EQ(fault.kind, FaultKind::failed);
    EXPECT_EQ(fault.position, 0U);
    EXPECT_TRUE(ring.b.met.empty());
  }
}

TEST(Derivatives, InParallelAreThoseOfEveryMember) {
  Ring ring;
  ring.make(
      Form::parallel, [](Script&) {}, false, 0.5);
  EXPECT_EQ(ring.problem->cut(), (std::vector<std::size_t>{0, 1, 2, 3}));
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks));
  expectNear(ring.jacobian(blocks, {0, 1, 2, 3}),
             {{0, 0, 0.5, 1.0}, {0, 0, 0.25, -0.5}, {4.0, 0, 0, 0}, {0.25, 8.0, 0, 0}});
  expectNear(ring.jacobian(blocks, {3}), {{0.25, 8.0, 0, 0}});
}

TEST(Derivatives, InSequenceFollowTheChain) {
  Ring ring;
  ring.make(
      Form::sequence, [](Script&) {}, false, 0.5);
  EXPECT_EQ(ring.problem->cut(), (std::vector<std::size_t>{2, 3}));
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks));
  // B A / 2
  expectNear(ring.jacobian(blocks, {2, 3}), {{2.0, 4.0}, {0.125 + 2.0, 0.25 - 4.0}});
  expectNear(ring.jacobian(blocks, {0, 1}), {{0.5, 1.0}, {0.25, -0.5}});
  EXPECT_EQ(ring.problem->producerOf(0), 0U);
  EXPECT_EQ(ring.problem->producerOf(3), 1U);
  // b's inputs are fresh: only those of the cut count, 1e-6 of 2 and of 4, per half of b.
  const Reals smallest = ring.problem->smallestIncrements(blocks);
  ASSERT_EQ(smallest.size(), 2U);
  EXPECT_NEAR(smallest[0], 4e-6, 1e-12);
  EXPECT_NEAR(smallest[1], 8e-6, 1e-12);
}

/// Terms that make up an output: |dy/du u| of the inputs as they stand.
TEST(Derivatives, TellTheLargestTermOfAnOutput) {
  Ring ring;
  ring.make(Form::parallel);
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks));
  // a's inputs are (4, -8), b's (1, 2).
  const Reals terms = ring.problem->largestTerms(blocks, {0, 1, 2, 3});
  const Reals expected{16.0, 8.0, 4.0, 16.0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(terms[i], expected[i], 1e-6) << i;
}

/// Members before and behind the cycle are none of its business.
TEST(Derivatives, AreOfTheCycleOnly) {
  System system;
  Linear before{{{3.0}}}, a{{{2.0, 7.0}}}, b{{{5.0}}}, after{{{11.0}}};
  add(system, "before", before.script());
  add(system, "a", a.script());
  add(system, "b", b.script());
  add(system, "after", after.script());
  add(system, "source", [] {
    Script script;
    script.ports = {out("y")};
    return script;
  }());
  system.connections = {{{4, 0}, {0, 0}},
                        {{0, 1}, {1, 0}, 1.0, 0.0, 0, 1},
                        {{2, 1}, {1, 0}, 1.0, 0.0, 0, 0},
                        {{1, 1}, {2, 0}},
                        {{2, 1}, {3, 0}},
                        {{3, 1}, {3, 0}}};
  system.connections.pop_back();
  std::vector<Cycle> cycles{{{4}, false}, {{0}, false}, {{1, 2}, true}, {{3}, false}};
  Network network(system, cycles, 1e100);
  InterfaceProblem problem(network, {2, 4}, Form::sequence);
  EXPECT_EQ(problem.coupled().size(), 2U);
  ASSERT_EQ(problem.cut().size(), 1U);
  EXPECT_EQ(network.outputName(problem.cut()[0]).member, 2U);
  ASSERT_FALSE(problem.begin(kStep, {}));
  ASSERT_FALSE(problem.evaluate());
  EXPECT_TRUE(before.met.empty());
  EXPECT_TRUE(after.met.empty());
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(problem.sensitivities(blocks));
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].inputs, 2U);
  EXPECT_EQ(blocks[0].increments[1], 0.0) << "what comes from outside is not probed";
  EXPECT_EQ(problem.probesOf(2), 1U);
  const auto derivatives = problem.derivatives(blocks, problem.cut());
  ASSERT_EQ(derivatives.size(), 1U);
  EXPECT_NEAR(derivatives[0].value, 10.0, 1e-5);
}

}  // namespace
}  // namespace koppla::coupling::derivatives_test
