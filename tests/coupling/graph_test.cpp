#include "koppla/coupling/graph.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling {
namespace {

using test::gain;
using test::integrator;
using test::makeSystem;
using Members = std::vector<MemberIndex>;

TEST(Graph, AChainIsEvaluatedFromItsSourceWhateverTheOrderInTheFile) {
  const System system =
      makeSystem({{"c", gain(1)}, {"b", gain(1)}, {"a", test::clockSignal()}}, {{"b.y", "c.u"}, {"a.y", "b.u"}});
  const auto cycles = findCycles(system);
  ASSERT_EQ(cycles.size(), 3U);
  EXPECT_EQ(cycles[0].members, Members{2});
  EXPECT_EQ(cycles[1].members, Members{1});
  EXPECT_EQ(cycles[2].members, Members{0});
  EXPECT_FALSE(cycles[0].closed);
}

TEST(Graph, MutualDependenceIsOneClosedCycleAfterItsSource) {
  const System system =
      makeSystem({{"left", gain(1)}, {"right", gain(1)}, {"source", test::clockSignal()}, {"sink", gain(1)}},
                 {{"left.y", "right.u"}, {"right.y", "left.u"}, {"right.y", "sink.u"}});
  const auto cycles = findCycles(system);
  ASSERT_EQ(cycles.size(), 3U);
  EXPECT_EQ(cycles[0].members, (Members{0, 1}));
  EXPECT_TRUE(cycles[0].closed);
}

TEST(Graph, AMemberThatFeedsItselfIsAClosedCycle) {
  const System system = makeSystem({{"a", gain(0.5)}}, {{"a.y", "a.u"}});
  EXPECT_TRUE(findCycles(system).front().closed);
}

TEST(Graph, ACycleIsCutAtTheOutputWithoutFeedThrough) {
  // state -> g1 -> g2 -> state, listed backwards: the gains stay in sequence, the state comes after what feeds it.
  const System system = makeSystem({{"state", integrator()}, {"g2", gain(1)}, {"g1", gain(1)}},
                                   {{"state.y", "g1.u"}, {"g1.y", "g2.u"}, {"g2.y", "state.u"}});
  const auto cycles = findCycles(system);
  ASSERT_EQ(cycles.size(), 1U);
  EXPECT_EQ(cycles[0].members, (Members{2, 1, 0}));
}

TEST(Graph, WithoutDeclaredDependenciesACycleKeepsTheOrderOfTheFile) {
  const System system = makeSystem({{"b", gain(1)}, {"a", gain(1)}}, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  EXPECT_EQ(findCycles(system).front().members, (Members{0, 1}));
}

TEST(Graph, TheUsersOrderRules) {
  System system =
      makeSystem({{"part2", gain(1)}, {"part3", integrator()}}, {{"part2.y", "part3.u"}, {"part3.y", "part2.u"}});
  system.order = {1, 0};
  EXPECT_EQ(findCycles(system).front().members, (Members{1, 0}));
}

/// Two cycles, 0 and 3, 1 and 2; what 3 passes on at once to 1 is no reason to turn the second cycle round.
TEST(Graph, WhatFlowsBetweenCyclesDoesNotOrderTheirMembers) {
  System system;
  const auto state = [&system](const std::string& name) {
    scripted::Script script;
    script.ports = {scripted::in("u"), scripted::in("v"), scripted::out("y"), scripted::out("z")};
    script.dependencies = {{2, std::vector<subsystem::PortIndex>{}}, {3, std::vector<subsystem::PortIndex>{0}}};
    scripted::add(system, name, std::move(script));
  };
  for (const char* name : {"a", "b", "c", "d"}) state(name);
  test::connect(system, {{"a.y", "d.u"}, {"d.y", "a.u"}, {"b.y", "c.u"}, {"c.y", "b.u"}, {"d.z", "b.v"}});
  const auto cycles = findCycles(system);
  ASSERT_EQ(cycles.size(), 2U);
  EXPECT_EQ(cycles[0].members, (Members{0, 3}));
  EXPECT_EQ(cycles[1].members, (Members{1, 2}));
}

RC_GTEST_PROP(Graph, ComponentsPartitionTheNodesAndEdgesBetweenThemPointForward, ()) {
  const auto n = static_cast<std::size_t>(*rc::gen::inRange(1, 12));
  std::vector<std::vector<std::size_t>> targets(n);
  for (auto& list : targets) list = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, n));
  const auto components = strongComponents(targets);
  std::vector<std::size_t> componentOf(n, n);
  std::size_t count = 0;
  for (std::size_t c = 0; c < components.size(); ++c)
    for (const std::size_t node : components[c]) {
      RC_ASSERT(componentOf[node] == n);
      componentOf[node] = c;
      ++count;
    }
  RC_ASSERT(count == n);
  for (std::size_t i = 0; i < n; ++i)
    for (const std::size_t target : targets[i]) RC_ASSERT(componentOf[i] <= componentOf[target]);
}

}  // namespace
}  // namespace koppla::coupling
