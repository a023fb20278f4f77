#include "koppla/core/fork_mark.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace koppla::core::fork_mark_test {
namespace {

constexpr int kWentOn = 42;

/// The exit code of a child that looks at the mark, and goes on if it may.
int codeOfChild(bool setsItAnew) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (setsItAnew) ForkMark::set();
    ForkMark::endIfForked();
    ::_exit(kWentOn);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ForkMark, EndsAChildAndLeavesItsParentAlone) {
  ForkMark::set();
  EXPECT_EQ(codeOfChild(false), EXIT_FAILURE);
  ForkMark::endIfForked();
}

TEST(ForkMark, LeavesAChildAloneThatIsAProcessInItsOwnRight) {
  ForkMark::set();
  EXPECT_EQ(codeOfChild(true), kWentOn);
}

/// The exit code of a child that tests how it computes, by numbers that are gone in a child.
int codeOfChildThatComputes(bool setsItAnew) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (setsItAnew) ForkMark::set();
    ::_exit(computesAsUsual(ForkMark::testNumbers()) ? kWentOn : EXIT_FAILURE);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ForkMark, IsSeenByTheTestOfRounding) {
  ForkMark::set();
  EXPECT_TRUE(computesAsUsual(ForkMark::testNumbers()));
  EXPECT_EQ(codeOfChildThatComputes(false), EXIT_FAILURE);
  EXPECT_EQ(codeOfChildThatComputes(true), kWentOn);
}

/// Instances are made in one thread while those of another step. What is wrong about it shows under ThreadSanitizer.
TEST(ForkMark, MayBeSetWhileOthersLookAtIt) {
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) ForkMark::endIfForked();
  });
  for (int i = 0; i < 1000; ++i) ForkMark::set();
  done = true;
  other.join();
}

}  // namespace
}  // namespace koppla::core::fork_mark_test
