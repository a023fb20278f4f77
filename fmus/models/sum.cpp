// y = k1 u1 + k2 u2 + b. With y fed back to u2 the loop's solution is y = (k1 u1 + b) / (1 - k2).

#include "model.hpp"

namespace koppla::fmus {

struct Sum {
  double u1 = 0;
  double u2 = 0;
  double y = 0;
  double k1 = 1;
  double k2 = 1;
  double b = 0;

  static constexpr Info info{.name = "Sum", .description = "y = k1 u1 + k2 u2 + b"};
  static constexpr auto variables = std::to_array<Variable<Sum>>({
      {&Sum::u1, {.name = "u1", .causality = input}},
      {&Sum::u2, {.name = "u2", .causality = input}},
      {&Sum::y, {.name = "y", .causality = output, .dependsOn = {"u1", "u2", "k1", "k2", "b"}}},
      {&Sum::k1, {.name = "k1", .causality = parameter, .variability = tunable}},
      {&Sum::k2, {.name = "k2", .causality = parameter, .variability = tunable}},
      {&Sum::b, {.name = "b", .causality = parameter, .variability = tunable}},
  });

  void outputs(double) { y = k1 * u1 + k2 * u2 + b; }

  double partial(double Sum::*, double Sum::*known) const {
    if (known == &Sum::u1) return k1;
    if (known == &Sum::u2) return k2;
    if (known == &Sum::k1) return u1;
    return known == &Sum::k2 ? u2 : 1;
  }
};

using Exported = Sum;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
