#pragma once

#include <filesystem>
#include <vector>

#include "koppla/results/table.hpp"

namespace koppla::results {

/// Reads a file of results, CSV or HDF5 (`.h5`), or those in the folder of a run: `results.csv` or `results.h5`, or the
/// partial ones if the run did not complete. `name.units.csv` beside `name.csv` or `name.partial.csv` tells types and
/// units. Throws core::InputError.
Table load(const std::filesystem::path& path);

/// The files that load() reads. Throws core::InputError where the folder of a run holds none.
std::vector<std::filesystem::path> filesOf(const std::filesystem::path& path);

/// Reads a history of iterations, or the one in the folder of a run. What stands for the time is the running number of
/// the iteration; norms and changes are magnitudes. Throws core::InputError.
Table loadIterations(const std::filesystem::path& path);

}  // namespace koppla::results
