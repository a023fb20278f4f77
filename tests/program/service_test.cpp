// Programs that stay alive between calls.

#include "koppla/program/service.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

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

/// The service itself, in a folder of its own.
struct Direct {
  core::TemporaryFolder folder{"service"};

  [[nodiscard]] program::Service made(const std::string& line, double seconds = 0.0,
                                      std::function<bool()> interrupted = {}) const {
    program::Launch launch{.command = line, .folder = folder.path(), .output = {}, .errors = folder.path() / "errors"};
    launch.limits.seconds = seconds;
    launch.interrupted = std::move(interrupted);
    return program::Service(launch);
  }
};

TEST(Service, AnswersComeLineByLineHoweverTheyAreCutIntoPieces) {
  const Direct direct;
  program::Service service = direct.made(
      "while read line; do echo \"log of $line\"; echo; printf ' o'; printf 'k\\r\\n'; read line; printf "
      "'okay\\nerrors\\nerror\\n'; "
      "read line; printf 'error  of line\\nrest\\n'; done");
  EXPECT_EQ(service.request("first"), "");
  EXPECT_EQ(service.request("second"), "The service answered 'error'.");
  EXPECT_EQ(service.request("third"), "The service answered 'error  of line'.");
  EXPECT_EQ(service.request("fourth"), "") << "what came too late belongs to nobody";
}

TEST(Service, RequestsOfAnyLengthArrive) {
  const Direct direct;
  program::Service service =
      direct.made("while read line; do test ${#line} -eq 300000 && echo ok || echo error ${#line}; done");
  EXPECT_EQ(service.request(std::string(300'000, 'x')), "");
  EXPECT_EQ(service.request("x"), "The service answered 'error 1'.");
}

TEST(Service, OneThatEndsIsTold) {
  const Direct direct;
  program::Service ended = direct.made("read line; exit 3");
  EXPECT_EQ(ended.request("go"), "The service ended with exit status 3 instead of answering.");
  EXPECT_EQ(ended.request("again"), "The service ended with exit status 3 instead of answering.");
}

TEST(Service, HasItsTimeForEveryRequest) {
  const Direct direct;
  program::Service service = direct.made("while read line; do sleep $line; echo ok; done", 0.25);
  EXPECT_EQ(service.request("0"), "");
  EXPECT_EQ(service.request("60"), "The service did not answer within its time limit of 0.25 s.");
}

TEST(Service, AnInterruptionIsTold) {
  const Direct direct;
  int asked = 0;
  program::Service service = direct.made("read line; read line", 0.0, [&] { return ++asked > 1; });
  EXPECT_EQ(service.request("go"), "The service was interrupted.");
}

TEST(Service, ThatCannotBeStartedIsTold) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer gives a started process memory of its own.";
#endif
  const Direct direct;
  program::Launch launch{.command = std::vector<std::string>{"no-such-program-anywhere"},
                         .folder = direct.folder.path(),
                         .output = {},
                         .errors = direct.folder.path() / "errors"};
  EXPECT_THAT([&] { program::Service{launch}; }, testing::ThrowsMessage<core::SubsystemError>(testing::StrEq(
                                                     "The service could not be started: No such file or directory.")));
}

}  // namespace
}  // namespace koppla::test
