// Which values count as running away, before anybody looks why.

#include "koppla/run/growth_watch.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include <gtest/gtest.h>

#include "state_member.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::run::growth_watch_test {
namespace {

/// "a" and "b" depend on each other; "outside" only takes what they deliver and hands it on to "end".
struct Watched {
  coupling::System system = test::makeSystem(
      {{"a", test::integrator()}, {"b", test::integrator()}, {"outside", test::integrator()}, {"end", test::gain(1)}},
      {{"a.y", "b.u"}, {"b.y", "a.u"}, {"b.y", "outside.u"}, {"outside.y", "end.u"}});
  std::vector<coupling::Cycle> cycles = coupling::findCycles(system);
  coupling::Network network{system, cycles, 1e100};
  GrowthWatch watch;
  std::atomic<bool> notice = false;
  std::uint64_t steps = 0;
  double t = 0.0;  ///< s
  double h = 0.1;  ///< s

  explicit Watched(double a, double b, Patience patience = GrowthWatch::kChecked)
      : watch(network, system, cycles, patience) {
    put(a, b);
    watch.begin(0.0, notice);
  }
  void put(double a, double b, double outside = 0.0) {
    network.outputs()[0] = a;
    network.outputs()[1] = b;
    network.outputs()[2] = outside;
  }
  std::optional<Growth> step(double a, double b, double outside = 0.0) {
    put(a, b, outside);
    t += h;
    ++steps;
    watch.see(t);
    return notice.exchange(false) ? watch.judge(t, steps) : std::nullopt;
  }
  /// The first growth that is told of a(step), with the step in which it is.
  std::optional<Growth> follow(const std::function<double(double)>& a, std::uint64_t most) {
    while (steps < most)
      if (const auto growth = step(a(static_cast<double>(steps + 1)), 1.0)) return growth;
    return std::nullopt;
  }
};

TEST(GrowthWatch, TellsOfExponentialGrowthBeyondFourHundredTimesTheStartValue) {
  Watched watched(2.0, 1.0);
  const auto growth = watched.follow([](double n) { return 2.0 * std::pow(-1.5, n); }, 100);
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->value, 0U);
  EXPECT_EQ(growth->regular, 2.0);
  // 1.5^12 = 130 is beyond 100, 1.5^16 = 657 beyond 4 times that.
  EXPECT_EQ(watched.steps, 16U);
  EXPECT_EQ(growth->steps, 4U);
  EXPECT_NEAR(growth->factor, std::pow(1.5, 4.0), 1e-12);
  EXPECT_NEAR(growth->perStep(), 1.5, 1e-12);
  EXPECT_EQ(growth->swings, 4U);
}

TEST(GrowthWatch, WaitsLongerWhereNobodyCanCheck) {
  Watched watched(1.0, 1.0, GrowthWatch::kUnchecked);
  ASSERT_TRUE(watched.follow([](double n) { return std::pow(1.5, n); }, 100));
  EXPECT_EQ(watched.steps, 24U);  // 1.5^12 = 130, and 100 times more
}

/// What oscillates turns back before it is larger than ever, for longer than it took to come under suspicion: these
/// were taken for calm until they were beyond 1e8.
TEST(GrowthWatch, WaitsForWhatSwings) {
  constexpr std::array kGrowthAndPeriod{std::array{3.0, 3.2}, std::array{3.5, 5.4}, std::array{3.5, 7.5},
                                        std::array{6.0, 3.3}};
  for (const auto& [perStep, period] : kGrowthAndPeriod) {
    Watched watched(1.0, 1.0);
    const auto growth = watched.follow(
        [rho = perStep, T = period](double n) { return std::pow(rho, n) * std::cos(2.0 * M_PI * n / T); }, 400);
    ASSERT_TRUE(growth) << perStep << ", " << period;
    EXPECT_LE(std::pow(perStep, static_cast<double>(watched.steps)), 1e6) << perStep << ", " << period;
  }
}

