#pragma once

#include <filesystem>

#include "koppla/results/table.hpp"

namespace koppla::results {

/// Reads a CSV file, or the results in the folder of a run: `results.csv`, or `results.partial.csv` if the run did not
/// complete. `name.units.csv` beside `name.csv` or `name.partial.csv` tells types and units. Throws core::InputError.
Table load(const std::filesystem::path& path);

}  // namespace koppla::results
