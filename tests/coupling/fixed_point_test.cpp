// What an iteration does look by look: what it sends, what it tells whoever listens, how it ends, and when it goes
// back.

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "iterated_loop.hpp"

namespace koppla::coupling::fixed_point_test {
namespace {

using namespace koppla::coupling::scripted;
using Loop = IteratedLoop;

TEST(Iterations, AreToldOneByOne) {
  Loop loop(affine(-0.5, 3.0), {0.0, 1.0}, iterating({.kind = AcceleratorKind::constant, .factor = 0.5}, 0.2));
  const Solution& solution = loop.solve();
  EXPECT_TRUE(solution.converged());
  // u <- u / 4 + 3/2 from 0: 0, 1.5, 1.875; answers 3, 2.25, 2.0625: the third is off by 0.1875.
  EXPECT_EQ(solution.evaluations, 3U);
  EXPECT_EQ(loop.sent, (std::vector<Reals>{{0.0, 1.0}, {1.5, 1.75}, {1.875, 1.9375}}));
  EXPECT_EQ(loop.outputs(), (Reals{2.0625, 2.03125, 2.0625, 2.03125}));
  const auto& told = loop.listener.told;
  ASSERT_EQ(told.size(), 3U);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(told[i].iteration, i + 1);
    EXPECT_EQ(told[i].last, i == 2);
    EXPECT_EQ(told[i].method, i == 0 ? "prediction" : "constant");
    EXPECT_EQ(told[i].largestFactor, i == 0 ? 1.0 : 0.5);
    EXPECT_TRUE(told[i].factors.empty());
  }
  EXPECT_EQ(told[2].ending, Ending::converged);
  EXPECT_TRUE(loop.listener.remarks.empty());
}

TEST(Iterations, TellFactorsOfTheirOwn) {
  Loop loop(affine(-0.5, 3.0), {0.0, 1.0}, iterating({.kind = AcceleratorKind::aitkenPerScalar, .factor = 0.5}, 1e-6));
  loop.solve();
  const auto& told = loop.listener.told;
  ASSERT_GE(told.size(), 3U);
  EXPECT_TRUE(told[0].factors.empty()) << "of a prediction";
  EXPECT_EQ(told[1].factors, (Reals{0.5, 0.5}));
  EXPECT_NEAR(told[2].factors[0], 2.0 / 3.0, 1e-12);
}

TEST(Iterations, WithoutHistoryAreToldWithoutDoings) {
  Loop loop(affine(-0.5, 3.0), {0.0}, iterating({.kind = AcceleratorKind::constant, .factor = 0.5}, 0.2));
  loop.listener.keeps = false;
  loop.step->tell(&loop.listener);
  loop.solve();
  ASSERT_EQ(loop.listener.told.size(), 3U);
  for (const auto& told : loop.listener.told) EXPECT_EQ(told.method, "none");
  // Nobody need listen.
  loop.step->tell(nullptr);
  loop.solve();
  EXPECT_EQ(loop.listener.told.size(), 3U);
}

TEST(Iterations, AreToldOnlyWhereTheyAreWanted) {
  Loop loop(affine(-0.5, 3.0), {0.0}, iterating({.kind = AcceleratorKind::constant, .factor = 0.5}, 0.2));
  loop.listener.skip(2);
  loop.solve();
  ASSERT_EQ(loop.listener.told.size(), 1U);
  EXPECT_EQ(loop.listener.told[0].iteration, 3U);
}

TEST(Iterations, RemarksAreToldAtTheEnd) {
  Loop loop(affine(-0.5, 3.0), {0.0, 1.0}, iterating({}, 1e-6));
  loop.solve();
  ASSERT_EQ(loop.listener.remarks.size(), 1U);
  EXPECT_TRUE(loop.listener.remarks[0].starts_with("2 unknowns")) << loop.listener.remarks[0];
  loop.solve();
  EXPECT_EQ(loop.listener.remarks.size(), 1U);
}

TEST(Iterations, OfFieldsMayHaveFactorsOfTheirOwn) {
  AccelerationSettings acceleration{.kind = AcceleratorKind::constant, .factor = 0.5};
  OwnNumber own{.variables = "", .number = 0.25};
  own.outputs = {{1, 1}};
  acceleration.fieldFactors = {own};
  // A third value flows back beside those of b: of a itself.
  System system;
  std::vector<Reals> sent;
  Script a;
  a.ports = {in("u", 2), in("v"), out("y", 2), out("z")};
  a.evaluate = [&sent](double, std::span<const double> u, std::span<double> y, Binding&) {
    sent.emplace_back(u.begin(), u.end());
    y[0] = y[1] = 8.0;
    y[2] = 8.0;
    return Status::ok;
  };
  add(system, "a", std::move(a));
  add(system, "b", function([](auto u, auto y) { std::ranges::copy(u, y.begin()); }, 2));
  connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}, {"a.z", "a.v"}});
  const auto cycles = findCycles(system);
  Network network(system, cycles, 1e100);
  CoupledStep step(network, cycles, iterating(acceleration, 1e-6, 2), false);
  Listener listener;
  step.tell(&listener);
  step.begin(0.0);
  step.solve({{0.0, 1.0, false}, {}, false, false});
  EXPECT_EQ(sent, (std::vector<Reals>{{0.0, 0.0, 0.0}, {2.0, 2.0, 4.0}}));
  ASSERT_EQ(listener.told.size(), 2U);
  EXPECT_EQ(listener.told[1].factors, (Reals{0.5, 0.25, 0.25}));
}

