// Probes at the same time as the step, on twins.

#include "koppla/coupling/twins.hpp"

#include <gtest/gtest.h>

#include "koppla/coupling/interface_problem.hpp"

#include "linear_members.hpp"

namespace koppla::coupling::twins_test {
namespace {

using namespace koppla::coupling::scripted;

/// A member of two inputs with that many twins, one of one input, and a static one.
struct Twinned {
  Linear a{{{1.0, 2.0}}}, b{{{5.0}, {6.0}}}, law{{{-1.0}}};
  std::vector<std::unique_ptr<Linear>> copies{};
  System system{};
  std::optional<Network> network{};
  std::optional<Approximation> approximation{};
  std::optional<InterfaceProblem> problem{};

  explicit Twinned(std::size_t ofA, std::size_t ofB) {
    add(system, "a", a.script());
    add(system, "b", b.script());
    add(system, "law", law.script(true));
    system.connections = {{{0, 1}, {2, 0}}, {{2, 1}, {1, 0}}, {{1, 1}, {0, 0}}};
    network.emplace(system, inOrder(system), 1e100);
    std::ranges::copy(Reals{3.0, 1.0, 2.0, 4.0}, network->outputs().begin());
    std::vector<std::vector<std::unique_ptr<subsystem::Subsystem>>> twins(3);
    for (std::size_t i = 0; i < ofA + ofB; ++i) {
      const bool isA = i < ofA;
      copies.push_back(std::make_unique<Linear>(Linear{isA ? a.matrix : b.matrix}));
      auto twin = std::make_unique<Scripted>(copies.back()->script());
      twin->bind(network->bindingOf(isA ? 0 : 1));
      twins[isA ? 0 : 1].push_back(std::move(twin));
    }
    network->setTwins(std::make_unique<Twins>(std::move(twins), 1));
    approximation.emplace(4, 0, std::vector<std::size_t>{});
    approximation->add(kStep.t0, network->outputs());
    approximation->begin(kStep.t0, kStep.t1);
    problem.emplace(*network, Block{0, 3}, Form::parallel, &*approximation);
  }
};

TEST(Twins, AreProbedWhereThereAreEnough) {
  struct Case {
    std::size_t ofA, ofB, inTurn;
  };
  for (const Case& c : {Case{2, 1, 0}, Case{1, 1, 2}, Case{2, 0, 1}, Case{0, 0, 2}, Case{3, 2, 0}}) {
    Twinned twinned(c.ofA, c.ofB);
    EXPECT_EQ(twinned.problem->mostProbesInTurn(), c.inTurn);
    ASSERT_FALSE(twinned.problem->begin(kStep, {}));
    std::vector<Sensitivity> blocks;
    ASSERT_FALSE(twinned.problem->evaluateWithProbes(blocks, {.relative = 0.5}));
    EXPECT_EQ(Reals(twinned.network->outputs().begin(), twinned.network->outputs().end()),
              (Reals{1.0 + 4.0, 20.0, 24.0, -5.0}));
    EXPECT_EQ(blocks[0].values, (Reals{1.0, 2.0}));
    EXPECT_EQ(blocks[0].increments, (Reals{0.5, 1.0}));
    EXPECT_EQ(blocks[1].values, (Reals{5.0, 6.0}));
    EXPECT_EQ(blocks[1].increments, Reals{2.0});
    EXPECT_NEAR(blocks[2].values[0], -1.0, 1e-6);
    const bool atOnceA = c.ofA >= 2;
    const bool atOnceB = c.ofB >= 1;
    EXPECT_EQ(twinned.a.met.size(), atOnceA ? 1U : 3U);
    EXPECT_EQ(twinned.b.met.size(), atOnceB ? 1U : 2U);
    EXPECT_EQ(twinned.network->stepCount(0), 1 + (atOnceA ? 0U : 2U) + c.ofA);
    if (atOnceA) {
      EXPECT_EQ(twinned.copies[0]->met, (Matrix{{1.5, 2.0}}));
      EXPECT_EQ(twinned.copies[1]->met, (Matrix{{1.0, 3.0}}));
    }
    if (c.ofA == 3) {
      EXPECT_EQ(twinned.copies[2]->met, (Matrix{{1.0, 2.0}})) << "who is not needed takes the step";
    }
  }
}

TEST(Twins, WhoLeavesTheDomainIsProbedInTurn) {
  Twinned twinned(2, 1);
  ASSERT_FALSE(twinned.problem->begin(kStep, {}));
  twinned.copies[0]->status = [](auto) { return Status::discard; };
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(twinned.problem->evaluateWithProbes(blocks, {.relative = 0.5}));
  EXPECT_EQ(twinned.a.met, (Matrix{{1.0, 2.0}, {1.5, 2.0}, {1.0, 3.0}}));
  EXPECT_EQ(blocks[0].values, (Reals{1.0, 2.0}));
  EXPECT_EQ(blocks[0].increments, (Reals{0.5, 1.0}));
}

TEST(Twins, WhoFailsEndsIt) {
  for (const bool twinFails : {false, true}) {
    Twinned twinned(2, 1);
    ASSERT_FALSE(twinned.problem->begin(kStep, {}));
    (twinFails ? *twinned.copies[2] : twinned.b).status = [](auto) { return Status::error; };
    std::vector<Sensitivity> blocks;
    const Fault fault = twinned.problem->evaluateWithProbes(blocks, {.relative = 0.5});
    EXPECT_EQ(fault.kind, FaultKind::failed);
    EXPECT_EQ(fault.position, 1U);
  }
}

TEST(Twins, TakeTheStepsOfTheirMembersAndAreSavedWithThem) {
  Twinned twinned(1, 2);
  ASSERT_FALSE(twinned.network->advance({0, 3}, kStep, Form::parallel, *twinned.approximation));
  for (const auto& copy : twinned.copies) EXPECT_EQ(copy->met.size(), 1U);
  EXPECT_EQ(twinned.network->stepCount(0), 2U);
  EXPECT_EQ(twinned.network->stepCount(1), 3U);
  EXPECT_EQ(twinned.network->stepCount(2), 0U);
}

TEST(Twins, ThatCannotBeSavedAreAFaultOfTheirMember) {
  const auto twinsOf = [](Status save, Status restore) {
    std::vector<std::vector<std::unique_ptr<subsystem::Subsystem>>> twins(3);
    for (const std::size_t position : {0U, 2U})
      for (int i = 0; i < 2; ++i) {
        Script script;
        if (position == 2 && i == 1) {
          script.save = [save](Slot) { return save; };
          script.restore = [restore](Slot) { return restore; };
        }
        twins[position].push_back(std::make_unique<Scripted>(std::move(script)));
      }
    return twins;
  };
  for (const Status bad : {Status::ok, Status::warning, Status::discard, Status::error}) {
    coupling::Twins twins(twinsOf(bad, Status::ok), 1);
    const auto at = bad >= Status::discard ? std::optional<std::size_t>(2) : std::nullopt;
    EXPECT_EQ(twins.save({0, 3}, Slot::iteration), at);
    EXPECT_EQ(twins.save({0, 2}, Slot::iteration), std::nullopt);
    EXPECT_EQ(twins.restore({0, 3}, Slot::iteration), std::nullopt);
    coupling::Twins others(twinsOf(Status::ok, bad), 1);
    EXPECT_EQ(others.restore({0, 3}, Slot::iteration), at);
    EXPECT_EQ(others.restore({1, 2}, Slot::iteration), std::nullopt);
    EXPECT_EQ(others.save({0, 3}, Slot::iteration), std::nullopt);
  }
}

}  // namespace
}  // namespace koppla::coupling::twins_test
