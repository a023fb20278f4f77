// Lotka-Volterra, the prey: x' = x (a - b y),  x(0) = x0.
// Exact for y held over the step: x(t + h) = x e^((a - b y) h). With LotkaVolterraPredator
// V = d x - c ln x + b y - a ln y is constant along exact solutions.

#include <cmath>

#include "model.hpp"

namespace koppla::fmus {

struct LotkaVolterraPrey {
  double y = 1;
  double x = 2;
  double a = 1.5;
  double b = 1;
  double x0 = 2;

  static constexpr Info info{.name = "LotkaVolterraPrey", .description = "x' = x (a - b y)", .stepSize = 0.01};
  static constexpr auto variables = std::to_array<Variable<LotkaVolterraPrey>>({
      {&LotkaVolterraPrey::y, {.name = "y", .causality = input, .description = "predators"}},
      {&LotkaVolterraPrey::x, {.name = "x", .causality = output, .description = "prey", .dependsOn = {"x0"}}},
      {&LotkaVolterraPrey::a, {.name = "a", .causality = parameter, .unit = "1/s", .description = "growth"}},
      {&LotkaVolterraPrey::b, {.name = "b", .causality = parameter, .unit = "1/s", .description = "loss per predator"}},
      {&LotkaVolterraPrey::x0, {.name = "x0", .causality = parameter, .description = "prey at the start"}},
  });

  void initialise(double) { x = x0; }
  void step(double, double h) { x *= std::exp((a - b * y) * h); }
};

using Exported = LotkaVolterraPrey;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
