#include "koppla/results/csv_scanner.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/results/csv_header.hpp"

namespace koppla::results::csv_scanner_test {
namespace {

using Rows = std::vector<std::vector<Field>>;

Rows scanned(std::string_view text, char delimiter = ',') {
  CsvScanner scanner(text, delimiter, "a.csv");
  Rows rows;
  for (std::vector<Field> fields; scanner.nextRow(fields);) rows.push_back(fields);
  return rows;
}

/// What a cell holds, and how it stands in the text.
struct Cell {
  std::string text;
  std::string written;  ///< without what is around the quotes
  bool quoted;
  std::size_t offset;
};

std::string doubled(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result;
}

/// Tables of which each cell is known, in all ways in which a cell and a line end can be written.
class Writer {
 public:
  explicit Writer(unsigned seed) : dice_(seed) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(dice_() / 7) % n; }
  std::string some(const std::string& letters, std::size_t most) {
    std::string result;
    for (std::size_t count = below(most + 1); count > 0; --count) result += letters[below(letters.size())];
    return result;
  }

  void addRow(std::size_t cells, char delimiter, bool ends) {
    std::vector<Cell> row;
    for (std::size_t i = 0; i < cells; ++i) {
      if (i > 0) text += delimiter;
      if (below(2) == 0) {
        text += std::string(below(3), ' ');
        const std::string content = some("ab\"\n\r ,;\t", 5);
        row.push_back({content, doubled(content), true, text.size()});
        text += '"' + doubled(content) + '"';
      } else {
        // Nothing that would begin a quoted one, or pass for a blank line or a line end.
        std::string content = below(4) == 0 && i > 0 ? "" : "x" + some("ab\"\r .", 4) + "y";
        if (below(3) == 0 && i > 0) content = " " + content;
        row.push_back({content, content, false, text.size()});
        text += content;
      }
    }
    if (ends) text += below(2) == 0 ? "\n" : "\r\n";
    if (ends && below(4) == 0) text += below(2) == 0 ? "\n\n" : "\r\n\n\r\n";
    rows.push_back(row);
  }

  std::string text;
  std::vector<std::vector<Cell>> rows;

 private:
  std::minstd_rand dice_;
};

TEST(CsvScanner, CutsEveryTextIntoItsCells) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    Writer writer(seed);
    const char delimiter = ",;\t"[writer.below(3)];
    const std::size_t rows = writer.below(4);
    const bool ends = writer.below(2) == 0;
    for (std::size_t i = 0; i < rows; ++i) writer.addRow(1 + writer.below(4), delimiter, ends || i + 1 < rows);
    const Rows found = scanned(writer.text, delimiter);
    ASSERT_EQ(found.size(), rows) << writer.text;
    for (std::size_t i = 0; i < rows; ++i) {
      ASSERT_EQ(found[i].size(), writer.rows[i].size()) << writer.text;
      for (std::size_t k = 0; k < found[i].size(); ++k) {
        const Field& field = found[i][k];
        const Cell& cell = writer.rows[i][k];
        const bool last = k + 1 == found[i].size();
        EXPECT_EQ(field.raw, cell.written) << writer.text;
        EXPECT_EQ(field.text(), cell.text) << writer.text;
        EXPECT_EQ(field.quoted, cell.quoted) << writer.text;
        EXPECT_EQ(field.offset, cell.offset) << writer.text;
        EXPECT_EQ(field.lastOfRow, last) << writer.text;
        EXPECT_TRUE(field.closed) << writer.text;
        EXPECT_EQ(field.complete, ends || i + 1 < rows || !last) << writer.text;
      }
    }
  }
}

TEST(CsvScanner, ATextMayEndInsideQuotes) {
  for (const std::string_view text : {"a,\"b", "a,\"b\"\"", "a,\"", "a,\"\"\"", "a,\"b\nc,d\n"}) {
    const Rows rows = scanned(text);
    ASSERT_EQ(rows.size(), 1U) << text;
    ASSERT_EQ(rows[0].size(), 2U) << text;
    const Field& field = rows[0][1];
    EXPECT_EQ(field.raw, text.substr(3)) << text;
    EXPECT_FALSE(field.closed) << text;
    EXPECT_FALSE(field.complete) << text;
    EXPECT_TRUE(field.lastOfRow) << text;
    EXPECT_TRUE(rows[0][0].closed && rows[0][0].complete && !rows[0][0].lastOfRow) << text;
  }
}

