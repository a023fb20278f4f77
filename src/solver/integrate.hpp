#pragma once

#include <memory>

#include "koppla/solver/equations.hpp"
#include "koppla/solver/settings.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::solver {

/// A subsystem that solves the equations with a solver of its own. It takes trajectories up to kMaxDegree as they are,
/// gives first derivatives of its outputs (not where some unknowns are algebraic), can be evaluated at any time and
/// stopped anywhere. Outputs at the end of a step are those with the trajectory's value there. Inputs that nobody binds
/// keep their start values. Equations of algebraic unknowns alone make a static subsystem that solves them from its
/// last solution, whichever the integrator is.
///
/// Throws core::InputError where the integrator does not fit the model or the settings make no sense.
std::unique_ptr<subsystem::Subsystem> integrate(std::unique_ptr<Equations> equations,
                                                const IntegratorSettings& settings);

}  // namespace koppla::solver
