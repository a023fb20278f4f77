// What a run folder keeps of its run beside the results: the project as it was run, what it was made of, how it goes.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include "koppla/core/descriptor.hpp"
#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "command.hpp"
#include "ingredient_list.hpp"
#include "project_copy.hpp"
#include "run_state.hpp"
#include "status_file.hpp"
#include "support/message_of.hpp"

namespace koppla::test::run_files_test {
namespace {

namespace fs = std::filesystem;
using cli::numberOf;
using cli::ProjectCopy;
using cli::readProjectCopy;
using cli::textOf;
using Json = nlohmann::json;

class RunFilesTest : public ::testing::Test {
 protected:
  RunFilesTest() { fs::create_directory(path()); }

  [[nodiscard]] fs::path path(const std::string& name = {}) const { return folder_.path() / "run" / name; }
  fs::path write(const std::string& name, const std::string& text) const {
    core::writeWhole(path(name), text);
    return path(name);
  }

  core::TemporaryFolder folder_{"run-files"};
};

using ProjectCopyTest = RunFilesTest;

TEST_F(ProjectCopyTest, TellsWhereItComesFromAndWhatTheCommandLineChanged) {
  const std::string begin = "# Copy of /some where/p.toml as it was run; relative paths start from there.\n";
  EXPECT_EQ(textOf(ProjectCopy{"/some where/p.toml", "format = 1\n", {}}), begin + "format = 1\n");
  EXPECT_EQ(textOf(ProjectCopy{"/some where/p.toml", "format = 1", {}}), begin + "format = 1") << "to the letter";
  const std::string changed =
      "\n# Changed on the command line for this run:\n# --set simulation.end=2\n# --set a.k=\"x = y\"\n";
  const std::vector<project::Override> overrides{{"simulation.end", "2"}, {"a.k", "\"x = y\""}};
  EXPECT_EQ(textOf(ProjectCopy{"/some where/p.toml", "format = 1\n", overrides}), begin + "format = 1\n" + changed);
  EXPECT_EQ(textOf(ProjectCopy{"/some where/p.toml", "format = 1", overrides}), begin + "format = 1\n" + changed);
  EXPECT_TRUE(textOf(ProjectCopy{"/a\nb.toml", "", {}}).starts_with("# Copy of /a?b.toml as it was run;"))
      << "in one line";
  EXPECT_TRUE(
      textOf(ProjectCopy{"p.toml", "", {}}).starts_with("# Copy of " + fs::absolute("p.toml").string() + " as"));
}

TEST_F(ProjectCopyTest, ReadsBackToTheSame) {
  const std::string inside = "format = 1\n\n# Changed on the command line for this run:\n# --set a.b=7\n# mine\n";
  for (const std::string& text : {std::string("format = 1\n"), std::string(), inside})
    for (const std::vector<project::Override>& overrides :
         {std::vector<project::Override>{{"simulation.end", "2"}},
          std::vector<project::Override>{{"a.k", "[1, 2]"}, {"b.name", "\"=\""}, {"a.k", "3"}}}) {
      const ProjectCopy back =
          readProjectCopy(write("project.toml", textOf(ProjectCopy{"/x/p.toml", text, overrides})));
      EXPECT_EQ(back.origin, "/x/p.toml");
      EXPECT_EQ(back.text, text.empty() ? "" : text);
      ASSERT_EQ(back.overrides.size(), overrides.size());
      for (std::size_t i = 0; i < overrides.size(); ++i) {
        EXPECT_EQ(back.overrides[i].name, overrides[i].name);
        EXPECT_EQ(back.overrides[i].value, overrides[i].value);
      }
    }
  const ProjectCopy plain =
      readProjectCopy(write("project.toml", textOf(ProjectCopy{"/x/p.toml", "format = 1\n", {}})));
  EXPECT_EQ(plain.text, "format = 1\n");
  EXPECT_TRUE(plain.overrides.empty());
}

TEST_F(ProjectCopyTest, OtherFilesAreNone) {
  const std::string as = " as it was run; relative paths start from there.";
  const std::vector<std::string> others{"", "format = 1\n", "# Copy of /x/p.toml" + as,
                                        "# Copy of /x/p.toml\nformat = 1\n",
                                        "# From /x/p.toml" + as + "\nformat = 1\n"};
  for (const std::string& text : others)
    EXPECT_EQ(
        messageOf<core::InputError>([&] { readProjectCopy(write("project.toml", text)); }),
        path("project.toml").string() +
            ":1: This is not the copy of a project that a run keeps. Give the folder of a run, as `koppla run` has "
            "made it.")
        << text;
}

using IngredientListTest = RunFilesTest;

TEST_F(IngredientListTest, HasALineForEachAndReadsBack) {
  const cli::IngredientList list{{"/x/b c.fmu", "0123456789abcdef"}, {"The program 'p'", "00000000000000ff"}};
  const std::string text = "0123456789abcdef /x/b c.fmu\n00000000000000ff The program 'p'\n";
  EXPECT_EQ(textOf(list), text);
  EXPECT_EQ(cli::readIngredients(write("ingredients.txt", text)), list);
  EXPECT_EQ(cli::readIngredients(write("ingredients.txt", "one\n" + text + "\ntwo\n")), list)
      << "what has no name is none";
}

TEST_F(IngredientListTest, TellsOfOtherContent) {
  const auto listOf = [this](const std::string& name, const std::string& samples) {
    write(name, samples);
    core::Log log;
    std::string quoted = name;
    if (const std::size_t end = quoted.find('\n'); end != std::string::npos) quoted.replace(end, 1, "\\n");
    return cli::ingredientsOf(
        project::readText("format = 1\nsimulation = { end = 1.0, step = 0.5 }\n[[subsystems]]\nname = \"s\"\nmodel = "
                          "\"signal\"\nfile = \"" +
                              quoted + "\"\n",
                          path("p.toml"), log));
  };
  const cli::IngredientList list = listOf("s.csv", "time,y\n0,1\n1,2\n");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list.begin()->first, path("s.csv").string());
  EXPECT_EQ(list.begin()->second.size(), 16U);
  EXPECT_EQ(listOf("s.csv", "time,y\n0,1\n1,2\n"), list);
  EXPECT_NE(listOf("s.csv", "time,y\n0,1\n1,3\n").begin()->second, list.begin()->second);
  const cli::IngredientList strange = listOf("a\nb.csv", "time,y\n0,1\n1,2\n");
  ASSERT_EQ(strange.size(), 1U);
  EXPECT_EQ(strange.begin()->first, path("a?b.csv").string()) << "in one line";
}

class RunStateTest : public RunFilesTest {
 protected:
  RunStateTest() { write("project.toml", textOf(ProjectCopy{"/x/p.toml", "format = 1\n", {}})); }
};

TEST_F(RunStateTest, IsThatOfTheFilesInTheFolder) {
  cli::RunState state = cli::readRunState(path());
  EXPECT_FALSE(state.isRunning || state.progress || state.statistics || state.isCompleted());
  write("status.json", R"({"time": 2.5})");
  write("statistics.json", R"({"outcome": "completed"})");
  state = cli::readRunState(path());
  ASSERT_TRUE(state.progress && state.statistics);
  EXPECT_EQ(numberOf(*state.progress, "time"), 2.5);
  EXPECT_EQ(textOf(*state.statistics, "outcome"), "completed");
  EXPECT_TRUE(state.isCompleted());
  write("statistics.json", R"({"outcome": "interrupted"})");
  EXPECT_FALSE(cli::readRunState(path()).isCompleted());
}

TEST_F(RunStateTest, IsRunningWhileAProcessHoldsTheFolder) {
  write("statistics.json", R"({"outcome": "completed"})");
  const core::Descriptor held(::open(path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(held.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_TRUE(cli::readRunState(path()).isRunning);
  EXPECT_FALSE(cli::readRunState(path()).isCompleted()) << "those are the statistics of a run before";
  ASSERT_EQ(::flock(held.get(), LOCK_UN), 0);
  EXPECT_FALSE(cli::readRunState(path()).isRunning);
}

TEST_F(RunStateTest, FilesThatAreDamagedTellNothing) {
  for (const char* text : {"", "{", "[1]", "3", "\"text\"", "{\"a\": 1"}) {
    write("status.json", text);
    write("statistics.json", text);
    const cli::RunState state = cli::readRunState(path());
    EXPECT_FALSE(state.progress || state.statistics || state.isCompleted()) << text;
  }
  fs::remove(path("status.json"));
  fs::create_directory(path("status.json"));
  EXPECT_FALSE(cli::readRunState(path()).progress);
}

TEST_F(RunStateTest, OnlyAFolderWithAProjectIsOne) {
  const auto said = [](const fs::path& folder) {
    return messageOf<core::InputError>([&] { cli::readRunState(folder); });
  };
  const std::string remedy =
      " is not the folder of a run. `koppla run` makes it: PROJECT.run beside the project file, or as "
      "--folder says.";
  EXPECT_EQ(said(path("nowhere")), path("nowhere").string() + remedy);
  EXPECT_EQ(said(path("project.toml")), path("project.toml").string() + remedy);
  fs::create_directories(path("empty"));
  EXPECT_EQ(said(path("empty")), path("empty").string() + remedy);
  fs::create_directories(path("strange/project.toml"));
  EXPECT_EQ(said(path("strange")), path("strange").string() + remedy);
}

TEST(RunState, EntriesOfAnotherKindAreNone) {
  const Json document{{"text", "abc"}, {"number", 2.5}, {"whole", -3}, {"list", {1}}, {"flag", true}};
  EXPECT_EQ(cli::textOf(document, "text"), "abc");
  EXPECT_EQ(cli::numberOf(document, "number"), 2.5);
  EXPECT_EQ(cli::numberOf(document, "whole"), -3.0);
  for (const char* key : {"number", "list", "flag", "none"}) EXPECT_EQ(cli::textOf(document, key), "") << key;
  for (const char* key : {"text", "list", "flag", "none"}) EXPECT_EQ(cli::numberOf(document, key), 0.0) << key;
}

using StatusFileTest = RunFilesTest;

TEST_F(StatusFileTest, IsThereFromTheBeginningToTheEnd) {
  {
    const cli::StatusFile status(path("status.json"), -1.5, 2.5);
    const Json document = Json::parse(core::readWhole(path("status.json")));
    EXPECT_EQ(document["format"], 1);
    EXPECT_EQ(document["process"], ::getpid());
    EXPECT_EQ(document["start"], -1.5);
    EXPECT_EQ(document["end"], 2.5);
    EXPECT_EQ(document["time"], -1.5) << "it stands at its start";
    EXPECT_EQ(document["step"], 0.0);
    EXPECT_EQ(document["accepted_steps"], 0);
    EXPECT_EQ(document["iteration"], 0);
    EXPECT_EQ(document["residual"], 0.0);
    EXPECT_FALSE(document.contains("call"));
  }
  EXPECT_FALSE(fs::exists(path("status.json")));
}

TEST_F(StatusFileTest, TellsProgressTwiceASecondAtMost) {
  cli::StatusFile status(path("status.json"), 0.0, 4.0);
  const auto told = [this] { return Json::parse(core::readWhole(path("status.json"))); };
  const run::Progress progress{
      .time = 1.5, .step = 0.25, .steps = 7, .failures = 2, .elapsed = 3.0, .iteration = 5, .residual = 0.125};
  status.show(progress);
  EXPECT_EQ(told()["time"], 0.0) << "it has just been written";
  ASSERT_TRUE(eventually([&] {
    status.show(progress);
    return told()["time"] == 1.5;
  }));
  const Json document = told();
  EXPECT_EQ(document["step"], 0.25);
  EXPECT_EQ(document["accepted_steps"], 7);
  EXPECT_EQ(document["iteration"], 5);
  EXPECT_EQ(document["residual"], 0.125);
}

}  // namespace
}  // namespace koppla::test::run_files_test
