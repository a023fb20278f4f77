#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <elf.h>

namespace koppla::fmi::test {

/// A shared library as the loader sees it, with tables and without code. Its segments lie elsewhere in memory than in
/// the file: headers at 0; dynamic entries and symbols, then, behind a gap, texts and hashes, which follow them in
/// memory without one.
struct ElfBuilder {
  struct Symbol {
    std::string name;
    unsigned char binding = STB_GNU_UNIQUE;
    bool defined = true;
    unsigned char type = STT_OBJECT;
  };
  enum class Hash : std::uint8_t { plain, gnu, none };

  std::vector<std::string> needed{};
  std::optional<std::string> runpath{};
  std::optional<std::string> rpath{};
  std::vector<Symbol> symbols{};  ///< undefined ones first, as linkers order them
  Hash hash = Hash::gnu;
  std::vector<std::uint32_t> gnuHeader{};              ///< in place of the right one
  std::vector<std::pair<long, std::uint64_t>> more{};  ///< further dynamic entries

  static constexpr std::uint64_t kTables = 0x300;  // in the file
  static constexpr std::uint64_t kGap = 0x50;
  static constexpr std::uint64_t kMemory = 0x71300;  // of the tables

  /// Where in the file a symbol is, counted as given.
  [[nodiscard]] std::uint64_t placeOf(std::size_t symbol) const {
    return kTables + dynamicSize() + (symbol + 1) * sizeof(Elf64_Sym);
  }

  [[nodiscard]] std::string bytes() const {
    std::string texts(1, '\0');
    const auto text = [&texts](const std::string& words) {
      const std::size_t place = texts.size();
      texts += words + '\0';
      return place;
    };
    std::vector<Elf64_Sym> table(1);
    for (const Symbol& symbol : symbols) {
      Elf64_Sym made{};
      made.st_name = static_cast<Elf64_Word>(text(symbol.name));
      made.st_info = static_cast<unsigned char>(ELF64_ST_INFO(symbol.binding, symbol.type));
      made.st_shndx = symbol.defined ? 1 : SHN_UNDEF;
      table.push_back(made);
    }
    std::vector<std::pair<long, std::uint64_t>> entries;
    for (const std::string& name : needed) entries.emplace_back(DT_NEEDED, text(name));
    if (runpath) entries.emplace_back(DT_RUNPATH, text(*runpath));
    if (rpath) entries.emplace_back(DT_RPATH, text(*rpath));
    texts.resize((texts.size() + 7) / 8 * 8);
    const std::uint64_t symbolTable = kMemory + dynamicSize();
    const std::uint64_t first = dynamicSize() + table.size() * sizeof(Elf64_Sym);  // size of the first segment
    entries.emplace_back(DT_SYMTAB, symbolTable);
    entries.emplace_back(DT_STRTAB, kMemory + first);
    entries.emplace_back(DT_STRSZ, texts.size());
    if (hash != Hash::none)
      entries.emplace_back(hash == Hash::gnu ? DT_GNU_HASH : DT_HASH, kMemory + first + texts.size());
    entries.insert(entries.end(), more.begin(), more.end());
    entries.emplace_back(DT_NULL, 0);
    entries.emplace_back(DT_NEEDED, 1);  // nothing counts behind the end

    const std::string hashes = hash == Hash::gnu ? gnuHashes() : hash == Hash::plain ? plainHashes() : "";
    const std::uint64_t second = texts.size() + hashes.size();
    const std::uint64_t secondPlace = kTables + first + kGap;
    std::vector<Elf64_Phdr> segments;
    const auto segment = [&segments](Elf64_Word type, std::uint64_t place, std::uint64_t address, std::uint64_t size) {
      Elf64_Phdr made{};
      made.p_type = type;
      made.p_offset = place;
      made.p_vaddr = address;
      made.p_filesz = made.p_memsz = size;
      segments.push_back(made);
    };
    segment(PT_NOTE, 3, 0, 1U << 20U);  // is no part of the memory, whatever it says
    segment(PT_LOAD, 0, 0, kTables);
    segment(PT_LOAD, kTables, kMemory, first);
    segment(PT_DYNAMIC, kTables, kMemory, entries.size() * sizeof(Elf64_Dyn));
    segment(PT_LOAD, secondPlace, kMemory + first, second);

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_phoff = sizeof(header) + 8;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<Elf64_Half>(segments.size());
    std::string result(secondPlace, '\xee');
    put(result, 0, &header, sizeof(header));
    put(result, header.e_phoff, segments.data(), segments.size() * sizeof(Elf64_Phdr));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      Elf64_Dyn entry{};
      entry.d_tag = entries[i].first;
      entry.d_un.d_val = entries[i].second;
      put(result, kTables + i * sizeof(entry), &entry, sizeof(entry));
    }
    put(result, kTables + dynamicSize(), table.data(), table.size() * sizeof(Elf64_Sym));
    return result + texts + hashes;
  }

 private:
  [[nodiscard]] std::uint64_t dynamicSize() const {
    return (needed.size() + (runpath ? 1 : 0) + (rpath ? 1 : 0) + 4 + more.size() + 2) * sizeof(Elf64_Dyn);
  }
  static void put(std::string& bytes, std::uint64_t place, const void* from, std::size_t size) {
    std::memcpy(bytes.data() + place, from, size);
  }
  static std::string words(const std::vector<std::uint32_t>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint32_t)};
  }

  [[nodiscard]] std::string plainHashes() const {
    std::vector<std::uint32_t> numbers{3, static_cast<std::uint32_t>(symbols.size() + 1)};  // buckets, symbols
    numbers.resize(2 + 3 + symbols.size() + 1);
    return words(numbers);
  }
  /// Defined symbols in two buckets of three, two thirds of them in the second.
  [[nodiscard]] std::string gnuHashes() const {
    const auto undefined = static_cast<std::uint32_t>(
        std::ranges::count_if(symbols, [](const Symbol& symbol) { return !symbol.defined; }));
    const auto first = undefined + 1;
    const auto all = static_cast<std::uint32_t>(symbols.size());
    const std::uint32_t defined = all - undefined;
    const std::uint32_t inFirst = defined / 3;
    // Buckets, first symbol, words of the filter, its shift.
    std::vector<std::uint32_t> numbers = gnuHeader.empty() ? std::vector<std::uint32_t>{3, first, 2, 6} : gnuHeader;
    numbers.resize(numbers.size() + 4, 0);
    numbers.push_back(inFirst > 0 ? first : 0);
    numbers.push_back(0);
    numbers.push_back(defined > 0 ? first + inFirst : 0);
    for (std::uint32_t i = 0; i < defined; ++i) {
      const bool last = i + 1 == inFirst || i + 1 == defined;
      numbers.push_back(2 * i + (last ? 1 : 0));
    }
    return words(numbers);
  }
};

}  // namespace koppla::fmi::test
