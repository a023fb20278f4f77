#pragma once

#include <string>
#include <vector>

#include "koppla/core/error.hpp"

namespace koppla::native::detail {

/// The mistakes of empty names and of names that stand twice in the list; `model` opens each message.
std::vector<core::Problem> nameProblems(const std::string& model, const std::vector<std::string>& names);

}  // namespace koppla::native::detail
