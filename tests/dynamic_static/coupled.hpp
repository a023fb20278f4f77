#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "koppla/results/error_measures.hpp"
#include "koppla/solver/join.hpp"
#include "koppla/solver/settings.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::test {

using solver::StaticCoupling;

/// The variable-step BDF of Schmoll's note, 15.5: a fixed order, the same tolerance absolute and relative, a fresh
/// Jacobian in every iteration.
solver::IntegratorSettings noteBdf(unsigned order, double tolerance);

/// The nonlinear oscillator of 15.5 whose spring is called as a static solver.
std::unique_ptr<subsystem::Subsystem> oscillatorWithSpring(StaticCoupling coupling,
                                                           const solver::IntegratorSettings& integrator);
/// How the film of the rotor's bearing is found: in closed form, or by finite elements, which makes the static calls
/// what takes the time.
enum class Film { shortBearing, finiteElements };
/// What is put around each instance of a static subsystem.
using Around = std::function<std::unique_ptr<subsystem::Subsystem>(std::unique_ptr<subsystem::Subsystem>)>;
/// The rotor of 15.6 on its bearing, whose instances may run at the same time.
std::unique_ptr<subsystem::Subsystem> rotorOnBearing(StaticCoupling coupling,
                                                     const solver::IntegratorSettings& integrator,
                                                     Film film = Film::shortBearing, const Around& around = {});

/// What a run of single steps went through.
struct Trace {
  std::vector<double> times;             ///< s, of all steps after the start
  std::vector<results::Samples> values;  ///< by variable
  subsystem::Effort startUp;             ///< until the first step that the method itself took
  subsystem::Effort effort;              ///< in all

  [[nodiscard]] subsystem::Effort afterStartUp() const;
  /// (2.34) against values at each time, over times from `from` (s) on.
  [[nodiscard]] double error(const std::function<std::vector<double>(double)>& exact, double from = 0.0) const;
};

/// Steps of the subsystem's own choice from 0 to `end`; the first `startUpSteps` belong to the start. Keeps the values
/// of every `stride`-th step.
Trace trace(subsystem::Subsystem& system, double end, const std::vector<std::string>& variables,
            unsigned startUpSteps = 0, std::size_t stride = 1);

}  // namespace koppla::test
