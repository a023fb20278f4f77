#include "koppla/core/descriptor.hpp"

#include <cerrno>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace koppla::core::descriptor_test {
namespace {

int openNull() {
  return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

bool isOpen(int number) {
  return ::fcntl(number, F_GETFD) >= 0;
}

TEST(Descriptor, ClosesWithItsOwner) {
  int number = -1;
  {
    const Descriptor descriptor(openNull());
    number = descriptor.get();
    EXPECT_TRUE(isOpen(number));
  }
  EXPECT_FALSE(isOpen(number));
}

TEST(Descriptor, MovesToAnotherOwner) {
  Descriptor first(openNull());
  const int number = first.get();
  Descriptor second;
  second = std::move(first);
  EXPECT_EQ(second.get(), number);
  EXPECT_EQ(second.close(), 0);
  EXPECT_FALSE(isOpen(number));
  EXPECT_EQ(second.get(), -1);
}

TEST(Descriptor, IsConstructedFromAnother) {
  Descriptor first(openNull());
  const int number = first.get();
  const Descriptor second(std::move(first));
  EXPECT_EQ(second.get(), number);
  EXPECT_EQ(first.get(), -1);  // NOLINT(bugprone-use-after-move): that it owns nothing is what is looked at
}

TEST(Descriptor, KeepsTheNumberThatItWasGiven) {
  const int number = openNull();
  const Descriptor descriptor(number);
  EXPECT_EQ(descriptor.get(), number);
  EXPECT_EQ(Descriptor(-1).get(), -1) << "nothing was opened";
}

TEST(Descriptor, TellsWhyItCouldNotBeClosed) {
  Descriptor closed(openNull());
  ::close(closed.get());
  EXPECT_EQ(closed.close(), EBADF);
  EXPECT_EQ(closed.close(), 0) << "there is nothing left to close";
  EXPECT_EQ(Descriptor().close(), 0);
}

TEST(Descriptor, AnErrorOfBeforeIsNotTakenForOneOfClosing) {
  Descriptor descriptor(openNull());
  errno = ENOSPC;
  EXPECT_EQ(descriptor.close(), 0);
}

TEST(Descriptor, IsNeverAStandardOne) {
  for (int lowest = STDIN_FILENO; lowest <= STDERR_FILENO; ++lowest) {
    std::vector<std::pair<int, int>> kept;  // of those that are free meanwhile: number, copy
    for (int number = lowest; number <= STDERR_FILENO; ++number) {
      kept.emplace_back(number, ::fcntl(number, F_DUPFD_CLOEXEC, 100));
      ::close(number);
    }
    int got = -1;
    bool staysOpen = false;
    {
      const Descriptor descriptor(openNull());  // the system gives the lowest that is free
      got = descriptor.get();
      staysOpen = isOpen(lowest);
    }
    for (const auto& [number, copy] : kept)
      if (copy >= 0) {
        ::dup2(copy, number);
        ::close(copy);
      }
    EXPECT_GT(got, STDERR_FILENO) << lowest;
    EXPECT_FALSE(staysOpen) << lowest;
  }
}

}  // namespace
}  // namespace koppla::core::descriptor_test
