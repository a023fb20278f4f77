// Algebraic loops of processes, which are iterated, and the multipliers that joints begin with.

#include "koppla/coupling/loop_iteration.hpp"

#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "koppla/coupling/repelling.hpp"

#include "started.hpp"

namespace koppla::coupling::loop_iteration_test {
namespace {

using namespace koppla::coupling::scripted;

/// The network of a pair, and how iterateLoop() ends on it.
struct Iterated {
  System system;
  Network network;
  LoopIteration ended;
  int evaluations = 0;

  Iterated(std::function<double(double)> a, const AlgorithmSettings& settings, double start = 0.0,
           std::optional<int> failsAt = {})
      : system(pair(scalar(std::move(a)), gains({1.0}))), network(system, findCycles(system), 1e100) {
    network.outputs()[1] = start;
    const std::vector<std::size_t> both{0, 1};
    ended = iterateLoop(network, both, both, settings, [&](std::size_t position) {
      ++evaluations;
      network.gather(position);
      EXPECT_FALSE(network.evaluate(position, 0.0));
      return !failsAt || evaluations < *failsAt;
    });
  }
};

TEST(LoopIteration, LeavesWhatEverybodyWasEvaluatedWith) {
  AlgorithmSettings settings;
  settings.atol = settings.rtol = 1e-3;
  settings.test = ConvergenceTest::residual;
  const Iterated loop([](double u) { return 0.5 * u + 1.0; }, settings, 1.9995);
  EXPECT_TRUE(loop.ended.evaluated);
  EXPECT_EQ(loop.ended.iterations, 1U);
  EXPECT_EQ(loop.evaluations, 2);
  EXPECT_EQ(loop.network.outputs()[1], 1.9995) << "what a has answered to";
  EXPECT_EQ(loop.network.outputs()[0], 0.5 * 1.9995 + 1.0);
  // The change is 0.00025, the tolerance 1e-3 * 1.9995 + 1e-3.
  EXPECT_NEAR(loop.ended.norm, 0.00025 / (1e-3 * 1.9995 + 1e-3), 1e-9);
}

TEST(LoopIteration, EndsAtTheCap) {
  AlgorithmSettings settings;
  settings.maxIterations = 3;
  settings.atol = settings.rtol = 1e-14;
  EXPECT_EQ(Iterated([](double u) { return std::cos(u); }, settings).ended.iterations, 3U);
}

TEST(LoopIteration, EndsWhereNobodyCanBeEvaluated) {
  AlgorithmSettings settings;
  settings.atol = settings.rtol = 1e-14;
  const Iterated loop([](double u) { return std::cos(u); }, settings, 0.0, 4);
  EXPECT_FALSE(loop.ended.evaluated);
  EXPECT_EQ(loop.ended.iterations, 2U);
  EXPECT_EQ(loop.evaluations, 4);
}

TEST(LoopIteration, GivesUpWhereNothingImprovesForTwentyIterations) {
  AlgorithmSettings settings;
  settings.maxIterations = 1000;
  settings.rtol = 0.0;
  settings.atol = 1e-6;
  // The answer is off by 1 from whatever is sent, so that the first iteration is as good as any.
  const Iterated loop([](double u) { return u + 1.0; }, settings);
  EXPECT_EQ(loop.ended.iterations, 21U);
  EXPECT_NEAR(loop.ended.norm, 1e6, 1e-3);
}

TEST(LoopIteration, GivesUpWhatGetsLost) {
  AlgorithmSettings settings;
  settings.maxIterations = 1000;
  settings.rtol = 0.0;
  settings.atol = 1.0;
  double last = 2.0;
  const Iterated loop(
      [&last](double u) {
        last *= 35.0;
        return u + last;
      },
      settings);
  // The fifth residual is 35^4 = 1.5e6 times the first one.
  EXPECT_EQ(loop.ended.iterations, 5U);
  bool first = true;
  const Iterated nan([&first](double u) { return std::exchange(first, false) ? u + 2.0 : std::nan(""); }, settings);
  EXPECT_EQ(nan.ended.iterations, 2U);
}

/// u = 0.99999 u + 0.00002 has the solution 2, and a residual of 1e-9 a little beside it: the next answer says nothing.
TEST(LoopIteration, MovesByAToleranceWhereTheSlopeCannotBeSeen) {
  const AlgorithmSettings settings;
  const Iterated loop([](double u) { return 2.0 + 0.99999 * (u - 2.0); }, settings, 2.0001);
  EXPECT_LE(loop.ended.norm, 1.0);
  EXPECT_LE(loop.ended.iterations, 5U);
  EXPECT_NEAR(loop.network.outputs()[0], 2.0, 3.0 * settings.rtol * 2.0);
}

/// Of u -> u^2 + 0.2 from 0.7 to 0.71 and 0.72: slopes 1.41 and 1.43, the sums of both ends.
TEST(Repelling, IsALastMovementThatGrowsOnALineThatIsNotStraight) {
  const auto evaluations = [](const std::vector<double>& at, const std::function<double(double)>& f) {
    LoopEvaluations seen{.cut = {7}, .evaluations = {}};
    for (const double u : at) seen.evaluations.push_back({{u}, {f(u)}});
    return seen;
  };
  const auto square = [](double u) { return u * u + 0.2; };
  const auto found = repellingBy(evaluations({0.7, 0.71, 0.72}, square));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value, 7U);
  EXPECT_NEAR(found->slope, 1.43, 1e-9);
  EXPECT_FALSE(repellingBy(evaluations({0.71, 0.72}, square))) << "one slope tells nothing of others";
  EXPECT_FALSE(repellingBy(evaluations({0.7, 0.3, 0.28}, square))) << "0.58";
  EXPECT_FALSE(repellingBy(evaluations({0.7, 0.71, 0.72}, [](double u) { return 3.0 * u; }))) << "the same everywhere";
  EXPECT_FALSE(repellingBy(evaluations({0.7, 0.71, 0.72}, [](double u) { return -u * u * u; }))) << "turns round";
}

/// Of two values round the loop: only real slopes above 1 lead away.
TEST(Repelling, IsTheSteepestRealDirection) {
  const std::vector<std::size_t> values{4, 6};
  const auto found = repellingBy(std::vector{1.2, 0.0, 0.0, 1.5}, values);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value, 6U);
  EXPECT_NEAR(found->slope, 1.5, 1e-12);
  EXPECT_FALSE(repellingBy(std::vector{0.9, 0.0, 0.0, -3.0}, values));
  EXPECT_FALSE(repellingBy(std::vector{1.5, -2.0, 2.0, 1.5}, values)) << "1.5 +- 2i";
}

