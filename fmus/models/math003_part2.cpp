// Math_003, part 2 (Nicolai, sec. 4): a controller without memory, evaluated at the end of the communication step.
//
//   x3 =  3 if x1 == 1 and x2 < 0.01 and x4 < 2.5
//        -3 if x1 < 0.001 and x2 > 0 and x4 > -2.5
//         0 else
//
// x1 and x2 are 0 or 1. Their comparisons leave room on both sides, so that an input moved a little to form a
// difference quotient does not switch.

#include "model.hpp"

namespace koppla::fmus {

struct Math003Part2 {
  double x1 = 0;
  double x2 = 0;
  double x4 = 0;
  double x3 = 0;

  static constexpr Info info{.name = "Math003Part2", .description = "Math_003, part 2: two-point controller"};
  static constexpr auto variables = std::to_array<Variable<Math003Part2>>({
      {&Math003Part2::x1, {.name = "x1", .causality = input, .description = "drives up if 1"}},
      {&Math003Part2::x2, {.name = "x2", .causality = input, .description = "drives down if 1"}},
      {&Math003Part2::x4, {.name = "x4", .causality = input, .description = "controlled value"}},
      {&Math003Part2::x3,
       {.name = "x3", .causality = output, .description = "control value", .dependsOn = {"x1", "x2", "x4"}}},
  });

  void outputs(double) {
    const bool up = x1 > 0.999 && x2 < 0.01 && x4 < 2.5;
    const bool down = x1 < 0.001 && x2 > 0.001 && x4 > -2.5;
    x3 = up ? 3 : down ? -3 : 0;
  }
};

using Exported = Math003Part2;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
