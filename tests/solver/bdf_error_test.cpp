// The error test of the BDF in numbers: which steps are accepted, and when the order rises.

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "rig.hpp"

namespace koppla::solver::test::bdf_error_test {
namespace {

/// x' = (d t^(d - 1)), x(0) = 0: x = t^d.
Model power(unsigned d) {
  Model model;
  model.outputs = {"x"};
  model.x0 = {0.0};
  model.f = [d](double t, auto, auto, auto dx) { dx[0] = d * std::pow(t, d - 1); };
  model.g = [](double, auto x, auto, auto y) { y[0] = x[0]; };
  return model;
}

double harmonic(unsigned q) {
  double sum = 0.0;
  for (unsigned i = 1; i <= q; ++i) sum += 1.0 / i;
  return sum;
}

double factorial(unsigned q) {
  return q < 2 ? 1.0 : q * factorial(q - 1);
}

/// Schmoll's note, 15.5: est = 1 / (q + 1) |x - x_predicted| / (1 + |x|) <= tol. On x = t^(q+1) with equal steps h and
/// exact points before, the predictor is off by (q + 1)! h^(q+1), and the formula, whose derivative at the end is
/// off by q! h^q for exact points, by q! h^(q+1) / (1 + 1/2 + ... + 1/q) to the other side.
TEST(BdfErrorTest, AcceptsWhatTheNoteAccepts) {
  constexpr double h = 0.1;
  for (unsigned q = 1; q <= 4; ++q) {  // the starting steps are exact up to t^5
    const double length = std::pow(h, q + 1) * factorial(q);
    const double x = std::pow((q + 1) * h, q + 1) + length / harmonic(q);
    const double estimate = length * (q + 1 + 1.0 / harmonic(q)) / (q + 1) / (1.0 + x);
    for (const double share : {0.98, 1.02}) {
      IntegratorSettings settings = with(Kind::bdf, h);
      settings.order = q;
      settings.firstMicroStep = h;
      settings.atol = settings.rtol = share * estimate;
      settings.newtonTolerance = 1e-6;
      settings.renewal = {true};
      settings.restart = false;
      Rig rig(equations(power(q + 1)), settings);
      double t = 0.0;
      for (unsigned n = 0; n < q; ++n) t = rig.step(t, 10.0, {}, true).reached;
      ASSERT_NEAR(t, q * h, 1e-12) << q;
      ASSERT_EQ(rig.system->effort().rejectedMicroSteps, 0U) << q;
      t = rig.step(t, 10.0, {}, true).reached;
      EXPECT_EQ(rig.system->effort().rejectedMicroSteps > 0, share < 1.0) << q << ", tol / est = " << share;
      if (share > 1.0) {
        EXPECT_NEAR(rig.y[0], x, 1e-6 * estimate + 1e-14) << q;
      }
    }
  }
}

/// x = t^3 in equal steps h from order 1 on: Euler's formula gives x_n = 3 h^3 (1 + 4 + ... + n^2). With c = h^3 the
/// predictors of degree 1 and 2 are off by 3 c (2 n - 1) and 6 c, so the errors of orders 1 and 2 are E1 = 3 c (2 n -
/// 1) / 2 / w and E2 = 6 c / 3 / w with the weight w = tol (1 + |x_n|). Orders are compared after two steps each, the
/// first time with enough points at n = 4, and the higher one is taken if it allows a step that is 15 % longer:
/// E2^(-1/3) > 1.15 E1^(-1/2).
TEST(BdfErrorTest, TheOrderRisesWhereItsErrorAllowsALongerStep) {
  constexpr double h = 0.1;
  constexpr double c = h * h * h;
  const double least = std::pow(1.15 * std::cbrt(2.0) / std::sqrt(10.5), 6);  // of c / w
  for (const double share : {0.9, 1.1}) {
    IntegratorSettings settings = with(Kind::bdf, h);
    settings.firstMicroStep = h;
    settings.atol = settings.rtol = c / (share * least) / (1.0 + 90.0 * c);
    settings.newtonTolerance = 1e-6;
    settings.restart = false;
    Rig rig(equations(power(3)), settings);
    double t = 0.0;
    const std::array<double, 4> euler{3.0, 15.0, 42.0, 90.0};
    for (const double x : euler) {
      t = rig.step(t, 10.0, {}, true).reached;
      ASSERT_NEAR(rig.y[0], x * c, 1e-6 * c);
    }
    t = rig.step(t, 10.0, {}, true).reached;
    ASSERT_NEAR(t, 5.0 * h, 1e-12);
    ASSERT_EQ(rig.system->effort().rejectedMicroSteps, 0U);
    const double first = 90.0 + 75.0;                              // x_4 + h f_5
    const double second = (4.0 * 90.0 - 42.0 + 2.0 * 75.0) / 3.0;  // (4 x_4 - x_3 + 2 h f_5) / 3
    EXPECT_NEAR(rig.y[0], (share > 1.0 ? second : first) * c, 1e-6 * c) << share;
  }
}

/// With a given order the first steps are explicit. Where these are too long, the next attempt is one of order 1 and
/// half the length.
TEST(BdfErrorTest, AFirstStepThatIsTooLongIsHalved) {
  std::vector<double> times;
  Model stiff;
  stiff.outputs = {"x"};
  stiff.x0 = {1.0};
  stiff.f = [&times](double t, auto x, auto, auto dx) {
    times.push_back(t);
    dx[0] = -1e4 * (x[0] - std::cos(t)) - std::sin(t);
  };
  stiff.g = [](double, auto x, auto, auto y) { y[0] = x[0]; };
  IntegratorSettings settings = with(Kind::bdf);
  settings.order = 4;
  settings.firstMicroStep = 0.1;
  Rig rig(equations(stiff), settings);
  ASSERT_EQ(rig.step(0.0, 1.0).status, subsystem::Status::ok);
  // The stages of the explicit step lie at 0, 1/5, 3/10, 4/5, 8/9 and 1 of it.
  const auto isHalf = [](double t) { return std::fabs(t - 0.05) < 1e-12; };
  EXPECT_TRUE(std::ranges::any_of(times, isHalf));
}

}  // namespace
}  // namespace koppla::solver::test::bdf_error_test
