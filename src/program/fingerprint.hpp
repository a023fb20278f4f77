#pragma once

#include <string>

#include "koppla/program/settings.hpp"

namespace koppla::program {

/// Of all that the answers of a program depend on beside its inputs, as far as we see it: commands, programs in PATH
/// and files that they name, folders that they copy, ports, templates, files that come along and the folder (large ones
/// and programs of the system by size and time).
std::string fingerprint(const ProgramSettings& settings);

}  // namespace koppla::program
