#pragma once

#include <memory>
#include <string>

#include "koppla/core/log.hpp"
#include "koppla/fmi/fmu.hpp"
#include "koppla/fmi/options.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::fmi {

/// One more instance of an FMU for co-simulation. `instance` is its name in the FMU and in the log, which must outlive
/// it. Throws core::InputError where the FMU's library cannot be used and core::SubsystemError where the FMU declines.
std::unique_ptr<subsystem::Subsystem> instantiate(std::shared_ptr<Fmu> fmu, std::string instance, core::Log& log,
                                                  const Options& options = {});

}  // namespace koppla::fmi
