#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "koppla/project/table_reader.hpp"
#include "koppla/study/grid.hpp"

namespace koppla::study {

// Parts that files about many runs of one project share.

/// False, with a mistake, if the file belongs to a later Koppla, whose options we cannot judge.
bool readFormat(project::TableReader& root);

/// Settings as `--set` takes them, "name=value".
std::vector<project::Override> readSettings(project::TableReader& table, std::string_view key,
                                            project::Reports& reports);

/// All [[vary]] of a file. `required`: what to write if there are none; empty: there may be none.
Grid readGrid(project::TableReader& root, project::Reports& reports, const std::string& required = {},
              double mostRuns = 1e5);

}  // namespace koppla::study
