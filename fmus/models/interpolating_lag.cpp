// T x' = k u - x,  x(0) = x0,  y = x, as FirstOrderLag, but u may be a polynomial over the step: its derivatives at the
// beginning of the step come through fmi2SetRealInputDerivatives and stay until they are set anew.
//
// Exact: with P(s) = k (u - T u' + T^2 u'' - ...)(s) a particular solution, x(t + h) = P(h) + (x - P(0)) e^(-h/T).

#include <cmath>

#include "model.hpp"

namespace koppla::fmus {

struct InterpolatingLag {
  static constexpr int kMaxOutputDerivativeOrder = 1;

  double u = 0;
  double y = 0;
  double T = 1;
  double k = 1;
  double x0 = 0;
  double slope = 0;                          // y' at the end of the step
  std::array<double, 3> inputDerivatives{};  // u', u'', u'''

  static constexpr Info info{.name = "InterpolatingLag", .description = "T y' = k u - y, u a cubic over the step"};
  static constexpr auto variables = std::to_array<Variable<InterpolatingLag>>({
      {&InterpolatingLag::u, {.name = "u", .causality = input}},
      {&InterpolatingLag::y, {.name = "y", .causality = output, .dependsOn = {"x0"}}},
      {&InterpolatingLag::T, {.name = "T", .causality = parameter, .unit = "s", .description = "time constant"}},
      {&InterpolatingLag::k, {.name = "k", .causality = parameter, .description = "gain"}},
      {&InterpolatingLag::x0, {.name = "x0", .causality = parameter, .description = "y at the start"}},
  });

  void initialise(double) {
    y = x0;
    slope = (k * u - y) / T;
  }

  void step(double, double h) {
    y = particular(h) + (y - particular(0)) * std::exp(-h / T);
    slope = (k * inputAt(h, 0) - y) / T;
  }

  bool inputDerivative(double InterpolatingLag::*, int order, double value) {
    if (order < 1 || order > 3) return false;
    inputDerivatives[static_cast<std::size_t>(order - 1)] = value;
    return true;
  }

  std::optional<double> outputDerivative(double InterpolatingLag::*output, int order) const {
    if (output != &InterpolatingLag::y || order != 1) return std::nullopt;
    return slope;
  }

 private:
  // The derivative of the given order of u, s after the beginning of the step (Horner's scheme).
  double inputAt(double s, int order) const {
    double value = 0;
    for (int i = 3; i >= order; --i) {
      const double coefficient = i == 0 ? u : inputDerivatives[static_cast<std::size_t>(i - 1)];
      value = coefficient + value * s / (i - order + 1);
    }
    return value;
  }

  double particular(double s) const {
    return k * (inputAt(s, 0) - T * (inputAt(s, 1) - T * (inputAt(s, 2) - T * inputAt(s, 3))));
  }
};

using Exported = InterpolatingLag;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
