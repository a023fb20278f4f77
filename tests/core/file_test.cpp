#include "koppla/core/file.hpp"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "koppla/core/error.hpp"

#include "support/full_disk.hpp"

namespace koppla::core {
namespace {

namespace fs = std::filesystem;

TEST(File, WrittenWholeReadsBackAndLeavesNothingElse) {
  const TemporaryFolder folder("test");
  const fs::path file = folder.path() / "a.txt";
  const std::string content("zero\0byte\n", 10);
  writeWhole(file, content);
  EXPECT_EQ(readWhole(file), content);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(File, AFolderThatIsNotThereIsAnInputErrorWithThePath) {
  const TemporaryFolder folder("test");
  try {
    writeWhole(folder.path() / "missing" / "a.txt", "x");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("missing/a.txt"), std::string::npos);
  }
}

TEST(File, OfALinkTheTargetIsReplacedAndTheLinkStays) {
  const TemporaryFolder folder("test");
  const fs::path target = folder.path() / "target.txt";
  fs::create_symlink("target.txt", folder.path() / "link");
  fs::create_symlink(folder.path() / "link", folder.path() / "second");
  for (const char* content : {"the first, where the links led nowhere", "and another"}) {
    writeWhole(folder.path() / "second", content);
    EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
    EXPECT_TRUE(fs::is_symlink(folder.path() / "second"));
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(target)));
    EXPECT_EQ(readWhole(target), content);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 3);
}

TEST(File, LinksInACircleAreRefused) {
  const TemporaryFolder folder("test");
  fs::create_symlink("b", folder.path() / "a");
  fs::create_symlink("a", folder.path() / "b");
  EXPECT_THROW(writeWhole(folder.path() / "a", "x"), InputError);
  EXPECT_TRUE(fs::is_symlink(folder.path() / "a"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "b"));
}

TEST(File, AFifoIsWrittenToAsItIsAlsoThroughALink) {
  const TemporaryFolder folder("test");
  const fs::path fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  fs::create_symlink("fifo", folder.path() / "link");
  const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  for (const char* name : {"fifo", "link"}) {
    writeWhole(folder.path() / name, "through it");
    std::string read(10, '\0');
    EXPECT_EQ(::read(reader, read.data(), read.size()), 10);
    EXPECT_EQ(read, "through it");
    EXPECT_TRUE(fs::is_fifo(fifo));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2);
  }
  ::close(reader);
}

TEST(File, OnAFullDiskTheOldOneStaysAndTheUsersInputIsNotBlamed) {
  const TemporaryFolder folder("test");
  const fs::path file = folder.path() / "a.txt";
  writeWhole(file, "old");
  const pid_t child = ::fork();
  if (child == 0) {
    const test::FullDisk full(2);
    bool right = false;
    try {
      writeWhole(file, "new");
    } catch (const FileError& error) {
      right = error.what() == file.string() + " cannot be written: File too large. " + kMakeRoom;
    }
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(readWhole(file), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(File, APlaceThatCannotBeRightIsToldFromASystemThatFails) {
  for (const int error : {ENOENT, EACCES, EISDIR, ENOTDIR, EROFS}) EXPECT_TRUE(placeIsAtFault(error)) << error;
  for (const int error : {ENOSPC, EPIPE, EIO, EFBIG, EDQUOT, EMFILE}) EXPECT_FALSE(placeIsAtFault(error)) << error;
}

TEST(File, TooLargeOrMissingOrAFolderIsRefused) {
  const TemporaryFolder folder("test");
  writeWhole(folder.path() / "a.txt", "12345");
  EXPECT_THROW(readWhole(folder.path() / "a.txt", 4), InputError);
  EXPECT_THROW(readWhole(folder.path() / "b.txt"), InputError);
  EXPECT_THROW(readWhole(folder.path()), InputError);
}

}  // namespace
}  // namespace koppla::core
