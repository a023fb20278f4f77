// Derivatives of a cycle: how far probes go, what they leave behind, and how members' blocks are put together.

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "koppla/coupling/interface_problem.hpp"
#include "koppla/coupling/twins.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::derivatives_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;
using Reals = std::vector<double>;
using Matrix = std::vector<Reals>;

constexpr Step kStep{1.0, 1.5, false};

std::vector<Cycle> inOrder(const System& system) {
  std::vector<Cycle> cycles;
  for (MemberIndex member = 0; member < system.members.size(); ++member) cycles.push_back({{member}, false});
  return cycles;
}

/// y = M u, and the inputs that each step met.
struct Linear {
  Matrix matrix;
  std::vector<Reals> met{};
  std::function<Status(std::span<const double> u)> status = [](auto) { return Status::ok; };

  Script script(bool isStatic = false) {
    Script made;
    made.ports = {in("u", matrix[0].size()), out("y", matrix.size())};
    made.capabilities.isStatic = isStatic;
    made.evaluate = [this](double, std::span<const double> u, std::span<double> y, Binding&) {
      met.emplace_back(u.begin(), u.end());
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] = 0.0;
        for (std::size_t j = 0; j < u.size(); ++j) y[i] += matrix[i][j] * u[j];
      }
      return status(u);
    };
    return made;
  }
};

/// A ring of two: a = A b and b = B a, both of two values.
struct Ring {
  Linear a{{{1.0, 2.0}, {0.5, -1.0}}};
  Linear b{{{4.0, 0.0}, {0.25, 8.0}}};
  System system{};
  std::optional<Network> network{};
  std::optional<Approximation> approximation{};
  std::optional<InterfaceProblem> problem{};

  /// Makes the problem; outputs are sent as (1, 2, 4, -8).
  void make(
      Form form, std::function<void(Script&)> changeA = [](Script&) {}, bool approximates = false, double scale = 1.0,
      bool staticA = false) {
    Script script = a.script(staticA);
    changeA(script);
    add(system, "a", std::move(script));
    add(system, "b", b.script());
    connect(system, {{"a.y", "b.u"}, {"b.y", "a.u", scale}});
    network.emplace(system, inOrder(system), 1e100);
    std::ranges::copy(Reals{1.0, 2.0, 4.0, -8.0}, network->outputs().begin());
    if (approximates) {
      approximation.emplace(4, 0, std::vector<std::size_t>{});
      approximation->add(kStep.t0, network->outputs());
      approximation->begin(kStep.t0, kStep.t1);
    }
    problem.emplace(*network, Block{0, 2}, form, approximation ? &*approximation : nullptr);
    ASSERT_FALSE(problem->begin(kStep, {}));
    ASSERT_FALSE(problem->evaluate());
    a.met.clear();
    b.met.clear();
  }
  Matrix jacobian(const std::vector<Sensitivity>& blocks, const std::vector<std::size_t>& values) {
    Matrix result(values.size(), Reals(problem->cut().size(), 0.0));
    for (const Derivative& d : problem->derivatives(blocks, values)) result[d.row][d.column] += d.value;
    return result;
  }
};

void expectNear(const Matrix& obtained, const Matrix& expected, double tolerance = 1e-6) {
  ASSERT_EQ(obtained.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(obtained[i].size(), expected[i].size());
    for (std::size_t j = 0; j < expected[i].size(); ++j)
      EXPECT_NEAR(obtained[i][j], expected[i][j], tolerance) << i << j;
  }
}

// ---- How far
// ---------------------------------------------------------------------------------------------------------

TEST(Probes, GoByAShareOfTheInputThatIsAtLeastItsNominalValue) {
  Ring ring;
  ring.make(Form::parallel, [](Script& a) { a.ports[0].nominal = 6.0; });
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks, {.relative = 0.125, .linear = 0.5}));
  EXPECT_EQ(ring.a.met, (Matrix{{4.0 + 0.75, -8.0}, {4.0, -8.0 + 1.0}})) << "one after the other, each from the start";
  EXPECT_EQ(ring.b.met, (Matrix{{1.0 + 0.125, 2.0}, {1.0, 2.0 + 0.25}}));
  EXPECT_EQ(blocks[0].increments, (Reals{0.75, 1.0}));
  EXPECT_EQ(blocks[0].inputs, 2U);
  EXPECT_EQ(blocks[0].values, (Reals{1.0, 2.0, 0.5, -1.0}));
  EXPECT_EQ(blocks[1].values, (Reals{4.0, 0.0, 0.25, 8.0}));
  EXPECT_EQ(Reals(ring.network->outputs().begin(), ring.network->outputs().end()), (Reals{-12.0, 10.0, 4.0, 16.25}))
      << "outputs are the answers still";
}

TEST(Probes, OfLinearMembersHaveAShareOfTheirOwn) {
  Ring ring;
  ring.make(Form::parallel, [](Script& a) { a.capabilities.linear = true; });
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks, {.relative = 0.125, .linear = 0.5}));
  EXPECT_EQ(blocks[0].increments, (Reals{2.0, 4.0}));
  EXPECT_EQ(blocks[1].increments, (Reals{0.125, 0.25}));
}

