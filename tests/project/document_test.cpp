// TOML as a document of entries with places.

#include "koppla/project/document.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/project/toml_text.hpp"

#include "problem_list.hpp"

namespace koppla::project::document_test {
namespace {

using test::ProblemList;
using test::problemsOf;

ProblemList problemsIn(const std::string& text) {
  return problemsOf([&] { parseToml(text, "x.toml"); });
}

const ProblemList kSound{"no error"};

/// "a.a.a" of so many parts.
std::string deepKey(std::size_t parts, const std::string& part = "a") {
  std::string key = part;
  for (std::size_t i = 1; i < parts; ++i) key += "." + part;
  return key;
}

const std::string kDots(150, '.');

TEST(Document, EntriesStandInTheOrderOfTheTextWithTheirPlaces) {
  const Table table = parseToml("b = 1\na = [2.5,\n  'x']\nt = { z = true, y = 2020-01-01 }\n", "x.toml");
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[0].key + table[1].key + table[2].key, "bat");
  EXPECT_EQ(table[1].place.file, "x.toml");
  EXPECT_EQ(table[1].place.line, 2U);
  EXPECT_EQ(table[1].place.column, 1U);
  EXPECT_EQ(std::get<std::int64_t>(table[0].node.value), 1);
  EXPECT_EQ(table[0].node.place.column, 5U);
  const Array& array = std::get<Array>(table[1].node.value);
  ASSERT_EQ(array.size(), 2U);
  EXPECT_EQ(std::get<double>(array[0].value), 2.5);
  EXPECT_EQ(std::get<std::string>(array[1].value), "x");
  EXPECT_EQ(array[1].place.line, 3U);
  EXPECT_EQ(array[1].place.column, 3U);
  const Table& inner = std::get<Table>(table[2].node.value);
  ASSERT_EQ(inner.size(), 2U);
  EXPECT_EQ(inner[0].key, "z") << "before y, as written";
  EXPECT_EQ(std::get<bool>(inner[0].node.value), true);
  EXPECT_TRUE(std::holds_alternative<Moment>(inner[1].node.value));
}

TEST(Document, AKeyHasUpToAHundredParts) {
  EXPECT_EQ(problemsIn(deepKey(100) + " = 1\n"), kSound);
  EXPECT_EQ(problemsIn("x = 1\n" + deepKey(101) + " = 1\n"),
            ProblemList{"2:200 This key has more than 100 parts. Names of options and ports have a few."});
  EXPECT_EQ(problemsIn(deepKey(101) + " = 1\n").front().substr(0, 23), "1:200 This key has more");
  EXPECT_EQ(problemsIn("[" + deepKey(101) + "]\n").front().substr(0, 23), "1:201 This key has more");
}

TEST(Document, DotsInTextsCommentsAndNumbersArePartsOfNoKey) {
  for (const std::string& text : std::vector<std::string>{
           "x = \"" + kDots + "\"\n", "x = '" + kDots + "'\n", "x = \"\"\"\n" + kDots + "\n\"" + kDots + "\"\"\"\n",
           "x = '''\n" + kDots + "\n'" + kDots + "'''\n", "# " + kDots + "\nx = 1\n", "x = 1 # " + kDots,
           "\"" + kDots + "\" = 1\n", "x = \"a\\\"" + kDots + "\"\n", "x = \"\"\"a\\\"\"\"" + kDots + "\"\"\"\n",
           "x = ['a', \"" + kDots + "\"]\n"})
    EXPECT_EQ(problemsIn(text), kSound) << text;
  std::string numbers = "x = [";
  std::string lines;
  std::string inlined = "t = {";
  for (int i = 0; i < 150; ++i) {
    numbers += "1.5, ";
    lines += "k" + std::to_string(i) + ".a = 1.5\n";
    inlined += (i > 0 ? ", k" : "k") + std::to_string(i) + ".a = 1.5";
  }
  EXPECT_EQ(problemsIn(numbers + "]\n"), kSound);
  EXPECT_EQ(problemsIn(lines), kSound);
  EXPECT_EQ(problemsIn(inlined + "}\n"), kSound);
  EXPECT_EQ(problemsIn("x = [[[" + std::string("1.5],[") + "1.5]]]\n"), kSound);
}

TEST(Document, KeysBehindTextsAndCommentsAreCounted) {
  const std::string deep = deepKey(101);
  for (const std::string& text : std::vector<std::string>{
           "x = \"\"\"\"\"\"\n" + deep + " = 1\n", "x = ''''''\n" + deep + " = 1\n", "x = 'a\\'\n" + deep + " = 1\n",
           "t = {x = \"\", " + deep + " = 1}\n", "x = \"a\"\n" + deep + " = 1\n", "# x\n" + deep + " = 1\n",
           deepKey(101, "\"a\"") + " = 1\n", deepKey(101, "'a'") + " = 1\n", "x = \"a\\\\\"\n" + deep + " = 1\n",
           "x = 'not closed\n" + deep + " = 1\n", "x = \"\"\"a\n\"\"\"\n" + deep + " = 1\n"})
    EXPECT_NE(problemsIn(text).front().find("This key has more than 100 parts."), std::string::npos) << text;
}

TEST(Document, WhatIsNotUtf8IsToldWithItsByteAndPlace) {
  EXPECT_EQ(problemsIn("a = 1\nb = \"\u00e9\xff\"\n"),
            ProblemList{"2:7 This is not TOML: the byte 0xFF is not UTF-8 text. Save the file as UTF-8; Latin-1 and "
                        "UTF-16 are no TOML."});
  EXPECT_EQ(problemsIn("\xfe").front().substr(0, 40), "1:1 This is not TOML: the byte 0xFE is n");
  EXPECT_EQ(problemsIn(std::string("a = 1\n\nb\0", 9)).front().substr(0, 40),
            "3:2 This is not TOML: the byte 0x00 is n");
}

TEST(Document, MistakesOfSyntaxHaveTheirPlace) {
  EXPECT_EQ(problemsIn("a = 1\nb = = 2\n").front().substr(0, 22), "2:5 This is not TOML: ");
}

const core::Place kThere{"command line", 0, 0};

TEST(Document, ASingleValueIsWhatTomlSaysOrATextWithoutQuotes) {
  const auto words = [](std::string_view text) { return inWords(parseValue(text, kThere)); };
  EXPECT_EQ(words("5"), "the integer 5");
  EXPECT_EQ(words(" 2.5 "), "the real 2.5");
  EXPECT_EQ(words("true"), "the boolean true");
  EXPECT_EQ(words("false"), "the boolean false");
  EXPECT_EQ(words("'x'"), "the string 'x'");
  EXPECT_EQ(words("newton"), "the string 'newton'");
  EXPECT_EQ(words("2020-01-01"), "a date or a time");
  EXPECT_EQ(words("[1, 2]"), "an array");
  EXPECT_EQ(words("{a = 1}"), "a table");
  for (const char* text : {"5#main", "5] #", "1, 2", "", "[1", "5\n", "1\n2"})
    EXPECT_EQ(words(text), "the string '" + std::string(text) + "'");
}

TEST(Document, AllOfASingleValueStandsWhereItWasGiven) {
  const core::Place place{"settings", 7, 9};
  const Node node = parseValue("{a = [1, {b = 2}], c = {d = 'x'}}", place);
  const auto check = [&](const auto& self, const Node& there) -> void {
    EXPECT_EQ(there.place.file, "settings");
    EXPECT_EQ(there.place.line, 7U);
    EXPECT_EQ(there.place.column, 9U);
    if (const auto* array = std::get_if<Array>(&there.value))
      for (const Node& element : *array) self(self, element);
    if (const auto* table = std::get_if<Table>(&there.value))
      for (const Entry& entry : *table) {
        EXPECT_EQ(entry.place.file, "settings");
        EXPECT_EQ(entry.place.line, 7U);
        self(self, entry.node);
      }
  };
  check(check, node);
  EXPECT_EQ(std::get<Table>(node.value).size(), 2U);
  check(check, parseValue("5", place));
  check(check, parseValue("word", place));
}

// ---- What is written as TOML ----

TEST(TomlText, TextsComeBackAsTheyWere) {
  for (int code = 0; code < 128; ++code) {
    const std::string text = std::string("a") + static_cast<char>(code) + "b";
    const Table table = parseToml("x = " + tomlString(text) + "\n", "x.toml");
    EXPECT_EQ(std::get<std::string>(table.front().node.value), text) << code;
  }
  EXPECT_EQ(tomlString("a\"b\\c\n\x7f\u00e9~ "), "\"a\\\"b\\\\c\\u000A\\u007F\u00e9~ \"");
}

TEST(TomlText, KeysHaveQuotesWhereTheyNeedThem) {
  for (const char* bare : {"a", "z", "A", "Z", "0", "9", "_", "-", "aZ09_-"}) EXPECT_EQ(tomlKey(bare), bare);
  for (const char* other : {"", "`", "{", "@", "[", "/", ":", ".", "a.b", "a b", "\u00e9"})
    EXPECT_EQ(tomlKey(other), "\"" + std::string(other) + "\"");
}

TEST(TomlText, ValuesKeepTheirType) {
  const auto written = [](core::Value value) { return tomlValue(value); };
  EXPECT_EQ(written(1.0), "1.0");
  EXPECT_EQ(written(-0.5), "-0.5");
  EXPECT_EQ(written(1e300), "1e+300");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(written(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(written(std::int32_t{-7}), "-7");
  EXPECT_EQ(written(true), "true");
  EXPECT_EQ(written(false), "false");
  EXPECT_EQ(written(std::string("a\"")), "\"a\\\"\"");
}

TEST(TomlText, CommentsStayOnTheirLine) {
  EXPECT_EQ(tomlComment("a\nb\tc\x7f\u00e9 d"), "a b c \u00e9 d");
}

}  // namespace
}  // namespace koppla::project::document_test
