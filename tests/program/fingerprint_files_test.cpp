// Which files count as parts of a command, and by what (docs/programs.md).

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/program/fingerprint.hpp"

#include "toy_program.hpp"

namespace koppla::program::fingerprint_files_test {
namespace {

namespace fs = std::filesystem;

/// A variable of the environment, for a while.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A project in a folder of its own below that of a toy.
struct Project {
  explicit Project(Command command) : toy("") {
    toy.settings.command = std::move(command);
    toy.settings.projectFolder = root();
    fs::create_directory(root());
  }
  [[nodiscard]] fs::path root() const { return toy.folder.path() / "project"; }
  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((root() / name).parent_path());
    core::writeWhole(root() / name, text);
  }
  [[nodiscard]] std::string now() const { return fingerprint(toy.settings); }

  test::Toy toy;
};

/// Whether the content of a file below the project's folder counts.
bool counts(const Command& command, const char* file) {
  const Project project(command);
  project.write("d/calc.py", "2\n");
  project.write(file, "2\n");
  const std::string before = project.now();
  project.write(file, "7\n");
  return project.now() != before;
}

TEST(FingerprintFiles, QuotesAndBackslashesAreThoseOfAShell) {
  EXPECT_TRUE(counts(R"(sh "$KOPPLA_PROJECT/a b.sh")", "a b.sh"));
  EXPECT_TRUE(counts(R"(sh $KOPPLA_PROJECT/a\ b.sh)", "a b.sh"));
  EXPECT_TRUE(counts(R"(sh $KOPPLA_PROJECT/it\;)", "it;"));
  EXPECT_TRUE(counts(R"(cat "it's")", "it's"));
  EXPECT_TRUE(counts(R"(cat 'say "no"')", "say \"no\""));
  EXPECT_TRUE(counts(R"(cat 'a\b')", "a\\b"));
  EXPECT_FALSE(counts(R"(cat 'a\b')", "ab"));
  EXPECT_TRUE(counts("cat in.txt \\", "in.txt"));
  EXPECT_FALSE(counts(R"(cp "in.txt" $KOPPLA_PROJECT/out.txt)", "out.txt")) << "written, behind a word in quotes";
  EXPECT_FALSE(counts(R"(cp 'in.txt' $KOPPLA_PROJECT/out.txt)", "out.txt"));
}

TEST(FingerprintFiles, EveryCommandOfALineStandsForItself) {
  EXPECT_TRUE(counts("cat in.txt;true", "in.txt"));
  EXPECT_TRUE(counts("(cat in.txt)", "in.txt"));
  EXPECT_TRUE(counts("cp a b; cat in.txt", "in.txt")) << "not the target of cp";
  EXPECT_TRUE(counts("cp a b&&cat in.txt", "in.txt"));
  EXPECT_TRUE(counts("cp a b\ncat in.txt", "in.txt"));
  EXPECT_FALSE(counts("cat in.txt; cp a $KOPPLA_PROJECT/out.txt", "out.txt"));
  EXPECT_TRUE(counts("tee >($KOPPLA_PROJECT/solver.sh)", "solver.sh"));
  EXPECT_TRUE(counts("cat<in.txt>log", "in.txt"));
  EXPECT_FALSE(counts("cat<in.txt>log", "log"));
  EXPECT_FALSE(counts("cat > log in.txt", "log"));
  EXPECT_TRUE(counts("cat > log in.txt", "in.txt"));
}

TEST(FingerprintFiles, VariablesAreThoseOfTheLineOrOfTheEnvironment) {
  const Variable models("KOPPLA_TEST_MODELS", "d");
  ::unsetenv("KOPPLA_TEST_UNSET");
  EXPECT_TRUE(counts("D=d; cat $KOPPLA_PROJECT/$D/calc.py", "d/calc.py"));
  EXPECT_TRUE(counts("cat $KOPPLA_TEST_MODELS/calc.py", "d/calc.py"));
  EXPECT_TRUE(counts("KOPPLA_TEST_MODELS=e; cat $KOPPLA_TEST_MODELS/calc.py", "e/calc.py")) << "the line's own";
  EXPECT_FALSE(counts("cat $KOPPLA_TEST_UNSET/calc.py", "KOPPLA_TEST_UNSET/calc.py"));
  EXPECT_TRUE(counts("cat $KOPPLA_TEST_UNSET/calc.py", "$KOPPLA_TEST_UNSET/calc.py"))
      << "a name that nobody knows stays";
  EXPECT_TRUE(counts("DECK=$KOPPLA_PROJECT/in.txt code", "in.txt"));
  EXPECT_FALSE(counts("DATA=$KOPPLA_PROJECT/d code", "d/calc.py")) << "a folder given in another way";
  EXPECT_TRUE(counts("$KOPPLA_PROJECT/a=b", "a=b")) << "no variable but a program";
  EXPECT_TRUE(counts("N=3 cp -r $KOPPLA_PROJECT/d .", "d/calc.py")) << "the command stands behind its variables";
}

TEST(FingerprintFiles, TheWorkingFolderIsNotThatOfTheCall) {
  for (const char* const name : {"PWD", "OLDPWD"}) {
    const Project project("cat $" + std::string(name) + "/in.txt");
    const Variable variable(name, project.root().string());
    project.write("in.txt", "2\n");
    const std::string before = project.now();
    project.write("in.txt", "7\n");
    EXPECT_EQ(project.now(), before) << name;
  }
  const Project project("cd d; cat in.txt");
  project.write("d/in.txt", "2\n");
  const fs::path working = fs::current_path();
  fs::current_path(project.root());
  const std::string before = project.now();
  project.write("d/in.txt", "7\n");
  const std::string after = project.now();
  fs::current_path(working);
  EXPECT_EQ(after, before) << "a folder of the call";
}

TEST(FingerprintFiles, FoldersOfTheProjectInAPathCountWhereverTheyStand) {
  EXPECT_TRUE(counts("PYTHONPATH=/x:$KOPPLA_PROJECT/d:/y python3 -m calc", "d/calc.py"));
  EXPECT_TRUE(counts("PYTHONPATH=$KOPPLA_PROJECT/e:$KOPPLA_PROJECT/d python3 -m calc", "d/calc.py"));
  EXPECT_TRUE(counts("MYPATH=$KOPPLA_PROJECT/d: calc", "d/calc.py"));
  Project project("");
  const fs::path outside = project.toy.folder.path() / "outside";
  fs::create_directory(outside);
  project.toy.settings.command = "PYTHONPATH=" + outside.string() + " python3 -m calc";
  core::writeWhole(outside / "calc.py", "2\n");
  const std::string before = project.now();
  core::writeWhole(outside / "calc.py", "7\n");
  EXPECT_EQ(project.now(), before) << "nor do those of others";
}

TEST(FingerprintFiles, WhatIsCopiedCountsWithAllThatIsInIt) {
  EXPECT_TRUE(counts("rsync -a $KOPPLA_PROJECT/d x", "d/calc.py"));
  EXPECT_TRUE(counts("cp -r $KOPPLA_PROJECT/* .", "d/calc.py"));
  EXPECT_FALSE(counts("ls $KOPPLA_PROJECT/d", "d/calc.py")) << "not copied";
  EXPECT_FALSE(counts("ls $KOPPLA_PROJECT/*", "d/calc.py"));
  EXPECT_TRUE(counts("$KOPPLA_PROJECT/cp", "cp")) << "a program of that name";
  EXPECT_FALSE(counts("cp -r $KOPPLA_PROJECT/d/* .", "d/__pycache__/calc.pyc"));
}

TEST(FingerprintFiles, FoldersOfRunsAndStudiesDoNotCount) {
  for (const char* const mark : {"ingredients.txt", "study.journal"})
    for (const char* const copied : {"cp -r $KOPPLA_PROJECT/run .", "cp -r $KOPPLA_PROJECT/* ."}) {
      const Project project(copied);
      project.write("in.txt", "1");
      const std::string empty = project.now();
      project.write(fs::path("run") / mark, "1");
      project.write("run/results.csv", "1");
      const std::string before = project.now();
      EXPECT_EQ(before, empty) << copied;
      project.write("run/results.csv", "2");
      EXPECT_EQ(project.now(), before) << copied;
    }
}

TEST(FingerprintFiles, NamesCountWhereAPatternOrAFolderIsTaken) {
  for (const char* const command : {"cat $KOPPLA_PROJECT/d/*.py", "cp -r $KOPPLA_PROJECT/d ."}) {
    const Project project(command);
    project.write("d/calc.py", "2\n");
    const std::string before = project.now();
    fs::rename(project.root() / "d/calc.py", project.root() / "d/calc2.py");
    EXPECT_NE(project.now(), before) << command;
  }
}

TEST(FingerprintFiles, TheOrderInWhichFilesWereMadeDoesNotMatter) {
  std::vector<std::string> prints;
  for (const bool backward : {false, true}) {
    Project project("true");
    project.toy.settings.folder = project.root();
    for (int i = 0; i < 20; ++i) {
      const std::string number = std::to_string(backward ? 19 - i : i);
      project.write("file" + number, number);
    }
    prints.push_back(project.now());
  }
  EXPECT_EQ(prints.front(), prints.back());
}

/// Writes a file whose time stays what it was.
void writeInSilence(const fs::path& file, const std::string& text) {
  const fs::file_time_type time = fs::last_write_time(file);
  core::writeWhole(file, text);
  fs::last_write_time(file, time);
}

TEST(FingerprintFiles, ContentCountsAndTimeDoesNot) {
  const Project project("sh $KOPPLA_PROJECT/solver.sh");
  const fs::path script = project.root() / "solver.sh";
  project.write("solver.sh", "true\n");
  const std::string before = project.now();
  fs::last_write_time(script, fs::last_write_time(script) - std::chrono::hours(1));
  EXPECT_EQ(project.now(), before);
  writeInSilence(script, "tru3\n");
  EXPECT_NE(project.now(), before);
}

TEST(FingerprintFiles, LargeFilesGoBySizeAndTime) {
  constexpr std::size_t kLarge = std::size_t{1} << 20U;
  const Project project("cat $KOPPLA_PROJECT/mesh");
  const fs::path mesh = project.root() / "mesh";
  project.write("mesh", std::string(kLarge, 'a'));
  const std::string justSmall = project.now();
  writeInSilence(mesh, std::string(kLarge, 'b'));
  EXPECT_NE(project.now(), justSmall) << "by its content";
  writeInSilence(mesh, std::string(kLarge + 1, 'a'));
  const std::string large = project.now();
  writeInSilence(mesh, std::string(kLarge + 1, 'b'));
  EXPECT_EQ(project.now(), large);
  writeInSilence(mesh, std::string(kLarge + 2, 'b'));
  EXPECT_NE(project.now(), large) << "by its size";
  writeInSilence(mesh, std::string(kLarge + 1, 'b'));
  fs::last_write_time(mesh, fs::last_write_time(mesh) - std::chrono::hours(1));
  EXPECT_NE(project.now(), large) << "by its time";
}

/// Whether the content of a program below the project's folder counts with that PATH.
bool countsInPath(const char* command, const char* program, const char* path = nullptr, bool inProject = false) {
  const Project project(command);
  project.write(program, "#!/bin/sh\n# 2\n");
  fs::permissions(project.root() / program, fs::perms::owner_all);
  const Variable variable("PATH", path == nullptr ? (project.root() / "bin").string() : path);
  const fs::path working = fs::current_path();
  if (inProject) fs::current_path(project.root());
  const std::string before = project.now();
  project.write(program, "#!/bin/sh\n# 7\n");
  fs::permissions(project.root() / program, fs::perms::owner_all);
  const std::string after = project.now();
  fs::current_path(working);
  return after != before;
}

TEST(FingerprintFiles, PathIsSearchedForNamesAlone) {
  EXPECT_TRUE(countsInPath("mycalc", "bin/mycalc"));
  EXPECT_FALSE(countsInPath("sub/mycalc", "bin/sub/mycalc")) << "a path, which PATH has nothing to do with";
  EXPECT_FALSE(countsInPath("mycalc", "bin/mycalc", "bin:/usr/bin", true)) << "the call has another working folder";
}

}  // namespace
}  // namespace koppla::program::fingerprint_files_test
