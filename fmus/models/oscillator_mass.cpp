// One half of a linear oscillator, force in and motion out: a mass with a spring and a damper of its own to the ground.
//
//   m x'' = F - c x - d x',  x(0) = x0,  x'(0) = v0
//
// Exact for F held over the step or, with its derivatives, a polynomial of degree 5 (oscillator_motion.hpp), for every
// damping. No direct feed-through.

#include "model.hpp"
#include "oscillator_motion.hpp"

namespace koppla::fmus {

struct OscillatorMass {
  double F = 0;
  double x = 1;
  double v = 0;
  double m = 1;
  double c = 1;
  double d = 0;
  double x0 = 1;
  double v0 = 0;
  Course force{};  // F with its derivatives, at the beginning of the step

  static constexpr Info info{
      .name = "OscillatorMass", .description = "m x'' = F - c x - d x': force in, motion out", .stepSize = 0.01};
  static constexpr auto variables = std::to_array<Variable<OscillatorMass>>({
      {&OscillatorMass::F, {.name = "F", .causality = input, .unit = "N", .description = "force from outside"}},
      {&OscillatorMass::x,
       {.name = "x", .causality = output, .unit = "m", .description = "displacement", .dependsOn = {"x0"}}},
      {&OscillatorMass::v,
       {.name = "v", .causality = output, .unit = "m/s", .description = "velocity", .dependsOn = {"v0"}}},
      {&OscillatorMass::m, {.name = "m", .causality = parameter, .unit = "kg", .description = "mass", .min = 0}},
      {&OscillatorMass::c,
       {.name = "c", .causality = parameter, .unit = "N/m", .description = "stiffness to the ground", .min = 0}},
      {&OscillatorMass::d,
       {.name = "d", .causality = parameter, .unit = "N.s/m", .description = "damping to the ground", .min = 0}},
      {&OscillatorMass::x0, {.name = "x0", .causality = parameter, .unit = "m", .description = "x at the start"}},
      {&OscillatorMass::v0, {.name = "v0", .causality = parameter, .unit = "m/s", .description = "v at the start"}},
  });

  void initialise(double) {
    x = x0;
    v = v0;
  }

  void step(double, double h) {
    force[0] = F;
    const Motion end = advance(Oscillator{m, c, d}, Motion{x, v}, force, h);
    x = end.x;
    v = end.v;
  }

  bool inputDerivative(double OscillatorMass::*, int order, double value) {
    if (order < 1 || order > kMaxOrder) return false;
    force[static_cast<std::size_t>(order)] = value;
    return true;
  }
};

using Exported = OscillatorMass;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
