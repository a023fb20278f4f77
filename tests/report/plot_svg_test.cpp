#include "koppla/report/plot_svg.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <pugixml.hpp>

#include "koppla/report/svg_frame.hpp"
#include "koppla/report/svg_text.hpp"

#include "support/matches.hpp"

namespace koppla::report::plot_svg_test {
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

class Svg {
 public:
  explicit Svg(const std::string& content) { wellFormed_ = static_cast<bool>(document_.load_string(content.c_str())); }

  [[nodiscard]] bool wellFormed() const { return wellFormed_ && document_.child("svg"); }
  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> result;
    for (const auto& node : document_.select_nodes("//text")) result.emplace_back(node.node().child_value());
    return result;
  }
  [[nodiscard]] bool hasText(std::string_view wanted) const {
    for (const std::string& text : texts())
      if (text == wanted) return true;
    return false;
  }
  [[nodiscard]] std::size_t count(const char* path) const { return document_.select_nodes(path).size(); }
  [[nodiscard]] std::string path(const char* query) const {
    return document_.select_node(query).node().attribute("d").value();
  }

 private:
  pugi::xml_document document_;
  bool wellFormed_ = false;
};

constexpr char kCurves[] = "//g/path[@class='curve']";

TEST(PlotSvg, IsWellFormedAndLabelled) {
  const Svg svg(plotSvg(table({0, 10}, {series("a.x", {0, 1})}), {}));
  ASSERT_TRUE(svg.wellFormed());
  EXPECT_TRUE(svg.hasText("a.x / m"));
  EXPECT_TRUE(svg.hasText("time / s"));
  EXPECT_TRUE(svg.hasText("10"));
  EXPECT_EQ(svg.count(kCurves), 1U);
}

TEST(PlotSvg, EscapesNamesUnitsAndTitle) {
  const Svg svg(plotSvg(table({0, 1}, {series("a.<x> & \"y\"", {0, -1}, "<m>"), series("b]]>", {0, 1}, "<m>")}), {},
                        {500, 200, "R&D <1>"}));
  ASSERT_TRUE(svg.wellFormed());
  EXPECT_TRUE(svg.hasText("R&D <1>"));
  EXPECT_TRUE(svg.hasText("a.<x> & \"y\""));
  EXPECT_TRUE(svg.hasText("b]]>"));
  EXPECT_TRUE(svg.hasText("value / <m>"));
}

TEST(PlotSvg, AStraightLineIsOneSegment) {
  Numbers time;
  for (int i = 0; i <= 1000; ++i) time.push_back(i);
  const std::string path = Svg(plotSvg(table(time, {series("x", time)}), {})).path(kCurves);
  EXPECT_EQ(std::count(path.begin(), path.end(), ','), 2);
}

