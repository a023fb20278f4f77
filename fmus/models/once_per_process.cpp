// y = k u, by an FMU with a global variable that allows one instance at a time per loaded library.

#include <atomic>

#include "model.hpp"

namespace koppla::fmus {

static std::atomic<int> instances{0};

struct OncePerProcess {
  double u = 0;
  double y = 0;
  double k = 1;

  static constexpr Info info{.name = "OncePerProcess", .description = "y = k u, one instance", .oncePerProcess = true};
  static constexpr auto variables = std::to_array<Variable<OncePerProcess>>({
      {&OncePerProcess::u, {.name = "u", .causality = input}},
      {&OncePerProcess::y, {.name = "y", .causality = output, .dependsOn = {"u", "k"}}},
      {&OncePerProcess::k, {.name = "k", .causality = parameter}},
  });

  void outputs(double) { y = k * u; }

  static Result before(Call call, double, const Host& host) {
    if (call == Call::freeInstance) --instances;
    if (call != Call::instantiate || ++instances == 1) return Result::ok;
    --instances;
    host.log(fmi2Error, "logStatusError", "There is an instance of OncePerProcess in this process already.");
    return Result::error;
  }
};

using Exported = OncePerProcess;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
