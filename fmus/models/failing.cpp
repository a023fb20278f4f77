// y = u, by an FMU that fails where it is told to. From the time 'at' on, and while u is not below 'above', the call
// named by 'call' returns 'status', after a log line that says so. Two values of 'status' need no 'call': the output
// goes wrong instead, and nothing is reported.
//
//   call:   setupExperiment, enterInitializationMode, exitInitializationMode, doStep, getReal, setReal, getFMUstate,
//           setFMUstate, terminate, reset, freeInstance; empty: none
//   status: warning (doStep only), discard (doStep only), error, fatal;
//           abort: the process dies;  hang: the call takes an hour;
//           nan: y is not a number;  explode: y = u + 10^n - 1, n the number of steps begun since 'at'

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <thread>

#include "model.hpp"

namespace koppla::fmus {

struct Failing {
  double u = 0;
  double y = 0;
  double at = 0;
  double above = std::numeric_limits<double>::lowest();
  Text call = "";
  Text status = "error";
  double growth = 1;
  bool started = false;  // values set before initialisation choose the failure and do not meet it

  static constexpr Info info{.name = "Failing", .description = "y = u; fails where it is told to"};
  static constexpr auto variables = std::to_array<Variable<Failing>>({
      {&Failing::u, {.name = "u", .causality = input}},
      {&Failing::y, {.name = "y", .causality = output, .dependsOn = {"u"}}},
      {&Failing::at, {.name = "at", .causality = parameter, .unit = "s", .description = "fails from this time on"}},
      {&Failing::above, {.name = "above", .causality = parameter, .description = "fails for inputs from this one on"}},
      {&Failing::call, {.name = "call", .causality = parameter, .description = "the call that fails"}},
      {&Failing::status,
       {.name = "status",
        .causality = parameter,
        .description = "warning, discard, error, fatal, abort, hang, nan or explode"}},
  });

  Result before(Call now, double t, const Host& host) {
    if (now == Call::enterInitializationMode) started = true;
    const bool early = now == Call::setReal && !started;
    const bool steps = now == Call::doStep;
    if (early || steps || !fails(now, t)) return Result::ok;
    return failure(now, t, host);
  }

  void outputs(double t) {
    y = u + (growth - 1);
    if (status.view() == "nan" && isDue(t)) y = std::numeric_limits<double>::quiet_NaN();
  }

  // Here and not in before(): a step may also be discarded or end with a warning.
  Outcome step(double t, double, const Host& host) {
    if (status.view() == "explode" && isDue(t)) growth *= 10;
    return fails(Call::doStep, t) ? Outcome(failure(Call::doStep, t, host), t) : Outcome();
  }

 private:
  bool isDue(double t) const { return notBefore(t, at) && !(u < above); }
  bool fails(Call now, double t) const { return call.view() == name(now) && isDue(t); }

  Result failure(Call now, double t, const Host& host) const {
    if (status.view() == "abort") std::abort();
    if (status.view() == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    Result result = Result::ok;
    if (status.view() == "warning") result = Result::warning;
    if (status.view() == "discard") result = Result::discard;
    if (status.view() == "error") result = Result::error;
    if (status.view() == "fatal") result = Result::fatal;
    if (result != Result::ok)
      host.log(static_cast<fmi2Status>(result), result == Result::fatal ? "logStatusFatal" : "logStatusError",
               "Told to fail in %s at t = %g with status %s.", name(now).data(), t, status.c_str());
    return result;
  }
};

using Exported = Failing;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
