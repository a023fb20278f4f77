#pragma once

#include <cstdint>
#include <vector>

#include "koppla/fmi/model_description.hpp"
#include "koppla/subsystem/description.hpp"

namespace koppla::fmi {

/// A model seen as a subsystem: its ports, and by port what FMI calls it.
struct PortTable {
  subsystem::Description description;
  std::vector<std::uint32_t> references;  ///< value reference
  std::vector<std::size_t> variables;     ///< index in ModelDescription::variables
};

/// Inputs, outputs and settable parameters become ports of that kind, all other variables local ones, except the
/// independent variable and unusable ones. Capabilities are those that the model declares and Koppla uses.
PortTable makePorts(const ModelDescription& model);

/// Whether a variable may be set before initialisation: parameters, inputs and start values; constants never, whatever
/// causality they declare.
bool settable(const Variable& variable);

}  // namespace koppla::fmi
