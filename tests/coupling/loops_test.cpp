// Algebraic loops at the start: how they are solved, left or kept, how they grow from step to step, and what is said of
// members that fail on the way.

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>

#include "koppla/coupling/initialisation.hpp"
#include "koppla/coupling/loop_iteration.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::loops_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;
using Names = std::vector<std::string>;

/// y = k u + b, element by element.
Script gains(std::vector<double> k, double b = 0.0) {
  const std::size_t size = k.size();
  return function(
      [k = std::move(k), b](std::span<const double> u, std::span<double> y) {
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = k[i] * u[i] + b;
      },
      size);
}

Script scalar(std::function<double(double)> answer) {
  return function([answer = std::move(answer)](std::span<const double> u, std::span<double> y) {
    if (!y.empty()) y[0] = answer(u.empty() ? 0.0 : u[0]);
  });
}

struct Initialised {
  System system{};
  std::optional<Network> network{};
  InitialisationReport report{};

  explicit Initialised(System made, const AlgorithmSettings& settings = {}) : system(std::move(made)) {
    network.emplace(system, findCycles(system), 1e100);
    report = initialise(system, *network, 0.0, settings);
  }
  [[nodiscard]] std::vector<double> outputs() const { return {network->outputs().begin(), network->outputs().end()}; }
};

System pair(Script a, Script b) {
  System system;
  add(system, "a", std::move(a));
  add(system, "b", std::move(b));
  connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  return system;
}

AlgorithmSettings keeping(AlgorithmKind kind, unsigned degree = 0) {
  AlgorithmSettings settings;
  settings.kind = kind;
  settings.degree = degree;
  settings.initialisation = Initialisation::startValues;
  return settings;
}

TEST(KeptLoop, BeginsWithTheStartValuesOfItsInputs) {
  for (const AlgorithmKind kind : {AlgorithmKind::gaussSeidel, AlgorithmKind::iteratedGaussSeidel}) {
    Script a = scalar([](double u) { return 0.25 * u + 1.0; });
    a.starts[0] = {8.0};
    Script b = scalar([](double u) { return 2.0 * u; });
    b.starts[0] = {5.0};
    const Initialised loop(pair(std::move(a), std::move(b)), keeping(kind));
    ASSERT_TRUE(loop.report.solved());
    EXPECT_EQ(loop.outputs(), (std::vector<double>{5.0, 8.0})) << "what b and a begin with";
    // Both were evaluated once, one after the other: a(8) = 3, b(3) = 6.
    ASSERT_EQ(loop.report.kept.size(), 2U);
    EXPECT_EQ(loop.report.kept[0].value, 0U);
    EXPECT_EQ(loop.report.kept[0].answered, 3.0);
    EXPECT_EQ(loop.report.kept[1].value, 1U);
    EXPECT_EQ(loop.report.kept[1].answered, 6.0);
    // How values grow that go round once per step is of interest to explicit algorithms only.
    EXPECT_EQ(loop.report.loops.size(), kind == AlgorithmKind::gaussSeidel ? 1U : 0U);
  }
}

/// A loop of gains g and h: in sequence a value goes round once per step, in parallel in two; with a line through two
/// samples the recursion is L^2 = gh (2 L - 1).
TEST(KeptLoop, TellsHowValuesGrowThatGoRoundOncePerStep) {
  const double g = -0.9;
  const double h = 4.0;
  const auto growth = [&](AlgorithmKind kind, unsigned degree) {
    const Initialised loop(pair(gains({g}, 1.0), gains({h}, -2.0)), keeping(kind, degree));
    EXPECT_TRUE(loop.report.solved());
    const AlgebraicLoop& entry = loop.report.loops.at(0);
    EXPECT_TRUE(entry.kept);
    EXPECT_FALSE(entry.solved);
    EXPECT_FALSE(entry.left);
    EXPECT_EQ(entry.outputs, (Names{"a.y", "b.y"}));
    EXPECT_EQ(entry.growthUnknown, "");
    return entry.growth;
  };
  EXPECT_NEAR(growth(AlgorithmKind::gaussSeidel, 0), 3.6, 1e-6);
  EXPECT_NEAR(growth(AlgorithmKind::jacobi, 0), std::sqrt(3.6), 1e-6);
  EXPECT_NEAR(growth(AlgorithmKind::gaussSeidel, 1), 3.6 + std::sqrt(3.6 * 3.6 + 3.6), 1e-5);
}

