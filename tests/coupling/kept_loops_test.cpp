// Algebraic loops that are kept at their start values: how they grow from step to step, and who fails on the way.

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>

#include "started.hpp"

namespace koppla::coupling::kept_loops_test {
namespace {

using namespace koppla::coupling::scripted;
using Names = std::vector<std::string>;

TEST(KeptLoop, BeginsWithTheStartValuesOfItsInputs) {
  for (const AlgorithmKind kind : {AlgorithmKind::gaussSeidel, AlgorithmKind::iteratedGaussSeidel}) {
    Script a = scalar([](double u) { return 0.25 * u + 1.0; });
    a.starts[0] = {8.0};
    Script b = scalar([](double u) { return 2.0 * u; });
    b.starts[0] = {5.0};
    const Started loop(pair(std::move(a), std::move(b)), keeping(kind));
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
    const Started loop(pair(gains({g}, 1.0), gains({h}, -2.0)), keeping(kind, degree));
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
  const Started loop(pair(std::move(a), gains({1.0})), keeping(AlgorithmKind::gaussSeidel));
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
  const Started loop(std::move(system), keeping(AlgorithmKind::gaussSeidel));
  // a(n+1) = 2 (0.5 * 3 + 0.25) a(n)
  EXPECT_NEAR(loop.report.loops.at(0).growth, 3.5, 1e-6);
}

/// Static members are evaluated after the others of the same step, in parallel form as well.
TEST(KeptLoop, AStaticMemberSeesFreshValuesInParallelForm) {
  Script law = gains({-4.0});
  law.capabilities.isStatic = true;
  const Started loop(pair(gains({0.5}), std::move(law)), keeping(AlgorithmKind::jacobi));
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
  EXPECT_NEAR(Started(pair(a, gains({1.0})), keeping(AlgorithmKind::gaussSeidel)).report.loops.at(0).growth, 100.0,
              1e-4);
  EXPECT_EQ(asked, std::vector<std::size_t>{0});
  // A warning is no failure; where it cannot, differences serve.
  a.differentiate = [](std::size_t, std::span<double> dy) {
    dy[0] = 10.0;
    return Status::warning;
  };
  EXPECT_NEAR(Started(pair(a, gains({1.0})), keeping(AlgorithmKind::gaussSeidel)).report.loops.at(0).growth, 10.0,
              1e-5);
  a.differentiate = [](std::size_t, std::span<double> dy) {
    dy[0] = 10.0;
    return Status::discard;
  };
  EXPECT_NEAR(Started(pair(a, gains({1.0})), keeping(AlgorithmKind::gaussSeidel)).report.loops.at(0).growth, 0.5, 1e-6);
}

TEST(KeptLoop, IsDifferentiatedBackwardAtTheEndOfADomain) {
  // a lives on u <= 2 and begins there: slope 3 from below.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Script a = scalar([nan](double u) { return u > 2.0 ? nan : 3.0 * u; });
  a.starts[0] = {2.0};
  const Started loop(pair(std::move(a), gains({1.0})), keeping(AlgorithmKind::gaussSeidel));
  EXPECT_NEAR(loop.report.loops.at(0).growth, 3.0, 1e-6);
  EXPECT_EQ(loop.report.loops.at(0).growthUnknown, "");
  Script nowhere = scalar([nan](double u) { return u == 2.0 ? 6.0 : nan; });
  nowhere.starts[0] = {2.0};
  const Started other(pair(std::move(nowhere), gains({1.0})), keeping(AlgorithmKind::gaussSeidel));
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
    const Started loop(pair(std::move(a), gains({1.0})), keeping(AlgorithmKind::gaussSeidel));
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
    const Started loop(pair(gains({1.0}), a), keeping(kind));
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
    const Started loop(std::move(system), keeping(AlgorithmKind::gaussSeidel));
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
  const Started loop(pair(std::move(process), gains({1.0})), keeping(AlgorithmKind::gaussSeidel));
  EXPECT_EQ(loop.report.loops.at(0).growth, 0.0);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace koppla::coupling::kept_loops_test
