// What all pictures in SVG share, to the pixel.

#include "koppla/report/svg_frame.hpp"

#include <string>

#include <gtest/gtest.h>

namespace koppla::report::svg_frame_test {
namespace {

TEST(SvgText, HasClassPlaceAndAnchor) {
  EXPECT_EQ(svgText("tick", 1.25, -2.5, "end", "a < b"),
            "<text class=\"tick\" x=\"1.25\" y=\"-2.5\" text-anchor=\"end\">a &lt; b</text>\n");
}

TEST(SvgTurnedText, TurnsAroundItsPlace) {
  EXPECT_EQ(svgTurnedText("v & w", 24.0, 7.5),
            "<text x=\"24\" y=\"7.5\" text-anchor=\"middle\" transform=\"rotate(-90 24 7.5)\">v &amp; w</text>\n");
}

TEST(SvgSegment, LeadsFromTheFirstPointToTheSecond) {
  EXPECT_EQ(svgSegment(1.0, 2.0, 3.5, -4.0), "M1,2L3.5,-4");
}

TEST(Box, HasItsLowValuesAtTheLeftAndAtTheBottom) {
  const Box box{10.0, 20.0, 100.0, 50.0};
  const Axis axis{{-1.0, 3.0}, {}, 0, ""};
  EXPECT_EQ(box.right(), 110.0);
  EXPECT_EQ(box.bottom(), 70.0);
  EXPECT_EQ(box.x(axis, -1.0), 10.0);
  EXPECT_EQ(box.x(axis, 0.0), 35.0);
  EXPECT_EQ(box.y(axis, -1.0), 70.0);
  EXPECT_EQ(box.y(axis, 2.0), 32.5);
}

/// Marks are written in 12 px, where a digit is 7.2 px wide.
TEST(TickWidth, IsThatOfTheWidestMark) {
  EXPECT_EQ(tickWidth({}), 0.0);
  EXPECT_NEAR(tickWidth({{0.0, 1.0}, {{0.0, "5"}, {0.5, "500"}, {1.0, "50"}}, 0, ""}), 21.6, 1e-9);
}

/// Lines are sharp between pixels: at 40.2 the pixel is 40, and its middle 40.5.
TEST(GridAndAxes, DrawsALineAMarkAndANumberForEachTick) {
  const Axis across{{0.0, 10.0}, {{0.0, "0"}, {5.0, "5"}}, 0, "x"};
  const Axis up{{-1.0, 1.0}, {{-0.5, "-0.5"}, {1.0, "1.0"}}, 0, "y"};
  const Box box{40.2, 20.3, 100.0, 60.0};  // right 140.2, bottom 80.3
  const std::string lines =
      "<path class=\"grid\" "
      "d=\"M40.2,65.5L140.2,65.5M40.2,20.5L140.2,20.5M40.5,20.3L40.5,80.3M90.5,20.3L90.5,80.3\"/>\n"
      "<path class=\"axis\" d=\"M35.2,65.5L40.2,65.5M35.2,20.5L40.2,20.5M40.5,80.3L40.5,85.3M90.5,80.3L90.5,85.3"
      "M40.5,20.3V80.5H140.2\"/>\n";
  const std::string left =
      "<text class=\"tick\" x=\"31.2\" y=\"69.5\" text-anchor=\"end\">−0.5</text>\n"
      "<text class=\"tick\" x=\"31.2\" y=\"24.5\" text-anchor=\"end\">1.0</text>\n";
  const std::string below =
      "<text class=\"tick\" x=\"40.5\" y=\"99.3\" text-anchor=\"middle\">0</text>\n"
      "<text class=\"tick\" x=\"90.5\" y=\"99.3\" text-anchor=\"middle\">5</text>\n";
  EXPECT_EQ(gridAndAxes(across, up, box, true), lines + left + below);
  EXPECT_EQ(gridAndAxes(across, up, box, false), lines + left);
}

TEST(SvgDocument, IsAsLargeAsItIsShown) {
  const std::string document = svgDocument(320.5, 200.0, "<g/>\n");
  EXPECT_TRUE(document.starts_with(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"320.5\" height=\"200\" viewBox=\"0 0 320.5 200\""))
      << document;
  EXPECT_TRUE(document.ends_with("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<g/>\n</svg>\n")) << document;
}

}  // namespace
}  // namespace koppla::report::svg_frame_test
