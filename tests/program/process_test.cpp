// Commands that are run, limited and never left behind.

#include "koppla/program/process.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

namespace koppla::test {
namespace {

using program::Command;
using program::Ended;
using program::Ending;
using program::Launch;
using program::Limits;
using testing::HasSubstr;

class Process : public testing::Test {
 protected:
  Launch launch(Command command, Limits limits = {}) {
    return {std::move(command), folder_.path(), folder_.path() / "out", folder_.path() / "err", limits};
  }
  Ended run(Command command, Limits limits = {}) { return program::run(launch(std::move(command), limits)); }
  [[nodiscard]] std::string file(const char* name) const { return core::readWhole(folder_.path() / name); }

  /// Whether the process whose number a command left in a file is gone.
  [[nodiscard]] bool isGone(const char* name) const {
    const pid_t id = std::stoi(file(name));
    for (int i = 0; i < 2000; ++i) {  // a killed orphan is buried by the system a moment later
      if (::kill(id, 0) != 0 && errno == ESRCH) return true;
      const std::string status = "/proc/" + std::to_string(id) + "/stat";
      if (std::filesystem::exists(status)) {
        std::ifstream in(status);
        std::string line;
        std::getline(in, line);
        if (line.find(") Z ") != std::string::npos) return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  core::TemporaryFolder folder_{"process"};
};

/// As an FMU in the same process may leave it: the system then forgets how children ended.
TEST_F(Process, WhoseEndSomebodyElseTookHasEndedNobodyKnowsHow) {
  struct sigaction ignoring {};
  ignoring.sa_handler = SIG_IGN;
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGCHLD, &ignoring, &before), 0);
  const Ended good = run("true");
  const Ended late = run("sleep 100", {.seconds = 0.05});
  Launch stopped = launch("sleep 100");
  stopped.interrupted = [] { return true; };
  const Ended interrupted = program::run(stopped);
  ::sigaction(SIGCHLD, &before, nullptr);
  EXPECT_EQ(good.ending, Ending::unknown);
  EXPECT_THAT(text(good), HasSubstr("nobody knows how"));
  EXPECT_EQ(late.ending, Ending::outOfTime);
  EXPECT_EQ(interrupted.ending, Ending::interrupted);
}

TEST_F(Process, ItsStatusAndItsWordsAreKept) {
  const Ended ended = run(std::string("pwd; echo no >&2; exit 3"));
  EXPECT_EQ(ended.ending, Ending::exited);
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(program::text(ended), "ended with exit status 3");
  EXPECT_EQ(file("out"), std::filesystem::canonical(folder_.path()).string() + "\n");
  EXPECT_EQ(file("err"), "no\n");
}

/// What the shell's `times` says of itself and of processes that it has waited for, s; to a hundredth.
double saidByShell(const std::string& text) {
  std::istringstream in(text);
  double seconds = 0.0;
  for (std::string word; in >> word;) {  // "0m0.120000s"
    const std::size_t minutes = word.find('m');
    seconds += 60.0 * std::stod(word.substr(0, minutes)) + std::stod(word.substr(minutes + 1));
  }
  return seconds;
}

TEST_F(Process, ItsProcessorTimeIsWhatItSpentWithItsChildren) {
  const std::string work = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; ";
  const Ended busy = run(work + "sh -c '" + work + "'; times");
  const double said = saidByShell(file("out"));
  EXPECT_GT(said, 0.05) << "too little work to see";
  EXPECT_NEAR(busy.processorSeconds, said, 0.05);
  const Ended idle = run(std::string("sleep 0.3; times"));
  EXPECT_LT(idle.processorSeconds, 0.5 * idle.seconds);
}

TEST_F(Process, ArgumentsAreNotReadByAShell) {
  EXPECT_EQ(run(std::vector<std::string>{"printf", "%s|", "a b", "$HOME", "*"}).code, 0);
  EXPECT_EQ(file("out"), "a b|$HOME|*|");
}

TEST_F(Process, ASignalIsNamed) {
  const Ended ended = run(std::string("kill -SEGV $$"));
  EXPECT_EQ(ended.ending, Ending::killed);
  EXPECT_EQ(ended.code, SIGSEGV);
  EXPECT_EQ(program::text(ended), "was killed by signal 11 (Segmentation fault)");
}

TEST_F(Process, WhatDoesNotExistIsSaid) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP()
      << "ThreadSanitizer gives a started process memory of its own, and the reason why it cannot start is lost.";
#endif
  const Ended ended = run(std::vector<std::string>{"no-such-program-anywhere"});
  EXPECT_EQ(ended.ending, Ending::notStarted);
  EXPECT_EQ(program::text(ended), "could not be started: No such file or directory");
  Launch nowhere = launch(std::string("true"));
  nowhere.folder = folder_.path() / "nowhere";
  EXPECT_EQ(program::run(nowhere).ending, Ending::notStarted);
  nowhere.output = folder_.path() / "nowhere/out";
  EXPECT_THROW(program::run(nowhere), core::InputError);
}

TEST_F(Process, ASystemWithoutDescriptorsIsNotTheUsersInput) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "The sanitizers open files to look at objects.";
#endif
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_THROW(run(std::string("true")), core::FileError);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

/// As happens where programs are copied and started on several threads: a child of another one holds the file for a
/// moment.
TEST_F(Process, AFileThatIsStillOpenForWritingIsWaitedFor) {
  const std::filesystem::path tool = folder_.path() / "tool";
  const int written = ::open(tool.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
  ASSERT_GE(written, 0);
  const std::string_view script = "#!/bin/sh\nexit 5\n";
  ASSERT_EQ(::write(written, script.data(), script.size()), std::ssize(script));
  std::thread closer([written] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::close(written);
  });
  const Ended ended = run(std::vector<std::string>{tool.string()});
  closer.join();
  EXPECT_EQ(ended.ending, Ending::exited) << program::text(ended);
  EXPECT_EQ(ended.code, 5);
}

TEST_F(Process, TheTimeLimitEndsTheWholeGroup) {
  constexpr double kLimit = 2.0;  // s, in which a shell has come to its second command on a busy machine, too
  const Ended ended = run(std::string("sleep 60 & echo $! > child; wait"), {.seconds = kLimit});
  EXPECT_EQ(ended.ending, Ending::outOfTime);
  EXPECT_GE(ended.seconds, kLimit);
  EXPECT_TRUE(isGone("child"));
}

TEST_F(Process, WhatItLeavesRunningEndsWithIt) {
  EXPECT_EQ(run(std::string("sleep 60 & echo $! > child")).code, 0);
  EXPECT_TRUE(isGone("child"));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child or zombie of ours is left";
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(Process, FilesAndMemoryAreLimited) {
  const Ended full = run(std::string("exec head -c 3000000 /dev/zero > big"), {.fileBytes = 1'000'000});
  EXPECT_EQ(full.ending, Ending::killed);
  EXPECT_EQ(full.code, SIGXFSZ);
  EXPECT_LE(std::filesystem::file_size(folder_.path() / "big"), 1'000'000U);
  const std::string eater = "awk 'BEGIN { for (i = 0; i < 30; ++i) s = s s \"0123456789\"; print length(s) }'";
  EXPECT_NE(run(eater, {.memoryBytes = 100'000'000}).code, 0);
}

TEST_F(Process, AnInterruptionEndsIt) {
  Launch waiting = launch(std::string("echo $$ > child; sleep 60"));
  std::atomic<int> asked = 0;
  waiting.interrupted = [&] { return ++asked > 3; };
  EXPECT_EQ(program::run(waiting).ending, Ending::interrupted);
  EXPECT_TRUE(isGone("child"));
}

TEST_F(Process, ItSeesNeitherOurInputNorOurOpenFiles) {
  const int ours = ::open("/dev/null", O_RDONLY);  // as a library that forgets O_CLOEXEC
  ASSERT_GE(ours, 3);
  EXPECT_EQ(run(std::string("cat; ls /proc/self/fd | wc -l")).code, 0);
  ::close(ours);
  EXPECT_EQ(std::stoi(file("out")), 4) << "0, 1, 2 and the folder that ls reads";
}

TEST_F(Process, ItsEnvironmentIsOursAndWhatIsAdded) {
  Launch told = launch(std::string("echo $KOPPLA_STEP ${PATH:+path}"));
  told.environment = {"KOPPLA_STEP=12"};
  EXPECT_EQ(program::run(told).code, 0);
  EXPECT_EQ(file("out"), "12 path\n");
}

TEST_F(Process, ManyThreadsMayRunCommandsAtOnce) {
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const core::TemporaryFolder own("process");
      for (int call = 0; call < 20; ++call) {
        const Ended ended = program::run({std::vector<std::string>{"sh", "-c", "exit " + std::to_string(i)}, own.path(),
                                          own.path() / "out", own.path() / "err"});
        good += ended.ending == Ending::exited && ended.code == i ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 80);
}

}  // namespace
}  // namespace koppla::test