/// Every member's answers are relaxed before they are passed on.
TEST(Iterations, OfAllValuesRelaxEveryMembersAnswers) {
  AlgorithmSettings settings =
      iterating({.kind = AcceleratorKind::constant, .values = Accelerated::all, .factor = 0.5}, 1e-6, 3);
  Loop loop(affine(-2.0, 8.0), {1.0}, settings);
  const Solution& solution = loop.solve();
  EXPECT_EQ(solution.ending, Ending::capReached);
  // a: 6, unrelaxed at first; b: 1 -> 3.5. a: 1 -> 3.5; b: 3.5 -> 3.5. a: 1 -> 2.25; b: 3.5 -> 2.875.
  EXPECT_EQ(loop.sent, (std::vector<Reals>{{1.0}, {3.5}, {3.5}}));
  EXPECT_EQ(loop.outputs(), (Reals{1.0, 2.25})) << "the answers stay";
  for (const auto& told : loop.listener.told) EXPECT_TRUE(told.factors.empty());
}

/// Where all are relaxed the history tells of the first member's.
TEST(Iterations, OfAllValuesTellTheFactorsOfTheFirstMember) {
  Loop loop(affine(-2.0, 8.0), {1.0},
            iterating({.kind = AcceleratorKind::aitken, .values = Accelerated::all, .factor = 0.5}, 1e-6, 5));
  loop.solve();
  const auto& told = loop.listener.told;
  ASSERT_GE(told.size(), 4U);
  EXPECT_EQ(told[0].method, "prediction");
  EXPECT_EQ(told[1].method, "aitken");
  // a is not sent before it answers: 6, unrelaxed. b: 1 -> 6, relaxed 3.5: a answers 1, its residual is -5 after none.
  EXPECT_EQ(told[1].largestFactor, 0.5);
  // The first residual that is known leads to its factor in the second update: 6 -> 1 sends 3.5, and b answers that.
  EXPECT_EQ(told[2].largestFactor, 0.5);
  // a: residuals -5 and then 1 - 3.5 = -2.5: -0.5 (-5) / 2.5.
  EXPECT_EQ(told[3].largestFactor, 1.0);
}

