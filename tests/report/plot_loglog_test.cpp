#include "koppla/report/plot_loglog.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/report/axis.hpp"
#include "koppla/report/svg_frame.hpp"

#include "support/matches.hpp"

namespace koppla::report::plot_loglog_test {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

LogLogPlot plot(std::vector<LogLogCurve> curves) {
  LogLogPlot result;
  result.xLabel = "step / s";
  result.yLabel = "nrmse";
  result.curves = std::move(curves);
  return result;
}

std::vector<std::string> texts(const Axis& axis) {
  std::vector<std::string> result;
  for (const Tick& tick : axis.ticks) result.push_back(tick.text);
  return result;
}

TEST(DecadeAxis, HasAMarkAtEveryPowerOfTen) {
  EXPECT_EQ(texts(decadeAxis({-4.1, -0.9}, 10, "x")), (std::vector<std::string>{"10⁻⁴", "10⁻³", "10⁻²", "10⁻¹"}));
}

TEST(DecadeAxis, LeavesPowersOutWhereTheyAreMany) {
  EXPECT_EQ(texts(decadeAxis({-12.0, 0.0}, 5, "x")),
            (std::vector<std::string>{"10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "10⁰"}));
}

TEST(DecadeAxis, DividesADecadeWhereThereIsOne) {
  EXPECT_EQ(texts(decadeAxis({-2.1, -1.2}, 5, "x")), (std::vector<std::string>{"10⁻²", "2·10⁻²", "5·10⁻²"}));
}

TEST(PlotLogLog, APowerIsAStraightLine) {
  const std::string svg = plotLogLog(plot({{"", {{1e-1, 1e-2}, {1e-2, 1e-4}, {1e-3, 1e-6}}}}));
  const auto found = test::matches(svg, "d=\"M([0-9.]+),([0-9.]+)L([0-9.]+),([0-9.]+)L([0-9.]+),([0-9.]+)\"");
  ASSERT_FALSE(found.empty());
  const auto at = [&](std::size_t i) { return std::stod(found[0][i]); };
  EXPECT_NEAR(at(1) - at(3), at(3) - at(5), 0.02);
  EXPECT_NEAR(at(2) - at(4), at(4) - at(6), 0.02);
  EXPECT_GT(at(1), at(5)) << "larger to the right";
  EXPECT_LT(at(2), at(6)) << "and further up";
}

TEST(PlotLogLog, WhatHasNoLogarithmIsAGap) {
  const std::string svg = plotLogLog(plot({{"", {{1, 1}, {2, 0.0}, {4, 4}, {8, -1}, {16, 16}}}}));
  EXPECT_EQ(count(svg, "<circle"), 3U);
  EXPECT_EQ(count(svg, "nan"), 0U);
  EXPECT_EQ(count(svg, "inf"), 0U);
}

TEST(PlotLogLog, RingsMarkWhatIsNotToBeTrusted) {
  const std::string svg = plotLogLog(plot({{"", {{1, 1}, {2, 2, true}}}}));
  EXPECT_EQ(count(svg, "fill=\"#fff\"/>\n<"), 1U + 1U) << "the ring and the background";
}

TEST(PlotLogLog, NamesAndLabelsAreThereAndEscaped) {
  LogLogPlot all = plot({{"a < b", {{1, 1}, {2, 2}}}, {"c", {{1, 2}, {2, 4}}}});
  all.title = "orders";
  const std::string svg = plotLogLog(all);
  for (const char* part : {">orders<", ">step / s<", ">nrmse<", ">a &lt; b<", ">c<"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

/// The frame begins behind margin (14), turned label (13 + 8), marks of three characters of 7.2 px, a space (4) and
/// marks (5). Both directions have 0.06 of their decades, of one at least, as air at both ends; here a decade is 100 px
/// high and 200 px wide. Title (30), a line for each name (20) and a space (6) are above.
TEST(PlotLogLog, LaysOutTitleNamesAndCurves) {
  constexpr double kLeft = 14.0 + 13.0 + 8.0 + 3.0 * 7.2 + 4.0 + 5.0;  // 65.6
  LogLogPlot all = plot({{"first", {{1.0, 1.0}, {10.0, 100.0, true}}}, {"sec<nd", {{10.0, 10.0}, {1.0, 100.0}}}});
  all.title = "orders";
  all.height = 224.0;
  all.width = kLeft + 224.0 + 14.0 + 8.0;
  const Axis across{{0.0 - 0.06, 1.0 + 0.06}, {{0.0, "10⁰"}, {1.0, "10¹"}}, 0, "step / s"};
  const Axis up{{0.0 - 0.12, 2.0 + 0.12}, {{0.0, "10⁰"}, {1.0, "10¹"}, {2.0, "10²"}}, 0, "nrmse"};
  const Box box{kLeft, 90.0, 224.0, 224.0};  // from 90 to 314; 1 is at 302, 10 at 202, 100 at 102
  // 77.6 is 1 across and 277.6 is 10.
  const std::string expected =
      svgText("title", kLeft, 28.0, "start", "orders") +
      "<path class=\"curve\" stroke=\"#0072b2\" stroke-dasharray=\"\" d=\"M65.6,54L87.6,54\"/>\n" +
      svgText("name", 93.6, 58.5, "start", "first") +
      "<path class=\"curve\" stroke=\"#d55e00\" stroke-dasharray=\"\" d=\"M65.6,74L87.6,74\"/>\n" +
      svgText("name", 93.6, 78.5, "start", "sec<nd") + gridAndAxes(across, up, box, true) +
      "<g><title>first</title>\n"
      "<path class=\"curve\" stroke=\"#0072b2\" stroke-dasharray=\"\" d=\"M77.6,302L277.6,102\"/>\n"
      "<circle r=\"3.2\" cx=\"77.6\" cy=\"302\" stroke=\"#0072b2\" stroke-width=\"1.4\" fill=\"#0072b2\"/>\n"
      "<circle r=\"3.2\" cx=\"277.6\" cy=\"102\" stroke=\"#0072b2\" stroke-width=\"1.4\" fill=\"#fff\"/>\n</g>\n"
      "<g><title>sec&lt;nd</title>\n"
      "<path class=\"curve\" stroke=\"#d55e00\" stroke-dasharray=\"\" d=\"M277.6,202L77.6,102\"/>\n"
      "<circle r=\"3.2\" cx=\"277.6\" cy=\"202\" stroke=\"#d55e00\" stroke-width=\"1.4\" fill=\"#d55e00\"/>\n"
      "<circle r=\"3.2\" cx=\"77.6\" cy=\"102\" stroke=\"#d55e00\" stroke-width=\"1.4\" fill=\"#d55e00\"/>\n</g>\n" +
      svgTurnedText("nrmse", 24.0, 202.0) + svgText("label", kLeft + 112.0, 352.0, "middle", "step / s");
  EXPECT_EQ(plotLogLog(all), svgDocument(all.width, 364.0, expected));
}

/// What is left of its right border: the bottom of the axes is drawn from the left to there.
std::string edges(const LogLogPlot& drawn) {
  const auto found = test::matches(plotLogLog(drawn), "M[0-9.]+,([0-9.]+)V([0-9.]+)H([0-9.]+)\"");
  return found.size() != 1 ? "" : found[0][1] + " " + found[0][2] + " " + found[0][3];
}

TEST(PlotLogLog, ACurveAloneNeedsNoName) {
  LogLogPlot one = plot({{"", {{1, 1}, {10, 10}}}});
  one.height = 100.0;
  one.width = 300.0;
  EXPECT_EQ(edges(one), "14 114.5 278");
  one.curves[0].name = "named";
  EXPECT_EQ(edges(one), "40 140.5 278");
  EXPECT_NE(plotLogLog(one).find(">named</text>"), std::string::npos);
  one.curves = {{"", {{1, 1}, {10, 10}}}, {"", {{1, 1}, {10, 10}}}};
  EXPECT_EQ(edges(one), "60 160.5 278");
  one.curves.clear();
  EXPECT_EQ(edges(one), "14 114.5 278");
  one.width = 1.0;
  EXPECT_EQ(edges(one), "14 114.5 145.6") << "80 px at least";
}

/// 40 px a mark, two at least.
TEST(PlotLogLog, HasAsManyMarksAsHaveRoom) {
  LogLogPlot tall = plot({{"", {{1e-3, 1e-6}, {1e3, 1e2}}}});
  tall.width = 65.6 + 7.2 + 22.0 + 240.0;  // marks of four characters
  tall.height = 360.0;
  const auto marks = [&](const char* anchor) {
    std::vector<std::string> result;
    for (const test::Match& text :
         test::matches(plotLogLog(tall), "<text class=\"tick\"[^>]*anchor=\"" + std::string(anchor) + "\">([^<]*)<"))
      result.push_back(text[1]);
    return result;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(marks("end"), (Texts{"10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹", "10²"}));
  EXPECT_EQ(marks("middle"), (Texts{"10⁻³", "10⁻¹", "10¹", "10³"}));
  tall.height = 359.0;
  EXPECT_EQ(marks("end"), (Texts{"10⁻⁶", "10⁻⁴", "10⁻²", "10⁰", "10²"}));
  tall.height = 20.0;
  EXPECT_EQ(marks("end"), (Texts{"10⁻⁶", "10⁻¹"}));
}

/// From a name's place to the right border of the picture, at 7.8 px a character.
TEST(PlotLogLog, CutsNamesThatAreTooLong) {
  LogLogPlot one = plot({{std::string(40, 'n'), {{1, 1}, {10, 10}}}});
  one.width = 65.6 + 22.0 + 20.5 * 7.8;
  EXPECT_NE(plotLogLog(one).find("\"start\">" + std::string(19, 'n') + "…<"), std::string::npos);
  one.width += 7.8;
  EXPECT_NE(plotLogLog(one).find("\"start\">" + std::string(20, 'n') + "…<"), std::string::npos);
}

/// Seven colours, then with dashes, then with dots, in the names and in the frame.
TEST(PlotLogLog, ColoursComeAgainWithDashedLines) {
  const std::string svg = plotLogLog(plot(std::vector<LogLogCurve>(22, {"c", {{1, 1}, {2, 2}}})));
  const auto found = test::matches(svg, "stroke=\"(#[0-9a-f]+)\" stroke-dasharray=\"([^\"]*)\"");
  ASSERT_EQ(found.size(), 44U);
  constexpr std::array kDashes{"", "7 5", "2 4", ""};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t curve = i % 22;
    EXPECT_EQ(found[i][1], kSvgColours[curve % 7]) << i;
    EXPECT_EQ(found[i][2], kDashes[curve / 7]) << i;
  }
  EXPECT_NE(svg.find("fill=\"#000000\""), std::string::npos) << "marks have the colour of their curve";
}

TEST(PlotLogLog, EachCoordinateMustHaveALogarithm) {
  constexpr double kMuch = std::numeric_limits<double>::infinity();
  for (const LogLogPoint bad :
       {LogLogPoint{0.0, 1.0}, LogLogPoint{-1.0, 1.0}, LogLogPoint{1.0, 0.0}, LogLogPoint{1.0, -1.0},
        LogLogPoint{kMuch, 1.0}, LogLogPoint{1.0, kMuch}, LogLogPoint{std::nan(""), 1.0},
        LogLogPoint{1.0, std::nan("")}, LogLogPoint{-1.0, -1.0}}) {
    const std::string svg = plotLogLog(plot({{"", {{1, 1}, {10, 10}, bad, {20, 20}, {100, 100}}}}));
    EXPECT_EQ(count(svg, "<circle"), 4U) << bad.x << " " << bad.y;
    EXPECT_EQ(
        test::matches(svg, "d=\"M[0-9.]+,[0-9.]+L[0-9.]+,[0-9.]+M[0-9.]+,[0-9.]+L[0-9.]+,[0-9.]+\"/>\n<circle").size(),
        1U)
        << "two lines with a gap: " << bad.x << " " << bad.y;
    EXPECT_EQ(svg, plotLogLog(plot({{"", {{1, 1}, {10, 10}, {0, 0}, {20, 20}, {100, 100}}}})))
        << "it does not widen the axes";
  }
}

TEST(PlotLogLog, HasAirAroundAPointAlone) {
  const std::string svg = plotLogLog(plot({{"", {{100.0, 1e-3}}}}));
  EXPECT_EQ(count(svg, "class=\"tick\""), 2U);
  EXPECT_EQ(count(svg, "\"middle\">10²<"), 1U);
  EXPECT_EQ(count(svg, "\"end\">10⁻³<"), 1U);
  EXPECT_EQ(count(svg, "nan"), 0U);
}

TEST(PlotLogLog, ShowsADecadeWhereNothingCanBeDrawn) {
  const std::string svg = plotLogLog(plot({}));
  for (const char* mark : {"\"end\">10⁰<", "\"end\">10¹<", "\"middle\">10⁰<", "\"middle\">10¹<"})
    EXPECT_EQ(count(svg, mark), 1U) << mark;
  EXPECT_EQ(count(svg, "class=\"tick\""), 4U);
}

TEST(PlotLogLog, NothingToDrawIsAnEmptyFrame) {
  EXPECT_NE(plotLogLog(plot({})).find("</svg>"), std::string::npos);
  EXPECT_EQ(count(plotLogLog(plot({{"", {{0, 0}}}})), "<circle"), 0U);
}

}  // namespace
}  // namespace koppla::report::plot_loglog_test