TEST(PlotSvg, LongSeriesGiveSmallFiles) {
  Numbers time;
  Numbers noise;
  for (int i = 0; i < 500'000; ++i) {
    time.push_back(1e-3 * i);
    noise.push_back(std::sin(12.9898 * i) * std::cos(78.233 * i));
  }
  EXPECT_LT(plotSvg(table(time, {series("x", noise)}), {}).size(), 100'000U);
}

TEST(PlotSvg, CurvesOfOneUnitShareAFrameWithALegend) {
  const Svg svg(
      plotSvg(table({0, 1}, {series("a.x", {0, 1}), series("b.x", {1, 0}), series("a.v", {1, 0}, "m/s")}), {}));
  EXPECT_EQ(svg.count("//path[@class='axis']"), 2U);
  EXPECT_TRUE(svg.hasText("a.x"));
  EXPECT_TRUE(svg.hasText("b.x"));
  EXPECT_TRUE(svg.hasText("x / m"));
  EXPECT_TRUE(svg.hasText("a.v / (m/s)"));
  EXPECT_EQ(svg.count(kCurves), 3U);
}

TEST(PlotSvg, NamesTooLongForTheAxisGoToALegend) {
  const std::string name = "plant.heating.pump.controller.temperature.measured";
  const Svg svg(plotSvg(table({0, 1}, {series(name, {0, 1e6}, "K")}), {}));
  EXPECT_TRUE(svg.hasText(name));
  EXPECT_TRUE(svg.hasText("value / (10⁶ K)"));
}

TEST(PlotSvg, DrawsWhatIsHardlyThere) {
  EXPECT_EQ(Svg(plotSvg(table({3}, {series("x", {5})}), {})).count("//circle"), 1U);
  EXPECT_EQ(Svg(plotSvg(table({0, 1, 2}, {series("x", {NAN, 5, NAN})}), {})).count("//circle"), 1U);
  for (const double value : Numbers{0.0, NAN, INFINITY, 1e-320, 1e308, -7.0}) {
    const std::string content = plotSvg(table({3, 3, 4}, {series("x", {value, value, value})}), {});
    EXPECT_TRUE(Svg(content).wellFormed());
    for (const std::string_view bad : {"nan", "inf"}) EXPECT_EQ(content.find(bad), std::string::npos) << value;
  }
}

TEST(PlotSvg, DrawsTheSmallestAndTheLargestNumbers) {
  for (const Numbers& numbers : {Numbers{5e-324, 5e-324}, Numbers{0, 5e-324}, Numbers{5e-324, 1e-323},
                                 Numbers{-8e307, 8e307}, Numbers{-1.79e308, 1.79e308}}) {
    const std::string content = plotSvg(table({0, 1}, {series("x", numbers)}), {});
    EXPECT_EQ(Svg(content).count(kCurves), 1U) << content;
    for (const std::string_view bad : {"nan", "inf"}) EXPECT_EQ(content.find(bad), std::string::npos) << content;
  }
}

TEST(PlotSvg, ShowsAMinusSign) {
  EXPECT_TRUE(Svg(plotSvg(table({0, 1}, {series("x", {-10, 10})}), {})).hasText("−10"));
}

/// Behind margin (14), turned label (13 + 8), marks, a space (4) and marks (5); "0.0" is 18.36 px wide.
constexpr double kLeft = 14.0 + 13.0 + 8.0 + 18.36 + 4.0 + 5.0;

/// The width of a picture whose frame is so wide: a margin and 8 px more are at the right.
double around(double frame) {
  return kLeft + frame + 14.0 + 8.0;
}

/// Title (30), then for each panel its names (lines of 20, and 4), its frame and a gap (20). 0 to 1 has 0.04 as air.
TEST(PlotSvg, LaysOutTitleNamesAndPanels) {
  const results::Table rows =
      table({0, 10}, {series("a.x", {0, 1}), series("on", {0, 1}, "", Type::boolean), series("b.x", {1, 0.5})});
  const Axis time{{0.0, 10.0}, {{0, "0"}, {2, "2"}, {4, "4"}, {6, "6"}, {8, "8"}, {10, "10"}}, 0, "time / s"};
  const Axis values{{0.0 - 0.04, 1.0 + 0.04},
                    {{0.0, "0.0"}, {0.2, "0.2"}, {2 * 0.2, "0.4"}, {3 * 0.2, "0.6"}, {4 * 0.2, "0.8"}, {1.0, "1.0"}},
                    0,
                    "x / m"};
  const Axis on{{0.0 - 0.04, 1.0 + 0.04}, {{0.0, "0"}, {1.0, "1"}}, 0, "on"};
  const Box first{kLeft, 68.0, 600.0, 216.0};   // to 284: 1 is at 76, 0 at 276, 0.5 at 176
  const Box second{kLeft, 304.0, 600.0, 64.8};  // 0.3 of the height; to 368.8: 1 is at 306.4, 0 at 366.4
  const std::string expected =
      svgText("title", kLeft, 28.0, "start", "R & D") + gridAndAxes(time, values, first, false) +
      "<g><title>a.x</title>\n<path class=\"curve\" stroke=\"#0072b2\" d=\"M62.36,276 662.36,76\"/>\n</g>\n"
      "<g><title>b.x</title>\n<path class=\"curve\" stroke=\"#d55e00\" d=\"M62.36,76 662.36,176\"/>\n</g>\n"
      "<path class=\"curve\" stroke=\"#0072b2\" d=\"M62.36,54L84.36,54\"/>\n" +
      svgText("name", 90.36, 58.5, "start", "a.x") +
      // 22 + 6 + 19.89 for the first one and 18 between them
      "<path class=\"curve\" stroke=\"#d55e00\" d=\"M128.25,54L150.25,54\"/>\n" +
      svgText("name", 156.25, 58.5, "start", "b.x") + svgTurnedText("x / m", 24.0, 176.0) +
      gridAndAxes(time, on, second, true) +
      "<g><title>on</title>\n<path class=\"curve\" stroke=\"#0072b2\" d=\"M62.36,366.4 662.36,366.4 662.36,306.4\"/>\n"
      "</g>\n" +
      svgTurnedText("on", 24.0, 336.4) + svgText("label", 362.36, 406.8, "middle", "time / s");
  EXPECT_EQ(plotSvg(rows, {}, {around(600.0), 216.0, "R & D"}), svgDocument(around(600.0), 418.8, expected));
}

/// 0.04 of the length at both ends: -1.08 to 1.08 here, 100 px each. "-1.0" needs 7.2 px more than "0.0".
TEST(PlotSvg, CurvesHaveAirAboveAndBelow) {
  const results::Table rows = table({0, 10}, {series("x", {-1, 1})});
  EXPECT_EQ(Svg(plotSvg(rows, {}, {around(600.0) + 7.2, 216.0, ""})).path(kCurves), "M69.56,222 669.56,22");
}

/// Left, top, bottom and right of the frames, as the axes are drawn.
std::vector<Numbers> frames(const std::string& svg) {
  std::vector<Numbers> result;
  for (const test::Match& frame : test::matches(svg, "M([0-9.]+),([0-9.]+)V([0-9.]+)H([0-9.]+)\""))
    result.push_back({std::stod(frame[1]), std::stod(frame[2]), std::stod(frame[3]), std::stod(frame[4])});
  return result;
}

TEST(PlotSvg, FramesKeepSomeWidthAndHeight) {
  const results::Table rows = table({0, 10}, {series("x", {0, 1}), series("on", {0, 1}, "", Type::boolean)});
  // The marks are 0 and 1, 7.2 px wide: frames begin at 51.2. Booleans have 50 px at least.
  EXPECT_EQ(frames(plotSvg(rows, {}, {10.0, 90.0, ""})),
            (std::vector<Numbers>{{51.5, 14, 104.5, 131.2}, {51.5, 124, 174.5, 131.2}}));
}

/// The widest mark of all panels decides where frames begin: "0.00" needs 7.2 px more.
TEST(PlotSvg, FramesBeginAtTheSamePlace) {
  const results::Table rows =
      table({0, 1}, {series("a", {0, 1}), series("b", {0, 0.1}, "N"), series("c", {0, 1}, "K")});
  const std::vector<Numbers> found = frames(plotSvg(rows, {}, {around(400.0) + 7.2, 240.0, ""}));
  ASSERT_EQ(found.size(), 3U);
  for (const Numbers& frame : found) {
    EXPECT_EQ(frame[0], 69.5);
    EXPECT_DOUBLE_EQ(frame[3], 469.56);
  }
}

std::vector<std::string> marks(const std::string& svg, const std::string& anchor) {
  std::vector<std::string> result;
  for (const test::Match& mark : test::matches(svg, "class=\"tick\"[^>]*anchor=\"" + anchor + "\">([^<]*)<"))
    result.push_back(mark[1]);
  return result;
}

/// One every 30 px up and every 75 px across, but three.
TEST(PlotSvg, HasAsManyMarksAsHaveRoom) {
  using Texts = std::vector<std::string>;
  const results::Table rows = table({0, 10}, {series("x", {0, 1})});
  const auto up = [&](double height) { return marks(plotSvg(rows, {}, {around(450.0), height, ""}), "end"); };
  EXPECT_EQ(up(210.0), (Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"})) << "7: 1.08 / 6 = 0.18";
  EXPECT_EQ(up(209.0), (Texts{"0.0", "0.5", "1.0"})) << "6: 1.08 / 5";
  EXPECT_EQ(up(50.0), (Texts{"0", "1"})) << "3: 1.08 / 2";
  const auto across = [&](double width) { return marks(plotSvg(rows, {}, {around(width), 240.0, ""}), "middle"); };
  EXPECT_EQ(across(451.0), (Texts{"0", "2", "4", "6", "8", "10"})) << "6: 10 / 5";
  EXPECT_EQ(across(449.0), (Texts{"0", "5", "10"})) << "5: 10 / 4";
  EXPECT_EQ(across(100.0), (Texts{"0", "5", "10"})) << "3";
}

struct Name {
  double x;
  double y;
  std::string text;
};

/// Of the legends, from the left of the frame and the top of the picture.
std::vector<Name> names(const std::string& svg) {
  std::vector<Name> result;
  for (const test::Match& name : test::matches(svg, "class=\"name\" x=\"([0-9.]+)\" y=\"([0-9.]+)\"[^>]*>([^<]*)<"))
    result.push_back({std::stod(name[1]) - kLeft, std::stod(name[2]), name[3]});
  return result;
}

/// A name of n letters takes 28 + 7.8 n px, and 18 are between two.
TEST(PlotSvg, NamesGoToTheNextLineWhereTheyFindNoRoom) {
  std::vector<results::Series> all;
  for (const std::size_t letters : {20U, 10U, 25U, 20U, 5U}) all.push_back(series(std::string(letters, 'a'), {0, 1}));
  const results::Table rows = table({0, 1}, all);
  const std::string svg = plotSvg(rows, {}, {around(600.0), 240.0, ""});
  const std::vector<Name> found = names(svg);
  ASSERT_EQ(found.size(), 5U);
  const Numbers left{0.0, 202.0, 326.0, 0.0, 202.0};  // 326 + 28 + 195 = 549; another 18 + 184 are too many
  const Numbers line{0, 0, 0, 1, 1};
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].x, left[i] + 28.0, 0.006) << i;
    EXPECT_NEAR(found[i].y, 14.0 + 20.0 * line[i] + 14.5, 0.006) << i;
    EXPECT_EQ(found[i].text, all[i].name);
  }
  EXPECT_EQ(frames(svg)[0][1], 14.0 + 44.0);
  // 549 px are needed and enough.
  EXPECT_NEAR(names(plotSvg(rows, {}, {around(549.5), 240.0, ""}))[2].x, 354.0, 0.006);
  EXPECT_NEAR(names(plotSvg(rows, {}, {around(548.5), 240.0, ""}))[2].x, 28.0, 0.006);
}

