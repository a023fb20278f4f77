// Words and numbers as programs print them.

#include "koppla/program/detail/numbers.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace koppla::program::numbers_test {
namespace {

using detail::decimalCommaIn;
using detail::hasDecimalComma;
using detail::integer;
using detail::number;
using detail::trimmed;
using detail::words;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Numbers, AreReadAsCAndFortranPrintThem) {
  for (const auto& [word, value] : std::vector<std::pair<const char*, double>>{{"5", 5.0},
                                                                               {"+5", 5.0},
                                                                               {"-5", -5.0},
                                                                               {"+2.5e1", 25.0},
                                                                               {".5", 0.5},
                                                                               {"5.", 5.0},
                                                                               {"1d2", 100.0},
                                                                               {"1.5D-2", 0.015},
                                                                               {"-1.5d+2", -150.0},
                                                                               {"2.157476-110", 2.157476e-110},
                                                                               {"-1.5+110", -1.5e110},
                                                                               {"1.-110", 1e-110},
                                                                               {".5+100", 5e99}})
    EXPECT_EQ(number(word), value) << word;
}

TEST(Numbers, NothingElseIsOne) {
  for (const char* word :
       {"",     "+",     "-",   "+-5",   "++5",    "5+",      "5x",      "d5",     "D",    "e5",    "1d",   "1d5x",
        "1dd5", "1e5d2", ".-1", "1-110", "1.5-10", "1.5-1a0", "1.5*110", "20-1.0", ".-10", "1-.10", "1..2", "0x10"})
    EXPECT_EQ(number(word), std::nullopt) << word;
}

TEST(Numbers, WhatIsTooSmallIsZeroAndWhatIsTooLargeIsNotFinite) {
  for (const char* word : {"1e-999", "-1E-999", "1d-400", "1.5-999"}) EXPECT_EQ(number(word), 0.0) << word;
  for (const char* word : {"1e999", "1E+999", "1d400", "1.5+999"}) {
    ASSERT_TRUE(number(word)) << word;
    EXPECT_TRUE(std::isinf(*number(word))) << word;
  }
  const std::string zeros(400, '0');
  EXPECT_EQ(number("0." + zeros + "1"), 0.0);
  EXPECT_EQ(number("-." + zeros + "1"), 0.0);
  EXPECT_EQ(number("-0." + zeros + "1e+5"), 0.0) << "an exponent counts from the first digit";
  EXPECT_EQ(number("1e-99999999999999999999"), 0.0);
  for (const std::string& large : {"1" + zeros + "e-5", "1" + zeros + ".5d-5", "0.01" + zeros + "e500"})
    EXPECT_TRUE(std::isinf(number(large).value_or(0.0))) << large;
  EXPECT_TRUE(std::isinf(number("1e99999999999999999999").value_or(0.0)));
  EXPECT_TRUE(std::isinf(number(std::string(400, '9')).value_or(0.0)));
  EXPECT_TRUE(std::isinf(number(std::string(400, '9') + ".5").value_or(0.0)));
  EXPECT_TRUE(std::isnan(number("nan").value_or(0.0)));
}

TEST(Numbers, IdsAreWholeNumbers) {
  EXPECT_EQ(integer("500001"), 500001);
  EXPECT_EQ(integer("-3"), -3);
  for (const char* word : {"", "1.0", "12x", "x", "99999999999999999999"})
    EXPECT_EQ(integer(word), std::nullopt) << word;
}

TEST(Numbers, BlanksAroundATextAreLeftOut) {
  EXPECT_EQ(trimmed(" \t a b\v\f\r"), "a b");
  EXPECT_EQ(trimmed("x"), "x");
  EXPECT_EQ(trimmed(" \t\r"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Numbers, WordsStandBetweenBlanksCommasAndSemicolons) {
  EXPECT_THAT(words(" a, b ;c\td"), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(words("a"), ElementsAre("a"));
  EXPECT_THAT(words(" ,; "), IsEmpty());
}

TEST(Numbers, ASeparatorEndsACellThatMayBeEmpty) {
  EXPECT_THAT(words("node ; wall heat;c", ';'), ElementsAre("node", "wall heat", "c"));
  EXPECT_THAT(words(";b;", ';'), ElementsAre("", "b", ""));
  EXPECT_THAT(words("", ';'), ElementsAre(""));
  EXPECT_THAT(words("a b|c", '|'), ElementsAre("a b", "c"));
}

TEST(Numbers, ADecimalCommaStandsBetweenTwoDigitsOfANumber) {
  for (const char* word : {"2,5", "0,9", "9,0", "-2,5", "12,25", "1,5e-3", "1,5d3"})
    EXPECT_TRUE(hasDecimalComma(word)) << word;
  for (const char* word : {"", "25", "2.5", ",5", "5,", ",", "-,5", "5,e3", "1,2,3", "1.5,2", "1,5.2", "a1,5", "2,5x",
                           "x,5", "5,x", "/,5", ":,5", "5,:", "5,/"})
    EXPECT_FALSE(hasDecimalComma(word)) << word;
}

TEST(Numbers, CommasOfALineAreDecimalOnesWhereItsColumnsStandApartWithoutThem) {
  EXPECT_EQ(decimalCommaIn("1 2,5"), "2,5");
  EXPECT_EQ(decimalCommaIn("2,5 1"), "2,5");
  EXPECT_EQ(decimalCommaIn("1;2,5"), "2,5");
  EXPECT_EQ(decimalCommaIn("1,5 2,5"), "1,5") << "the first one";
  EXPECT_EQ(decimalCommaIn("a 1, 2,5"), "2,5");
  for (const char* line : {"", "1 2", "2,5", "  2,5 ", "1,2,5", "1, 2,5", "1 , 2,5", "1 ,2,5", "1, 2, 5", "1 2, 5"})
    EXPECT_EQ(decimalCommaIn(line), std::nullopt) << line;
}

TEST(Numbers, LinesAreCountedFromOneAndEndWithOrWithoutCarriageReturn) {
  detail::Lines lines("a\r\nb\n\nc\r");
  std::vector<std::string> seen;
  std::vector<std::size_t> numbers;
  while (const std::optional<std::string_view> line = lines.next()) {
    seen.emplace_back(*line);
    numbers.push_back(lines.number());
  }
  EXPECT_THAT(seen, ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(detail::Lines("").next(), std::nullopt);
}

TEST(Numbers, AreWrittenInTheShortestDigitsThatReadBack) {
  std::string text = "x=";
  detail::appendShortest(text, 0.1);
  detail::appendShortest(text += ' ', -1e300);
  detail::appendShortest(text += ' ', 5e-324);
  EXPECT_EQ(text, "x=0.1 -1e+300 5e-324");
}

}  // namespace
}  // namespace koppla::program::numbers_test
