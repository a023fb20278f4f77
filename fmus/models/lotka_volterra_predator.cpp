// Lotka-Volterra, the predators: y' = -y (c - d x),  y(0) = y0.
// Exact for x held over the step: y(t + h) = y e^((d x - c) h). The partner is LotkaVolterraPrey.

#include <cmath>

#include "model.hpp"

namespace koppla::fmus {

struct LotkaVolterraPredator {
  double x = 2;
  double y = 1;
  double c = 1;
  double d = 0.3;
  double y0 = 1;

  static constexpr Info info{.name = "LotkaVolterraPredator", .description = "y' = -y (c - d x)", .stepSize = 0.01};
  static constexpr auto variables = std::to_array<Variable<LotkaVolterraPredator>>({
      {&LotkaVolterraPredator::x, {.name = "x", .causality = input, .description = "prey"}},
      {&LotkaVolterraPredator::y, {.name = "y", .causality = output, .description = "predators", .dependsOn = {"y0"}}},
      {&LotkaVolterraPredator::c, {.name = "c", .causality = parameter, .unit = "1/s", .description = "loss"}},
      {&LotkaVolterraPredator::d,
       {.name = "d", .causality = parameter, .unit = "1/s", .description = "growth per prey"}},
      {&LotkaVolterraPredator::y0, {.name = "y0", .causality = parameter, .description = "predators at the start"}},
  });

  void initialise(double) { y = y0; }
  void step(double, double h) { y *= std::exp((d * x - c) * h); }
};

using Exported = LotkaVolterraPredator;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
