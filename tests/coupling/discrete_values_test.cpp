// Integers, booleans, strings and enumerations in a network: where they lie and whom they reach.

#include <gtest/gtest.h>

#include "koppla/coupling/network.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::discrete_values_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;
using Reals = std::vector<double>;

constexpr double kLimit = 1e100;

/// Two producers and two consumers of every type; the outputs of the second producer lie behind those of the first.
struct AllTypes {
  System system{};
  Met first{}, second{};
  std::optional<Network> network{};

  AllTypes() {
    using enum core::Type;
    for (const char* name : {"p", "q"})
      add(system, name,
          source({out("x", 2), out("i", 2, integer), out("b", 1, boolean), out("s", 2, string),
                  out("e", 1, enumeration)}));
    const std::vector<subsystem::Port> inputs{in("b", 1, boolean), in("x", 2), in("e", 1, enumeration),
                                              in("i", 2, integer), in("s", 2, string)};
    add(system, "c", first.script(inputs));
    add(system, "d", second.script(inputs));
    for (const auto& [from, to] : {std::pair{"q", "c"}, std::pair{"p", "d"}})
      for (const char* name : {"x", "i", "b", "s", "e"})
        connect(system, {{std::string(from) + "." + name, std::string(to) + "." + name}});
    network.emplace(system, inOrder(system), kLimit);
  }

  static core::Values all() { return {{}, {1, 2, 3, 11, 12, 13}, {1, 0}, {"a", "b", "c", "d"}}; }
};

TEST(DiscreteValues, LieMemberByMember) {
  AllTypes types;
  Network& network = *types.network;
  network.putDiscreteOutputs({0, 4}, AllTypes::all());
  EXPECT_EQ(network.discreteOutputs({0, 4}), AllTypes::all());
  const core::Values ofP{{}, {1, 2, 3}, {1}, {"a", "b"}};
  const core::Values ofQ{{}, {11, 12, 13}, {0}, {"c", "d"}};
  EXPECT_EQ(network.discreteOutputs({0, 1}), ofP);
  EXPECT_EQ(network.discreteOutputs({1, 2}), ofQ);
  EXPECT_EQ(network.discreteOutputs({1, 4}), ofQ);
  EXPECT_EQ(network.discreteOutputs({2, 4}), core::Values{});
  EXPECT_EQ(network.discreteOutputs({1, 1}), core::Values{});
  core::Values filled = ofP;
  network.readDiscreteOutputs({1, 1}, filled);
  EXPECT_EQ(filled, core::Values{});
}

TEST(DiscreteValues, AreComparedAndPutBackWhereTheyBelong) {
  AllTypes types;
  Network& network = *types.network;
  network.putDiscreteOutputs({0, 4}, AllTypes::all());
  const core::Values ofQ = network.discreteOutputs({1, 2});
  EXPECT_TRUE(network.discreteOutputsAre({1, 2}, ofQ));
  EXPECT_FALSE(network.discreteOutputsAre({0, 1}, ofQ));
  EXPECT_TRUE(network.discreteOutputsAre({1, 1}, ofQ)) << "of nobody";
  for (const int changed : {0, 1, 2}) {
    core::Values other = ofQ;
    if (changed == 0) other.integers[2] = 99;
    if (changed == 1) other.booleans[0] = 1;
    if (changed == 2) other.strings[1] = "z";
    EXPECT_FALSE(network.discreteOutputsAre({1, 2}, other)) << changed;
    network.putDiscreteOutputs({1, 2}, other);
    EXPECT_TRUE(network.discreteOutputsAre({1, 2}, other)) << changed;
    EXPECT_EQ(network.discreteOutputs({0, 1}), (core::Values{{}, {1, 2, 3}, {1}, {"a", "b"}})) << "the others stay";
  }
  network.putDiscreteOutputs({0, 0}, AllTypes::all());
  EXPECT_EQ(network.discreteOutputs({1, 2}).strings[1], "z");
}

TEST(DiscreteValues, ReachTheInputsThatAreConnectedToThem) {
  AllTypes types;
  Network& network = *types.network;
  network.putDiscreteOutputs({0, 4}, AllTypes::all());
  std::ranges::copy(Reals{1.5, 2.5, 3.5, 4.5}, network.outputs().begin());
  for (const std::size_t position : {2U, 3U}) {
    network.gather(position);
    ASSERT_FALSE(network.evaluate(position, 0.0));
  }
  // In the order of the consumer's ports: its enumeration comes before its integers.
  EXPECT_EQ(types.first.reals, (Reals{3.5, 4.5}));
  EXPECT_EQ(types.first.integers, (std::vector<std::int32_t>{13, 11, 12}));
  EXPECT_EQ(types.first.booleans, (std::vector<std::int32_t>{0}));
  EXPECT_EQ(types.first.strings, (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(types.second.reals, (Reals{1.5, 2.5}));
  EXPECT_EQ(types.second.integers, (std::vector<std::int32_t>{3, 1, 2}));
  EXPECT_EQ(types.second.booleans, (std::vector<std::int32_t>{1}));
  EXPECT_EQ(types.second.strings, (std::vector<std::string>{"a", "b"}));
}

TEST(DiscreteValues, AreFlaggedForWhoHasThem) {
  using enum core::Type;
  for (const core::Type type : {integer, boolean, string, enumeration}) {
    System system;
    add(system, "p", source({out("d", 1, type), out("x")}));
    add(system, "r", source({in("x"), out("x")}));
    add(system, "c", source({in("d", 1, type), in("x")}));
    connect(system, {{"p.d", "c.d"}, {"p.x", "r.x"}, {"r.x", "c.x"}});
    Network network(system, inOrder(system), kLimit);
    EXPECT_TRUE(network.hasDiscreteOutputs({0, 1}));
    EXPECT_FALSE(network.hasDiscreteOutputs({1, 3}));
    EXPECT_TRUE(network.hasDiscreteOutputs({0, 3}));
    EXPECT_FALSE(network.hasDiscreteInputs(0));
    EXPECT_FALSE(network.hasDiscreteInputs(1));
    EXPECT_TRUE(network.hasDiscreteInputs(2));
    EXPECT_FALSE(network.mayHaveTwins(0));
    EXPECT_TRUE(network.mayHaveTwins(1));
    EXPECT_FALSE(network.mayHaveTwins(2));
  }
}

TEST(Twins, AreNotForStaticMembersNorForThoseThatTellSlopes) {
  Script law = source({in("u"), out("y")});
  law.capabilities.isStatic = true;
  Script sloped = source({in("u"), out("y")});
  sloped.capabilities.outputDerivatives = 1;
  for (const Samples samples : {Samples::values, Samples::valuesAndSlopes}) {
    System system;
    add(system, "law", law);
    add(system, "sloped", sloped);
    add(system, "plain", source({in("u"), in("v"), out("y"), out("z")}));
    connect(system, {{"law.y", "sloped.u"}, {"sloped.y", "plain.v"}, {"plain.z", "law.u"}});
    Network network(system, inOrder(system), kLimit, samples);
    EXPECT_FALSE(network.mayHaveTwins(0));
    EXPECT_EQ(network.mayHaveTwins(1), samples == Samples::values);
    EXPECT_TRUE(network.mayHaveTwins(2));
    EXPECT_EQ(network.bindingOf(2).inputs, (std::vector<PortIndex>{1}));
    EXPECT_EQ(network.bindingOf(2).outputs, (std::vector<PortIndex>{3}));
  }
}

}  // namespace
}  // namespace koppla::coupling::discrete_values_test
