#include "koppla/report/stability_map.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/report/svg_frame.hpp"

#include "support/matches.hpp"

namespace koppla::report::stability_map_test {
namespace {

using Numbers = std::vector<double>;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
const double kUnknown = std::nan("");

/// Axes 'a' and 'b' from 0 to 1 and 0 to 2, so a column is as wide as the frame's half and a row as high as its third.
/// The radius 1 is the limit.
StabilityMap mapOf(std::vector<MapPanel> panels) {
  StabilityMap map;
  map.across = {"a", {0.0, 1.0}};
  map.up = {"b", {0.0, 1.0, 2.0}};
  map.panels = std::move(panels);
  map.recursion.allowance = 0.0;
  return map;
}

/// From light at the limit to dark: blue where it is stable, the share of 1 that is missing; orange where it is not,
/// the logarithm to the base 2.
std::string colour(double radius) {
  const auto mixed = [](double share, const Numbers& light, const Numbers& dark) {
    std::string result = "#";
    for (std::size_t i = 0; i < 3; ++i)
      result += fmt::format("{:02x}", static_cast<unsigned>(std::lround(light[i] + share * (dark[i] - light[i]))));
    return result;
  };
  if (radius <= 1.0) return mixed(1.0 - radius, {198, 219, 239}, {8, 81, 156});
  return mixed(std::min(1.0, std::log2(radius)), {253, 224, 190}, {190, 75, 1});
}

std::string rectangle(double x, double y, double width, double height, const std::string& fill) {
  return fmt::format("<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" fill=\"{}\"/>\n", x, y, width, height,
                     fill);
}

/// Ten shades of 26 px behind their title, then the line and what it means, then what grey means.
std::string legend(double left, double top, bool unknown) {
  std::string result = svgText("name", left, top + 11.5, "start", "spectral radius ρ");
  const double first = left + 122.0;
  const Numbers radii{0.0, 0.25, 0.5, 0.75, 0.999, 1.001, 1.2, 1.4, 1.7, 2.0};
  for (std::size_t i = 0; i < radii.size(); ++i) {
    result += rectangle(first + 26.0 * static_cast<double>(i), top, 26.0, 14.0, colour(radii[i]));
    if (i == 0) result += svgText("tick", first + 13.0, top + 27.0, "middle", "0");
    if (i == 2) result += svgText("tick", first + 65.0, top + 27.0, "middle", "0.5");
    if (i == 7) result += svgText("tick", first + 195.0, top + 27.0, "middle", "1.4");
    if (i == 9) result += svgText("tick", first + 247.0, top + 27.0, "middle", "≥ 2");
  }
  result += svgText("tick", first + 130.0, top + 27.0, "middle", "1");
  const double line = first + 260.0 + 18.0;
  result +=
      "<path class=\"curve\" stroke=\"#000\" d=\"" + svgSegment(line, top + 7.0, line + 22.0, top + 7.0) + "\"/>\n";
  result += svgText("name", line + 28.0, top + 11.5, "start", "ρ = 1: blue is stable");
  if (!unknown) return result;
  const double grey = line + 22.0 + 210.0;
  return result + rectangle(grey, top, 14.0, 14.0, "#bbbbbb") +
         svgText("name", grey + 20.0, top + 11.5, "start", "unknown");
}

std::string fill(double radius) {
  return std::isnan(radius) ? "#bbbbbb" : colour(radius);
}

TEST(StabilityMapPicture, LaysOutTitleLegendAndNamedPanels) {
  // Behind margin (14), turned label (13), marks of 7.2 px, a space (4), marks (5) and 8 px more.
  constexpr double kTicks = 7.2 + 4.0 + 5.0 + 8.0;
  constexpr double kLeft = 14.0 + 13.0 + kTicks;  // 51.2
  const std::vector<Numbers> radii{
      {0.5, 0.25, 0.0, kUnknown, 1.4, 1.9}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, {2, 3, 4, 5, 6, kInfinite}};
  StabilityMap map = mapOf({{"first", radii[0]}, {"", radii[1]}, {"third", radii[2]}});
  map.title = "limits";
  map.columns = 2;
  map.height = 180.0;
  map.width = 14.0 + 13.0 + 2.0 * (kTicks + 200.0) + 14.0 + 8.0;
  const Axis across{{-0.5, 1.5}, {{0.0, "0"}, {1.0, "1"}}, 0, "a"};
  const Axis up{{-0.5, 2.5}, {{0.0, "0"}, {2.0, "2"}}, 0, "b"};
  // Title (30), legend (44), names (20), frames (180), marks (30), names, frames.
  const double top = 14.0 + 30.0 + 44.0;
  std::string expected = svgText("title", kLeft, 28.0, "start", "limits") + legend(kLeft, 44.0, true);
  const std::vector<std::pair<double, double>> places{
      {kLeft, top + 20.0}, {kLeft + 200.0 + kTicks, top + 20.0}, {kLeft, top + 20.0 + 180.0 + 30.0 + 20.0}};
  const std::string noLine = "<path class=\"curve\" stroke=\"#000\" d=\"\"/>\n";
  for (std::size_t panel = 0; panel < 3; ++panel) {
    const auto [x, y] = places[panel];
    if (panel != 1) expected += svgText("name", x, y - 7.0, "start", panel == 0 ? "first" : "third");
    expected += gridAndAxes(across, up, {x, y, 200.0, 180.0}, true) + "<g shape-rendering=\"crispEdges\">\n";
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t column = 0; column < 2; ++column)
        expected += rectangle(x + 100.0 * static_cast<double>(column), y + 60.0 * static_cast<double>(2 - row), 100.0,
                              60.0, fill(radii[panel][2 * row + column]));
    expected += "</g>\n";
    expected += panel == 0 ? "<path class=\"curve\" stroke=\"#000\" d=\"{}\"/>\n" : noLine;
    if (panel != 1) expected += svgTurnedText("b", 24.0, y + 90.0);
    if (panel > 0) expected += svgText("label", x + 100.0, y + 180.0 + 38.0, "middle", "a");
  }
  // The only triangle with a change of colour and without the unknown corner has 0.0 at its lower left, whose logarithm
  // counts as -5, 1.4 at its upper left and 1.9 at its upper right.
  const double x = kLeft + 50.0;
  const double low = top + 20.0 + 90.0;  // of 0.0; 60 px below 1.4
  const double along = 5.0 / (5.0 + std::log(1.4));
  const double diagonal = 5.0 / (5.0 + std::log(1.9));
  const std::string line = svgSegment(x, low - 60.0 * along, x + 100.0 * diagonal, low - 60.0 * diagonal);
  expected.replace(expected.find("d=\"{}\""), 6, "d=\"" + line + "\"");
  EXPECT_EQ(plotStabilityMap(map), svgDocument(map.width, top + 2.0 * 230.0 - 30.0 + 50.0, expected));
}

/// Points of the line: the only path behind the cells.
std::vector<std::pair<double, double>> lineOf(const StabilityMap& map) {
  const std::string svg = plotStabilityMap(map);
  const std::size_t begin = svg.rfind("<path class=\"curve\"");
  std::vector<std::pair<double, double>> points;
  for (const test::Match& point :
       test::matches(svg.substr(begin, svg.find("/>", begin) - begin), "([-0-9.]+),([-0-9.]+)"))
    points.emplace_back(std::stod(point[1]), std::stod(point[2]));
  return points;
}

/// Two by two combinations, in a frame of which a cell has 100 px by 100 px. Places are told from the lower left
/// combination, in these.
struct Square {
  double lowerLeft, lowerRight, upperLeft, upperRight;
};
using Points = std::vector<std::pair<double, double>>;

Points lineIn(const Square& radii, double allowance = 0.0) {
  StabilityMap map = mapOf({{"", {radii.lowerLeft, radii.lowerRight, radii.upperLeft, radii.upperRight}}});
  map.up.values = {0.0, 1.0};
  map.recursion.allowance = allowance;
  map.height = 200.0;
  map.width = 14.0 + 13.0 + 24.2 + 200.0 + 14.0 + 8.0;
  // The frame begins at 51.2 and ends at 14 + 44 + 200 px.
  Points points = lineOf(map);
  for (auto& [x, y] : points) {
    x = (x - 51.2 - 50.0) / 100.0;
    y = (258.0 - 50.0 - y) / 100.0;
  }
  return points;
}

void expectPoints(const Points& found, const Points& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].first, expected[i].first, 2e-4) << i;
    EXPECT_NEAR(found[i].second, expected[i].second, 2e-4) << i;
  }
}

