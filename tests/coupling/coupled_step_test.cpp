// One macro step of a whole system: which parts of it run, in what order and how often, what is told of how they ended,
// and what is remembered for the next one.

#include "koppla/coupling/coupled_step.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::coupled_step_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;

/// Loops u = F(u) one behind the other, with a member between two of them that runs once; the last one feeds a sink.
struct Loops {
  std::vector<std::unique_ptr<Counted>> members{};
  System system{};
  std::vector<Cycle> cycles{};
  std::optional<Network> network{};
  std::optional<CoupledStep> step{};

  Loops(std::vector<std::function<double(double)>> answers, const AlgorithmSettings& settings) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const std::string a = fmt::format("a{}", i);
      const std::string b = fmt::format("b{}", i);
      const std::string between = fmt::format("between{}", i);
      push(a, std::move(answers[i]));
      push(b, [](double u) { return u; });
      push(between, [](double u) { return u; });
      connect(system, {{a + ".y", b + ".u"}, {b + ".y", a + ".u"}, {b + ".y", between + ".u"}});
    }
    push("sink", [](double u) { return u; });
    connect(system, {{fmt::format("between{}.y", answers.size() - 1), "sink.u"}});
    cycles = findCycles(system);
    network.emplace(system, cycles, 1e100);
    step.emplace(*network, cycles, settings, false);
    step->begin(0.0);
  }
  void push(const std::string& name, std::function<double(double)> answer) {
    members.push_back(std::make_unique<Counted>(Counted{std::move(answer)}));
    add(system, name, members.back()->script());
  }
  const StepOutcome& solve(bool keepGoing = false, bool untested = false) {
    return step->solve({{0.0, 1.0, false}, {}, untested, keepGoing});
  }
  /// Of the loop's first member, of the one behind the loop.
  int stepsOf(std::size_t loop) const { return members[3 * loop]->steps; }
  int stepsBehind(std::size_t loop) const { return members[3 * loop + 2]->steps; }
};

AlgorithmSettings plainIteration() {
  return {.kind = AlgorithmKind::iteratedGaussSeidel,
          .maxIterations = 200,
          .rtol = 0.0,
          .atol = 1e-6,
          .norm = Norm::max,
          .test = ConvergenceTest::residual,
          .acceleration = {.kind = AcceleratorKind::none}};
}

std::function<double(double)> affine(double g, double b = 1.0) {
  return [=](double u) { return g * u + b; };
}

TEST(Cycles, AreIteratedOnTheirOwnAndWhatIsBetweenRunsOnce) {
  Loops loops({affine(0.5), affine(0.9), affine(-0.5)}, plainIteration());
  const StepOutcome outcome = loops.solve();
  EXPECT_TRUE(outcome.converged());
  EXPECT_EQ(outcome.reached, 1.0);
  ASSERT_EQ(loops.step->iteratedCycles().size(), 3U);
  // The k-th answer differs by g^(k-1) from what was sent: 1e-6 is met at k = 1 + ceil(log(1e-6) / log(g)).
  for (const auto& [loop, g] : {std::pair<std::size_t, double>{0, 0.5}, {1, 0.9}, {2, 0.5}}) {
    const auto expected = 1 + static_cast<int>(std::ceil(std::log(1e-6) / std::log(g)));
    EXPECT_EQ(loops.stepsOf(loop), expected);
    EXPECT_EQ(loops.step->iteratedCycles()[loop]->evaluations, static_cast<std::uint64_t>(expected));
    EXPECT_EQ(loops.step->iteratedCycles()[loop]->failures, 0U);
    EXPECT_EQ(loops.stepsBehind(loop), 1);
  }
  // 0.9 comes nearer by so little that its values may be off by ten times the change.
  EXPECT_EQ(outcome.slowest, 1U);
  EXPECT_NEAR(outcome.amplification, 10.0, 1e-6);
  EXPECT_FALSE(outcome.isDoubtful());
}

TEST(Cycles, ASlowOneIsDoubtful) {
  AlgorithmSettings settings = plainIteration();
  settings.maxIterations = 2000;
  for (const auto& [g, doubtful] : {std::pair{0.945, false}, std::pair{0.955, true}}) {
    Loops loops({affine(g)}, settings);
    EXPECT_EQ(loops.solve().isDoubtful(), doubtful) << "errors of more than twenty tolerances";
    EXPECT_NEAR(loops.step->outcome().amplification, 1.0 / (1.0 - g), 1e-3);
  }
}

