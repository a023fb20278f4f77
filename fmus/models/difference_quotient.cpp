// An FMU that remembers its inputs: y = (u - u') / h with u' of the step before, the same for an input that is declared
// as discrete, and how often u became positive. It takes values of u only.

#include "model.hpp"

namespace koppla::fmus {

struct DifferenceQuotient {
  double u = 0;
  double sampled = 0;
  double y = 0;
  double ofSampled = 0;
  int edges = 0;
  double before = 0;
  double sampledBefore = 0;

  using T = DifferenceQuotient;
  static constexpr Info info{.name = "DifferenceQuotient", .description = "y = (u - u of the step before) / h"};
  static constexpr auto variables = std::to_array<Variable<T>>({
      {&T::u, {.name = "u", .causality = input}},
      {&T::sampled, {.name = "sampled", .causality = input, .variability = discrete}},
      {&T::y, {.name = "y", .causality = output, .dependsOn = {"u"}}},
      {&T::ofSampled, {.name = "ofSampled", .causality = output, .dependsOn = {"sampled"}}},
      {&T::edges, {.name = "edges", .causality = output, .dependsOn = {"u"}}},
      {&T::before, {.name = "before", .causality = local, .initial = exact}},
      {&T::sampledBefore, {.name = "sampledBefore", .causality = local, .initial = exact}},
  });

  void initialise(double) {}
  void outputs(double) {}
  void step(double, double h) {
    y = (u - before) / h;
    ofSampled = (sampled - sampledBefore) / h;
    if (u > 0 && before <= 0) ++edges;
    before = u;
    sampledBefore = sampled;
  }
};

using Exported = DifferenceQuotient;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
