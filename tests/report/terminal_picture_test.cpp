// Whole pictures, drawn by hand: horizontal lines and jumps fall on dots that can be counted.

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/report/plot_terminal.hpp"

namespace koppla::report::terminal_picture_test {
namespace {

using core::Type;
using Numbers = std::vector<double>;

results::Series series(std::string name, Numbers numbers, std::string unit = "m", Type type = Type::real) {
  return {std::move(name), std::move(unit), "", type, std::move(numbers), {}};
}

results::Table table(Numbers time, std::vector<results::Series> all) {
  results::Table result;
  result.time = std::move(time);
  result.series = std::move(all);
  return result;
}

/// Six rows have 24 dots, so 0 is dot 23 from above, 0.5 dot 11 (in row 2) and 1 dot 0. Sixteen columns have 32, so 0.5
/// is dot 16, the left one of column 8.
TEST(TerminalPicture, AJumpFromTheBottomToTheTop) {
  const results::Table rows = table({0, 0.5, 0.5, 1}, {series("a", {0, 0, 1, 1})});
  const std::string expected =
      "a / m\n"
      "1.0 ┤        ⡏⠉⠉⠉⠉⠉⠉⠉\n"
      "    │        ⡇\n"
      "0.5 ┤        ⡇\n"
      "    │        ⡇\n"
      "    │        ⡇\n"
      "0.0 ┤⣀⣀⣀⣀⣀⣀⣀⣀⡇\n"
      "    └┬───────┬──────┬\n"
      "    0.0     0.5   1.0\n"
      "         time / s\n";
  EXPECT_EQ(plotTerminal(rows, {}, {21, 10, false}), expected);
}

std::string coloured(int colour, const std::string& text) {
  return "\033[38;5;" + std::to_string(colour) + "m" + text + "\033[0m";
}

TEST(TerminalPicture, NeighboursOfOneColourShareItsEscapeSequence) {
  const results::Table rows = table({0, 0.5, 0.5, 1}, {series("a", {0, 0, 1, 1})});
  const std::string expected =
      "a / m\n1.0 ┤        " + coloured(32, "⡏⠉⠉⠉⠉⠉⠉⠉") + "\n    │        " + coloured(32, "⡇") + "\n0.5 ┤        " +
      coloured(32, "⡇") + "\n    │        " + coloured(32, "⡇") + "\n    │        " + coloured(32, "⡇") + "\n0.0 ┤" +
      coloured(32, "⣀⣀⣀⣀⣀⣀⣀⣀⡇") + "\n    └┬───────┬──────┬\n    0.0     0.5   1.0\n         time / s\n";
  EXPECT_EQ(plotTerminal(rows, {}, {21, 10, true}), expected);
}

/// Where curves share a cell, it has the dots of both and the colour of the later one. 1/23 is one dot above 0.
TEST(TerminalPicture, TheLaterCurveColoursACell) {
  const results::Table rows =
      table({0, 1}, {series("a", {0, 0}), series("b", {1.0 / 23.0, 1.0 / 23.0}), series("c", {1, 1})});
  const std::string line = plotTerminal(rows, {}, {21, 10, true});
  EXPECT_NE(line.find("0.0 ┤" + coloured(166, "⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤") + "\n"), std::string::npos) << line;
  EXPECT_NE(line.find("1.0 ┤" + coloured(36, "⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉") + "\n"), std::string::npos) << line;
}

/// b stands in the bottom row from its left to the middle, a in the rest.
TEST(TerminalPicture, AChangeOfColourBeginsAnother) {
  const results::Table rows = table({0, 0.5, 0.5, 1}, {series("a", {1, 1, 0, 0}), series("b", {0, 0, NAN, NAN})});
  const std::string line = plotTerminal(rows, {}, {21, 10, true});
  // a's jump in column 8 has its last dot at the bottom; b ends in the same dot.
  EXPECT_NE(line.find("0.0 ┤" + coloured(166, "⣀⣀⣀⣀⣀⣀⣀⣀⣇") + coloured(32, "⣀⣀⣀⣀⣀⣀⣀") + "\n"), std::string::npos)
      << line;
}

TEST(TerminalPicture, HasSixColoursAPanel) {
  std::vector<results::Series> all;
  for (int i = 0; i < 7; ++i) all.push_back(series("x" + std::to_string(i), {0, 1}));
  const std::string picture = plotTerminal(table({0, 1}, all), {}, {80, 24, true});
  // Near those of Okabe and Ito, in the 256 of xterm.
  int curve = 0;
  for (const int colour : {32, 166, 36, 175, 178, 74}) {
    const std::string named = "  " + coloured(colour, "━━") + " x" + std::to_string(curve++);
    EXPECT_NE(picture.find(named), std::string::npos) << named;
  }
  EXPECT_NE(picture.find("x6 / m\n"), std::string::npos) << "the seventh has a panel of its own";
}

/// Each quarter of the width, but twelve columns at least, has a letter of each curve, those of two at 3 and 9 of 12.
TEST(TerminalPicture, CurvesCarryLettersInTurns) {
  const results::Table rows = table({0, 1}, {series("a", {0, 0}), series("b", {1, 1})});
  const std::string expected =
      "value / m   a a   b b\n"
      "1.0 ┤⠉⠉⠉⠉⠉⠉⠉⠉⠉b⠉⠉⠉⠉⠉⠉\n"
      "    │\n"
      "0.5 ┤\n"
      "    │\n"
      "    │\n"
      "0.0 ┤⣀⣀⣀a⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀a\n"
      "    └┬───────┬──────┬\n"
      "    0.0     0.5   1.0\n"
      "         time / s\n";
  EXPECT_EQ(plotTerminal(rows, {}, {21, 10, false}), expected);
}

/// The line of a picture that is so many below the heading.
std::string lineOf(const std::string& picture, int number) {
  std::size_t from = 0;
  for (int i = 0; i < number; ++i) from = picture.find('\n', from) + 1;
  return picture.substr(from, picture.find('\n', from) - from);
}

TEST(TerminalPicture, LettersComeEveryQuarterOfAWideFrame) {
  const results::Table rows = table({0, 1}, {series("a", {0, 0}), series("b", {1, 1})});
  const std::string picture = plotTerminal(rows, {}, {69, 10, false});  // 64 columns
  const auto dots = [](int count) {
    std::string result;
    for (int i = 0; i < count; ++i) result += "⣀";
    return result;
  };
  EXPECT_EQ(lineOf(picture, 6), "0.0 ┤" + dots(4) + "a" + dots(15) + "a" + dots(15) + "a" + dots(15) + "a" + dots(11));
}

/// a and b are in the same cells everywhere, with different dots; three letters are at 2, 6 and 10 of 12.
TEST(TerminalPicture, LettersStandOnSharedCellsWhereThereAreNoOthers) {
  const results::Table rows =
      table({0, 1}, {series("a", {0, 0}), series("b", {1.0 / 23.0, 1.0 / 23.0}), series("c", {1, 1})});
  const std::string picture = plotTerminal(rows, {}, {21, 10, false});
  EXPECT_EQ(lineOf(picture, 2), "1.0 ┤⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉c⠉⠉⠉⠉⠉");
  EXPECT_EQ(lineOf(picture, 7), "0.0 ┤⣤⣤a⣤⣤⣤b⣤⣤⣤⣤⣤⣤⣤a⣤");
}

/// a and b share cells up to column 3, where b jumps away; a's own begin in column 4.
TEST(TerminalPicture, LettersPreferCellsOfTheirOwn) {
  const double jump = 7.0 / 31.0;  // the right dot of column 3
  const results::Table rows = table({0, jump, jump, 1}, {series("a", {0, 0, 0, 0}), series("b", {0, 0, 1, 1})});
  const std::string picture = plotTerminal(rows, {}, {21, 10, false});
  // Equal dots are nobody's, and a's: only column 3 has more than a's.
  EXPECT_EQ(lineOf(picture, 6), "0.0 ┤⣀⣀⣀⣸a⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀a") << picture;
  EXPECT_EQ(lineOf(picture, 1), "1.0 ┤   ⢸⠉⠉⠉⠉⠉b⠉⠉⠉⠉⠉⠉") << picture;
}

/// a begins in column 6, where b's letter would be as well.
TEST(TerminalPicture, NoLetterTakesThePlaceOfAnother) {
  const results::Table rows =
      table({0, 12.0 / 31.0, 1}, {series("a", {NAN, 0, 0}), series("b", {0, 0, 0}), series("c", {1, 1, 1})});
  EXPECT_EQ(lineOf(plotTerminal(rows, {}, {21, 10, false}), 7), "0.0 ┤⣀⣀⣀⣀⣀⣀ab⣀⣀⣀⣀⣀⣀a⣀");
}

/// a begins in column 8; its first letter is sought from 2 to 7.
TEST(TerminalPicture, ALetterIsSoughtInSixColumnsAtLeast) {
  const results::Table rows =
      table({0, 16.0 / 31.0, 1}, {series("a", {NAN, 0, 0}), series("b", {0, 0, 0}), series("c", {1, 1, 1})});
  EXPECT_EQ(lineOf(plotTerminal(rows, {}, {21, 10, false}), 7), "0.0 ┤⣀⣀⣀⣀⣀⣀b⣀⣀⣀⣀⣀⣀⣀a⣀");
}

/// At 21 columns; "value / m" has 9, a name of n another n + 5.
TEST(TerminalPicture, NamesGoToTheNextLineWhereTheyFindNoRoom) {
  const results::Table rows =
      table({0, 1}, {series("aaaaaaa", {0, 1}), series("bbbb", {0, 1}), series("ccccccc", {0, 1}),
                     series("dddd", {0, 1}), series("eeeeeeeeeeeeeeeeeeeee", {0, 1})});
  const std::string picture = plotTerminal(rows, {}, {21, 10, false});
  EXPECT_EQ(lineOf(picture, 0), "value / m   a aaaaaaa");
  EXPECT_EQ(lineOf(picture, 1), "   b bbbb   c ccccccc");
  EXPECT_EQ(lineOf(picture, 2), "   d dddd");
  EXPECT_EQ(lineOf(picture, 3), "   e eeeeeeeeeeeeeee…") << "21 cells";
  const std::string wider = plotTerminal(rows, {}, {22, 10, true});
  EXPECT_EQ(lineOf(wider, 0), "value / m  " + coloured(32, "━━") + " aaaaaaa");
  EXPECT_EQ(lineOf(wider, 1), "  " + coloured(166, "━━") + " bbbb  " + coloured(36, "━━") + " ccccccc");
}

TEST(TerminalPicture, HeadingsHaveEightCellsAtLeast) {
  const results::Table one = table({0, 1}, {series("position", {0, 1})});
  EXPECT_EQ(lineOf(plotTerminal(one, {}, {5, 10, false}), 0), "positio…");
  EXPECT_EQ(lineOf(plotTerminal(one, {}, {9, 10, false}), 0), "position…");
}

/// Six rows and sixteen columns are kept, however small the terminal.
TEST(TerminalPicture, PanelsShareTheHeight) {
  const auto rowsOf = [](std::size_t panels, int height) {
    std::vector<results::Series> all;
    for (std::size_t i = 0; i < panels; ++i) all.push_back(series("x", {0, 1}, "u" + std::to_string(i)));
    const std::string picture = plotTerminal(table({0, 1}, all), {}, {40, height, false});
    std::size_t rows = 0;
    for (const char* axis : {"│", "┤"})
      for (std::size_t at = picture.find(axis); at != std::string::npos; at = picture.find(axis, at + 1)) ++rows;
    return rows / panels;
  };
  EXPECT_EQ(rowsOf(1, 24), 20U) << "without heading, axis and two lines below";
  EXPECT_EQ(rowsOf(2, 24), 9U) << "(24 - 2) / 2 - 2";
  EXPECT_EQ(rowsOf(2, 25), 9U);
  EXPECT_EQ(rowsOf(2, 26), 10U);
  EXPECT_EQ(rowsOf(1, 11), 7U);
  EXPECT_EQ(rowsOf(1, 10), 6U);
  EXPECT_EQ(rowsOf(1, 3), 6U);
  const results::Table rows = table({0, 1}, {series("x", {0, 1})});
  EXPECT_EQ(lineOf(plotTerminal(rows, {}, {3, 10, false}), 7), "    └┬───────┬──────┬");
  EXPECT_EQ(lineOf(plotTerminal(rows, {}, {22, 10, false}), 7), "    └┬───────┬───────┬");
}

/// The frames of all panels begin behind the widest mark: "1.0" here, which is in the first panel, and in the second.
TEST(TerminalPicture, FramesBeginAtTheSamePlace) {
  const results::Series wide = series("x", {0, 1});
  const results::Series narrow = series("on", {0, 1}, "", Type::boolean);
  const std::string expectedWide = "1.0 ┤";
  const std::string expectedNarrow = "  1 ┤";
  for (const bool wideFirst : {true, false}) {
    const std::string picture = plotTerminal(
        table({0, 1}, wideFirst ? std::vector{wide, narrow} : std::vector{narrow, wide}), {}, {21, 18, false});
    EXPECT_EQ(lineOf(picture, 1).substr(0, expectedWide.size()), wideFirst ? expectedWide : expectedNarrow);
    EXPECT_EQ(lineOf(picture, 9).substr(0, expectedWide.size()), wideFirst ? expectedNarrow : expectedWide);
  }
}

/// A number is centred below its mark, or ends with the picture; it is left out where it would begin before the picture
/// or less than two cells behind the one before.
std::string numbersBelow(Numbers time, Type type, int width) {
  const results::Table rows = table(std::move(time), {series("x", {0, 1}, "", type)});
  return lineOf(plotTerminal(rows, {}, {width, 10, false}), 8);
}

TEST(TerminalPicture, NumbersBelowTheAxisKeepApart) {
  // Marks in columns 0, 8 and 15 of 16, which begin at 5.
  EXPECT_EQ(numbersBelow({100.0, 100.02}, Type::real, 21), "  100.00  100.01") << "the last one would overlap";
  EXPECT_EQ(numbersBelow({1000.0, 1000.02}, Type::real, 21), "  1000.00     1000.02") << "the middle one is too near";
  // Behind marks of one character they begin at 3: the number of ten thousand would begin at -1.
  EXPECT_EQ(numbersBelow({100.0, 100.02}, Type::boolean, 19), "100.00  100.01");
  EXPECT_EQ(numbersBelow({10000.0, 10000.02}, Type::boolean, 19), "       10000.01");
}

/// One every nine columns, but three: of steps of 1 and 2 s.
TEST(TerminalPicture, HasAsManyNumbersBelowTheAxisAsHaveRoom) {
  EXPECT_EQ(numbersBelow({0.0, 2.5}, Type::real, 21), "     0           2") << "3: 2.5 / 2";
  EXPECT_EQ(numbersBelow({0.0, 4.0}, Type::real, 50), "     0          1          2          3          4")
      << "5 in 45";
  EXPECT_EQ(numbersBelow({0.0, 4.0}, Type::real, 49), "     0                     2                    4") << "4 in 44";
}

TEST(TerminalPicture, TheLabelOfTheTimeIsCentred) {
  results::Table rows = table({0, 1}, {series("x", {0, 1})});
  rows.over = "n";
  EXPECT_EQ(lineOf(plotTerminal(rows, {}, {21, 10, false}), 9), std::string(12, ' ') + "n") << "5 + 15 / 2";
  rows.over = std::string(40, 'n');
  EXPECT_EQ(lineOf(plotTerminal(rows, {}, {21, 10, false}), 9), std::string(40, 'n'))
      << "it would begin before the picture";
}

}  // namespace
}  // namespace koppla::report::terminal_picture_test