TEST(CsvScanner, AClosingQuoteMayBeTheEnd) {
  for (const std::string_view text : {"\"\"", "\"a\"", "\"a\"\"\""}) {
    const Rows rows = scanned(text);
    ASSERT_EQ(rows.size(), 1U) << text;
    EXPECT_TRUE(rows[0].at(0).closed) << text;
    EXPECT_FALSE(rows[0].at(0).complete) << text;
    EXPECT_EQ(rows[0].at(0).raw, text.substr(1, text.size() - 2)) << text;
  }
}

TEST(CsvScanner, ADelimiterAtTheEndIsFollowedByAnEmptyCell) {
  for (const std::string_view text : {"a,", "a,\n", "a,\r\n"}) {
    const Rows rows = scanned(text);
    ASSERT_EQ(rows.size(), 1U);
    ASSERT_EQ(rows[0].size(), 2U);
    EXPECT_EQ(rows[0][1].raw, "");
    EXPECT_EQ(rows[0][1].offset, 2U);
    EXPECT_EQ(rows[0][1].complete, text.size() > 2);
  }
}

TEST(CsvScanner, OnlyALineFeedMakesACarriageReturnALineEnd) {
  EXPECT_EQ(scanned("a\r").at(0).at(0).raw, "a\r");
  EXPECT_EQ(scanned("\ra\n").at(0).at(0).raw, "\ra");
  EXPECT_EQ(scanned("a\r,b\n").at(0).at(0).raw, "a\r");
  EXPECT_EQ(scanned("a\r\r\n").at(0).at(0).raw, "a\r");
  EXPECT_EQ(scanned("\r").size(), 1U);
}

TEST(CsvScanner, SpacesBeforeNoQuoteBelongToTheCell) {
  EXPECT_EQ(scanned("  a,  \n").at(0).at(0).raw, "  a");
  EXPECT_EQ(scanned("  a,  \n").at(0).at(1).raw, "  ");
  EXPECT_EQ(scanned("  ").at(0).at(0).raw, "  ");
}

TEST(CsvScanner, ATextOfBlankLinesHasNoRows) {
  for (const std::string_view text : {"", "\n", "\r\n", "\n\r\n\n"}) EXPECT_TRUE(scanned(text).empty()) << text;
}

TEST(CsvScanner, TextBehindAClosingQuoteIsAMistakeAtItsPlace) {
  for (const auto& [text, line, column] : {std::tuple("\"a\"b\n", 1U, 4U), std::tuple("x\n1,\"a\" \n", 2U, 6U),
                                           std::tuple("\"a\nb\"c", 2U, 3U), std::tuple("\"a\"\r", 1U, 4U)}) {
    try {
      scanned(text);
      ADD_FAILURE() << text;
    } catch (const core::InputError& error) {
      const core::Problem& problem = error.problems().at(0);
      EXPECT_EQ(problem.message, "Text follows a closing quote.");
      EXPECT_EQ(problem.remedy, "Double the quotes that belong to the text, and close it right before the delimiter.");
      EXPECT_EQ(problem.place.file, "a.csv");
      EXPECT_EQ(problem.place.line, line) << text;
      EXPECT_EQ(problem.place.column, column) << text;
    }
  }
}

TEST(CsvScanner, LinesAndColumnsOfMistakesCountFromOne) {
  const std::string text = "ab\n\ncd\n";
  const CsvScanner scanner(text, ',', "a.csv");
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t offset = 0; offset <= text.size(); ++offset) {
    const core::Problem problem = scanner.mistake(offset, "m", "r").problems().at(0);
    EXPECT_EQ(problem.place.line, line) << offset;
    EXPECT_EQ(problem.place.column, column) << offset;
    if (offset < text.size() && text[offset] == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  }
}

