// Algebraic loops that are solved at the start, what depends on what there, and what does not settle.

#include <cmath>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "started.hpp"

namespace koppla::coupling::loops_test {
namespace {

using namespace koppla::coupling::scripted;
using Names = std::vector<std::string>;

TEST(SolvedLoop, IsSolvedToTheLastDigitAndSaysHow) {
  // x = -2 y + 3, y = x: x = 1.
  const Started loop(pair(gains({-2.0}, 3.0), gains({1.0})));
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

/// u = 3 sin(u) in 0, from where values move away: another one may have been meant, if the loop is not linear. For that
/// it is asked what it answers elsewhere.
TEST(SolvedLoop, ASolutionThatRepelsIsFoundWhereTheStartLiesInIt) {
  const Started bent(pair(scalar([](double u) { return 3.0 * std::sin(u); }), gains({1.0})));
  ASSERT_TRUE(bent.report.loops.at(0).repelling);
  EXPECT_NEAR(bent.report.loops.at(0).repelling->slope, 3.0, 1e-6);
  EXPECT_TRUE(bent.report.start.solved.empty()) << "so nobody knows which solution is meant";
  const Started straight(pair(gains({3.0}), gains({1.0})));
  EXPECT_FALSE(straight.report.loops.at(0).repelling);
  EXPECT_EQ(straight.report.start.solved, (std::set<std::size_t>{0, 1}));
}

TEST(SolvedLoop, AMemberThatRefusesToMoveAwayFromTheSolutionIsBroughtBack) {
  Script narrow = scalar([](double u) { return 3.0 * std::sin(u); });
  bool failed = false;
  int restores = 0;
  narrow.evaluate = [&failed](double, std::span<const double> u, std::span<double> y, Binding&) {
    failed = failed || std::fabs(u[0]) > 1e-3;
    y[0] = 3.0 * std::sin(u[0]);
    return failed ? Status::error : Status::ok;
  };
  narrow.restore = [&](Slot) {
    ++restores;
    failed = false;
    return Status::ok;
  };
  const Started loop(pair(std::move(narrow), gains({1.0})));
  EXPECT_TRUE(loop.report.solved());
  EXPECT_EQ(restores, 1);
  EXPECT_FALSE(loop.report.loops.at(0).repelling) << "nothing is known of it elsewhere";
  EXPECT_EQ(loop.outputs(), (std::vector<double>{0.0, 0.0}));
}

TEST(SolvedLoop, CorrectionsThatWouldLeadAwayAreHalved) {
  // exp(u - 5) = 1 from 2: Newton's full correction leads to 21, where the residual is 1e7 times as large.
  Script a = scalar([](double u) { return u + 1.0 - std::exp(u - 5.0); });
  a.starts[0] = {2.0};
  Script b = gains({1.0});
  b.starts[0] = {2.0};
  const Started loop(pair(std::move(a), std::move(b)));
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
    const Started loop(pair(std::move(a), std::move(b)));
    EXPECT_TRUE(loop.report.loops.at(0).solved);
    EXPECT_NEAR(loop.outputs()[0], 0.0, 1e-9);
  }
}

TEST(SolvedLoop, StaysInTheDomainOfItsMembers) {
  // From 0.2 the whole correction of u = sqrt(u) - 3/16 leads to -0.3, which has no root.
  Script a = scalar([](double u) { return std::sqrt(u) - 0.1875; });
  a.starts[0] = {0.2};
  Script b = gains({1.0});
  b.starts[0] = {0.2};
  const Started loop(pair(std::move(a), std::move(b)));
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
  const Started loop(std::move(system));
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
  const Started loop(pair(many(), many()));
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
    const Started loop(pair(gains({1.0}), std::move(a)));
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
    add(system, "t", scalar([](double) { return 1.0; }));
    connect(system, {{"a.y", "a.u"}, {"t.y", "a.v"}});
    const Started made(std::move(system));
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
    const Started loop(pair(std::move(a), std::move(b)));
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
  const Started loop(pair(std::move(a), std::move(b)));
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
    const Started loop(pair(std::move(a), std::move(b)), settings);
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
  const Started made(withInteger([](double u, std::int32_t) { return u > 0.5 ? 3 : 1; }));
  ASSERT_FALSE(made.report.loops.empty());
  EXPECT_TRUE(made.report.solved());
  EXPECT_NEAR(made.outputs()[0], 2.0, 1e-9);
}

TEST(SolvedLoop, IsNotSolvedWhereDiscreteValuesNeverStay) {
  // The integer is never positive, so that reals are not concerned.
  const Started made(withInteger([](double, std::int32_t n) { return n - 1; }));
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
    const Started made(std::move(system));
    EXPECT_EQ(made.report.inconsistent, last == 5 ? Names{} : Names{"discrete outputs"});
  }
}

}  // namespace
}  // namespace koppla::coupling::loops_test