TEST(KeptLoop, GrowsAtTheStartValues) {
  // d sin(u) / du = cos(u), u = 1 where a begins; b passes it on.
  Script a = scalar([](double u) { return 3.0 * std::sin(u); });
  a.starts[0] = {1.0};
  const Initialised loop(pair(std::move(a), gains({1.0})), keeping(AlgorithmKind::gaussSeidel));
  EXPECT_NEAR(loop.report.loops.at(0).growth, 3.0 * std::cos(1.0), 1e-6);
}

/// The derivative counts with the scale of the connection, and sums count with all of theirs.
TEST(KeptLoop, GrowsByTheScalesOfItsConnections) {
  System system;
  Script a = gains({2.0});
  add(system, "a", std::move(a));
  add(system, "b", gains({1.0}));
  add(system, "c", gains({1.0}));
  connect(system, {{"a.y", "b.u", 3.0, 7.0}, {"b.y", "a.u", 0.5}, {"a.y", "c.u"}, {"c.y", "a.u", 0.25}});
  const Initialised loop(std::move(system), keeping(AlgorithmKind::gaussSeidel));
  // a(n+1) = 2 (0.5 * 3 + 0.25) a(n)
  EXPECT_NEAR(loop.report.loops.at(0).growth, 3.5, 1e-6);
}

/// Static members are evaluated after the others of the same step, in parallel form as well.
TEST(KeptLoop, AStaticMemberSeesFreshValuesInParallelForm) {
  Script law = gains({-4.0});
  law.capabilities.isStatic = true;
  const Initialised loop(pair(gains({0.5}), std::move(law)), keeping(AlgorithmKind::jacobi));
  EXPECT_NEAR(loop.report.loops.at(0).growth, 2.0, 1e-6);
}

TEST(KeptLoop, IsDifferentiatedByItsMembersWhereTheyCan) {
  Script a = gains({0.5});
  a.capabilities.directionalDerivatives = true;
  std::vector<std::size_t> asked;
  a.differentiate = [&asked](std::size_t input, std::span<double> dy) {
    asked.push_back(input);
    dy[0] = 100.0;  // not what differences would say
    return Status::ok;
  };
  EXPECT_NEAR(Initialised(pair(a, gains({1.0})), keeping(AlgorithmKind::gaussSeidel)).report.loops.at(0).growth, 100.0,
              1e-4);
  EXPECT_EQ(asked, std::vector<std::size_t>{0});
  // A warning is no failure; where it cannot, differences serve.
  a.differentiate = [](std::size_t, std::span<double> dy) {
    dy[0] = 10.0;
    return Status::warning;
  };
  EXPECT_NEAR(Initialised(pair(a, gains({1.0})), keeping(AlgorithmKind::gaussSeidel)).report.loops.at(0).growth, 10.0,
              1e-5);
  a.differentiate = [](std::size_t, std::span<double> dy) {
    dy[0] = 10.0;
    return Status::discard;
  };
  EXPECT_NEAR(Initialised(pair(a, gains({1.0})), keeping(AlgorithmKind::gaussSeidel)).report.loops.at(0).growth, 0.5,
              1e-6);
}

TEST(KeptLoop, IsDifferentiatedBackwardAtTheEndOfADomain) {
  // a lives on u <= 2 and begins there: slope 3 from below.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Script a = scalar([nan](double u) { return u > 2.0 ? nan : 3.0 * u; });
  a.starts[0] = {2.0};
  const Initialised loop(pair(std::move(a), gains({1.0})), keeping(AlgorithmKind::gaussSeidel));
  EXPECT_NEAR(loop.report.loops.at(0).growth, 3.0, 1e-6);
  EXPECT_EQ(loop.report.loops.at(0).growthUnknown, "");
  Script nowhere = scalar([nan](double u) { return u == 2.0 ? 6.0 : nan; });
  nowhere.starts[0] = {2.0};
  const Initialised other(pair(std::move(nowhere), gains({1.0})), keeping(AlgorithmKind::gaussSeidel));
  EXPECT_EQ(other.report.loops.at(0).growthUnknown, "a value was not finite.");
  EXPECT_EQ(other.report.loops.at(0).growth, 0.0);
}

/// Calls of a member that fails where its input is not what it begins with.
struct Failing {
  int saves = 0, restores = 0, begunAgain = 0;
  bool failed = false;

