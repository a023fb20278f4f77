#include "koppla/report/box_plot.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <pugixml.hpp>

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

}  // namespace
}  // namespace koppla::report::box_plot_test
