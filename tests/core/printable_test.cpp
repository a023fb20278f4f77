#include "koppla/core/printable.hpp"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/core/utf8.hpp"

namespace koppla::core::printable_test {
namespace {

TEST(Utf8, IsToldFromOtherBytes) {
  EXPECT_TRUE(isUtf8("plain, \xc3\xa4, \xe2\x82\xac, \xf0\x9f\x98\x80"));
  EXPECT_FALSE(isUtf8("\xe4")) << "Latin-1";
  EXPECT_FALSE(isUtf8("\xc0\xaf")) << "longer than needed";
  EXPECT_FALSE(isUtf8("\xed\xa0\x80")) << "half of a pair of UTF-16";
  EXPECT_FALSE(isUtf8("\xf4\x90\x80\x80")) << "beyond U+10FFFF";
  EXPECT_FALSE(isUtf8("\xe2\x82")) << "cut off";
}

TEST(Utf8, CharactersAreReadAndWritten) {
  for (const char32_t code :
       {U'a', U'\x7f', U'\u0080', U'\u07ff', U'\u0800', U'\uffff', U'\U00010000', U'\U0010ffff'}) {
    std::string text;
    appendUtf8(text, code);
    EXPECT_EQ(firstCharacter(text).code, code);
    EXPECT_EQ(firstCharacter(text).bytes, text.size());
  }
  std::string none;
  appendUtf8(none, char32_t{0xD800});
  appendUtf8(none, char32_t{0x110000});
  EXPECT_EQ(none, "\uFFFD\uFFFD");
}

TEST(Utf8, WhatFitsEndsWithAWholeCharacter) {
  EXPECT_EQ(fitting("aäb", 4), "aäb");
  EXPECT_EQ(fitting("aäb", 3), "aä");
  EXPECT_EQ(fitting("aäb", 2), "a");
  EXPECT_EQ(fitting("€", 2), "");
  EXPECT_EQ(fitting("\x80\x80\x80\x80\x80\x80", 5), "\x80\x80") << "broken anyway";
}

TEST(Printable, LeavesTextAsItIs) {
  EXPECT_EQ(printable("Größe ω € 𝜋 日本 \\ \"'"), "Größe ω € 𝜋 日本 \\ \"'");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, ShowsControlCharacters) {
  EXPECT_EQ(printable(std::string_view("\0\a\b\x1b[31m\x7f", 9)), "\\u0000\\u0007\\u0008\\u001b[31m\\u007f");
  EXPECT_EQ(printable("a\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0"), "a\\u0080\\u009b\\u009f\xc2\xa0") << "C1, up to U+009F";
  EXPECT_EQ(printable("\x9b"), "\uFFFD") << "U+009B of Latin-1, which some terminals obey";
}

TEST(Printable, ShowsWhatTurnsTheOrderOfReading) {
  for (const char32_t code : {0x061cU, 0x200eU, 0x200fU, 0x2028U, 0x2029U, 0x202aU, 0x202bU, 0x202cU, 0x202dU, 0x202eU,
                              0x2066U, 0x2067U, 0x2068U, 0x2069U, 0xfeffU, 0xfffeU, 0xffffU}) {
    std::string text;
    appendUtf8(text, code);
    EXPECT_TRUE(printable(text).starts_with("\\u")) << std::hex << static_cast<unsigned>(code);
  }
}

TEST(Printable, TreatsLineEndsAsAsked) {
  EXPECT_EQ(printable("a\n\tb\r\nc\rd"), "a\\u000a\\u0009b\\u000d\\u000ac\\u000dd");
  EXPECT_EQ(printable("a\n\tb\r\nc\rd", LineEnds::kept), "a\n\tb\nc\\u000dd");
  EXPECT_EQ(printable("a\n\tb\r\nc\rd", LineEnds::indented), "a\n    \tb\n    c\\u000dd");
}

RC_GTEST_PROP(Printable, AnyBytesBecomeHarmless, (const std::string& bytes)) {
  const std::string shown = printable(bytes);
  RC_ASSERT(isUtf8(shown));
  RC_ASSERT(printable(shown) == shown);
  for (const char c : shown) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != '\x7f');
}

}  // namespace
}  // namespace koppla::core::printable_test
