#include "koppla/results/csv_reader.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

namespace koppla::results {
namespace {

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

Table parse(std::string_view text) {
  return parseCsv(text, {"ref.csv", false, {}});
}

Texts names(const Table& table) {
  Texts result;
  for (const Series& series : table.series) result.push_back(series.name);
  return result;
}

core::Problem mistakeIn(std::string_view text) {
  try {
    parse(text);
  } catch (const core::InputError& error) {
    return error.problems().front();
  }
  ADD_FAILURE() << "no error";
  return {};
}

void expectPlace(const core::Problem& problem, std::size_t line, std::size_t column) {
  EXPECT_EQ(problem.place.file, "ref.csv");
  EXPECT_EQ(problem.place.line, line) << core::text(problem);
  EXPECT_EQ(problem.place.column, column) << core::text(problem);
  EXPECT_FALSE(problem.remedy.empty());
}

TEST(CsvReader, ReadsTheCrossCheckFormat) {
  const Table table = parse("\"time\",\"h\",\"v\"\n0,1,0\n0.5,-1.25e-3,4\n0.5,2,4\n");
  EXPECT_EQ(names(table), (Texts{"h", "v"}));
  EXPECT_EQ(table.time, (Numbers{0.0, 0.5, 0.5}));
  EXPECT_EQ(table.series[0].numbers, (Numbers{1.0, -1.25e-3, 2.0}));
  EXPECT_EQ(table.series[1].numbers, (Numbers{0.0, 4.0, 4.0}));
  EXPECT_FALSE(table.partial);
  EXPECT_TRUE(table.notes.empty());
}

TEST(CsvReader, TakesWhatOtherProgramsWrite) {
  const Numbers time{0.0, 1.0};
  const Numbers x{2.0, 3.0};
  for (const std::string_view text : {
           "time,x\n0,2\n1,3\n",                          // names without quotes
           "time,x\r\n0,2\r\n1,3\r\n",                    // Windows
           "\"time\",\"x\"\r\n0,2\r\n1,3\r\n",            //
           "time\tx\n0\t2\n1\t3\n",                       // tabs
           "time;x\n0;2\n1;3\n",                          // semicolons
           "time,x\n0,2\n1,3",                            // no line end at the end
           "time,x\n0,2\n1,3\n\n\r\n",                    // blank lines at the end
           "\xEF\xBB\xBFtime,x\n0,2\n1,3\n",              // byte order mark
           "time,x,\n0,2,\n1,3,\n",                       // delimiter at the end of lines
           "\"time\", \"x\"\n0, 2\n 1 ,+3\n",             // spaces
           "time, x\n0, 2\n 1 ,+3\n",                     // spaces
           "\"time\",\"x\"\n\"0\",\"2\"\n\"1\",\"3\"\n",  // everything in quotes
       }) {
    const Table table = parse(text);
    EXPECT_EQ(table.time, time) << text;
    ASSERT_EQ(names(table), (Texts{"x"})) << text;
    EXPECT_EQ(table.series[0].numbers, x) << text;
  }
}

TEST(CsvReader, TakesMasterSimsUnitsOutOfTheNames) {
  const Table table = parse("Time [h]\tmass.x [m]\tctrl.on [-]\tpipe.T[2] [K]\n0\t1\t0\t300\n0.5\t2\t1\t301\n");
  EXPECT_EQ(names(table), (Texts{"mass.x", "ctrl.on", "pipe.T[2]"}));
  EXPECT_EQ(table.series[0].unit, "m");
  EXPECT_EQ(table.series[1].unit, "");
  EXPECT_EQ(table.series[2].unit, "K");
  EXPECT_EQ(table.time, (Numbers{0.0, 1800.0})) << "half an hour in seconds";
  EXPECT_EQ(table.notes.size(), 1U);
}

TEST(CsvReader, LeavesQuotedNamesAlone) {
  EXPECT_EQ(names(parse("\"time\",\"a.x [1]\",\"b, \"\"c\"\"\"\n0,1,2\n")), (Texts{"a.x [1]", "b, \"c\""}));
}

TEST(CsvReader, NumbersRepeatedNamesAsElementsOfAnArray) {
  EXPECT_EQ(names(parse("time,y,x,x,x\n0,1,2,3,4\n")), (Texts{"y", "x[1]", "x[2]", "x[3]"}));
}

TEST(CsvReader, ReadsTexts) {
  const Table table = parse("time,mode,n\n0,\"a, \"\"b\"\"\nc\",1\n1,\"\",2\n");
  EXPECT_FALSE(table.series[0].numeric());
  EXPECT_EQ(table.series[0].texts, (Texts{"a, \"b\"\nc", ""}));
  EXPECT_EQ(table.series[1].numbers, (Numbers{1.0, 2.0}));
}

TEST(CsvReader, QuotedNumbersAreTextsAndBareWordsAreTexts) {
  const Table table = parse("time,code,word,flag\n0,\"1.50\",on,true\n1,\"2\",off,false\n");
  EXPECT_EQ(table.series[0].texts, (Texts{"1.50", "2"}));
  EXPECT_EQ(table.series[1].texts, (Texts{"on", "off"}));
  EXPECT_EQ(table.series[2].numbers, (Numbers{1.0, 0.0}));
}

TEST(CsvReader, ReadsNotANumberAndInfinity) {
  const Table table = parse("time,x\n0,nan\n1,-inf\n");
  EXPECT_TRUE(std::isnan(table.series[0].numbers[0]));
  EXPECT_EQ(table.series[0].numbers[1], -INFINITY);
}

TEST(CsvReader, ATableMayHaveNoRowsOrNoVariables) {
  EXPECT_TRUE(parse("time,x\n").time.empty());
  EXPECT_EQ(parse("time\n0\n1\n").time, (Numbers{0.0, 1.0}));
}

TEST(CsvReader, KnownColumnsGetTypeAndUnit) {
  const Table table =
      parseCsv("\"time\",\"a.on\"\n0,1\n", {"r.csv", false, {{"a.on", core::Type::boolean, "1", "switch"}}});
  EXPECT_EQ(table.series[0].type, core::Type::boolean);
  EXPECT_EQ(table.series[0].unit, "1");
  EXPECT_EQ(table.series[0].description, "switch");
}

TEST(CsvReader, DropsTheCutOffRowOfAPartialFileWithANote) {
  for (const std::string_view tail : {"1,2", "1,2,3", "1,", "1e", "-"}) {
    const Table table = parseCsv("time,x,y\n0,1,2\n" + std::string(tail), {"r.partial.csv", true, {}});
    EXPECT_EQ(table.time, (Numbers{0.0})) << tail;
    EXPECT_TRUE(table.partial);
    EXPECT_EQ(table.notes.size(), 1U) << tail;
  }
  EXPECT_TRUE(parseCsv("time,x\n0,1\n", {"r.partial.csv", true, {}}).notes.empty());
}

TEST(CsvReader, ACutOffTextIsDroppedWithItsRow) {
  const Table table = parseCsv("time,s\n0,\"a\"\n1,\"b\nc\n", {"r.partial.csv", true, {}});
  EXPECT_EQ(table.series[0].texts, (Texts{"a"}));
}

TEST(CsvReader, SaysWhereAValueIsNoNumber) {
  expectPlace(mistakeIn("time,x,y\n0,1,2\n1,12,abc\n"), 3, 6);
  expectPlace(mistakeIn("time,s,y\n0,\"line\nbreak\",2\n1,\"\",abc\n"), 4, 6);
  expectPlace(mistakeIn("time,x,y\n0,,2\n"), 2, 3);
}

TEST(CsvReader, SaysWhereARowIsTooShortOrTooLong) {
  expectPlace(mistakeIn("time,x,y\n0,1,2\n1,2\n"), 3, 1);
  expectPlace(mistakeIn("time,x\n0,1,2\n"), 2, 1);
}

TEST(CsvReader, SaysWhereTimeGoesBack) {
  const core::Problem problem = mistakeIn("time,x\n0,1\n2,1\n1,1\n");
  expectPlace(problem, 4, 1);
  EXPECT_NE(problem.message.find("from 2 s to 1 s"), std::string::npos) << problem.message;
  expectPlace(mistakeIn("time,x\nnan,1\n"), 2, 1);
}

TEST(CsvReader, AdvisesDecimalPoints) {
  const core::Problem problem = mistakeIn("time;x\n0;1\n0,5;1\n");
  expectPlace(problem, 3, 1);
  EXPECT_NE(problem.remedy.find("decimal point"), std::string::npos);
}

TEST(CsvReader, RefusesColumnsOfDecimalCommas) {
  for (const std::string_view text : {"time;x\n0;2,0\n1;3,0\n", "time\tx\n0\t-2,5e3\n1\t3\n",
                                      "\"time\";\"x\"\n\"0\";\"2,5\"\n", "time;x\n0;2,5\n1;\n"}) {
    const core::Problem problem = mistakeIn(text);
    EXPECT_EQ(problem.place.line, 2U) << text;
    EXPECT_NE(problem.message.find("is not a number"), std::string::npos) << problem.message;
    EXPECT_NE(problem.remedy.find("decimal point"), std::string::npos) << problem.remedy;
  }
  expectPlace(mistakeIn("time;x;y\n0;1;2,0\n1;1;3,0\n"), 2, 5);
}

TEST(CsvReader, KeepsTextsThatBeginLikeDecimalCommas) {
  EXPECT_EQ(parse("time;s\n0;2,0\n1;a,b\n").series[0].texts, (Texts{"2,0", "a,b"}));
  EXPECT_EQ(parse("time;s\n0;\"2,0\"\n1;\"3,0\"\n").series[0].texts, (Texts{"2,0", "3,0"})) << "quotes mean texts";
  EXPECT_EQ(parse("time;s\n0;1,2,3\n").series[0].texts, (Texts{"1,2,3"}));
}

TEST(CsvReader, SaysWhichQuoteIsWrong) {
  expectPlace(mistakeIn("time,s\n0,\"a\n1,2\n"), 2, 3);
  expectPlace(mistakeIn("time,s\n0,\"a\"b\n"), 2, 6);
}

TEST(CsvReader, WantsAFirstLineWithNames) {
  expectPlace(mistakeIn(""), 1, 1);
  expectPlace(mistakeIn("0,1\n1,2\n"), 1, 1);
  expectPlace(mistakeIn("time,,y\n0,1,2\n"), 1, 6);
  expectPlace(mistakeIn("Time [fortnights],y\n0,1\n"), 1, 1);
}

TEST(CsvReader, RejectsASideFileThatMakesNoSense) {
  EXPECT_THROW(parseUnits("\"name\",\"type\",\"unit\",\"description\"\n\"x\",\"complex\",\"\",\"\"\n", "u"),
               core::InputError);
  EXPECT_THROW(parseUnits("\"name\",\"type\",\"unit\",\"description\"\n\"x\",\"real\"\n", "u"), core::InputError);
  EXPECT_TRUE(parseUnits("", "u").empty());
}

}  // namespace
}  // namespace koppla::results