  Script script(Status ofSave = Status::ok, Status ofRestore = Status::ok) {
    Script made = function([](auto, auto) {});
    made.starts[0] = {2.0};
    made.failure = "it has its reasons.";
    made.evaluate = [this](double, std::span<const double> u, std::span<double> y, Binding&) {
      failed = failed || u[0] != 2.0;
      y[0] = 6.0;
      return failed ? Status::error : Status::ok;
    };
    made.save = [this, ofSave](Slot) {
      ++saves;
      return ofSave;
    };
    made.restore = [this, ofRestore](Slot) {
      ++restores;
      failed = failed && ofRestore != Status::ok;
      return ofRestore;
    };
    made.initialiseAgain = [this] {
      ++begunAgain;
      failed = false;
      return Status::ok;
    };
    return made;
  }
};

TEST(KeptLoop, AMemberThatFailsForItsGrowthIsBroughtBack) {
  struct Case {
    bool canSave;
    Status save, restore;
    int saves, restores, begunAgain;
  };
  for (const Case& c : {Case{true, Status::ok, Status::ok, 1, 1, 0}, Case{true, Status::ok, Status::error, 1, 1, 1},
                        Case{true, Status::error, Status::ok, 1, 0, 2}, Case{false, Status::ok, Status::ok, 0, 0, 1}}) {
    Failing failing;
    Script a = failing.script(c.save, c.restore);
    a.capabilities.saveRestore = c.canSave;
    const Initialised loop(pair(std::move(a), gains({1.0})), keeping(AlgorithmKind::gaussSeidel));
    EXPECT_TRUE(loop.report.solved());
    EXPECT_FALSE(loop.report.fault);
    EXPECT_EQ(loop.report.loops.at(0).growthUnknown, "'a' failed: it has its reasons.");
    EXPECT_EQ(loop.outputs(), (std::vector<double>{0.0, 2.0}));
    EXPECT_EQ(failing.saves, c.saves);
    EXPECT_EQ(failing.restores, c.restores);
    EXPECT_EQ(failing.begunAgain, c.begunAgain);
  }
}

TEST(KeptLoop, AMemberThatFailsAtTheStartValuesItselfIsAFault) {
  Script a = scalar([](double u) { return u; });
  a.evaluate = [](double, auto, auto, Binding&) { return Status::error; };
  for (const AlgorithmKind kind : {AlgorithmKind::gaussSeidel, AlgorithmKind::iteratedJacobi}) {
    const Initialised loop(pair(gains({1.0}), a), keeping(kind));
    EXPECT_EQ(loop.report.fault.kind, FaultKind::failed);
    EXPECT_EQ(loop.report.fault.position, 1U);
    EXPECT_FALSE(loop.report.solved());
  }
}

/// Eigenvalues cost the cube of the size.
TEST(KeptLoop, GrowthIsFoundUpToTwoHundredValues) {
  for (const std::size_t size : {100U, 101U}) {
    std::vector<double> k(size);
    std::iota(k.begin(), k.end(), 1.0);
    System system = pair(gains(k), gains(std::vector<double>(size, 0.5)));
    const Initialised loop(std::move(system), keeping(AlgorithmKind::gaussSeidel));
    EXPECT_NEAR(loop.report.loops.at(0).growth, size == 100 ? 50.0 : 0.0, 1e-3);
    EXPECT_EQ(loop.report.loops.at(0).growthUnknown, "");
  }
}

TEST(KeptLoop, ProcessesAreNotDifferentiated) {
  int calls = 0;
  Script process = scalar([&calls](double u) {
    ++calls;
    return 5.0 * u;
  });
  process.capabilities.ownProcess = true;
  const Initialised loop(pair(std::move(process), gains({1.0})), keeping(AlgorithmKind::gaussSeidel));
  EXPECT_EQ(loop.report.loops.at(0).growth, 0.0);
  EXPECT_EQ(calls, 1);
}

TEST(SolvedLoop, IsSolvedToTheLastDigitAndSaysHow) {
  // x = -2 y + 3, y = x: x = 1.
  const Initialised loop(pair(gains({-2.0}, 3.0), gains({1.0})));
  const AlgebraicLoop& entry = loop.report.loops.at(0);
  EXPECT_TRUE(entry.solved);
  EXPECT_FALSE(entry.iterated);
  EXPECT_FALSE(entry.left);
  EXPECT_FALSE(entry.kept);
  EXPECT_EQ(entry.unknowns, 2U);
  EXPECT_GE(entry.iterations, 1U);
  EXPECT_LE(entry.iterations, 3U);
  EXPECT_LE(entry.norm, 1e-3);
  EXPECT_NEAR(entry.growth, 2.0, 1e-6);
  EXPECT_NEAR(loop.outputs()[0], 1.0, 1e-13);
  EXPECT_TRUE(loop.report.kept.empty());
  EXPECT_EQ(loop.report.order, (std::vector<std::size_t>{0, 1}));
}