TEST(Probes, GoAtLeastAsFarAsTheirSourcesAsk) {
  Ring ring;
  ring.make(
      Form::parallel, [](Script&) {}, false, -2.0);
  // a's inputs are -2 b = (-8, 16).
  const Reals atLeast{0.5, 0.0, 16.0, 0.25};
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks, {.relative = 0.125, .linear = 0.5, .atLeast = atLeast}));
  EXPECT_EQ(blocks[0].increments, (Reals{32.0, 2.0})) << "an input takes twice its source";
  EXPECT_EQ(blocks[1].increments, (Reals{0.5, 0.25}));
}

TEST(Probes, OfOutputsWithANumberOfTheirOwnGoThatFar) {
  Ring ring;
  ring.make(Form::parallel);
  const Reals atLeast(4, 100.0);
  const Reals own{0.0, 0.25, 0.5, 0.0};
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks, {.relative = 0.125, .atLeast = atLeast, .own = own}));
  EXPECT_EQ(blocks[0].increments, (Reals{2.0, 100.0}));
  EXPECT_EQ(blocks[1].increments, (Reals{100.0, 0.5}));
}

/// Two sources of one input: distances add up, of their own numbers the larger one counts.
TEST(Probes, OfASumGoAsFarAsAllItsSourcesTogether) {
  System system;
  Linear a{{{2.0}}};
  Linear b{{{3.0}, {5.0}}};
  add(system, "a", a.script());
  add(system, "b", b.script());
  system.connections = {{{1, 1}, {0, 0}, 1.0, 0.0, 0, 0}, {{1, 1}, {0, 0}, -4.0, 0.0, 1, 0}, {{0, 1}, {1, 0}}};
  Network network(system, inOrder(system), 1e100);
  std::ranges::copy(Reals{1.0, 8.0, 1.0}, network.outputs().begin());
  InterfaceProblem problem(network, {0, 2}, Form::parallel);
  ASSERT_FALSE(problem.begin(kStep, {}));
  ASSERT_FALSE(problem.evaluate());
  const Reals atLeast{0.0, 0.5, 0.25};
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(problem.sensitivities(blocks, {.relative = 1e-6, .atLeast = atLeast}));
  EXPECT_EQ(blocks[0].increments, Reals{0.5 + 4.0 * 0.25});
  const Reals own{0.0, 0.125, 0.25};
  ASSERT_FALSE(problem.sensitivities(blocks, {.relative = 1e-6, .atLeast = atLeast, .own = own}));
  EXPECT_EQ(blocks[0].increments, Reals{0.25 * 4.0});
  // d b / d b by a: rows of b's outputs, (3, 5) * 2 * (1, -4); in sequence b's are the cut.
  EXPECT_EQ(problem.probesOf(0), 1U);
  EXPECT_EQ(problem.probesOf(1), 1U);
  // The smallest change that each value of the cut was probed by: 1 / |scale| of the input's.
  EXPECT_EQ(problem.smallestIncrements(blocks)[1], 1.0);
  EXPECT_EQ(problem.smallestIncrements(blocks)[2], 0.25);
}

// ---- Where a model has no values
// --------------------------------------------------------------------------------------

TEST(Probes, GoBackwardWhereForwardLeavesTheDomain) {
  Ring ring;
  ring.make(Form::parallel);
  ring.a.status = [](std::span<const double> u) { return u[0] > 4.0 ? Status::discard : Status::ok; };
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks, {.relative = 0.5}));
  EXPECT_EQ(ring.a.met, (Matrix{{6.0, -8.0}, {2.0, -8.0}, {4.0, -4.0}}));
  EXPECT_EQ(blocks[0].values, (Reals{1.0, 2.0, 0.5, -1.0}));
  EXPECT_EQ(blocks[0].increments, (Reals{2.0, 4.0}));
}

TEST(Probes, ThatFindNothingBothWaysGiveNoDerivative) {
  Ring ring;
  ring.make(Form::parallel);
  ring.a.status = [](std::span<const double> u) { return u[0] != 4.0 ? Status::discard : Status::ok; };
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks));
  EXPECT_EQ(blocks[0].increments[0], 0.0);
  EXPECT_EQ(blocks[0].values[0], 0.0);
  EXPECT_EQ(blocks[0].values[2], 0.0);
  EXPECT_NEAR(blocks[0].values[1], 2.0, 1e-8);
  EXPECT_EQ(ring.problem->smallestIncrements(blocks)[2], 0.0);
}

TEST(Probes, ThatFailEndIt) {
  for (const bool restores : {false, true}) {
    Ring ring;
    bool armed = false;
    ring.make(Form::parallel,
              [&](Script& a) { a.restore = [&](Slot) { return armed && restores ? Status::error : Status::ok; }; });
    armed = true;
    if (!restores) ring.a.status = [](auto) { return Status::error; };
    std::vector<Sensitivity> blocks;
    const Fault fault = ring.problem->sensitivities(blocks);
    EXPECT_EQ(fault.kind, FaultKind::failed);
    EXPECT_EQ(fault.position, 0U);
    EXPECT_TRUE(ring.b.met.empty());
  }
}

