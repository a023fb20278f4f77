// The program that finds Koppla's library and hands over to it.

#include <gtest/gtest.h>

#include "command.hpp"

namespace koppla::test::launcher_test {
namespace {

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

}  // namespace
}  // namespace koppla::test::launcher_test
