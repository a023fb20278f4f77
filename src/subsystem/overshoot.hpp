#pragma once

#include <functional>
#include <memory>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::subsystem {

/// The bound outputs at an instant t (s) before the start.
using Past = std::function<void(double t, std::span<double> y)>;

/// A subsystem around one that cannot be steered to communication points (Schmoll, sec. 2.4.5). The inner one runs on
/// its own grid, start + k microStep (s), beyond the end of a step if need be; outputs there are interpolated with that
/// degree through its micro steps, the one at or after the end and those before. The degree must be that of the
/// coupling's approximation, or order is lost. Micro steps longer than macro steps work: some macro steps then need no
/// micro step. Values of micro steps that the inner one discards never leave; it has to be where it was, and the micro
/// step is repeated.
///
/// `past` gives exact outputs of micro steps before the start; without it the degree is lower during the first ones.
std::unique_ptr<Subsystem> overshoot(std::unique_ptr<Subsystem> inner, double microStep, unsigned degree,
                                     Past past = {});

}  // namespace koppla::subsystem
