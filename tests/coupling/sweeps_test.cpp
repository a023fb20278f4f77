// Steps of members whose inputs are more than held values: courses through sums and mappings, slopes, static members,
// several threads, waveforms.

#include <algorithm>
#include <chrono>
#include <cmath>

#include <gtest/gtest.h>

#include "koppla/coupling/network.hpp"
#include "koppla/coupling/parallel_sweep.hpp"
#include "koppla/coupling/waveform.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::sweeps_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;
using Reals = std::vector<double>;
using Powers = std::vector<Reals>;

constexpr Step kStep{1.0, 1.5, false};

/// Keeps the courses that it is given.
Script recording(std::vector<subsystem::Port> ports, std::vector<Powers>& met, std::vector<Step>* steps = nullptr) {
  Script script = source(std::move(ports));
  script.capabilities.inputDerivatives = 5;
  script.advance = [&met, steps](const Step& step, Trajectory u, std::span<double>, Binding&) {
    Powers powers;
    for (unsigned k = 0; k <= u.degree; ++k) powers.emplace_back(u.power(k).begin(), u.power(k).end());
    met.push_back(std::move(powers));
    if (steps != nullptr) steps->push_back(step);
    return StepResult{Status::ok, step.t1};
  };
  return script;
}

/// x = (1, 2) + (3, -1) s and z = 5 + 7 s, in all that inputs are made of.
TEST(Courses, GoThroughScalesSumsAndMappings) {
  for (const Form form : {Form::parallel, Form::sequence}) {
    System system;
    std::vector<Powers> met;
    std::vector<Step> steps;
    add(system, "s", source({out("x", 2), out("z")}));
    add(system, "c", recording({in("plain", 2), in("mapped", 2), in("sum"), in("scaled")}, met, &steps));
    mapping::SparseRows rows;
    rows.append(0, 1.0);
    rows.append(1, 10.0);
    rows.endRow();
    rows.append(1, -1.0);
    rows.endRow();
    connect(system, {{"s.x", "c.plain"},
                     {"s.z", "c.sum", 2.0, 0.25},
                     {"s.z", "c.sum", -1.0, 0.5},
                     {"s.z", "c.scaled", -3.0, 100.0}});
    system.connections.push_back(
        {{0, 0}, {1, 1}, 0.5, 4.0, {}, {}, {std::make_shared<mapping::Operator>(std::move(rows), 2), 1}});
    Network network(system, inOrder(system), 1e100);
    Approximation approximation(3, 1, {});
    // Samples at t - h and t, so that the line goes on.
    approximation.add(0.5, Reals{-2.0, 3.0, -2.0});
    approximation.add(1.0, Reals{1.0, 2.0, 5.0});
    approximation.begin(kStep.t0, kStep.t1);
    if (form == Form::sequence) std::ranges::copy(Reals{4.0, 1.0, 12.0}, network.outputs().begin());
    ASSERT_FALSE(network.advance({0, 2}, kStep, form, approximation));
    ASSERT_EQ(met.size(), 1U);
    EXPECT_EQ(met[0], (Powers{{1.0, 2.0, 0.5 * 21.0 + 4.0, 0.5 * -2.0 + 4.0, 5.0 + 0.75, -15.0 + 100.0},
                              {3.0, -1.0, 0.5 * -7.0, 0.5 * 1.0, 7.0, -21.0}}))
        << static_cast<int>(form);
    EXPECT_EQ(steps[0].perSecond, 2.0) << "computed once for all";
    EXPECT_EQ(network.inputAtEnd(1, 4, &approximation), 12.75);
    EXPECT_EQ(network.inputAtEnd(1, 0, &approximation), 4.0);
    network.gather(1);
    EXPECT_EQ(network.inputAtEnd(1, 0, nullptr), network.inputsOf(1)[0]);
  }
}

/// In sequence each follows what those before it have just delivered, in parallel nobody does.
TEST(Courses, InSequenceLeadToWhatHasJustBeenDelivered) {
  for (const Form form : {Form::parallel, Form::sequence}) {
    System system;
    std::vector<Powers> met;
    Script a = source({out("y")});
    a.advance = [](const Step& step, Trajectory, std::span<double> y, Binding&) {
      y[0] = 9.0;
      return StepResult{Status::ok, step.t1};
    };
    add(system, "a", std::move(a));
    add(system, "c", recording({in("u")}, met));
    connect(system, {{"a.y", "c.u"}});
    Network network(system, inOrder(system), 1e100);
    Approximation approximation(1, 1, {});
    approximation.add(0.5, Reals{1.0});
    approximation.add(1.0, Reals{3.0});
    approximation.begin(kStep.t0, kStep.t1);
    ASSERT_FALSE(network.advance({0, 2}, kStep, form, approximation));
    EXPECT_EQ(met.back(), (Powers{{3.0}, {form == Form::sequence ? 6.0 : 2.0}}));
  }
}

