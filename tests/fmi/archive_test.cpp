#include "koppla/fmi/archive.hpp"

#include <cstdlib>
#include <cstring>
#include <limits>

#include <sys/stat.h>

#include "koppla/core/interruption.hpp"

#include "helpers.hpp"
#include "support/full_disk.hpp"

namespace koppla::fmi::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// The record of the last entry in the central directory (APPNOTE 4.3.12).
std::size_t lastRecord(const std::string& bytes) {
  return bytes.rfind("PK\x01\x02");
}

void put32(std::string& bytes, std::size_t at, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xFFU);
}

/// Unpacks into a place for temporary files of its own, so that it shows what is left there.
class Archive : public ::testing::Test {
 protected:
  Archive() {
    const char* before = std::getenv("TMPDIR");
    if (before != nullptr) before_ = before;
    fs::create_directory(temporary_);
    ::setenv("TMPDIR", temporary_.c_str(), 1);
  }
  ~Archive() override {
    if (before_.empty())
      ::unsetenv("TMPDIR");
    else
      ::setenv("TMPDIR", before_.c_str(), 1);
  }

  fs::path make(const std::vector<ZipEntry>& entries) {
    std::vector<ZipEntry> all{{"modelDescription.xml", "<fmiModelDescription/>"}};
    all.insert(all.end(), entries.begin(), entries.end());
    writeZip(file_, all);
    return file_;
  }

  template <class Error = core::InputError>
  std::string refusal(const fs::path& file, const ArchiveLimits& limits = {}) {
    const std::string message = messageOf<Error>([&] { unpack(file, limits); });
    EXPECT_TRUE(fs::is_empty(temporary_)) << "something was left behind";
    EXPECT_THAT(message, HasSubstr(file.string()));
    return message;
  }

  core::TemporaryFolder folder_{"test"};
  fs::path file_ = folder_.path() / "model.fmu";
  fs::path temporary_ = folder_.path() / "tmp";
  std::string before_;
};

