#include "koppla/fmi/elf.hpp"

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

}  // namespace

void refuseCutLibrary(const fs::path& file) {
  std::error_code error;
  const std::uint64_t size = fs::file_size(file, error);
  std::ifstream in(file, std::ios::binary);
  const auto header = recordAt<Elf64_Ehdr>(in, 0);
  if (error || !header || !isOurs(*header)) return;
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = recordAt<Elf64_Phdr>(in, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (segment &&
        (segment->p_type != PT_LOAD || (segment->p_offset <= size && segment->p_filesz <= size - segment->p_offset)))
      continue;
    throw inputError(file.string(), fmt::format("The FMU's library is cut off after {} bytes.", size),
                     "The file is damaged: export the FMU again.");
  }
}

}  // namespace koppla::fmi
