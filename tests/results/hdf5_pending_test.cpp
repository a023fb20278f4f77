#include "koppla/results/detail/hdf5_pending.hpp"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "koppla/core/file.hpp"
#include "koppla/results/detail/hdf5_checksum.hpp"

namespace koppla::results::hdf5_pending_test {
namespace {

using detail::PendingFile;
using detail::readPending;

std::span<const std::byte> bytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string number(std::uint64_t value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

class PendingTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "results.partial.rows"; }
  void write() const {
    PendingFile pending(file().c_str(), 7, 2, parts_.size());
    for (const std::string& part : parts_) pending.add(bytesOf(part));
  }
  [[nodiscard]] bool isThere(const std::string& content) const {
    core::writeWhole(file(), content);
    return readPending(file()).has_value();
  }

  core::TemporaryFolder folder_{"pending"};
  const std::vector<std::string> parts_{"sixteen bytes...", "", "odd"};
};

TEST_F(PendingTest, RowsReadBack) {
  write();
  const auto rows = readPending(file());
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->first, 7U);
  EXPECT_EQ(rows->rows, 2U);
  EXPECT_EQ(rows->parts, parts_);
}

/// As its head describes the format: rows that a version before has written are still read.
TEST_F(PendingTest, TheFileIsWhatItWasWhenFilesWereWritten) {
  write();
  std::string expected("koppla rows 1\n\0\0", 16);
  for (const std::uint64_t head : {7U, 2U, 3U}) expected += number(head);
  detail::Hdf5Checksum checksum;
  for (const std::string& part : parts_) {
    expected += number(part.size()) + part;
    checksum.add(bytesOf(part));
  }
  expected += number(static_cast<std::uint64_t>(checksum.value()));
  EXPECT_EQ(core::readWhole(file()), expected);
}

TEST_F(PendingTest, OneThatIsCutOffAnywhereIsNone) {
  write();
  const std::string whole = core::readWhole(file());
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(isThere(whole.substr(0, size))) << size;
  EXPECT_TRUE(isThere(whole));
}

TEST_F(PendingTest, OneWhoseTitlePartsOrChecksumAreDamagedIsNone) {
  write();
  const std::string whole = core::readWhole(file());
  constexpr std::size_t kRows =
      16 + 2 * 8;  // behind the title: the number of rows before and of rows, which only say where
  for (std::size_t at = 0; at < whole.size(); ++at) {
    if (at >= 16 && at < kRows) continue;
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    EXPECT_FALSE(isThere(damaged)) << at;
  }
}

TEST_F(PendingTest, WhatIsNoFileOrCannotBeWrittenIsNone) {
  EXPECT_FALSE(readPending(file()));
  EXPECT_FALSE(readPending(folder_.path()));
  {
    PendingFile nowhere((folder_.path() / "missing" / "rows").c_str(), 0, 1, 1);
    nowhere.add(bytesOf("part"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "missing"));
}

TEST_F(PendingTest, ItReplacesTheOneBefore) {
  core::writeWhole(file(), std::string(10'000, 'x'));
  write();
  EXPECT_TRUE(readPending(file()));
  { const PendingFile empty(file().c_str(), 1, 0, 0); }
  const auto rows = readPending(file());
  ASSERT_TRUE(rows);
  EXPECT_TRUE(rows->parts.empty());
}

TEST_F(PendingTest, ItMayBeReadByAllWhomTheUserLets) {
  const mode_t before = ::umask(0);
  write();
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0666U);
}

TEST_F(PendingTest, IsWrittenAlsoWhereThereIsNoStandardInput) {
  const int kept = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);
  ::close(STDIN_FILENO);  // its number goes to the next file
  write();
  const bool closed = ::fcntl(STDIN_FILENO, F_GETFD) < 0;
  if (kept >= 0) {
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
  }
  EXPECT_TRUE(closed);
  ASSERT_TRUE(readPending(file()));
  EXPECT_EQ(readPending(file())->parts, parts_);
}

TEST_F(PendingTest, ItStandsBesideItsFile) {
  EXPECT_EQ(detail::pendingBeside("run/results.partial.h5"), "run/results.partial.rows");
}

}  // namespace
}  // namespace koppla::results::hdf5_pending_test
