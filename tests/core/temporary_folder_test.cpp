#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "koppla/core/file.hpp"

namespace koppla::core::temporary_folder_test {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, GoesWithItsContent) {
  fs::path path;
  {
    const TemporaryFolder folder("test");
    path = folder.path();
    writeWhole(path / "a.txt", "x");
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, GoesWithTheOneItWasMovedTo) {
  const fs::path path = [] {
    TemporaryFolder folder("test");
    const TemporaryFolder moved = std::move(folder);
    EXPECT_TRUE(fs::exists(moved.path()));
    return moved.path();
  }();
  EXPECT_FALSE(fs::exists(path));
}

/// A place for temporary folders of its own.
class Abandoned : public ::testing::Test {
 protected:
  Abandoned() {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", place_.path().c_str(), 1);
  }
  ~Abandoned() override {
    if (before_.empty())
      ::unsetenv("TMPDIR");
    else
      ::setenv("TMPDIR", before_.c_str(), 1);
  }

  /// A process that makes a temporary folder with something in it, does as told, and waits to be killed.
  template <typename Deed>
  pid_t startMaker(Deed deed) {
    int ready[2] = {};
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t process = ::fork();
    if (process == 0) {
      const TemporaryFolder folder("maker");
      fs::create_directories(folder.path() / "deep/er");
      writeWhole(folder.path() / "deep/er/file", "x");
      const int far = ::fcntl(ready[1], F_DUPFD, 100);
      deed();
      if (::write(far, "r", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
    return process;
  }
  static void kill(pid_t process) {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }

  [[nodiscard]] fs::path path(const std::string& name) const { return place_.path() / name; }
  [[nodiscard]] long count() const {
    return std::distance(fs::directory_iterator(place_.path()), fs::directory_iterator());
  }

  TemporaryFolder place_{"place"};
  std::string before_;
};

/// What a dead process of another system of numbers would have left: no process here has this number.
const std::string kDead = "koppla-fmu-2147483646-17-aBc123";

TEST_F(Abandoned, AFolderGoesWhenItsMakerWasKilled) {
  const pid_t maker = startMaker([] {});
  ASSERT_EQ(count(), 1);
  removeAbandonedFolders(place_.path());
  EXPECT_EQ(count(), 1) << "the maker lives";
  kill(maker);
  ASSERT_EQ(count(), 1);
  removeAbandonedFolders(place_.path());
  EXPECT_EQ(count(), 0);
}

TEST_F(Abandoned, AFolderStaysWhileItsMakerLivesWhateverItClosed) {
  const pid_t maker = startMaker([] { ::close_range(3, 50, 0); });
  removeAbandonedFolders(place_.path());
  EXPECT_EQ(count(), 1);
  kill(maker);
  removeAbandonedFolders(place_.path());
  EXPECT_EQ(count(), 0);
}

TEST_F(Abandoned, AFolderStaysWhileSomebodyLocksItWhoeverThatIs) {
  fs::create_directory(path(kDead));  // as of a process in another container
  const int lock = ::open(path(kDead).c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(lock, LOCK_EX | LOCK_NB), 0);
  removeAbandonedFolders(place_.path());
  EXPECT_TRUE(fs::exists(path(kDead)));
  ::close(lock);
  removeAbandonedFolders(place_.path());
  EXPECT_FALSE(fs::exists(path(kDead)));
}

TEST_F(Abandoned, AFolderIsLockedAsLongAsItIsUsed) {
  const TemporaryFolder folder("used");
  const int other = ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY);
  EXPECT_EQ(::flock(other, LOCK_EX | LOCK_NB), -1);
  EXPECT_EQ(errno, EWOULDBLOCK);
  ::close(other);
}

TEST_F(Abandoned, ANumberThatAnotherProcessHasNowIsNoMaker) {
  const std::string reused = "koppla-fmu-" + std::to_string(::getpid()) + "-1-abcdef";  // began right after the machine
  fs::create_directory(path(reused));
  removeAbandonedFolders(place_.path());
  EXPECT_FALSE(fs::exists(path(reused)));
}

TEST_F(Abandoned, NothingElseIsTouched) {
  const fs::path kept = path("kept");
  fs::create_directory(kept);
  writeWhole(kept / "file", "x");
  fs::create_directory_symlink(kept, path(kDead));
  writeWhole(path("koppla-fmu-2147483646-17-aaaaaa"), "a file");
  for (const char* name :
       {"koppla-fmu-abcdef", "koppla-abcdef", "koppla", "koppla-fmu-1-x-abcdef", "koppla-fmu-x-1-abcdef",
        "koppla-fmu-2147483646-17-abc", "other-fmu-2147483646-17-abcdef", "koppla-fmu-2147483646--abcdef"})
    fs::create_directory(path(name));
  const long before = count();
  removeAbandonedFolders(place_.path());
  EXPECT_EQ(count(), before);
  EXPECT_TRUE(fs::is_symlink(path(kDead)));
  EXPECT_EQ(readWhole(kept / "file"), "x");
  removeAbandonedFolders(path("nowhere"));
}

TEST_F(Abandoned, APlaceThatIsEmptyCountsAsNone) {
  const char* const given = std::getenv("TMP");
  const std::string before = given == nullptr ? "" : given;
  ::setenv("TMPDIR", "", 1);
  ::setenv("TMP", place_.path().c_str(), 1);  // the next to be asked
  EXPECT_EQ(TemporaryFolder("test").path().parent_path(), place_.path());
  if (before.empty())
    ::unsetenv("TMP");
  else
    ::setenv("TMP", before.c_str(), 1);
}

TEST_F(Abandoned, LinksInsideAreNotFollowed) {
  const fs::path kept = path("kept");
  fs::create_directory(kept);
  writeWhole(kept / "file", "x");
  fs::create_directory(path(kDead));
  fs::create_directory_symlink(kept, path(kDead) / "link");
  removeAbandonedFolders(place_.path());
  EXPECT_FALSE(fs::exists(path(kDead)));
  EXPECT_EQ(readWhole(kept / "file"), "x");
}

TEST_F(Abandoned, FoldersOfOtherUsersStay) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  fs::create_directory(path(kDead));
  ASSERT_EQ(::chown(path(kDead).c_str(), 1, 1), 0);
  removeAbandonedFolders(place_.path());
  EXPECT_TRUE(fs::exists(path(kDead)));
}

}  // namespace
}  // namespace koppla::core::temporary_folder_test
