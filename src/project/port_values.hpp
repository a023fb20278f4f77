#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "koppla/core/value.hpp"
#include "koppla/project/findings.hpp"
#include "koppla/project/project.hpp"
#include "koppla/subsystem/description.hpp"

namespace koppla::project {

/// The values of a parameter in the type of its port, one per scalar; `name` is the port's full name. Empty, with the
/// reasons in the findings, if they do not fit.
std::optional<std::vector<core::Value>> valuesFor(const subsystem::Port& port, const Parameter& parameter,
                                                  const std::string& name, Findings& findings);

/// Calls `set` with a start value that was written in the entry; what the model refuses becomes a mistake there.
void trySetting(const coupling::StartValue& start, const subsystem::Description& description,
                const SubsystemEntry& entry, Findings& findings, const std::function<void()>& set);

}  // namespace koppla::project
