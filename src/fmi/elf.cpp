#include "koppla/fmi/elf.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include <elf.h>
#include <fmt/format.h>

#include "koppla/fmi/findings.hpp"

namespace koppla::fmi {

namespace fs = std::filesystem;

namespace {

/// As many whole records as there are from an offset on, up to a number.
template <typename Record>
std::vector<Record> recordsAt(std::ifstream& in, std::uint64_t offset, std::uint64_t count) {
  std::vector<Record> records(count);
  in.clear();
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(reinterpret_cast<char*>(records.data()), static_cast<std::streamsize>(count * sizeof(Record)));
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
  constexpr std::uint64_t kMostEntries = 4096;
  constexpr std::uint64_t kMostText = 1 << 24U;
  std::ifstream in(file, std::ios::binary);
  const auto segments = segmentsOf(in);
  if (!segments) return {};
  const auto dynamic = std::ranges::find(segments->table, Elf64_Word{PT_DYNAMIC}, &Elf64_Phdr::p_type);
  if (dynamic == segments->table.end()) return {};
  auto entries = recordsAt<Elf64_Dyn>(in, dynamic->p_offset,
                                      std::min<std::uint64_t>(dynamic->p_filesz / sizeof(Elf64_Dyn), kMostEntries));
  entries.erase(std::ranges::find(entries, Elf64_Sxword{DT_NULL}, &Elf64_Dyn::d_tag), entries.end());
  const auto find = [&](Elf64_Sxword tag) { return std::ranges::find(entries, tag, &Elf64_Dyn::d_tag); };
  const auto place = find(DT_STRTAB);
  const auto size = find(DT_STRSZ);
  if (place == entries.end() || size == entries.end()) return {};
  const auto offset = offsetOf(place->d_un.d_ptr, segments->table);
  if (!offset) return {};
  const auto texts = recordsAt<char>(in, *offset, std::min<std::uint64_t>(size->d_un.d_val, kMostText));
  const std::string_view all(texts.data(), texts.size());

  Needs needs;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH) continue;
    const std::size_t end = entry.d_un.d_val < all.size() ? all.find('\0', entry.d_un.d_val) : std::string_view::npos;
    if (end == std::string_view::npos || end == entry.d_un.d_val) continue;
    const std::string text(all.substr(entry.d_un.d_val, end - entry.d_un.d_val));
    if (entry.d_tag == DT_NEEDED)
      needs.names.push_back(text);
    else
      (entry.d_tag == DT_RUNPATH ? needs.runpath : needs.rpath) = entriesOf(text);
  }
  return needs;
}

}  // namespace koppla::fmi
