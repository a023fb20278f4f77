#pragma once

#include "commands.hpp"

namespace koppla::cli {

/// Reads the command line and runs the command it names. Failures of the command go up as exceptions.
ExitCode dispatch(int argc, const char* const* argv);

}  // namespace koppla::cli
