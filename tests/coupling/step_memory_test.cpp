// What kinds of algorithms a step has, what it remembers for the next one, and explicit steps.

#include <set>

#include <gtest/gtest.h>

#include "koppla/coupling/coupled_step.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::step_memory_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;
using Reals = std::vector<double>;

std::function<double(double)> affine(double g, double b) {
  return [=](double u) { return g * u + b; };
}

struct Kinds {
  System system{};
  std::vector<std::unique_ptr<Counted>> members{};
  std::vector<Cycle> cycles{};
  std::optional<Network> network{};

  /// t -> a <-> b -> c
  explicit Kinds(bool withStatic = false) {
    for (const char* name : {"t", "a", "b", "c"}) {
      members.push_back(std::make_unique<Counted>(Counted{affine(0.5, 1.0)}));
      Script script = members.back()->script();
      if (withStatic && std::string(name) == "c") {
        script.capabilities.isStatic = true;
        script.evaluate = [](double, auto, auto, Binding&) { return Status::ok; };
      }
      if (std::string(name) == "a") script.ports.insert(script.ports.begin(), in("v"));
      if (std::string(name) == "t") script.ports.erase(script.ports.begin());
      add(system, name, std::move(script));
    }
    connect(system, {{"t.y", "a.v"}, {"a.y", "b.u"}, {"b.y", "a.u"}, {"b.y", "c.u"}});
    cycles = findCycles(system);
    network.emplace(system, cycles, 1e100);
  }
  std::size_t output(const std::string& name) const {
    std::size_t value = 0;
    while (system.members[network->outputName(value).member].name != name) ++value;
    return value;
  }
  std::size_t position(const std::string& name) const {
    std::size_t found = 0;
    while (system.members[network->member(found)].name != name) ++found;
    return found;
  }
};

TEST(Kinds, ExplicitOnesWithHeldInputsArePlain) {
  struct Case {
    AlgorithmSettings settings;
    bool isExplicit, isPlain;
  };
  AlgorithmSettings reevaluating{.kind = AlgorithmKind::gaussSeidel};
  reevaluating.reevaluate = true;
  for (const Case& c :
       {Case{{.kind = AlgorithmKind::jacobi}, true, true}, Case{{.kind = AlgorithmKind::gaussSeidel}, true, true},
        Case{{.kind = AlgorithmKind::gaussSeidel, .degree = 1}, true, false}, Case{reevaluating, true, false},
        Case{{.kind = AlgorithmKind::masterSlave}, false, false},
        Case{{.kind = AlgorithmKind::iteratedJacobi}, false, false},
        Case{{.kind = AlgorithmKind::iteratedGaussSeidel}, false, false},
        Case{{.kind = AlgorithmKind::newton}, false, false},
        Case{{.kind = AlgorithmKind::semiImplicit}, false, false}}) {
    Kinds kinds;
    CoupledStep step(*kinds.network, kinds.cycles, c.settings, false);
    EXPECT_EQ(step.isExplicit(), c.isExplicit) << static_cast<int>(c.settings.kind);
    EXPECT_EQ(step.isPlain(), c.isPlain) << static_cast<int>(c.settings.kind);
    const bool iterates = c.settings.kind >= AlgorithmKind::iteratedJacobi;
    EXPECT_EQ(step.iteratedCycles().size(), iterates ? 1U : 0U);
  }
  Kinds kinds;
  EXPECT_FALSE(CoupledStep(*kinds.network, kinds.cycles, {.kind = AlgorithmKind::jacobi}, true).isPlain())
      << "the caller wants predictions";
  Kinds statics(true);
  EXPECT_FALSE(CoupledStep(*statics.network, statics.cycles, {.kind = AlgorithmKind::jacobi}, false).isPlain());
  Kinds threads;
  CoupledStep step(*threads.network, threads.cycles, {.kind = AlgorithmKind::jacobi}, false);
  step.begin(0.0);
  step.approximate(0.0);
  EXPECT_FALSE(step.isPlain());
}

