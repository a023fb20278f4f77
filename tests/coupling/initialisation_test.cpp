#include "koppla/coupling/initialisation.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/formula_subsystem.hpp"

namespace koppla::coupling {
namespace {

using test::Formula;
using test::gain;
using test::Link;
using test::makeSystem;
using test::Part;

struct Initialised {
  InitialisationReport report;
  std::vector<double> outputs;
};

Initialised initialised(System system, double t = 0.0) {
  Network network(system, findCycles(system), 1e100);
  for (Member& member : system.members) member.subsystem->enterInitialisation({t, t + 1.0, {}});
  Initialised result{initialise(system, network, t, {}), {}};
  result.outputs.assign(network.outputs().begin(), network.outputs().end());
  return result;
}

TEST(Initialisation, AFeedThroughChainOfAnyLengthIsRightAtOnce) {
  std::vector<Part> parts;
  std::vector<Link> links;
  constexpr int kLength = 100;
  for (int i = kLength; i > 0; --i) parts.push_back({"g" + std::to_string(i), gain(1.0, 1.0)});  // listed backwards
  parts.push_back({"g0", test::clockSignal()});
  for (int i = 0; i < kLength; ++i)
    links.push_back({"g" + std::to_string(i) + ".y", "g" + std::to_string(i + 1) + ".u"});
  const Initialised result = initialised(makeSystem(std::move(parts), links), 5.0);
  ASSERT_TRUE(result.report.solved());
  EXPECT_TRUE(result.report.loops.empty());
  // Output i of the chain is 5 + i; the last one is not connected.
  ASSERT_EQ(result.outputs.size(), 100U);
  EXPECT_EQ(result.outputs.back(), 5.0 + 99.0);
}

TEST(Initialisation, ALinearLoopIsSolvedExactly) {
  // x = 0.5 y + 1, y = 3 x - 2: x = 0, y = -2. Fixed-point iteration would diverge (loop gain 1.5).
  const Initialised result =
      initialised(makeSystem({{"a", gain(0.5, 1.0)}, {"b", gain(3.0, -2.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}));
  ASSERT_TRUE(result.report.solved());
  ASSERT_EQ(result.report.loops.size(), 1U);
  EXPECT_NEAR(result.outputs[0], 0.0, 1e-12);
  EXPECT_NEAR(result.outputs[1], -2.0, 1e-12);
  EXPECT_NEAR(result.report.loops[0].growth, 1.5, 1e-6);  // Gauss-Seidel carries a value round once per step
}

TEST(Initialisation, ANonlinearLoopConvergesToItsFixedPoint) {
  Formula cosine = gain(1);
  cosine.output = [](const auto&, double, const auto& u) { return std::vector<double>{std::cos(u[0])}; };
  const Initialised result = initialised(makeSystem({{"a", cosine}, {"b", gain(1)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}));
  ASSERT_TRUE(result.report.solved());
  EXPECT_NEAR(result.outputs[0], 0.7390851332151607, 1e-12);  // the Dottie number
}

TEST(Initialisation, ALoopWithoutSolutionIsReportedNotIgnored) {
  const Initialised result =
      initialised(makeSystem({{"a", gain(1.0, 1.0)}, {"b", gain(1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}));
  EXPECT_FALSE(result.report.solved());
  ASSERT_EQ(result.report.loops.size(), 1U);
  EXPECT_FALSE(result.report.loops[0].solved);
  EXPECT_EQ(result.report.loops[0].outputs, (std::vector<std::string>{"a.y", "b.y"}));
}

TEST(Initialisation, ProcessesAreIteratedNotDifferentiated) {
  // x = -30 y + 1, y = x, printed with seven digits, where differences over 1e-7 of a value are noise.
  unsigned calls = 0;
  Formula process = gain(1);
  process.capabilities.ownProcess = true;
  process.output = [&calls](const auto&, double, const auto& u) {
    ++calls;
    return std::vector<double>{std::round((-30.0 * u[0] + 1.0) * 1e7) / 1e7};
  };
  const Initialised result =
      initialised(makeSystem({{"a", process}, {"b", gain(1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}));
  ASSERT_TRUE(result.report.solved());
  EXPECT_TRUE(result.report.loops[0].iterated);
  EXPECT_NEAR(result.outputs[0], 1.0 / 31.0, 1e-6);
  EXPECT_LE(calls, 6U);
}

TEST(Initialisation, AnIterationThatFindsNothingIsReported) {
  Formula process = gain(1.0, 1.0);
  process.capabilities.ownProcess = true;
  const Initialised result =
      initialised(makeSystem({{"a", process}, {"b", gain(1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}));
  EXPECT_FALSE(result.report.solved());
}

TEST(Initialisation, WhatGotLostGoesBackToTheStartValues) {
  // x = y + 1, y = x has no solution; an algorithm that iterates over the step begins where this one began.
  Formula process = gain(1.0, 1.0);
  process.capabilities.ownProcess = true;
  System system = makeSystem({{"a", process}, {"b", gain(1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  Network network(system, findCycles(system), 1e100);
  for (Member& member : system.members) member.subsystem->enterInitialisation({0.0, 1.0, {}});
  AlgorithmSettings settings;
  settings.kind = AlgorithmKind::iteratedGaussSeidel;
  const std::vector<double> start = [&] {
    network.takeStartValues();
    return std::vector<double>(network.outputs().begin(), network.outputs().end());
  }();
  const InitialisationReport report = initialise(system, network, 0.0, settings);
  EXPECT_TRUE(report.solved());
  ASSERT_EQ(report.loops.size(), 1U);
  EXPECT_TRUE(report.loops[0].left);
  EXPECT_EQ(std::vector<double>(network.outputs().begin(), network.outputs().end()), start);
  settings.degree = 1;  // here the start counts inside the step
  EXPECT_FALSE(initialise(system, network, 0.0, settings).solved());
}

TEST(Initialisation, DifferencesLeaveNoTraceInTheSubsystems) {
  // Two gains of 0.5 u + 1 in a ring: both outputs are 2, and so are the inputs that the subsystems were left with.
  System system = makeSystem({{"a", gain(0.5, 1.0)}, {"b", gain(0.5, 1.0)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  Network network(system, findCycles(system), 1e100);
  ASSERT_TRUE(initialise(system, network, 0.0, {}).solved());
  for (const Member& member : system.members) {
    core::Values observed;
    const std::vector<subsystem::PortIndex> ports{0, 1};
    member.subsystem->observe(ports, observed);
    EXPECT_NEAR(observed.reals[0], 2.0, 1e-12) << member.name;
    EXPECT_NEAR(observed.reals[1], 2.0, 1e-12) << member.name;
  }
}

TEST(Initialisation, ALargeMemberWithoutDeclarationsIsNoLargeGraph) {
  Formula wide;
  constexpr std::size_t kWidth = 3000;
  for (std::size_t i = 0; i < kWidth; ++i) {
    wide.inputs.push_back("u" + std::to_string(i));
    wide.outputs.push_back("y" + std::to_string(i));
  }
  wide.output = [](const auto&, double, const auto& u) { return u; };
  std::vector<Link> links;
  for (std::size_t i = 0; i < kWidth; ++i) {
    links.push_back({"t.y", "a.u" + std::to_string(i)});
    links.push_back({"a.y" + std::to_string(i), "b.u" + std::to_string(i)});
  }
  const Initialised result =
      initialised(makeSystem({{"t", test::clockSignal()}, {"a", wide}, {"b", wide}}, links), 3.0);
  ASSERT_TRUE(result.report.solved());
  EXPECT_EQ(result.outputs.back(), 3.0);
}

TEST(Initialisation, StatesCutLoopsSoNothingIsIterated) {
  const Initialised result =
      initialised(makeSystem({{"x", test::integrator(1.0, 7.0)}, {"g", gain(2.0)}}, {{"x.y", "g.u"}, {"g.y", "x.u"}}));
  ASSERT_TRUE(result.report.solved());
  EXPECT_TRUE(result.report.loops.empty());
  EXPECT_EQ(result.outputs, (std::vector<double>{14.0, 7.0}));  // g before x: the cycle is cut at the state
}

TEST(Initialisation, AWrongDeclarationOfIndependenceIsFound) {
  Formula liar = gain(2.0, 1.0);
  liar.feedThrough = false;
  const Initialised result = initialised(makeSystem({{"a", liar}, {"b", liar}}, {{"a.y", "b.u"}, {"b.y", "a.u"}}));
  EXPECT_FALSE(result.report.solved());
  EXPECT_FALSE(result.report.inconsistent.empty());
}

TEST(Initialisation, ANonFiniteInitialValueIsAFault) {
  Formula inverse = gain(1);
  inverse.output = [](const auto&, double, const auto& u) { return std::vector<double>{1.0 / u[0]}; };
  const Initialised result = initialised(
      makeSystem({{"t", test::clockSignal()}, {"a", inverse}, {"end", gain(1)}}, {{"t.y", "a.u"}, {"a.y", "end.u"}}));
  EXPECT_EQ(result.report.fault.kind, FaultKind::exploded);
}

}  // namespace
}  // namespace koppla::coupling
