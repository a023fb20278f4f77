// Where values of all types lie in a network, what inputs are made of, and what they begin with.

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "koppla/coupling/network.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::network_values_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;
using Reals = std::vector<double>;
using Places = std::vector<std::size_t>;

constexpr double kLimit = 1e100;

std::vector<Cycle> inOrder(const System& system) {
  std::vector<Cycle> cycles;
  for (MemberIndex member = 0; member < system.members.size(); ++member) cycles.push_back({{member}, false});
  return cycles;
}

Script source(std::vector<subsystem::Port> ports) {
  Script script;
  script.ports = std::move(ports);
  return script;
}

/// What a member's inputs are, as it meets them when it is evaluated.
struct Met {
  Reals reals;
  std::vector<std::int32_t> integers, booleans;
  std::vector<std::string> strings;

  Script script(std::vector<subsystem::Port> ports) {
    Script made = source(std::move(ports));
    made.evaluate = [this](double, std::span<const double> u, std::span<double>, Binding& binding) {
      reals.assign(u.begin(), u.end());
      integers.assign(binding.discreteInputs.integers.begin(), binding.discreteInputs.integers.end());
      booleans.assign(binding.discreteInputs.booleans.begin(), binding.discreteInputs.booleans.end());
      strings.assign(binding.discreteInputs.strings.begin(), binding.discreteInputs.strings.end());
      return Status::ok;
    };
    return made;
  }
};

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

// ---- What inputs are made of ---------------------------------------------------------------------------------------

/// Outputs p.x = (1, 2, 3), q.x = (10, 20, 30).
struct Sums {
  System system{};
  Met met{};
  std::optional<Network> network{};

  explicit Sums(const std::vector<subsystem::Port>& inputs, const std::function<void(System&)>& wire) {
    add(system, "p", source({out("x", 3)}));
    add(system, "q", source({out("x", 3)}));
    add(system, "c", met.script(inputs));
    wire(system);
    add(system, "all", source({in("p", 3), in("q", 3)}));
    connect(system, {{"p.x", "all.p"}, {"q.x", "all.q"}});
    network.emplace(system, inOrder(system), kLimit);
    std::ranges::copy(Reals{1.0, 2.0, 3.0, 10.0, 20.0, 30.0}, network->outputs().begin());
  }
  const Reals& inputs() {
    network->gather(2);
    EXPECT_FALSE(network->evaluate(2, 0.0));
    return met.reals;
  }
  std::vector<std::array<double, 3>> contributions() {
    std::vector<std::array<double, 3>> result;
    for (const Contribution& part : network->contributionsTo(2))
      result.push_back({static_cast<double>(part.input), static_cast<double>(part.source), part.scale});
    return result;
  }
};

using Contributions = std::vector<std::array<double, 3>>;

