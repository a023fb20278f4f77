// What the reader of CSV says about mistakes, and what it takes.

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/results/csv_reader.hpp"

namespace koppla::results::csv_messages_test {
namespace {

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

CsvSource source() {
  CsvSource result;
  result.file = "ref.csv";
  return result;
}

std::string mistakeIn(std::string_view text, const CsvSource& from = source()) {
  try {
    parseCsv(text, from);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "no mistake";
}

std::string mistakeInUnits(std::string_view text) {
  try {
    parseUnits(text, "u.csv");
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "no mistake";
}

TEST(CsvMessages, OfTheFirstLine) {
  EXPECT_EQ(mistakeIn("\n\n"), "ref.csv:1:1: The file is empty. Check that it is the right one.");
  EXPECT_EQ(mistakeIn("0,1\n1,2\n"),
            "ref.csv:1:1: The file begins with numbers. The first line must name the columns: \"time\",\"a\",\"b\".");
  EXPECT_EQ(
      mistakeIn("\nT [fortnights],y\n0,1\n"),
      "ref.csv:2:1: Time is given in 'fortnights', which is not known. Known are us, ms, s, min, h, d and a (365 d).");
  EXPECT_EQ(mistakeIn("time,a,,b\n0,1,2,3\n"), "ref.csv:1:8: Column 3 has no name. Give it one.");
}

TEST(CsvMessages, OfTheNumberOfFields) {
  EXPECT_EQ(
      mistakeIn("time,x,y\n0,1,2\n1,2\n"),
      "ref.csv:3:1: The row has 2 fields, the first line names 3 columns. Restore the file; it may have been cut off.");
  EXPECT_EQ(mistakeIn("time,x\n0,1,2\n"),
            "ref.csv:2:1: The row has 3 fields, the first line names 2 columns. Put texts that hold the delimiter into "
            "quotes.");
  EXPECT_EQ(mistakeIn("time,x\n0,1,,\n"),
            "ref.csv:2:1: The row has 4 fields, the first line names 2 columns. Put texts that hold the delimiter into "
            "quotes.");
  EXPECT_EQ(
      mistakeIn("time,x,y\n0,\n"),
      "ref.csv:2:1: The row has 2 fields, the first line names 3 columns. Restore the file; it may have been cut off.");
}

TEST(CsvMessages, OfQuotes) {
  EXPECT_EQ(mistakeIn("time,s\n0,\"a\n1,2\n"),
            "ref.csv:2:3: A quote is opened here and never closed. Close it, or restore the file.");
  EXPECT_EQ(mistakeIn("time,\"s\n0,1\n"),
            "ref.csv:1:6: A quote is opened here and never closed. Close it, or restore the file.");
}

TEST(CsvMessages, OfTimes) {
  EXPECT_EQ(mistakeIn("time [ms],x\n-inf,1\n"), "ref.csv:2:1: Time is -inf. Times must be finite.");
  EXPECT_EQ(
      mistakeIn("time [min],x\n0,1\n2,1\n1.5,1\n"),
      "ref.csv:4:1: Time goes from 120 s to 90 s. The first column must hold the time, and times must not decrease.");
  EXPECT_EQ(mistakeIn("time,x\nnoon,1\n"),
            "ref.csv:2:1: 'noon' is not a number. Every row of this column must hold a number, as its first row does.");
}

TEST(CsvMessages, OfValues) {
  EXPECT_EQ(mistakeIn("time;x\n0;1\n1;a\n"),
            "ref.csv:3:3: 'a' is not a number. Every row of this column must hold a number, as its first row does.");
  EXPECT_EQ(mistakeIn("time;x\n0;1\n1;2,5\n"),
            "ref.csv:3:3: '2,5' is not a number. Write numbers with a decimal point.");
  EXPECT_EQ(mistakeIn("time;x;y\n0;1;2\n1;;2\n"), "ref.csv:3:3: '' is not a number. Fill in the missing value.");
  EXPECT_EQ(mistakeIn("time,x\n0,1\n1,\"2,5\"\n"),
            "ref.csv:3:3: '2,5' is not a number. Every row of this column must hold a number, as its first row does.");
  EXPECT_EQ(mistakeIn("time;x;y\n0;a;2,5\n1;b;3\n2;c;\n"),
            "ref.csv:2:5: '2,5' is not a number. Write numbers with a decimal point.");
}

TEST(CsvMessages, OfTheSideFile) {
  const std::string head = "\"name\",\"type\",\"unit\",\"description\"\n";
  EXPECT_EQ(mistakeInUnits(head + "\"x\",\"real\"\n"),
            "u.csv:2:1: The row has 2 fields instead of 4. Each row needs name, type, unit and description.");
  EXPECT_EQ(mistakeInUnits(head + "\"x\",\"real\",\"m\",\"\",\"\"\n"),
            "u.csv:2:1: The row has 5 fields instead of 4. Each row needs name, type, unit and description.");
  EXPECT_EQ(mistakeInUnits(head + "\"x\",\"real\",\"\",\"\"\n\"y\",\"complex\",\"\",\"\"\n"),
            "u.csv:3:5: 'complex' is not a type. Types are real, integer, boolean, string and enumeration.");
}

TEST(CsvSideFile, TellsNameTypeUnitAndDescription) {
  const std::vector<Column> columns = parseUnits(
      "\xEF\xBB\xBF\"name\",\"type\",\"unit\",\"description\"\n\"a\",\"real\",\"m\",\"say \"\"x\"\"\"\n"
      "\"b\",\"integer\",\"\",\"\"\n\"c\",\"boolean\",\"1\",\"\"\nd,string,,\n\"e\",\"enumeration\",\"\",\"modes\"\n",
      "u.csv");
  ASSERT_EQ(columns.size(), 5U);
  const std::vector<core::Type> types{core::Type::real, core::Type::integer, core::Type::boolean, core::Type::string,
                                      core::Type::enumeration};
  for (std::size_t i = 0; i < types.size(); ++i) {
    EXPECT_EQ(columns[i].type, types[i]) << i;
    EXPECT_EQ(columns[i].name, std::string(1, static_cast<char>('a' + i)));
  }
  EXPECT_EQ(columns[0].unit, "m");
  EXPECT_EQ(columns[0].description, "say \"x\"");
  EXPECT_EQ(columns[2].unit, "1");
  EXPECT_EQ(columns[4].description, "modes");
}

TEST(CsvTypes, ThatAreKnownDecideAgainstTheLooks) {
  CsvSource known = source();
  known.columns = {{"s", core::Type::string, "", ""}, {"x", core::Type::real, "m", ""}};
  const Table table = parseCsv("time;s;x;y\n0;2,5;\"1\";2\n1;3,5;\"2\";3\n", known);
  EXPECT_EQ(table.find("s")->texts, (Texts{"2,5", "3,5"})) << "texts, whatever they look like";
  EXPECT_EQ(table.find("x")->numbers, (Numbers{1.0, 2.0})) << "a number, though it is quoted";
  EXPECT_EQ(table.find("y")->numbers, (Numbers{2.0, 3.0}));
  EXPECT_EQ(mistakeIn("time;x\n0;2,5\n", known),
            "ref.csv:2:3: '2,5' is not a number. Write numbers with a decimal point.");
  EXPECT_EQ(mistakeIn("time;x\n0;a\n", known),
            "ref.csv:2:3: 'a' is not a number. Every row of this column must hold a number, as its first row does.");
}

TEST(CsvTypes, AreChosenByTheFirstRowForEachColumn) {
  const Table table = parseCsv("time,a,b,c,d\n0,\"1\",x,2,false\n1,7,8,9,true\n", source());
  EXPECT_EQ(table.find("a")->type, core::Type::string);
  EXPECT_EQ(table.find("b")->type, core::Type::string);
  EXPECT_EQ(table.find("c")->type, core::Type::real);
  EXPECT_EQ(table.find("d")->type, core::Type::real);
  EXPECT_EQ(table.find("a")->texts, (Texts{"1", "7"}));
  EXPECT_EQ(table.find("b")->texts, (Texts{"x", "8"}));
  EXPECT_EQ(table.find("c")->numbers, (Numbers{2.0, 9.0}));
  EXPECT_EQ(table.find("d")->numbers, (Numbers{0.0, 1.0}));
}

TEST(CsvTypes, WhereTimesAreQuotedQuotesSayNothing) {
  const Table table = parseCsv("\"time\",\"a\",\"b\"\n\"0\",\"1\",\"x\"\n\"1\",\"2\",\"y\"\n", source());
  EXPECT_EQ(table.find("a")->numbers, (Numbers{1.0, 2.0}));
  EXPECT_EQ(table.find("b")->texts, (Texts{"x", "y"}));
}

TEST(CsvTypes, ATextThatLooksLikeADecimalCommaMustBeFollowedByOneThatDoesNot) {
  EXPECT_EQ(parseCsv("time;s;x\n0;2,5;1\n1;;2\n2;word;3\n3;3,5;4\n", source()).find("s")->texts,
            (Texts{"2,5", "", "word", "3,5"}));
  for (const std::string_view rows : {"1;3\n", "1;\n", "1;3,5\n"})
    EXPECT_EQ(mistakeIn("time;s\n0;2,5\n" + std::string(rows)),
              "ref.csv:2:3: '2,5' is not a number. Write numbers with a decimal point.");
  EXPECT_EQ(parseCsv("time,s\n0,\"2,5\"\n", source()).find("s")->texts, Texts{"2,5"});
}

TEST(CsvTimes, MayGoBackWhereTheSourceSaysSo) {
  CsvSource iterations = source();
  iterations.anyOrder = true;
  EXPECT_EQ(parseCsv("time,x\n2,1\n1,2\n1,3\n", iterations).time, (Numbers{2.0, 1.0, 1.0}));
  EXPECT_EQ(mistakeIn("time,x\nnan,1\n", iterations), "ref.csv:2:1: Time is nan. Times must be finite.");
}

TEST(CsvTimes, AreReadAsSecondsWithANote) {
  const Table table = parseCsv("Time [min],x\n-1,5\n1.5,6\n", source());
  EXPECT_EQ(table.time, (Numbers{-60.0, 90.0}));
  EXPECT_EQ(table.notes, Texts{"Times are given in min; read as seconds."});
  EXPECT_EQ(table.source, "ref.csv");
  EXPECT_TRUE(parseCsv("Time [s],x\n0,5\n", source()).notes.empty());
}

TEST(CsvPartial, TheLastRowIsLeftOutWhereItHasNoLineEnd) {
  CsvSource partial = source();
  partial.partial = true;
  const Table table = parseCsv("time,x\n0,1\n1,2\n2,3", partial);
  EXPECT_EQ(table.time, (Numbers{0.0, 1.0}));
  EXPECT_EQ(table.notes, Texts{"The last row is cut off and was left out."});
  for (const std::string_view head : {"time,x", "\"time\",\"x", "\"ti"}) {
    const Table none = parseCsv(head, partial);
    EXPECT_TRUE(none.time.empty() && none.series.empty()) << head;
    EXPECT_EQ(none.notes, Texts{"The last row is cut off and was left out."}) << head;
  }
  EXPECT_EQ(parseCsv("time,x\n0,1\n1,2", source()).time, (Numbers{0.0, 1.0})) << "others need no line end";
}

}  // namespace
}  // namespace koppla::results::csv_messages_test