/// Logarithms of 1/2 and 4 are -1 to 2: the limit 1 is a third of the way from the stable to the unstable radius.
TEST(StabilityMapLine, LiesWhereTheLogarithmOfTheRadiusIsThatOfTheLimit) {
  const double third = 1.0 / 3.0;
  expectPoints(lineIn({0.5, 4.0, 0.5, 4.0}), {{third, 0.0}, {third, third}, {third, 1.0}, {third, third}});
  expectPoints(lineIn({4.0, 0.5, 4.0, 0.5}),
               {{1.0 - third, 0.0}, {1.0 - third, 1.0 - third}, {1.0 - third, 1.0}, {1.0 - third, 1.0 - third}});
  expectPoints(lineIn({0.5, 0.5, 4.0, 4.0}), {{1.0, third}, {third, third}, {0.0, third}, {third, third}});
  expectPoints(lineIn({0.5, 4.0, 4.0, 0.5}), {{third, 0.0}, {1.0, 1.0 - third}, {0.0, third}, {1.0 - third, 1.0}});
  expectPoints(lineIn({0.5, 4.0, 0.5, 0.5}), {{third, 0.0}, {1.0, 1.0 - third}});
  expectPoints(lineIn({0.5, 0.5, 4.0, 0.5}), {{0.0, third}, {1.0 - third, 1.0}});
  expectPoints(lineIn({0.5, 0.5, 0.5, 0.5}), {});
  expectPoints(lineIn({4.0, 4.0, 4.0, 4.0}), {});
}

