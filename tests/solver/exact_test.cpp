#include <cmath>

#include <gtest/gtest.h>

#include "rig.hpp"
#include "two_mass_reference.hpp"

namespace koppla::solver::test {
namespace {

/// int_0^H e^(a (H - tau)) (tau / H)^k dtau as its series: H sum_m (a H)^m k! / (k + m + 1)!
double integral(double a, double H, unsigned k) {
  double term = 1.0 / (k + 1.0);
  double sum = term;
  for (unsigned m = 1; m < 80; ++m) sum += term *= a * H / (k + m + 1.0);
  return H * sum;
}

TEST(Exact, SolvesLinearModelsForPolynomialsOfEveryDegree) {
  // x' = -2 x + 3 u, over 0.7 s from x = 1.5.
  const double H = 0.7;
  for (unsigned degree = 0; degree <= subsystem::kMaxDegree; ++degree) {
    Rig rig(equations(linearModel({"u"}, {"x"}, {{-2.0}, {3.0}, {1.0}, {0.0}}, {1.5})), with(Kind::exact));
    std::vector<double> coefficients;
    double expected = std::exp(-2.0 * H) * 1.5;
    for (unsigned k = 0; k <= degree; ++k) {
      coefficients.push_back(0.5 + k);
      expected += 3.0 * (0.5 + k) * integral(-2.0, H, k);
    }
    rig.step(0.3, 0.3 + H, coefficients);
    EXPECT_NEAR(rig.y[0], expected, 1e-14) << degree;
  }
}

TEST(Exact, ASingleStepFollowsTheBeginningOfTheTrajectory) {
  // x' = u, u = 1 + 2 s + 3 s^2 over 2 s: in the first 0.5 s, s <= 1/4, x grows by 2 (s + s^2 + s^3).
  Rig rig(equations(linearModel({"u"}, {"x"}, {{0.0}, {1.0}, {1.0}, {0.0}}, {0.0})), with(Kind::exact, 0.5));
  EXPECT_EQ(rig.step(0.0, 2.0, {1.0, 2.0, 3.0}, true).reached, 0.5);
  EXPECT_NEAR(rig.y[0], 2.0 * (0.25 + 0.0625 + 0.015625), 1e-14);
}

TEST(Exact, HasNoErrorButRounding) {
  // 1e5 steps whose lengths differ by rounding; the phase of the fast mode turns by 1434 rad.
  Rig rig(equations(twoMasses()), with(Kind::exact));
  EXPECT_LT(globalError(rig, 1e-5), 1e-10);
}

TEST(Exact, MeetsTheCheckValuesOfTheOscillator) {
  Rig rig(equations(twoMasses()), with(Kind::exact));
  rig.step(0.0, 1.0);
  EXPECT_NEAR(rig.y[0], 0.19584231663, 1e-9);
  EXPECT_NEAR(rig.y[1], 6.2216269264, 1e-8);
  EXPECT_NEAR(rig.y[2], -8.6276334353e3, 1e-5);
}

}  // namespace
}  // namespace koppla::solver::test
