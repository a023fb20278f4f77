#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "koppla/core/error.hpp"
#include "koppla/fmi/model_description.hpp"

namespace koppla::fmi {

/// The rules of FMI 2.0.4 that a model description breaks although it can be used; `file` is its name in the messages.
std::vector<core::Problem> validate(const ModelDescription& model, const std::string& file);

/// Whether a name follows the grammar of the naming convention "structured" (FMI 2.0.4, 2.2.9).
bool isStructuredName(std::string_view name);

}  // namespace koppla::fmi
