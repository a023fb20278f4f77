#include "koppla/fmi/elf.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

#include <elf.h>
#include <fmt/format.h>

#include "koppla/fmi/findings.hpp"

namespace koppla::fmi {

namespace fs = std::filesystem;

namespace {

template <typename Record>
std::optional<Record> recordAt(std::ifstream& in, std::uint64_t offset) {
  Record record{};
  in.clear();
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(reinterpret_cast<char*>(&record), sizeof(record));
  if (!in) return std::nullopt;
  return record;
}

bool isOurs(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_phentsize == sizeof(Elf64_Phdr);
}

/// The segments of an open library; nothing if it is none, or where its table ends too early.
std::optional<std::vector<Elf64_Phdr>> segmentsOf(std::ifstream& in) {
  const auto header = recordAt<Elf64_Ehdr>(in, 0);
  if (!header || !isOurs(*header)) return std::nullopt;
  std::vector<Elf64_Phdr> segments;
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = recordAt<Elf64_Phdr>(in, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) break;
    segments.push_back(*segment);
  }
  return segments;
}

/// Where in the file an address of the loaded library comes from.
std::optional<std::uint64_t> offsetOf(std::uint64_t address, const std::vector<Elf64_Phdr>& segments) {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  return std::nullopt;
}

/// A text of the file up to its zero; empty if it is longer than any path.
std::string textAt(std::ifstream& in, std::uint64_t offset) {
  constexpr std::size_t kLongest = 65536;
  in.clear();
  in.seekg(static_cast<std::streamoff>(offset));
  std::string text;
  for (char c = 0; text.size() < kLongest && in.get(c);) {
    if (c == '\0') return text;
    text.push_back(c);
  }
  return {};
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
  const auto header = recordAt<Elf64_Ehdr>(in, 0);
  const auto segments = segmentsOf(in);
  if (error || !segments) return;
  const bool whole =
      segments->size() == header->e_phnum && std::ranges::all_of(*segments, [&](const Elf64_Phdr& segment) {
        return segment.p_type != PT_LOAD || (segment.p_offset <= size && segment.p_filesz <= size - segment.p_offset);
      });
  if (!whole)
    throw inputError(file.string(), fmt::format("The FMU's library is cut off after {} bytes.", size),
                     "The file is damaged: export the FMU again.");
}

Needs needsOf(const fs::path& file) {
  constexpr std::uint64_t kMostEntries = 4096;
  std::ifstream in(file, std::ios::binary);
  const auto segments = segmentsOf(in);
  if (!segments) return {};
  const auto dynamic = std::ranges::find(*segments, Elf64_Word{PT_DYNAMIC}, &Elf64_Phdr::p_type);
  if (dynamic == segments->end()) return {};

  std::vector<Elf64_Dyn> entries;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(dynamic->p_filesz / sizeof(Elf64_Dyn), kMostEntries); ++i) {
    const auto entry = recordAt<Elf64_Dyn>(in, dynamic->p_offset + i * sizeof(Elf64_Dyn));
    if (!entry || entry->d_tag == DT_NULL) break;
    entries.push_back(*entry);
  }
  const auto table = std::ranges::find(entries, Elf64_Sxword{DT_STRTAB}, &Elf64_Dyn::d_tag);
  const auto texts = table == entries.end() ? std::nullopt : offsetOf(table->d_un.d_ptr, *segments);
  if (!texts) return {};

  Needs needs;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH) continue;
    const std::string text = textAt(in, *texts + entry.d_un.d_val);
    if (entry.d_tag == DT_NEEDED)
      needs.names.push_back(text);
    else
      (entry.d_tag == DT_RUNPATH ? needs.runpath : needs.rpath) = entriesOf(text);
  }
  return needs;
}

}  // namespace koppla::fmi
