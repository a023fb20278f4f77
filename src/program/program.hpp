#pragma once

#include <memory>

#include "koppla/core/log.hpp"
#include "koppla/program/settings.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::program {

/// A program that is known only by the files it reads and writes, as a subsystem (Jung, sec. 2.1.5 and appendix). Every
/// call has a folder of its own: inputs are written there, the program runs there, and what it wrote is read when it
/// has ended well. A static program is called for every evaluation; a transient one for every step, with the restart
/// files of the step before, which is also how it goes back. Throws core::InputError with every mistake in the
/// settings. The log outlives the subsystem.
std::unique_ptr<subsystem::Subsystem> makeProgram(ProgramSettings settings, core::Log& log);

}  // namespace koppla::program
