// A mass with a spring and a damper of its own to the ground that a rigid joint can hold by every method: force in,
// motion and acceleration out, and an input that moves the mass without being its velocity.
//
//   x' = v + w,   m v' = F - c x - d v,   a = v',   x(0) = x0,  v(0) = v0
//
// w is the projection of the stabilised index-2 method (Lu, sec. 3.1.4), 0 for all others. With it x obeys
// m x'' = (F + d w + m w') - c x - d x', so the step is that of OscillatorMass: exact for F and w held over the step
// or, with their derivatives, polynomials of degree 5. a feeds F through, as it is at the end of the step.

#include "model.hpp"
#include "oscillator_motion.hpp"

namespace koppla::fmus {

struct JointMass {
  double F = 0;
  double w = 0;
  double x = 1;
  double v = 0;
  double a = 0;
  double m = 1;
  double c = 1;
  double d = 0;
  double x0 = 1;
  double v0 = 0;
  Course force{};  // F and w with their derivatives, at the beginning of the step
  Course shift{};
  double elapsed = 0;  // s, since then

  static constexpr Info info{.name = "JointMass",
                             .description = "x' = v + w, m v' = F - c x - d v: force and projection in, motion out",
                             .stepSize = 0.01};
  static constexpr auto variables = std::to_array<Variable<JointMass>>({
      {&JointMass::F, {.name = "F", .causality = input, .unit = "N", .description = "force from outside"}},
      {&JointMass::w,
       {.name = "w", .causality = input, .unit = "m/s", .description = "projection: moves x, is no part of v"}},
      {&JointMass::x,
       {.name = "x", .causality = output, .unit = "m", .description = "displacement", .dependsOn = {"x0"}}},
      {&JointMass::v,
       {.name = "v", .causality = output, .unit = "m/s", .description = "velocity", .dependsOn = {"v0"}}},
      {&JointMass::a,
       {.name = "a",
        .causality = output,
        .unit = "m/s2",
        .description = "acceleration v'",
        .dependsOn = {"F", "m", "c", "d", "x0", "v0"}}},
      {&JointMass::m, {.name = "m", .causality = parameter, .unit = "kg", .description = "mass", .min = 0}},
      {&JointMass::c,
       {.name = "c", .causality = parameter, .unit = "N/m", .description = "stiffness to the ground", .min = 0}},
      {&JointMass::d,
       {.name = "d", .causality = parameter, .unit = "N.s/m", .description = "damping to the ground", .min = 0}},
      {&JointMass::x0, {.name = "x0", .causality = parameter, .unit = "m", .description = "x at the start"}},
      {&JointMass::v0, {.name = "v0", .causality = parameter, .unit = "m/s", .description = "v at the start"}},
  });

  void initialise(double) {
    x = x0;
    v = v0;
  }

  void outputs(double) {
    force[0] = F;
    a = (at(force, elapsed) - c * x - d * v) / m;
  }

  void step(double, double h) {
    force[0] = F;
    shift[0] = w;
    Course pull{};
    for (std::size_t k = 0; k < pull.size(); ++k)
      pull[k] = force[k] + d * shift[k] + (k + 1 < shift.size() ? m * shift[k + 1] : 0);
    const Motion end = advance(Oscillator{m, c, d}, Motion{x, v + w}, pull, h);
    x = end.x;
    v = end.v - at(shift, h);
    elapsed = h;
  }

  bool inputDerivative(double JointMass::*input, int order, double value) {
    if (order < 1 || order > kMaxOrder) return false;
    (input == &JointMass::F ? force : shift)[static_cast<std::size_t>(order)] = value;
    return true;
  }

  double partial(double JointMass::*unknown, double JointMass::*known) const {
    if (unknown == &JointMass::x) return known == &JointMass::x0 ? 1 : 0;
    if (unknown == &JointMass::v) return known == &JointMass::v0 ? 1 : 0;
    if (known == &JointMass::F) return 1 / m;
    if (known == &JointMass::m) return -a / m;
    if (known == &JointMass::c) return -x / m;
    if (known == &JointMass::d) return -v / m;
    if (known == &JointMass::x0) return -c / m;
    return known == &JointMass::v0 ? -d / m : 0;
  }
};

using Exported = JointMass;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
