// The linearised conditions of joints and plain connections, row by row, and steps of the semi-implicit method on plain
// loops.

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "koppla/coupling/condition_rows.hpp"
#include "koppla/coupling/coupled_step.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::conditions_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;
using Reals = std::vector<double>;
using Matrix = std::vector<Reals>;

constexpr Step kStep{1.0, 1.5, false};

/// A body that answers x = 2 l + 8 + w / 2, v = 4 l + 16 m - 1, a = 32 l to multipliers l and m and to w, a member that
/// answers w = 3 x, and joints that tell g = 0.5 x, g' = v, g'' = -a of that body.
struct Joined {
  System system{};
  std::optional<Network> network{};
  std::optional<Approximation> approximation{};
  std::optional<InterfaceProblem> problem{};
  std::vector<Sensitivity> blocks{};
  std::optional<ConditionRows> rows{};

  explicit Joined(const std::vector<Constraint>& constraints) {
    Script body;
    body.capabilities.linear = true;
    body.ports = {in("l"), in("m"), in("w"), out("x"), out("v"), out("a")};
    body.evaluate = [](double, std::span<const double> u, std::span<double> y, Binding&) {
      y[0] = 2.0 * u[0] + 8.0 + 0.5 * u[2];
      y[1] = 4.0 * u[0] + 16.0 * u[1] - 1.0;
      y[2] = 32.0 * u[0];
      return Status::ok;
    };
    add(system, "body", std::move(body));
    add(system, "other", function([](auto u, auto y) { y[0] = 3.0 * u[0]; }));
    connect(system, {{"body.x", "other.u"}, {"other.y", "body.w"}});
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      Script joint;
      joint.capabilities.isStatic = true;
      joint.capabilities.directionalDerivatives = true;
      joint.ports = {in("x"), in("v"), in("a"), out("lambda"), out("mu"), out("g"), out("dg"), out("ddg")};
      joint.evaluate = [](double, std::span<const double> u, std::span<double> y, Binding& binding) {
        for (std::size_t k = 0; k < y.size(); ++k) {
          if (binding.outputs[k] == 5) y[k] = 0.5 * u[0];
          if (binding.outputs[k] == 6) y[k] = u[1];
          if (binding.outputs[k] == 7) y[k] = -u[2];
        }
        return Status::ok;
      };
      joint.differentiate = [](std::size_t input, std::span<double> dy) {
        std::ranges::fill(dy, 0.0);
        dy[2 + input] = input == 0 ? 0.5 : input == 1 ? 1.0 : -1.0;
        return Status::ok;
      };
      const std::string name = "joint" + std::to_string(i);
      add(system, name, std::move(joint));
      connect(system, {{"body.x", name + ".x"},
                       {"body.v", name + ".v"},
                       {"body.a", name + ".a"},
                       {name + ".lambda", "body.l"},
                       {name + ".mu", "body.m"}});
      Constraint constraint = constraints[i];
      constraint.member = i + 2;
      constraint.lambda = 3;
      constraint.mu = 4;
      constraint.position = 5;
      constraint.velocity = 6;
      constraint.acceleration = PortIndex{7};
      system.constraints.push_back(constraint);
    }
    std::vector<Cycle> cycles{{{}, true}};
    for (MemberIndex member = 0; member < system.members.size(); ++member) cycles[0].members.push_back(member);
    network.emplace(system, cycles, 1e100);
    approximation.emplace(network->outputs().size(), 0, std::vector<std::size_t>{});
    approximation->add(kStep.t0, network->outputs());
    problem.emplace(*network, Block{0, network->size()}, Form::parallel, &*approximation);
    rows.emplace(*network, *problem);
  }
  /// Sends x = 1, w = 2 and the multipliers of every joint.
  void evaluate(const Reals& multipliers) {
    network->outputs()[0] = 1.0;
    network->outputs()[3] = 2.0;
    for (std::size_t i = 0; i < multipliers.size() / 2; ++i) {
      network->outputs()[4 + 5 * i] = multipliers[2 * i];
      network->outputs()[5 + 5 * i] = multipliers[2 * i + 1];
    }
    approximation->begin(kStep.t0, kStep.t1);
    ASSERT_FALSE(problem->begin(kStep, {}));
    ASSERT_FALSE(problem->evaluate());
    ASSERT_FALSE(problem->sensitivities(blocks, {.relative = 0.5, .linear = 0.5}));
    rows->linearise(*problem, blocks);
  }
  Matrix matrix(Level level) const {
    Matrix result(rows->size(), Reals(rows->size(), 0.0));
    for (const Derivative& d : rows->matrix(level)) result[d.row][d.column] += d.value;
    return result;
  }
};

