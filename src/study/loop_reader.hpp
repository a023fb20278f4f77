#pragma once

#include <filesystem>
#include <optional>

#include "koppla/project/findings.hpp"
#include "koppla/project/table_reader.hpp"
#include "koppla/study/calibration_model.hpp"

namespace koppla::study {

/// Reads a [[model]] of a calibration: two native models without states, each with one input and one output, described
/// as in [[subsystems]] of a project. Nothing, with mistakes in the findings, where it is no such loop.
std::optional<CalibrationModel> readLoop(project::TableReader& table, const std::filesystem::path& folder,
                                         project::Findings& findings);

}  // namespace koppla::study
