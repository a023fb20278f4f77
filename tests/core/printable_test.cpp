#include "koppla/core/printable.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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

/// The bytes of every character by division, as RFC 3629 (3) draws them.
TEST(Utf8, EveryCharacterHasItsBytes) {
  std::size_t wrong = 0;
  for (char32_t code = 0; code <= 0x110000U; ++code) {
    const bool none = (code >= 0xD800U && code <= 0xDFFFU) || code > 0x10FFFFU;
    const unsigned c = none ? 0xFFFDU : static_cast<unsigned>(code);
    std::vector<unsigned> bytes;
    if (c < 128U)
      bytes = {c};
    else if (c < 2048U)
      bytes = {192U + c / 64U, 128U + c % 64U};
    else if (c < 65536U)
      bytes = {224U + c / 4096U, 128U + c / 64U % 64U, 128U + c % 64U};
    else
      bytes = {240U + c / 262144U, 128U + c / 4096U % 64U, 128U + c / 64U % 64U, 128U + c % 64U};
    std::string expected;
    for (const unsigned byte : bytes) expected += static_cast<char>(byte);
    std::string text = "x";
    appendUtf8(text, code);
    const Character read = firstCharacter(std::string_view(text).substr(1));
    if (text != "x" + expected || read.code != c || read.bytes != bytes.size()) ++wrong;
  }
  EXPECT_EQ(wrong, 0U);
}

/// The syntax of RFC 3629 (4), byte by byte, with ends of the range in the places that do not decide.
TEST(Utf8, OnlyWhatTheSyntaxAllowsIsACharacter) {
  const auto isTail = [](unsigned byte) { return byte >= 0x80U && byte <= 0xBFU; };
  const auto bytesOf = [&](unsigned first, unsigned second) -> std::size_t {
    if (first < 0x80U) return 1;
    const unsigned least = first == 0xE0U ? 0xA0U : first == 0xF0U ? 0x90U : 0x80U;
    const unsigned most = first == 0xEDU ? 0x9FU : first == 0xF4U ? 0x8FU : 0xBFU;
    if (first < 0xC2U || first > 0xF4U || second < least || second > most) return 0;
    return first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
  };
  std::size_t wrong = 0;
  for (unsigned first = 0; first < 256; ++first)
    for (unsigned second = 0; second < 256; ++second)
      for (const unsigned third : {0x7FU, 0x80U, 0xBFU, 0xC0U})
        for (const unsigned fourth : {0x7FU, 0x80U, 0xBFU, 0xC0U}) {
          std::size_t expected = bytesOf(first, second);
          if ((expected > 2 && !isTail(third)) || (expected > 3 && !isTail(fourth))) expected = 0;
          std::string text;
          for (const unsigned byte : {first, second, third, fourth}) text += static_cast<char>(byte);
          for (std::size_t size = 1; size <= 4; ++size)  // cut off, there is none
            if (firstCharacter(std::string_view(text).substr(0, size)).bytes != (size < expected ? 0 : expected))
              ++wrong;
        }
  EXPECT_EQ(wrong, 0U);
}

TEST(Utf8, WhatFitsIsTheLongestBeginningThatIsWhole) {
  const std::string text = "aä€\U0001F600ä\U0001F600€a";
  for (std::size_t bytes = 0; bytes <= text.size() + 2; ++bytes) {
    std::size_t longest = 0;
    for (std::size_t end = 0; end <= std::min(bytes, text.size()); ++end)
      if (isUtf8(std::string_view(text).substr(0, end))) longest = end;
    EXPECT_EQ(fitting(text, bytes), text.substr(0, longest)) << bytes;
  }
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

/// C0, delete and C1; marks, embeddings, overrides and isolates of direction; separators; annotations; no characters.
TEST(Printable, ShowsTheseAndNoOthers) {
  const std::vector<std::pair<unsigned, unsigned>> shown{{0x0, 0x1F},      {0x7F, 0x9F},     {0x61C, 0x61C},
                                                         {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069},
                                                         {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xFFFE, 0xFFFF}};
  std::size_t wrong = 0;
  for (unsigned code = 0; code <= 0x10FFFFU; ++code) {
    if (code >= 0xD800U && code <= 0xDFFFU) continue;
    const bool expected =
        std::ranges::any_of(shown, [&](const auto& range) { return code >= range.first && code <= range.second; });
    std::string text;
    appendUtf8(text, code);
    if ((printable(text) != text) != expected) ++wrong;
  }
  EXPECT_EQ(wrong, 0U);
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
