#include "koppla/report/plot_svg.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <pugixml.hpp>

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
