#include "koppla/report/svg_path.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace koppla::report {
namespace {

TEST(SvgPath, JoinsPoints) {
  SvgPath path;
  path.add({0, 10}, false);
  path.add({5, 2.5}, true);
  path.add({10, 10}, true);
  EXPECT_EQ(path.finish().commands, "M0,10 5,2.5 10,10");
}

TEST(SvgPath, LeavesGaps) {
  SvgPath path;
  path.add({0, 0}, false);
  path.add({5, 5}, true);
  path.add({10, 0}, false);
  path.add({15, 5}, true);
  EXPECT_EQ(path.finish().commands, "M0,0 5,5M10,0 15,5");
}

TEST(SvgPath, TellsPointsWithoutNeighbours) {
  SvgPath path;
  path.add({3, 4}, false);
  const SvgPath::Result result = path.finish();
  EXPECT_EQ(result.commands, "");
  ASSERT_EQ(result.single.size(), 1U);
  EXPECT_EQ(result.single[0].y, 4.0);
}

TEST(SvgPath, LeavesOutPointsOnAStraightLine) {
  SvgPath path;
  for (int i = 0; i <= 100; ++i) path.add({3.0 * i, 2.0 * i}, i > 0);
  EXPECT_EQ(path.finish().commands, "M0,0 300,200");
}

TEST(SvgPath, KeepsTheTurningPointsOfAStraightLine) {
  SvgPath path;
  path.add({0, 0}, false);
  path.add({0, 10}, true);
  path.add({0, 5}, true);
  EXPECT_EQ(path.finish().commands, "M0,0 0,10 0,5");
}

TEST(SvgPath, KeepsLowestAndHighestOfEachColumn) {
  SvgPath path;
  constexpr int kPoints = 100'000;
  constexpr double kWidth = 100.0;
  for (int i = 0; i < kPoints; ++i) {
    const double y = i == 54'321 ? 99.0 : i == 54'400 ? -99.0 : std::sin(0.1 * i);
    path.add({kWidth * i / kPoints, y}, i > 0);
  }
  const std::string commands = path.finish().commands;
  EXPECT_NE(commands.find("54.32,99 "), std::string::npos);
  EXPECT_NE(commands.find("54.4,-99 "), std::string::npos);
  EXPECT_LE(std::count(commands.begin(), commands.end(), ','), 4 * 100);
}

TEST(SvgPath, JumpsStayVertical) {
  SvgPath path;
  for (int i = 0; i <= 1000; ++i) {
    path.add({0.01 * i, 0.001 * i * (i <= 500 ? 1 : -1)}, i > 0);
    if (i == 500) path.add({0.01 * i, -0.5}, true);
  }
  EXPECT_EQ(path.finish().commands, "M0,0 5,0.5 5,-0.5 10,-1");
}

TEST(Pixels, AreShort) {
  EXPECT_EQ(pixels(1.0), "1");
  EXPECT_EQ(pixels(0.126), "0.13");
  EXPECT_EQ(pixels(10.5), "10.5");
  EXPECT_EQ(pixels(-0.001), "0");
  EXPECT_EQ(pixels(100.0), "100");
}

}  // namespace
}  // namespace koppla::report
