// Schmoll, appendix C.1 and fig. C.1: explicit Runge-Kutta methods on the two-mass oscillator in one piece.

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "support/figure.hpp"
#include "two_mass_reference.hpp"

namespace koppla::solver::test {
namespace {

double errorWith(Kind kind, double h) {
  Rig rig(equations(twoMasses()), with(kind, h));
  return globalError(rig, 1e-4);
}

struct Order {
  Kind kind;
  double order;
  double h;  ///< s, where the first term of the error dominates and rounding does not matter
};

class RungeKuttaOrder : public testing::TestWithParam<Order> {};

TEST_P(RungeKuttaOrder, IsThatOfTheMethod) {
  const Order& expected = GetParam();
  const double order = std::log2(errorWith(expected.kind, expected.h) / errorWith(expected.kind, expected.h / 2.0));
  const std::string figure = std::string("order-") + std::string(word(expected.kind));
  koppla::test::showWithin({"schmoll R39", figure, core::text(expected.order) + " +-0.1"}, order, expected.order, 0.1);
}

INSTANTIATE_TEST_SUITE_P(All, RungeKuttaOrder,
                         testing::Values(Order{Kind::ode1, 1.0, 1e-6}, Order{Kind::ode2, 2.0, 1e-5},
                                         Order{Kind::ode3, 3.0, 2e-5}, Order{Kind::ode4, 4.0, 5e-5},
                                         Order{Kind::ode5, 5.0, 1e-4}),
                         [](const auto& tested) { return std::string(word(tested.param.kind)); });

struct Limit {
  Kind kind;
  double limit;  ///< s, notes 13.1
};

class RungeKuttaStability : public testing::TestWithParam<Limit> {};

TEST_P(RungeKuttaStability, EndsAtTheLimitOfTheTheory) {
  const Limit& expected = GetParam();
  Rig rig(equations(twoMasses()), with(expected.kind));
  double stable = 0.9 * expected.limit;
  double unstable = 1.1 * expected.limit;
  ASSERT_LE(spectralRadius(rig, stable), 1.0);
  ASSERT_GT(spectralRadius(rig, unstable), 1.0);
  while (unstable - stable > 1e-6 * expected.limit) {
    const double middle = 0.5 * (stable + unstable);
    (spectralRadius(rig, middle) <= 1.0 ? stable : unstable) = middle;
  }
  const std::string figure = std::string("limit-") + std::string(word(expected.kind));
  koppla::test::showWithin({"schmoll R39", figure, core::text(expected.limit) + " s +-1 %"}, stable, expected.limit,
                           0.01 * expected.limit);
}

INSTANTIATE_TEST_SUITE_P(All, RungeKuttaStability,
                         testing::Values(Limit{Kind::ode1, 1.5822e-5}, Limit{Kind::ode2, 3.2376e-4},
                                         Limit{Kind::ode3, 1.2584e-3}, Limit{Kind::ode4, 1.9884e-3},
                                         Limit{Kind::ode5, 1.3302e-3}),
                         [](const auto& tested) { return std::string(word(tested.param.kind)); });

TEST(RungeKutta, HasTheGlobalErrorsOfTheNotes) {
  constexpr std::array kinds{Kind::ode2, Kind::ode3, Kind::ode4, Kind::ode5};
  constexpr std::array coarse{2.5e-1, 8.8e-3, 2.6e-4, 1.2e-6};  // h = 1e-4 s
  constexpr std::array fine{2.5e-3, 8.9e-6, 2.6e-8, 1.2e-11};   // h = 1e-5 s
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_NEAR(errorWith(kinds[i], 1e-4), coarse[i], 0.2 * coarse[i]) << word(kinds[i]);
    EXPECT_NEAR(errorWith(kinds[i], 1e-5), fine[i], 0.2 * fine[i]) << word(kinds[i]);
  }
}

TEST(RungeKutta, MeetsTheCheckValuesOfTheOscillator) {
  Rig rig(equations(twoMasses()), with(Kind::ode5, 1e-5));
  rig.step(0.0, 0.01);
  EXPECT_NEAR(rig.y[0], -0.92406831767, 1e-9);
  EXPECT_NEAR(rig.y[1], 369.53224317, 1e-6);
  EXPECT_NEAR(rig.y[2], -1.4393710310e5, 1e-3);
}

}  // namespace
}  // namespace koppla::solver::test
