// Derivatives of static members, with time held and of the leading order, over trajectories, and what evaluations
// leave as it was.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/coupling/interface_problem.hpp"

#include "linear_members.hpp"

namespace koppla::coupling::step_derivatives_test {
namespace {

using namespace koppla::coupling::scripted;

TEST(StaticMembers, AreProbedOverShortDistancesWhateverThoseOfTheStepsAre) {
  Ring ring;
  ring.make(
      Form::parallel, [](Script&) {}, true, 1.0, true);
  // a is evaluated at the end, after b has answered (4, 16.25).
  const Reals atLeast(4, 0.0);
  const Reals own(4, 0.5);
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks, {.relative = 0.5, .atLeast = atLeast, .own = own}));
  EXPECT_NEAR(blocks[0].increments[0], 4e-7, 1e-12);
  EXPECT_NEAR(blocks[0].increments[1], 16.25e-7, 1e-12);
  EXPECT_EQ(blocks[1].increments, (Reals{0.5, 1.0}));
}

TEST(StaticMembers, AreDifferentiatedWhereTheyCan) {
  for (const Status status : {Status::ok, Status::warning, Status::discard}) {
    Ring ring;
    std::vector<std::size_t> asked;
    const auto known = [&](Script& a) {
      a.capabilities.directionalDerivatives = true;
      a.differentiate = [&](std::size_t input, std::span<double> dy) {
        asked.push_back(input);
        dy[0] = input == 0 ? 10.0 : 20.0;
        dy[1] = input == 0 ? 30.0 : 40.0;
        return input == 1 ? status : Status::ok;
      };
    };
    ring.make(Form::parallel, known, true, 1.0, true);
    std::vector<Sensitivity> blocks;
    const Fault fault = ring.problem->sensitivities(blocks);
    EXPECT_EQ(asked, (std::vector<std::size_t>{0, 1})) << "each input once";
    if (status >= Status::discard) {
      EXPECT_EQ(fault.kind, FaultKind::failed);
      EXPECT_EQ(fault.position, 0U);
      EXPECT_EQ(fault.reached, kStep.t1);
      continue;
    }
    EXPECT_FALSE(fault);
    EXPECT_EQ(blocks[0].values, (Reals{10.0, 20.0, 30.0, 40.0}));
    EXPECT_TRUE(ring.a.met.empty());
  }
}

/// With time held only what members know counts; nobody is repeated but the static ones.
TEST(HeldDerivatives, AreThoseThatAllMembersKnow) {
  for (const bool known : {false, true})
    for (const bool works : {false, true}) {
      System system;
      Linear law{{{3.0}}}, mass{{{5.0}}};
      add(system, "law", law.script(true));
      Script script = mass.script();
      script.capabilities.directionalDerivatives = known;
      script.differentiate = [works](std::size_t, std::span<double> dy) {
        dy[0] = 7.0;
        return works ? Status::ok : Status::error;
      };
      add(system, "mass", std::move(script));
      connect(system, {{"law.y", "mass.u"}, {"mass.y", "law.u"}});
      Network network(system, inOrder(system), 1e100);
      Approximation approximation(2, 0, {});
      approximation.add(kStep.t0, network.outputs());
      approximation.begin(kStep.t0, kStep.t1);
      InterfaceProblem problem(network, {0, 2}, Form::parallel, &approximation);
      ASSERT_FALSE(problem.begin(kStep, {}));
      ASSERT_FALSE(problem.evaluate());
      mass.met.clear();
      std::vector<Sensitivity> blocks;
      problem.heldSensitivities(blocks);
      EXPECT_TRUE(mass.met.empty());
      if (known && works) {
        ASSERT_EQ(blocks.size(), 2U);
        EXPECT_NEAR(blocks[0].values[0], 3.0, 1e-6);
        EXPECT_EQ(blocks[1].values[0], 7.0);
      } else {
        EXPECT_TRUE(blocks.empty());
      }
    }
}

