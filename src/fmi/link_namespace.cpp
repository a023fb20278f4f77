#include "koppla/fmi/link_namespace.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>

#include "koppla/fmi/elf.hpp"

namespace koppla::fmi {

namespace fs = std::filesystem;

namespace {

/// Libraries by the names under which others ask for them.
using Libraries = std::map<std::string, fs::path, std::less<>>;

/// These carry versions in their symbols and serve whoever was built with an older one. Two of them in one program are
/// more trouble than one that is newer than expected.
bool isRuntime(std::string_view name) {
  constexpr std::array kRuntimes{"ld-linux",   "libc.so",        "libm.so",       "libpthread.so",
                                 "libdl.so",   "librt.so",       "libstdc++.so",  "libgcc_s.so",
                                 "libgomp.so", "libgfortran.so", "libquadmath.so"};
  return std::ranges::any_of(kRuntimes, [&](std::string_view runtime) { return name.starts_with(runtime); });
}

/// Relative places are seen from the working folder, as an empty one is.
fs::path placeOf(std::string entry, const fs::path& origin) {
  for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"})
    for (std::size_t at = 0; (at = entry.find(word, at)) != std::string::npos; at += origin.native().size())
      entry.replace(at, word.size(), origin.native());
  return entry.empty() ? fs::path(".") : fs::path(entry);
}

std::vector<fs::path> placesOf(const std::vector<std::string>& entries, const fs::path& origin) {
  std::vector<fs::path> places;
  places.reserve(entries.size());
  for (const std::string& entry : entries) places.push_back(placeOf(entry, origin));
  return places;
}

/// What a library brings along: files in the folders that it names, which the loader prefers to those of the system,
/// and what these bring in turn.
Libraries broughtBy(const fs::path& library) {
  struct Visit {
    fs::path file;
    std::vector<fs::path> inherited;
  };
  Libraries brought;
  std::vector<Visit> open{{library, {}}};
  while (!open.empty()) {
    const Visit visit = std::move(open.back());
    open.pop_back();
    const Needs needs = needsOf(visit.file);
    const fs::path origin = visit.file.parent_path();
    std::vector<fs::path> chain = visit.inherited;
    if (needs.runpath.empty()) std::ranges::copy(placesOf(needs.rpath, origin), std::back_inserter(chain));
    const std::vector<fs::path> places = needs.runpath.empty() ? chain : placesOf(needs.runpath, origin);
    for (const std::string& name : needs.names) {
      if (name.find('/') != std::string::npos || brought.contains(name)) continue;
      std::error_code none;
      const auto place = std::ranges::find_if(
          places, [&](const fs::path& folder) { return fs::is_regular_file(folder / name, none); });
      if (place == places.end()) continue;
      brought.emplace(name, *place / name);
      open.push_back({*place / name, chain});
    }
  }
  return brought;
}

bool sameContent(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  const auto size = fs::file_size(a, error);
  if (error || fs::file_size(b, error) != size || error) return false;
  std::ifstream first(a, std::ios::binary);
  std::ifstream second(b, std::ios::binary);
  std::array<char, 65536> left{};
  std::array<char, 65536> right{};
  while (first && second) {
    first.read(left.data(), left.size());
    second.read(right.data(), right.size());
    if (first.gcount() != second.gcount() ||
        std::memcmp(left.data(), right.data(), static_cast<std::size_t>(first.gcount())) != 0)
      return false;
  }
  return first.eof() && second.eof();
}

/// The loaded libraries of a namespace, told by one of them.
Libraries loadedWith(void* handle) {
  Libraries libraries;
  link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return libraries;
  while (map->l_prev != nullptr) map = map->l_prev;
  for (; map != nullptr; map = map->l_next)
    if (const fs::path file = map->l_name; file.has_filename()) libraries.emplace(file.filename().string(), file);
  return libraries;
}

/// A name of a brought library under which another file is loaded already.
std::optional<std::string> rivalOf(const Libraries& brought, const Libraries& loaded) {
  for (const auto& [name, file] : brought)
    if (const auto other = loaded.find(name); other != loaded.end() && !sameContent(file, other->second)) return name;
  return std::nullopt;
}

/// The command opens HDF5 only when a file of results asks for it, by its name, and must not be given an FMU's.
std::optional<std::string> rivalToCome(const Libraries& brought) {
  const auto found =
      std::ranges::find_if(brought, [](const auto& library) { return library.first.starts_with("libhdf5"); });
  return found != brought.end() ? std::optional(found->first) : std::nullopt;
}

Libraries withoutRuntimes(Libraries libraries) {
  std::erase_if(libraries, [](const auto& library) { return isRuntime(library.first); });
  return libraries;
}

/// A namespace lives as long as something is loaded in it: what was loaded first stays, for whoever comes later.
struct Namespace {
  Lmid_t id;
  void* anchor;
};

std::vector<Namespace>& namespaces() {
  static std::vector<Namespace> all;
  return all;
}

/// The lists that the loader shows are not to change while they are read.
std::mutex& onlyOne() {
  static std::mutex mutex;
  return mutex;
}

std::string lastReason() {
  const char* reason = ::dlerror();
  return reason != nullptr ? reason : "no reason given";
}

/// What the launcher puts in the place of exit() and others is hidden from a namespace. There is a library of the same,
/// beside the one that this function is in; loaded first, it comes before the C library, and asks the launcher's hook.
/// Programs that are no launcher have no hook.
void* openProcessEnd() {
  const void* const hook = ::dlsym(RTLD_DEFAULT, "koppla_end_hook");
  Dl_info here{};
  if (hook == nullptr || ::dladdr(reinterpret_cast<const void*>(&openProcessEnd), &here) == 0) return nullptr;
  const fs::path file = fs::path(here.dli_fname).parent_path() / "libkoppla_process_end.so";
  void* const library = ::dlmopen(LM_ID_NEWLM, file.c_str(), RTLD_LOCAL | RTLD_NOW);
  if (library == nullptr) return nullptr;
  if (void* const own = ::dlsym(library, "koppla_end_hook")) std::memcpy(own, hook, sizeof(void*));
  return library;
}

std::optional<Namespace> newNamespace() {
  void* anchor = openProcessEnd();
  if (anchor == nullptr) anchor = ::dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_LOCAL | RTLD_NOW);
  if (anchor == nullptr) return std::nullopt;
  Namespace made{.id = 0, .anchor = anchor};
  ::dlinfo(anchor, RTLD_DI_LMID, &made.id);
  namespaces().push_back(made);
  return made;
}

/// A symbol as it is written in the source.
std::string readable(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                    &std::free);
  return status == 0 ? text.get() : symbol;
}

