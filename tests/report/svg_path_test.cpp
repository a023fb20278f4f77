#include "koppla/report/svg_path.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

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

std::string through(const std::vector<SvgPath::Point>& points) {
  SvgPath path;
  for (std::size_t i = 0; i < points.size(); ++i) path.add(points[i], i > 0);
  return path.finish().commands;
}

TEST(SvgPath, KeepsFirstHighestLowestAndLastOfAColumnInTheirOrder) {
  EXPECT_EQ(through({{0.1, 5}, {0.2, 9}, {0.3, 1}, {0.4, 6}, {0.6, 5}}), "M0.1,5 0.2,9 0.3,1 0.6,5");
  EXPECT_EQ(through({{0.1, 5}, {0.2, 1}, {0.3, 9}, {0.4, 6}, {0.6, 5}}), "M0.1,5 0.2,1 0.3,9 0.6,5");
  EXPECT_EQ(through({{0.1, 9}, {0.2, 6}, {0.3, 7}, {0.6, 1}}), "M0.1,9 0.6,1") << "first and last are the extremes";
  EXPECT_EQ(through({{0.1, 5}, {0.2, 9}, {0.3, 1}, {0.4, 9}, {0.5, 1}, {0.6, 5}}), "M0.1,5 0.2,9 0.3,1 0.6,5")
      << "of equals the first one";
  EXPECT_EQ(through({{-0.8, 5}, {-0.2, 9}, {0.3, 1}, {0.8, 7}}), "M-0.8,5 -0.2,9 0.3,1 0.8,7") << "two columns";
}

/// The distance from a line of length 50 in direction (0.6, 0.8) decides: a hundredth of a pixel is seen.
TEST(SvgPath, LeavesOutWhatIsLessThanAHundredthOfAPixelOffTheLine) {
  const auto drawn = [](double off) {
    return through({{100, 50}, {115.4 - 0.8 * off, 70.5333333333 + 0.6 * off}, {130, 90}});
  };
  EXPECT_EQ(drawn(0.0), "M100,50 130,90");
  EXPECT_EQ(drawn(0.009), "M100,50 130,90");
  EXPECT_EQ(drawn(-0.009), "M100,50 130,90");
  EXPECT_NE(drawn(0.011), "M100,50 130,90");
  EXPECT_NE(drawn(-0.011), "M100,50 130,90");
  EXPECT_EQ(through({{0, 0}, {10, 0.01}, {20, 0}}), "M0,0 10,0.01 20,0") << "exactly";
}

TEST(SvgPath, MeasuresFromTheCornerBeforeEachTime) {
  EXPECT_EQ(through({{0, 0}, {10, 10}, {20, 0}, {30, -10}, {40, 0}}), "M0,0 10,10 30,-10 40,0");
}

TEST(SvgPath, APointThatComesTwiceIsOneCorner) {
  EXPECT_EQ(through({{0, 0}, {3, 4}, {3, 4}}), "M0,0 3,4");
  EXPECT_EQ(through({{0, 0}, {0, 0}, {3, 4}}), "M0,0 3,4");
}

/// In each column, so that the first ones have not used up what later ones need.
TEST(SvgPath, JumpsInEveryColumnStayVertical) {
  std::vector<SvgPath::Point> points;
  std::string expected = "M";
  for (int column = 0; column < 6; ++column) {
    const std::string whole = std::to_string(column);
    points.insert(points.end(), {{column + 0.25, 5}, {column + 0.5, 1}, {column + 0.5, -1}, {column + 0.75, 5}});
    for (const char* corner : {".25,5 ", ".5,1 ", ".5,-1 ", ".75,5 "}) expected += whole + corner;
  }
  expected.pop_back();
  EXPECT_EQ(through(points), expected);
}

/// Where there are more than two in a column, nobody can see that they lean over.
TEST(SvgPath, TwoJumpsInAColumnAreExact) {
  EXPECT_EQ(through({{0.0, 1}, {0.0, 2}, {0.5, 3}, {0.5, 7}, {0.6, 4}, {0.7, 5}}), "M0,1 0,2 0.5,3 0.5,7 0.6,4 0.7,5");
  EXPECT_EQ(through({{0.1, 1}, {0.1, 2}, {0.3, 3}, {0.3, 7}, {0.5, 5}, {0.5, 6}, {0.7, 4}}),
            "M0.1,1 0.1,2 0.3,3 0.3,7 0.7,4");
  EXPECT_EQ(through({{5.0, 1}, {5.0, 2}, {5.5, 3}, {5.5, 7}, {5.6, 4}, {5.7, 5}}), "M5,1 5,2 5.5,3 5.5,7 5.6,4 5.7,5")
      << "in any column";
}

TEST(SvgPath, AGapInAColumnIsNoJump) {
  SvgPath path;
  path.add({0.5, 1}, false);
  path.add({0.5, 3}, false);
  path.add({0.5, 4}, true);
  const SvgPath::Result result = path.finish();
  EXPECT_EQ(result.commands, "M0.5,3 0.5,4");
  ASSERT_EQ(result.single.size(), 1U);
  EXPECT_EQ(result.single[0].y, 1.0);
  EXPECT_EQ(path.finish().commands, "") << "what was given is gone";
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
  EXPECT_EQ(pixels(0.0), "0");
  EXPECT_EQ(pixels(-0.01), "-0.01");
  EXPECT_EQ(pixels(-20.0), "-20");
}

}  // namespace
}  // namespace koppla::report
