// y = k cos(u). With k = 1 and y fed back to u the loop's solution is 0.7390851332151607; fixed-point iteration
// converges to it, each step reducing the error by sin(y) = 0.674.

#include <cmath>

#include "model.hpp"

namespace koppla::fmus {

struct CosineGain {
  double u = 0;
  double y = 0;
  double k = 1;

  static constexpr Info info{.name = "CosineGain", .description = "y = k cos(u)"};
  static constexpr auto variables = std::to_array<Variable<CosineGain>>({
      {&CosineGain::u, {.name = "u", .causality = input}},
      {&CosineGain::y, {.name = "y", .causality = output, .dependsOn = {"u", "k"}}},
      {&CosineGain::k, {.name = "k", .causality = parameter, .variability = tunable}},
  });

  void outputs(double) { y = k * std::cos(u); }

  double partial(double CosineGain::*, double CosineGain::*known) const {
    return known == &CosineGain::u ? -k * std::sin(u) : std::cos(u);
  }
};

using Exported = CosineGain;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
