// y = k u + b, with its derivative by all three.

#include "model.hpp"

namespace koppla::fmus {

struct Gain {
  double u = 0;
  double y = 0;
  double k = 1;
  double b = 0;

  static constexpr Info info{.name = "Gain", .description = "y = k u + b"};
  static constexpr auto variables = std::to_array<Variable<Gain>>({
      {&Gain::u, {.name = "u", .causality = input}},
      {&Gain::y, {.name = "y", .causality = output, .dependsOn = {"u", "k", "b"}}},
      {&Gain::k, {.name = "k", .causality = parameter, .variability = tunable}},
      {&Gain::b, {.name = "b", .causality = parameter, .variability = tunable}},
  });

  void outputs(double) { y = k * u + b; }

  double partial(double Gain::*, double Gain::*known) const {
    if (known == &Gain::u) return k;
    return known == &Gain::k ? u : 1;
  }
};

using Exported = Gain;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