TEST(Kinds, RememberAsManySamplesAsTheDegreeTakes) {
  Kinds kinds;
  const auto earlier = [&](const AlgorithmSettings& settings) {
    return CoupledStep(*kinds.network, kinds.cycles, settings, false).earlierSamples();
  };
  EXPECT_EQ(earlier({.kind = AlgorithmKind::gaussSeidel}), 0U);
  EXPECT_EQ(earlier({.kind = AlgorithmKind::gaussSeidel, .degree = 3}), 3U);
  EXPECT_EQ(earlier({.kind = AlgorithmKind::iteratedGaussSeidel, .degree = 2}), 2U);
  EXPECT_EQ(earlier({.kind = AlgorithmKind::iteratedGaussSeidel, .degree = 2, .waveform = 4}), 0U);
}

TEST(Kinds, WhoSeesAnInterpolatedCourse) {
  Kinds kinds;
  const auto interpolates = [&](AlgorithmKind kind, const char* output, const char* consumer) {
    CoupledStep step(*kinds.network, kinds.cycles, {.kind = kind, .degree = 1}, false);
    return step.courseOf(kinds.output(output), kinds.position(consumer)) == InputCourse::interpolated;
  };
  EXPECT_TRUE(interpolates(AlgorithmKind::gaussSeidel, "t", "a"));
  EXPECT_TRUE(interpolates(AlgorithmKind::gaussSeidel, "a", "b"));
  EXPECT_FALSE(interpolates(AlgorithmKind::gaussSeidel, "b", "a"));
  EXPECT_FALSE(interpolates(AlgorithmKind::gaussSeidel, "b", "b"));
  EXPECT_FALSE(interpolates(AlgorithmKind::jacobi, "a", "b"));
  EXPECT_TRUE(interpolates(AlgorithmKind::iteratedJacobi, "b", "a"));
  EXPECT_TRUE(interpolates(AlgorithmKind::iteratedJacobi, "a", "b"));
  EXPECT_TRUE(interpolates(AlgorithmKind::iteratedJacobi, "t", "a")) << "outside of cycles values flow forward";
  Kinds statics(true);
  CoupledStep step(*statics.network, statics.cycles, {.kind = AlgorithmKind::jacobi, .degree = 1}, false);
  EXPECT_EQ(step.courseOf(statics.output("b"), statics.position("c")), InputCourse::exact);
}

/// Outputs a (two values) and b that the test sets before a step is accepted.
struct Remembering {
  System system{};
  std::vector<Cycle> cycles{};
  std::optional<Network> network{};
  std::optional<CoupledStep> step{};

  explicit Remembering(const AlgorithmSettings& settings, bool predicts = false) {
    Script a;
    a.ports = {out("y", 2)};
    Script b;
    b.ports = {out("y")};
    Script c;
    c.ports = {in("a", 2), in("b")};
    c.capabilities.inputDerivatives = 5;
    add(system, "a", std::move(a));
    add(system, "b", std::move(b));
    add(system, "c", std::move(c));
    connect(system, {{"a.y", "c.a"}, {"b.y", "c.b"}});
    cycles = findCycles(system);
    network.emplace(system, cycles, 1e100);
    step.emplace(*network, cycles, settings, predicts);
  }
  void put(const Reals& values) { std::ranges::copy(values, network->outputs().begin()); }
  Reals predictedFor(double t0, double t1) {
    EXPECT_FALSE(step->solve({{t0, t1, true}, {}, false, false}).fault);
    return {step->predicted().begin(), step->predicted().end()};
  }
};

TEST(Histories, MayBeginWithAKnownPast) {
  Remembering past({.kind = AlgorithmKind::jacobi, .degree = 2});
  const auto f = [](std::size_t v, double t) {
    return (static_cast<double>(v) + 1.0) * t * t - 3.0 * t + static_cast<double>(v);
  };
  std::set<std::tuple<MemberIndex, PortIndex, std::size_t, double>> asked;
  past.put({f(0, 2.0), f(1, 2.0), f(2, 2.0)});
  past.step->begin(2.0, 0.5, [&](const Endpoint& output, std::size_t element, double t) {
    asked.insert({output.member, output.port, element, t});
    return f(output.member == 0 ? element : 2, t);
  });
  EXPECT_EQ(asked.size(), 6U);
  for (const double t : {1.5, 1.0}) {
    EXPECT_TRUE(asked.contains({0, 0, 0, t}) && asked.contains({0, 0, 1, t}) && asked.contains({1, 0, 0, t}));
  }
  const Reals predicted = past.predictedFor(2.0, 2.75);
  EXPECT_EQ(past.step->predictedDegree(), 2U);
  for (std::size_t v = 0; v < 3; ++v) EXPECT_NEAR(predicted[v], f(v, 2.75), 1e-12);
}

