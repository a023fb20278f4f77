#include "koppla/core/interruption.hpp"

#include <gtest/gtest.h>

namespace koppla::core {
namespace {

TEST(Interruption, IsWishedForFromItsRequestUntilItIsForgotten) {
  EXPECT_FALSE(interruptionRequested()) << "nobody has asked for it so far";
  requestInterruption();
  EXPECT_TRUE(interruptionRequested());
  EXPECT_TRUE(interruptionRequested()) << "a look does not change it";
  forgetInterruption();
  EXPECT_FALSE(interruptionRequested());
}

}  // namespace
}  // namespace koppla::core
