// What is wrong with the settings of a program is found before anything runs.

#include "koppla/program/settings.hpp"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "refusal.hpp"
#include "toy_program.hpp"

namespace koppla::program::settings_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SettingsTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string problems() const {
    const std::string all = test::refusal([&] { check(settings_); });
    return all == "no error" ? "" : all;
  }
  [[nodiscard]] fs::path at(const char* name) const { return toy_.folder.path() / name; }
  void makeExecutable(const char* name) const {
    fs::create_directories(at(name).parent_path());
    toy_.write(name, "#!/bin/sh\n");
    fs::permissions(at(name), fs::perms::owner_all);
  }

  test::Toy toy_{"true"};
  ProgramSettings& settings_ = toy_.settings;
};

using Words = std::vector<std::string>;

TEST_F(SettingsTest, AProgramIsFoundBesideTheProjectInPathOrInWhatItBrings) {
  makeExecutable("solver");
  makeExecutable("model/bin/tool");
  toy_.write("plain", "no program\n");
  settings_.folder = at("model");
  settings_.include = {at("plain")};
  settings_.deck = {{"script.sh", at("plain")}};
  for (const char* good : {"./solver", "./bin/tool", "bin/tool", "./plain", "./script.sh", "sh", "/bin/sh"}) {
    settings_.command = Words{good, "-x"};
    EXPECT_THAT(problems(), IsEmpty()) << good;
  }
  settings_.include.clear();
  for (const char* bad : {"./plain", "./tool", "./solver2", "bin/solver"}) {
    settings_.command = Words{bad, "sh"};
    EXPECT_THAT(problems(), HasSubstr("There is no program '" + std::string(bad) +
                                      "' that may be executed. Give its path from the project file"));
  }
  settings_.command = Words{"solver", "sh"};
  EXPECT_THAT(problems(), HasSubstr("There is no program 'solver' that may be executed. It is looked for in PATH"));
  for (const Command& none : {Command{Words{}}, Command{std::string()}}) {
    settings_.command = none;
    EXPECT_THAT(problems(), HasSubstr("There is no command. Write the program and its arguments."));
  }
}

TEST_F(SettingsTest, CommandsBeforeAndBehindItAreChecked) {
  settings_.before = Words{"./nothing"};
  EXPECT_THAT(problems(), HasSubstr("There is no program './nothing'"));
  settings_.before = std::string();
  settings_.after = Words{"./nothing"};
  EXPECT_THAT(problems(), HasSubstr("There is no program './nothing'"));
}

TEST_F(SettingsTest, OnlyAProgramBesideTheProjectGetsAnAbsolutePath) {
  makeExecutable("solver");
  const auto path = [&](const Command& command) { return std::get<Words>(located(command, settings_)); };
  EXPECT_EQ(path(Words{"./solver", "./input", "x"}), (Words{at("solver").string(), "./input", "x"}));
  EXPECT_EQ(path(Words{"solver", "./input"}), (Words{"solver", "./input"}));
  EXPECT_EQ(path(Words{"/bin/sh", "a/b"}), (Words{"/bin/sh", "a/b"}));
  EXPECT_EQ(path(Words{}), Words{});
  settings_.include = {at("solver")};
  EXPECT_EQ(path(Words{"./solver"}), Words{"./solver"}) << "in the folder of the call";
  EXPECT_EQ(std::get<std::string>(located(std::string("./solver"), settings_)), "./solver");
}

