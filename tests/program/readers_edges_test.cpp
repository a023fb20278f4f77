// What programs print, at the edges of what their readers take.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/program/detail/rows.hpp"
#include "koppla/program/readers.hpp"

#include "refusal.hpp"

namespace koppla::program::readers_edges_test {
namespace {

using test::refusal;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class ReadersEdges : public testing::Test {
 protected:
  std::vector<double> read(const std::string& text, Reading reading, const Field& field, double time = 1.0) {
    core::writeWhole(folder_.path() / "out.txt", text);
    reading.file = "out.txt";
    check(reading, field);
    return program::read(reading, field, folder_.path(), time);
  }
  /// What is wrong, from the name of the file on.
  std::string problem(const std::string& text, const Reading& reading, const Field& field, double time = 1.0) {
    const std::string all = refusal([&] { read(text, reading, field, time); });
    const std::size_t at = all.find("out.txt");
    return at == std::string::npos ? all : all.substr(at);
  }

  const Field nodes_{"T", {11, 12, 15}, 1, true};
  const Field value_{"x", {1}};

 private:
  core::TemporaryFolder folder_{"readers"};
};

TEST_F(ReadersEdges, ColumnsOfAStandardCsvAreCountedBehindTheId) {
  const Reading second{.columns = {std::size_t{2}}};
  EXPECT_THAT(problem("11 , 1\n12 , 2\n15 , 3\n", second, nodes_),
              StartsWith("out.txt:1: Values for each id: 1; 'T' needs 2."));
  EXPECT_THAT(read("11 , 1 , 2\n12 , 3 , 4\n15 , 5 , 6\n", second, nodes_), ElementsAre(2, 4, 6));
  EXPECT_THAT(read("11 , 1 , 2 , 9\n12 , 3 , 4 , 9\n15 , 5 , 6 , 9\n", second, nodes_), ElementsAre(2, 4, 6));
  const Reading swapped{.columns = {std::size_t{3}, std::size_t{1}}};
  EXPECT_THAT(read("2 , 4 , 5 , 6\n1 , 7 , 8 , 9\n", swapped, {"u", {1, 2}, 2}), ElementsAre(9, 7, 6, 4));
  EXPECT_THAT(problem("# nothing\n", {}, nodes_), StartsWith("out.txt: Values for each id: 0; 'T' needs 1."));
}

TEST_F(ReadersEdges, OneNameIsEnoughForAHeader) {
  EXPECT_THAT(read("t node x\n0 15 3\n0 11 1\n0 12 2\n", {.format = Format::columns, .idColumn = "node"}, nodes_),
              ElementsAre(1, 2, 3))
      << "values stand behind the id";
  EXPECT_THAT(read("t T\n0 1\n0 2\n0 3\n", {.format = Format::columns, .columns = {"T"}}, nodes_),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(problem("# nothing\n", {.format = Format::columns, .columns = {"T"}}, nodes_),
              StartsWith("out.txt: The table has no header."));
  const Reading block{.format = Format::block, .columns = {"T"}, .begin = "TABLE", .end = "END"};
  EXPECT_THAT(problem("\nTABLE\nEND\n", block, nodes_), StartsWith("out.txt:2: The table has no header."));
  EXPECT_THAT(problem("\nTABLE\n\nx y\n1 2\nEND\n", block, nodes_),
              StartsWith("out.txt:4: The header of the table has no column 'T'."));
  EXPECT_THAT(problem("\nTABLE\n\nx T\n1 2\nEND\n", block, nodes_),
              StartsWith("out.txt:4: Rows in the table: 1; 'T' has 3."));
}

TEST_F(ReadersEdges, ATableAsAWholeHasNoLine) {
  EXPECT_THAT(problem("1 2\n", {.format = Format::columns}, {"u", {1, 2}, 2}),
              StartsWith("out.txt: Rows in the table: 1; 'u' has 2."));
}

TEST_F(ReadersEdges, IdsMayStandInAnyColumn) {
  const Reading reading{.format = Format::columns, .idColumn = std::size_t{2}};
  EXPECT_THAT(read("a 15 3\nb 11 1\nc 12 2\n", reading, nodes_), ElementsAre(1, 2, 3));
  EXPECT_THAT(problem("a 15 3\nb 11\n", reading, nodes_),
              StartsWith("out.txt:2: Columns in this line: 2; expected: at least 3."));
  EXPECT_THAT(problem("a 15 3\nb x 1\n", reading, nodes_), StartsWith("out.txt:2: 'x' is no id, a whole number."));
  const Reading behind{.format = Format::columns, .columns = {std::size_t{1}}, .idColumn = std::size_t{2}};
  EXPECT_THAT(read("3 15\n1 11\n2 12\n", behind, nodes_), ElementsAre(1, 2, 3));
  EXPECT_THAT(problem("3 15\n1\n", behind, nodes_),
              StartsWith("out.txt:2: Columns in this line: 1; expected: at least 2."));
}

TEST_F(ReadersEdges, BracketsThatDoNotCloseAreNoUnit) {
  const Reading inK{.format = Format::keyValue, .unit = "K"};
  EXPECT_THAT(problem("x = 3.5 [mK]\n", inK, value_), StartsWith("out.txt:1: The unit 'mK' stands behind the number"));
  EXPECT_THAT(problem("x = 3.5 (mK).\n", inK, value_), StartsWith("out.txt:1: The unit 'mK' stands behind the number"));
  for (const char* text : {"[mK at", "(mK at", "kmK)", "kmK]", "[mK)", "(mK]"})
    EXPECT_THAT(read("x = 3.5 " + std::string(text) + "\n", inK, value_), ElementsAre(3.5)) << text;
  EXPECT_THAT(problem("x = 3.5 A\n", inK, value_), StartsWith("out.txt:1: The unit 'A'"));
}

TEST_F(ReadersEdges, ValuesMayFollowTheirKeyAtOnce) {
  const Reading reading{.format = Format::keyValue};
  EXPECT_THAT(read("x=37.5\n", reading, value_), ElementsAre(37.5));
  EXPECT_THAT(read("  x:-1,2;3 K\n", reading, {"x", {1, 2, 3}}), ElementsAre(-1, 2, 3));
  EXPECT_THAT(problem("xs = 1\nno sign\n", reading, value_),
              StartsWith("out.txt: There is no line 'x = ...'. Did you mean 'xs'?"));
  EXPECT_THAT(problem("x = 1 2\n", reading, value_),
              StartsWith("out.txt:1: Numbers behind 'x': 2; 'x' has 1. Check the size of the port."));
  EXPECT_THAT(problem("x = K 2\n", reading, value_), StartsWith("out.txt:1: 'K' is no number."));
}

TEST_F(ReadersEdges, ABlockWithoutAnEndLastsToABlankLineOrTheEndOfTheFile) {
  const Reading reading{.format = Format::block, .idColumn = std::size_t{1}, .begin = "^TEMP"};
  EXPECT_THAT(read("TEMP\n\n11 1\n12 2\n15 3\n", reading, nodes_), ElementsAre(1, 2, 3));
  EXPECT_THAT(read("x\n1 2\nTEMP\n11 1\n12 2\n15 3\n \n11 7\n", reading, nodes_), ElementsAre(1, 2, 3));
}

TEST_F(ReadersEdges, ABlockThatIsCutOffIsNotTakenEvenIfAnEarlierOneEnds) {
  Reading reading{.format = Format::block, .idColumn = std::size_t{1}, .begin = "^TEMP", .end = "^END"};
  const std::string log = "TEMP\n11 1\n12 2\n15 3\nEND\nTEMP\n11 4\n12 5\n15 6\n";
  EXPECT_THAT(problem(log, reading, nodes_), StartsWith("out.txt:6: No line behind matches '^END'"));
  reading.take = Take::first;
  EXPECT_THAT(read(log, reading, nodes_), ElementsAre(1, 2, 3));
  EXPECT_THAT(problem("none\n", reading, nodes_),
              StartsWith("out.txt: No line matches '^TEMP', which begins the block."));
}

TEST_F(ReadersEdges, BlankLinesInABlockWithAnEndDoNotMatter) {
  const Reading reading{.format = Format::block, .begin = "^TEMP", .end = "^END"};
  EXPECT_THAT(read("9\nTEMP\n1\n\n2\n \n3\nEND\n4\n", reading, nodes_), ElementsAre(1, 2, 3));
}

TEST_F(ReadersEdges, BlocksMustHaveAGoodBeginAndEnd) {
  EXPECT_THAT(problem("x\n", {.format = Format::block}, value_),
              HasSubstr("The output 'x' says not where its block begins."));
  EXPECT_THAT(problem("x\n", {.format = Format::block, .begin = "x", .end = "["}, value_),
              HasSubstr("'end' ('[') is no regular expression"));
  EXPECT_THAT(refusal([&] { check({.format = Format::columns, .begin = "("}, value_); }), "no error") << "not used";
}

TEST_F(ReadersEdges, NumbersOfCalculixHaveSevenDigitsUnlessSaid) {
  EXPECT_EQ(digitsOf({.format = Format::calculixDat}), 7U);
  EXPECT_EQ(digitsOf({.format = Format::calculixDat, .digits = 1}), 1U);
  EXPECT_EQ(digitsOf({.format = Format::csv}), 0U);
  EXPECT_EQ(digitsOf({.format = Format::csv, .digits = 3}), 3U);
}

TEST_F(ReadersEdges, OnlyTheBeginningOfAVeryLongLineIsSearched) {
  const std::regex error("ERROR");
  const std::regex atOnce("^ERROR");
  EXPECT_TRUE(detail::matches(std::string(4091, 'x') + "ERROR", error));
  EXPECT_FALSE(detail::matches(std::string(4092, 'x') + "ERROR", error));
  EXPECT_FALSE(detail::matches(std::string(1'000'000, 'x') + "ERROR", error));
  EXPECT_TRUE(detail::matches("ERROR", atOnce));
  EXPECT_FALSE(detail::matches("xERROR", atOnce));
}

// ---- Tables of CalculiX ----

std::string heading(const std::string& title, const char* set, const char* time) {
  return " " + title + " for set " + set + " and time  " + time + "\n\n";
}

TEST_F(ReadersEdges, TimesOfCalculixAgreeToSevenDigits) {
  const Reading reading{.format = Format::calculixDat, .take = Take::atTime, .quantity = "temperatures"};
  const auto at = [&](const char* printed, double time) {
    return problem(heading("temperatures", "N", printed) + "  1  7.0\n\n", reading, value_, time);
  };
  EXPECT_EQ(at("0.5000000E+00", 0.5), "no error");
  EXPECT_EQ(at("0.5000000E+00", 0.5000004), "no error");
  EXPECT_EQ(at("0.5000004E+00", 0.5), "no error");
  EXPECT_THAT(at("0.5000000E+00", 0.50000075), HasSubstr("There is no table of temperatures at time 0.50000075."));
  EXPECT_THAT(at("0.5000000E+00", 0.49999925), HasSubstr("at time"));
  EXPECT_EQ(at("0.0000000E+00", 0.0), "no error");
  EXPECT_EQ(at("0.0000000E+00", 9e-13), "no error");
  EXPECT_THAT(at("0.0000000E+00", 1.5e-12), HasSubstr("at time 1.5e-12"));
}

TEST_F(ReadersEdges, TablesOfCalculixAreTakenInTheirOrder) {
  const std::string text = heading("temperatures", "A", "1.0") + " 1 7.0\n\n" + heading("temperatures", "A", "2.0") +
                           " 1 8.0\n\n" + heading("temperatures", "B", "2.0") + " 1 9.0\n\n after the tables\n";
  Reading reading{.format = Format::calculixDat, .quantity = "Temperatures"};
  EXPECT_THAT(read(text, reading, value_), ElementsAre(9));
  reading.set = "a";
  EXPECT_THAT(read(text, reading, value_), ElementsAre(8));
  reading.take = Take::first;
  EXPECT_THAT(read(text, reading, value_), ElementsAre(7));
  reading.take = Take::atTime;
  EXPECT_THAT(read(text, reading, value_, 2.0), ElementsAre(8));
  reading.set = "C";
  EXPECT_THAT(problem(text, reading, value_, 2.0), HasSubstr("There is no table of Temperatures for set C at time 2."));
  reading.quantity = "stress";
  EXPECT_THAT(problem(text, reading, value_, 2.0), HasSubstr("Known here: temperatures.")) << "each once";
  EXPECT_THAT(problem("no tables\n", reading, value_),
              HasSubstr("The file has no tables; ask for them with *NODE PRINT"));
}

TEST_F(ReadersEdges, LinesThatOnlyLookLikeHeadingsOfCalculixAreNone) {
  const std::string text = "\n total cpu and time  0.5\n the set for set A and time soon\n" +
                           heading("temperatures", "A", "1.0") + " 1 7.0\n\n total cpu and time  0.5\n";
  const Reading reading{.format = Format::calculixDat, .quantity = "temperatures"};
  EXPECT_THAT(read(text, reading, value_), ElementsAre(7));
}

TEST_F(ReadersEdges, TotalsOfCalculixHaveNoIds) {
  const std::string text = heading("total force (fx,fy,fz)", "FIX", "1.0") + "  -1.0  2.5  4.0\n\n";
  Reading reading{.format = Format::calculixDat, .columns = {"fy"}, .quantity = "total force"};
  EXPECT_THAT(read(text, reading, value_), ElementsAre(2.5));
  reading.columns = {"fz", "fx"};
  EXPECT_THAT(read(text, reading, {"F", {1}, 2}), ElementsAre(4, -1));
}

TEST_F(ReadersEdges, NodesOfCalculixMayBeNamedAsAColumn) {
  const std::string text = heading("forces (fx,fy)", "N", "1.0") + "  2  10  20\n  1  30  40\n\n";
  const Reading reading{.format = Format::calculixDat, .columns = {"fx", "node"}, .quantity = "forces"};
  EXPECT_THAT(read(text, reading, {"F", {1, 2}, 2, true}), ElementsAre(30, 1, 10, 2));
}

TEST_F(ReadersEdges, PointsOfElementsOfCalculixAreChosen) {
  const Field element{"s", {1}, 1, true};
  Reading reading{.format = Format::calculixDat, .quantity = "strain", .point = 2};
  EXPECT_THAT(read(heading("strain (elem, integ.pnt.)", "E", "1.0") + " 1 1 4.0\n 1 2 5.0\n\n", reading, element),
              ElementsAre(5));
  EXPECT_THAT(read(heading("strain (elem)", "E", "1.0") + " 1 6.0\n\n", reading, element), ElementsAre(6))
      << "without points";
  const std::string title = heading("strain (elem, integ.pnt.,e)", "E", "1.0");
  EXPECT_THAT(problem(title + " 1 1 4.0\n 1 2\n\n", reading, element),
              StartsWith("out.txt:4: Columns in this line: 2; expected: at least 3."));
  EXPECT_THAT(problem(title + " 1 1 4.0\n 1\n\n", reading, element), StartsWith("out.txt: Ids without values: 1."));
  reading.columns = {"e"};
  EXPECT_THAT(read(title + " 1 1 4.0\n 1 2 5.0\n\n", reading, element), ElementsAre(5));
}

TEST_F(ReadersEdges, AHeadingOfCalculixMayLackItsSecondParenthesis) {
  const Reading reading{.format = Format::calculixDat, .columns = {"vx"}, .quantity = "speeds"};
  EXPECT_THAT(problem(heading("speeds (vx,vy", "N", "1.0") + " 1 2 3\n\n", reading, value_),
              StartsWith("out.txt:1: The header of the table has no column 'vx'."));
}

}  // namespace
}  // namespace koppla::program::readers_edges_test
