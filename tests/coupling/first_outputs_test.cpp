// What becomes of outputs that members compute only when they leave initialisation.

#include "koppla/coupling/first_outputs.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::first_outputs_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;
using Names = std::vector<std::string>;

constexpr double kNow = 0.5;

/// Members, and how often each was evaluated since initialisation.
struct Bench {
  System system{};
  std::map<std::string, int> evaluations{};
  std::vector<std::string> left{};
  std::optional<Network> network{};
  InitialisationReport report{};

  /// y = gain u + 1; after initialisation it says `later` instead, where that is given.
  Script member(const std::string& name, double gain, std::optional<double> later = {}) {
    Script script = function([](auto, auto) {});
    script.evaluate = [this, name, gain](double t, std::span<const double> u, std::span<double> y, Binding&) {
      ++evaluations[name];
      if (t != kNow) return Status::fatal;
      for (double& value : y) value = gain * (u.empty() ? 0.0 : u[0]) + 1.0;
      return Status::ok;
    };
    script.readOutputs = [later](std::span<double> y, Binding&) {
      for (double& value : y) value = later.value_or(value);
      return Status::ok;
    };
    script.leave = [this, name] { left.push_back(name); };
    return script;
  }

  void initialise() {
    network.emplace(system, findCycles(system), 1e100);
    report = coupling::initialise(system, *network, kNow, {});
    ASSERT_TRUE(report.solved());
    evaluations.clear();
  }
  FirstOutputs leave() { return leaveInitialisation(system, *network, kNow, report); }
  double output(const std::string& member) const {
    for (std::size_t value = 0; value < network->outputs().size(); ++value)
      if (system.members[network->outputName(value).member].name == member) return network->outputs()[value];
    return std::numeric_limits<double>::quiet_NaN();
  }
};

TEST(FirstOutputs, NobodyIsAskedAgainWhereNothingChanges) {
  Bench bench;
  add(bench.system, "alone", bench.member("alone", 0.0));
  add(bench.system, "a", bench.member("a", 0.0));
  add(bench.system, "b", bench.member("b", 2.0));
  add(bench.system, "end", bench.member("end", 1.0));
  connect(bench.system, {{"a.y", "b.u"}, {"b.y", "end.u"}});
  bench.initialise();
  const FirstOutputs first = bench.leave();
  EXPECT_FALSE(first.fault);
  EXPECT_EQ(first.changed, Names{});
  EXPECT_EQ(first.late, Names{});
  EXPECT_EQ(first.stale, Names{});
  EXPECT_TRUE(bench.evaluations.empty());
  EXPECT_EQ(bench.left, (Names{"a", "b", "alone", "end"})) << "also whose outputs nobody takes";
  EXPECT_EQ(bench.output("b"), 3.0);
}

TEST(FirstOutputs, WhoFollowsALateOneIsEvaluatedAgainBeforeItLeaves) {
  Bench bench;
  add(bench.system, "a", bench.member("a", 0.0, 5.0));
  add(bench.system, "b", bench.member("b", 2.0));
  add(bench.system, "c", bench.member("c", 3.0));
  add(bench.system, "apart", bench.member("apart", 1.0));
  add(bench.system, "end", bench.member("end", 1.0));
  connect(bench.system, {{"a.y", "b.u"}, {"b.y", "c.u"}, {"c.y", "end.u"}});
  bench.initialise();
  const FirstOutputs first = bench.leave();
  EXPECT_FALSE(first.fault);
  EXPECT_EQ(first.changed, (Names{"a.y", "b.y", "c.y"}));
  EXPECT_EQ(first.late, (Names{"a.y", "b.y", "c.y"}));
  EXPECT_EQ(first.stale, Names{});
  EXPECT_EQ(bench.output("b"), 11.0);
  EXPECT_EQ(bench.output("c"), 34.0);
  EXPECT_EQ(bench.evaluations, (std::map<std::string, int>{{"b", 1}, {"c", 1}, {"end", 1}}));
}

/// "early" and "late" feed each other; only the output of "late" waits for the other one, so "early" leaves first.
struct Ring : Bench {
  bool earlyFails = false;

