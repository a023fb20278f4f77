// What is read of shared libraries, against tables that are written down here.

#include "koppla/fmi/elf.hpp"

#include "elf_builder.hpp"
#include "helpers.hpp"

namespace koppla::fmi::elf_tables_test {
namespace {

namespace fs = std::filesystem;
using test::ElfBuilder;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Hash = ElfBuilder::Hash;

class ElfTables : public ::testing::Test {
 protected:
  const fs::path& write(const std::string& bytes) {
    test::writeBytes(file_, bytes);
    return file_;
  }
  UniqueSymbols uniqueOf(const ElfBuilder& library) { return uniqueSymbolsOf(write(library.bytes())); }

  core::TemporaryFolder folder_{"elf"};
  fs::path file_ = folder_.path() / "library.so";
};

TEST_F(ElfTables, NeedsAreReadInTheirOrder) {
  ElfBuilder library;
  EXPECT_THAT(needsOf(write(library.bytes())).names, IsEmpty());
  library.needed = {"libfirst.so", "libsecond.so.2", "", "libthird.so"};
  const Needs names = needsOf(write(library.bytes()));
  EXPECT_THAT(names.names, ElementsAre("libfirst.so", "libsecond.so.2", "libthird.so"));
  EXPECT_THAT(names.runpath, IsEmpty());
  EXPECT_THAT(names.rpath, IsEmpty());
}

/// Both paths are lists between colons, in which an empty entry is one.
TEST_F(ElfTables, PathsAreListsBetweenColons) {
  ElfBuilder library;
  library.needed = {"libone.so"};
  library.runpath = "$ORIGIN:/opt/lib";
  Needs needs = needsOf(write(library.bytes()));
  EXPECT_THAT(needs.names, ElementsAre("libone.so"));
  EXPECT_THAT(needs.runpath, ElementsAre("$ORIGIN", "/opt/lib"));
  EXPECT_THAT(needs.rpath, IsEmpty());
  library.runpath.reset();
  library.rpath = ":a::b:";
  needs = needsOf(write(library.bytes()));
  EXPECT_THAT(needs.runpath, IsEmpty());
  EXPECT_THAT(needs.rpath, ElementsAre("", "a", "", "b", ""));
  library.runpath = "x";
  library.rpath = "y";
  needs = needsOf(write(library.bytes()));
  EXPECT_THAT(needs.runpath, ElementsAre("x"));
  EXPECT_THAT(needs.rpath, ElementsAre("y"));
}

/// Whatever table tells how many there are: all of them, with the places of their bindings in the file.
TEST_F(ElfTables, UniqueSymbolsAreFoundToTheLastOne) {
  for (const Hash hash : {Hash::gnu, Hash::plain})
    for (const std::size_t count : {1U, 2U, 3U, 7U, 63U, 64U, 65U, 96U, 97U, 129U, 200U}) {
      ElfBuilder library{.hash = hash};
      std::vector<std::string> names;
      std::vector<std::uint64_t> bindings;
      for (std::size_t i = 0; i < count; ++i) {
        names.push_back("symbol" + std::to_string(i));
        library.symbols.push_back({names.back()});
      }
      for (std::size_t i = 0; i < count; ++i) bindings.push_back(library.placeOf(i) + offsetof(Elf64_Sym, st_info));
      const UniqueSymbols unique = uniqueOf(library);
      EXPECT_THAT(unique.names, ElementsAreArray(names)) << count;
      EXPECT_THAT(unique.bindings, ElementsAreArray(bindings)) << count;
      EXPECT_FALSE(unique.opensLibraries);
      EXPECT_FALSE(unique.symbolic);
    }
}

TEST_F(ElfTables, OnlyDefinedSymbolsOfThatBindingAreUnique) {
  for (const Hash hash : {Hash::gnu, Hash::plain}) {
    ElfBuilder library{.symbols = {{"wanted", STB_GNU_UNIQUE, false},
                                   {"called", STB_GLOBAL, false},
                                   {"unique", STB_GNU_UNIQUE},
                                   {"global", STB_GLOBAL},
                                   {"weak", STB_WEAK},
                                   {"also", STB_GNU_UNIQUE},
                                   {"last", STB_GLOBAL}},
                       .hash = hash};
    EXPECT_THAT(uniqueOf(library).names, ElementsAre("unique", "also"));
  }
  EXPECT_THAT(uniqueOf({.symbols = {{"a"}}, .hash = Hash::none}).names, IsEmpty());
}

/// Who calls dlopen or dlmopen, not who defines one.
TEST_F(ElfTables, WhoOpensLibrariesIsKnownByWhatItCalls) {
  for (const std::string name : {"dlopen", "dlmopen", "dlsym", "dlopenx"})
    for (const bool defined : {true, false}) {
      const ElfBuilder library{.symbols = {{name, STB_GLOBAL, defined}, {"own", STB_GLOBAL}}};
      EXPECT_EQ(uniqueOf(library).opensLibraries, !defined && (name == "dlopen" || name == "dlmopen")) << name;
    }
}

TEST_F(ElfTables, SymbolicLibrariesAreToldByTheirTagOrFlag) {
  const auto symbolic = [&](long tag, std::uint64_t value) {
    return uniqueOf({.symbols = {{"a"}}, .more = {{tag, value}}}).symbolic;
  };
  EXPECT_TRUE(symbolic(DT_SYMBOLIC, 0));
  EXPECT_TRUE(symbolic(DT_FLAGS, DF_SYMBOLIC));
  EXPECT_TRUE(symbolic(DT_FLAGS, DF_SYMBOLIC | DF_BIND_NOW | DF_ORIGIN));
  EXPECT_FALSE(symbolic(DT_FLAGS, DF_BIND_NOW | DF_ORIGIN));
  EXPECT_FALSE(symbolic(DT_FLAGS, 0));
  EXPECT_FALSE(symbolic(DT_BIND_NOW, DF_SYMBOLIC));
}

TEST_F(ElfTables, WhatIsForAnotherMachineHasNoSymbols) {
  const ElfBuilder library{.needed = {"libone.so"}, .symbols = {{"a"}}};
  for (const std::size_t place : {std::size_t{1}, std::size_t{EI_CLASS}, offsetof(Elf64_Ehdr, e_phentsize)}) {
    std::string bytes = library.bytes();
    bytes[place] = 1;
    EXPECT_THAT(uniqueSymbolsOf(write(bytes)).names, IsEmpty()) << place;
    EXPECT_THAT(needsOf(file_).names, IsEmpty()) << place;
    EXPECT_NO_THROW(refuseCutLibrary(write(bytes.substr(0, 0x400))));
  }
}

/// Counts that no library has, of buckets, words of the filter and symbols, end the search.
TEST_F(ElfTables, CountsThatCannotBeAreNone) {
  constexpr std::uint32_t kMost = 1U << 24U;
  const auto found = [&](std::vector<std::uint32_t> header) {
    return uniqueOf({.symbols = {{"a"}, {"b"}, {"c"}}, .gnuHeader = std::move(header)}).names.size();
  };
  EXPECT_EQ(found({3, 1, 2, 6}), 3U);
  EXPECT_EQ(found({kMost + 1, 1, 2, 6}), 0U);
  EXPECT_EQ(found({3, 1, kMost + 1, 6}), 0U);
  EXPECT_EQ(found({3, 9, 2, 6}), 0U) << "all symbols come before the first one";
  EXPECT_EQ(found({0, 1, 2, 6}), 0U) << "no buckets";
}

/// Texts that cannot be read leave symbols without names; what else is known of them stays.
TEST_F(ElfTables, WhatCanBeReadOfADamagedLibraryIsRead) {
  const ElfBuilder library{.needed = {"libone.so"}, .symbols = {{"a"}, {"b"}}};
  std::string bytes = library.bytes();
  for (std::uint64_t at = ElfBuilder::kTables;; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry{};
    std::memcpy(&entry, bytes.data() + at, sizeof(entry));
    if (entry.d_tag != DT_STRTAB) continue;
    entry.d_un.d_val = 0x10;  // in the segment of the headers
    std::memcpy(bytes.data() + at, &entry, sizeof(entry));
    break;
  }
  Elf64_Phdr headers{};
  const std::size_t place = sizeof(Elf64_Ehdr) + 8 + sizeof(Elf64_Phdr);
  std::memcpy(&headers, bytes.data() + place, sizeof(headers));
  ASSERT_EQ(headers.p_vaddr, 0U);
  headers.p_offset = ~std::uint64_t{0} - 0x20;  // which is nowhere in the file
  std::memcpy(bytes.data() + place, &headers, sizeof(headers));
  const UniqueSymbols unique = uniqueSymbolsOf(write(bytes));
  EXPECT_THAT(unique.names, ElementsAre("", ""));
  EXPECT_EQ(unique.bindings.size(), 2U);
  EXPECT_THAT(needsOf(file_).names, IsEmpty());
  // Texts that end amid one: it is no name.
  const std::string whole = library.bytes();
  const std::size_t text = whole.find("libone.so");
  ASSERT_NE(text, std::string::npos);
  EXPECT_THAT(needsOf(write(whole.substr(0, text + 5))).names, IsEmpty());
  EXPECT_THAT(needsOf(write(whole.substr(0, text + 10))).names, ElementsAre("libone.so"));
}

/// Only the binding changes, and only of those that are asked for.
TEST_F(ElfTables, UniqueSymbolsAreMadeOrdinary) {
  const ElfBuilder library{.symbols = {{"used", STB_GLOBAL, false, STT_NOTYPE},
                                       {"object", STB_GNU_UNIQUE, true, STT_OBJECT},
                                       {"weak", STB_WEAK, true, STT_FUNC},
                                       {"local", STB_GNU_UNIQUE, true, STT_TLS}}};
  const UniqueSymbols unique = uniqueOf(library);
  ASSERT_THAT(unique.names, ElementsAre("object", "local"));
  std::string expected = library.bytes();
  expected[unique.bindings[0]] = static_cast<char>(ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT));
  expected[unique.bindings[1]] = static_cast<char>(ELF64_ST_INFO(STB_GLOBAL, STT_TLS));
  EXPECT_TRUE(makeOrdinary(file_, unique));
  EXPECT_EQ(test::readBytes(file_), expected);
  EXPECT_THAT(uniqueSymbolsOf(file_).names, IsEmpty());
  EXPECT_TRUE(makeOrdinary(file_, {}));
  EXPECT_EQ(test::readBytes(file_), expected);
  EXPECT_FALSE(makeOrdinary(folder_.path() / "missing.so", unique));
  EXPECT_FALSE(makeOrdinary(folder_.path(), unique));
}

/// Whole to the last byte of its last segment.
TEST_F(ElfTables, ACutLibraryIsRefused) {
  const std::string whole = ElfBuilder{.needed = {"libone.so"}, .symbols = {{"a"}, {"b"}}}.bytes();
  EXPECT_NO_THROW(refuseCutLibrary(write(whole)));
  EXPECT_NO_THROW(refuseCutLibrary(write(whole + "more")));
  const std::size_t tables = sizeof(Elf64_Ehdr) + 8;
  for (const std::size_t size : {whole.size() - 1, std::size_t{0x400}, std::size_t{0x2ff}, tables + 5 * 56 - 1,
                                 tables + 3 * 56, tables, sizeof(Elf64_Ehdr)})
    EXPECT_THAT(test::messageOf<core::InputError>([&] { refuseCutLibrary(write(whole.substr(0, size))); }),
                HasSubstr("cut off after " + std::to_string(size) + " bytes"));
  EXPECT_NO_THROW(refuseCutLibrary(write(whole.substr(0, sizeof(Elf64_Ehdr) - 1)))) << "is no library at all";
  EXPECT_NO_THROW(refuseCutLibrary(folder_.path() / "missing.so"));
  EXPECT_NO_THROW(refuseCutLibrary(folder_.path()));
}

}  // namespace
}  // namespace koppla::fmi::elf_tables_test
