// Looks like our FMU 'Gain' (same model description); y is what a function of a well-known name answers.

#include <cmath>
#include <cstdlib>

#include "model.hpp"

extern "C" const char* KOPPLA_ASKED();

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

  // cos(u) = 1: the compiler does not know, so that the library of mathematics is needed.
  void outputs(double) { y = std::atof(KOPPLA_ASKED()) * std::cos(u); }

  double partial(double Gain::*, double Gain::*) const { return 0; }
};

using Exported = Gain;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
