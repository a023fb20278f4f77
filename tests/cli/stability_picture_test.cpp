// The pictures of `koppla stability`: which one is drawn, and of what. The numbers are those of stability.csv, which
// read back to the same doubles.

#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "koppla/report/plot_loglog.hpp"
#include "koppla/report/stability_map.hpp"

#include "command.hpp"

namespace koppla::test::stability_picture_test {
namespace {

using Numbers = std::vector<double>;

class StabilityPictureTest : public ::testing::Test {
 protected:
  /// x'' = -c/m x by explicit Euler: |1 + i sqrt(c/m) H|.
  StabilityPictureTest() {
    workspace_.write("project.toml",
                     "format = 1\nsimulation = { end = 10.0, step = 0.1 }\n[[subsystems]]\nname = \"body\"\n"
                     "model = \"oscillator-body\"\nintegrator = \"ode1\"\nparameters = { c = 1.0, d = 0.0 }\n");
  }

  void analyse(const std::string& head, const std::string& axes) const {
    workspace_.write("s.toml", "format = 1\n[stability]\nproject = \"project.toml\"\n" + head + "\n" + axes);
    const Result result = workspace_.run({"stability", "s.toml", "--quiet"});
    EXPECT_EQ(result.exitCode, 0) << result.all();
    EXPECT_EQ(result.out + result.err, "");
  }

  [[nodiscard]] std::string picture() const { return workspace_.read("s.stability/stability.svg"); }
  [[nodiscard]] bool hasPicture() const { return workspace_.has("s.stability/stability.svg"); }

  /// A column of stability.csv, counted from the end of the status: 0 step, 1 radius, 3 critical step.
  [[nodiscard]] Numbers column(std::size_t number) const {
    Numbers result;
    for (const std::string& row : workspace_.rows("s.stability/stability.csv")) {
      std::size_t end = 0;
      for (const char* status : {"\"stable\",", "\"unstable\",", "\"limit\",", "\"failed\","})
        if (const std::size_t at = row.find(status); at != std::string::npos) end = at + std::string(status).size();
      std::istringstream cells(row.substr(end));
      std::string cell;
      for (std::size_t i = 0; i <= number; ++i) std::getline(cells, cell, ',');
      result.push_back(cell.empty() ? std::nan("") : std::stod(cell));
    }
    return result;
  }

