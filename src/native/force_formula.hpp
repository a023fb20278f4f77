#pragma once

#include <memory>
#include <string>

#include "koppla/subsystem/force_law.hpp"

namespace koppla::native {

/// A force law written as a formula of x, the distance x2 - x1 (m), and v, its rate (m/s). Unlike other laws an
/// instance may be used by one thread at a time only. Throws core::InputError where it is no formula.
std::shared_ptr<const subsystem::ForceLaw> forceFormula(const std::string& formula);

}  // namespace koppla::native
