#include "koppla/report/plot_loglog.hpp"

#include <gtest/gtest.h>

#include "koppla/report/axis.hpp"

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

TEST(PlotLogLog, NothingToDrawIsAnEmptyFrame) {
  EXPECT_NE(plotLogLog(plot({})).find("</svg>"), std::string::npos);
  EXPECT_EQ(count(plotLogLog(plot({{"", {{0, 0}}}})), "<circle"), 0U);
}

}  // namespace
}  // namespace koppla::report::plot_loglog_test
