#include "koppla/core/descriptor.hpp"

#include <utility>

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

TEST(Descriptor, IsNeverAStandardOne) {
  const int kept = ::dup(STDIN_FILENO);
  ::close(STDIN_FILENO);
  {
    const Descriptor descriptor(openNull());  // the system gives the lowest that is free
    EXPECT_GT(descriptor.get(), STDERR_FILENO);
    EXPECT_FALSE(isOpen(STDIN_FILENO));
  }
  if (kept >= 0) {
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
  }
}

}  // namespace
}  // namespace koppla::core::descriptor_test