TEST(LoopIteration, ProcessesCannotBeDifferentiated) {
  System system = pair(gains({1.0}), gains({1.0}));
  Script process = gains({1.0});
  process.capabilities.ownProcess = true;
  add(system, "process", std::move(process));
  connect(system, {{"a.y", "process.u"}});
  Network network(system, findCycles(system), 1e100);
  EXPECT_FALSE(cannotBeDifferentiated(network, std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(cannotBeDifferentiated(network, std::vector<std::size_t>{0, 2}));
  EXPECT_TRUE(cannotBeDifferentiated(network, std::vector<std::size_t>{2}));
}

/// Masses m with acceleration (force + load) / m, and a static joint that holds their accelerations equal.
System joined(double load1, double load2, bool twice = false) {
  System system;
  const auto mass = [](double m, double load, double sign) {
    Script script;
    script.ports = {in("f"), out("a")};
    script.dependencies[1] = std::vector<PortIndex>{0};
    script.evaluate = [=](double, std::span<const double> u, std::span<double> y, Binding&) {
      double force = load;
      for (const double value : u) force += sign * value;
      y[0] = force / m;
      return Status::ok;
    };
    return script;
  };
  add(system, "one", mass(2.0, load1, 1.0));
  add(system, "two", mass(4.0, load2, -1.0));
  const auto joint = [&system](const std::string& name) {
    Script script;
    script.ports = {in("a1"), in("a2"), out("lambda"), out("position"), out("velocity"), out("acceleration")};
    for (PortIndex output = 2; output < 5; ++output) script.dependencies[output] = std::vector<PortIndex>{};
    script.dependencies[5] = std::vector<PortIndex>{0, 1};
    script.capabilities.isStatic = true;
    script.evaluate = [](double, std::span<const double> u, std::span<double> y, Binding&) {
      y[1] = y[2] = 0.0;
      y[3] = u[0] - u[1];  // lambda is the caller's
      return Status::ok;
    };
    add(system, name, std::move(script));
    system.constraints.push_back({.member = system.members.size() - 1,
                                  .lambda = 2,
                                  .mu = 0,
                                  .position = 3,
                                  .velocity = 4,
                                  .acceleration = PortIndex{5}});
  };
  joint("joint");
  connect(system, {{"one.a", "joint.a1"}, {"two.a", "joint.a2"}, {"joint.lambda", "one.f"}, {"joint.lambda", "two.f"}});
  if (twice) {
    joint("again");
    connect(system,
            {{"one.a", "again.a1"}, {"two.a", "again.a2"}, {"again.lambda", "one.f"}, {"again.lambda", "two.f"}});
  }
  return system;
}

TEST(Multipliers, BeginSoThatAccelerationsFit) {
  const Started made(joined(6.0, -8.0));
  ASSERT_TRUE(made.report.solved());
  EXPECT_FALSE(made.report.fault);
  // (6 + l) / 2 = (-8 - l) / 4
  const double lambda = (-8.0 / 4.0 - 6.0 / 2.0) / (1.0 / 2.0 + 1.0 / 4.0);
  const PlacedConstraint& joint = made.network->constraints().at(0);
  EXPECT_NEAR(made.outputs()[joint.lambda.first], lambda, 1e-12);
  EXPECT_NEAR(made.outputs()[joint.defectAccelerations.first], 0.0, 1e-12) << "everybody has seen them";
}

TEST(Multipliers, ThatTwoJointsShareAreUndetermined) {
  const Started made(joined(6.0, -8.0, true));
  EXPECT_FALSE(made.report.solved());
  std::vector<std::size_t> both;
  for (const PlacedConstraint& joint : made.network->constraints()) both.push_back(joint.lambda.first);
  std::vector<std::size_t> told = made.report.undetermined;
  std::ranges::sort(told);
  EXPECT_EQ(told, both);
}

}  // namespace
}  // namespace koppla::coupling::loop_iteration_test
