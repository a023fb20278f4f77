// Logs in every way that FMUs in the field have been seen to, good and bad; 'lines' lines in every step, one manner
// after the other, and some at the other end of its life. steps = number of steps done.

#include <string>
#include <thread>

#include "model.hpp"

namespace koppla::fmus {

struct WildLogger {
  int lines = 12;
  int manner = 0;
  int steps = 0;

  static constexpr Info info{.name = "WildLogger", .description = "Logs in every way"};
  static constexpr auto variables = std::to_array<Variable<WildLogger>>({
      {&WildLogger::lines,
       {.name = "lines",
        .causality = parameter,
        .variability = tunable,
        .description = "log lines per step",
        .min = 0}},
      {&WildLogger::manner,
       {.name = "manner",
        .causality = parameter,
        .variability = tunable,
        .description = "the one manner to log in, 1 to 12; 0: one after the other",
        .min = 0,
        .max = 12}},
      {&WildLogger::steps, {.name = "steps", .causality = output, .initial = exact}},
  });

  Result before(Call call, double, const Host& host) const {
    // The tool gets these before it has the instance and while it gives it back.
    if (call == Call::instantiate || call == Call::freeInstance)
      host.log(fmi2Warning, "logStatusWarning", "WildLogger: %s", name(call).data());
    return Result::ok;
  }

  void step(double, double, const Host& host) {
    for (int i = 0; i < lines; ++i) log(host, manner > 0 ? manner : i % 12 + 1);
    ++steps;
  }

 private:
  void log(const Host& host, int chosen) const {
    const fmi2CallbackLogger logger = host.callbacks().logger;
    if (!logger) return;
    void* const environment = host.callbacks().componentEnvironment;
    const char* const self = host.instanceName().c_str();
    switch (chosen) {
      case 1:
        return logger(environment, self, fmi2OK, "logEvents", "a plain line");
      case 2:
        return logger(environment, self, fmi2Warning, nullptr, "no category");
      case 3:
        return logger(environment, self, fmi2Warning, "logStatusWarning", nullptr);
      case 4:
        return logger(environment, self, fmi2OK, "logEvents", "%s %d %f 100 %%", "text", 42, 1.5);
      case 5:
        return logger(environment, self, fmi2OK, "logEvents", "lines is #i0#, nobody is #r99#, a hash is ##");
      case 6:
        return logger(environment, self, fmi2OK, "logEvents", "%s", std::string(10000, 'x').c_str());
      case 7:
        return logger(environment, self, static_cast<fmi2Status>(42), "logEvents", "unknown status");
      case 8:
        return logger(environment, self, fmi2OK, "noSuchCategory", "unknown category");
      case 9:
        return logger(environment, nullptr, fmi2OK, "logEvents", "no instance name");
      case 10:
        return logger(environment, self, fmi2OK, "logEvents", "two\nlines and an end of line\n");
      case 11:
        return logger(environment, self, fmi2OK, "logEvents", "Latin-1 \xe4, a bell \a, an open token #r0");
      default:
        return logFromThread(host);
    }
  }

  // Both threads log at the same time; the step does not end before the other one has.
  static void logFromThread(const Host& host) {
    const fmi2CallbackFunctions& callbacks = host.callbacks();
    const char* const self = host.instanceName().c_str();
    std::thread other([&callbacks, self] {
      callbacks.logger(callbacks.componentEnvironment, self, fmi2OK, "logEvents", "from another thread: %d", 1);
    });
    callbacks.logger(callbacks.componentEnvironment, self, fmi2OK, "logEvents", "beside another thread: %d", 2);
    other.join();
  }
};

using Exported = WildLogger;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
