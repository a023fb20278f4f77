#pragma once

#include <filesystem>

namespace koppla::fmi {

/// Throws core::InputError for a shared library whose end is missing. The loader maps what the header promises without
/// looking at the file's size, and the process dies at the first touch of what is not there. What is no such library at
/// all is left to the loader, which refuses it.
void refuseCutLibrary(const std::filesystem::path& file);

}  // namespace koppla::fmi
