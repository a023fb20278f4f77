// Folders of calls and the files in them, and what is said where there is no room for them.

#include "koppla/program/call_folder.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "refusal.hpp"
#include "support/full_disk.hpp"

namespace koppla::program::call_folder_test {
namespace {

namespace fs = std::filesystem;
using test::refusal;

class CallFolderTest : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path at(const char* name) const { return folder_.path() / name; }
  core::TemporaryFolder folder_{"call-folder"};
};

TEST_F(CallFolderTest, BelowAFileIsTheUsersInput) {
  core::writeWhole(at("file"), "x");
  EXPECT_THROW(CallFolders(at("file"), "toy", Keep::all), core::InputError);
}

TEST_F(CallFolderTest, AFileReplacesALinkAndNotWhatItLeadsTo) {
  core::writeWhole(at("new"), "new");
  core::writeWhole(at("users"), "old");
  fs::create_symlink(at("users"), at("link"));
  copyInto(at("new"), at("link"));
  EXPECT_EQ(core::readWhole(at("link")), "new");
  EXPECT_EQ(core::readWhole(at("users")), "old");
}

TEST_F(CallFolderTest, FilesThatDoNotFitOnTheDiskAreNotTheUsersInput) {
  core::writeWhole(at("restart.txt"), std::string(100'000, 'x'));
  const test::FullDisk full(50'000);
  try {
    copyInto(at("restart.txt"), at("copy.txt"));
    ADD_FAILURE() << "no error";
  } catch (const core::FileError& error) {
    EXPECT_EQ(error.what(), at("copy.txt").string() + " cannot become a copy of " + at("restart.txt").string() +
                                ": File too large. " + core::kMakeRoom);
  }
  EXPECT_THROW(RestartFiles({{.write = "restart.txt"}}, at("restart"), 1, folder_.path()), core::FileError);
}

TEST_F(CallFolderTest, AScriptMayStillBeExecuted) {
  const std::string content(3'000'000, '#');
  core::writeWhole(at("script"), content);
  fs::permissions(at("script"), fs::perms::owner_all);
  copyInto(at("script"), at("copy") / "script");
  EXPECT_EQ(core::readWhole(at("copy") / "script"), content);
  EXPECT_EQ(fs::status(at("copy") / "script").permissions(), fs::perms::owner_all);
}

TEST_F(CallFolderTest, AFileThatIsMissingIsTheUsersInput) {
  EXPECT_EQ(
      refusal([&] { copyInto(at("nowhere"), at("copy.txt")); }),
      at("nowhere").string() + " cannot be read: No such file or directory. Check the path and its permissions.\n");
}

TEST_F(CallFolderTest, APlaceThatCannotBeIsToldFromAFileThatIsMissing) {
  core::writeWhole(at("file"), "x");
  EXPECT_EQ(refusal([&] { copyInto(at("file"), at("file") / "copy.txt"); }),
            (at("file") / "copy.txt").string() + " cannot become a copy of " + at("file").string() +
                ": Not a directory. Choose a results folder that you may write to.\n");
}

TEST_F(CallFolderTest, OnlyFilesAreCopied) {
  fs::create_directory(at("folder"));
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);  // nobody will ever write to it
  for (const char* name : {"folder", "fifo"})
    EXPECT_EQ(refusal([&] { copyInto(at(name), at("copy.txt")); }),
              at(name).string() + " cannot be copied: it is no file. Name a file.\n");
  EXPECT_FALSE(fs::exists(at("copy.txt")));
}

TEST_F(CallFolderTest, AFolderIsCopiedWithAllThatIsInItAndWhatLinksLeadTo) {
  fs::create_directories(at("model") / "data/empty");
  core::writeWhole(at("model") / "deck", "1");
  core::writeWhole(at("model") / "data/mesh", "2");
  core::writeWhole(at("outside"), "3");
  fs::create_symlink(at("outside"), at("model") / "data/link");
  fs::create_directory_symlink(at("model") / "data", at("model") / "same");
  copyFolderInto(at("model"), at("copy"));
  EXPECT_EQ(core::readWhole(at("copy") / "deck"), "1");
  EXPECT_EQ(core::readWhole(at("copy") / "data/mesh"), "2");
  EXPECT_EQ(core::readWhole(at("copy") / "data/link"), "3");
  EXPECT_FALSE(fs::is_symlink(at("copy") / "data/link")) << "or the program would write to the user's file";
  EXPECT_EQ(core::readWhole(at("copy") / "same/mesh"), "2");
  EXPECT_FALSE(fs::is_symlink(at("copy") / "same"));
  EXPECT_TRUE(fs::is_directory(at("copy") / "data/empty"));
}

}  // namespace
}  // namespace koppla::program::call_folder_test