TEST(StaticMembers, AreEvaluatedAtTheEndWithWhatTheOthersDeliver) {
  for (const Form form : {Form::parallel, Form::sequence})
    for (const double answer : {10.0, 1e101}) {
      System system;
      std::vector<std::pair<double, double>> met;
      Script a = source({out("y")});
      a.advance = [answer](const Step& step, Trajectory, std::span<double> y, Binding&) {
        y[0] = answer > 1e100 ? 5.0 : 10.0;
        return StepResult{Status::ok, step.t1};
      };
      Script law = source({in("u"), in("w"), out("y")});
      law.capabilities.isStatic = true;
      law.evaluate = [&, answer](double t, std::span<const double> u, std::span<double> y, Binding&) {
        met.emplace_back(t, u[0]);
        y[0] = answer > 1e100 ? answer : u[0] * 2.0;
        return Status::ok;
      };
      add(system, "a", std::move(a));
      add(system, "law", std::move(law));
      add(system, "c", source({in("u")}));
      connect(system, {{"a.y", "law.u"}, {"law.y", "c.u"}, {"law.y", "law.w"}});
      Network network(system, inOrder(system), 1e100);
      Approximation approximation(2, 0, {});
      approximation.add(1.0, network.outputs());
      approximation.begin(kStep.t0, kStep.t1);
      const Fault fault = network.advance({0, 3}, kStep, form, approximation);
      if (answer > 1e100) {
        EXPECT_EQ(fault.kind, FaultKind::exploded);
        EXPECT_EQ(fault.position, 1U);
        continue;
      }
      EXPECT_FALSE(fault);
      EXPECT_EQ(met, (std::vector<std::pair<double, double>>{{1.5, 10.0}}));
      EXPECT_EQ(network.outputs()[1], 20.0);
      EXPECT_EQ(network.inputAtEnd(1, 0, &approximation), 10.0) << "as it stands";
      // A probe of a static member is an evaluation with one input changed, and leaves it as it was.
      Reals y(1);
      EXPECT_FALSE(network.probe(1, 0, 0.5, kStep, &approximation, y));
      EXPECT_EQ(y[0], 21.0);
      EXPECT_EQ(network.inputsOf(1)[0], 10.0);
      EXPECT_EQ(network.outputs()[1], 20.0);
    }
}

/// Discrete inputs are those of the time of the step: in parallel what was before, in sequence what has come.
TEST(DiscreteInputs, AreGatheredForEveryStep) {
  const auto metIn = [](Form form, bool waveform) {
    System system;
    std::int32_t met = -1;
    Script a = source({out("n", 1, core::Type::integer), out("y")});
    a.advance = [](const Step& step, Trajectory, std::span<double> y, Binding& binding) {
      binding.discreteOutputs.integers[0] = 7;
      y[0] = 0.0;
      return StepResult{Status::ok, step.t1};
    };
    Script c = source({in("n", 1, core::Type::integer), in("u")});
    c.advance = [&met](const Step& step, Trajectory, auto, Binding& binding) {
      met = binding.discreteInputs.integers[0];
      return StepResult{Status::ok, step.t1};
    };
    add(system, "a", std::move(a));
    add(system, "c", std::move(c));
    connect(system, {{"a.n", "c.n"}, {"a.y", "c.u"}});
    Network network(system, inOrder(system), 1e100);
    network.putDiscreteOutputs({0, 2}, {{}, {3}, {}, {}});
    if (waveform) {
      Waveform courses(1, 2, 1, {});
      courses.begin(network.outputs());
      EXPECT_FALSE(network.advance({0, 2}, kStep, form, courses));
    } else {
      Approximation approximation(1, 1, {});
      approximation.add(1.0, network.outputs());
      approximation.begin(kStep.t0, kStep.t1);
      EXPECT_FALSE(network.advance({0, 2}, kStep, form, approximation));
      met = met == 3 || met == 7 ? met : -2;
    }
    return met;
  };
  for (const bool waveform : {false, true}) {
    EXPECT_EQ(metIn(Form::parallel, waveform), 3);
    EXPECT_EQ(metIn(Form::sequence, waveform), 7);
  }
}

