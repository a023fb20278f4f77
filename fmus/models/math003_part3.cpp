// Math_003, part 3 (Nicolai, sec. 4): an integrator.
//
//   x4' = 2 x3,  x4(0) = 0;  exact for x3 held over the step: x4 += h 2 x3

#include "model.hpp"

namespace koppla::fmus {

struct Math003Part3 {
  double x3 = 0;
  double x4 = 0;

  static constexpr Info info{.name = "Math003Part3", .description = "Math_003, part 3: integrator"};
  static constexpr auto variables = std::to_array<Variable<Math003Part3>>({
      {&Math003Part3::x3, {.name = "x3", .causality = input, .description = "half the slope of x4"}},
      {&Math003Part3::x4, {.name = "x4", .causality = output, .initial = exact, .description = "integral of 2 x3"}},
  });

  void step(double, double h) { x4 += h * 2 * x3; }
};

using Exported = Math003Part3;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
