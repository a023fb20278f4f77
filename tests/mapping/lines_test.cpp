#include "koppla/mapping/detail/lines.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::lines_test {
namespace {

using namespace detail;

using Parts = std::vector<std::string_view>;

TEST(Lines, AreCountedAndTrimmedWhateverEndsThem) {
  Lines lines(" one \r\n\n\ttwo\v\f\n three", "file");
  EXPECT_EQ(lines.number(), 0U);
  std::size_t number = 0;
  for (const std::string_view expected : {"one", "", "two", "three"}) {
    ASSERT_TRUE(lines.next());
    EXPECT_EQ(lines.line(), expected);
    EXPECT_EQ(lines.number(), ++number);
  }
  EXPECT_FALSE(lines.next());
  EXPECT_EQ(lines.number(), 4U);
  Lines ended("a\n", "file");
  EXPECT_TRUE(ended.next());
  EXPECT_FALSE(ended.next());
  EXPECT_FALSE(Lines("", "file").next());
}

TEST(Lines, AMistakeHasItsPlace) {
  Lines lines("a\nb", "the file");
  lines.next();
  lines.next();
  const core::Problem here = test::mistakeOf([&] { throw lines.mistake("What.", "Do."); });
  EXPECT_EQ(core::text(here), "the file:2:1: What. Do.");
  EXPECT_EQ(test::mistakeOf([&] { throw lines.mistakeAt(7, "What.", "Do."); }).place.line, 7U);
}

TEST(Lines, TrimmingLeavesWhatStandsInside) {
  EXPECT_EQ(trimmed(" \t a b \r\v\f"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Lines, CapitalsAreThoseOfAsciiOnly) {
  EXPECT_EQ(upperCase("azAZ`{@[09 _\xe4"), "AZAZ`{@[09 _\xe4");
}

TEST(Lines, FieldsStandBetweenDelimiters) {
  EXPECT_EQ(fields("a, b ,,c", ','), (Parts{"a", "b", "", "c"}));
  EXPECT_EQ(fields("a;b,c;", ';'), (Parts{"a", "b,c"}));
  EXPECT_EQ(fields(",", ','), Parts{""});
  EXPECT_EQ(fields("", ','), Parts{});
}

TEST(Lines, WordsStandBetweenBlanks) {
  EXPECT_EQ(words("  a\t bc  d "), (Parts{"a", "bc", "d"}));
  EXPECT_EQ(words("a"), Parts{"a"});
  EXPECT_EQ(words("   "), Parts{});
}

TEST(Lines, ForeignTextIsQuotedCutAndMadePrintable) {
  const std::string forty(40, 'x');
  EXPECT_EQ(inQuotes(forty), "'" + forty + "'");
  EXPECT_EQ(inQuotes(forty + "y"), "'" + forty + "...'");
  EXPECT_EQ(inQuotes("\x1f \x7e\x7f\xc3\n"), "'? ~" + std::string(3, '?') + "'");
  EXPECT_EQ(inQuotes(""), "''");
}

TEST(Lines, IntegersAreWhole) {
  EXPECT_EQ(integer("12"), 12);
  EXPECT_EQ(integer("+12"), 12);
  EXPECT_EQ(integer("-12"), -12);
  EXPECT_EQ(integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const char* text : {"", "+", "-", "+-1", "++1", "-+1", "1.5", "1e3", "12x", "x12", " 1", "9223372036854775808"})
    EXPECT_EQ(integer(text), std::nullopt) << text;
}

TEST(Lines, NumbersAreFiniteAndMayHaveFortransExponent) {
  EXPECT_EQ(real("-1.5"), -1.5);
  EXPECT_EQ(real("+1.5e1"), 15.0);
  EXPECT_EQ(real("1.5d1"), 15.0);
  EXPECT_EQ(real("-1.5D+01"), -15.0);
  EXPECT_EQ(real("+2D0"), 2.0);
  for (const char* text : {"", "+", "+-1", "nan", "inf", "-inf", "1e999", "1d999", "1x", "1dd1", "d1", "1,5"})
    EXPECT_EQ(real(text), std::nullopt) << text;
}

/// Numbers with the letter D are as long as Fortran writes them; others may have any length.
TEST(Lines, NumbersWithALetterDHaveAtMost64Characters) {
  const std::string digits(60, '3');
  EXPECT_EQ(real("0." + digits + "D0"), real("0." + digits));  // 64
  EXPECT_EQ(real("0." + digits + "3D0"), std::nullopt);
  EXPECT_EQ(real("0." + digits + "3e0"), 1.0 / 3.0);
}

TEST(Lines, WhatIsNoNumberIsTold) {
  Lines lines("1 x", "file");
  lines.next();
  EXPECT_EQ(requireInteger("5", "The id", lines), 5);
  EXPECT_EQ(requireReal("5.5", "A length", lines), 5.5);
  EXPECT_EQ(test::mistakeOf([&] { requireInteger("5.5", "The id", lines); }).message, "The id is '5.5'.");
  EXPECT_EQ(test::mistakeOf([&] { requireReal("x", "A length", lines); }).message, "A length is 'x'.");
}

}  // namespace
}  // namespace koppla::mapping::lines_test
