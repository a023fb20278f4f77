#pragma once

#include <exception>
#include <string>

#include "koppla/core/value.hpp"
#include "koppla/solver/equations.hpp"
#include "koppla/solver/settings.hpp"

namespace koppla::solver::detail {

/// Throws core::InputError where the integrator does not fit the model or a setting is out of its range.
void check(const Equations& equations, const IntegratorSettings& settings);

/// What a subsystem that solves these equations with that integrator can do.
subsystem::Capabilities capabilitiesOf(const Equations& equations, const IntegratorSettings& settings);

void append(const core::Value& value, core::Values& into);

/// What the equations said when they threw.
std::string textOf(const std::exception_ptr& exception, const std::string& when);
/// Whether it is a core::FileError.
bool isOfFile(const std::exception_ptr& exception);

}  // namespace koppla::solver::detail
