#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/project/native_model.hpp"
#include "koppla/project/project.hpp"
#include "koppla/project/table_reader.hpp"

namespace koppla::project {

/// Reads what a [[subsystems]] table says about a native model: the choices or settings of the model and its
/// integrator. `parameters` are those of the table: formulas may use them. Files are relative to `folder`. Nothing if
/// there is no such model or its settings cannot be read.
std::optional<NativeModel> readNativeModel(TableReader& table, const Placed<std::string>& word,
                                           std::span<const Parameter> parameters, const std::filesystem::path& folder);

/// The names of all models, for suggestions.
std::vector<std::string> modelWords();

/// Whether the project file says what ports a model of this name has, so that there are none without it.
bool isWrittenInProject(std::string_view model);

}  // namespace koppla::project
