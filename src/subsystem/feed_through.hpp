#pragma once

#include <span>
#include <vector>

#include "koppla/subsystem/description.hpp"

namespace koppla::subsystem {

/// Outputs of any type that may depend on one of these inputs, if that is real, at the same instant.
std::vector<PortIndex> outputsFedBy(const Description& description, std::span<const PortIndex> inputs);

}  // namespace koppla::subsystem
