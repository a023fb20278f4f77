// examples/calibration. The study of parameters runs as a command and finds what theory and the source say.

#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"

#include "example_run.hpp"

namespace koppla::test::calibration_example_test {
namespace {

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(CalibrationExample, RanksSetsAndDrawsThem) {
  const core::TemporaryFolder folder("calibration");
  const CommandResult made =
      command({"study", (examplesFolder() / "calibration/small.toml").string(), "--folder", folder.path().string()});
  ASSERT_EQ(made.exitCode, 0) << made.errors;
  // mean, median and largest of L/NL(1,a), one result relaxed, at 1e-6: those of the theory note, sec. 9.1.
  EXPECT_THAT(made.output, testing::ContainsRegex("L/NL\\(1,a\\) .* 0\\.325 .* 0\\.320 .* 0\\.615 +0\n"));
  const std::vector<std::string> models = linesOf(core::readWhole(folder.path() / "models.csv"));
  ASSERT_EQ(models.size(), 26U);
  EXPECT_EQ(models[1], "\"lin 5\",180");
  EXPECT_EQ(models[25], "\"FSI-h 140\",54");
  EXPECT_EQ(linesOf(core::readWhole(folder.path() / "ranking.csv")).size(), 6U);
  EXPECT_EQ(linesOf(core::readWhole(folder.path() / "sets.csv")).size(), 5U);
  EXPECT_EQ(linesOf(core::readWhole(folder.path() / "field.csv")).size(), 251U);
  EXPECT_THAT(core::readWhole(folder.path() / "calibration.svg"),
              testing::AllOf(testing::HasSubstr("rank 5"), testing::HasSubstr("L/NL(0.7,b)")));
}

/// Of x = g y + 1, y = x: y = (1 - g^n) / (1 - g) after n iterations, which changed by g^(n-1) in the last one.
int gainIterations(double g) {
  int n = 1;
  while (std::fabs(std::pow(g, n - 1)) > 1e-6 * std::fabs((1.0 - std::pow(g, n)) / (1.0 - g))) ++n;
  return n;
}

TEST(CalibrationExample, OwnModelsAreFormulas) {
  const core::TemporaryFolder folder("calibration");
  const CommandResult made = command(
      {"study", (examplesFolder() / "calibration/own-models.toml").string(), "--folder", folder.path().string()});
  ASSERT_EQ(made.exitCode, 0) << made.errors;
  EXPECT_THAT(core::readWhole(folder.path() / "models.csv"),
              testing::AllOf(testing::HasSubstr(fmt::format("\"creeping\",{}\n", gainIterations(0.9))),
                             testing::HasSubstr(fmt::format("\"alternating\",{}\n", gainIterations(-0.9)))));
}

TEST(CalibrationExample, HasNoUseForSettingsOfProjects) {
  const CommandResult refused =
      command({"study", (examplesFolder() / "calibration/small.toml").string(), "--set", "simulation.end=1"});
  EXPECT_EQ(refused.exitCode, 2);
  EXPECT_THAT(refused.errors, testing::HasSubstr("--set"));
}

}  // namespace
}  // namespace koppla::test::calibration_example_test
