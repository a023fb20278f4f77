// The picture of `koppla study`, of the numbers in study.csv and fits.csv.

#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/report/plot_loglog.hpp"

#include "command.hpp"

namespace koppla::test::study_picture_test {
namespace {

/// Radioactive decay in held steps: x' = -k u by the exact integrator, u = x of the step before, which is explicit
/// Euler.
constexpr const char* kProject = R"(format = 1
simulation = { end = 1.0, step = 0.1 }
[[subsystems]]
name = "a"
model = "expressions"
inputs = { u = 1.0 }
states = { x = 1.0 }
derivatives = { x = "-k*u" }
parameters = { k = 1.0 }
outputs = { x = "x" }
integrator = "ode1"
[[connections]]
from = "a.x"
to = "a.u"
)";

/// Which values are drawn, and what they are called; how, is tested where the picture is made.
class StudyPictureTest : public ::testing::Test {
 protected:
  StudyPictureTest() { workspace_.write("p.toml", kProject); }

  void write(const std::string& axes, const std::string& more) const {
    workspace_.write("decay.toml", "format = 1\n[study]\nproject = \"p.toml\"\n" + axes +
                                       "[reference]\nkind = \"run\"\nset = [\"simulation.step=1e-4\"]\ncheck_set = "
                                       "[\"simulation.step=2e-4\"]\n[errors]\nvariables = [\"a.x\"]\n" +
                                       more);
  }

  /// The cell of a row of study.csv, counted from 0.
  [[nodiscard]] double cell(std::size_t row, std::size_t number) const {
    std::istringstream cells(workspace_.rows("decay.study/study.csv").at(row));
    std::string text;
    for (std::size_t i = 0; i <= number; ++i) std::getline(cells, text, ',');
    return std::stod(text);
  }

  Workspace workspace_;
};

const std::string kSteps = "[[vary]]\nname = \"simulation.step\"\nvalues = [0.25, 0.125, 0.001, 0.5]\n";

TEST_F(StudyPictureTest, HasErrorsOverTheFittedSettingWithSlopesInTheirNames) {
  write("[[vary]]\nname = \"a.k\"\nvalues = [1.0, 2.0]\n" + kSteps,
        "unstable_above = 0.9\n[fit]\nover = "
        "\"simulation.step\"\n");
  // Of k = 2 the reference is another solution; the errors are what they are.
  const Result result = workspace_.run({"study", "decay.toml"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  report::LogLogPlot plot;
  plot.title = "decay";
  plot.xLabel = "simulation.step / s";
  plot.yLabel = "nrmse";
  const std::vector<std::string> rows = workspace_.rows("decay.study/study.csv");
  const std::vector<std::string> fits = workspace_.rows("decay.study/fits.csv");
  ASSERT_EQ(rows.size(), 8U);
  ASSERT_EQ(fits.size(), 2U);
  bool limited = false;
  for (std::size_t series = 0; series < 2; ++series) {
    report::LogLogCurve& curve = plot.curves.emplace_back();
    for (std::size_t i = 0; i < 4; ++i) {
      const std::string& row = rows[4 * series + i];
      const bool hollow = row.find("\"limited-by-reference\"") != std::string::npos;
      const bool drawn = hollow || row.find("\"ok\"") != std::string::npos;
      limited = limited || hollow;
      curve.points.push_back({cell(4 * series + i, 1), drawn ? cell(4 * series + i, 3) : 0.0, hollow});
    }
    std::istringstream cells(fits[series]);
    std::string value, over, slope, error, points;
    for (std::string* each : {&value, &over, &slope, &error, &points}) std::getline(cells, *each, ',');
    curve.name = "a.k = " + std::string(series == 0 ? "1" : "2") +
                 (std::stoi(points) >= 2 ? fmt::format(": slope {:.2f}", std::stod(slope)) : "");
  }
  EXPECT_TRUE(limited) << "0.001 s is near to the reference's own step";
  EXPECT_EQ(workspace_.read("decay.study/study.svg"), plotLogLog(plot));
}

TEST_F(StudyPictureTest, OfOneSeriesHasItsSlopeOrNoName) {
  write("[[vary]]\nname = \"a.k\"\nvalues = [1.0]\n[[vary]]\nname = \"simulation.step\"\nvalues = [0.25, 0.125]\n",
        "measure = \"wrmse\"\n[fit]\nover = \"a.k\"\n");
  // Over a.k each step is a series of one point, which has no slope.
  ASSERT_EQ(workspace_.run({"study", "decay.toml", "--quiet"}).exitCode, 0);
  report::LogLogPlot plot;
  plot.title = "decay";
  plot.xLabel = "a.k";
  plot.yLabel = "wrmse";
  plot.curves = {{"simulation.step = 0.25", {{1.0, cell(0, 3)}}}, {"simulation.step = 0.125", {{1.0, cell(1, 3)}}}};
  EXPECT_EQ(workspace_.read("decay.study/study.svg"), plotLogLog(plot));

  write("[[vary]]\nname = \"simulation.step\"\nvalues = [0.25, 0.125]\n", "[fit]\nover = \"simulation.step\"\n");
  const Result single = workspace_.run({"study", "decay.toml", "--restart", "--quiet"});
  ASSERT_EQ(single.exitCode, 0) << single.all();
  EXPECT_EQ(single.out + single.err, "");
  const double slope = std::log(cell(0, 2) / cell(1, 2)) / std::log(2.0);
  EXPECT_NE(workspace_.read("decay.study/study.svg").find(fmt::format(">slope {:.2f}<", slope)), std::string::npos);
}

TEST_F(StudyPictureTest, IsDrawnWhereSomethingIsFitted) {
  write(kSteps, "");
  const Result result = workspace_.run({"study", "decay.toml"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  EXPECT_FALSE(workspace_.has("decay.study/study.svg"));
  EXPECT_TRUE(result.out.ends_with("\nresults in decay.study\n")) << result.out;
  EXPECT_EQ(result.out.find("were done before"), std::string::npos);
  const Result again = workspace_.run({"study", "decay.toml"});
  EXPECT_TRUE(again.out.ends_with("4 of 4 runs were done before\n\nresults in decay.study\n")) << again.out;
}

}  // namespace
}  // namespace koppla::test::study_picture_test
