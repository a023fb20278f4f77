#pragma once

#include <cstdint>
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

/// Symbols of the binding STB_GNU_UNIQUE that a shared library defines: variables of C++ that are inline, static
/// members of templates, static ones in inline functions. The loader gives all libraries of a link namespace that have
/// such a symbol of one name the same one, in spite of RTLD_LOCAL. Those that the C++ library has, too, are left out:
/// they keep nothing of a model.
struct UniqueSymbols {
  std::vector<std::string> names{};
  std::vector<std::uint64_t> bindings{};  ///< where in the file, of each of them
  bool opensLibraries = false;            ///< it calls dlopen, and what it opens may rely on sharing them
  bool symbolic = false;                  ///< it was linked to find ordinary ones in itself first (-Bsymbolic)
};

/// None for what is no library of this machine, and as far as it can be understood for a damaged one.
UniqueSymbols uniqueSymbolsOf(const std::filesystem::path& file);

/// Makes them ordinary global ones, in the file, as the compiler's -fno-gnu-unique would have. False if that cannot be
/// written.
bool makeOrdinary(const std::filesystem::path& file, const UniqueSymbols& symbols);

}  // namespace koppla::fmi
