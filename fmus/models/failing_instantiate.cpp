// Cannot be instantiated, and says why.

#include "model.hpp"

namespace koppla::fmus {

struct FailingInstantiate {
  double u = 0;
  double y = 0;

  static constexpr Info info{.name = "FailingInstantiate", .description = "Cannot be instantiated"};
  static constexpr auto variables = std::to_array<Variable<FailingInstantiate>>({
      {&FailingInstantiate::u, {.name = "u", .causality = input}},
      {&FailingInstantiate::y, {.name = "y", .causality = output, .dependsOn = {"u"}}},
  });

  void outputs(double) { y = u; }

  static Result before(Call call, double, const Host& host) {
    if (call != Call::instantiate) return Result::ok;
    host.log(fmi2Error, "logStatusError", "No licence for the solver 'Unobtainium': this FMU never starts.");
    return Result::error;
  }
};

using Exported = FailingInstantiate;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