TEST(SolvedLoop, CorrectionsThatWouldLeadAwayAreHalved) {
  // exp(u - 5) = 1 from 2: Newton's full correction leads to 21, where the residual is 1e7 times as large.
  Script a = scalar([](double u) { return u + 1.0 - std::exp(u - 5.0); });
  a.starts[0] = {2.0};
  Script b = gains({1.0});
  b.starts[0] = {2.0};
  const Initialised loop(pair(std::move(a), std::move(b)));
  EXPECT_TRUE(loop.report.loops.at(0).solved);
  EXPECT_NEAR(loop.outputs()[0], 5.0, 1e-9);
}

/// Residuals are compared in the same units: a value that goes to zero, or beyond all measure, makes none of them look
/// larger or smaller.
TEST(SolvedLoop, CorrectionsAreJudgedInTheUnitsOfWhereTheyBegin) {
  struct Case {
    std::function<double(double)> answer;
    double start;
  };
  for (const Case& c : {Case{[](double u) { return u + 1.0 - std::exp(u); }, -3.0},
                        Case{[](double u) { return u - std::atan(u); }, 3.0}}) {
    Script a = scalar(c.answer);
    a.starts[0] = {c.start};
    Script b = gains({1.0});
    b.starts[0] = {c.start};
    const Initialised loop(pair(std::move(a), std::move(b)));
    EXPECT_TRUE(loop.report.loops.at(0).solved);
    EXPECT_NEAR(loop.outputs()[0], 0.0, 1e-9);
  }
}

TEST(SolvedLoop, StaysInTheDomainOfItsMembers) {
  // u = sqrt(u) / 2 + 3/64 begins at u = 4: the solution with the + is at 9/64 * ... and roots of negative numbers are
  // not met.
  Script a = scalar([](double u) { return std::sqrt(u) - 0.1875; });
  a.starts[0] = {0.3};
  Script b = gains({1.0});
  b.starts[0] = {0.3};
  const Initialised loop(pair(std::move(a), std::move(b)));
  EXPECT_TRUE(loop.report.loops.at(0).solved);
  // sqrt(u) = s with s^2 - s + 3/16 = 0: s = 1/4 or 3/4.
  const double s = std::sqrt(loop.outputs()[1]);
  EXPECT_LT(std::min(std::fabs(s - 0.25), std::fabs(s - 0.75)), 1e-9);
}

TEST(SolvedLoop, WithoutSolutionIsNotSolvedAndTheRestIsNotTouched) {
  bool touched = false;
  System system;
  add(system, "a", gains({1.0}, 1.0));
  add(system, "b", gains({1.0}));
  add(system, "after", scalar([&touched](double u) {
        touched = true;
        return u;
      }));
  add(system, "end", gains({1.0}));
  connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}, {"b.y", "after.u"}, {"after.y", "end.u"}});
  const Initialised loop(std::move(system));
  EXPECT_FALSE(loop.report.solved());
  EXPECT_GT(loop.report.loops.at(0).norm, 1.0);
  EXPECT_FALSE(touched);
  EXPECT_EQ(loop.report.order, (std::vector<std::size_t>{0, 1}));
}

TEST(SolvedLoop, TooManyUnknownsAreLeftAlone) {
  int calls = 0;
  constexpr std::size_t kHalf = kMostUnknownsOfLoop / 2 + 1;
  const auto many = [&] {
    return function(
        [&calls](std::span<const double> u, std::span<double> y) {
          ++calls;
          std::ranges::copy(u, y.begin());
        },
        kHalf);
  };
  const Initialised loop(pair(many(), many()));
  EXPECT_FALSE(loop.report.solved());
  EXPECT_EQ(loop.report.loops.at(0).unknowns, 2 * kHalf);
  EXPECT_EQ(calls, 0);
}

