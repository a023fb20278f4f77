// y = kp u + x,  x' = ki u,  x(0) = x0: a state and direct feed-through, by an FMU that takes values of u only.
// Exact for u held over the step.

#include "model.hpp"

namespace koppla::fmus {

struct PiController {
  double u = 0;
  double y = 0;
  double x = 0;
  double kp = 1;
  double ki = 1;
  double x0 = 0;

  static constexpr Info info{.name = "PiController", .description = "y = kp u + x, x' = ki u"};
  static constexpr auto variables = std::to_array<Variable<PiController>>({
      {&PiController::u, {.name = "u", .causality = input}},
      {&PiController::y, {.name = "y", .causality = output, .dependsOn = {"u", "kp", "x0"}}},
      {&PiController::x, {.name = "x", .causality = output, .dependsOn = {"x0"}}},
      {&PiController::kp, {.name = "kp", .causality = parameter}},
      {&PiController::ki, {.name = "ki", .causality = parameter, .unit = "1/s"}},
      {&PiController::x0, {.name = "x0", .causality = parameter, .description = "x at the start"}},
  });

  void initialise(double) { x = x0; }
  void outputs(double) { y = kp * u + x; }
  void step(double, double h) { x += h * ki * u; }
};

using Exported = PiController;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
