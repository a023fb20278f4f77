// T x' = k u - x,  x(0) = x0,  y = x.
// Exact for u held over the step: x(t + h) = k u + (x - k u) e^(-h/T). No direct feed-through.

#include <cmath>

#include "model.hpp"

namespace koppla::fmus {

struct FirstOrderLag {
  double u = 0;
  double y = 0;
  double T = 1;
  double k = 1;
  double x0 = 0;

  static constexpr Info info{.name = "FirstOrderLag", .description = "T y' = k u - y"};
  static constexpr auto variables = std::to_array<Variable<FirstOrderLag>>({
      {&FirstOrderLag::u, {.name = "u", .causality = input}},
      {&FirstOrderLag::y, {.name = "y", .causality = output, .dependsOn = {"x0"}}},
      {&FirstOrderLag::T, {.name = "T", .causality = parameter, .unit = "s", .description = "time constant", .min = 0}},
      {&FirstOrderLag::k, {.name = "k", .causality = parameter, .description = "gain"}},
      {&FirstOrderLag::x0, {.name = "x0", .causality = parameter, .description = "y at the start"}},
  });

  void initialise(double) { y = x0; }
  void step(double, double h) { y = k * u + (y - k * u) * std::exp(-h / T); }
};

using Exported = FirstOrderLag;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