TEST(Histories, BeginAnewWhereNothingIsKnown) {
  Remembering past({.kind = AlgorithmKind::jacobi, .degree = 2});
  past.put({1.0, 2.0, 3.0});
  past.step->begin(0.0, 0.5, Reals{7.0, 7.0, 7.0, 8.0, 8.0, 8.0});
  past.step->begin(0.0);
  EXPECT_EQ(past.predictedFor(0.0, 0.5), (Reals{1.0, 2.0, 3.0}));
  EXPECT_EQ(past.step->predictedDegree(), 0U);
  past.put({2.0, 4.0, 3.0});
  past.step->accept(0.5);
  EXPECT_EQ(past.predictedFor(0.5, 1.0), (Reals{3.0, 6.0, 3.0}));
}

TEST(Histories, AHalfStepIsTakenBack) {
  Remembering past({.kind = AlgorithmKind::jacobi, .degree = 1});
  past.put({1.0, 2.0, 3.0});
  past.step->begin(0.0);
  past.predictedFor(0.0, 0.5);
  past.put({2.0, 4.0, 3.0});
  past.step->accept(0.5);
  past.put({100.0, 100.0, 100.0});
  past.step->acceptHalf(0.75);
  EXPECT_NE(past.predictedFor(0.75, 1.0)[0], 3.0);
  past.step->takeBack();
  past.put({2.0, 4.0, 3.0});
  EXPECT_EQ(past.predictedFor(0.5, 1.0), (Reals{3.0, 6.0, 3.0}));
}

/// 2 N times 3 m/s for a second, of which nobody looked at the first half.
TEST(Histories, ThatBeginLateKeepTheTimeSinceTheLastLookAtEnergy) {
  Remembering past({.kind = AlgorithmKind::jacobi});
  past.step->watchPower({{0, 2, InputCourse::extrapolated, InputCourse::extrapolated, 1.0}});
  past.put({2.0, 0.0, 3.0});
  past.step->begin(0.0);
  past.step->approximate(0.5);
  past.predictedFor(0.5, 1.0);
  past.step->accept(1.0);
  EXPECT_DOUBLE_EQ(past.step->bonds().exchanged(0), 6.0);
  EXPECT_EQ(past.step->bonds().created(0), 0.0);
}

TEST(Histories, TellWhatHoldingCosts) {
  Remembering past({.kind = AlgorithmKind::jacobi});
  EXPECT_TRUE(past.step->isPlain());
  past.put({1.0, 2.0, 3.0});
  past.step->begin(0.0);
  past.predictedFor(0.0, 0.5);
  past.put({1.5, 2.0, 1.0});
  past.step->accept(0.5);
  EXPECT_EQ(past.step->errorEstimate().ofExtrapolation(0).largest(), 0.5);
  EXPECT_EQ(past.step->errorEstimate().ofExtrapolation(2).largest(), 2.0);
  past.predictedFor(0.5, 1.0);
  past.put({1.5, 2.0, 0.5});
  past.step->accept(1.0);
  EXPECT_EQ(past.step->errorEstimate().ofExtrapolation(2).largest(), 2.0) << "against the last accepted step";
  EXPECT_EQ(past.step->errorEstimate().steps(), 2U);
  EXPECT_EQ(past.step->errorEstimate().ofInterpolation(2).largest(), 2.0) << "held from the end it is off as much";
}

