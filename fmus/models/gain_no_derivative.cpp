// y = k u + b, as Gain, but the importing tool has to find the derivative itself.

#include "model.hpp"

namespace koppla::fmus {

struct GainNoDerivative {
  double u = 0;
  double y = 0;
  double k = 1;
  double b = 0;

  static constexpr Info info{.name = "GainNoDerivative", .description = "y = k u + b, without derivatives"};
  static constexpr auto variables = std::to_array<Variable<GainNoDerivative>>({
      {&GainNoDerivative::u, {.name = "u", .causality = input}},
      {&GainNoDerivative::y, {.name = "y", .causality = output, .dependsOn = {"u", "k", "b"}}},
      {&GainNoDerivative::k, {.name = "k", .causality = parameter, .variability = tunable}},
      {&GainNoDerivative::b, {.name = "b", .causality = parameter, .variability = tunable}},
  });

  void outputs(double) { y = k * u + b; }
};

using Exported = GainNoDerivative;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