/// Int_p through samples at s = 0, -1, ...: a change at the end is a change by s, or by (s^2 + s) / 2.
TEST(LeadingDerivatives, AreAskedForWithTheIntegralsOfTheChange) {
  struct Case {
    unsigned degree;
    double integral, second;
  };
  for (const Case& c : {Case{0, 1.0, 0.5}, Case{1, 1.0 / 2.0, 1.0 / 6.0},
                        Case{2, (1.0 / 3.0 + 1.0 / 2.0) / 2.0, (1.0 / 12.0 + 1.0 / 6.0) / 2.0}})
    for (const Status status : {Status::ok, Status::warning, Status::discard}) {
      System system;
      Linear a{{{1.0, 2.0}}}, b{{{5.0}, {6.0}}};
      std::vector<std::size_t> asked;
      Script script = a.script();
      script.differentiateStep = [&](const Step& step, std::size_t input, subsystem::SeriesWeights weights,
                                     std::span<double> dy) {
        asked.push_back(input);
        EXPECT_NEAR(weights.integral, c.integral, 1e-14);
        EXPECT_NEAR(weights.second, c.second, 1e-14);
        EXPECT_EQ(step.t1, kStep.t1);
        dy[0] = 10.0 + static_cast<double>(input);
        return status;
      };
      add(system, "a", std::move(script));
      add(system, "b", b.script(true));
      connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
      Network network(system, inOrder(system), 1e100);
      Approximation approximation(3, c.degree, {});
      for (unsigned i = c.degree + 1; i-- > 0;) approximation.add(kStep.t0 - 0.5 * i, network.outputs());
      approximation.begin(kStep.t0, kStep.t1);
      InterfaceProblem problem(network, {0, 2}, Form::parallel, &approximation);
      ASSERT_FALSE(problem.begin(kStep, {}));
      ASSERT_FALSE(problem.evaluate());
      a.met.clear();
      std::vector<Sensitivity> blocks;
      const Fault fault = problem.leadingSensitivities(blocks);
      EXPECT_TRUE(a.met.empty()) << "nobody is repeated";
      if (status == Status::discard) {
        EXPECT_EQ(fault.kind, FaultKind::failed);
        EXPECT_EQ(fault.position, 0U);
        EXPECT_EQ(fault.reached, kStep.t1);
        continue;
      }
      EXPECT_FALSE(fault);
      EXPECT_EQ(asked, (std::vector<std::size_t>{0, 1}));
      EXPECT_EQ(blocks[0].values, (Reals{10.0, 11.0}));
      EXPECT_NEAR(blocks[1].values[0], 5.0, 1e-6);
      EXPECT_NEAR(blocks[1].values[1], 6.0, 1e-6);
    }
}

/// A probe changes the input at the end of the step and its course with it; afterwards the course is as it was.
TEST(Probes, OfATrajectoryChangeItsCourseTowardsTheEnd) {
  System system;
  std::vector<Matrix> met;  // by step: powers
  const auto recording = [&](bool records) {
    Script script;
    script.ports = {in("u"), out("y")};
    script.capabilities.inputDerivatives = 5;
    script.advance = [&met, records](const Step& step, Trajectory u, std::span<double> y, Binding&) {
      Matrix powers;
      for (unsigned k = 0; k <= u.degree; ++k) powers.emplace_back(u.power(k).begin(), u.power(k).end());
      if (records) met.push_back(powers);
      y[0] = u.value(0, 1.0);
      return StepResult{Status::ok, step.t1};
    };
    return script;
  };
  add(system, "a", recording(true));
  add(system, "b", recording(false));
  connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  Network network(system, inOrder(system), 1e100);
  Approximation approximation(2, 1, {});
  for (const double t : {0.5, 1.0}) approximation.add(t, Reals{0.0, 8.0 * t});
  approximation.begin(1.0, 1.5);
  InterfaceProblem problem(network, {0, 2}, Form::parallel, &approximation);
  ASSERT_FALSE(problem.begin(kStep, {}));
  problem.send({1}, Reals{10.0});
  ASSERT_FALSE(problem.evaluate());
  EXPECT_EQ(met, (std::vector<Matrix>{{{8.0}, {2.0}}}));
  EXPECT_EQ(network.inputAtEnd(0, 0, &approximation), 10.0);
  EXPECT_EQ(problem.atBegin(1), 8.0);
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(problem.sensitivities(blocks, {.relative = 0.5}));
  EXPECT_EQ(met.back(), (Matrix{{8.0}, {7.0}})) << "from 8 to 15";
  EXPECT_EQ(blocks[0].values, Reals{1.0});
  ASSERT_FALSE(problem.sensitivities(blocks, {.relative = 0.5}));
  EXPECT_EQ(met.back(), (Matrix{{8.0}, {7.0}})) << "again";
}