TEST_F(SettingsTest, NamesOfFilesStayInTheFolderOfTheCall) {
  for (const char* name : {"/etc/x", "../x", "a/../../x", "..", ".", "a/", "", "a/.."}) {
    settings_.outputs[0].reading.file = name;
    EXPECT_THAT(problems(), HasSubstr("The file of an output cannot have the name '" + std::string(name) + "'."))
        << name;
  }
  for (const char* name : {"y.csv", "a/b", "a/../y", "./y", "..y"}) {
    settings_.outputs[0].reading.file = name;
    EXPECT_THAT(problems(), IsEmpty()) << name;
  }
  settings_.inputs[0].file = "../x";
  EXPECT_THAT(problems(), HasSubstr("The file of an input cannot have the name '../x'."));
  settings_.inputs[0].file = "";
  EXPECT_THAT(problems(), IsEmpty()) << "nowhere";
  settings_.restart = {{.write = "../w", .read = "../r", .start = at("nothing")}};
  EXPECT_THAT(problems(), HasSubstr("A restart file cannot have the name '../w'."));
  EXPECT_THAT(problems(), HasSubstr("A restart file cannot have the name '../r'."));
  EXPECT_THAT(problems(), HasSubstr("There is no file " + at("nothing").string() + " to start from."));
  settings_.restart = {{.write = "w"}};
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(SettingsTest, NoFileLiesInAFolderThatIsALink) {
  fs::create_directories(at("model/data"));
  settings_.folder = at("model");
  settings_.outputs[0].reading.file = "data/../data/y.csv";
  EXPECT_THAT(problems(), IsEmpty());
  settings_.link = true;
  EXPECT_THAT(problems(), HasSubstr("The file of an output cannot be data/../data/y.csv: that folder is a link to "));
  for (const char* name : {"other/y.csv", "data", "y.csv"}) {
    settings_.outputs[0].reading.file = name;
    EXPECT_THAT(problems(), IsEmpty()) << name;
  }
}

TEST_F(SettingsTest, EveryFileIsMadeOnceAndNoneOfThemIsRead) {
  settings_.parameters = {{.field = {"p", {1}}, .file = "a/../x.csv"}};
  EXPECT_THAT(problems(), HasSubstr("The file a/../x.csv is made twice."));
  settings_.parameters[0].file = "p.csv";
  EXPECT_THAT(problems(), IsEmpty());
  settings_.outputs[0].reading.file = "./p.csv";
  EXPECT_THAT(problems(), HasSubstr("The output 'y' is read from ./p.csv, which is an input file."));
  settings_.outputs[0].reading.file = "deck";
  toy_.write("template", "{{x}} {{p}}\n");
  settings_.deck = {{"deck", at("template")}};
  EXPECT_THAT(problems(), HasSubstr("The output 'y' is read from deck, which is an input file."));
  settings_.outputs.clear();
  EXPECT_THAT(problems(), HasSubstr("The program has no outputs."));
}

TEST_F(SettingsTest, PortsHaveNamesValuesAndIdsOfTheirOwn) {
  const std::vector<std::pair<std::string, std::function<void(Field&)>>> mistakes{
      {"The name 'x' is taken.", [](Field& y) { y.name = "x"; }},
      {"The name 'iteration' is taken.", [](Field& y) { y.name = "iteration"; }},
      {"'y' has no values.", [](Field& y) { y.ids.clear(); }},
      {"'y' has no values.", [](Field& y) { y.components = 0; }},
      {"'y' has the id 3 twice.", [](Field& y) {
         y.ids = {3, 1, 3};
       }}};
  for (const auto& [message, make] : mistakes) {
    settings_.outputs[0].port.field = {"y", {1}};
    EXPECT_THAT(problems(), IsEmpty());
    make(settings_.outputs[0].port.field);
    EXPECT_THAT(problems(), HasSubstr(message));
  }
}

TEST_F(SettingsTest, StartValuesAreOneForAllOrOneEach) {
  PortSettings& port = settings_.inputs[0];
  port.field = {"x", {1, 2}, 2};
  for (const std::size_t good : {0U, 1U, 4U}) {
    port.start.assign(good, 0.5);
    EXPECT_THAT(problems(), IsEmpty()) << good;
  }
  for (const std::size_t bad : {2U, 3U, 5U}) {
    port.start.assign(bad, 0.5);
    EXPECT_THAT(problems(), HasSubstr("it has 4. Give one for all, or one each.")) << bad;
  }
}

TEST_F(SettingsTest, ReadingsDecksAndPatternsAreChecked) {
  settings_.outputs[0].reading.format = Format::block;
  EXPECT_THAT(problems(), HasSubstr("The output 'y' says not where its block begins."));
  settings_.outputs[0].reading.format = Format::csv;
  toy_.write("template", "{{nobody}} {{x}} {{t0}} {{t1}} {{step}} {{iteration}}\n");
  settings_.deck = {{"deck", at("template")}};
  EXPECT_THAT(problems(), HasSubstr("template:1: There is no input or parameter 'nobody'"));
  EXPECT_THAT(problems(), Not(HasSubstr("'iteration'")));
  settings_.deck = {{"deck", at("missing")}};
  EXPECT_THAT(problems(), HasSubstr("There is no file " + at("missing").string() + " to be the template of deck."));
  settings_.deck.clear();
  settings_.failurePatterns = {"good", "["};
  EXPECT_THAT(problems(), HasSubstr("'[' is no regular expression"));
}

TEST_F(SettingsTest, OnlyAServiceThatKeepsItsStateIsNeverTriedAgain) {
  settings_.retries = 1;
  EXPECT_THAT(problems(), IsEmpty());
  settings_.isTransient = true;
  EXPECT_THAT(problems(), IsEmpty());
  settings_.service = true;
  EXPECT_THAT(problems(), HasSubstr("there is nothing to try again"));
  settings_.retries = 0;
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(SettingsTest, PathsBecomeAbsoluteAndTheEmptyOnesStay) {
  const fs::path here = fs::current_path();
  ProgramSettings relative;
  relative.workFolder = "work";
  relative.folder = "model";
  relative.include = {"one", "two"};
  relative.deck = {{"deck", "template"}, {"deck2", "template2", "shown"}};
  relative.restart = {{.write = "w", .start = "s"}, {.write = "v"}};
  const ProgramSettings settled = withAbsolutePaths(relative);
  EXPECT_EQ(settled.projectFolder, here);
  EXPECT_EQ(settled.workFolder, here / "work");
  EXPECT_EQ(settled.folder, here / "model");
  EXPECT_EQ(settled.include, (std::vector<fs::path>{here / "one", here / "two"}));
  EXPECT_EQ(settled.deck[0].original, here / "template");
  EXPECT_EQ(settled.deck[0].shown, "template") << "as the user has written it";
  EXPECT_EQ(settled.deck[1].shown, "shown");
  EXPECT_EQ(settled.restart[0].start, here / "s");
  EXPECT_EQ(settled.restart[1].start, "");
  relative.projectFolder = "project";
  relative.workFolder = "";
  EXPECT_EQ(withAbsolutePaths(relative).projectFolder, here / "project");
  EXPECT_EQ(withAbsolutePaths(relative).workFolder, "");
}

TEST_F(SettingsTest, PathIsSearchedFromItsBeginning) {
  makeExecutable("a/only-a");
  makeExecutable("a/both");
  makeExecutable("b/both");
  makeExecutable("b/only-b");
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", (at("a").string() + ":" + at("b").string()).c_str(), 1);
  const fs::path a = findInPath("only-a");
  const fs::path both = findInPath("both");
  const fs::path b = findInPath("only-b");
  const fs::path none = findInPath("neither");
  ::unsetenv("PATH");
  const fs::path usual = findInPath("sh");
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(a, at("a/only-a"));
  EXPECT_EQ(both, at("a/both"));
  EXPECT_EQ(b, at("b/only-b"));
  EXPECT_EQ(none, "");
  EXPECT_EQ(usual, "/usr/bin/sh");
}

}  // namespace
}  // namespace koppla::program::settings_test
