// Spring and damper between two masses, motion in and force out; with two OscillatorMass a two-mass oscillator.
//
//   F = c (x2 - x1) + d (v2 - v1)  on mass 1,   F2 = -F  on mass 2
//
// Without memory: direct feed-through, with derivatives.

#include "model.hpp"

namespace koppla::fmus {

struct OscillatorLink {
  double x1 = 0;
  double v1 = 0;
  double x2 = 0;
  double v2 = 0;
  double F = 0;
  double F2 = 0;
  double c = 1;
  double d = 0;

  static constexpr Info info{
      .name = "OscillatorLink", .description = "F = c (x2 - x1) + d (v2 - v1): motion in, force out", .stepSize = 0.01};
  static constexpr auto variables = std::to_array<Variable<OscillatorLink>>({
      {&OscillatorLink::x1, {.name = "x1", .causality = input, .unit = "m", .description = "displacement of mass 1"}},
      {&OscillatorLink::v1, {.name = "v1", .causality = input, .unit = "m/s", .description = "velocity of mass 1"}},
      {&OscillatorLink::x2, {.name = "x2", .causality = input, .unit = "m", .description = "displacement of mass 2"}},
      {&OscillatorLink::v2, {.name = "v2", .causality = input, .unit = "m/s", .description = "velocity of mass 2"}},
      {&OscillatorLink::F,
       {.name = "F",
        .causality = output,
        .unit = "N",
        .description = "force on mass 1",
        .dependsOn = {"x1", "v1", "x2", "v2", "c", "d"}}},
      {&OscillatorLink::F2,
       {.name = "F2",
        .causality = output,
        .unit = "N",
        .description = "force on mass 2",
        .dependsOn = {"x1", "v1", "x2", "v2", "c", "d"}}},
      {&OscillatorLink::c, {.name = "c", .causality = parameter, .unit = "N/m", .description = "stiffness", .min = 0}},
      {&OscillatorLink::d, {.name = "d", .causality = parameter, .unit = "N.s/m", .description = "damping", .min = 0}},
  });

  void outputs(double) {
    F = c * (x2 - x1) + d * (v2 - v1);
    F2 = -F;
  }

  double partial(double OscillatorLink::*unknown, double OscillatorLink::*known) const {
    const double sign = unknown == &OscillatorLink::F ? 1 : -1;
    if (known == &OscillatorLink::x1) return -sign * c;
    if (known == &OscillatorLink::v1) return -sign * d;
    if (known == &OscillatorLink::x2) return sign * c;
    if (known == &OscillatorLink::v2) return sign * d;
    return sign * (known == &OscillatorLink::c ? x2 - x1 : v2 - v1);
  }
};

using Exported = OscillatorLink;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
