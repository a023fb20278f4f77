// The other half of a linear oscillator, motion in and force out: mass 2 with its spring to the ground and the link to
// mass 1, which is an OscillatorMass (force/displacement split).
//
//   m x2'' = -c2 x2 - d2 x2' - F,   F = c (x2 - x) + d (v2 - v)  the force on mass 1,   x2(0) = x0,  x2'(0) = v0
//
// Exact for x and v held over the step or, with their derivatives, polynomials of degree 5: m x2'' = (c x + d v) - (c2
// + c) x2 - (d2 + d) x2'. F feeds x and v through, as they are at the end of the step.

#include "model.hpp"
#include "oscillator_motion.hpp"

namespace koppla::fmus {

struct OscillatorHalf {
  double x = 0;
  double v = 0;
  double F = 0;
  double x2 = 0;
  double v2 = 0;
  double m = 1;
  double c2 = 1;
  double d2 = 0;
  double c = 1;
  double d = 0;
  double x0 = 0;
  double v0 = 0;
  Course position{};  // x and v with their derivatives, at the beginning of the step
  Course velocity{};
  double elapsed = 0;  // s, since then

  static constexpr Info info{
      .name = "OscillatorHalf", .description = "mass 2 and its link to mass 1: motion in, force out", .stepSize = 0.01};
  static constexpr auto variables = std::to_array<Variable<OscillatorHalf>>({
      {&OscillatorHalf::x, {.name = "x", .causality = input, .unit = "m", .description = "displacement of mass 1"}},
      {&OscillatorHalf::v, {.name = "v", .causality = input, .unit = "m/s", .description = "velocity of mass 1"}},
      {&OscillatorHalf::F,
       {.name = "F",
        .causality = output,
        .unit = "N",
        .description = "force on mass 1",
        .dependsOn = {"x", "v", "c", "d", "x0", "v0"}}},
      {&OscillatorHalf::x2,
       {.name = "x2", .causality = output, .unit = "m", .description = "displacement of mass 2", .dependsOn = {"x0"}}},
      {&OscillatorHalf::v2,
       {.name = "v2", .causality = output, .unit = "m/s", .description = "velocity of mass 2", .dependsOn = {"v0"}}},
      {&OscillatorHalf::m, {.name = "m", .causality = parameter, .unit = "kg", .description = "mass 2", .min = 0}},
      {&OscillatorHalf::c2,
       {.name = "c2", .causality = parameter, .unit = "N/m", .description = "stiffness to the ground", .min = 0}},
      {&OscillatorHalf::d2,
       {.name = "d2", .causality = parameter, .unit = "N.s/m", .description = "damping to the ground", .min = 0}},
      {&OscillatorHalf::c,
       {.name = "c", .causality = parameter, .unit = "N/m", .description = "stiffness of the link", .min = 0}},
      {&OscillatorHalf::d,
       {.name = "d", .causality = parameter, .unit = "N.s/m", .description = "damping of the link", .min = 0}},
      {&OscillatorHalf::x0, {.name = "x0", .causality = parameter, .unit = "m", .description = "x2 at the start"}},
      {&OscillatorHalf::v0, {.name = "v0", .causality = parameter, .unit = "m/s", .description = "v2 at the start"}},
  });

  void initialise(double) {
    x2 = x0;
    v2 = v0;
  }

  void outputs(double) {
    position[0] = x;
    velocity[0] = v;
    F = c * (x2 - at(position, elapsed)) + d * (v2 - at(velocity, elapsed));
  }

  void step(double, double h) {
    position[0] = x;
    velocity[0] = v;
    Course pull{};
    for (std::size_t k = 0; k < pull.size(); ++k) pull[k] = c * position[k] + d * velocity[k];
    const Motion end = advance(Oscillator{m, c2 + c, d2 + d}, Motion{x2, v2}, pull, h);
    x2 = end.x;
    v2 = end.v;
    elapsed = h;
  }

  bool inputDerivative(double OscillatorHalf::*input, int order, double value) {
    if (order < 1 || order > kMaxOrder) return false;
    (input == &OscillatorHalf::x ? position : velocity)[static_cast<std::size_t>(order)] = value;
    return true;
  }

  double partial(double OscillatorHalf::*unknown, double OscillatorHalf::*known) const {
    if (unknown == &OscillatorHalf::x2) return known == &OscillatorHalf::x0 ? 1 : 0;
    if (unknown == &OscillatorHalf::v2) return known == &OscillatorHalf::v0 ? 1 : 0;
    if (known == &OscillatorHalf::x) return -c;
    if (known == &OscillatorHalf::v) return -d;
    if (known == &OscillatorHalf::x0) return c;
    if (known == &OscillatorHalf::v0) return d;
    if (known == &OscillatorHalf::c) return x2 - at(position, elapsed);
    return known == &OscillatorHalf::d ? v2 - at(velocity, elapsed) : 0;
  }
};

using Exported = OscillatorHalf;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