TEST(Evaluations, BeginFromSavedStatesAndRepeatable) {
  for (const bool saved : {false, true}) {
    System system;
    int saves = 0, restores = 0;
    std::vector<bool> finals;
    const auto member = [&](bool counts) {
      Script script;
      script.ports = {in("u"), out("y")};
      if (counts) {
        script.save = [&](Slot slot) {
          EXPECT_EQ(slot, Slot::macroStep);
          ++saves;
          return Status::ok;
        };
        script.restore = [&](Slot slot) {
          EXPECT_EQ(slot, Slot::macroStep);
          ++restores;
          return Status::ok;
        };
      }
      script.advance = [&, counts](const Step& step, Trajectory, std::span<double>, Binding&) {
        if (counts) finals.push_back(step.final);
        return StepResult{Status::ok, step.t1};
      };
      return script;
    };
    add(system, "a", member(true));
    add(system, "b", member(false));
    connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
    Network network(system, inOrder(system), 1e100);
    InterfaceProblem problem(network, {0, 2}, Form::sequence);
    for (int step = 1; step <= 2; ++step) {
      ASSERT_FALSE(problem.begin({0.0, 1.0, true}, {Slot::macroStep, saved}));
      EXPECT_EQ(saves, saved ? 0 : step);
      ASSERT_FALSE(problem.evaluate());
      EXPECT_EQ(restores, 2 * (step - 1)) << "the first evaluation is where the states are";
      ASSERT_FALSE(problem.evaluate());
      ASSERT_FALSE(problem.evaluate());
      EXPECT_EQ(restores, 2 * step);
    }
    EXPECT_EQ(finals, std::vector<bool>(6, false)) << "a cycle repeats its steps, whatever is said of the whole one";
  }
}

TEST(Evaluations, WhatWasSentLastCanBeSentAgain) {
  Ring ring;
  ring.make(Form::sequence);
  const Reals before{1.0, 2.0, 4.0, -8.0};
  EXPECT_NE(Reals(ring.network->outputs().begin(), ring.network->outputs().end()), before);
  ring.problem->sendAgain();
  EXPECT_EQ(Reals(ring.network->outputs().begin(), ring.network->outputs().end()), before);
}

/// Integers are frozen while members are probed.
TEST(Evaluations, ProbesLeaveDiscreteValuesAsTheyWere) {
  System system;
  Script a;
  a.ports = {in("u"), out("y"), out("n", 1, core::Type::integer)};
  a.evaluate = [](double, std::span<const double> u, std::span<double> y, Binding& binding) {
    y[0] = 2.0 * u[0];
    binding.discreteOutputs.integers[0] = static_cast<std::int32_t>(std::lround(u[0] * 1e6));
    return Status::ok;
  };
  Script b;
  b.ports = {in("u"), in("n", 1, core::Type::integer), out("y")};
  b.evaluate = [](double, std::span<const double> u, std::span<double> y, Binding&) {
    y[0] = u[0];
    return Status::ok;
  };
  add(system, "a", std::move(a));
  add(system, "b", std::move(b));
  connect(system, {{"a.y", "b.u"}, {"a.n", "b.n"}, {"b.y", "a.u"}});
  Network network(system, inOrder(system), 1e100);
  std::ranges::copy(Reals{0.0, 5.0}, network.outputs().begin());
  InterfaceProblem problem(network, {0, 2}, Form::parallel);
  ASSERT_FALSE(problem.begin(kStep, {}));
  ASSERT_FALSE(problem.evaluate());
  EXPECT_TRUE(problem.discreteChanged());
  EXPECT_EQ(network.discreteOutputs({0, 2}).integers[0], 5000000);
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(problem.sensitivities(blocks));
  EXPECT_EQ(network.discreteOutputs({0, 2}).integers[0], 5000000);
  network.outputs()[1] = 5.0;
  ASSERT_FALSE(problem.evaluate());
  EXPECT_FALSE(problem.discreteChanged());
}

}  // namespace
}  // namespace koppla::coupling::step_derivatives_test
