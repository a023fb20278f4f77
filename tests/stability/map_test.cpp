#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/report/stability_map.hpp"
#include "koppla/run/recursion.hpp"

#include "support/figure.hpp"
#include "support/matches.hpp"
#include "two_mass.hpp"

namespace koppla::test {
namespace {

/// Jacobi with linear extrapolation, steps up, stiffness of the link across.
report::StabilityMap mapOfTwoMasses(const std::vector<double>& steps, const std::vector<double>& stiffnesses) {
  report::StabilityMap map;
  map.title = "two masses, Jacobi, degree 1";
  map.up = {"simulation.step / s", steps, report::looksLogarithmic(steps)};
  map.across = {"ck / (N/m)", stiffnesses, report::looksLogarithmic(stiffnesses)};
  std::vector<double> radii(steps.size() * stiffnesses.size());
  for (std::size_t column = 0; column < stiffnesses.size(); ++column) {
    TwoMassCase c{.startUp = coupling::StartUp::trivial};
    c.parameters.ck = stiffnesses[column];
    run::Settings settings;
    settings.algorithm.kind = coupling::AlgorithmKind::jacobi;
    settings.algorithm.degree = 1;
    core::Log log;
    run::MacroStepRecursion recursion(twoMassSystem(c), settings, log);
    for (std::size_t row = 0; row < steps.size(); ++row)
      radii[row * stiffnesses.size() + column] = recursion.spectralRadius(steps[row]);
  }
  map.panels = {{"", std::move(radii)}};
  return map;
}

std::vector<std::string> fillsOf(const std::string& svg) {
  std::vector<std::string> fills;
  const std::size_t first = svg.find("crispEdges");
  const std::string cells = svg.substr(first, svg.find("</g>", first) - first);
  for (const test::Match& cell : test::matches(cells, "<rect x=[^>]*fill=\"(#[0-9a-f]{6})\"")) fills.push_back(cell[1]);
  return fills;
}

bool isBlue(const std::string& colour) {
  return colour.substr(5) > colour.substr(1, 2);
}

TEST(StabilityMap, ChangesColourAtTheCriticalStep) {
  std::vector<double> steps;
  for (int i = 0; i <= 20; ++i) steps.push_back(std::pow(10.0, -5.0 + 0.1 * i));
  const std::vector<double> stiffnesses{1e5, std::pow(10.0, 5.5), 1e6, std::pow(10.0, 6.5), 1e7};
  const report::StabilityMap map = mapOfTwoMasses(steps, stiffnesses);
  const std::vector<std::string> fills = fillsOf(plotStabilityMap(map));
  ASSERT_EQ(fills.size(), steps.size() * stiffnesses.size());
  // Schmoll notes, 10.3: 2.4630e-4 s for the stiffness of table 2.1.
  bool right = true;
  for (std::size_t row = 0; row < steps.size(); ++row)
    right = right && isBlue(fills[row * stiffnesses.size() + 2]) == (steps[row] < 2.4630e-4);
  showFigure({"overview S7", "map", "over step and stiffness, stable below 2.4630e-4 s at table 2.1"},
             fmt::format("{} cells drawn", fills.size()), right);
}

TEST(StabilityMap, DrawsTheLineOfRadiusOneBetweenTheCombinations) {
  // log radius is linear across: 0.5 at 0, 2 at 2, so radius 1 is in the middle.
  report::StabilityMap map;
  map.recursion.allowance = 0.0;
  map.across = {"a", {0.0, 2.0}};
  map.up = {"b", {0.0, 1.0}};
  map.panels = {{"", {0.5, 2.0, 0.5, 2.0}}};
  const std::string svg = plotStabilityMap(map);
  const std::size_t last = svg.rfind("<path class=\"curve\"");
  const std::string path = svg.substr(last, svg.find("/>", last) - last);
  std::vector<double> x;
  for (const test::Match& point : test::matches(path, "([0-9.]+),[0-9.]+")) x.push_back(std::stod(point[1]));
  ASSERT_FALSE(x.empty());
  for (const double each : x) EXPECT_NEAR(each, x.front(), 0.01);
}

TEST(StabilityMap, PaintsWhatTheAllowanceCountsAsStable) {
  report::StabilityMap map;
  map.across = {"a", {0.0, 2.0}};
  map.up = {"b", {0.0, 1.0}};
  map.panels = {{"", {1.0 + 1e-13, 1.0 + 1e-9, 1.0 + 1e-13, 1.0 + 1e-9}}};
  const std::string strict = plotStabilityMap(map);  // 1e-10, the default
  EXPECT_TRUE(isBlue(fillsOf(strict)[0]));
  EXPECT_FALSE(isBlue(fillsOf(strict)[1]));
  EXPECT_NE(strict.find("ρ = 1 + 1e-10: blue is stable"), std::string::npos);
  const std::size_t curve = strict.rfind("<path class=\"curve\"");
  EXPECT_FALSE(test::matches(strict.substr(curve, strict.find("/>", curve) - curve), "([0-9.]+),[0-9.]+").empty());

  map.recursion.allowance = 1e-8;
  const std::string lenient = plotStabilityMap(map);
  for (const std::string& fill : fillsOf(lenient)) EXPECT_TRUE(isBlue(fill));
  EXPECT_NE(lenient.find("ρ = 1 + 1e-08: blue is stable"), std::string::npos);
  const std::size_t none = lenient.rfind("<path class=\"curve\"");
  EXPECT_TRUE(test::matches(lenient.substr(none, lenient.find("/>", none) - none), "([0-9.]+),[0-9.]+").empty());
}

TEST(StabilityMap, ShowsWhatIsUnknown) {
  report::StabilityMap map;
  map.across = {"a", {0.0, 1.0}};
  map.up = {"b", {0.0, 1.0}};
  map.panels = {{"", {0.5, std::nan(""), HUGE_VAL, 1.0}}};
  const std::string svg = plotStabilityMap(map);
  EXPECT_EQ(fillsOf(svg)[1], "#bbbbbb");
  EXPECT_FALSE(isBlue(fillsOf(svg)[2]));
  EXPECT_TRUE(isBlue(fillsOf(svg)[3]));
  EXPECT_NE(svg.find("unknown"), std::string::npos);
}

/// The line of the limit, of all that is drawn last.
std::vector<test::Match> pointsOfLine(const std::string& svg) {
  const std::size_t last = svg.rfind("<path class=\"curve\"");
  return test::matches(svg.substr(last, svg.find("/>", last) - last), "([0-9.]+),[0-9.]+");
}

TEST(StabilityMap, DrawsNoLineBesideWhatIsUnknown) {
  report::StabilityMap map;
  map.across = {"a", {0.0, 1.0}};
  map.up = {"b", {0.0, 1.0}};
  map.panels = {{"", {0.5, 2.0, 0.5, 2.0}}};
  EXPECT_FALSE(pointsOfLine(plotStabilityMap(map)).empty());
  map.panels = {{"", {0.5, std::nan(""), 0.5, std::nan("")}}};
  EXPECT_TRUE(pointsOfLine(plotStabilityMap(map)).empty());
}

TEST(StabilityMap, TheLegendHasTheColoursOfTheCells) {
  report::StabilityMap map;
  map.recursion.allowance = 0.5;
  map.across = {"a", {0.0, 1.0}};
  map.up = {"b", {0.0, 1.0}};
  map.panels = {{"", {1.4, 1.7, 1.4, 1.7}}};
  const std::string svg = plotStabilityMap(map);
  const std::vector<std::string> fills = fillsOf(svg);
  ASSERT_TRUE(isBlue(fills[0]));
  ASSERT_FALSE(isBlue(fills[1]));
  // Beyond the two cells of each, in the legend.
  for (const std::string& fill : {fills[0], fills[1]})
    EXPECT_GT(test::matches(svg, "\"" + fill + "\"").size(), 2U) << fill;
}

TEST(StabilityMap, DrawsOneFrameForEachPanelAndNamesIt) {
  report::StabilityMap map;
  map.across = {"a", {0.0, 1.0}};
  map.up = {"b", {0.0, 1.0}};
  map.panels = {{"first", {0.5, 0.5, 0.5, 0.5}}, {"second", {2.0, 2.0, 2.0, 2.0}}, {"third", {0.5, 0.5, 0.5, 0.5}}};
  map.columns = 2;
  const std::string svg = plotStabilityMap(map);
  struct Place {
    double x, y;
  };
  const auto placeOf = [&](const std::string& name) {
    const auto found = test::matches(svg, "x=\"([0-9.]+)\" y=\"([0-9.]+)\"[^>]*>" + name + "<");
    return found.empty() ? Place{-1.0, -1.0} : Place{std::stod(found[0][1]), std::stod(found[0][2])};
  };
  const Place first = placeOf("first");
  const Place second = placeOf("second");
  const Place third = placeOf("third");
  ASSERT_GT(first.x, 0.0);
  EXPECT_GT(second.x, first.x + 200.0);
  EXPECT_EQ(second.y, first.y);
  EXPECT_EQ(third.x, first.x);
  EXPECT_GT(third.y, first.y + map.height);
  const std::size_t frame = svg.find(">second<");
  EXPECT_TRUE(isBlue(fillsOf(svg)[0]));
  EXPECT_FALSE(isBlue(fillsOf(svg.substr(frame))[0]));
}

TEST(StabilityMap, TakesEqualRatiosForALogarithmicAxis) {
  EXPECT_TRUE(report::looksLogarithmic({1e-5, 1e-4, 1e-3}));
  EXPECT_FALSE(report::looksLogarithmic({1.0, 2.0, 3.0}));
  EXPECT_FALSE(report::looksLogarithmic({0.0, 1.0, 10.0}));
}

}  // namespace
}  // namespace koppla::test
