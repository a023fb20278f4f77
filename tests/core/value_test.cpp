#include "koppla/core/value.hpp"

#include <cstdlib>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace koppla::core {
namespace {

TEST(Value, TextIsWhatAPersonWouldWrite) {
  EXPECT_EQ(text(Value(0.1)), "0.1");
  EXPECT_EQ(text(Value(std::int32_t{-3})), "-3");
  EXPECT_EQ(text(Value(true)), "true");
  EXPECT_EQ(text(Value(std::string("a b"))), "a b");
}

RC_GTEST_PROP(Value, TextOfARealReadsBackToTheSameDouble, (double x)) {
  RC_ASSERT(std::strtod(text(x).c_str(), nullptr) == x);
}

}  // namespace
}  // namespace koppla::core
