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

TEST(Value, TypesHaveTheirWords) {
  EXPECT_EQ(word(Type::real), "real");
  EXPECT_EQ(word(Type::integer), "integer");
  EXPECT_EQ(word(Type::boolean), "boolean");
  EXPECT_EQ(word(Type::string), "string");
  EXPECT_EQ(word(Type::enumeration), "enumeration");
}

TEST(Value, TheLongestRealsAreWrittenWhole) {
  EXPECT_EQ(text(-2.2250738585072014e-308), "-2.2250738585072014e-308");
  EXPECT_EQ(text(Value(false)), "false");
}

TEST(Value, ClearedValuesHoldNothing) {
  Values values{{1.0}, {2}, {1}, {"a"}};
  values.clear();
  EXPECT_EQ(values, Values{});
}

RC_GTEST_PROP(Value, TextOfARealReadsBackToTheSameDouble, (double x)) {
  RC_ASSERT(std::strtod(text(x).c_str(), nullptr) == x);
}

}  // namespace
}  // namespace koppla::core