/// The limit 2: from 1/2 to 4 it is two thirds of the way.
TEST(StabilityMapLine, IsThatOfTheLargestStableRadius) {
  const double third = 1.0 / 3.0;
  expectPoints(lineIn({0.5, 4.0, 0.5, 4.0}, 1.0),
               {{1.0 - third, 0.0}, {1.0 - third, 1.0 - third}, {1.0 - third, 1.0}, {1.0 - third, 1.0 - third}});
}

/// A radius of 0 counts like exp(-5), an infinite one like exp(5).
TEST(StabilityMapLine, StaysBetweenTheExtremes) {
  const double e = std::exp(1.0);
  expectPoints(lineIn({0.0, e, 0.0, 0.0}), {{5.0 / 6.0, 0.0}, {1.0, 1.0 / 6.0}});
  expectPoints(lineIn({1.0 / e, kInfinite, 1.0 / e, 1.0 / e}), {{1.0 / 6.0, 0.0}, {1.0, 5.0 / 6.0}});
  // A limit of exp(7) lies beyond: the line is at the unstable corner.
  const double beyond = std::exp(7.0) - 1.0;
  expectPoints(lineIn({1.0, kInfinite, 1.0, 1.0}, beyond), {{1.0, 0.0}, {1.0, 0.0}});
  // At the limit exp(5) both ends count alike: halfway.
  const double limit = std::exp(5.0);
  ASSERT_EQ(std::log(1.0 + (limit - 1.0)), 5.0);
  expectPoints(lineIn({limit, kInfinite, limit, limit}, limit - 1.0), {{0.5, 0.0}, {1.0, 0.5}});
}

TEST(StabilityMapLine, IsNotDrawnInTrianglesWithAnUnknownCorner) {
  expectPoints(lineIn({0.5, 4.0, kUnknown, 0.5}), {{1.0 / 3.0, 0.0}, {1.0, 2.0 / 3.0}});
  expectPoints(lineIn({0.5, kUnknown, 4.0, 0.5}), {{0.0, 1.0 / 3.0}, {2.0 / 3.0, 1.0}});
  expectPoints(lineIn({kUnknown, 4.0, 0.5, 0.5}), {});
  expectPoints(lineIn({4.0, 0.5, 0.5, kUnknown}), {});
}