TEST(Histories, AWatchedStepTellsItTooUnlessItFails) {
  double value = 1.0;
  Status status = Status::ok;
  System system;
  Script a;
  a.ports = {out("y")};
  a.advance = [&](const Step& step, Trajectory, std::span<double> y, Binding&) {
    y[0] = value;
    return StepResult{status, step.t1};
  };
  Script b;
  b.ports = {in("u")};
  add(system, "a", std::move(a));
  add(system, "b", std::move(b));
  connect(system, {{"a.y", "b.u"}});
  const auto cycles = findCycles(system);
  Network network(system, cycles, 1e100);
  CoupledStep step(network, cycles, {.kind = AlgorithmKind::gaussSeidel}, false);
  step.begin(0.0);
  EXPECT_FALSE(step.advanceWatched({0.0, 0.5, true}));
  value = 4.0;
  EXPECT_FALSE(step.advanceWatched({0.5, 1.0, true}));
  EXPECT_EQ(step.errorEstimate().ofExtrapolation(0).largest(), 3.0);
  EXPECT_EQ(step.errorEstimate().ofExtrapolation(0).whenLargest(), 1.0);
  EXPECT_EQ(step.errorEstimate().steps(), 2U);
  status = Status::error;
  EXPECT_TRUE(step.advanceWatched({1.0, 1.5, true}));
  EXPECT_EQ(step.errorEstimate().steps(), 2U);
}

/// The master goes as far as it likes; the others follow to there, with its course interpolated.
TEST(MasterSlave, TheOthersFollowToWhereTheMasterStands) {
  for (const double stride : {0.25, 2.0}) {
    System system;
    std::vector<Step> masterSteps, slaveSteps;
    std::vector<Reals> courses;
    Script master;
    master.ports = {in("u"), out("y")};
    master.capabilities.inputDerivatives = 5;
    master.advance = [&](const Step& step, Trajectory u, std::span<double> y, Binding&) {
      masterSteps.push_back(step);
      EXPECT_EQ(u.value(0, 0.0), 3.0) << "extrapolated";
      y[0] = 10.0;
      return StepResult{Status::ok, std::min(step.t1, step.t0 + stride)};
    };
    Script slave;
    slave.ports = {in("u"), out("y")};
    slave.capabilities.inputDerivatives = 5;
    slave.advance = [&](const Step& step, Trajectory u, std::span<double> y, Binding&) {
      slaveSteps.push_back(step);
      courses.push_back({u.value(0, 0.0), u.value(0, 1.0)});
      y[0] = 4.0;
      return StepResult{Status::ok, step.t1};
    };
    add(system, "master", std::move(master));
    add(system, "slave", std::move(slave));
    connect(system, {{"master.y", "slave.u"}, {"slave.y", "master.u"}});
    const auto cycles = findCycles(system);
    Network network(system, cycles, 1e100);
    std::ranges::copy(Reals{2.0, 3.0}, network.outputs().begin());
    CoupledStep step(network, cycles, {.kind = AlgorithmKind::masterSlave, .degree = 1}, false);
    step.begin(1.0);
    const StepOutcome outcome = step.solve({{1.0, 2.0, true}, {}, false, false});
    EXPECT_FALSE(outcome.fault);
    const double reached = std::min(2.0, 1.0 + stride);
    EXPECT_EQ(outcome.reached, reached);
    ASSERT_EQ(masterSteps.size(), 1U);
    EXPECT_TRUE(masterSteps[0].single);
    EXPECT_EQ(masterSteps[0].t1, 2.0);
    ASSERT_EQ(slaveSteps.size(), 1U);
    EXPECT_FALSE(slaveSteps[0].single);
    EXPECT_EQ(slaveSteps[0].t0, 1.0);
    EXPECT_EQ(slaveSteps[0].t1, reached);
    EXPECT_EQ(slaveSteps[0].length, reached - 1.0);
    EXPECT_TRUE(slaveSteps[0].final);
    EXPECT_EQ(courses[0], (Reals{2.0, 10.0}));
    EXPECT_EQ(Reals(network.outputs().begin(), network.outputs().end()), (Reals{10.0, 4.0}));
  }
}

TEST(MasterSlave, AFaultOfTheMasterIsTheEnd) {
  System system;
  int steps = 0;
  Script master;
  master.ports = {in("u"), out("y")};
  master.advance = [](const Step& step, Trajectory, auto, Binding&) { return StepResult{Status::error, step.t0}; };
  Script slave;
  slave.ports = {in("u"), out("y")};
  slave.advance = [&](const Step& step, Trajectory, auto, Binding&) {
    ++steps;
    return StepResult{Status::ok, step.t1};
  };
  add(system, "master", std::move(master));
  add(system, "slave", std::move(slave));
  connect(system, {{"master.y", "slave.u"}, {"slave.y", "master.u"}});
  const auto cycles = findCycles(system);
  Network network(system, cycles, 1e100);
  CoupledStep step(network, cycles, {.kind = AlgorithmKind::masterSlave}, false);
  step.begin(0.0);
  const StepOutcome outcome = step.solve({{0.0, 1.0, true}, {}, false, false});
  EXPECT_EQ(outcome.fault.kind, FaultKind::failed);
  EXPECT_EQ(outcome.fault.position, 0U);
  EXPECT_EQ(steps, 0);
}

