#include "koppla/fmi/text.hpp"

#include <clocale>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/core/value.hpp"

namespace koppla::fmi {
namespace {

TEST(Text, RealsAreReadAsXmlSchemaWritesThem) {
  EXPECT_EQ(readReal("1.5"), 1.5);
  EXPECT_EQ(readReal("  \t-2e3\r\n"), -2000.0);
  EXPECT_EQ(readReal("+3"), 3.0);
  EXPECT_EQ(readReal(".5"), 0.5);
  EXPECT_EQ(readReal("INF"), HUGE_VAL);
  EXPECT_EQ(readReal("-INF"), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(readReal("NaN").value()));
  EXPECT_EQ(readReal("1e-400"), 0.0);
  EXPECT_EQ(readReal("-1E-400"), 0.0);
  EXPECT_EQ(readReal("+.25"), 0.25);
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" "), "");
}

TEST(Text, WhatIsNoRealIsNotRead) {
  for (const char* text :
       {"", " ", "1,5", "1.5 m", "0x10", "+-1", "one", "1e", "1e400", "1E+400", "--1", "+", "-", "++1"})
    EXPECT_FALSE(readReal(text)) << text;
}

TEST(Text, IntegersKeepToTheirRange) {
  EXPECT_EQ(readInteger(" -2147483648 "), -2147483647 - 1);
  EXPECT_FALSE(readInteger("2147483648"));
  EXPECT_FALSE(readInteger("1.0"));
  EXPECT_EQ(readUnsigned("4294967295"), 4294967295U);
  EXPECT_FALSE(readUnsigned("4294967296"));
  EXPECT_FALSE(readUnsigned("-1"));
}

TEST(Text, ALocaleWithCommasChangesNothing) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"}) std::setlocale(LC_ALL, name);
  EXPECT_EQ(readReal("1.5"), 1.5);
  std::setlocale(LC_ALL, before.c_str());
}

RC_GTEST_PROP(Text, EveryRealWrittenIsReadBack, (double value)) {
  RC_ASSERT(readReal(" " + core::text(value) + "\n") == value);
}

}  // namespace
}  // namespace koppla::fmi
