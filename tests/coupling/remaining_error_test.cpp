// How far answers are from the solution, as the moves of an iteration tell it.

#include "koppla/coupling/remaining_error.hpp"

#include <array>
#include <cmath>
#include <optional>

#include <gtest/gtest.h>

namespace koppla::coupling::remaining_error_test {
namespace {

constexpr core::Tolerance kTolerance{1e-5, 1e-6};
using Reals = std::vector<double>;

/// One value with x = g u + 1, relaxed: p = u + omega (x - u).
struct Relaxed {
  double g;
  double omega;
  double u = 0.0;
  std::optional<double> before{};
  Reals sizes{0.0};
  RemainingError remaining{kTolerance, sizes};

  [[nodiscard]] double answered() const { return g * u + 1.0; }
  [[nodiscard]] double proposal() const { return u + omega * (answered() - u); }
  [[nodiscard]] double trueError() const { return 1.0 / (1.0 - g) - answered(); }
  void go() {
    before = u;
    u = proposal();
  }
  std::optional<double> estimate(bool knowsSlopes = false) {
    const std::array sent{u}, x{answered()}, p{proposal()}, last{before.value_or(0.0)};
    std::array<double, 1> errors{};
    const Belief belief{sent, x, p, before ? std::span<const double>(last) : std::span<const double>(), knowsSlopes};
    if (!remaining.estimate(belief, errors)) return std::nullopt;
    return errors[0];
  }
};

TEST(RemainingError, IsExactForRelaxationsOfOneValue) {
  for (const double g : {-0.9, -0.5, 0.3, 0.9, 0.999})
    for (const double omega : {0.1, 0.5, 1.0}) {
      Relaxed iteration{g, omega};
      iteration.go();
      iteration.go();
      const std::optional<double> error = iteration.estimate();
      ASSERT_TRUE(error) << g << ' ' << omega;
      EXPECT_NEAR(*error, iteration.trueError(), 1e-9 * std::fabs(iteration.trueError())) << g << ' ' << omega;
    }
}

TEST(RemainingError, IsNotKnownWhereMovesDoNotGetShorter) {
  Relaxed iteration{1.0, 1.0};
  iteration.go();
  EXPECT_FALSE(iteration.estimate());
  iteration.g = 1.5;
  EXPECT_FALSE(iteration.estimate());
}

TEST(RemainingError, InAFirstEvaluationIsWhatFurtherMovesWereBefore) {
  Relaxed iteration{0.75, 1.0};
  EXPECT_FALSE(iteration.estimate()) << "nothing was seen yet";
  iteration.remaining.begin();
  const double from = iteration.u;
  iteration.go();
  iteration.remaining.firstMove(std::array{from}, std::array{iteration.u});
  iteration.remaining.accept(std::array{4.0});  // the solution of u = 0.75 u + 1
  for (unsigned step = 0; step < RemainingError::kMostAge; ++step) {
    iteration.remaining.begin();
    iteration.before.reset();
    iteration.u = 1.0;
    const std::optional<double> error = iteration.estimate();
    ASSERT_TRUE(error) << step;
    EXPECT_NEAR(*error, iteration.trueError(), 1e-12);
    iteration.remaining.accept(std::array{1.0});
  }
  EXPECT_FALSE(iteration.estimate()) << "too long ago";
}

TEST(RemainingError, OfWhoKnowsSlopesIsTheWayToItsSolution) {
  Relaxed iteration{0.75, 4.0};  // 1 / (1 - 0.75)
  iteration.go();
  iteration.u = 1.0;
  const std::optional<double> error = iteration.estimate(true);
  ASSERT_TRUE(error);
  EXPECT_NEAR(*error, iteration.trueError(), 1e-12);
}

TEST(RemainingError, ResidualsScatterWhereTheyPointAnywhereAndDoNotFall) {
  const Reals sizes(2);
  const RemainingError remaining({0.0, 1.0}, sizes);
  const std::array zero{0.0, 0.0};
  const auto scatters = [&](std::array<double, 2> before, std::array<double, 2> now) {
    const Belief belief{.sent = zero, .answered = now, .solution = now, .sentBefore = zero};
    return remaining.scatters(belief, before);
  };
  EXPECT_TRUE(scatters({1.0, 0.0}, {-0.5, 0.1}));
  EXPECT_TRUE(scatters({1.0, 0.0}, {0.1, 0.9}));
  EXPECT_FALSE(scatters({1.0, 0.0}, {0.9, 0.1})) << "the same way: slow convergence";
  EXPECT_FALSE(scatters({1.0, 0.0}, {-0.05, 0.05})) << "much smaller";
  const Belief first{.sent = zero, .answered = zero, .solution = zero, .sentBefore = {}};
  EXPECT_FALSE(remaining.scatters(first, zero));
}

}  // namespace
}  // namespace koppla::coupling::remaining_error_test
