#include "koppla/mechanics/rotation.hpp"

#include <gtest/gtest.h>

namespace koppla::mechanics {
namespace {

TEST(RotationWords, NameEveryRotationBothWays) {
  for (const Rotation rotation : kRotations) EXPECT_EQ(rotationNamed(word(rotation)), rotation);
  EXPECT_EQ(word(Rotation::eulerParameters), "euler-parameters");
  EXPECT_FALSE(rotationNamed("quaternion"));
}

}  // namespace
}  // namespace koppla::mechanics
