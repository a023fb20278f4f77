#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace koppla::fmi {

/// Throws core::InputError for a shared library whose end is missing. The loader maps what the header promises without
/// looking at the file's size, and the process dies at the first touch of what is not there. What is no such library at
/// all is left to the loader, which refuses it.
void refuseCutLibrary(const std::filesystem::path& file);

/// What a shared library asks of the loader.
struct Needs {
  std::vector<std::string> names;    ///< of other libraries (DT_NEEDED)
  std::vector<std::string> runpath;  ///< where to look for them, as written (DT_RUNPATH)
  std::vector<std::string> rpath;    ///< where to look for them and for what they need (DT_RPATH)
};

/// Empty for what is no library of this machine, and as far as it can be understood for a damaged one.
Needs needsOf(const std::filesystem::path& file);

}  // namespace koppla::fmi