TEST(Iterations, UntestedAreOneEvaluationOfWhatIsAnswered) {
  for (const Accelerated values : {Accelerated::cut, Accelerated::all}) {
    Loop loop(affine(-2.0, 8.0), {1.0},
              iterating({.kind = AcceleratorKind::constant, .values = values, .factor = 0.5}));
    const Solution& solution = loop.solve(true);
    EXPECT_TRUE(solution.converged());
    EXPECT_EQ(solution.evaluations, 1U);
    EXPECT_EQ(loop.outputs(), (Reals{6.0, 6.0}));
    EXPECT_TRUE(loop.listener.told.empty());
  }
}

TEST(Iterations, EndAtTheCap) {
  for (const unsigned most : {1U, 2U, 5U}) {
    Loop loop(affine(0.9, 1.0), {0.0}, iterating({.kind = AcceleratorKind::none}, 1e-9, most));
    const Solution& solution = loop.solve();
    EXPECT_EQ(solution.ending, Ending::capReached);
    EXPECT_EQ(solution.evaluations, most);
    EXPECT_EQ(loop.listener.told.size(), most);
    EXPECT_TRUE(loop.listener.told.back().last);
    EXPECT_EQ(loop.listener.told.back().ending, Ending::capReached);
  }
}

/// Error over residual where iterations creep by themselves: plain or relaxed, and monotonically.
TEST(Iterations, TellHowMuchTheErrorIsAboveTheResidual) {
  const auto amplification = [](AcceleratorKind kind, double g) {
    AlgorithmSettings settings = iterating({.kind = kind, .factor = 0.5}, 1e-6, 500);
    settings.test = ConvergenceTest::residual;
    Loop loop(affine(g, 1.0), {0.0}, settings);
    const Solution& solution = loop.solve();
    EXPECT_TRUE(solution.converged());
    return solution.amplification;
  };
  EXPECT_NEAR(amplification(AcceleratorKind::none, 0.75), 4.0, 1e-5);
  EXPECT_EQ(amplification(AcceleratorKind::none, -0.75), 1.0);
  // Half of the way: 1 - (1 - g) / 2 = 7/8.
  EXPECT_NEAR(amplification(AcceleratorKind::constant, 0.75), 8.0, 1e-4);
  EXPECT_EQ(amplification(AcceleratorKind::automatic, 0.75), 1.0);
  EXPECT_EQ(amplification(AcceleratorKind::iqnIls, 0.75), 1.0);
}

TEST(Iterations, TellK) {
  Loop loop(affine(-0.5, 1.0), {0.0}, iterating({.kind = AcceleratorKind::none}, 1e-6));
  EXPECT_NEAR(loop.solve().k, -0.5, 1e-6);
  Loop quick(affine(0.0, 1.0), {0.0}, iterating({.kind = AcceleratorKind::none}, 1e-6));
  EXPECT_TRUE(std::isnan(quick.solve().k)) << "two evaluations";
}

/// Where the answers move more than what was sent along the last movement, plain iteration would have gone elsewhere.
TEST(Iterations, SolutionsThatRepelAreSuspicious) {
  const auto suspicious = [](AcceleratorKind kind, const std::function<Reals(const Reals&)>& answer,
                             const Reals& start) {
    Loop loop(answer, start, iterating({.kind = kind, .factor = 0.5}, 1e-6, 200));
    const Solution& solution = loop.solve();
    EXPECT_TRUE(solution.converged());
    return solution.suspicious;
  };
  EXPECT_TRUE(suspicious(AcceleratorKind::iqnIls, affine(2.0, -1.0), {0.5}));
  EXPECT_TRUE(suspicious(AcceleratorKind::iqnIls, affine(1.5, -1.0), {0.5, 0.75}));
  EXPECT_FALSE(suspicious(AcceleratorKind::iqnIls, affine(0.9, -1.0), {0.5}));
  EXPECT_FALSE(suspicious(AcceleratorKind::iqnIls, affine(-5.0, -1.0), {0.5}));
  EXPECT_FALSE(suspicious(AcceleratorKind::none, affine(0.5, -1.0), {0.5}));
  // Answers that move in another direction than what is sent say nothing: a rotation.
  const auto rotation = [](const Reals& u) { return Reals{-3.0 * u[1] + 1.0, 3.0 * u[0] + 1.0}; };
  EXPECT_FALSE(suspicious(AcceleratorKind::iqnIls, rotation, {0.5, 0.0}));
}

