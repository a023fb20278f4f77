// Derivatives of inputs that an FMU keeps until they are set anew, and warnings beside values of other types.

#include <array>
#include <cmath>

#include "helpers.hpp"

namespace koppla::fmi::test::input_derivatives_test {
namespace {

using subsystem::Status;
using ::testing::HasSubstr;

/// y' = u - y, y(0) = 0 and u a polynomial over [0, 1]: with P = u - u' + u'' - ... the solution is
/// y(t) = P(t) + (y(0) - P(0)) e^-t. Coefficients are of powers of t.
double lagAt1(double y0, const std::array<double, 4>& u) {
  const auto derivative = [&](double t, unsigned order) {
    double sum = 0.0;
    for (unsigned k = order; k < u.size(); ++k) {
      double factor = 1.0;
      for (unsigned i = 0; i < order; ++i) factor *= k - i;
      sum += factor * u[k] * std::pow(t, k - order);
    }
    return sum;
  };
  const auto particular = [&](double t) {
    return derivative(t, 0) - derivative(t, 1) + derivative(t, 2) - derivative(t, 3);
  };
  return particular(1.0) + (y0 - particular(0.0)) * std::exp(-1.0);
}

TEST(InputDerivatives, OfAHigherDegreeDoNotOutliveTheirStep) {
  // After every degree each lower one: what an FMU was told before must be gone.
  for (const unsigned before : {1U, 2U, 3U})
    for (unsigned degree = 0; degree < before; ++degree) {
      Instance lag(fmuFile("InterpolatingLag"));
      lag.bind({"u"}, {"y"});
      lag.initialise();
      std::array<double, 4> c{3.0, -2.0, 5.0, 7.0};
      std::fill(c.begin() + before + 1, c.end(), 0.0);
      ASSERT_EQ(lag.system->advance({0.0, 1.0, true}, {c.data(), 1, before}, lag.y).status, Status::ok);
      const double first = lagAt1(0.0, c);
      EXPECT_NEAR(lag.y[0], first, 1e-12);
      std::fill(c.begin() + degree + 1, c.end(), 0.0);
      ASSERT_EQ(lag.system->advance({1.0, 2.0, true}, {c.data(), 1, degree}, lag.y).status, Status::ok);
      EXPECT_NEAR(lag.y[0], lagAt1(first, c), 1e-12) << before << " then " << degree;
    }
}

TEST(Warnings, OfAStepAreToldBesideValuesOfOtherTypes) {
  Instance failing(fmuFile("Failing"));
  failing.set("call", std::string("doStep"));
  failing.set("status", std::string("warning"));
  std::vector<std::string> strings(1);
  subsystem::Binding binding;
  binding.inputs = {failing.port("u")};
  binding.outputs = {failing.port("y"), failing.port("status")};
  binding.discreteOutputs.strings = strings;
  failing.system->bind(binding);
  failing.u = {4.0};
  failing.y = {0.0};
  failing.initialise();
  EXPECT_EQ(failing.advance(0.0, 0.5).status, Status::warning);
  EXPECT_EQ(failing.y[0], 4.0);
  EXPECT_EQ(strings[0], "warning");
  EXPECT_THAT(failing.kept.all(), HasSubstr("warning one: fmi2DoStep(t = 0 s) returned fmi2Warning."));
}

}  // namespace
}  // namespace koppla::fmi::test::input_derivatives_test
