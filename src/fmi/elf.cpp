#include "koppla/fmi/elf.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>

#include "koppla/fmi/findings.hpp"

namespace koppla::fmi {

namespace fs = std::filesystem;

namespace {

/// As many whole records as there are from an offset on, up to a number.
template <typename Record>
std::vector<Record> recordsAt(std::ifstream& in, std::uint64_t offset, std::uint64_t count) {
  in.clear();
  in.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(in.tellg(), 0));
  // A damaged file must not make room for more than it has.
  std::vector<Record> records(std::min(count, offset < size ? (size - offset) / sizeof(Record) : 0));
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(reinterpret_cast<char*>(records.data()), static_cast<std::streamsize>(records.size() * sizeof(Record)));
  records.resize(static_cast<std::uint64_t>(in.gcount()) / sizeof(Record));
  return records;
}

bool isOurs(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_phentsize == sizeof(Elf64_Phdr);
}

/// The segments of an open library, and how many it says it has; nothing if it is none.
struct Segments {
  std::vector<Elf64_Phdr> table;
  std::size_t promised;
};
std::optional<Segments> segmentsOf(std::ifstream& in) {
  const auto header = recordsAt<Elf64_Ehdr>(in, 0, 1);
  if (header.empty() || !isOurs(header.front())) return std::nullopt;
  return Segments{recordsAt<Elf64_Phdr>(in, header.front().e_phoff, header.front().e_phnum), header.front().e_phnum};
}

/// Where in the file an address of the loaded library comes from.
std::optional<std::uint64_t> offsetOf(std::uint64_t address, const std::vector<Elf64_Phdr>& segments) {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  return std::nullopt;
}

/// What the loader reads of a library.
struct Dynamic {
  std::vector<Elf64_Phdr> segments{};
  std::vector<Elf64_Dyn> entries{};
  std::vector<char> texts{};

  [[nodiscard]] std::optional<std::uint64_t> valueOf(Elf64_Sxword tag) const {
    const auto found = std::ranges::find(entries, tag, &Elf64_Dyn::d_tag);
    return found != entries.end() ? std::optional<std::uint64_t>(found->d_un.d_val) : std::nullopt;
  }
  /// Where in the file the table of a kind is.
  [[nodiscard]] std::optional<std::uint64_t> placeOf(Elf64_Sxword tag) const {
    const auto address = valueOf(tag);
    return address ? offsetOf(*address, segments) : std::nullopt;
  }
  /// Empty where there is none, or none that ends.
  [[nodiscard]] std::string_view textAt(std::uint64_t begin) const {
    const std::string_view all(texts.data(), texts.size());
    const std::size_t end = begin < all.size() ? all.find('\0', begin) : std::string_view::npos;
    return end != std::string_view::npos ? all.substr(begin, end - begin) : std::string_view();
  }
};

Dynamic dynamicOf(std::ifstream& in) {
  constexpr std::uint64_t kMostEntries = 4096;
  constexpr std::uint64_t kMostText = 1 << 26U;
  const auto segments = segmentsOf(in);
  if (!segments) return {};
  const auto part = std::ranges::find(segments->table, Elf64_Word{PT_DYNAMIC}, &Elf64_Phdr::p_type);
  if (part == segments->table.end()) return {};
  Dynamic dynamic{.segments = segments->table};
  dynamic.entries = recordsAt<Elf64_Dyn>(in, part->p_offset,
                                         std::min<std::uint64_t>(part->p_filesz / sizeof(Elf64_Dyn), kMostEntries));
  dynamic.entries.erase(std::ranges::find(dynamic.entries, Elf64_Sxword{DT_NULL}, &Elf64_Dyn::d_tag),
                        dynamic.entries.end());
  const auto place = dynamic.placeOf(DT_STRTAB);
  const auto size = dynamic.valueOf(DT_STRSZ);
  if (place && size) dynamic.texts = recordsAt<char>(in, *place, std::min(*size, kMostText));
  return dynamic;
}

/// How many symbols there are: no table of them tells its length, but those by which they are found do.
std::uint64_t symbolCount(std::ifstream& in, const Dynamic& dynamic) {
  constexpr std::uint32_t kMost = 1U << 24U;
  if (const auto plain = dynamic.placeOf(DT_HASH)) {
    const auto header = recordsAt<std::uint32_t>(in, *plain, 2);  // buckets, symbols
    return header.size() == 2 ? std::min(header[1], kMost) : 0;
  }
  const auto place = dynamic.placeOf(DT_GNU_HASH);
  if (!place) return 0;
  const auto header = recordsAt<std::uint32_t>(in, *place, 4);  // buckets, first symbol, words of the filter, its shift
  if (header.size() != 4 || header[0] > kMost || header[2] > kMost) return 0;
  const std::uint64_t buckets = *place + 16 + 8 * std::uint64_t{header[2]};
  const auto firsts = recordsAt<std::uint32_t>(in, buckets, header[0]);
  const std::uint32_t last = firsts.empty() ? 0 : std::ranges::max(firsts);
  if (last < header[1] || last > kMost) return 0;
  // Symbols of a bucket follow each other; the mark of the last one is an odd number.
  std::uint64_t count = last;
  const std::uint64_t chains = buckets + 4 * std::uint64_t{header[0]};
  while (count < kMost) {
    const auto links = recordsAt<std::uint32_t>(in, chains + 4 * (count - header[1]), 64);
    const auto end = std::ranges::find_if(links, [](std::uint32_t link) { return (link & 1U) != 0; });
    count += static_cast<std::uint64_t>(end - links.begin());
    if (end != links.end()) return count + 1;
    if (links.empty()) return count;
  }
  return count;
}

/// All symbols, defined or not, with their places in the file.
template <typename Use>
void forSymbols(std::ifstream& in, const Dynamic& dynamic, Use&& use) {
  const auto place = dynamic.placeOf(DT_SYMTAB);
  if (!place) return;
  std::uint64_t at = *place;
  for (const Elf64_Sym& symbol : recordsAt<Elf64_Sym>(in, *place, symbolCount(in, dynamic))) {
    use(symbol, dynamic.textAt(symbol.st_name), at);
    at += sizeof(Elf64_Sym);
  }
}

bool isUnique(const Elf64_Sym& symbol) {
  return symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE;
}

/// The unique symbols of the C++ library that this process uses. What else is named in namespace std are templates of
/// the library filled with types of a model, or specialised for them.
const std::set<std::string, std::less<>>& uniqueInCppLibrary() {
  static const auto kNames = [] {
    std::set<std::string, std::less<>> names;
    Dl_info library{};
    if (::dladdr(reinterpret_cast<const void*>(&std::set_terminate), &library) == 0) return names;
    if (!fs::path(library.dli_fname).filename().string().starts_with("libstdc++")) return names;
    std::ifstream in(library.dli_fname, std::ios::binary);
    forSymbols(in, dynamicOf(in), [&](const Elf64_Sym& symbol, std::string_view name, std::uint64_t) {
      if (isUnique(symbol)) names.emplace(name);
    });
    return names;
  }();
  return kNames;
}

/// Entries between colons; an empty one is an entry, too.
std::vector<std::string> entriesOf(const std::string& path) {
  std::vector<std::string> entries;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = path.find(':', begin);
    entries.push_back(path.substr(begin, end - begin));
  }
  return entries;
}

}  // namespace