TEST_F(Archive, UnpacksAllEntriesAndForgetsThemWithTheFolder) {
  make({{"binaries/linux64/Test.so", std::string(200'000, 'x')}, {"resources/", ""}, {"resources/a b/c.txt", "C"}});
  {
    const core::TemporaryFolder unpacked = unpack(file_);
    EXPECT_EQ(readBytes(unpacked.path() / "modelDescription.xml"), "<fmiModelDescription/>");
    EXPECT_EQ(readBytes(unpacked.path() / "binaries/linux64/Test.so"), std::string(200'000, 'x'));
    EXPECT_EQ(readBytes(unpacked.path() / "resources/a b/c.txt"), "C");
  }
  EXPECT_TRUE(fs::is_empty(temporary_));
}

TEST_F(Archive, AcceptsBackslashesAndLeadingDots) {
  make({{"binaries\\linux64\\Test.so", "A"}, {"./resources/./x.txt", "B"}, {"documentation\\", ""}});
  const core::TemporaryFolder unpacked = unpack(file_);
  EXPECT_EQ(readBytes(unpacked.path() / "binaries/linux64/Test.so"), "A");
  EXPECT_EQ(readBytes(unpacked.path() / "resources/x.txt"), "B");
  EXPECT_TRUE(fs::is_directory(unpacked.path() / "documentation"));
}

/// Names that mean nothing, folders that are told by their mode alone or twice, and colons that are no drive.
TEST_F(Archive, AcceptsWhatExportersWrite) {
  make({{"", "nameless"},
        {"./", ""},
        {"resources", "", S_IFDIR | 0755U},
        {"resources/", ""},
        {"./resources/", ""},
        {"resources/1:b", "C"},
        {"1:d", "D"},
        {"ab:c", "E"},
        {"..x/y..", "F"}});
  const core::TemporaryFolder unpacked = unpack(file_);
  EXPECT_TRUE(fs::is_directory(unpacked.path() / "resources"));
  EXPECT_EQ(readBytes(unpacked.path() / "resources/1:b"), "C");
  EXPECT_EQ(readBytes(unpacked.path() / "1:d"), "D");
  EXPECT_EQ(readBytes(unpacked.path() / "ab:c"), "E");
  EXPECT_EQ(readBytes(unpacked.path() / "..x/y.."), "F");
}

/// Only those of Unix and macOS have such a mode.
TEST_F(Archive, ModesAreThoseOfUnixAndMacOs) {
  make({{"resources/link", "/etc/passwd", S_IFLNK | 0777U}});
  for (const auto& [system, refused] :
       {std::pair(3, true), std::pair(19, true), std::pair(0, false), std::pair(10, false)}) {
    std::string bytes = readBytes(file_);
    bytes[lastRecord(bytes) + 5] = static_cast<char>(system);
    writeBytes(file_, bytes);
    if (refused)
      EXPECT_THAT(refusal(file_), HasSubstr("is a link or a device")) << system;
    else
      EXPECT_NO_THROW(unpack(file_)) << system;
  }
}

TEST_F(Archive, KeepsTheRightToExecute) {
  make({{"resources/tool", "#!", S_IFREG | 0755U}, {"resources/data", "", S_IFREG | 0644U}});
  const core::TemporaryFolder unpacked = unpack(file_);
  const auto executable = [&](const char* name) {
    return (fs::status(unpacked.path() / name).permissions() & fs::perms::owner_exec) != fs::perms::none;
  };
  EXPECT_TRUE(executable("resources/tool"));
  EXPECT_FALSE(executable("resources/data"));
}

TEST_F(Archive, RefusesEntriesThatLeadOut) {
  for (const char* name :
       {"../evil.txt", "resources/../../evil.txt", "/tmp/evil.txt", "\\evil.txt", "..\\evil.txt", "a\\..\\..\\evil.txt",
        "C:\\evil.txt", "c:evil.txt", "C:\\1", "C:\\e", "c:", "z:\\1", "./../evil.txt", "a/.."}) {
    EXPECT_THAT(refusal(make({{name, "evil"}})), HasSubstr("leads out")) << name;
    EXPECT_FALSE(fs::exists(folder_.path() / "evil.txt"));
  }
}

TEST_F(Archive, RefusesLinksAndDevices) {
  EXPECT_THAT(refusal(make({{"resources/passwd", "/etc/passwd", S_IFLNK | 0777U}})), HasSubstr("link"));
  EXPECT_THAT(refusal(make({{"resources/null", "", S_IFCHR | 0666U}})), HasSubstr("device"));
}

TEST_F(Archive, RefusesDoubles) {
  make({{"resources/one.txt", "1"}, {"resources/two.txt", "2"}});
  writeBytes(file_, replaced(readBytes(file_), "resources/two.txt", "resources/one.txt"));
  EXPECT_THAT(refusal(file_), HasSubstr("'resources/one.txt' is there twice"));
  EXPECT_THAT(refusal(make({{"a/b", "1"}, {"./a/b", "2"}})), HasSubstr("'a/b' is there twice"));
  EXPECT_THAT(refusal(make({{"a", "file"}, {"a/b", "file in it"}})), HasSubstr("'a' is both a file and a folder"));
  EXPECT_THAT(refusal(make({{"a", "file"}, {"a/", ""}})), HasSubstr("'a' is both a file and a folder"));
  EXPECT_THAT(refusal(make({{"a/b/c/d", "file"}, {"a/b/c", "file"}})),
              HasSubstr("'a/b/c' is both a file and a folder"));
}

TEST_F(Archive, RefusesEncryptedEntries) {
  EXPECT_THAT(refusal(make({{"resources/secret.txt", "secret", 0, false, true}})), HasSubstr("encrypted"));
}

TEST_F(Archive, RefusesWhatIsTooLarge) {
  const std::string noise = [] {
    std::string text;
    for (unsigned i = 0, x = 1; i < 5000; ++i, x = x * 1664525U + 1013904223U) text += static_cast<char>(x >> 24U);
    return text;
  }();
  make({{"resources/a", noise}, {"resources/b", noise}});
  EXPECT_NO_THROW(unpack(file_, {.totalBytes = 10'022}));
  EXPECT_THAT(refusal(file_, {.totalBytes = 10'021}), HasSubstr("10021 bytes"));
  EXPECT_THAT(refusal(file_, {.totalBytes = 0}), HasSubstr("set KOPPLA_UNPACK_LIMIT"));
  EXPECT_THAT(refusal(file_, {.entries = 2}), HasSubstr("3 entries; 2 are accepted"));
  EXPECT_NO_THROW(unpack(file_, {.entries = 3}));
}

TEST_F(Archive, RefusesBombsByTheirRatio) {
  make({{"resources/zeros", std::string(1 << 20U, '\0')}});
  EXPECT_NO_THROW(unpack(file_));  // below the floor nobody is harmed
  EXPECT_THAT(refusal(file_, {.ratioFloor = 1000}), HasSubstr("more than 100 times its size"));
  const std::uint64_t total = (1U << 20U) + std::string_view("<fmiModelDescription/>").size();
  EXPECT_NO_THROW(unpack(file_, {.ratioFloor = total}));
  EXPECT_THAT(refusal(file_, {.ratioFloor = total - 1}), HasSubstr("more than 100 times its size"));
}

TEST_F(Archive, RefusesBombsOfManySmallEntriesByTheirRatio) {
  std::vector<ZipEntry> entries;
  for (int i = 0; i < 20; ++i) entries.push_back({"resources/" + std::to_string(i), std::string(100'000, '\0')});
  EXPECT_THAT(refusal(make(entries), {.ratioFloor = 1'000'000}), HasSubstr("more than 100 times its size"));
}

TEST_F(Archive, RefusesAGigabyteUnlessTheEnvironmentAllowsIt) {
  make({{"resources/zeros", std::string(1 << 20U, '\0')}});
  std::string bytes = readBytes(file_);
  put32(bytes, lastRecord(bytes) + 24, 1U << 30U);  // uncompressed size
  writeBytes(file_, bytes);
  EXPECT_THAT(refusal(file_, archiveLimits()), HasSubstr("holds more than the 1073741824 bytes accepted"));
  ::setenv("KOPPLA_UNPACK_LIMIT", "2G", 1);
  EXPECT_THAT(refusal(file_, archiveLimits()), HasSubstr("ends after 1048576 of 1073741824 bytes"));  // it lies
  ::unsetenv("KOPPLA_UNPACK_LIMIT");
}

TEST_F(Archive, TheEnvironmentsLimitIsASize) {
  const auto limits = [](const char* text) {
    ::setenv("KOPPLA_UNPACK_LIMIT", text, 1);
    return archiveLimits();
  };
  EXPECT_EQ(limits("12345").totalBytes, 12345U);
  EXPECT_EQ(limits("3K").totalBytes, 3072U);
  EXPECT_EQ(limits("3M").totalBytes, std::uint64_t{3} << 20U);
  EXPECT_EQ(limits("8G").totalBytes, std::uint64_t{8} << 30U);
  EXPECT_EQ(limits("17179869183G").totalBytes, std::uint64_t{17179869183} << 30U);  // as many as there can be
  EXPECT_GT(limits("8G").ratio, 1e300);
  EXPECT_EQ(limits("").totalBytes, std::uint64_t{1} << 30U);
  for (const char* wrong :
       {"x", "G", "-1", "1.5G", "1T", "1GB", "1KM", " 1", "99999999999999999999", "99999999999999G", "17179869184G"})
    EXPECT_THAT(messageOf<core::InputError>([&] { limits(wrong); }), HasSubstr(std::string("'") + wrong + "'"));
  ::unsetenv("KOPPLA_UNPACK_LIMIT");
}

TEST_F(Archive, RefusesOtherMethodsThanDeflate) {
  make({{"resources/data", std::string(1000, 'x')}});
  std::string bytes = readBytes(file_);
  bytes[lastRecord(bytes) + 10] = 14;  // LZMA
  writeBytes(file_, bytes);
  EXPECT_THAT(refusal(file_), HasSubstr("'resources/data' is compressed by a method that FMUs must not use"));
}

TEST_F(Archive, IsNotUnpackedFurtherWhenThatIsInterrupted) {
  make({{"resources/data", std::string(1000, 'x')}});
  core::requestInterruption();
  EXPECT_THAT(messageOf<core::Interrupted>([&] { unpack(file_); }), HasSubstr(file_.string()));
  core::forgetInterruption();
  EXPECT_TRUE(fs::is_empty(temporary_));
  EXPECT_NO_THROW(unpack(file_));
}

TEST_F(Archive, SaysWhyAnEntryCannotBeWritten) {
  make({{"resources/data", std::string(1'000'000, 'x')}});
  const koppla::test::FullDisk full(500'000);
  const std::string message = refusal<core::FileError>(file_);
  EXPECT_THAT(message, HasSubstr("'resources/data' cannot be unpacked to " + temporary_.string()));
  EXPECT_THAT(message, HasSubstr("File too large"));
  EXPECT_THAT(message, HasSubstr("set TMPDIR to a folder with more"));
}

TEST_F(Archive, WithANameThatIsTooLongIsTheUsersInput) {
  make({{"resources/" + std::string(300, 'n'), "x"}});
  EXPECT_THAT(refusal(file_), HasSubstr("export the FMU with shorter file names"));
  make({{"resources/" + std::string(300, 'n') + "/data", "x"}});
  EXPECT_THAT(refusal(file_), HasSubstr("export the FMU with shorter file names"));
}

TEST_F(Archive, SaysBeforehandThatThereIsNoRoom) {
  const std::uint64_t available = fs::space(temporary_).available;
  // Declared sizes have 32 bits here: several entries that claim 4 GiB each.
  std::vector<ZipEntry> entries;
  const std::uint64_t most = std::numeric_limits<std::uint32_t>::max() - 1;
  for (std::uint64_t i = 0; i <= available / most; ++i) entries.push_back({"resources/" + std::to_string(i), "x"});
  std::string bytes = readBytes(make(entries));
  for (std::size_t at = bytes.find("PK\x01\x02"); at != std::string::npos; at = bytes.find("PK\x01\x02", at + 1))
    put32(bytes, at + 24, static_cast<std::uint32_t>(most));
  writeBytes(file_, bytes);
  ArchiveLimits limits;
  limits.totalBytes = std::numeric_limits<std::uint64_t>::max();
  limits.ratio = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal<core::FileError>(file_, limits), HasSubstr("are free below " + temporary_.string()));
}

TEST_F(Archive, RefusesEntriesLargerThanTheyDeclare) {
  make({{"resources/zeros", std::string(1 << 20U, '\0')}});
  std::string bytes = readBytes(file_);
  put32(bytes, lastRecord(bytes) + 24, 10);  // uncompressed size
  writeBytes(file_, bytes);
  refusal(file_);
}

TEST_F(Archive, RefusesEntriesThatOverlap) {
  make({{"resources/a", std::string(100, 'a'), 0, true}});
  std::string bytes = readBytes(file_);
  put32(bytes, lastRecord(bytes) + 20, 100'000);  // compressed size
  writeBytes(file_, bytes);
  EXPECT_THAT(refusal(file_), HasSubstr("larger than the archive"));
  // The only one that is there may not be larger either.
  writeZip(file_, {{"modelDescription.xml", std::string(100, 'a'), 0, true}});
  bytes = readBytes(file_);
  put32(bytes, lastRecord(bytes) + 20, 100'000);
  writeBytes(file_, bytes);
  EXPECT_THAT(refusal(file_), HasSubstr("larger than the archive"));
}

TEST_F(Archive, RefusesWrongChecksums) {
  make({{"resources/data", "stored as it is", 0, true}});
  writeBytes(file_, replaced(readBytes(file_), "stored as it is", "stored as it iz"));
  EXPECT_THAT(refusal(file_), HasSubstr("CRC"));
}

TEST_F(Archive, RefusesWhatIsNoArchive) {
  EXPECT_THAT(refusal(folder_.path() / "none.fmu"), HasSubstr("no such file"));
  EXPECT_THAT(refusal(temporary_), HasSubstr("a folder"));
  writeBytes(file_, "this is not a zip archive");
  EXPECT_THAT(refusal(file_), HasSubstr("no zip archive"));
  writeBytes(file_, "");
  refusal(file_);
}

TEST_F(Archive, RefusesArchivesCutAnywhere) {
  make({{"binaries/linux64/Test.so", std::string(3000, 'x'), 0, true}, {"resources/data", "some text"}});
  const std::string bytes = readBytes(file_);
  for (std::size_t length = 0; length < bytes.size(); length += 13) {
    writeBytes(file_, bytes.substr(0, length));
    refusal(file_);
  }
}

TEST_F(Archive, RefusesOrUnpacksArchivesWithAnyByteChanged) {
  make({{"resources/data", "some text to be compressed, compressed, compressed"}});
  const std::string bytes = readBytes(file_);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    writeBytes(file_, changed);
    try {
      unpack(file_);
    } catch (const core::InputError&) {
    }
    ASSERT_TRUE(fs::is_empty(temporary_)) << at;
    ASSERT_FALSE(fs::exists(folder_.path() / "resources"));
  }
}

TEST_F(Archive, SaysWhatIsThereInPlaceOfAModelDescription) {
  writeZip(file_, {{"readme.txt", "hello"}});
  EXPECT_THAT(refusal(file_), HasSubstr("holds no modelDescription.xml"));
  writeZip(file_, {{"Model/modelDescription.xml", "<x/>"}});
  EXPECT_THAT(refusal(file_), HasSubstr("zip the content of that folder"));
  writeZip(file_, {{"modelDescription.xml/", ""}, {"a/modelDescription.xml/", ""}, {"SystemStructure.ssd/", ""}});
  EXPECT_THAT(refusal(file_), HasSubstr("Check that the file is an FMU"));
  writeZip(file_, {{"SystemStructure.ssd", "<x/>"}});
  EXPECT_THAT(refusal(file_), HasSubstr("SSP package"));
}

TEST_F(Archive, SaysWhenThereIsNoRoom) {
  make({});
  ::setenv("TMPDIR", (folder_.path() / "nowhere").c_str(), 1);
  EXPECT_THAT(messageOf<core::InputError>([&] { unpack(file_); }), HasSubstr("TMPDIR"));
}

}  // namespace
}  // namespace koppla::fmi::test
