// Programs that stay alive between calls.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "toy_program.hpp"

namespace koppla::test {
namespace {

using testing::HasSubstr;

/// y = 3 x for every "run FOLDER"; `instead` does something else for x = 13.
struct Serving : Toy {
  explicit Serving(const std::string& instead = "false")
      : Toy("echo hello; while read word folder; do cd $folder; echo $$ > pid; if grep -q ' 13' x.csv; then " +
            instead + "; else " + kTriple + "; echo ok; fi; done; echo bye > ") {
    auto& line = std::get<std::string>(settings.command);
    line += (folder.path() / "ended").string();
    settings.service = true;
    settings.keep = program::Keep::all;
  }
  [[nodiscard]] std::string pid(const char* call) const { return core::readWhole(work() / call / "pid"); }
};

TEST(ProgramService, OneProcessTakesAllCallsAndEndsWithItsInput) {
  Serving toy;
  EXPECT_EQ(toy.evaluate(1.0), 3.0) << toy.made->failure();
  EXPECT_EQ(toy.evaluate(2.0), 6.0);
  EXPECT_EQ(toy.pid("s000000/i001"), toy.pid("s000000/i002"));
  toy.made->terminate();
  EXPECT_EQ(core::readWhole(toy.folder.path() / "ended"), "bye\n");
}

TEST(ProgramService, AnErrorIsToldInItsOwnWords) {
  Serving toy("echo error singular matrix");
  EXPECT_FALSE(toy.evaluate(13.0));
  EXPECT_THAT(toy.made->failure(), HasSubstr("The service answered 'error singular matrix'."));
}

TEST(ProgramService, AHangEndsAtTheTimeLimit) {
  Serving toy("sleep 60");
  toy.settings.limits.seconds = 0.2;
  EXPECT_FALSE(toy.evaluate(13.0));
  EXPECT_THAT(toy.made->failure(), HasSubstr("The service did not answer within its time limit of 0.2 s."));
}

TEST(ProgramService, ADeathIsToldAndANewOneStarted) {
  Serving toy("echo out of memory >&2; kill -KILL $$");
  EXPECT_EQ(toy.evaluate(1.0), 3.0) << toy.made->failure();
  EXPECT_FALSE(toy.evaluate(13.0));
  EXPECT_THAT(toy.made->failure(), HasSubstr("The service was killed by signal 9 (Killed) instead of answering."));
  EXPECT_THAT(toy.made->failure(), HasSubstr("out of memory"));
  EXPECT_EQ(toy.evaluate(2.0), 6.0);
  EXPECT_NE(toy.pid("s000000/i001"), toy.pid("s000000/i003"));
}

TEST(ProgramService, WhatItRemembersCannotBeBroughtBack) {
  Serving toy;
  toy.settings.isTransient = true;
  EXPECT_FALSE(toy.start().describe().capabilities.saveRestore);
  toy.settings.restart = {{.write = "state"}};
  EXPECT_TRUE(toy.start().describe().capabilities.saveRestore);
}

TEST(Service, OneThatKeepsItsStateToItselfIsNotTriedAgain) {
  Toy toy("cat");
  toy.settings.service = true;
  toy.settings.isTransient = true;
  toy.settings.retries = 2;
  EXPECT_THAT([&] { program::makeProgram(toy.settings, toy.log); },
              testing::ThrowsMessage<core::InputError>(testing::HasSubstr("there is nothing to try again")));
}

}  // namespace
}  // namespace koppla::test
