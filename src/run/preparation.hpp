#pragma once

#include "koppla/core/log.hpp"
#include "koppla/coupling/network.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/run/halt.hpp"
#include "koppla/run/macro_step.hpp"
#include "koppla/run/outcome.hpp"
#include "koppla/run/settings.hpp"

namespace koppla::run {

// What comes before the first step, whoever takes it.

/// Members that take trajectories of a lower degree than the coupling makes get the best that they can take.
coupling::System fitted(coupling::System system, unsigned degree, core::Log& log);

/// The degree of polynomials if all members follow them: that of `algorithm`, or the one that step control asks for.
unsigned highestDegree(const coupling::AlgorithmSettings& algorithm, const stepping::StepControlSettings& control);

/// Where step control keeps the coupling error: at least the degree that it asks for, if the members follow such
/// polynomials, and iterations that leave open no more than a tenth of what is tested. What is decided stays: of
/// settings that come from here the same ones come again, whatever the members are wrapped in since.
Settings withTestedSteps(Settings settings, const coupling::System& system, core::Log& log);

/// Rigid joints are held at the ends of steps: a short last step would close in no time what longer ones left open, by
/// any force. With joints all fixed steps are shortened a little, so that a whole number of them fits.
Settings withWholeSteps(Settings settings, const coupling::System& system, core::Log& log);

/// Makes twins for the probes of the semi-implicit method, where it asks for them. Members that cannot have any are
/// told to the log and probed in turn.
void addTwins(const coupling::System& system, coupling::Network& network, const coupling::CoupledStep& coupledStep,
              const Settings& settings, core::Log& log);

/// Tells the log which outputs have a relaxation factor or an increment of their own although nothing uses it.
void tellIdleNumbers(const coupling::System& system, const coupling::Network& network,
                     const coupling::CoupledStep& coupledStep, const Settings& settings, core::Log& log);

/// Sets start values and initialises all members, consistently. `macroStep` words faults.
Outcome initialiseMembers(coupling::System& system, coupling::Network& network, MacroStep& macroStep,
                          const Settings& settings, core::Log& log, Halt* halt = nullptr);

}  // namespace koppla::run