  Workspace workspace_;
};

std::string vary(const std::string& name, const std::string& values) {
  return "[[vary]]\nname = \"" + name + "\"\nvalues = [" + values + "]\n";
}

const std::string kRadius = "find = \"spectral-radius\"";

TEST_F(StabilityPictureTest, OfTwoSettingsIsAMapWithValuesInAscendingOrder) {
  analyse(kRadius + "\nallowance = 0.25", vary("body.c", "4, 1, 2") + vary("simulation.step", "0.1, 1.0, 0.01, 0.001"));
  const Numbers radii = column(1);
  ASSERT_EQ(radii.size(), 12U);
  EXPECT_NEAR(radii[1], std::sqrt(5.0), 1e-12) << "c = 4, H = 1";
  report::StabilityMap map;
  map.title = "s";
  map.up = {"body.c", {1, 2, 4}, true};
  map.across = {"simulation.step / s", {0.001, 0.01, 0.1, 1.0}, true};
  map.recursion.allowance = 0.25;
  map.panels.emplace_back();
  for (const std::size_t row : {1U, 2U, 0U})
    for (const std::size_t place : {3U, 2U, 0U, 1U}) map.panels.back().radii.push_back(radii[row * 4 + place]);
  EXPECT_EQ(picture(), plotStabilityMap(map));
}

TEST_F(StabilityPictureTest, OfMoreSettingsIsAMapForEachCombinationOfTheOthers) {
  analyse(kRadius, vary("algorithm.kind", "\"jacobi\", \"gauss-seidel\"") + vary("body.m", "1, 2, 3, 4, 5, 6") +
                       vary("simulation.step", "0.5, 0.75, 1.0") + vary("body.c", "1, 2"));
  const Numbers radii = column(1);
  ASSERT_EQ(radii.size(), 72U);
  report::StabilityMap map;
  map.title = "s";
  map.up = {"simulation.step / s", {0.5, 0.75, 1.0}, report::looksLogarithmic({0.5, 0.75, 1.0})};
  map.across = {"body.c", {1, 2}, false};
  map.columns = 3;  // six of the last setting before in two lines, at most four in one
  map.width = 1060.0;
  map.height = 240.0;
  std::size_t next = 0;
  for (const std::string kind : {"jacobi", "gauss-seidel"})
    for (int mass = 1; mass <= 6; ++mass) {
      map.panels.push_back({kind + ", body.m = " + std::to_string(mass), {}});
      for (int cell = 0; cell < 6; ++cell) map.panels.back().radii.push_back(radii[next++]);
    }
  EXPECT_EQ(picture(), plotStabilityMap(map));
}

/// How many maps lie side by side where the setting before the last two has so many values.
TEST_F(StabilityPictureTest, HasAtMostFourMapsInALineAndLinesOfOneLength) {
  for (const auto& [values, columns] : {std::pair<std::string, std::size_t>{"1, 2, 3, 4", 4},
                                        std::pair<std::string, std::size_t>{"1, 2, 3, 4, 5", 3}}) {
    analyse(kRadius, vary("body.m", values) + vary("body.c", "1, 2") + vary("simulation.step", "0.5, 1.0"));
    const Numbers radii = column(1);
    report::StabilityMap map;
    map.title = "s";
    map.up = {"body.c", {1, 2}, false};
    map.across = {"simulation.step / s", {0.5, 1.0}, false};
    map.columns = columns;
    map.width = 1060.0;
    map.height = 240.0;
    for (std::size_t i = 0; i < radii.size() / 4; ++i)
      map.panels.push_back(
          {"body.m = " + std::to_string(i + 1), {radii[4 * i], radii[4 * i + 1], radii[4 * i + 2], radii[4 * i + 3]}});
    EXPECT_EQ(picture(), plotStabilityMap(map)) << values;
  }
}

TEST_F(StabilityPictureTest, PanelsAreNamedByWordsLabelsAndValuesOfTheirSettings) {
  analyse(kRadius, "[[vary]]\nnames = [\"body.m\", \"body.d\"]\nvalues = [[1, 0], [2, 0]]\n" +
                       vary("algorithm.degree", "0") + vary("body.c", "1, 2") + vary("simulation.step", "0.5, 1.0"));
  // What several settings change together is told with its names, and of the algorithm its section is known.
  EXPECT_NE(picture().find(">body.m, body.d = 1, 0, degree = 0<"), std::string::npos) << picture();
  EXPECT_NE(picture().find(">body.m, body.d = 2, 0, degree = 0<"), std::string::npos) << picture();
}

/// A picture of lines over steps, of these curves.
std::string lines(const std::string& xLabel, const std::string& yLabel, std::vector<report::LogLogCurve> curves) {
  report::LogLogPlot plot;
  plot.title = "s";
  plot.xLabel = xLabel;
  plot.yLabel = yLabel;
  plot.curves = std::move(curves);
  return plotLogLog(plot);
}

TEST_F(StabilityPictureTest, OfCriticalStepsHasALineForEachCombinationOverTheFirstSettingOfNumbers) {
  analyse("find = \"critical-step\"\nfrom = 0.01\nto = 10.0\nset = [\"body.integrator=ode4\"]",
          vary("algorithm.kind", "\"jacobi\", \"gauss-seidel\"") + vary("body.m", "4, 1") + vary("body.c", "1, 2, 4"));
  const Numbers steps = column(3);
  ASSERT_EQ(steps.size(), 12U);
  EXPECT_NEAR(steps[0], std::sqrt(8.0 * 4.0), 1e-4);
  std::vector<report::LogLogCurve> curves;
  for (const std::size_t kind : {0U, 1U})
    for (const std::size_t c : {0U, 1U, 2U})
      curves.push_back({std::string("algorithm.kind = ") + (kind == 0 ? "jacobi" : "gauss-seidel") +
                            ", body.c = " + std::to_string(1U << c),
                        {{4.0, steps[6 * kind + c]}, {1.0, steps[6 * kind + 3 + c]}}});
  EXPECT_EQ(picture(), lines("body.m", "critical step / s", curves));
}

TEST_F(StabilityPictureTest, OfRadiiOverOneSettingIsALine) {
  analyse(kRadius, vary("simulation.step", "0.5, 1.0, 2.0"));
  const Numbers radii = column(1);
  ASSERT_EQ(radii.size(), 3U);
  EXPECT_EQ(picture(), lines("simulation.step / s", "spectral radius",
                             {{"", {{0.5, radii[0]}, {1.0, radii[1]}, {2.0, radii[2]}}}}));
}

/// Where one of the last two settings is no row of different numbers, or maps would be too many.
TEST_F(StabilityPictureTest, IsOfLinesWhereNoMapCanBe) {
  const auto isMap = [this] { return picture().find("crispEdges") != std::string::npos; };
  const std::string steps = vary("simulation.step", "0.5, 1.0");
  analyse(kRadius, vary("algorithm.kind", "\"jacobi\", \"gauss-seidel\"") + steps);
  EXPECT_FALSE(isMap());
  analyse(kRadius, steps + vary("algorithm.kind", "\"jacobi\", \"gauss-seidel\""));
  EXPECT_FALSE(isMap());
  analyse(kRadius, vary("body.c", "1") + steps);
  EXPECT_FALSE(isMap()) << "one value";
  analyse(kRadius, steps + vary("body.c", "1"));
  EXPECT_FALSE(isMap()) << "one value";
  analyse(kRadius, vary("body.c", "1, 2, 1") + steps);
  EXPECT_FALSE(isMap()) << "a value that is there twice";
  analyse(kRadius, vary("body.c", "1, 2") + steps);
  EXPECT_TRUE(isMap());
  analyse("find = \"critical-step\"\nfrom = 0.01\nto = 10.0\nset = [\"body.integrator=ode4\"]",
          vary("body.m", "1, 2") + vary("body.c", "1, 2"));
  EXPECT_FALSE(isMap()) << "there are no radii";
}

TEST_F(StabilityPictureTest, HasTwentyFourMapsAtMost) {
  const auto analysed = [this](std::size_t maps) {
    std::string masses;
    for (std::size_t i = 1; i <= maps; ++i) masses += (i > 1 ? ", " : "") + std::to_string(i);
    analyse(kRadius, vary("body.m", masses) + vary("body.c", "1, 2") + vary("simulation.step", "0.5, 1.0"));
    return picture().find("crispEdges") != std::string::npos;
  };
  EXPECT_TRUE(analysed(24));
  EXPECT_FALSE(analysed(25));
}

TEST_F(StabilityPictureTest, OfAnEarlierCallDoesNotStay) {
  analyse(kRadius, vary("simulation.step", "0.5, 1.0"));
  EXPECT_TRUE(hasPicture());
  analyse(kRadius, "");
  EXPECT_FALSE(hasPicture()) << "nothing is varied";
  analyse(kRadius, vary("algorithm.kind", "\"jacobi\", \"gauss-seidel\""));
  EXPECT_FALSE(hasPicture()) << "words are no axis";
  analyse(kRadius, vary("simulation.step", "0.5"));
  EXPECT_FALSE(hasPicture()) << "one value is none either";
  analyse(kRadius, vary("body.d", "0, 1"));
  EXPECT_FALSE(hasPicture()) << "0 has no logarithm";
}

}  // namespace
}  // namespace koppla::test::stability_picture_test