TEST(StabilityMapPicture, IsDarkestFarFromTheLimit) {
  const std::string svg = plotStabilityMap(mapOf({{"", {1.0, 0.0, 1.5, 2.0, 2.5, kInfinite}}}));
  std::vector<std::string> fills;
  const std::size_t cells = svg.find("crispEdges");
  for (const test::Match& cell : test::matches(svg.substr(cells, svg.find("</g>", cells) - cells), "fill=\"([^\"]*)\""))
    fills.push_back(cell[1]);
  EXPECT_EQ(fills, (std::vector<std::string>{"#c6dbef", "#08519c", colour(1.5), "#be4b01", "#be4b01", "#be4b01"}));
}

TEST(StabilityMapPicture, IsLightestWhereTheAllowanceCountsARadiusAboveOneAsStable) {
  StabilityMap map = mapOf({{"", {1.4, 1.4, 1.4, 1.4, 1.4, 1.4}}});
  map.recursion.allowance = 0.5;
  const std::string svg = plotStabilityMap(map);
  const std::size_t cells = svg.find("crispEdges");
  EXPECT_EQ(test::matches(svg.substr(cells, svg.find("</g>", cells) - cells), "fill=\"#c6dbef\"").size(), 6U);
}

/// Left, top, bottom and right, as the axes are drawn.
std::vector<std::string> framesOf(const StabilityMap& map) {
  std::vector<std::string> result;
  for (const test::Match& frame :
       test::matches(plotStabilityMap(map), "M([-0-9.]+),([-0-9.]+)V([-0-9.]+)H([-0-9.]+)\""))
    result.push_back(frame[1] + " " + frame[2] + " " + frame[3] + " " + frame[4]);
  return result;
}

/// Without names there is no room for them: 14 + 44.
TEST(StabilityMapPicture, FramesFollowEachOther) {
  const Numbers radii{0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
  StabilityMap map = mapOf({{"", radii}, {"", radii}, {"", radii}});
  map.height = 120.0;
  map.width = 300.0;  // without 49 and 24.2
  EXPECT_EQ(framesOf(map), (std::vector<std::string>{"51.5 58 178.5 278", "51.5 208 328.5 278", "51.5 358 478.5 278"}));
  map.width = 20.0;
  EXPECT_EQ(framesOf(map)[0], "51.5 58 178.5 131.2") << "80 px at least";
  map.panels[2].name = "c";
  EXPECT_EQ(framesOf(map)[0], "51.5 78 198.5 131.2");
  const std::string svg = plotStabilityMap(map);
  EXPECT_EQ(test::matches(svg, ">b</text>").size(), 3U) << "each is the first of its row";
  EXPECT_EQ(test::matches(svg, ">a</text>").size(), 1U) << "the lowest one";
  map.columns = 3;
  EXPECT_EQ(test::matches(plotStabilityMap(map), ">b</text>").size(), 1U);
  EXPECT_EQ(test::matches(plotStabilityMap(map), ">a</text>").size(), 3U);
}

TEST(StabilityMapPicture, HasNoGreyInItsLegendWhereAllIsKnown) {
  StabilityMap map = mapOf({{"", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}}});
  EXPECT_EQ(plotStabilityMap(map).find("unknown"), std::string::npos);
  EXPECT_NE(plotStabilityMap(map).find("blue is stable"), std::string::npos);
  EXPECT_EQ(plotStabilityMap(map).find("\"title\""), std::string::npos);
  map.panels[0].radii[4] = kUnknown;
  EXPECT_NE(plotStabilityMap(map).find(">unknown<"), std::string::npos);
}

std::vector<std::string> marks(const StabilityMap& map, const std::string& anchor) {
  const std::string svg = plotStabilityMap(map);
  std::vector<std::string> result;
  const std::string frame = svg.substr(svg.find("class=\"grid\""));
  for (const test::Match& mark : test::matches(frame, "class=\"tick\"[^>]*anchor=\"" + anchor + "\">([^<]*)<"))
    result.push_back(mark[1]);
  return result;
}