/// So small movements are rounding: a noise of 1e-13 of the value.
TEST(Iterations, RoundingIsNoSlope) {
  int calls = 0;
  Loop loop(
      [&calls](const Reals&) {
        ++calls;
        return Reals{1.0 + (calls < 3 ? 1e-13 * calls * calls : 2e-12)};
      },
      {1.0}, iterating({.kind = AcceleratorKind::constant, .factor = 0.5}, 1.9e-13));
  const Solution& solution = loop.solve();
  static_cast<void>(solution);
  EXPECT_FALSE(loop.algorithm().solution().suspicious);
}

TEST(Iterations, DiscreteValuesThatChangeAreNotConvergedUnlessTheyDoNotCount) {
  for (const DiscreteTest test : {DiscreteTest::compare, DiscreteTest::ignore})
    for (const int changes : {0, 3}) {
      System system;
      int calls = 0;
      Script a;
      a.ports = {in("u"), out("y"), out("n", 1, core::Type::integer)};
      a.evaluate = [&, changes](double, auto, std::span<double> y, Binding& binding) {
        y[0] = 1.0;
        binding.discreteOutputs.integers[0] = std::min(changes, ++calls);
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
      const auto cycles = findCycles(system);
      Network network(system, cycles, 1e100);
      AlgorithmSettings settings = iterating({.kind = AcceleratorKind::none});
      settings.discrete = test;
      for (const AlgorithmKind kind : {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::newton}) {
        settings.kind = kind;
        calls = 0;
        network.putDiscreteOutputs({0, 2}, {{}, {0}, {}, {}});
        std::ranges::copy(Reals{1.0, 1.0}, network.outputs().begin());
        CoupledStep step(network, cycles, settings, false);
        step.begin(0.0);
        EXPECT_TRUE(step.solve({{0.0, 1.0, false}, {}, false, false}).converged());
        const std::uint64_t expected = test == DiscreteTest::ignore || changes == 0 ? 1 : 4;
        if (kind == AlgorithmKind::iteratedGaussSeidel) {
          EXPECT_EQ(step.iteratedCycles()[0]->evaluations, expected);
        } else {
          EXPECT_EQ(step.iteratedCycles()[0]->evaluations > 1, expected > 1);
        }
      }
    }
}

TEST(Iterations, ThatStagnateNameWhatIsReadFromText) {
  // Answers jump by one unit of the third digit; the tolerance is far below.
  for (const unsigned digits : {0U, 3U}) {
    int calls = 0;
    Loop loop([&calls](const Reals&) { return Reals{12.3 + 0.1 * (++calls % 2)}; }, {12.0},
              iterating({.kind = AcceleratorKind::none}, 1e-3, 200), digits);
    const Solution& solution = loop.solve();
    if (digits == 0) {
      EXPECT_EQ(solution.ending, Ending::capReached);
    } else {
      EXPECT_EQ(solution.ending, Ending::capReached) << "a whole unit is more than half of one";
    }
    // What stands still at its last digit is said to stagnate though it passes the test.
    Loop still([](const Reals&) { return Reals{12.3}; }, {12.0}, iterating({.kind = AcceleratorKind::none}, 1e-3),
               digits);
    EXPECT_EQ(still.solve().ending, digits == 0 ? Ending::converged : Ending::stagnated);
    EXPECT_EQ(still.algorithm().obstacle().coarse, digits == 0 ? std::nullopt : std::optional<std::size_t>(0));
  }
}

/// u = sqrt(2 - u) has no values beyond 2; what is sent there leads nowhere.
TEST(Iterations, RetreatWhereWhatWasSentHasNoAnswer) {
  const auto root = [](const Reals& u) { return Reals{std::sqrt(2.0 - u[0]) * 3.0 - 2.0}; };
  Loop loop(root, {-7.0}, iterating({}, 1e-9));
  const Solution& solution = loop.solve();
  EXPECT_TRUE(solution.converged());
  // 3 sqrt(2 - u) = u + 2: u = 1 or -14...; the answer 7 cannot be sent, a quarter of the way is -3.5.
  ASSERT_GE(loop.sent.size(), 3U);
  EXPECT_EQ(loop.sent[0], Reals{-7.0});
  EXPECT_EQ(loop.sent[1], Reals{7.0});
  EXPECT_EQ(loop.sent[2], Reals{-3.5});
  EXPECT_NEAR(loop.outputs()[1], 1.0, 1e-8);
}

TEST(Iterations, RetreatEightTimesInARow) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const AcceleratorKind kind : {AcceleratorKind::automatic, AcceleratorKind::none}) {
    Loop loop([nan](const Reals& u) { return Reals{u[0] == 0.0 ? 1.0 : nan}; }, {0.0},
              iterating({.kind = kind}, 1e-9, 100));
    const Solution& solution = loop.solve();
    EXPECT_EQ(solution.ending, Ending::failed);
    EXPECT_EQ(solution.fault.kind, FaultKind::exploded);
    EXPECT_EQ(solution.evaluations, kind == AcceleratorKind::automatic ? 10U : 2U);
    if (kind == AcceleratorKind::automatic) {
      for (std::size_t i = 1; i < 10; ++i) EXPECT_EQ(loop.sent[i][0], std::pow(0.25, static_cast<double>(i) - 1.0));
    }
    // Not beyond the cap, and not before anything is known.
    Loop capped([nan](const Reals& u) { return Reals{u[0] == 0.0 ? 1.0 : nan}; }, {0.0},
                iterating({.kind = kind}, 1e-9, 4));
    EXPECT_EQ(capped.solve().evaluations, kind == AcceleratorKind::automatic ? 4U : 2U);
    Loop lost([nan](const Reals&) { return Reals{nan}; }, {0.0}, iterating({.kind = kind}, 1e-9, 100));
    EXPECT_EQ(lost.solve().evaluations, 1U);
  }
}