// ---- Put together ---------------------------------------------------------------------------------------------------

TEST(Derivatives, InParallelAreThoseOfEveryMember) {
  Ring ring;
  ring.make(
      Form::parallel, [](Script&) {}, false, 0.5);
  EXPECT_EQ(ring.problem->cut(), (std::vector<std::size_t>{0, 1, 2, 3}));
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks));
  expectNear(ring.jacobian(blocks, {0, 1, 2, 3}),
             {{0, 0, 0.5, 1.0}, {0, 0, 0.25, -0.5}, {4.0, 0, 0, 0}, {0.25, 8.0, 0, 0}});
  expectNear(ring.jacobian(blocks, {3}), {{0.25, 8.0, 0, 0}});
}

TEST(Derivatives, InSequenceFollowTheChain) {
  Ring ring;
  ring.make(
      Form::sequence, [](Script&) {}, false, 0.5);
  EXPECT_EQ(ring.problem->cut(), (std::vector<std::size_t>{2, 3}));
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks));
  // B A / 2
  expectNear(ring.jacobian(blocks, {2, 3}), {{2.0, 4.0}, {0.125 + 2.0, 0.25 - 4.0}});
  expectNear(ring.jacobian(blocks, {0, 1}), {{0.5, 1.0}, {0.25, -0.5}});
  EXPECT_EQ(ring.problem->producerOf(0), 0U);
  EXPECT_EQ(ring.problem->producerOf(3), 1U);
  // b's inputs are fresh: only those of the cut count, 1e-6 of 2 and of 4, per half of b.
  const Reals smallest = ring.problem->smallestIncrements(blocks);
  ASSERT_EQ(smallest.size(), 2U);
  EXPECT_NEAR(smallest[0], 4e-6, 1e-12);
  EXPECT_NEAR(smallest[1], 8e-6, 1e-12);
}

/// Terms that make up an output: |dy/du u| of the inputs as they stand.
TEST(Derivatives, TellTheLargestTermOfAnOutput) {
  Ring ring;
  ring.make(Form::parallel);
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(ring.problem->sensitivities(blocks));
  // a's inputs are (4, -8), b's (1, 2).
  const Reals terms = ring.problem->largestTerms(blocks, {0, 1, 2, 3});
  const Reals expected{16.0, 8.0, 4.0, 16.0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(terms[i], expected[i], 1e-6) << i;
}

/// Members before and behind the cycle are none of its business.
TEST(Derivatives, AreOfTheCycleOnly) {
  System system;
  Linear before{{{3.0}}}, a{{{2.0, 7.0}}}, b{{{5.0}}}, after{{{11.0}}};
  add(system, "before", before.script());
  add(system, "a", a.script());
  add(system, "b", b.script());
  add(system, "after", after.script());
  add(system, "source", [] {
    Script script;
    script.ports = {out("y")};
    return script;
  }());
  system.connections = {{{4, 0}, {0, 0}},
                        {{0, 1}, {1, 0}, 1.0, 0.0, 0, 1},
                        {{2, 1}, {1, 0}, 1.0, 0.0, 0, 0},
                        {{1, 1}, {2, 0}},
                        {{2, 1}, {3, 0}},
                        {{3, 1}, {3, 0}}};
  system.connections.pop_back();
  std::vector<Cycle> cycles{{{4}, false}, {{0}, false}, {{1, 2}, true}, {{3}, false}};
  Network network(system, cycles, 1e100);
  InterfaceProblem problem(network, {2, 4}, Form::sequence);
  EXPECT_EQ(problem.coupled().size(), 2U);
  ASSERT_EQ(problem.cut().size(), 1U);
  EXPECT_EQ(network.outputName(problem.cut()[0]).member, 2U);
  ASSERT_FALSE(problem.begin(kStep, {}));
  ASSERT_FALSE(problem.evaluate());
  EXPECT_TRUE(before.met.empty());
  EXPECT_TRUE(after.met.empty());
  std::vector<Sensitivity> blocks;
  ASSERT_FALSE(problem.sensitivities(blocks));
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].inputs, 2U);
  EXPECT_EQ(blocks[0].increments[1], 0.0) << "what comes from outside is not probed";
  EXPECT_EQ(problem.probesOf(2), 1U);
  const auto derivatives = problem.derivatives(blocks, problem.cut());
  ASSERT_EQ(derivatives.size(), 1U);
  EXPECT_NEAR(derivatives[0].value, 10.0, 1e-5);
}

// ---- Static members
// ---------------------------------------------------------------------------------------------------

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

// ---- Trajectories
// -----------------------------------------------------------------------------------------------------

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

// ---- Evaluations
// ------------------------------------------------------------------------------------------------------

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

// ---- Twins
// --------------------------------------------------------------------------------------------------------------

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
}  // namespace koppla::coupling::derivatives_test
