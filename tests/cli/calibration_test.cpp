// `koppla study` of a calibration: what it writes and prints is what the study room finds, in files that belong
// together.

#include "koppla/study/calibration.hpp"

#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/report/box_plot.hpp"

#include "command.hpp"

namespace koppla::test::calibration_command_test {
namespace {

/// 12 sets on two models; the best 11 are ranked.
constexpr const char* kTuning = R"toml(format = 1
[study]
kind = "calibration"
algorithm = "L"
models = ["lin 5", "A 8"]
sets = ["L(1,a)", "NL(1,b)"]
max_iterations = 300
best = 11
passes = 0
field = "objective"
[[vary]]
name = "influence"
values = [0.02, 0.05, 0.08, 0.11]
[[vary]]
name = "gain"
values = [1, 2, 3]
[[vary]]
names = ["lower", "upper", "mass"]
values = [1]
)toml";

class CalibrationCommandTest : public ::testing::Test {
 protected:
  CalibrationCommandTest() { workspace_.write("tuning.toml", kTuning); }

  Workspace workspace_;
};

/// Ten of the best and all that are compared.
std::string boxes(const study::CalibrationResult& result) {
  report::BoxPlot plot;
  plot.title = "tuning";
  plot.label = "iterations / iterations unrelaxed, over 2 models";
  const auto add = [&plot](const study::CalibratedSet& set, const std::string& name) {
    const study::BoxStatistics& s = set.statistics;
    plot.boxes.push_back({name, s.least, s.lowerQuartile, s.median, s.upperQuartile, s.most, s.mean});
  };
  for (std::size_t i = 0; i < 10; ++i) add(result.best.at(i), "rank " + std::to_string(i + 1));
  for (const study::CalibratedSet& set : result.named) add(set, set.name);
  return report::plotBoxes(plot);
}

TEST_F(CalibrationCommandTest, WritesRankingSetsModelsFieldAndPicture) {
  const study::Calibration calibration = study::parseCalibration(kTuning, "tuning.toml");
  const study::CalibrationResult found = study::calibrate(calibration, {}).value();
  ASSERT_EQ(found.best.size(), 11U);
  const Result result = workspace_.run({"study", "tuning.toml", "--jobs", "2"});
  ASSERT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, calibrationText(calibration, found) + "\nresults in tuning.study\n");
  EXPECT_EQ(workspace_.read("tuning.study/models.csv"), modelsCsv(calibration, found));
  EXPECT_EQ(workspace_.read("tuning.study/ranking.csv"), setsCsv(calibration, found.best));
  EXPECT_EQ(workspace_.read("tuning.study/sets.csv"), setsCsv(calibration, found.named));
  EXPECT_EQ(workspace_.read("tuning.study/field.csv"), fieldCsv(calibration, found));
  EXPECT_EQ(workspace_.read("tuning.study/calibration.svg"), boxes(found));
}

TEST_F(CalibrationCommandTest, LeavesNoFieldOfACallBefore) {
  ASSERT_EQ(workspace_.run({"study", "tuning.toml", "--quiet", "--folder", "out"}).exitCode, 0);
  EXPECT_TRUE(workspace_.has("out/field.csv"));
  EXPECT_FALSE(workspace_.has("tuning.study"));
  std::string text = kTuning;
  text.replace(text.find("\"objective\""), 11, "\"none\"");
  workspace_.write("tuning.toml", text);
  const Result result = workspace_.run({"study", "tuning.toml", "--quiet", "--folder", "out"});
  EXPECT_EQ(result.exitCode, 0) << result.all();
  EXPECT_EQ(result.out + result.err, "");
  EXPECT_FALSE(workspace_.has("out/field.csv"));
  EXPECT_TRUE(workspace_.has("out/ranking.csv"));
}

TEST_F(CalibrationCommandTest, HasNoProjectThatSettingsCouldChange) {
  const Result result = workspace_.run({"study", "tuning.toml", "--set", "simulation.end=2"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_EQ(
      result.err,
      "error: A calibration runs no project, so there is nothing that '--set' could change. Change the study file.\n");
  EXPECT_FALSE(workspace_.has("tuning.study"));
}

std::size_t threadsOf(const Process& process) {
  std::size_t count = 0;
  std::error_code none;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process.id()) + "/task", none))
    ++count;
  return count;
}

/// All of Jung's sets on all of his models: far more than a test lasts.
TEST_F(CalibrationCommandTest, HasAThreadForEachJobAndWritesNothingWhenInterrupted) {
  workspace_.write("long.toml", "format = 1\n[study]\nkind = \"calibration\"\nalgorithm = \"L/NL\"\n");
  Process alone = workspace_.start({"study", "long.toml", "--jobs", "1"}, "alone");
  Process together = workspace_.start({"study", "long.toml", "--jobs", "5"});
#ifdef __SANITIZE_THREAD__
  constexpr std::size_t kOfSanitizer = 1;  // beside the first that a program starts
#else
  constexpr std::size_t kOfSanitizer = 0;
#endif
  EXPECT_TRUE(eventually([&] { return threadsOf(together) == threadsOf(alone) + 4 + kOfSanitizer; }));
  together.send(SIGINT);
  const Result result = together.wait();
  EXPECT_EQ(result.exitCode, 130) << result.all();
  EXPECT_EQ(result.err, "Interrupted: nothing is written.\n");
  EXPECT_EQ(result.out, "");
  EXPECT_FALSE(workspace_.has("long.study"));
}

}  // namespace
}  // namespace koppla::test::calibration_command_test
