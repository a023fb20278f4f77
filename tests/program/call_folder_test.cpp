// Folders of calls and the files in them, and what is said where there is no room for them.

#include "koppla/program/call_folder.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "support/full_disk.hpp"

namespace koppla::program::call_folder_test {
namespace {

namespace fs = std::filesystem;

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
  EXPECT_THROW(copyInto(at("nowhere"), at("copy.txt")), core::InputError);
}

}  // namespace
}  // namespace koppla::program::call_folder_test
