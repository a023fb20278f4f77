// A spring that hardens exponentially, with cubic damping: motion in, force out. The static part of Schmoll's nonlinear
// oscillator (4.22).
//
//   f = -c sgn(x) (exp(alpha |x|) - 1) - d sgn(v) |v|^3
//
// Without memory: direct feed-through, also in initialisation mode, so that an integrator can call it as a function.

#include <cmath>

#include "model.hpp"

namespace koppla::fmus {

struct HardeningSpring {
  double x = 0;
  double v = 0;
  double f = 0;
  double c = 1e5;
  double alpha = 3;
  double d = 1e-5;

  static constexpr Info info{.name = "HardeningSpring",
                             .description = "f = -c sgn(x) (exp(alpha |x|) - 1) - d sgn(v) |v|^3: motion in, force out",
                             .stepSize = 1e-4};
  static constexpr auto variables = std::to_array<Variable<HardeningSpring>>({
      {&HardeningSpring::x, {.name = "x", .causality = input, .unit = "m", .description = "elongation"}},
      {&HardeningSpring::v, {.name = "v", .causality = input, .unit = "m/s", .description = "rate of the elongation"}},
      {&HardeningSpring::f,
       {.name = "f",
        .causality = output,
        .unit = "N",
        .description = "force on the body that moves it",
        .dependsOn = {"x", "v", "c", "alpha", "d"}}},
      {&HardeningSpring::c,
       {.name = "c", .causality = parameter, .unit = "N", .description = "stiffness, divided by alpha", .min = 0}},
      {&HardeningSpring::alpha,
       {.name = "alpha", .causality = parameter, .unit = "1/m", .description = "growth of the force", .min = 0}},
      {&HardeningSpring::d,
       {.name = "d", .causality = parameter, .unit = "N.s3/m3", .description = "damping", .min = 0}},
  });

  void outputs(double) { f = -c * std::copysign(std::expm1(alpha * std::abs(x)), x) - d * v * v * v; }

  double partial(double HardeningSpring::*, double HardeningSpring::*known) const {
    const double growth = std::exp(alpha * std::abs(x));
    if (known == &HardeningSpring::x) return -c * alpha * growth;
    if (known == &HardeningSpring::v) return -3 * d * v * v;
    if (known == &HardeningSpring::c) return -std::copysign(growth - 1, x);
    if (known == &HardeningSpring::alpha) return -c * x * growth;
    return known == &HardeningSpring::d ? -v * v * v : 0;
  }
};

using Exported = HardeningSpring;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
