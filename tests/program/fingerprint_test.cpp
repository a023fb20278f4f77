#include "koppla/program/fingerprint.hpp"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "toy_program.hpp"

namespace koppla::program::fingerprint_test {
namespace {

namespace fs = std::filesystem;

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

/// A variable of the environment, for a while.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* const before = std::getenv(name);
    before_ = before == nullptr ? "" : before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::setenv(name_, before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

TEST(Fingerprint, ChangesWithTheProgramThatPathFinds) {
  for (const Command& command :
       {Command{std::vector<std::string>{"mycalc"}}, Command{std::string("mycalc > log")},
        Command{std::string("true && N=3 mycalc")}, Command{std::vector<std::string>{"timeout", "9", "mycalc"}}}) {
    test::Toy toy{""};
    toy.settings.command = command;
    std::filesystem::create_directory(toy.folder.path() / "bin");
    toy.write("bin/mycalc", "#!/bin/sh\necho 2\n");
    std::filesystem::permissions(toy.folder.path() / "bin/mycalc", std::filesystem::perms::owner_all);
    const std::string path = (toy.folder.path() / "bin").string() + ":/usr/bin:/bin";
    const Variable variable("PATH", path);
    const std::string before = fingerprint(toy.settings);
    EXPECT_EQ(fingerprint(toy.settings), before) << text(command);
    core::writeWhole(toy.folder.path() / "bin/mycalc", "#!/bin/sh\necho 7\n");
    std::filesystem::permissions(toy.folder.path() / "bin/mycalc", std::filesystem::perms::owner_all);
    EXPECT_NE(fingerprint(toy.settings), before) << text(command);
  }
}

/// Whether a change of the file below the project's folder changes the fingerprint of the command.
bool notices(const std::string& command, const char* file) {
  test::Toy toy{command};
  std::filesystem::create_directories(toy.folder.path() / "d/__pycache__");
  toy.write("d/calc.py", "2\n");
  toy.write(file, "2\n");
  const Variable home("HOME", (toy.folder.path() / "d").string());
  const std::string before = fingerprint(toy.settings);
  toy.write(file, "7\n");
  return fingerprint(toy.settings) != before;
}

TEST(Fingerprint, FindsFilesByVariablesAndInFoldersOfTheCommand) {
  for (const char* const command :
       {"python3 ~/calc.py", "python3 $HOME/calc.py", "S=$KOPPLA_PROJECT/d; python3 ${S}/calc.py",
        "cp $KOPPLA_PROJECT/d/* . ; python3 calc.py", "cat $KOPPLA_PROJECT/d/*.py | python3",
        "cp -r $KOPPLA_PROJECT/d . ; python3 d/calc.py", "ln -s $KOPPLA_PROJECT/d/ x",
        "D=$PWD; cd $KOPPLA_PROJECT/d; cp calc.py $D; cd $D; python3 calc.py",
        "PYTHONPATH=$KOPPLA_PROJECT/d python3 -m calc", "export D=$KOPPLA_PROJECT/d; python3 $D/calc.py",
        "readonly A=1 D=$KOPPLA_PROJECT/d; python3 $D/calc.py", "awk -f\"$KOPPLA_PROJECT/d/calc.py\"",
        "solve -Id/calc.py"})
    EXPECT_TRUE(notices(command, "d/calc.py")) << command;
}

/// It may be one that a command writes, as many are called like an option.
TEST(Fingerprint, ALongOptionIsNoFileOfItsName) {
  EXPECT_FALSE(notices("solve --log", "log"));
  EXPECT_TRUE(notices("solve --log=log", "log"));
  EXPECT_TRUE(notices("solve -llog", "log"));
}

TEST(Fingerprint, WhatACommandWritesIsNoPartOfIt) {
  EXPECT_FALSE(notices("solve > $KOPPLA_PROJECT/log", "log"));
  EXPECT_FALSE(notices("solve && cp out.txt $KOPPLA_PROJECT/d", "d/out.txt"));
  EXPECT_FALSE(notices("cd $KOPPLA_PROJECT/d && ./solve", "d/out.txt"));
  EXPECT_FALSE(notices("cp -r $KOPPLA_PROJECT/d .", "d/__pycache__/calc.pyc"));
  EXPECT_FALSE(notices("cp -r $KOPPLA_PROJECT .", "log"));  // runs are written there
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

TEST_F(FingerprintTest, ChangesWithTheCommandsThemselves) {
  std::set<std::string> prints{now()};
  for (Command* const command : {&toy_.settings.before, &toy_.settings.command, &toy_.settings.after})
    for (const char* const line : {"true --a", "true --b"}) {
      *command = line;
      EXPECT_TRUE(prints.insert(now()).second) << line;
    }
  toy_.settings.after = "sh after.sh";
  toy_.write("after.sh", "1");
  const std::string before = now();
  toy_.write("after.sh", "2");
  EXPECT_NE(now(), before);
}

TEST_F(FingerprintTest, ChangesWithEverythingThatPortsSay) {
  using Settings = ProgramSettings;
  const std::vector<std::pair<const char*, std::function<void(Settings&)>>> changes{
      {"name of an input", [](Settings& s) { s.inputs[0].field.name = "z"; }},
      {"components of an input", [](Settings& s) { s.inputs[0].field.components = 2; }},
      {"ids of an input", [](Settings& s) { s.inputs[0].field.ids = {2}; }},
      {"file of an input", [](Settings& s) { s.inputs[0].file = "z.csv"; }},
      {"no input", [](Settings& s) { s.inputs.clear(); }},
      {"name of an output", [](Settings& s) { s.outputs[0].port.field.name = "z"; }},
      {"components of an output", [](Settings& s) { s.outputs[0].port.field.components = 2; }},
      {"file of an output", [](Settings& s) { s.outputs[0].reading.file = "z.csv"; }},
      {"column of ids", [](Settings& s) { s.outputs[0].reading.idColumn = std::size_t{1}; }},
      {"name of the column of ids", [](Settings& s) { s.outputs[0].reading.idColumn = "id"; }},
      {"name of a column", [](Settings& s) { s.outputs[0].reading.columns = {"v"}; }},
      {"format", [](Settings& s) { s.outputs[0].reading.format = Format::columns; }},
      {"which one is taken", [](Settings& s) { s.outputs[0].reading.take = Take::first; }},
      {"separator", [](Settings& s) { s.outputs[0].reading.separator = ';'; }},
      {"point", [](Settings& s) { s.outputs[0].reading.point = 2; }},
      {"key", [](Settings& s) { s.outputs[0].reading.key = "k"; }},
      {"begin", [](Settings& s) { s.outputs[0].reading.begin = "k"; }},
      {"end", [](Settings& s) { s.outputs[0].reading.end = "k"; }},
      {"quantity", [](Settings& s) { s.outputs[0].reading.quantity = "k"; }},
      {"set", [](Settings& s) { s.outputs[0].reading.set = "k"; }}};
  std::set<std::string> prints{now()};
  for (const auto& [what, change] : changes) {
    ProgramSettings changed = toy_.settings;
    change(changed);
    EXPECT_TRUE(prints.insert(fingerprint(changed)).second) << what;
  }
}

TEST_F(FingerprintTest, ChangesWithFilesThatComeAlongAndTheirNames) {
  for (const char* const name : {"one", "two", "other"}) toy_.write(name, "same");
  const fs::path folder = toy_.folder.path();
  ProgramSettings& settings = toy_.settings;
  settings.include = {folder / "one"};
  settings.deck = {{"deck", folder / "two"}};
  settings.restart = {{.write = "state"}, {.write = "other", .start = folder / "other"}};
  std::set<std::string> prints{now()};
  for (const char* const name : {"one", "two", "other"}) {
    toy_.write(name, "diff");
    EXPECT_TRUE(prints.insert(now()).second) << name;
  }
  settings.deck.front().name = "deck2";
  EXPECT_TRUE(prints.insert(now()).second) << "name of a deck";
  toy_.write("three", "diff");
  settings.include = {folder / "three"};
  EXPECT_TRUE(prints.insert(now()).second) << "name of a file";
  settings.folder = folder / "model";
  fs::create_directory(settings.folder);
  toy_.write("model/mesh", "1");
  EXPECT_TRUE(prints.insert(now()).second) << "a folder";
  fs::rename(settings.folder / "mesh", settings.folder / "mesh2");
  EXPECT_TRUE(prints.insert(now()).second) << "name of a file in the folder";
}

}  // namespace
}  // namespace koppla::program::fingerprint_test