void refuseCutLibrary(const fs::path& file) {
  std::error_code error;
  const std::uint64_t size = fs::file_size(file, error);
  std::ifstream in(file, std::ios::binary);
  const auto segments = segmentsOf(in);
  if (error || !segments) return;
  const bool whole =
      segments->table.size() == segments->promised &&
      std::ranges::all_of(segments->table, [&](const Elf64_Phdr& segment) {
        return segment.p_type != PT_LOAD || (segment.p_offset <= size && segment.p_filesz <= size - segment.p_offset);
      });
  if (!whole)
    throw inputError(file.string(), fmt::format("The FMU's library is cut off after {} bytes.", size),
                     "The file is damaged: export the FMU again.");
}

Needs needsOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const Dynamic dynamic = dynamicOf(in);
  Needs needs;
  for (const Elf64_Dyn& entry : dynamic.entries) {
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH) continue;
    const std::string text(dynamic.textAt(entry.d_un.d_val));
    if (text.empty()) continue;
    if (entry.d_tag == DT_NEEDED)
      needs.names.push_back(text);
    else
      (entry.d_tag == DT_RUNPATH ? needs.runpath : needs.rpath) = entriesOf(text);
  }
  return needs;
}

UniqueSymbols uniqueSymbolsOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const Dynamic dynamic = dynamicOf(in);
  UniqueSymbols unique;
  unique.symbolic = dynamic.valueOf(DT_SYMBOLIC) || (dynamic.valueOf(DT_FLAGS).value_or(0) & DF_SYMBOLIC) != 0;
  forSymbols(in, dynamic, [&](const Elf64_Sym& symbol, std::string_view name, std::uint64_t place) {
    if (isUnique(symbol) && !uniqueInCppLibrary().contains(name)) {
      unique.names.emplace_back(name);
      unique.bindings.push_back(place + offsetof(Elf64_Sym, st_info));
    }
    if (symbol.st_shndx == SHN_UNDEF && (name == "dlopen" || name == "dlmopen")) unique.opensLibraries = true;
  });
  return unique;
}

bool makeOrdinary(const fs::path& file, const UniqueSymbols& symbols) {
  std::fstream library(file, std::ios::binary | std::ios::in | std::ios::out);
  for (const std::uint64_t place : symbols.bindings) {
    library.seekg(static_cast<std::streamoff>(place));
    const int info = library.get();
    library.seekp(static_cast<std::streamoff>(place));
    library.put(static_cast<char>(ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(static_cast<unsigned>(info)))));
  }
  library.flush();
  return library.good();
}

}  // namespace koppla::fmi