  explicit Ring(subsystem::Dependencies ofEarly, bool evaluatesBetweenSteps = false, bool isStatic = false) {
    Script early = member("early", 2.0);
    early.ports = {in("u"), in("other"), out("y"), out("z")};
    early.dependencies = {{2, ofEarly}, {3, std::vector<PortIndex>{}}};
    early.initialDependencies = early.dependencies;
    early.capabilities.evaluatesBetweenSteps = evaluatesBetweenSteps;
    early.capabilities.isStatic = isStatic;
    early.evaluate = [this](double, std::span<const double> u, std::span<double> y, Binding&) {
      ++evaluations["early"];
      if (earlyFails) return Status::error;
      y[0] = 2.0 * u[0] + 1.0;
      y[1] = 7.0;
      return Status::ok;
    };
    early.readOutputs = [](auto, Binding&) { return Status::ok; };
    Script late = member("late", 0.0, 5.0);
    late.dependencies = {{1, std::vector<PortIndex>{}}};
    add(system, "early", std::move(early));
    add(system, "late", std::move(late));
    add(system, "source", member("source", 0.0));
    add(system, "end", member("end", 1.0));
    connect(system, {{"late.y", "early.u"}, {"source.y", "early.other"}, {"early.z", "late.u"}, {"early.y", "end.u"}});
    initialise();
    std::vector<std::size_t> order;
    for (const char* name : {"source", "early", "late", "end"})
      for (std::size_t position = 0; position < network->size(); ++position)
        if (system.members[network->member(position)].name == name) order.push_back(position);
    report.order = order;
  }
};

TEST(FirstOutputs, WhatCannotBeComputedAgainIsStaleWhereItDependsOnTheChange) {
  Ring ring(std::vector<PortIndex>{0});
  const FirstOutputs first = ring.leave();
  EXPECT_EQ(ring.left, (Names{"source", "early", "late", "end"}));
  EXPECT_EQ(first.changed, Names{"late.y"});
  EXPECT_EQ(first.stale, Names{"early.y"}) << "early.z does not depend on it";
  EXPECT_EQ(ring.output("early"), 3.0);
  EXPECT_EQ(ring.evaluations.count("early"), 0U);
  Ring other(std::vector<PortIndex>{1});
  EXPECT_EQ(other.leave().stale, Names{}) << "its other input has not changed";
  Ring undeclared(std::nullopt);
  EXPECT_EQ(undeclared.leave().stale, Names{"early.y"});
}

TEST(FirstOutputs, WhoCanBeEvaluatedBetweenStepsIsAtTheEnd) {
  for (const bool isStatic : {false, true}) {
    Ring ring(std::vector<PortIndex>{0}, !isStatic, isStatic);
    const FirstOutputs first = ring.leave();
    EXPECT_EQ(first.stale, Names{});
    EXPECT_EQ(ring.output("early"), 11.0);
    EXPECT_EQ(ring.evaluations["early"], 1);
    Names changed = first.changed;
    std::ranges::sort(changed);
    EXPECT_EQ(changed, (Names{"early.y", "late.y"}));
  }
}

TEST(FirstOutputs, KeptOutputsStayAndAreComparedWithTheirAnswers) {
  for (const double answered : {5.0, 4.0}) {
    Bench bench;
    add(bench.system, "a", bench.member("a", 0.0, 5.0));
    add(bench.system, "b", bench.member("b", 2.0));
    add(bench.system, "end", bench.member("end", 1.0));
    connect(bench.system, {{"a.y", "b.u"}, {"b.y", "end.u"}});
    bench.initialise();
    bench.report.kept = {{bench.network->outputsOf(0).first, answered}};
    const FirstOutputs first = bench.leave();
    EXPECT_EQ(first.changed, Names{}) << "the first step begins with the start value";
    EXPECT_EQ(first.late, answered == 5.0 ? Names{} : Names{"a.y"});
    EXPECT_EQ(bench.output("a"), 1.0);
    EXPECT_TRUE(bench.evaluations.empty());
  }
}

/// Who writes nothing when it is read has answered as before.
TEST(FirstOutputs, AKeptOutputThatIsNotWrittenIsNotLate) {
  Bench bench;
  add(bench.system, "a", bench.member("a", 0.0));
  add(bench.system, "end", bench.member("end", 1.0));
  connect(bench.system, {{"a.y", "end.u"}});
  bench.initialise();
  bench.report.kept = {{0, 4.0}};
  const FirstOutputs first = bench.leave();
  EXPECT_EQ(first.late, Names{});
  EXPECT_EQ(bench.output("a"), 1.0);
}