Constraint baumgarte(std::optional<double> beta, double gamma) {
  Constraint constraint{};
  constraint.method = ConstraintMethod::baumgarte;
  constraint.beta = beta;
  constraint.gamma = gamma;
  return constraint;
}

Constraint weighted(double velocity, double acceleration) {
  Constraint constraint{};
  constraint.method = ConstraintMethod::weightedMultipliers;
  constraint.velocityWeight = velocity;
  constraint.accelerationWeight = acceleration;
  return constraint;
}

Constraint projected() {
  Constraint constraint{};
  constraint.method = ConstraintMethod::stabilisedIndex2;
  return constraint;
}

/// The cut is x, w, lambda, mu: what flows between members that take steps, and multipliers.
TEST(ConditionRows, OfPlainValuesAreSentLessAnswered) {
  Joined joined({projected()});
  ASSERT_EQ(joined.problem->cut().size(), 4U);
  joined.evaluate({0.5, 0.25});
  // Answers are x = 10, v = 2 + 4 - 1 = 5, a = 16, w = 3; g = 5, g' = 5, g'' = -16.
  for (const Level level : {Level::position, Level::velocity, Level::acceleration}) {
    EXPECT_EQ(joined.rows->residual(level), (Reals{1.0 - 10.0, 2.0 - 3.0, 5.0, 5.0}));
    EXPECT_EQ(joined.matrix(level), (Matrix{{1, -0.5, -2, 0}, {-3, 1, 0, 0}, {0, 0.25, 1, 0}, {0, 0, 4, 16}}));
  }
  for (std::size_t place = 0; place < 4; ++place) EXPECT_EQ(joined.rows->isMultiplier(place), place >= 2) << place;
  EXPECT_EQ(joined.rows->accelerated(), (std::vector<std::size_t>{2})) << "of lambda, not of mu";
  EXPECT_EQ(joined.rows->firstConstraint(), 2U);
  EXPECT_EQ(joined.rows->weights(), (std::array{1.0, 0.0, 0.0}));
  EXPECT_EQ(joined.rows->accelerationMatrix(*joined.problem, joined.blocks), Reals{-32.0});
}

/// g + beta g' + gamma g''; beta is half of the step where none is given.
TEST(ConditionRows, OfBaumgartesMethodMixDefects) {
  for (const auto& [beta, used] : {std::pair<std::optional<double>, double>{2.0, 2.0}, {std::nullopt, 0.25}}) {
    Joined joined({baumgarte(beta, 0.125)});
    joined.evaluate({0.5, 0.25});
    for (const Level level : {Level::position, Level::velocity, Level::acceleration}) {
      EXPECT_EQ(joined.rows->residual(level)[2], 5.0 + used * 5.0 - 0.125 * 16.0);
      EXPECT_EQ(joined.matrix(level)[2][2], 1.0 + used * 4.0 - 0.125 * 32.0);
    }
  }
}

TEST(ConditionRows, OfWeightedMultipliersAreOneDefectALevel) {
  Joined joined({weighted(2.0, 5.0)});
  joined.evaluate({0.5, 0.5});
  EXPECT_EQ(joined.rows->weights(), (std::array{0.125, 0.25, 0.625}));
  const Reals defects{5.0, 9.0, -16.0};
  const Reals slopes{1.0, 4.0, -32.0};
  for (const Level level : {Level::position, Level::velocity, Level::acceleration}) {
    EXPECT_EQ(joined.rows->residual(level)[2], defects[static_cast<std::size_t>(level)]);
    EXPECT_EQ(joined.matrix(level)[2][2], slopes[static_cast<std::size_t>(level)]);
  }
}