Loaded opened(void* handle, bool apart) {
  return handle != nullptr ? Loaded{.handle = handle, .apart = apart} : Loaded{.reason = lastReason(), .apart = apart};
}

using Names = std::set<std::string, std::less<>>;

/// Unique symbols by namespace. They stay until the process ends: the loader never unloads whoever has one.
Names& uniqueIn(Lmid_t id) {
  static std::map<Lmid_t, Names> all;
  return all[id];
}

std::optional<std::string> sharedIn(Lmid_t id, const Names& unique) {
  const Names& there = uniqueIn(id);
  const auto found = std::ranges::find_if(unique, [&](const std::string& name) { return there.contains(name); });
  return found != unique.end() ? std::optional(*found) : std::nullopt;
}

/// What a library needs for itself, and what is in its way.
struct Wants {
  Libraries brought;
  Names unique;  ///< symbols that it must not share
  std::string rival{};
  std::string shared{};
};

/// The first namespace where the library finds its own, a new one if need be.
Loaded loadApart(const fs::path& file, const Wants& wants) {
  std::optional<Namespace> place;
  for (const Namespace& candidate : namespaces())
    if (!place && !rivalOf(wants.brought, loadedWith(candidate.anchor)) && !sharedIn(candidate.id, wants.unique))
      place = candidate;
  if (!place) place = newNamespace();
  if (!place)
    return {
        .reason = lastReason(), .apart = true, .noRoom = true, .rival = wants.rival, .shared = readable(wants.shared)};
  const Loaded result = opened(::dlmopen(place->id, file.c_str(), RTLD_LOCAL | RTLD_NOW), true);
  if (result.handle != nullptr) uniqueIn(place->id).insert(wants.unique.begin(), wants.unique.end());
  return result;
}

