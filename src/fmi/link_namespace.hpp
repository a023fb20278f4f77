#pragma once

#include <filesystem>
#include <string>

namespace koppla::fmi {

/// A loaded library, or why it could not be loaded.
struct Loaded {
  void* handle = nullptr;
  std::string reason{};  ///< in the loader's words
  bool apart = false;    ///< in a link namespace of its own, with a C library of its own
  bool noRoom = false;   ///< it needs such a namespace and there is none left
  std::string rival{};   ///< then: the name of the library that is loaded already, as another file
  std::string shared{};  ///< or: the symbol of which the loader would give it another FMU's
};

/// Loads a library (an absolute path) so that it gets the libraries that it brings. The loader knows a library by its
/// name: one that is loaded already, ours or of another FMU, is taken for every later one of that name, though it be
/// another version. A library that would suffer this goes to a link namespace, where nothing is loaded yet. The process
/// has about ten of these; those who do not get into each other's way share one.
///
/// The loader also gives libraries one and the same symbol of a name that C++ wants to be unique (UniqueSymbols). In
/// the files below the folder `own` such symbols are made ordinary before they are loaded. Where that is not possible
/// (other files, or one that opens libraries itself, with which it may have to share them) a library whose symbol is
/// there already goes to a link namespace, too.
///
/// To be called with the library's folder as the working folder: that is where relative places are looked for.
Loaded load(const std::filesystem::path& file, const std::filesystem::path& own);

void unload(const Loaded& loaded);

}  // namespace koppla::fmi
