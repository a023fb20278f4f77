// The error test of the BDF in numbers: which steps are accepted, and when the order rises.

#include <cmath>
#include <numbers>

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
      settings.rtol = settings.atol = share * estimate;
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

}  // namespace
}  // namespace koppla::solver::test::bdf_error_test
