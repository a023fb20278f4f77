// A static subsystem with ports of all kinds as a function: who is asked what, what follows, and what is said of
// failures. Threads and increments: tests/dynamic_static/.

#include "koppla/solver/static_function.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pretended.hpp"

namespace koppla::solver::test::static_function_test {
namespace {

using subsystem::Slot;
using testing::ElementsAre;
using Vector = std::vector<double>;

constexpr subsystem::PortIndex kA = 4, kB = 7;
const double kRoot = std::sqrt(std::numeric_limits<double>::epsilon());

/// Of u = (a1, a2, b) unless the inputs are given in another order.
std::unique_ptr<StaticFunction> function(Pretence& pretence, StaticCoupling coupling, int instances = 1,
                                         std::vector<subsystem::PortIndex> inputs = {kA, kB}) {
  auto made = std::make_unique<StaticFunction>("film", pretended(instances, pretence), std::move(inputs),
                                               StaticSettings{.coupling = coupling, .threads = 1, .increment = {}});
  made->begin({1.0, 3.0, {}});
  pretence.calls.clear();
  pretence.events.clear();
  return made;
}

Vector valuesAt(StaticFunction& function, double t, const Vector& u) {
  const std::span<const double> y = function.values(t, u);
  return {y.begin(), y.end()};
}

TEST(StaticFunctionOfVectors, IsLinearInEveryInputAfterACall) {
  for (const int instances : {1, 2, 3, 4, 6}) {
    Pretence pretence;
    const auto made = function(pretence, StaticCoupling::predictor, instances);
    const Vector u{3.0, 5.0, -7.0};
    made->call(Visit::predicted, 0.5, u);
    ASSERT_EQ(pretence.calls.size(), 4U);
    EXPECT_EQ(made->calls(), 1U);
    // p = a1 a2 + b, q1 = a1^2 - 2 a2, q2 = b^2 a2 with their derivatives at u, moved by (0.1, 0.2, 0.3).
    const Vector y = valuesAt(*made, 0.75, {3.1, 5.2, -6.7});
    EXPECT_NEAR(y[0], 15.0 - 7.0 + 5.0 * 0.1 + 3.0 * 0.2 + 0.3, 1e-6);
    EXPECT_NEAR(y[1], 9.0 - 10.0 + 6.0 * 0.1 - 2.0 * 0.2, 1e-6);
    EXPECT_NEAR(y[2], 245.0 + 49.0 * 0.2 - 2.0 * 7.0 * 5.0 * 0.3, 1e-5);
    EXPECT_EQ(pretence.calls.size(), 4U) << "nobody is asked";
  }
}

/// The first one computes the value, the probes go round among the others.
TEST(StaticFunctionOfVectors, EveryInstanceHasItsShare) {
  const std::vector<std::pair<int, std::vector<int>>> expected{
      {1, {0, 0, 0, 0}}, {2, {0, 1, 1, 1}}, {3, {0, 1, 1, 2}}, {4, {0, 1, 2, 3}}, {5, {0, 1, 2, 3}}};
  for (const auto& [instances, asked] : expected) {
    Pretence pretence;
    const auto made = function(pretence, StaticCoupling::predictor, instances);
    const Vector u{3.0, 5.0, -7.0};
    made->call(Visit::predicted, 0.5, u);
    EXPECT_EQ(pretence.instancesAsked(), asked) << instances;
    ASSERT_EQ(pretence.calls[0].u, u);
    // sqrt(eps) times the magnitude, or the nominal value where that is more.
    const Vector increments{3.0 * kRoot, 5.0 * kRoot, 10.0 * kRoot};
    std::vector<Vector> probes;
    for (std::size_t i = 0; i < 3; ++i) {
      probes.push_back(u);
      probes.back()[i] += increments[i];
    }
    for (std::size_t k = 1; k < 4; ++k) {
      EXPECT_THAT(probes, testing::Contains(pretence.calls[k].u)) << k;
      EXPECT_EQ(pretence.calls[k].t, 0.5);
    }
    EXPECT_EQ(pretence.calls[1].u, probes[0]);
  }
}

TEST(StaticFunctionOfVectors, TakesItsInputsInTheOrderGiven) {
  Pretence pretence;
  const auto made = function(pretence, StaticCoupling::predictor, 1, {kB, kA});
  EXPECT_EQ(made->inputs(), (std::vector<subsystem::PortIndex>{kB, kA}));
  EXPECT_EQ(made->coupling(), StaticCoupling::predictor);
  made->call(Visit::predicted, 0.0, Vector{0.0, 0.0, 0.0});
  EXPECT_EQ(pretence.calls[1].u[0], 10.0 * kRoot) << "b comes first, with its nominal value";
  EXPECT_EQ(pretence.calls[2].u[1], kRoot);
  EXPECT_EQ(pretence.calls[3].u[2], kRoot);
}

TEST(StaticFunctionOfVectors, IsSetBegunAndEndedWithAllInstances) {
  Pretence pretence;
  {
    auto instances = pretended(2, pretence);
    auto* const second = dynamic_cast<Pretended*>(instances[1].get());
    StaticFunction made("film", std::move(instances), {kA, kB}, {});
    EXPECT_EQ(second->bound().inputs, (std::vector<subsystem::PortIndex>{kA, kB}));
    EXPECT_EQ(second->bound().outputs, (std::vector<subsystem::PortIndex>{6, 8})) << "real outputs only";
    made.watchBy(std::make_unique<Pretended>(9, pretence));
    EXPECT_THAT(pretence.events, ElementsAre("0: bind", "1: bind", "9: bind"));
    pretence.events.clear();
    made.set(0, std::vector<core::Value>{2.5});
    EXPECT_THAT(pretence.events, ElementsAre("0: set k", "1: set k", "9: set k"));
    pretence.events.clear();
    made.begin({0.0, 1.0, {}});
    EXPECT_THAT(pretence.events, ElementsAre("0: enter", "1: enter", "9: enter"));
    pretence.events.clear();
  }
  EXPECT_THAT(pretence.events, testing::UnorderedElementsAre("0: terminate", "1: terminate", "9: terminate"));
}

TEST(StaticFunctionOfVectors, ShowsParametersOfAllTypes) {
  Pretence pretence;
  StaticFunction made("film", pretended(2, pretence), {kA, kB}, {});
  EXPECT_EQ(made.value(3), core::Value(std::string()));
  made.set(0, std::vector<core::Value>{2.5});
  made.set(2, std::vector<core::Value>{std::int32_t{7}});
  made.set(3, std::vector<core::Value>{std::string("oil")});
  EXPECT_EQ(made.value(0), core::Value(2.5));
  EXPECT_EQ(made.value(2), core::Value(std::int32_t{7}));
  EXPECT_EQ(made.value(3), core::Value(std::string("oil")));
  for (const bool on : {true, false}) {
    StaticFunction other("film", pretended(1, pretence), {kA, kB}, {});
    other.set(1, std::vector<core::Value>{on});
    EXPECT_EQ(other.value(1), core::Value(on));
  }
}

TEST(StaticFunctionOfVectors, ComputesAValueOnceForEachTimeAndInput) {
  Pretence pretence;
  const auto made = function(pretence, StaticCoupling::predictor, 2);
  const Vector u{1.0, 2.0, 3.0};
  const auto asked = [&](double t, const Vector& at) {
    pretence.calls.clear();
    valuesAt(*made, t, at);
    return pretence.calls.size();
  };
  EXPECT_EQ(asked(0.0, u), 1U) << "no probes, and not known though t is 0";
  EXPECT_EQ(pretence.calls[0].u, u);
  EXPECT_EQ(asked(0.0, u), 0U);
  EXPECT_EQ(asked(0.5, u), 1U);
  EXPECT_EQ(asked(0.5, {1.0, 2.0, 4.0}), 1U);
  EXPECT_EQ(asked(0.5, {1.0, 2.0, 4.0}), 0U);
  EXPECT_EQ(asked(0.0, u), 1U);
  EXPECT_EQ(made->calls(), 4U);
  made->save(Slot::iteration);  // whoever comes back computes it anew, so whoever goes on does
  EXPECT_EQ(asked(0.0, u), 1U);
  made->restore(Slot::iteration);
  EXPECT_EQ(asked(0.0, u), 1U);
  made->forget();
  EXPECT_EQ(asked(0.0, u), 1U);
  made->begin({1.0, 3.0, {}});
  EXPECT_EQ(asked(0.0, u), 1U);
  EXPECT_EQ(made->calls(), 8U);
}

/// In iterations that renew no Jacobian "full" computes the value alone, beside the slopes of an earlier call.
TEST(StaticFunctionOfVectors, KeepsItsSlopesInIterations) {
  Pretence pretence;
  const auto made = function(pretence, StaticCoupling::full, 1);
  const auto asked = [&](Visit at, const Vector& u) {
    pretence.calls.clear();
    EXPECT_TRUE(made->visit(at));
    made->call(at, 0.5, u);
    return pretence.calls.size();
  };
  EXPECT_EQ(asked(Visit::iterate, {3.0, 5.0, 7.0}), 4U) << "there are no slopes yet";
  EXPECT_EQ(asked(Visit::iterate, {1.0, 2.0, 0.0}), 1U);
  EXPECT_NEAR(valuesAt(*made, 0.5, {1.5, 2.25, 0.0})[0], 2.0 + 5.0 * 0.5 + 3.0 * 0.25, 1e-6);
  EXPECT_EQ(asked(Visit::renewal, {1.0, 2.0, 0.0}), 4U);
  EXPECT_NEAR(valuesAt(*made, 0.5, {1.5, 2.25, 0.0})[0], 2.0 + 2.0 * 0.5 + 1.0 * 0.25, 1e-6);
  made->forget();
  EXPECT_EQ(asked(Visit::iterate, {1.0, 2.0, 0.0}), 4U);
  EXPECT_EQ(made->calls(), 4U);
}

TEST(StaticFunctionOfVectors, IsNotCalledWhileTimeIsHeld) {
  for (const StaticCoupling coupling :
       {StaticCoupling::full, StaticCoupling::predictor, StaticCoupling::lastCorrector}) {
    Pretence pretence;
    const auto made = function(pretence, coupling);
    EXPECT_FALSE(made->isDue(Visit::held));
    EXPECT_FALSE(made->visit(Visit::held));
  }
}

/// The slope over time, once a step, by one more evaluation sqrt(eps) max(1, |t|) later: while it is not known that
/// the answer does not depend on time.
TEST(StaticFunctionOfVectors, FollowsTimeWhereCallsLieBack) {
  const Vector u{1.0, 2.0, 3.0};
  Pretence steady;
  const auto still = function(steady, StaticCoupling::lastCorrector);
  still->call(Visit::accepted, 0.5, u);
  ASSERT_EQ(steady.calls.size(), 5U);
  EXPECT_EQ(steady.calls[4].t, 0.5 + kRoot);
  EXPECT_EQ(steady.calls[4].u, u);
  still->call(Visit::accepted, 0.6, u);
  EXPECT_EQ(steady.calls.size(), 9U);
  EXPECT_EQ(valuesAt(*still, 7.0, u), (Vector{5.0, -3.0, 18.0}));

  Pretence moving;
  moving.output = [](double t, const Vector& at) { return Vector{3.0 * t + at[0], at[1] - t * t, at[2]}; };
  const auto made = function(moving, StaticCoupling::lastCorrector);
  for (const double t : {0.5, 200.0, -300.0}) {
    moving.calls.clear();
    made->call(Visit::accepted, t, u);
    ASSERT_EQ(moving.calls.size(), 5U) << t;
    EXPECT_EQ(moving.calls[4].t, t + kRoot * std::fmax(1.0, std::fabs(t)));
    const Vector y = valuesAt(*made, t + 0.25, u);
    EXPECT_NEAR(y[0], 3.0 * (t + 0.25) + 1.0, 1e-5);
    EXPECT_NEAR(y[1], 2.0 - t * t - 2.0 * t * 0.25, 1e-3);
    EXPECT_EQ(y[2], 3.0);
    // At its own time it is exact: the later evaluation leaves no trace.
    EXPECT_EQ(valuesAt(*made, t, u), moving.output(t, u));
  }

  Pretence other;
  other.output = moving.output;
  const auto predicted = function(other, StaticCoupling::predictor);
  predicted->call(Visit::predicted, 0.5, u);
  EXPECT_EQ(other.calls.size(), 4U) << "its calls do not lie back";
}

TEST(StaticFunctionOfVectors, GoesBackWithTheStates) {
  const Vector u{1.0, 2.0, 3.0};
  for (const bool can : {false, true}) {
    Pretence pretence;
    pretence.savesAndRestores = can;
    const auto made = function(pretence, StaticCoupling::predictor, 2);
    made->call(Visit::predicted, 0.5, u);
    const Vector near = valuesAt(*made, 0.5, {1.5, 2.0, 3.0});
    made->save(Slot::macroStep);
    EXPECT_EQ(pretence.events, can ? (std::vector<std::string>{"0: save", "1: save"}) : std::vector<std::string>{});
    made->call(Visit::predicted, 0.7, Vector{9.0, 9.0, 9.0});
    made->save(Slot::iteration);
    EXPECT_NE(valuesAt(*made, 0.5, {1.5, 2.0, 3.0}), near);
    pretence.events.clear();
    made->restore(Slot::macroStep);
    EXPECT_EQ(pretence.events,
              can ? (std::vector<std::string>{"0: restore", "1: restore"}) : std::vector<std::string>{});
    EXPECT_EQ(valuesAt(*made, 0.5, {1.5, 2.0, 3.0}), near);
  }
}

TEST(StaticFunctionOfVectors, IsBoundToItsThreadAsItsInstancesAre) {
  for (const bool bound : {false, true}) {
    Pretence pretence;
    pretence.threadBound = bound;
    EXPECT_EQ(function(pretence, StaticCoupling::full)->threadBound(), bound);
  }
}

}  // namespace
}  // namespace koppla::solver::test::static_function_test
