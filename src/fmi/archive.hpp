#pragma once

#include <filesystem>

#include "koppla/core/file.hpp"
#include "koppla/fmi/options.hpp"

namespace koppla::fmi {

/// Unpacks an FMU into a temporary folder of its own. The archive is foreign input: entries that lead out of the
/// folder, links, doubles, encryption, sizes beyond the limits (declared or found while inflating), damage and an
/// archive without modelDescription.xml are refused with a core::InputError; no room for it is a core::FileError.
/// Throws core::Interrupted soon after that is requested. In either case nothing is left behind.
core::TemporaryFolder unpack(const std::filesystem::path& archive, const ArchiveLimits& limits = archiveLimits());

}  // namespace koppla::fmi
