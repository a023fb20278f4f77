#include "koppla/core/hash.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"

namespace koppla::core::hash_test {
namespace {

/// Answers of programs and datasets in files of earlier runs hold these numbers. Computed by hand from
/// v <- rotl((v xor word) 0x9E3779B97F4A7C15, 29), v = 0xCBF29CE484222325 at the start.
TEST(Hash, IsWhatItWasWhenFilesWereWritten) {
  EXPECT_EQ(Hash().add(std::uint64_t{0}).value(), 0x3c7099c13f177259U);
  EXPECT_EQ(Hash().add(std::uint64_t{1}).add(std::uint64_t{2}).value(), 0xe68bc83416692f61U);
  EXPECT_EQ(Hash().add(1.5).value(), 0x3c7099c13c567259U);
  EXPECT_EQ(Hash().add(std::string_view("koppla answers")).value(), 0x2e60cf1ea0f579b3U);
}

TEST(Hash, TellsTextsApartThatAreOneBehindTheOther) {
  EXPECT_EQ(Hash().add(std::string_view("ab")).add(std::string_view("c")).value(), 0x3c0f6ef4fbdb33bcU);
  EXPECT_EQ(Hash().add(std::string_view("a")).add(std::string_view("bc")).value(), 0x3686066afc7ca67fU);
}

TEST(Hash, OfAFileIsThatOfItsContent) {
  const TemporaryFolder folder("hash");
  writeWhole(folder.path() / "a.txt", "koppla answers");
  EXPECT_EQ(checksum(folder.path() / "a.txt"), 0x2e60cf1ea0f579b3U);
  EXPECT_EQ(checksum(folder.path() / "nowhere"), 0U);
}

/// Blocks of a MiB are texts one behind the other, the last one shorter or empty.
TEST(Hash, OfALargeFileIsThatOfItsBlocks) {
  constexpr std::size_t kBlock = std::size_t{1} << 20U;
  const TemporaryFolder folder("hash");
  std::string content(2 * kBlock + 5, 'x');
  for (std::size_t i = 0; i < content.size(); i += 1000) content[i] = static_cast<char>(i / 1000);
  const std::string_view all = content;
  for (const std::size_t size : {kBlock, kBlock + 1, 2 * kBlock + 5}) {
    writeWhole(folder.path() / "a.txt", all.substr(0, size));
    Hash expected;
    for (std::size_t at = 0; at < size; at += kBlock) expected.add(all.substr(at, std::min(kBlock, size - at)));
    if (size % kBlock == 0) expected.add(std::string_view());  // the end of the file is seen by one more look
    EXPECT_EQ(checksum(folder.path() / "a.txt"), expected.value()) << size;
  }
}

}  // namespace
}  // namespace koppla::core::hash_test