TEST(DelimiterOf, ATableIsTheFirstBehindTheFirstName) {
  EXPECT_EQ(delimiterOf("time,a;b\tc"), ',');
  EXPECT_EQ(delimiterOf("time;a,b\tc"), ';');
  EXPECT_EQ(delimiterOf("time\ta;b,c"), '\t');
  EXPECT_EQ(delimiterOf("\"a;b\",c"), ',');
  EXPECT_EQ(delimiterOf("\"a,\n\"\"\tb\";c"), ';') << "a line break in quotes is no end of the line";
  EXPECT_EQ(delimiterOf("time\n0;1\n"), ',') << "the first line alone counts";
  EXPECT_EQ(delimiterOf("time"), ',');
  EXPECT_EQ(delimiterOf(""), ',');
}

CsvHeader headerOf(const std::string& line) {
  CsvScanner scanner(line, ',', "a.csv");
  std::vector<Field> fields;
  scanner.nextRow(fields);
  return readHeader(fields, scanner);
}

TEST(CsvHeader, TimesMayHaveAnyUnitOfTime) {
  for (const auto& [unit, seconds] :
       {std::pair("us", 1e-6), std::pair("ms", 1e-3), std::pair("s", 1.0), std::pair("min", 60.0),
        std::pair("h", 3600.0), std::pair("d", 24.0 * 3600.0), std::pair("a", 365.0 * 24.0 * 3600.0)}) {
    const CsvHeader header = headerOf("time [" + std::string(unit) + "],x\n");
    EXPECT_EQ(header.secondsPerTime, seconds) << unit;
    EXPECT_EQ(header.timeUnit, unit);
  }
  EXPECT_EQ(headerOf("time,x\n").secondsPerTime, 1.0);
  EXPECT_EQ(headerOf("time,x\n").timeUnit, "s");
}

TEST(CsvHeader, AUnitStandsInBracketsBehindASpace) {
  const CsvHeader header = headerOf("time,a [m/s],b[1],c [-],d [],e [1] [kg],f [m],g [ ,h ]\n");
  const std::vector<std::pair<std::string, std::string>> expected{
      {"a", "m/s"}, {"b[1]", ""}, {"c", ""}, {"d", ""}, {"e [1]", "kg"}, {"f", "m"}, {"g [", ""}, {"h ]", ""}};
  ASSERT_EQ(header.names.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(header.names[i].name, expected[i].first);
    EXPECT_EQ(header.names[i].unit, expected[i].second) << expected[i].first;
  }
}

TEST(CsvHeader, SpacesAroundANameMeanNothingUnlessItIsQuoted) {
  const CsvHeader header = headerOf("  time , a ,\" b \",c  d\n");
  ASSERT_EQ(header.names.size(), 3U);
  EXPECT_EQ(header.names[0].name, "a");
  EXPECT_EQ(header.names[1].name, " b ");
  EXPECT_EQ(header.names[2].name, "c  d");
}

TEST(CsvHeader, QuotedNamesHoldUnitsOnlyWhereThatOfTheTimeDoes) {
  EXPECT_EQ(headerOf("\"time\",\"x [m]\"\n").names.at(0).name, "x [m]");
  EXPECT_EQ(headerOf("\"time\",x [m]\n").names.at(0).name, "x");
  EXPECT_EQ(headerOf("\"time [s]\",\"x [m]\"\n").names.at(0).name, "x");
  EXPECT_EQ(headerOf("\"time [s]\",\"x [m]\"\n").names.at(0).unit, "m");
}

TEST(CsvHeader, ElementsOfArraysAreNumberedInTheirOrder) {
  std::vector<std::string> names;
  for (const CsvHeader::Name& name : headerOf("time,x,y,x,z,y,x\n").names) names.push_back(name.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x[1]", "y[1]", "x[2]", "z", "y[2]", "x[3]"}));
}

TEST(CsvHeader, ADelimiterAtTheEndNamesNothing) {
  EXPECT_EQ(headerOf("time,x,\n").names.size(), 1U);
  EXPECT_EQ(headerOf("time,\n").names.size(), 0U);
}

TEST(CsvHeader, MayHoldNumbersBesideANameOnly) {
  EXPECT_EQ(headerOf("time,1,2\n").names.at(1).name, "2");
  EXPECT_EQ(headerOf("0,x\n").names.at(0).name, "x");
  EXPECT_THROW(headerOf("0,1,2\n"), core::InputError);
}

}  // namespace
}  // namespace koppla::results::csv_scanner_test
