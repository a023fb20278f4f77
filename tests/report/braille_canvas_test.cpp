#include "koppla/report/braille_canvas.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

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
  canvas.dot(0, -1);
  EXPECT_EQ(canvas.cell(0, 0), 0);
}

TEST(BrailleCanvas, DotsOutsideDoNotComeBackElsewhere) {
  BrailleCanvas canvas(3, 2);
  for (int x = -9; x < 16; ++x)
    for (int y = -9; y < 18; ++y)
      if (x < 0 || x > 5 || y < 0 || y > 7) canvas.dot(x, y);
  for (int column = 0; column < 3; ++column)
    for (int row = 0; row < 2; ++row) EXPECT_EQ(canvas.cell(column, row), 0);
}

/// Whether a dot of a line from the origin to (x, y) is there by its definition: one in each step along the longer
/// direction, the nearest to the ideal line, of two equally near ones that nearer to the start.
bool isOnLine(int x, int y, int dotX, int dotY) {
  const int steps = std::max(std::abs(x), std::abs(y));
  for (int step = 0; step <= steps; ++step) {
    const auto nearest = [&](int end) {
      const double ideal = steps == 0 ? 0.0 : static_cast<double>(std::abs(end) * step) / steps;
      const int magnitude = static_cast<int>(std::ceil(ideal - 0.5));
      return end < 0 ? -magnitude : magnitude;
    };
    if (nearest(x) == dotX && nearest(y) == dotY) return true;
  }
  return false;
}

TEST(BrailleCanvas, LinesHaveTheDotsNearestToTheIdealOne) {
  constexpr int kMiddle = 12;
  for (int x = -11; x <= 11; ++x)
    for (int y = -11; y <= 11; ++y) {
      BrailleCanvas line(12, 6);
      line.line(kMiddle, kMiddle, kMiddle + x, kMiddle + y);
      BrailleCanvas ideal(12, 6);
      for (int dotX = -11; dotX <= 11; ++dotX)
        for (int dotY = -11; dotY <= 11; ++dotY)
          if (isOnLine(x, y, dotX, dotY)) ideal.dot(kMiddle + dotX, kMiddle + dotY);
      bool same = true;
      for (int column = 0; column < 12; ++column)
        for (int row = 0; row < 6; ++row) same = same && line.cell(column, row) == ideal.cell(column, row);
      EXPECT_TRUE(same) << "to " << x << ", " << y;
    }
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