/// Two joints on one body: each row is of its own joint, and all multipliers move it.
TEST(ConditionRows, BelongToTheirOwnJoints) {
  Joined joined({projected(), baumgarte(2.0, 0.0)});
  joined.evaluate({0.5, 0.25, 1.5, 0.5});
  // l = 2, m = 0.75: x = 13, v = 8 + 12 - 1 = 19.
  ASSERT_EQ(joined.rows->size(), 6U);
  const Reals residual = joined.rows->residual(Level::position);
  EXPECT_EQ(residual[2], 6.5);
  EXPECT_EQ(residual[3], 19.0);
  EXPECT_EQ(residual[4], 6.5 + 2.0 * 19.0);
  const Matrix matrix = joined.matrix(Level::position);
  EXPECT_EQ(matrix[2], (Reals{0, 0.25, 1, 0, 1, 0}));
  EXPECT_EQ(matrix[3], (Reals{0, 0, 4, 16, 4, 16}));
  EXPECT_EQ(matrix[4], (Reals{0, 0.25, 1 + 8, 32, 9, 32}));
  EXPECT_EQ(joined.rows->accelerated(), (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ(joined.rows->accelerationMatrix(*joined.problem, joined.blocks), (Reals{-32, -32, -32, -32}));
  EXPECT_EQ(joined.rows->held()[0].position, 2U);
  EXPECT_EQ(joined.rows->held()[1].position, 3U);
}

/// What rounding may make of an entry: four units of the terms that cancel, over the probe.
TEST(ConditionRows, TellTheNoiseOfTheirEntries) {
  constexpr double kUnit = 4.0 * std::numeric_limits<double>::epsilon();
  Joined joined({baumgarte(2.0, 0.125)});
  joined.evaluate({4.0, 0.25});
  // x = 17, v = 16 + 4 - 1 = 19, a = 128: terms |dg/dx x| = 8.5, 19, 128. Probes: half of 4, and half of the nominal 1.
  const double terms = 8.5 + 2.0 * 19.0 + 0.125 * 128.0;
  EXPECT_DOUBLE_EQ(joined.rows->noise(Level::position, 2, 2), kUnit * terms / 2.0);
  EXPECT_DOUBLE_EQ(joined.rows->noise(Level::position, 2, 3), kUnit * terms / 0.5);
  EXPECT_DOUBLE_EQ(joined.rows->noise(Level::position, 2, 1), kUnit * terms / 1.0);
  EXPECT_EQ(joined.rows->noise(Level::position, 0, 2), 0.0) << "of a plain value";
}

TEST(HeldConstraints, AreAsFarOffAsTheirLargestDefects) {
  Joined joined({projected(), projected()});
  joined.evaluate({0.5, 0.25, 0.0, 0.0});
  const HeldConstraint now = joined.rows->present(1);
  EXPECT_EQ(now.position, 3U);
  EXPECT_EQ(now.defect, 5.0);
  EXPECT_EQ(now.defectRate, 5.0);
  EXPECT_EQ(now.size, 5.0) << "the term of x = 10 in g";
  EXPECT_EQ(now.share(), 1.0);
  joined.rows->accept();
  EXPECT_EQ(joined.rows->held()[1].defect, 5.0);
  EXPECT_EQ(joined.rows->held()[1].defectRate, 5.0);
  EXPECT_EQ(joined.rows->held()[1].size, 5.0);
  // Later on sizes grow by a tenth a step at most, and the largest defects stay.
  joined.evaluate({-4.5, -0.125, 0.0, 0.0});  // x = 0, v = -21
  EXPECT_EQ(joined.rows->present(0).defect, 0.0);
  EXPECT_EQ(joined.rows->present(0).defectRate, 21.0);
  joined.rows->accept();
  EXPECT_EQ(joined.rows->held()[0].defect, 5.0);
  EXPECT_EQ(joined.rows->held()[0].defectRate, 21.0);
  EXPECT_EQ(joined.rows->held()[0].size, 5.0);
  joined.evaluate({0.75, 0.0, 0.0, 0.0});  // x = 10.5: the term is 5.25
  EXPECT_EQ(joined.rows->present(0).size, 5.0) << "as accepted";
  joined.rows->accept();
  EXPECT_EQ(joined.rows->held()[0].size, 5.25);
  joined.evaluate({1000.0, 0.0, 0.0, 0.0});
  joined.rows->accept();
  EXPECT_DOUBLE_EQ(joined.rows->held()[0].size, 1.1 * 5.25);
}

/// u = F(u) through a second member that passes it on.
struct Loop {
  System system{};
  std::vector<Cycle> cycles{};
  std::vector<double> met{};
  std::optional<Network> network{};
  std::optional<CoupledStep> step{};

  Loop(std::function<double(double)> answer, const AlgorithmSettings& settings, double start = 1.0,
       bool linear = false) {
    Script a = function([this, answer = std::move(answer)](auto u, auto y) {
      met.push_back(u[0]);
      y[0] = answer(u[0]);
    });
    Script b = function([](auto u, auto y) { y[0] = u[0]; });
    a.capabilities.linear = b.capabilities.linear = linear;
    add(system, "a", std::move(a));
    add(system, "b", std::move(b));
    connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
    cycles = findCycles(system);
    network.emplace(system, cycles, 1e100);
    std::ranges::fill(network->outputs(), start);
    step.emplace(*network, cycles, settings, false);
    step->begin(0.0);
  }
  const StepOutcome& solve(bool untested = false) {
    met.clear();
    return step->solve({{0.0, 1.0, false}, {}, untested, false});
  }
  const Solution& solution() const { return step->iteratedCycles()[0]->algorithm->solution(); }
};

AlgorithmSettings semiImplicit(SemiImplicitSettings own = {}, double tolerance = 1e-6, unsigned most = 20) {
  AlgorithmSettings settings;
  settings.kind = AlgorithmKind::semiImplicit;
  settings.atol = settings.rtol = tolerance;
  settings.maxIterations = most;
  settings.semiImplicit = std::move(own);
  return settings;
}

TEST(SemiImplicit, CorrectsOnceAndRepeats) {
  Loop loop([](double u) { return -3.0 * u + 8.0; }, semiImplicit(), 1.0, true);
  EXPECT_TRUE(loop.solve().converged());
  EXPECT_EQ(loop.solution().evaluations, 2U);
  EXPECT_EQ(loop.solution().jacobians, 1U);
  EXPECT_EQ(loop.solution().chain, 3U) << "predicted, probed, corrected";
  EXPECT_EQ(loop.met, (Reals{1.0, 2.0, 2.0})) << "predicted 1; probed by the whole of it; corrected to 2";
  EXPECT_FALSE(loop.solution().poor);
  EXPECT_EQ(loop.network->outputs()[0], 2.0);
}

/// A correction is computed and thrown away before the first step, so that probes go as far as it.
TEST(SemiImplicit, RehearsesItsFirstStepWhereMembersAreNotLinear) {
  Loop loop([](double u) { return 8.0 - 3.0 * u; }, semiImplicit());
  EXPECT_TRUE(loop.solve().converged());
  EXPECT_EQ(loop.solution().evaluations, 3U);
  EXPECT_EQ(loop.solution().jacobians, 2U);
  ASSERT_EQ(loop.met.size(), 5U);
  EXPECT_EQ(loop.met[0], 1.0);
  EXPECT_NEAR(loop.met[1], 1.0 + 1e-5, 1e-12);
  EXPECT_EQ(loop.met[2], 1.0) << "sent again";
  EXPECT_NEAR(loop.met[3], 2.0, 1e-6) << "probed by the correction";
  EXPECT_NEAR(loop.met[4], 2.0, 1e-6);
  loop.step->accept(1.0);
  loop.solve();
  EXPECT_EQ(loop.solution().evaluations, 2U) << "once";
  Loop given([](double u) { return 8.0 - 3.0 * u; }, semiImplicit({.increment = 0.25}));
  given.solve();
  EXPECT_EQ(given.solution().evaluations, 2U);
  EXPECT_EQ(given.met[1], 1.25) << "probes go as far as they are told";
}

TEST(SemiImplicit, UntestedIsOneEvaluation) {
  Loop loop([](double u) { return 8.0 - 3.0 * u; }, semiImplicit());
  EXPECT_TRUE(loop.solve(true).converged());
  EXPECT_EQ(loop.solution().evaluations, 1U);
  EXPECT_EQ(loop.solution().jacobians, 0U);
  EXPECT_EQ(loop.met, Reals{1.0});
}

TEST(SemiImplicit, MayIterateUntilCorrectionsAreSmall) {
  const auto cube = [](double u) { return 10.0 - u * u * u; };
  Loop once(cube, semiImplicit({.increment = 1e-6}));
  EXPECT_TRUE(once.solve().converged());
  EXPECT_EQ(once.solution().evaluations, 2U);
  EXPECT_TRUE(once.solution().poor) << "another correction would change much";
  EXPECT_EQ(once.step->iteratedCycles()[0]->poor, 1U);
  Loop often(cube, semiImplicit({.increment = 1e-6, .iterate = true}, 1e-9));
  EXPECT_TRUE(often.solve().converged());
  EXPECT_NEAR(often.network->outputs()[1], 2.0, 1e-6) << "2 = 10 - 8";
  EXPECT_GT(often.solution().evaluations, 4U);
  EXPECT_LE(often.solution().norm, 1.0);
  Loop capped(cube, semiImplicit({.increment = 1e-6, .iterate = true}, 1e-9, 4));
  const StepOutcome outcome = capped.solve();
  EXPECT_EQ(outcome.ending, Ending::capReached);
  EXPECT_EQ(capped.solution().evaluations, 4U);
}

TEST(SemiImplicit, EndsWhereValuesExplode) {
  // The first two evaluations are innocent; the second correction leads to 1e9.
  int calls = 0;
  Loop loop(
      [&calls](double u) {
        ++calls;
        return calls > 4 ? 1e9 : 8.0 - 3.0 * u * u;
      },
      semiImplicit({.increment = 1e-6, .iterate = true}, 1e-9));
  EXPECT_EQ(loop.solve().ending, Ending::exploded);
  EXPECT_FALSE(loop.solution().converged());
}

TEST(SemiImplicit, ALoopOfGainOneIsNotDetermined) {
  Loop loop([](double u) { return u + 1.0; }, semiImplicit({}, 1e-6), 1.0, true);
  EXPECT_EQ(loop.solve().ending, Ending::singular);
  std::vector<std::size_t> undetermined = loop.step->iteratedCycles()[0]->algorithm->obstacle().undetermined;
  std::ranges::sort(undetermined);
  EXPECT_EQ(undetermined, (std::vector<std::size_t>{0, 1}));
  EXPECT_FALSE(loop.step->iteratedCycles()[0]->algorithm->obstacle().drowned);
}

TEST(SemiImplicit, MayRelaxAllItSends) {
  Loop loop([](double u) { return 8.0 - 3.0 * u; }, semiImplicit({.relaxation = 0.25, .relaxed = Relaxed::all}), 1.0,
            true);
  loop.solve();
  EXPECT_EQ(loop.met.back(), 0.25 * 2.0 + 0.75 * 1.0);
  Loop multipliers([](double u) { return 8.0 - 3.0 * u; }, semiImplicit({.relaxation = 0.25}), 1.0, true);
  multipliers.solve();
  EXPECT_EQ(multipliers.met.back(), 2.0) << "there are none";
}

/// What the next step begins with: what was sent, or with a final update what was answered.
TEST(SemiImplicit, RemembersWhatItSentUnlessItUpdates) {
  for (const bool finalUpdate : {false, true}) {
    Loop loop([](double u) { return 10.0 - u * u * u; }, semiImplicit({.increment = 1e-6, .finalUpdate = finalUpdate}));
    loop.solve();
    const double sent = 1.0 + (9.0 - 1.0) / 4.0;  // one correction from 1
    const Reals history(loop.step->history().begin(), loop.step->history().end());
    EXPECT_NEAR(history[1], finalUpdate ? loop.network->outputs()[1] : sent, 1e-4);
    EXPECT_NEAR(history[0], finalUpdate ? 10.0 - sent * sent * sent : 9.0 + (sent - 1.0) * -3.0, 1e-3);
  }
}

}  // namespace
}  // namespace koppla::coupling::conditions_test