TEST(GrowthWatch, HoldsPowersOfTimeForRegular) {
  for (const Patience patience : {GrowthWatch::kChecked, GrowthWatch::kUnchecked})
    for (const double power : {0.5, 1.0, 2.0, 3.0}) {
      Watched watched(0.0, 1.0, patience);
      EXPECT_FALSE(watched.follow([power](double n) { return std::pow(n, power); }, 20000)) << power;
    }
}

/// A ramp is one whatever the steps are.
TEST(GrowthWatch, MeasuresTimeAndNotSteps) {
  Watched watched(1.0, 1.0);
  for (; watched.t < 1e6; watched.h *= 1.5) EXPECT_FALSE(watched.step(1.0 + watched.t + watched.h, 1.0)) << watched.t;
}

TEST(GrowthWatch, CountsFromWhenAValueIsNoLongerZero) {
  Watched watched(0.0, 1.0);
  EXPECT_FALSE(watched.follow([](double n) { return std::fmax(0.0, n - 1000.0); }, 20000));
}

TEST(GrowthWatch, LeavesAJumpAlone) {
  Watched watched(1.0, 1.0);
  EXPECT_FALSE(watched.follow([](double n) { return n < 500.0 ? 1.0 : 1e9; }, 2000));
  // Where it stays is its regular size: to 50 times that is nothing.
  EXPECT_FALSE(watched.follow([](double n) { return n < 2500.0 ? 1e9 : 5e10; }, 4000));
  EXPECT_FALSE(watched.watch.isSuspicious());
}

TEST(GrowthWatch, IsSuspiciousBetweenTheTwoThresholds) {
  Watched watched(1.0, 1.0);
  for (int i = 0; i < 99; ++i) watched.step(50.0, 1.0);
  EXPECT_FALSE(watched.watch.isSuspicious());
  watched.step(101.0, 1.0);
  EXPECT_TRUE(watched.watch.isSuspicious());
  for (int i = 0; i < 60; ++i) watched.step(101.0, 1.0);
  EXPECT_FALSE(watched.watch.isSuspicious()) << "half the time has passed that it took to come there";
}

TEST(GrowthWatch, LooksAtWhatIsFedBackOnly) {
  Watched watched(1.0, 1.0);
  for (double y = 1.0; y < 1e50; y *= 3.0) EXPECT_FALSE(watched.step(1.0, 1.0, y));
  EXPECT_FALSE(watched.watch.isSuspicious());
}

TEST(GrowthWatch, BeginsAnewWhereItSettles) {
  Watched watched(1.0, 1.0);
  const auto doubling = [](double n) { return std::pow(2.0, n); };
  ASSERT_TRUE(watched.follow(doubling, 100));
  EXPECT_EQ(watched.steps, 10U);  // 2^7 = 128, and more than 4 times that
  watched.watch.settle(watched.t);
  const auto growth = watched.follow(doubling, 100);
  ASSERT_TRUE(growth);
  EXPECT_EQ(watched.steps, 20U);
  EXPECT_NEAR(growth->regular, 1024.0, 1e-9);
}

TEST(GrowthWatch, SaysNothingMoreAtRest) {
  Watched watched(1.0, 1.0);
  watched.watch.rest();
  EXPECT_FALSE(watched.follow([](double n) { return std::pow(2.0, n); }, 300));
}

TEST(GrowthWatch, HoldsNominalValuesForRegular) {
  const auto member = [](double nominal) {
    return std::make_unique<test_support::StateMember>(test_support::StateModel{
        .states = {1.0}, .step = [](const auto& x, double, const auto&) { return x; }, .nominals = {nominal}});
  };
  coupling::System system;
  system.members.push_back({"a", member(1000.0), {}});
  system.members.push_back({"b", member(1.0), {}});
  test::connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  const auto cycles = coupling::findCycles(system);
  coupling::Network network(system, cycles, 1e100);
  GrowthWatch watch(network, system, cycles, GrowthWatch::kChecked);
  std::atomic<bool> notice = false;
  watch.begin(0.0, notice);
  network.outputs()[0] = 9e4;
  watch.see(0.1);
  EXPECT_FALSE(notice);
  network.outputs()[1] = 101.0;
  watch.see(0.1);
  EXPECT_TRUE(notice);
}

}  // namespace
}  // namespace koppla::run::growth_watch_test