TEST(SolvedLoop, AFailureIsAFaultWithItsPlace) {
  for (const int call : {1, 2, 3, 5}) {
    int calls = 0;
    Script a = scalar([](double u) { return u; });
    a.evaluate = [&calls, call](double, std::span<const double> u, std::span<double> y, Binding&) {
      y[0] = -0.5 * u[0] + std::cos(u[0]);
      return ++calls == call ? Status::error : Status::ok;
    };
    const Initialised loop(pair(gains({1.0}), std::move(a)));
    EXPECT_EQ(loop.report.fault.kind, FaultKind::failed) << call;
    EXPECT_EQ(loop.report.fault.position, 1U) << call;
    EXPECT_FALSE(loop.report.solved());
  }
}

TEST(Dependencies, OfAMemberOnItselfAreALoopOnlyWhereItsOutputFollowsItsInput) {
  const auto loops = [](subsystem::Dependencies dependencies, bool undeclared) {
    System system;
    Script a;
    a.ports = {in("u"), in("v"), out("y")};
    a.starts[0] = {4.0};
    if (!undeclared) a.dependencies[2] = dependencies;
    a.evaluate = [](double, std::span<const double> u, std::span<double> y, Binding&) {
      y[0] = 0.5 * u[0] + 1.0 + 0.0 * u[1];
      return Status::ok;
    };
    add(system, "a", std::move(a));
    add(system, "t", gains({0.0}, 1.0));
    connect(system, {{"a.y", "a.u"}, {"t.y", "a.v"}});
    const Initialised made(std::move(system));
    EXPECT_EQ(made.report.solved(), true);
    if (!made.report.loops.empty()) {
      EXPECT_EQ(made.report.loops[0].outputs, Names{"a.y"});
      EXPECT_NEAR(made.report.loops[0].growth, 0.5, 1e-6);
    }
    return made.report.loops.size();
  };
  EXPECT_EQ(loops({}, true), 1U);
  EXPECT_EQ(loops(std::vector<PortIndex>{0, 1}, false), 1U);
  EXPECT_EQ(loops(std::vector<PortIndex>{1, 0}, false), 1U);
}

/// What is declared for the start rules there.
TEST(Dependencies, OfTheStartAreThoseThatAreDeclaredForIt) {
  for (const bool atStart : {false, true}) {
    Script a = gains({0.5}, 1.0);
    a.dependencies[1] = std::vector<PortIndex>{0};
    if (atStart) a.initialDependencies[1] = std::vector<PortIndex>{};
    Script b = gains({1.0});
    b.dependencies[1] = std::vector<PortIndex>{0};
    const Initialised loop(pair(std::move(a), std::move(b)));
    EXPECT_EQ(loop.report.loops.size(), atStart ? 0U : 1U);
  }
}

TEST(Settling, NamesOutputsThatDoNotStay) {
  // Declared to depend on nothing, but each is the other one and one more: after twenty sweeps that is enough.
  Script a = gains({1.0}, 1.0);
  a.dependencies[1] = std::vector<PortIndex>{};
  int calls = 0;
  a.evaluate = [&calls](double, std::span<const double> u, std::span<double> y, Binding&) {
    ++calls;
    y[0] = u[0] + 1.0;
    return Status::ok;
  };
  Script b = gains({1.0}, 1.0);
  b.dependencies[1] = std::vector<PortIndex>{};
  const Initialised loop(pair(std::move(a), std::move(b)));
  EXPECT_EQ(loop.report.inconsistent, (Names{"a.y", "b.y"}));
  EXPECT_FALSE(loop.report.solved());
  EXPECT_EQ(calls, 21) << "once in order, then in twenty sweeps";
}

TEST(Settling, ChangesWithinTheToleranceAreNone) {
  for (const double shrinks : {0.5, 0.99}) {
    Script a = gains({shrinks}, 1.0);
    a.dependencies[1] = std::vector<PortIndex>{};
    Script b = gains({1.0});
    b.dependencies[1] = std::vector<PortIndex>{};
    AlgorithmSettings settings;
    settings.rtol = 0.0;
    settings.atol = 1e-4;
    const Initialised loop(pair(std::move(a), std::move(b)), settings);
    // Sums of a geometric series: the last of twenty terms is 0.5^20 = 1e-6 or 0.99^20 = 0.8.
    EXPECT_EQ(loop.report.solved(), shrinks == 0.5);
  }
}