TEST(Cycles, TheFirstThatDoesNotConvergeEndsTheStep) {
  AlgorithmSettings settings = plainIteration();
  settings.maxIterations = 5;
  Loops loops({affine(0.001), affine(0.9), affine(0.8)}, settings);
  const StepOutcome ended = loops.solve();
  EXPECT_EQ(ended.ending, Ending::capReached);
  EXPECT_EQ(ended.cycle, 1U);
  EXPECT_FALSE(ended.converged());
  EXPECT_FALSE(ended.isDoubtful());
  EXPECT_EQ(loops.stepsOf(2), 0);
  EXPECT_EQ(loops.stepsBehind(1), 0);
  EXPECT_EQ(loops.step->iteratedCycles()[1]->failures, 1U);
  // Or all go on, and the first one is told.
  const StepOutcome all = loops.solve(true);
  EXPECT_EQ(all.ending, Ending::capReached);
  EXPECT_EQ(all.cycle, 1U);
  EXPECT_EQ(loops.stepsOf(2), 5);
  EXPECT_EQ(loops.stepsBehind(2), 1);
  EXPECT_EQ(loops.step->iteratedCycles()[1]->failures, 2U);
  EXPECT_EQ(loops.step->iteratedCycles()[2]->failures, 1U);
  EXPECT_EQ(loops.step->iteratedCycles()[0]->failures, 0U);
}

TEST(Cycles, AHopelessOneEndsTheStepInAnyCase) {
  AlgorithmSettings settings = plainIteration();
  settings.maxIterations = 50;
  Loops loops({affine(0.99), affine(-10.0), affine(0.5)}, settings);
  const StepOutcome outcome = loops.solve(true);
  EXPECT_EQ(outcome.ending, Ending::exploded);
  EXPECT_EQ(outcome.cycle, 1U) << "it is told instead of the one that was only slow";
  EXPECT_EQ(loops.stepsOf(2), 0);
  EXPECT_TRUE(isHopeless(Ending::exploded) && isHopeless(Ending::opened) && isHopeless(Ending::singular));
  EXPECT_FALSE(isHopeless(Ending::capReached) || isHopeless(Ending::stagnated) || isHopeless(Ending::converged));
}

TEST(Cycles, TheFirstSolutionThatRepelsIsSuspicious) {
  AlgorithmSettings settings = plainIteration();
  settings.acceleration.kind = AcceleratorKind::automatic;
  Loops loops({affine(0.5), affine(2.0, -1.0), affine(3.0, -4.0)}, settings);
  for (double& y : loops.network->outputs()) y = 0.875;
  loops.step->begin(0.0);
  const StepOutcome outcome = loops.solve(true);
  if (outcome.suspicious) {
    EXPECT_EQ(*outcome.suspicious, 1U);
    EXPECT_TRUE(outcome.isDoubtful());
  }
  std::uint64_t suspicious = 0;
  for (const auto& cycle : loops.step->iteratedCycles()) suspicious += cycle->suspicious;
  EXPECT_EQ(outcome.suspicious.has_value(), suspicious > 0);
  EXPECT_EQ(loops.step->iteratedCycles()[0]->suspicious, 0U);
}

TEST(Cycles, UntestedAreEvaluatedOnce) {
  Loops loops({affine(0.9), affine(-10.0)}, plainIteration());
  EXPECT_TRUE(loops.solve(false, true).converged());
  for (const std::size_t loop : {0U, 1U}) {
    EXPECT_EQ(loops.stepsOf(loop), 1);
    EXPECT_EQ(loops.stepsBehind(loop), 1);
  }
}

TEST(Cycles, AFaultIsToldWithItsPlace) {
  for (const std::size_t failing : {0U, 2U, 4U}) {  // in a loop, behind it, in the next one
    System system;
    std::vector<std::unique_ptr<Counted>> members;
    for (std::size_t i = 0; i < 6; ++i) {
      members.push_back(std::make_unique<Counted>(Counted{affine(0.5)}));
      Script script = members.back()->script();
      if (i == failing)
        script.advance = [](const Step& step, Trajectory, auto, Binding&) {
          return StepResult{Status::discard, 0.5 * (step.t0 + step.t1)};
        };
      add(system, fmt::format("m{}", i), std::move(script));
    }
    connect(
        system,
        {{"m0.y", "m1.u"}, {"m1.y", "m0.u"}, {"m1.y", "m2.u"}, {"m3.y", "m4.u"}, {"m4.y", "m3.u"}, {"m4.y", "m5.u"}});
    const auto cycles = findCycles(system);
    Network network(system, cycles, 1e100);
    CoupledStep step(network, cycles, plainIteration(), false);
    step.begin(0.0);
    const StepOutcome outcome = step.solve({{1.0, 3.0, false}, {}, false, false});
    EXPECT_EQ(outcome.fault.kind, FaultKind::discarded) << failing;
    EXPECT_EQ(network.member(outcome.fault.position), failing);
    EXPECT_EQ(outcome.fault.reached, 2.0);
  }
}

}  // namespace
}  // namespace koppla::coupling::coupled_step_test
