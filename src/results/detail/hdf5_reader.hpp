#pragma once

#include <filesystem>

#include "koppla/results/table.hpp"

namespace koppla::results::detail {

/// Reads what Hdf5Recorder wrote, also while it writes or after it was killed. Throws core::InputError.
Table readHdf5(const std::filesystem::path& file);

}  // namespace koppla::results::detail