/// One every 60 px, two at least. Cells of 0, 1 and 2 reach from -0.5 to 2.5.
TEST(StabilityMapPicture, HasAsManyMarksAsHaveRoom) {
  using Texts = std::vector<std::string>;
  StabilityMap map = mapOf({{"", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}}});
  map.height = 420.0;
  EXPECT_EQ(marks(map, "end"), (Texts{"−0.5", "0.0", "0.5", "1.0", "1.5", "2.0", "2.5"})) << "7: 3 / 6";
  map.height = 419.0;
  EXPECT_EQ(marks(map, "end"), (Texts{"0", "1", "2"})) << "6: 3 / 5";
  map.height = 60.0;
  EXPECT_EQ(marks(map, "end"), (Texts{"0", "2"})) << "2: 5 would have one";
  map.up.values = {0.0, 2.0, 20.0};
  map.height = 180.0;
  EXPECT_EQ(marks(map, "end"), (Texts{"0", "20"})) << "from -1 to 29, 3: 30 / 2 asks for 20";
}

/// Combinations at 1, 10 and 1000 have borders at powers of -0.5, 0.5, 2 and 4.
TEST(StabilityMapPicture, ShowsALogarithmicAxisByItsPowers) {
  StabilityMap map = mapOf({{"", {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}}});
  map.up = {"b", {1.0, 10.0, 1000.0}, true};
  map.height = 450.0;  // 100 px a power
  map.width = 700.0;
  EXPECT_EQ(marks(map, "end"), (std::vector<std::string>{"10⁰", "10¹", "10²", "10³", "10⁴"}));
  EXPECT_EQ(marks(map, "middle"), (std::vector<std::string>{"−0.5", "0.0", "0.5", "1.0", "1.5"}));
  const std::string svg = plotStabilityMap(map);
  // 14 + 44 is the upper border of the frame, 508 the lower one.
  std::vector<std::string> found;
  const std::size_t cells = svg.find("crispEdges");
  for (const test::Match& cell : test::matches(svg.substr(cells, svg.find("</g>", cells) - cells),
                                               " y=\"([^\"]*)\"[^h]*h=\"[^\"]*\" height=\"([^\"]*)\""))
    found.push_back(cell[1] + " " + cell[2]);
  EXPECT_EQ(found, (std::vector<std::string>{"408 100", "408 100", "258 150", "258 150", "58 200", "58 200"}));
}

/// The middle one is compared with the geometric mean of the ends, 2 here, and the arithmetic one, 2.5.
TEST(LooksLogarithmic, DecidesByTheMiddleValue) {
  EXPECT_TRUE(looksLogarithmic({1.0, 2.0, 4.0}));
  EXPECT_FALSE(looksLogarithmic({1.0, 2.5, 4.0}));
  EXPECT_TRUE(looksLogarithmic({1.0, 2.23, 4.0})) << "both are as far from the root of 5";
  EXPECT_FALSE(looksLogarithmic({1.0, 2.24, 4.0}));
  EXPECT_TRUE(looksLogarithmic({1.0, 1.9, 4.0}));
  EXPECT_FALSE(looksLogarithmic({1.0, 2.7, 4.0}));
}

TEST(LooksLogarithmic, LeavesTheLastOfAnEvenCountOut) {
  EXPECT_TRUE(looksLogarithmic({1.0, 10.0, 100.0, 1000.0}));
  EXPECT_FALSE(looksLogarithmic({1.0, 2.0, 3.0, 4.0}));
  EXPECT_TRUE(looksLogarithmic({1.0, 10.0, 100.0, 1e3, 1e4}));
  EXPECT_FALSE(looksLogarithmic({10.0, 20.0, 30.0, 40.0, 50.0}));
}

TEST(LooksLogarithmic, NeedsThreeValuesAboveZero) {
  EXPECT_FALSE(looksLogarithmic({}));
  EXPECT_FALSE(looksLogarithmic({1.0}));
  EXPECT_FALSE(looksLogarithmic({1.0, 10.0}));
  EXPECT_FALSE(looksLogarithmic({0.0, 1.0, 100.0}));
  EXPECT_FALSE(looksLogarithmic({-1.0, 1.0, 100.0}));
  EXPECT_FALSE(looksLogarithmic({-100.0, -10.0, -1.0}));
  EXPECT_FALSE(looksLogarithmic({-2.0, -1.0, 0.0}));
  EXPECT_FALSE(looksLogarithmic({2.0, 2.0, 2.0})) << "neither";
}

}  // namespace
}  // namespace koppla::report::stability_map_test
