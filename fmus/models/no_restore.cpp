// T y' = k u - y,  y(0) = x0, as FirstOrderLag, but an FMU that can little: it cannot save or restore its state, takes
// only steps of one size, and its library lacks the optional functions altogether.

#include <cmath>

#include "model.hpp"

namespace koppla::fmus {

struct NoRestore {
  double u = 0;
  double y = 0;
  double T = 1;
  double k = 1;
  double x0 = 0;

  static constexpr Info info{
      .name = "NoRestore", .description = "A lag that cannot restore its state", .variableStep = false};
  static constexpr auto variables = std::to_array<Variable<NoRestore>>({
      {&NoRestore::u, {.name = "u", .causality = input}},
      {&NoRestore::y, {.name = "y", .causality = output, .dependsOn = {"x0"}}},
      {&NoRestore::T, {.name = "T", .causality = parameter, .unit = "s", .description = "time constant"}},
      {&NoRestore::k, {.name = "k", .causality = parameter, .description = "gain"}},
      {&NoRestore::x0, {.name = "x0", .causality = parameter, .description = "y at the start"}},
  });

  void initialise(double) { y = x0; }
  void step(double, double h) { y = k * u + (y - k * u) * std::exp(-h / T); }
};

using Exported = NoRestore;

}  // namespace koppla::fmus

#define KOPPLA_FMU_WITHOUT_STATE
#include "fmi2_export.hpp"
