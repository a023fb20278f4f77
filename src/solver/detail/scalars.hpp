#pragma once

#include <vector>

#include "koppla/subsystem/description.hpp"

namespace koppla::solver::detail {

/// Scalars of all real ports of that kind: the size of u or y.
std::size_t realScalars(const subsystem::Description& description, subsystem::Causality causality);

/// For every real input and output port the place of its first scalar in u or in y; 0 for others.
std::vector<std::size_t> firstScalars(const subsystem::Description& description);

}  // namespace koppla::solver::detail
