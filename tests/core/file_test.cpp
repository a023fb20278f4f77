#include "koppla/core/file.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

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

TEST(File, TooLargeOrMissingOrAFolderIsRefused) {
  const TemporaryFolder folder("test");
  writeWhole(folder.path() / "a.txt", "12345");
  EXPECT_THROW(readWhole(folder.path() / "a.txt", 4), InputError);
  EXPECT_THROW(readWhole(folder.path() / "b.txt"), InputError);
  EXPECT_THROW(readWhole(folder.path()), InputError);
}

}  // namespace
}  // namespace koppla::core