/// By letters of usual width there is room for 73 in 600 - 28 px; these are wider, and still the first ones.
TEST(PlotSvg, CutsNamesThatAreTooLong) {
  const results::Table rows =
      table({0, 1}, {series(std::string(100, 'm'), {0, 1}), series(std::string(100, 'a'), {0, 1})});
  const std::string svg = plotSvg(rows, {}, {around(600.0), 240.0, ""});
  const std::vector<Name> found = names(svg);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].text, std::string(72, 'm') + "…");
  EXPECT_EQ(found[1].text, std::string(72, 'a') + "…");
  EXPECT_EQ(found[0].y, 28.5);
  EXPECT_EQ(found[1].y, 48.5);
  EXPECT_NEAR(found[1].x, 28.0, 0.006);
}

TEST(PlotSvg, ANameAtTheAxisMayBeAsLongAsTheFrameIsHigh) {
  const std::string name(20, 'a');
  const results::Table rows = table({0, 1}, {series(name, {0, 1}, "")});
  const double height = textWidth(name, 13.0);
  EXPECT_TRUE(names(plotSvg(rows, {}, {600.0, height, ""})).empty());
  EXPECT_EQ(names(plotSvg(rows, {}, {600.0, height - 0.1, ""})).size(), 1U);
  // Of several nobody is named at the axis, however short.
  EXPECT_EQ(names(plotSvg(table({0, 1}, {series("a", {0, 1}), series("b", {0, 1})}), {}, {600.0, 240.0, ""})).size(),
            2U);
}

