#include "koppla/report/braille_canvas.hpp"

#include <gtest/gtest.h>

namespace koppla::report {
namespace {

TEST(BrailleCanvas, HasEightDotsInACell) {
  // Unicode numbers the dots 1 2 3 7 down the left and 4 5 6 8 down the right; dot n is bit n - 1.
  constexpr int kNumber[2][4] = {{1, 2, 3, 7}, {4, 5, 6, 8}};
  for (int x = 0; x < 2; ++x)
    for (int y = 0; y < 4; ++y) {
      BrailleCanvas canvas(3, 2);
      canvas.dot(2 + x, 4 + y);
      EXPECT_EQ(canvas.cell(1, 1), 1 << (kNumber[x][y] - 1));
      EXPECT_EQ(canvas.cell(0, 0), 0);
    }
}

TEST(BrailleCanvas, IgnoresDotsOutside) {
  BrailleCanvas canvas(1, 1);
  canvas.dot(-1, 0);
  canvas.dot(0, 4);
  canvas.dot(2, 0);
  EXPECT_EQ(canvas.cell(0, 0), 0);
}

TEST(BrailleCanvas, LinesAreTheSameInBothDirections) {
  BrailleCanvas there(4, 2);
  BrailleCanvas back(4, 2);
  there.line(0, 0, 7, 7);
  back.line(7, 7, 0, 0);
  for (int column = 0; column < 4; ++column)
    for (int row = 0; row < 2; ++row) EXPECT_EQ(there.cell(column, row), back.cell(column, row));
}

TEST(BrailleCanvas, LinesOfEverySlopeReachTheirEnds) {
  for (int x = 0; x < 8; ++x)
    for (int y = 0; y < 8; ++y) {
      BrailleCanvas line(4, 2);
      BrailleCanvas end(4, 2);
      line.line(3, 4, x, y);
      end.dot(x, y);
      end.dot(3, 4);
      for (int column = 0; column < 4; ++column)
        for (int row = 0; row < 2; ++row)
          EXPECT_EQ(line.cell(column, row) & end.cell(column, row), end.cell(column, row));
    }
}

TEST(Braille, IsUtf8OfTheBrailleBlock) {
  EXPECT_EQ(braille(0x01), "⠁");
  EXPECT_EQ(braille(0xFF), "⣿");
  EXPECT_EQ(braille(0x40), "⡀");
}

}  // namespace
}  // namespace koppla::report
