#include "koppla/program/fingerprint.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "toy_program.hpp"

namespace koppla::program::fingerprint_test {
namespace {

class FingerprintTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string now() const { return fingerprint(toy_.settings); }

  test::Toy toy_{"sh $KOPPLA_PROJECT/solver.sh"};
};

TEST_F(FingerprintTest, StaysWhatItIs) {
  toy_.write("solver.sh", "true\n");
  EXPECT_EQ(now(), now());
}

TEST_F(FingerprintTest, ChangesWithTheScriptThatTheCommandNames) {
  toy_.write("solver.sh", "true\n");
  const std::string before = now();
  toy_.write("solver.sh", "tru3\n");
  EXPECT_NE(now(), before);
}

TEST(Fingerprint, FindsTheScriptHoweverAShellIsToldItsName) {
  for (const char* const command :
       {R"(sh "$KOPPLA_PROJECT"/solver.sh)", R"(sh "$KOPPLA_PROJECT/solver.sh")", "sh ${KOPPLA_PROJECT:-.}/solver.sh",
        R"(bash -c "sh '$KOPPLA_PROJECT'/solver.sh")", "sh <$KOPPLA_PROJECT/solver.sh", "true;sh solver.sh",
        "code --deck=$KOPPLA_PROJECT/solver.sh"}) {
    test::Toy toy{command};
    toy.write("solver.sh", "true\n");
    const std::string before = fingerprint(toy.settings);
    toy.write("solver.sh", "tru3\n");
    EXPECT_NE(fingerprint(toy.settings), before) << command;
  }
}

TEST_F(FingerprintTest, FindsTheScriptOfAProjectInTheWorkingFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(toy_.folder.path());
  toy_.settings.projectFolder.clear();
  toy_.write("solver.sh", "true\n");
  const std::string first = now();
  toy_.write("solver.sh", "tru3\n");
  const std::string second = now();
  std::filesystem::current_path(before);
  EXPECT_NE(first, second);
}

TEST_F(FingerprintTest, ChangesWithFilesOfTheFolderAlsoBehindLinks) {
  toy_.settings.folder = toy_.folder.path() / "model";
  std::filesystem::create_directories(toy_.settings.folder / "deep");
  std::filesystem::create_directory(toy_.folder.path() / "meshes");
  std::filesystem::create_directory_symlink(toy_.folder.path() / "meshes", toy_.settings.folder / "link");
  std::filesystem::create_directory_symlink(toy_.settings.folder, toy_.settings.folder / "deep/back");
  toy_.write("meshes/mesh", "1");
  toy_.write("model/deep/deck", "1");
  std::string before = now();
  EXPECT_EQ(now(), before);
  for (const char* const file : {"model/deep/deck", "meshes/mesh"}) {
    toy_.write(file, "2");
    EXPECT_NE(std::exchange(before, now()), now()) << file;
  }
}

TEST_F(FingerprintTest, ChangesWithTheOrderOfIds) {
  toy_.settings.outputs.front().port.field.ids = {1, 2, 3};
  const std::string before = now();
  toy_.settings.outputs.front().port.field.ids = {1, 3, 2};
  EXPECT_NE(now(), before);
}

TEST_F(FingerprintTest, ChangesWithTheColumnThatIsRead) {
  toy_.settings.outputs.front().reading.columns = {std::size_t{1}};
  const std::string before = now();
  toy_.settings.outputs.front().reading.columns = {std::size_t{2}};
  EXPECT_NE(now(), before);
}

}  // namespace
}  // namespace koppla::program::fingerprint_test