/// Outputs with feed-through are computed once more with what all have delivered, by those who can.
TEST(Explicit, OutputsAreComputedOnceMoreWhereThatIsAskedFor) {
  for (const bool reevaluate : {false, true}) {
    System system;
    Script source;
    source.ports = {out("y")};
    source.advance = [](const Step& step, Trajectory, std::span<double> y, Binding&) {
      y[0] = step.t1;
      return StepResult{Status::ok, step.t1};
    };
    const auto gain = [](double k, bool canBeEvaluated) {
      Script script;
      script.ports = {in("u"), out("y")};
      script.capabilities.evaluatesBetweenSteps = canBeEvaluated;
      script.evaluate = [k](double, std::span<const double> u, std::span<double> y, Binding&) {
        y[0] = k * u[0];
        return Status::ok;
      };
      return script;
    };
    add(system, "source", std::move(source));
    add(system, "can", gain(2.0, true));
    add(system, "cannot", gain(3.0, false));
    Script sink;
    sink.ports = {in("a"), in("b")};
    add(system, "sink", std::move(sink));
    connect(system, {{"source.y", "can.u"}, {"source.y", "cannot.u"}, {"can.y", "sink.a"}, {"cannot.y", "sink.b"}});
    const auto cycles = findCycles(system);
    Network network(system, cycles, 1e100);
    AlgorithmSettings settings{.kind = AlgorithmKind::jacobi};
    settings.reevaluate = reevaluate;
    CoupledStep step(network, cycles, settings, false);
    std::ranges::copy(Reals{1.0, 0.0, 0.0}, network.outputs().begin());
    step.begin(1.0);
    ASSERT_FALSE(step.solve({{1.0, 1.5, true}, {}, false, false}).fault);
    EXPECT_EQ(Reals(network.outputs().begin(), network.outputs().end()), (Reals{1.5, reevaluate ? 3.0 : 2.0, 3.0}));
  }
}

/// The first iterate of a waveform: the polynomial at every point.
TEST(Waveforms, BeginWithPredictionsAtEveryPoint) {
  System system;
  std::vector<Reals> met;
  const auto member = [&](bool records) {
    Script script;
    script.ports = {in("u"), out("y")};
    script.capabilities.inputDerivatives = 5;
    script.advance = [&met, records](const Step& step, Trajectory u, std::span<double> y, Binding&) {
      if (records) met.push_back({step.t0, u.value(0, 0.0), u.value(0, 1.0)});
      y[0] = 8.0 * step.t1;
      return StepResult{Status::ok, step.t1};
    };
    return script;
  };
  add(system, "a", member(true));
  add(system, "b", member(false));
  connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  const auto cycles = findCycles(system);
  Network network(system, cycles, 1e100);
  const AlgorithmSettings settings{.kind = AlgorithmKind::iteratedJacobi,
                                   .degree = 1,
                                   .waveform = 4,
                                   .predictor = 1,
                                   .acceleration = {.kind = AcceleratorKind::none}};
  CoupledStep step(network, cycles, settings, false);
  step.begin(0.0);
  for (int n = 0; n < 3; ++n) {
    met.clear();
    ASSERT_TRUE(step.solve({{0.5 * n, 0.5 * (n + 1), false}, {}, false, false}).converged());
    step.accept(0.5 * (n + 1));
  }
  // A line is known by then: one evaluation of four pieces.
  ASSERT_EQ(met.size(), 4U);
  for (std::size_t j = 0; j < 4; ++j) {
    const double t = 1.0 + 0.125 * static_cast<double>(j);
    EXPECT_NEAR(met[j][0], t, 1e-15);
    EXPECT_NEAR(met[j][1], 8.0 * t, 1e-12);
    EXPECT_NEAR(met[j][2], 8.0 * (t + 0.125), 1e-12);
  }
}

}  // namespace
}  // namespace koppla::coupling::step_memory_test