bool isBelow(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const fs::path top = fs::canonical(folder, error);
  const fs::path place = error ? fs::path() : fs::canonical(file, error);
  return !error && std::ranges::mismatch(top, place).in1 == top.end();
}

/// Makes the unique symbols of a library and of what it brings ordinary; which are left where that is not possible.
Names uniqueLeft(const fs::path& file, const Libraries& brought, const fs::path& own) {
  std::vector<std::pair<fs::path, UniqueSymbols>> found{{file, uniqueSymbolsOf(file)}};
  for (const auto& [name, path] : withoutRuntimes(brought)) found.emplace_back(path, uniqueSymbolsOf(path));
  // Libraries of one FMU share them, whatever they are linked with; as ordinary symbols some would not.
  const auto relies = [&](const auto& library) {
    return library.second.opensLibraries || (library.second.symbolic && found.size() > 1);
  };
  const bool relied = std::ranges::any_of(found, relies);
  Names left;
  for (const auto& [path, unique] : found) {
    if (unique.names.empty()) continue;
    if (!relied && !own.empty() && isBelow(own, path) && makeOrdinary(path, unique)) continue;
    left.insert(unique.names.begin(), unique.names.end());
  }
  return left;
}

/// Many FMUs were linked without the libraries of mathematics and C++ that they use, since most programs have them.
bool offerRuntimes() {
  bool offered = false;
  for (const char* name : {"libm.so.6", "libstdc++.so.6", "libgcc_s.so.1"})
    offered = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL) != nullptr || offered;
  return offered;
}

}  // namespace

Loaded load(const fs::path& file, const fs::path& own) {
  const std::lock_guard lock(onlyOne());
  const Libraries brought = broughtBy(file);
  Wants wants{.brought = withoutRuntimes(brought), .unique = uniqueLeft(file, brought, own)};
  if (!brought.empty()) {
    void* program = ::dlopen(nullptr, RTLD_LAZY);
    std::optional<std::string> rival = rivalOf(wants.brought, loadedWith(program));
    ::dlclose(program);
    if (!rival) rival = rivalToCome(brought);
    wants.rival = rival.value_or("");
  }
  wants.shared = sharedIn(LM_ID_BASE, wants.unique).value_or("");
  if (!wants.rival.empty() || !wants.shared.empty()) return loadApart(file, wants);
  Loaded result = opened(::dlopen(file.c_str(), RTLD_LOCAL | RTLD_NOW), false);
  const auto says = [&](std::string_view words) { return result.reason.find(words) != std::string::npos; };
  if (says("undefined symbol") && offerRuntimes())
    result = opened(::dlopen(file.c_str(), RTLD_LOCAL | RTLD_NOW), false);
  // The runtime that it brings is newer than the one that is loaded.
  if (says("version `") && !brought.empty()) {
    wants.brought = brought;
    wants.rival = brought.begin()->first;
    return loadApart(file, wants);
  }
  if (result.handle != nullptr) uniqueIn(LM_ID_BASE).insert(wants.unique.begin(), wants.unique.end());
  return result;
}

void unload(const Loaded& loaded) {
  const std::lock_guard lock(onlyOne());
  if (loaded.apart) {
    // Its C library has streams of its own, which nobody would flush when the process ends.
    using Flush = int(std::FILE*);
    if (auto* const flush = reinterpret_cast<Flush*>(::dlsym(loaded.handle, "fflush"))) flush(nullptr);
  }
  ::dlclose(loaded.handle);
}

}  // namespace koppla::fmi