/// u = n - u / 2 with an integer n that follows from u in another member of the loop.
System withInteger(std::function<std::int32_t(double u, std::int32_t n)> follow) {
  System system;
  Script a;
  a.ports = {in("u"), in("n", 1, core::Type::integer), out("y")};
  a.evaluate = [](double, std::span<const double> u, std::span<double> y, Binding& binding) {
    y[0] = -0.5 * u[0] + std::max(0, binding.discreteInputs.integers[0]);
    return Status::ok;
  };
  Script b;
  b.ports = {in("u"), in("m", 1, core::Type::integer), out("y"), out("n", 1, core::Type::integer)};
  b.evaluate = [follow = std::move(follow)](double, std::span<const double> u, std::span<double> y, Binding& binding) {
    y[0] = u[0];
    binding.discreteOutputs.integers[0] = follow(u[0], binding.discreteInputs.integers[0]);
    return Status::ok;
  };
  add(system, "a", std::move(a));
  add(system, "b", std::move(b));
  connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}, {"b.n", "a.n"}, {"b.n", "b.m"}});
  return system;
}

TEST(SolvedLoop, IsSolvedAgainUntilDiscreteValuesStay) {
  // 1 leads to 2/3, which is beyond a half: then it is 3, which leads to 2.
  const Initialised made(withInteger([](double u, std::int32_t) { return u > 0.5 ? 3 : 1; }));
  ASSERT_FALSE(made.report.loops.empty());
  EXPECT_TRUE(made.report.solved());
  EXPECT_NEAR(made.outputs()[0], 2.0, 1e-9);
}

TEST(SolvedLoop, IsNotSolvedWhereDiscreteValuesNeverStay) {
  // The integer is never positive, so that reals are not concerned.
  const Initialised made(withInteger([](double, std::int32_t n) { return n - 1; }));
  ASSERT_FALSE(made.report.loops.empty());
  EXPECT_LE(made.report.loops[0].norm, 1.0);
  EXPECT_FALSE(made.report.loops[0].solved);
  EXPECT_FALSE(made.report.solved());
}

/// Integers that nobody iterates: after twenty sweeps they are called by their kind.
TEST(Settling, NamesDiscreteOutputsThatDoNotStay) {
  for (const std::int32_t last : {5, 1000}) {
    System system;
    Script counter;
    counter.ports = {in("n", 1, core::Type::integer), out("n", 1, core::Type::integer)};
    counter.ports[1].name = "next";
    counter.dependencies[1] = std::vector<PortIndex>{};
    counter.evaluate = [last](double, auto, auto, Binding& binding) {
      binding.discreteOutputs.integers[0] = std::min(last, binding.discreteInputs.integers[0] + 1);
      return Status::ok;
    };
    add(system, "counter", std::move(counter));
    connect(system, {{"counter.next", "counter.n"}});
    const Initialised made(std::move(system));
    EXPECT_EQ(made.report.inconsistent, last == 5 ? Names{} : Names{"discrete outputs"});
  }
}

// ---- Iteration, where members are processes -----------------------------------------------------------------------

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
  settings.rtol = settings.atol = 1e-3;
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
  settings.rtol = settings.atol = 1e-14;
  EXPECT_EQ(Iterated([](double u) { return std::cos(u); }, settings).ended.iterations, 3U);
}

TEST(LoopIteration, EndsWhereNobodyCanBeEvaluated) {
  AlgorithmSettings settings;
  settings.rtol = settings.atol = 1e-14;
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

// ---- Multipliers ---------------------------------------------------------------------------------------------------

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
  const Initialised made(joined(6.0, -8.0));
  ASSERT_TRUE(made.report.solved());
  EXPECT_FALSE(made.report.fault);
  // (6 + l) / 2 = (-8 - l) / 4
  const double lambda = (-8.0 / 4.0 - 6.0 / 2.0) / (1.0 / 2.0 + 1.0 / 4.0);
  const PlacedConstraint& joint = made.network->constraints().at(0);
  EXPECT_NEAR(made.outputs()[joint.lambda.first], lambda, 1e-12);
  EXPECT_NEAR(made.outputs()[joint.defectAccelerations.first], 0.0, 1e-12) << "everybody has seen them";
}

TEST(Multipliers, ThatTwoJointsShareAreUndetermined) {
  const Initialised made(joined(6.0, -8.0, true));
  EXPECT_FALSE(made.report.solved());
  std::vector<std::size_t> both;
  for (const PlacedConstraint& joint : made.network->constraints()) both.push_back(joint.lambda.first);
  std::vector<std::size_t> told = made.report.undetermined;
  std::ranges::sort(told);
  EXPECT_EQ(told, both);
}

}  // namespace
}  // namespace koppla::coupling::loops_test
