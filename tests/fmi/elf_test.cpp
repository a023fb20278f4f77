#include "koppla/fmi/elf.hpp"

#include <cstring>
#include <exception>

#include <dlfcn.h>
#include <elf.h>

#include "stub_fmu.hpp"

namespace koppla::fmi::elf_test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ElfTest : public ::testing::Test {
 protected:
  Needs needsOfBytes(const std::string& bytes) {
    const fs::path file = folder_.path() / "library.so";
    test::writeBytes(file, bytes);
    return needsOf(file);
  }

  UniqueSymbols uniqueOfBytes(const std::string& bytes) {
    const fs::path file = folder_.path() / "library.so";
    test::writeBytes(file, bytes);
    return uniqueSymbolsOf(file);
  }

  core::TemporaryFolder folder_{"elf"};
  std::string library_ = test::readBytes(fs::path(KOPPLA_STUB_DIR) / "obliging_stub.so");
};

TEST_F(ElfTest, TellsWhatALibraryNeeds) {
  EXPECT_THAT(needsOfBytes(library_).names, Contains("libc.so.6"));
}

TEST_F(ElfTest, NeedsNothingWhereThereIsNoLibrary) {
  EXPECT_THAT(needsOf(folder_.path() / "missing").names, IsEmpty());
  EXPECT_THAT(needsOf(folder_.path()).names, IsEmpty());
  EXPECT_THAT(needsOfBytes("").names, IsEmpty());
  EXPECT_THAT(needsOfBytes(std::string(5000, 'x')).names, IsEmpty());
}

TEST_F(ElfTest, SurvivesEveryDamageOfItsTables) {
  Elf64_Ehdr header{};
  std::memcpy(&header, library_.data(), sizeof(header));
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sizeof(header) + header.e_phnum * sizeof(Elf64_Phdr); ++i) places.push_back(i);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, library_.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    for (std::size_t at = 0; segment.p_type == PT_DYNAMIC && at < segment.p_filesz; ++at)
      places.push_back(segment.p_offset + at);
  }
  for (const std::size_t place : places) {
    std::string damaged = library_;
    damaged[place] = static_cast<char>(0xff);
    EXPECT_LE(needsOfBytes(damaged).names.size(), 4096U);
    EXPECT_LE(needsOfBytes(library_.substr(0, place)).names.size(), 4096U);
  }
}

TEST_F(ElfTest, UniqueSymbolsAreThoseThatTheCppLibraryDoesNotShare) {
  Dl_info cpp{};
  ASSERT_NE(::dladdr(reinterpret_cast<const void*>(&std::set_terminate), &cpp), 0);
  EXPECT_THAT(uniqueSymbolsOf(cpp.dli_fname).names, IsEmpty());
  // The same file with one of its symbols under another name, as a library would have it that adds to the C++ library.
  std::string other = test::readBytes(cpp.dli_fname);
  const std::string known("_ZGVNSt10moneypunctIcLb0EE2idE\0", 31);
  const std::size_t place = other.find(known);
  ASSERT_NE(place, std::string::npos);
  other[place + known.find("Ic") + 1] = 'q';
  EXPECT_THAT(uniqueOfBytes(other).names, ElementsAre("_ZGVNSt10moneypunctIqLb0EE2idE"));
  EXPECT_THAT(uniqueOfBytes("").names, IsEmpty());
  EXPECT_THAT(uniqueOfBytes(std::string(5000, 'x')).names, IsEmpty());
}

TEST_F(ElfTest, UniqueSymbolsOfDamagedLibrariesAreReadAsFarAsTheyGo) {
  for (std::size_t place = 0; place < std::min<std::size_t>(library_.size(), 6000); place += 7) {
    std::string damaged = library_;
    damaged[place] = static_cast<char>(0xff);
    const UniqueSymbols unique = uniqueOfBytes(damaged);
    EXPECT_EQ(unique.names.size(), unique.bindings.size());
    for (const std::uint64_t binding : unique.bindings) EXPECT_LT(binding, damaged.size());
  }
}

}  // namespace
}  // namespace koppla::fmi::elf_test
