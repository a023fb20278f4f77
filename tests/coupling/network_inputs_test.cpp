// What inputs are made of, and what they begin with.

#include <array>

#include <gtest/gtest.h>

#include "koppla/coupling/network.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::network_inputs_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;
using Reals = std::vector<double>;
using Places = std::vector<std::size_t>;

constexpr double kLimit = 1e100;

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

}  // namespace
}  // namespace koppla::coupling::network_inputs_test
