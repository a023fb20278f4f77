// Math_003, part 1 (Nicolai, sec. 4): two signals of time alone, evaluated at the end of the communication step.
//
//   x1 = 0 for t < 1 or 2 <= t < 5, else 1
//   x2 = 0 for t < 3 or 4 <= t < 6, else 1
//
// An instant counts as reached within the rounding of the master's grid.

#include "model.hpp"

namespace koppla::fmus {

struct Math003Part1 {
  double x1 = 0;
  double x2 = 0;

  static constexpr Info info{.name = "Math003Part1", .description = "Math_003, part 1: signals of time"};
  static constexpr auto variables = std::to_array<Variable<Math003Part1>>({
      {&Math003Part1::x1, {.name = "x1", .causality = output, .description = "1 on [1, 2) and from 5 on"}},
      {&Math003Part1::x2, {.name = "x2", .causality = output, .description = "1 on [3, 4) and from 6 on"}},
  });

  void outputs(double t) {
    x1 = pulse(t, 1, 2, 5);
    x2 = pulse(t, 3, 4, 6);
  }

 private:
  static double pulse(double t, double on, double off, double onAgain) {
    return (notBefore(t, on) && !notBefore(t, off)) || notBefore(t, onAgain) ? 1 : 0;
  }
};

using Exported = Math003Part1;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
