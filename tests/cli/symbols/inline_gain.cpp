// Looks like our FMU 'Gain' (same model description); y is the sum of b over all instances that share the inline
// variable.

#include "model.hpp"

#ifdef KOPPLA_OPENS_LIBRARIES
#include <dlfcn.h>
#endif

#include "shelf.hpp"

namespace koppla::fmus {

struct Gain {
  double u = 0;
  double y = 0;
  double k = 1;
  double b = 0;
  bool added = false;

  static constexpr Info info{.name = "Gain", .description = "y = k u + b"};
  static constexpr auto variables = std::to_array<Variable<Gain>>({
      {&Gain::u, {.name = "u", .causality = input}},
      {&Gain::y, {.name = "y", .causality = output, .dependsOn = {"u", "k", "b"}}},
      {&Gain::k, {.name = "k", .causality = parameter, .variability = tunable}},
      {&Gain::b, {.name = "b", .causality = parameter, .variability = tunable}},
  });

  void outputs(double) {
#ifdef KOPPLA_OPENS_LIBRARIES
    if (!added) dlopen("no-such-library.so", RTLD_NOW);
#endif
#ifdef KOPPLA_ADDS_ELSEWHERE
    if (!added) addToShelf(b);
#else
    if (!added) shelf().sum += b;
#endif
    added = true;
    y = shelf().sum;
  }

  double partial(double Gain::*, double Gain::*) const {
    return 0;
  }
};

using Exported = Gain;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
