// Where values lie in a network, how they are named, and faults with their places.

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
