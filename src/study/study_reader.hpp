#pragma once

#include <filesystem>
#include <string_view>

#include "koppla/study/study.hpp"

namespace koppla::study {

/// Reads the text of a study file; throws core::InputError with every mistake in it. The project is not looked at.
Study parse(std::string_view text, const std::filesystem::path& file);

}  // namespace koppla::study
