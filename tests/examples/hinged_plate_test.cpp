// examples/hinged-plate. The stream pushes the horizontal plate up to a stable angle; near rest there is another
// solution, which the plain iteration leaves and extrapolation finds.

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"

#include "example_run.hpp"
#include "support/figure.hpp"

namespace koppla::test::hinged_plate_test {
namespace {

constexpr double kAngle110 = 0.3563220872;  // rad
constexpr double kAngle125 = 0.9315292521;  // rad

ExampleRun plate(const std::string& project, const std::string& density = "110") {
  return runExample("hinged-plate/" + project, {"--set", "flow.rho=" + density});
}

int suspicious(const ExampleRun& run) {
  return run.statistics.at("cycles").at(0).at("suspicious").get<int>();
}

TEST(HingedPlateExamples, TheDefaultFindsTheAngleAtWhichThePlateStands) {
  for (const auto& [density, angle] : {std::pair{"110", kAngle110}, std::pair{"125", kAngle125}}) {
    const ExampleRun run = plate("default", density);
    ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
    EXPECT_NEAR(run.of("plate.phi").back() / angle, 1.0, 3e-5) << density;
    EXPECT_EQ(suspicious(run), 0) << density;
  }
}

TEST(HingedPlateExamples, BoundedFactorsFindItInThePublishedIterations) {
  const ExampleRun unrelaxed = plate("unrelaxed");
  EXPECT_EQ(unrelaxed.evaluations(), 516);
  EXPECT_EQ(plate("unrelaxed", "125").evaluations(), 94);
  EXPECT_NEAR(unrelaxed.iterated("plate.phi.K").back(), 0.9573, 1e-4);
  const ExampleRun adaptive = plate("adaptive");
  EXPECT_EQ(adaptive.evaluations(), 262);
  EXPECT_EQ(plate("adaptive", "125").evaluations(), 50);
  for (const ExampleRun* run : {&unrelaxed, &adaptive}) EXPECT_NEAR(run->of("plate.phi").back() / kAngle110, 1.0, 3e-5);
}

TEST(HingedPlateExamples, AitkenLandsElsewhereAndTheRunSaysSo) {
  for (const auto& [density, angle] : {std::pair{"110", -8.145e-4}, std::pair{"125", -1.086e-4}}) {
    const ExampleRun run = plate("aitken", density);
    ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
    EXPECT_EQ(run.evaluations(), 3);
    EXPECT_NEAR(run.of("plate.phi").back() / angle, 1.0, 1e-3) << density;
    EXPECT_GT(suspicious(run), 0) << density;
  }
  const core::TemporaryFolder folder("plate");
  const CommandResult printed = command(
      {"run", (examplesFolder() / "hinged-plate/aitken.toml").string(), "--folder", (folder.path() / "run").string()});
  EXPECT_NE(printed.output.find("maybe not what you meant"), std::string::npos) << printed.output;
}

TEST(HingedPlateExamples, HistoriesTellValuesErrorsAndFactors) {
  const ExampleRun run = plate("unrelaxed");
  const std::vector<double>& values = run.iterated("plate.phi");
  ASSERT_EQ(values.size(), 516U);
  bool complete = true;
  for (const char* column : {"plate.phi", "plate.phi.residual", "plate.phi.K", "plate.phi.factor"})
    complete = complete && run.iterated(column).size() == values.size();
  bool falls = true;
  for (std::size_t i = 1; i < values.size(); ++i)
    falls = falls && std::fabs(values[i] - kAngle110) < std::fabs(values[i - 1] - kAngle110);
  showFigure({"jung 13", "history", "values, residual, K and factor in every iteration; the global error falls"},
             fmt::format("{} iterations, global error {:.3g} to {:.3g} rad", values.size(),
                         std::fabs(values.front() - kAngle110), std::fabs(values.back() - kAngle110)),
             complete && falls);
}

TEST(HingedPlateExamples, AllFourBehavioursOfAnIterationAppear) {
  std::set<std::string> found;
  for (const char* project : {"wall-radiation/b480-unrelaxed", "wall-radiation/unrelaxed", "hinged-plate/unrelaxed"}) {
    const ExampleRun run = runExample(project);
    for (const std::string& word : run.words("behaviour"))
      if (!word.empty()) found.insert(word);
  }
  const std::set<std::string> four{"alternating-convergent", "alternating-divergent", "monotone-convergent",
                                   "monotone-growing"};
  showFigure({"jung 17", "classes", "4 classes"}, fmt::format("{} classes", found.size()), found == four);
  const ExampleRun plateAt110 = plate("unrelaxed");
  EXPECT_EQ(plateAt110.words("behaviour").at(2), "monotone-growing");
  EXPECT_EQ(plateAt110.words("behaviour").back(), "monotone-convergent");
}

}  // namespace
}  // namespace koppla::test::hinged_plate_test