TEST(FirstOutputs, AFailureEndsItWithItsPlace) {
  for (const int failing : {0, 1, 2}) {  // reading a, evaluating b, reading b
    Bench bench;
    Script a = bench.member("a", 0.0, 5.0);
    if (failing == 0) a.readOutputs = [](auto, Binding&) { return Status::error; };
    Script b = bench.member("b", 2.0);
    bool mayFail = false;
    if (failing == 1)
      b.evaluate = [&mayFail](double, auto, std::span<double> y, Binding&) {
        y[0] = 3.0;
        return mayFail ? Status::discard : Status::ok;
      };
    if (failing == 2) b.readOutputs = [](auto, Binding&) { return Status::error; };
    add(bench.system, "a", std::move(a));
    add(bench.system, "b", std::move(b));
    add(bench.system, "end", bench.member("end", 1.0));
    connect(bench.system, {{"a.y", "b.u"}, {"b.y", "end.u"}});
    bench.initialise();
    mayFail = true;
    const FirstOutputs first = bench.leave();
    EXPECT_EQ(first.fault.kind, FaultKind::failed) << failing;
    EXPECT_EQ(first.fault.position, failing == 0 ? 0U : 1U) << failing;
    EXPECT_EQ(first.changed, Names{});
    const std::size_t left = failing == 0 ? 1 : failing == 1 ? 1 : 2;
    EXPECT_EQ(bench.left.size(), left) << "nobody else leaves";
  }
}

TEST(FirstOutputs, AFailureAtTheEndIsToldToo) {
  Ring ring(std::vector<PortIndex>{0}, true);
  ring.earlyFails = true;
  const FirstOutputs first = ring.leave();
  EXPECT_EQ(first.fault.kind, FaultKind::failed);
  EXPECT_EQ(ring.system.members[ring.network->member(first.fault.position)].name, "early");
}

TEST(FirstOutputs, ValuesBeyondAllMeasureAreAFault) {
  for (const double value : {1e99, 1e101}) {
    Bench bench;
    add(bench.system, "a", bench.member("a", 0.0));
    add(bench.system, "b", bench.member("b", 0.0, value));
    add(bench.system, "end", bench.member("end", 0.0));
    connect(bench.system, {{"a.y", "b.u"}, {"b.y", "end.u"}});
    bench.initialise();
    const FirstOutputs first = bench.leave();
    EXPECT_EQ(first.fault.kind, value > 1e100 ? FaultKind::exploded : FaultKind::none);
    if (first.fault) {
      EXPECT_EQ(first.fault.position, 1U);
    }
  }
}

/// An integer that changes on leaving: who takes it is evaluated again, whatever its reals are.
TEST(FirstOutputs, WhoTakesDiscreteValuesIsEvaluatedAgainWhereOneChanged) {
  for (const bool changes : {false, true})
    for (const bool between : {false, true}) {
      Bench bench;
      Script counter;
      counter.ports = {out("n", 1, core::Type::integer)};
      counter.evaluate = [](double, auto, auto, Binding& binding) {
        binding.discreteOutputs.integers[0] = 1;
        return Status::ok;
      };
      counter.readOutputs = [changes](auto, Binding& binding) {
        if (changes) binding.discreteOutputs.integers[0] = 2;
        return Status::ok;
      };
      Script taker;
      taker.ports = {in("n", 1, core::Type::integer), out("y")};
      taker.capabilities.evaluatesBetweenSteps = between;
      int evaluated = 0;
      taker.evaluate = [&evaluated](double, auto, std::span<double> y, Binding& binding) {
        ++evaluated;
        y[0] = 10.0 * binding.discreteInputs.integers[0];
        return Status::ok;
      };
      add(bench.system, "counter", std::move(counter));
      add(bench.system, "taker", std::move(taker));
      add(bench.system, "end", bench.member("end", 0.0));
      connect(bench.system, {{"counter.n", "taker.n"}, {"taker.y", "end.u"}});
      bench.initialise();
      evaluated = 0;
      const FirstOutputs first = bench.leave();
      EXPECT_EQ(evaluated > 0, changes);
      EXPECT_EQ(first.changed, changes ? Names{"taker.y"} : Names{});
      EXPECT_EQ(bench.output("taker"), changes ? 20.0 : 10.0);
    }
}

}  // namespace
}  // namespace koppla::coupling::first_outputs_test