TEST(Iterations, AFailureIsNoReasonToRetreat) {
  System system;
  int calls = 0;
  Script a = function([](auto, auto) {});
  a.evaluate = [&calls](double, auto, std::span<double> y, Binding&) {
    y[0] = 1.0;
    return ++calls == 2 ? Status::error : Status::ok;
  };
  add(system, "a", std::move(a));
  add(system, "b", function([](auto u, auto y) { std::ranges::copy(u, y.begin()); }));
  connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  const auto cycles = findCycles(system);
  Network network(system, cycles, 1e100);
  CoupledStep step(network, cycles, iterating({}), false);
  step.begin(0.0);
  const StepOutcome outcome = step.solve({{0.0, 1.0, false}, {}, false, false});
  EXPECT_EQ(outcome.fault.kind, FaultKind::failed);
  EXPECT_EQ(calls, 2);
}

/// Values that are finite but beyond all measure are retreated from as well, and told.
TEST(Iterations, RetreatFromExplosionsThatAreFinite) {
  Loop loop([](const Reals& u) { return Reals{std::fabs(u[0]) > 3.0 ? 1e12 * u[0] : 1.5 + 1.0 / (1.0 + u[0] * u[0])}; },
            {0.0}, iterating({}, 1e-9));
  EXPECT_TRUE(loop.solve().converged());
  AlgorithmSettings plain = iterating({.kind = AcceleratorKind::none}, 1e-9);
  Loop exploding([](const Reals& u) { return Reals{-100.0 * u[0] + 1.0}; }, {1.0}, plain);
  const Solution& solution = exploding.solve();
  EXPECT_EQ(solution.ending, Ending::exploded);
  EXPECT_FALSE(solution.suspicious);
  EXPECT_EQ(exploding.listener.told.size(), solution.evaluations);
  EXPECT_EQ(exploding.listener.told.back().ending, Ending::exploded);
}

}  // namespace
}  // namespace koppla::coupling::fixed_point_test
