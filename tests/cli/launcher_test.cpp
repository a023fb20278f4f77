// The program that finds Koppla's library and hands over to it.

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "command.hpp"

namespace koppla::test::launcher_test {
namespace {

using ::testing::HasSubstr;

TEST(Launcher, TakesNoLibraryFromTheWorkingFolder) {
  Workspace workspace;
  workspace.write("p.toml", project());
  for (const char* name :
       {"libkoppla.so", "libhdf5_serial.so.103", "libsundials_cvode.so.6", "libzip.so.4", "libz.so.1", "libfmt.so.9",
        "libspdlog.so.1.10", "libcrypto.so.3", "libstdc++.so.6", "libc.so.6"})
    workspace.write(name, "planted");
  const Result result = workspace.run({"run", "p.toml", "--quiet"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
}

TEST(Launcher, AnswersForTheVersionWhatTheLibraryAnswers) {
  const Workspace workspace;
  const Result asked = workspace.run({"version"});
  EXPECT_EQ(asked.exitCode, 0);
  // With a further word the library answers.
  EXPECT_EQ(workspace.run({"--version", "run"}).out, asked.out);
  EXPECT_EQ(workspace.runWithoutStreams({"version"}), 0);
}

/// What the program alone says when it is asked to check, and its exit code, where its folder has a path of so many
/// characters (0: any) and that content is beside it as libkoppla.so (empty: nothing is).
std::string launched(std::size_t length, const std::string& library = {}, const std::string& asked = "check") {
  const Workspace workspace;
  std::filesystem::path folder = workspace.path();
  std::string enter = "cd " + folder.string();
  while (folder.native().size() < length) {
    const std::size_t left = length - folder.native().size() - 1;  // without the slash
    // What is left for the next one needs a slash and a letter.
    const std::string name(left > NAME_MAX ? std::min<std::size_t>(left - 2, NAME_MAX) : left, 'x');
    folder /= name;
    enter += " && mkdir " + name + " && cd " + name;
  }
  if (!library.empty()) {
    workspace.write("library", library);
    enter += " && cp " + workspace.path("library").string() + " libkoppla.so";
  }
  workspace.write("k.sh", enter + " && cp " KOPPLA_COMMAND " k && ./k " + asked + "; echo \"code $?\"");
  const std::string script = workspace.path("k.sh").string();
  EXPECT_EQ(std::system(("sh " + script + " >" + script + ".out 2>&1").c_str()), 0);
  return workspace.read("k.sh.out");
}

/// Scripts ask for it often: nothing else is loaded.
TEST(Launcher, AnswersForTheVersionWithoutItsLibrary) {
  const Workspace workspace;
  const std::string answer = workspace.run({"version"}).out + "code 0\n";
  EXPECT_EQ(launched(0, {}, "version"), answer);
  EXPECT_EQ(launched(0, {}, "--version"), answer);
  for (const char* other : {"", "help", "version run", "run version"})
    EXPECT_THAT(launched(0, {}, other), HasSubstr("error: koppla's library is missing")) << other;
}

TEST(Launcher, AReaderOfTheVersionThatHasGoneIsAFailedWrite) {
  const Workspace workspace;
  const std::string said = workspace.path("said.txt").string();
  const std::string code = workspace.path("code.txt").string();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  std::fflush(stdout);
  const int own = ::dup(STDOUT_FILENO);
  ::dup2(ends[1], STDOUT_FILENO);
  const int shell = std::system((KOPPLA_COMMAND " version 2>" + said + "; echo $? >" + code).c_str());
  ::dup2(own, STDOUT_FILENO);
  ::close(own);
  ::close(ends[1]);
  EXPECT_EQ(shell, 0);
  EXPECT_EQ(workspace.read("code.txt"), "6\n");
  EXPECT_EQ(workspace.read("said.txt"),
            "error: Standard output cannot be written: Broken pipe. Send it to a place with room.\n");
}

TEST(Launcher, SaysWhereItsLibraryIsMissing) {
  const std::string said = launched(0);
  EXPECT_THAT(said, HasSubstr("error: koppla's library is missing: there is neither /"));
  EXPECT_THAT(said, HasSubstr("/libkoppla.so nor /"));
  EXPECT_THAT(said, HasSubstr("code 70"));
}

TEST(Launcher, SaysWhatIsWrongWithItsLibrary) {
  const std::string damaged = launched(0, "no library");
  EXPECT_THAT(damaged, HasSubstr("error: koppla's library cannot be loaded: /"));
  EXPECT_THAT(damaged, HasSubstr("code 70"));
  const std::string other = launched(0, core::readWhole(KOPPLA_FMU_DIR "/Gain/binaries/linux64/Gain.so"));
  EXPECT_THAT(other, HasSubstr("/libkoppla.so is not koppla's library: it lacks koppla_main."));
  EXPECT_THAT(other, HasSubstr("code 70"));
}

/// Whether there is room behind the path of the folder for the longer one of both places of the library is decided to
/// the character: the path and the byte that ends it have PATH_MAX bytes.
TEST(Launcher, SaysWhatToDoWhereItsOwnPathIsTooLong) {
  const std::string said = launched(0);
  const std::size_t folder = said.find("neither ") + 8;
  const std::size_t second = said.find(" nor ") + 5;
  const std::size_t relative =
      said.find("/libkoppla.so", second) + 13 - second - (said.find("/libkoppla.so", folder) - folder);
  const std::size_t longest = PATH_MAX - 1 - relative;
  EXPECT_THAT(launched(longest), HasSubstr("koppla's library is missing"));
  const std::string tooLong = launched(longest + 1);
  EXPECT_THAT(tooLong, HasSubstr("error: koppla cannot find its own place"));
  EXPECT_THAT(tooLong, HasSubstr("install Koppla in a folder with a shorter path."));
  EXPECT_THAT(tooLong, HasSubstr("code 70"));
  EXPECT_THAT(launched(PATH_MAX - 4), HasSubstr("error: koppla cannot find its own place"));
}

}  // namespace
}  // namespace koppla::test::launcher_test
