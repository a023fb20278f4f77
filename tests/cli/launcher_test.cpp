// The program that finds Koppla's library and hands over to it.

#include <climits>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

/// The program in a folder whose path is as long as paths may be; the library's name does not fit behind it.
TEST(Launcher, SaysWhatToDoWhereItsOwnPathIsTooLong) {
  const Workspace workspace;
  std::filesystem::path folder = workspace.path();
  std::string enter;
  while (PATH_MAX - 10 > folder.native().size() + 3) {
    const std::size_t left = PATH_MAX - 10 - folder.native().size() - 2;
    const std::string name(std::min<std::size_t>(left, NAME_MAX), 'x');
    folder /= name;
    enter += "mkdir " + name + " && cd " + name + " && ";
  }
  workspace.write("k.sh", "cd \"$1\" && " + enter + "cp " KOPPLA_COMMAND " k && ./k check; echo \"code $?\"");
  const std::string script = workspace.path("k.sh").string();
  ASSERT_EQ(std::system(("sh " + script + " " + workspace.path().string() + " >" + script + ".out 2>&1").c_str()), 0);
  const std::string said = workspace.read("k.sh.out");
  EXPECT_THAT(said, HasSubstr("error: koppla cannot find its own place"));
  EXPECT_THAT(said, HasSubstr("install Koppla in a folder with a shorter path."));
  EXPECT_THAT(said, HasSubstr("code 70"));
}

}  // namespace
}  // namespace koppla::test::launcher_test