/// Members that tell the slopes of their outputs are given room for both, behind what was there before.
TEST(Slopes, AreKeptApartFromTheValues) {
  System system;
  std::vector<Reals> before;
  const auto sloped = [&](std::size_t size, double value) {
    Script script = source({in("u"), out("y", size)});
    script.capabilities.outputDerivatives = 1;
    script.capabilities.inputDerivatives = 5;
    const auto write = [&before, size, value](std::span<double> y) {
      EXPECT_EQ(y.size(), 2 * size);
      before.emplace_back(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(size));
      for (std::size_t i = 0; i < size; ++i) {
        y[i] = value + static_cast<double>(i);
        y[size + i] = 10.0 * value + static_cast<double>(i);
      }
    };
    script.advance = [write](const Step& step, Trajectory, std::span<double> y, Binding&) {
      write(y);
      return StepResult{Status::ok, step.t1};
    };
    script.evaluate = [write](double, auto, std::span<double> y, Binding&) {
      write(y);
      return Status::ok;
    };
    script.readOutputs = [write](std::span<double> y, Binding&) {
      write(y);
      return Status::ok;
    };
    return script;
  };
  Script plain = source({in("u", 2), out("y")});
  plain.advance = [](const Step& step, Trajectory, std::span<double> y, Binding&) {
    EXPECT_EQ(y.size(), 1U);
    y[0] = -1.0;
    return StepResult{Status::ok, step.t1};
  };
  Script silent = sloped(1, 0.0);  // nobody takes its output
  silent.advance = [](const Step& step, Trajectory, std::span<double> y, Binding&) {
    EXPECT_TRUE(y.empty());
    return StepResult{Status::ok, step.t1};
  };
  add(system, "one", sloped(1, 3.0));
  add(system, "plain", std::move(plain));
  add(system, "two", sloped(2, 5.0));
  add(system, "silent", std::move(silent));
  connect(system, {{"two.y", "plain.u"}, {"plain.y", "one.u"}, {"one.y", "two.u"}, {"one.y", "silent.u"}});
  Network network(system, inOrder(system), 1e100, Samples::valuesAndSlopes);
  ASSERT_EQ(network.slopedOutputs().size(), 2U);
  EXPECT_EQ(network.slopedOutputs()[0].first, 0U);
  EXPECT_EQ(network.slopedOutputs()[0].last, 1U);
  EXPECT_EQ(network.slopedOutputs()[1].first, 2U);
  EXPECT_EQ(network.slopedOutputs()[1].last, 4U);
  EXPECT_TRUE(std::isnan(network.slopes()[0]));
  const auto expectAll = [&](const Reals& found) {
    ASSERT_EQ(before.size(), 2U);
    EXPECT_EQ(before[0], Reals{found[0]});
    EXPECT_EQ(before[1], (Reals{found[1], found[2]}));
    EXPECT_EQ(Reals(network.outputs().begin(), network.outputs().end()), (Reals{3.0, -1.0, 5.0, 6.0}));
    EXPECT_EQ(network.slopes()[0], 30.0);
    EXPECT_TRUE(std::isnan(network.slopes()[1]));
    EXPECT_EQ(network.slopes()[2], 50.0);
    EXPECT_EQ(network.slopes()[3], 51.0);
    before.clear();
  };
  Approximation approximation(4, 1, {}, network.slopedOutputs());
  std::ranges::copy(Reals{0.5, -1.0, 0.25, 0.125}, network.outputs().begin());
  approximation.add(1.0, network.outputs(), network.slopes());
  for (const Form form : {Form::parallel, Form::sequence}) {
    std::ranges::copy(Reals{0.5, -1.0, 0.25, 0.125}, network.outputs().begin());
    approximation.begin(kStep.t0, kStep.t1);
    ASSERT_FALSE(network.advance({0, 4}, kStep, form, approximation));
    expectAll({0.5, 0.25, 0.125});
  }
  std::ranges::copy(Reals{8.0, -1.0, 7.0, 6.0}, network.outputs().begin());
  for (const std::size_t position : {0U, 2U}) ASSERT_FALSE(network.evaluate(position, 1.0));
  expectAll({8.0, 7.0, 6.0});
  std::ranges::copy(Reals{8.0, -1.0, 7.0, 6.0}, network.outputs().begin());
  for (const std::size_t position : {0U, 2U}) ASSERT_FALSE(network.readOutputs(position, 1.0));
  expectAll({8.0, 7.0, 6.0});
  const SingleStep single = network.advanceSingle(0, kStep, approximation);
  EXPECT_FALSE(single.fault);
  EXPECT_EQ(single.reached, 1.5);
  EXPECT_EQ(network.stepCount(0), 3U);
  before.clear();
  // Without that room they are as others.
  System again;
  Script values = source({in("u"), out("y")});
  values.capabilities.outputDerivatives = 1;
  add(again, "a", std::move(values));
  connect(again, {{"a.y", "a.u"}});
  Network plainNetwork(again, inOrder(again), 1e100);
  EXPECT_TRUE(plainNetwork.slopedOutputs().empty());
  EXPECT_TRUE(plainNetwork.slopes().empty());
}

}  // namespace
}  // namespace koppla::coupling::sweeps_test