TEST(PlotSvg, HasSevenColoursAPanel) {
  std::vector<results::Series> all;
  for (int i = 0; i < 8; ++i) all.push_back(series("x" + std::to_string(i), {0, 1}));
  const std::string svg = plotSvg(table({0, 1}, all), {});
  EXPECT_EQ(frames(svg).size(), 2U);
  const auto colours = test::matches(svg, "</title>\n<path class=\"curve\" stroke=\"(#[0-9a-f]+)\"");
  ASSERT_EQ(colours.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(colours[i][1], kSvgColours[i % 7]) << i;
}

/// (1, 5) has no neighbours. The frame is 100 px high: 5 is in its middle, as in that of 4.5 to 5.5.
TEST(PlotSvg, APointAloneIsADot) {
  const std::string svg = plotSvg(table({0, 1, 2}, {series("x", {NAN, 5, NAN})}), {}, {around(400.0), 100.0, ""});
  EXPECT_NE(svg.find("<g><title>x</title>\n<circle r=\"2.5\" fill=\"#0072b2\" cx=\"262.36\" cy=\"64\"/>\n</g>\n"),
            std::string::npos)
      << svg;
}

TEST(PlotSvg, DrawsMagnitudesOverACountOnALogarithmicAxis) {
  results::Table history = table({1, 2, 3, 4}, {series("residual", {1e2, 1e0, 1e-2, 1e-4}, "")});
  history.over = "iteration";
  history.series[0].decades = true;
  const Svg svg(plotSvg(history, {}));
  ASSERT_TRUE(svg.wellFormed());
  EXPECT_TRUE(svg.hasText("iteration"));
  EXPECT_TRUE(svg.hasText("4")) << "the last iteration";
  EXPECT_FALSE(svg.hasText("1.5")) << "there is no half of an iteration";
  EXPECT_TRUE(svg.hasText("10⁻⁴"));
  EXPECT_TRUE(svg.hasText("10²"));
}

}  // namespace
}  // namespace koppla::report::plot_svg_test
