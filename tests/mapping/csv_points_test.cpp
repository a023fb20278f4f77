#include <gtest/gtest.h>

#include "meshes.hpp"

namespace koppla::mapping::test {
namespace {

using Ids = std::vector<std::int64_t>;
using Positions = std::vector<Position>;

Points readCsv(std::string_view text) {
  return parseCsvPoints(text, "points.csv");
}

void expectCsvMistake(std::string_view text, std::size_t line, std::string_view part) {
  const core::Problem problem = mistakeOf([&] { readCsv(text); });
  EXPECT_EQ(problem.place.file, "points.csv");
  EXPECT_EQ(problem.place.line, line) << core::text(problem);
  EXPECT_NE(problem.message.find(part), std::string::npos) << core::text(problem);
}

TEST(CsvPoints, TakesColumnsByPosition) {
  const Points points = readCsv("7,1.5,2,-3e-1\n-4,0,0,0\n");
  EXPECT_EQ(points.ids, (Ids{7, -4}));
  EXPECT_EQ(points.positions, (Positions{{1.5, 2, -0.3}, {0, 0, 0}}));
  EXPECT_EQ(points.dimension, 3);
  EXPECT_TRUE(points.simplices.empty());
}

TEST(CsvPoints, TakesColumnsByNameInAnyOrder) {
  const Points points = readCsv("# nodes\r\n\"Y\"; name; ID ;x\r\n\r\n2;a;5;1\r\n4;b;6;+3\r\n");
  EXPECT_EQ(points.ids, (Ids{5, 6}));
  EXPECT_EQ(points.positions, (Positions{{1, 2, 0}, {3, 4, 0}}));
  EXPECT_EQ(points.dimension, 2);
}

TEST(CsvPoints, CountsRowsWithoutIds) {
  const Points points = readCsv("x\ty\n1\t2\n3\t4");
  EXPECT_EQ(points.ids, (Ids{1, 2}));
  EXPECT_EQ(points.positions, (Positions{{1, 2, 0}, {3, 4, 0}}));
}

TEST(CsvPoints, TakesColumnsOfSpaceByNameAndMoreThanThese) {
  const Points points = readCsv("z,id,note,Y,x,more\n3,7,a,2,1,b\n6,8,,5,4\n");
  EXPECT_EQ(points.ids, (Ids{7, 8}));
  EXPECT_EQ(points.positions, (Positions{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(points.dimension, 3);
  EXPECT_EQ(readCsv("x\n5\n6\n").positions, (Positions{{5, 0, 0}, {6, 0, 0}}));
  EXPECT_EQ(readCsv("x\n5\n6\n").dimension, 1);
}

TEST(CsvPoints, NamesMayStandInQuotesAndQuotesInNames) {
  const Points points = readCsv("\"id\",\"xa,ax\",\",\"x\",y\n7,1,2,3,4,5\n");
  EXPECT_EQ(points.ids, Ids{7});
  EXPECT_EQ(points.positions, (Positions{{4, 5, 0}}));
}

/// What programs for tables put before the first character of UTF-8.
TEST(CsvPoints, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(readCsv("\xEF\xBB\xBFid,x\n7,5\n").ids, Ids{7});
  EXPECT_EQ(readCsv("\xEF\xBB\xBF"
                    "7,5\n")
                .ids,
            Ids{7});
}

TEST(CsvPoints, TheFirstRowTellsTheDelimiter) {
  EXPECT_EQ(readCsv("# a,b\n1;2\n3;4\n").positions, (Positions{{2, 0, 0}, {4, 0, 0}}));
  expectCsvMistake("1;2\n3,4\n", 2, "1 columns, not 2");
}

TEST(CsvPoints, RowsByNameHaveAllColumnsThatAreNeeded) {
  expectCsvMistake("x,y,id\n1,2\n", 2, "The row has 2 columns, not 3.");
  expectCsvMistake("id,y,x\n1,2\n", 2, "The row has 2 columns, not 3.");
  expectCsvMistake("id,x\n1\n", 2, "The row has 1 columns, not 2.");
  expectCsvMistake("a,x\n1\n", 2, "The row has 1 columns, not 2.");
  expectCsvMistake("id,x,z\n1,2,3\n", 1, "There is a column z or y, but none for the coordinate before it.");
  expectCsvMistake("id,x,id\n1,2,3\n", 1, "Two columns have the name 'ID'.");
}

/// A first row that begins with a number has no names.
TEST(CsvPoints, AFirstRowOfNumbersIsNoHeader) {
  expectCsvMistake("1,nan\n", 1, "A coordinate is 'nan'.");
  expectCsvMistake("1,x\n", 1, "A coordinate is 'x'.");
  expectCsvMistake("1,2\nx,3\n", 2, "The id is 'x'.");
}

TEST(CsvPoints, TellsTheLineOfEveryMistake) {
  expectCsvMistake("", 0, "no points");
  expectCsvMistake("id,x\n", 1, "no points");
  expectCsvMistake("1,2,3\n2,3\n", 2, "2 columns, not 3");
  expectCsvMistake("1,2\n\n2,nan\n", 3, "'nan'");
  expectCsvMistake("1,2\n2,inf\n", 2, "'inf'");
  expectCsvMistake("1,2\n2,1e999\n", 2, "'1e999'");
  expectCsvMistake("1,2\n2,\n", 2, "1 columns, not 2");
  expectCsvMistake("1,2\n2,,\n", 2, "''");
  expectCsvMistake("1,2\n1,3\n", 2, "The id 1 is already");
  expectCsvMistake("1.5,2\n", 1, "'1.5'");
  expectCsvMistake("99999999999999999999,2\n", 1, "'99999999999999999999'");
  expectCsvMistake("id,y\n1,2\n", 1, "column z or y");
  expectCsvMistake("id,a\n1,2\n", 1, "No column has the name x");
  expectCsvMistake("id,x,X\n1,2,3\n", 1, "Two columns");
  expectCsvMistake("1\n", 1, "1 columns");
  expectCsvMistake("1,2,3,4,5\n", 1, "5 columns");
}

}  // namespace
}  // namespace koppla::mapping::test