TEST(Inputs, AreSumsOfAllTheirConnections) {
  Sums sums({in("a", 3), in("b", 3)}, [](System& system) {
    connect(system, {{"p.x", "c.b", 2.0, 0.5}, {"q.x", "c.b", -1.0, 0.25}, {"q.x", "c.a"}, {"p.x", "c.b", 3.0}});
  });
  EXPECT_EQ(sums.inputs(), (Reals{10.0, 20.0, 30.0, 5.0 - 10.0 + 0.75, 10.0 - 20.0 + 0.75, 15.0 - 30.0 + 0.75}));
  EXPECT_EQ(sums.contributions(), (Contributions{{0, 3, 1},
                                                 {1, 4, 1},
                                                 {2, 5, 1},
                                                 {3, 0, 2},
                                                 {3, 3, -1},
                                                 {3, 0, 3},
                                                 {4, 1, 2},
                                                 {4, 4, -1},
                                                 {4, 1, 3},
                                                 {5, 2, 2},
                                                 {5, 5, -1},
                                                 {5, 2, 3}}));
  EXPECT_EQ(sums.network->sourcesOf(2), (Places{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(sums.network->largestInput(2), 30.0);
}

TEST(Inputs, MayTakeSingleElements) {
  Sums sums({in("a", 2), in("b", 3)}, [](System& system) {
    const auto element = [&](MemberIndex from, std::size_t fromElement, PortIndex to, std::size_t toElement,
                             double scale, double offset) {
      system.connections.push_back({{from, 0}, {2, to}, scale, offset, fromElement, toElement});
    };
    element(1, 2, 1, 1, 1.0, 0.0);
    element(0, 1, 0, 0, -1.0, 0.0);
    element(0, 2, 1, 2, 1.0, 5.0);
    element(0, 0, 1, 0, 1.0, 0.0);
    element(1, 0, 0, 1, 1.0, 0.0);
    element(1, 1, 1, 1, 0.5, 0.0);  // a second one to b[1]
  });
  EXPECT_EQ(sums.inputs(), (Reals{-2.0, 10.0, 1.0, 30.0 + 10.0, 8.0}));
  EXPECT_EQ(sums.network->sourcesOf(2), (Places{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(sums.network->bindingOf(2).inputs, (std::vector<PortIndex>{0, 1}));
}

TEST(Inputs, TellTheirNominalValuesAndTheLargestOfThem) {
  subsystem::Port large = in("a", 2);
  large.nominal = 1e5;
  Sums sums({large, in("b", 1)}, [](System& system) {
    system.connections.push_back({{1, 0}, {2, 1}, -1.0, 0.0, 1, 0});
    system.connections.push_back({{0, 0}, {2, 0}, 1.0, 0.0, 0, 0});
    system.connections.push_back({{0, 0}, {2, 0}, 1.0, 0.0, 1, 1});
  });
  EXPECT_EQ(sums.network->nominalOf(2, 0), 1e5);
  EXPECT_EQ(sums.network->nominalOf(2, 1), 1e5);
  EXPECT_EQ(sums.network->nominalOf(2, 2), 1.0);
  sums.inputs();
  EXPECT_EQ(sums.network->largestInput(2), 20.0) << "in magnitude";
  EXPECT_EQ(sums.network->largestInput(0), 0.0);
}

/// From three points to two: rows (1/4, 0, 3/4) and (0, 2, 0 * x_2).
Mapping threeToTwo(std::size_t components) {
  mapping::SparseRows rows;
  rows.append(0, 0.25);
  rows.append(2, 0.75);
  rows.endRow();
  rows.append(1, 2.0);
  rows.append(2, 0.0);
  rows.endRow();
  return {std::make_shared<mapping::Operator>(std::move(rows), 3), components};
}

TEST(MappedInputs, AreScaledAndShiftedMapsOfOutputs) {
  for (const auto& [scale, offset] : {std::pair{1.0, 0.0}, std::pair{-2.0, 0.0}, std::pair{1.0, 0.5}}) {
    Sums sums({in("before"), in("a", 2), in("after")}, [&](System& system) {
      system.connections.push_back({{1, 0}, {2, 1}, scale, offset, {}, {}, threeToTwo(1)});
      system.connections.push_back({{0, 0}, {2, 0}, 1.0, 0.0, 1, 0});
      system.connections.push_back({{0, 0}, {2, 2}, 3.0, 0.0, 2, 0});
    });
    EXPECT_EQ(sums.inputs(), (Reals{2.0, scale * 25.0 + offset, scale * 40.0 + offset, 9.0}));
    EXPECT_EQ(sums.contributions(),
              (Contributions{{0, 1, 1}, {1, 3, 0.25 * scale}, {1, 5, 0.75 * scale}, {2, 4, 2.0 * scale}, {3, 2, 3}}));
    EXPECT_EQ(sums.network->sourcesOf(2), (Places{1, 2, 3, 4, 5}));
    EXPECT_EQ(sums.network->nominalOf(2, 1), 1.0);
  }
}

/// Two values a point, side by side: columns are points.
struct Components {
  System system{};
  Met met{};
  std::optional<Network> network{};

  Components() {
    add(system, "s", source({out("first"), out("x", 6)}));
    subsystem::Port wide = in("a", 4);
    wide.nominal = 7.0;
    Script script = met.script({in("b"), wide});
    script.starts[1] = {1.0, 10.0, 3.0, 30.0};
    script.starts[0] = {5.0};
    add(system, "c", std::move(script));
    system.connections.push_back({{0, 1}, {1, 1}, 2.0, -1.0, {}, {}, threeToTwo(2)});
    connect(system, {{"s.first", "c.b", 4.0, 1.0}});
    network.emplace(system, inOrder(system), kLimit);
  }
};

TEST(MappedInputs, MapComponentByComponent) {
  Components components;
  Network& network = *components.network;
  std::ranges::copy(Reals{9.0, 1.0, -1.0, 2.0, -2.0, 3.0, -30.0}, network.outputs().begin());
  network.gather(1);
  ASSERT_FALSE(network.evaluate(1, 0.0));
  // Points (1, -1), (2, -2), (3, -30).
  EXPECT_EQ(components.met.reals,
            (Reals{37.0, 2.0 * 2.5 - 1.0, 2.0 * -22.75 - 1.0, 2.0 * 4.0 - 1.0, 2.0 * -4.0 - 1.0}));
  std::vector<std::array<double, 3>> parts;
  for (const Contribution& part : network.contributionsTo(1))
    parts.push_back({static_cast<double>(part.input), static_cast<double>(part.source), part.scale});
  EXPECT_EQ(parts,
            (Contributions{{0, 0, 4}, {1, 1, 0.5}, {1, 5, 1.5}, {2, 2, 0.5}, {2, 6, 1.5}, {3, 3, 4}, {4, 4, 4}}));
  EXPECT_EQ(network.sourcesOf(1), (Places{0, 1, 2, 3, 4, 5, 6}));
  for (std::size_t input = 1; input < 5; ++input) EXPECT_EQ(network.nominalOf(1, input), 7.0);
}

/// A column of zeros is a source that nobody reads.
TEST(MappedInputs, HaveNoSourcesInPointsThatNoRowTakes) {
  mapping::SparseRows rows;
  rows.append(2, 0.5);
  rows.endRow();
  rows.append(0, 0.5);
  rows.endRow();
  const Mapping mapping{std::make_shared<mapping::Operator>(std::move(rows), 3), 1};
  Sums sums({in("a", 2)}, [&](System& system) {
    system.connections.push_back({{1, 0}, {2, 0}, 1.0, 0.0, {}, {}, mapping});
  });
  EXPECT_EQ(sums.inputs(), (Reals{15.0, 5.0}));
  EXPECT_EQ(sums.network->sourcesOf(2), (Places{3, 5}));
}

// ---- Start values --------------------------------------------------------------------------------------------------

/// A mapping has no inverse: all points get one value, so that the sum over the rows is that of the start values.
TEST(StartValues, OfMappedInputsAreSpreadEvenly) {
  Components components;
  Network& network = *components.network;
  network.takeStartValues();
  // (5 - 1) / 4; then 2 (x + 2 x) - 1 - 1 = 1 + 3 and 10 + 30 in the sum of both rows, the weights being 1 and 2.
  EXPECT_EQ(Reals(network.outputs().begin(), network.outputs().end()), (Reals{1.0, 1.0, 7.0, 1.0, 7.0, 1.0, 7.0}));
}

TEST(StartValues, WithScaleZeroSayNothingOfTheirSources) {
  System system;
  Met met;
  Script c = met.script({in("a", 2), in("b"), in("c")});
  c.starts = {{0, {1.0, 2.0}}, {1, {3.0}}, {2, {4.0}}};
  add(system, "p", source({out("x", 3), out("y"), out("z")}));
  add(system, "c", std::move(c));
  system.connections.push_back({{0, 0}, {1, 0}, 0.0, 5.0, {}, {}, threeToTwo(1)});
  connect(system, {{"p.y", "c.b", 0.0, 5.0}, {"p.z", "c.c"}});
  Network network(system, inOrder(system), kLimit);
  std::ranges::copy(Reals{6.0, 7.0, 8.0, 9.0, 10.0}, network.outputs().begin());
  network.takeStartValues();
  EXPECT_EQ(Reals(network.outputs().begin(), network.outputs().end()), (Reals{6.0, 7.0, 8.0, 9.0, 4.0}));
}

TEST(StartValues, AreTakenBackThroughScalesAndOffsets) {
  System system;
  Met met;
  Script c = met.script({in("a", 2), in("b")});
  c.starts = {{0, {3.0, 5.0}}, {1, {-1.0}}};
  add(system, "p", source({out("x", 2), out("y")}));
  add(system, "c", std::move(c));
  connect(system, {{"p.y", "c.b", -0.5, 1.0}, {"p.x", "c.a", 2.0, -1.0}});
  Network network(system, inOrder(system), kLimit);
  network.takeStartValues();
  EXPECT_EQ(Reals(network.outputs().begin(), network.outputs().end()), (Reals{2.0, 3.0, 4.0}));
}

TEST(StartValues, OfDiscreteInputsAreThoseOfTheirSources) {
  using enum core::Type;
  System system;
  add(system, "p", source({out("i", 2, integer), out("b", 2, boolean), out("s", 2, string)}));
  add(system, "q", source({out("i", 2, integer), out("b", 2, boolean), out("s", 2, string)}));
  const auto consumer = [&](const std::string& name, std::int32_t n) {
    Script script = source({in("s", 2, string), in("i", 2, integer), in("b", 2, boolean)});
    script.starts = {{0, {"s" + std::to_string(n), std::string("t")}}, {1, {n, n + 1}}, {2, {n % 2 == 0, true}}};
    add(system, name, std::move(script));
  };
  consumer("c", 4);
  consumer("d", 7);
  for (const char* name : {"i", "b", "s"})
    connect(system, {{std::string("q.") + name, std::string("c.") + name},
                     {std::string("p.") + name, std::string("d.") + name}});
  Network network(system, inOrder(system), kLimit);
  network.takeStartValues();
  EXPECT_EQ(network.discreteOutputs({0, 4}), (core::Values{{}, {7, 8, 4, 5}, {0, 1, 1, 1}, {"s7", "t", "s4", "t"}}));
}

// ---- Places and faults ---------------------------------------------------------------------------------------------

TEST(Outputs, AreNamedAndGroupedByPort) {
  System system;
  subsystem::Port printed = out("x", 2);
  printed.digits = 6;
  subsystem::Port held = out("h");
  held.discrete = true;
  add(system, "p", source({held, out("unused"), printed}));
  add(system, "q", source({out("x"), out("unused"), out("z")}));
  add(system, "c", source({in("a", 2), in("b"), in("h")}));
  connect(system, {{"p.x", "c.a"}, {"q.z", "c.b"}, {"p.h", "c.h"}});
  Network network(system, inOrder(system), kLimit);
  ASSERT_EQ(network.outputs().size(), 4U);
  const std::vector<std::array<std::size_t, 4>> names{{0, 0, 0, 0}, {0, 2, 0, 6}, {0, 2, 1, 6}, {1, 2, 0, 0}};
  for (std::size_t value = 0; value < 4; ++value) {
    const OutputName name = network.outputName(value);
    EXPECT_EQ((std::array<std::size_t, 4>{name.member, name.port, name.element, name.digits}), names[value]) << value;
  }
  EXPECT_EQ(network.heldOutputs(), (Places{0}));
  EXPECT_EQ(network.outputsOf(Block{0, 2}).last, 4U);
  EXPECT_EQ(network.outputsOf(Block{1, 1}).last, 0U);
  const auto ports = [&](const Places& values) {
    std::vector<std::pair<std::size_t, std::size_t>> result;
    for (const Block& block : portsAmong(network, values)) result.emplace_back(block.first, block.last);
    return result;
  };
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(ports({0, 1, 2, 3}), (Pairs{{0, 1}, {1, 3}, {3, 4}})) << "ports of the same number in two members differ";
  EXPECT_EQ(ports({1, 3}), (Pairs{{0, 1}, {1, 2}}));
  EXPECT_EQ(ports({}), Pairs{});
}

TEST(Outputs, BeyondTheLimitAreFoundWhereTheyAre) {
  System system;
  add(system, "p", source({out("x", 2)}));
  add(system, "q", source({out("x", 3)}));
  add(system, "c", source({in("a", 2), in("b", 3)}));
  connect(system, {{"p.x", "c.a"}, {"q.x", "c.b"}});
  Network network(system, inOrder(system), 100.0);
  const auto found = [&](const Reals& values) {
    std::ranges::copy(values, network.outputs().begin());
    return network.explosion();
  };
  EXPECT_FALSE(found({100.0, -100.0, 0.0, 100.0, 100.0})) << "at the limit is not beyond it";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {100.1, -100.1, nan, -HUGE_VAL})
    for (std::size_t place = 0; place < 5; ++place) {
      Reals values(5, 1.0);
      values[place] = bad;
      const Fault fault = found(values);
      EXPECT_EQ(fault.kind, FaultKind::exploded);
      EXPECT_EQ(fault.position, place < 2 ? 0U : 1U);
      EXPECT_EQ(network.explodedOutput(fault.position), place);
    }
}

TEST(Faults, OfAnEvaluationCarryItsPlaceAndTime) {
  System system;
  add(system, "p", source({out("x")}));
  Status status = Status::ok;
  Script c = source({in("a"), out("y")});
  c.evaluate = [&status](double, auto, auto, Binding&) { return status; };
  c.readOutputs = [&status](auto, Binding&) { return status; };
  add(system, "c", std::move(c));
  connect(system, {{"p.x", "c.a"}});
  Network network(system, inOrder(system), kLimit);
  for (const Status given : {Status::ok, Status::warning, Status::discard, Status::error, Status::fatal}) {
    status = given;
    for (const Fault& fault : {network.evaluate(1, 2.5), network.readOutputs(1, 2.5)}) {
      EXPECT_EQ(fault.kind, given >= Status::discard ? FaultKind::failed : FaultKind::none);
      if (given >= Status::discard) {
        EXPECT_EQ(fault.position, 1U);
        EXPECT_EQ(fault.reached, 2.5);
      }
    }
  }
}

TEST(Faults, OfSavingAndRestoringEndThereAndCarryTheirPlace) {
  System system;
  std::vector<int> saves(3, 0), restores(3, 0);
  Status status = Status::ok;
  for (std::size_t i = 0; i < 3; ++i) {
    Script script = source({in("u"), out("y")});
    script.save = [&, i](Slot slot) {
      EXPECT_EQ(slot, Slot::macroStep);
      ++saves[i];
      return i == 1 ? status : Status::ok;
    };
    script.restore = [&, i](Slot slot) {
      EXPECT_EQ(slot, Slot::macroStep);
      ++restores[i];
      return i == 1 ? status : Status::ok;
    };
    add(system, "m" + std::to_string(i), std::move(script));
  }
  connect(system, {{"m0.y", "m1.u"}, {"m1.y", "m2.u"}, {"m2.y", "m0.u"}});
  Network network(system, inOrder(system), kLimit);
  for (int call = 1; call <= 20; ++call) {
    EXPECT_FALSE(network.save({0, 3}, Slot::macroStep));
    EXPECT_FALSE(network.restore({1, 3}, Slot::macroStep));
    EXPECT_EQ(network.saveCalls(2).count(), static_cast<std::uint64_t>(call));
    EXPECT_EQ(network.restoreCalls(2).count(), static_cast<std::uint64_t>(call));
  }
  EXPECT_EQ(saves, std::vector<int>(3, 20));
  EXPECT_EQ(restores, (std::vector<int>{0, 20, 20}));
  EXPECT_EQ(network.restoreCalls(0).count(), 0U);
  status = Status::warning;
  EXPECT_FALSE(network.save({0, 3}, Slot::macroStep));
  EXPECT_FALSE(network.restore({0, 3}, Slot::macroStep));
  for (const Status bad : {Status::discard, Status::error}) {
    status = bad;
    const std::vector<int> before = saves;
    for (const Fault& fault : {network.save({0, 3}, Slot::macroStep), network.restore({0, 3}, Slot::macroStep)}) {
      EXPECT_EQ(fault.kind, FaultKind::failed);
      EXPECT_EQ(fault.position, 1U);
    }
    EXPECT_EQ(saves, (std::vector<int>{before[0] + 1, before[1] + 1, before[2]}));
  }
}

}  // namespace
}  // namespace koppla::coupling::network_values_test
