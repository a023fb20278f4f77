#include "koppla/report/box_plot.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <pugixml.hpp>

#include "koppla/report/svg_frame.hpp"

namespace koppla::report::box_plot_test {
namespace {

BoxPlot twoBoxes() {
  BoxPlot plot;
  plot.title = "sets";
  plot.label = "effort";
  plot.boxes = {{"a < b", 0.1, 0.2, 0.4, 0.6, 0.9, 0.45}, {"other", 0.5, 1.0, 1.5, 1.75, 2.0, 1.4}};
  return plot;
}

struct Drawn {
  double left, width, mean, y;
};

std::vector<Drawn> drawn(const BoxPlot& plot) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(plotBoxes(plot).c_str()));
  std::vector<Drawn> result;
  for (const pugi::xml_node group : document.child("svg").children("g")) {
    const pugi::xml_node box = group.child("rect");
    const pugi::xml_node dot = group.child("circle");
    result.push_back({box.attribute("x").as_double(), box.attribute("width").as_double(),
                      dot.attribute("cx").as_double(), dot.attribute("cy").as_double()});
  }
  return result;
}

TEST(BoxPlot, BoxesReachFromQuartileToQuartileOnOneScale) {
  const std::vector<Drawn> boxes = drawn(twoBoxes());
  ASSERT_EQ(boxes.size(), 2U);
  const double scale = boxes[0].width / 0.4;  // px for one unit, by the first box
  EXPECT_NEAR(boxes[1].width, 0.75 * scale, 0.05);
  EXPECT_NEAR(boxes[1].left - boxes[0].left, 0.8 * scale, 0.05);
  EXPECT_NEAR(boxes[0].mean - boxes[0].left, 0.25 * scale, 0.05);
  EXPECT_LT(boxes[0].y, boxes[1].y) << "the first one is on top";
}

TEST(BoxPlot, NamesAndLabelsAreThereAndEscaped) {
  const std::string svg = plotBoxes(twoBoxes());
  for (const char* part : {">sets<", ">effort<", ">a &lt; b<", ">other<", ">median<"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

/// The frame of 408 px begins behind margin (14), names of five letters (36), space (4) and mark (5) at 59 and shows 0
/// to 4.08, 2 % more than the largest number: x = 59 + 100 v. Title (30) and legend (20 + 6) put it at 70; rows
/// have 24.
TEST(BoxPlot, LaysOutTitleLegendAndRowsOfEqualHeight) {
  BoxPlot plot;
  plot.title = "sets";
  plot.label = "effort";
  plot.mark = 3.0;
  plot.width = 59.0 + 408.0 + 14.0 + 8.0;
  plot.boxes = {{"aaaaa", 0.5, 1.0, 1.5, 2.5, 4.0, 1.75}, {"b>bbb", 0.0, 0.25, 0.75, 1.25, 2.25, 0.8}};
  Axis across{{0.0, 1.02 * 4.0}, {}, 0, "effort"};
  for (const char* tick : {"0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0", "3.5", "4.0"})
    across.ticks.push_back({std::stod(tick), tick});
  const Axis up{{-1.5, 0.5}, {{0.0, "aaaaa"}, {-1.0, "b>bbb"}}, 0, ""};
  const std::string expected =
      svgText("title", 59.0, 28.0, "start", "sets") +
      "<path class=\"curve\" stroke=\"#d55e00\" d=\"M63,47L63,61\"/>\n" +
      svgText("name", 71.0, 58.5, "start", "median") + "<circle r=\"3\" cx=\"143\" cy=\"54\" fill=\"#000\"/>\n" +
      svgText("name", 153.0, 58.5, "start", "mean; box: middle half, lines: extremes") +
      gridAndAxes(across, up, {59.0, 70.0, 408.0, 48.0}, true) +
      "<path class=\"axis\" stroke-dasharray=\"5 4\" d=\"M359,70L359,118\"/>\n"
      "<g><title>aaaaa</title>\n"
      "<path class=\"curve\" stroke=\"#0072b2\" "
      "d=\"M109,82L159,82M309,82L459,82M109,78L109,86M459,78L459,86\"/>\n"
      "<rect x=\"159\" y=\"75\" width=\"150\" height=\"14\" fill=\"#cfe3f1\" stroke=\"#0072b2\" "
      "stroke-width=\"1.4\"/>\n"
      "<path class=\"curve\" stroke=\"#d55e00\" d=\"M209,75L209,89\"/>\n"
      "<circle r=\"3\" cx=\"234\" cy=\"82\" fill=\"#000\"/>\n</g>\n"
      "<g><title>b&gt;bbb</title>\n"
      "<path class=\"curve\" stroke=\"#0072b2\" "
      "d=\"M59,106L84,106M184,106L284,106M59,102L59,110M284,102L284,110\"/>\n"
      "<rect x=\"84\" y=\"99\" width=\"100\" height=\"14\" fill=\"#cfe3f1\" stroke=\"#0072b2\" stroke-width=\"1.4\"/>\n"
      "<path class=\"curve\" stroke=\"#d55e00\" d=\"M134,99L134,113\"/>\n"
      "<circle r=\"3\" cx=\"139\" cy=\"106\" fill=\"#000\"/>\n</g>\n" +
      svgText("label", 263.0, 156.0, "middle", "effort");
  EXPECT_EQ(plotBoxes(plot), svgDocument(plot.width, 168.0, expected));
}

TEST(BoxPlot, WithoutATitleTheLegendIsOnTop) {
  BoxPlot plot = twoBoxes();
  const std::string titled = plotBoxes(plot);
  plot.title.clear();
  const std::string untitled = plotBoxes(plot);
  EXPECT_NE(titled.find("y=\"58.5\" text-anchor=\"start\">median"), std::string::npos);
  EXPECT_NE(untitled.find("y=\"28.5\" text-anchor=\"start\">median"), std::string::npos);
  EXPECT_EQ(untitled.find("\"title\""), std::string::npos);
}

/// 80 px at least: from 59 to 139.
TEST(BoxPlot, AFrameKeepsSomeWidth) {
  BoxPlot plot;
  plot.width = 30.0;
  plot.boxes = {{"aaaaa", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
  EXPECT_NE(plotBoxes(plot).find("V64.5H139\"/>"), std::string::npos) << plotBoxes(plot);
}

TEST(BoxPlot, TheAxisReachesTheMarkWhereAllNumbersAreSmaller) {
  BoxPlot plot = twoBoxes();
  plot.mark = 10.0;
  EXPECT_NE(plotBoxes(plot).find(">10<"), std::string::npos);
}

TEST(BoxPlot, NamesAreCutAtThirtyCharacters) {
  BoxPlot plot = twoBoxes();
  plot.boxes[0].name = std::string(30, 'n');
  plot.boxes[1].name = std::string(31, 'm');
  const std::string svg = plotBoxes(plot);
  EXPECT_NE(svg.find("\"end\">" + std::string(30, 'n') + "<"), std::string::npos);
  EXPECT_NE(svg.find("\"end\">" + std::string(29, 'm') + "…<"), std::string::npos);
}

}  // namespace
}  // namespace koppla::report::box_plot_test
