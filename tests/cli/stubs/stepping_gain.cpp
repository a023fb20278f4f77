// Looks like our FMU 'Gain' (same model description), but y = k u + b is computed in steps only.

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

  void step(double, double) { y = k * u + b; }

  double partial(double Gain::*, double Gain::*) const { return 0; }
};

using Exported = Gain;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
